"""Optimal play: the exact optimum, and actions that reach it legally."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import naive
import naive_games
from ends import OBJECTIVES, faults, made_up, reached
from ramisim.position import Position

DATA = Path(__file__).parent / "data"
VECTORS: list[dict[str, Any]] = json.loads((DATA / "best_play.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v["id"])
def test_vectors(vector: dict[str, Any]) -> None:
    position = Position.from_dict(vector["position"])
    for action in vector["prefix"]:
        position = position.apply(action)
    for objective, value in vector["value"].items():
        best = position.best_play(objective)
        assert best["value"] == value
        assert reached(position, best["actions"], objective) == value


def positions(n: int) -> Iterator[Position]:
    """Positions in phase play out of random games of the naive engine."""
    found = 0
    for seed in range(10_000):
        for position in naive_games_positions(seed):
            yield position
            found += 1
            if found == n:
                return


def naive_games_positions(seed: int) -> Iterator[Position]:
    import random

    chance = random.Random(seed)
    rules = chance.choice(["rami500", "rami51", "pool500", "rami", "rami500-5p"])
    seats = {"rami500-5p": 5}.get(rules, 2)
    position = Position.from_dict(naive_games.deal(rules, {}, seats, chance))
    for _ in range(chance.randrange(10, 120)):
        if position.is_over():
            return
        if position.to_dict()["phase"] == "play":
            yield position
        actions = position.legal_actions() + position.openings()[:3]
        if not actions:
            return
        position = position.apply(chance.choice(actions))


def test_best_ends_of_random_positions_are_legal_and_reach_their_value() -> None:
    for position in positions(400):
        for objective in OBJECTIVES:
            best = position.best_play(objective)  # type: ignore[arg-type]
            assert reached(position, best["actions"], objective) == best["value"], (
                position.to_dict(),
                objective,
            )


def test_a_joker_that_passes_in_an_opening_set_is_free_for_the_next_meld() -> None:
    """Once the set kept its joker until later, and the lay-off before it had none."""
    hand = ["2C", "9C", "9C", "TC", "QC", "5D", "TD", "JH", "QH", "4S", "QS", "QS", "Jk", "Jk"]
    melds = {
        "M1": ["7D", "8D", "9D", "TD", "JD", "QD", "KD", "AD"],
        "M2": ["AS", "Jk=2S", "3S", "4S", "5S", "6S", "7S", "8S"],
        "M3": ["TC", "JC", "QC"],
        "M4": ["6H", "7H", "8H", "9H"],
    }
    table = [
        {"id": name, "type": "run", "cards": [[card, 0] for card in cards]}
        for name, cards in melds.items()
    ]
    position = Position.from_dict(
        {"rules": "rami51", "hands": [["2H"], hand], "turn": 1, "phase": "play", "table": table}
    )
    best = position.best_play("points")
    assert reached(position, best["actions"], "points") == best["value"]


def test_an_ace_that_begins_an_opening_is_low_although_its_king_comes_later() -> None:
    """Runs that wrap: A-2-3 opened with the points of the high ace of K-A-2-3, and was refused."""
    override = {
        "meld.ace": "wrap",
        "meld.max_jokers": 1,
        "meld.min_naturals": 3,
        "opening.points": 23,
        "opening.pure_run": True,
        "lay_off.needs_opening": False,
        "values.ace_low": 4,
        "values.ace_high": 22,
    }
    hand = ["2D", "5D", "TD", "AH", "2H", "3H", "8H", "3S", "9S", "Jk"]
    position = Position.from_dict(
        {
            "rules": "pool300",
            "override": override,
            "hands": [hand, ["4C"]],
            "turn": 0,
            "phase": "play",
            "hit_open": True,
        }
    )
    assert not position.openings()
    for objective in OBJECTIVES:
        best = position.best_play(objective)  # type: ignore[arg-type]
        assert [action["op"] for action in best["actions"]] == ["discard"]


ROUND_THE_ACE = [
    # What the hand is, what lies there, the values of the ace, the credit of a swap, what is best.
    (["KH", "AH", "2H", "3H", "5C"], [], 4, 22, "swapper", 37),
    (["KH", "AH", "2H", "3H", "5C"], [], 22, 4, "swapper", 37),
    (["KH", "AH", "2H", "3H", "Jk", "5C"], [], 4, 22, "both", None),
    (["KH", "AH", "2H", "3H", "Jk", "5C"], [], 22, 4, "both", None),
    (["QH", "KH", "AH", "Jk", "5C"], ["2H", "3H", "4H"], 4, 22, "both", None),
    (["QH", "KH", "AH", "Jk", "5C"], ["2H", "3H", "4H"], 22, 4, "both", None),
]


@pytest.mark.parametrize(("hand", "table", "low", "high", "credit", "most"), ROUND_THE_ACE)
@pytest.mark.parametrize("needed", [0, 9, 25])
def test_an_ace_below_a_run_counts_by_whether_its_king_comes_with_it(
    hand: list[str],
    table: list[str],
    low: int,
    high: int,
    credit: str,
    most: int | None,
    needed: int,
) -> None:
    values = {"values.ace_low": low, "values.ace_high": high, "score.swap_credit": credit}
    values |= {"opening.points": needed, "meld.ace": "wrap", "discard.final": "optional"}
    values |= {"joker.swap": True, "joker.swap_needs_opening": False}
    melds = [{"id": "M1", "type": "run", "cards": [[card, 1] for card in table]}]
    position = {"rules": "pool500", "override": values, "hands": [hand, ["4C"]], "turn": 0}
    position |= {"phase": "play", "hit_open": True, "table": melds if table else []}
    engine = Position.from_dict(position)
    refereed = naive.best_plays(engine.to_dict())
    for objective in OBJECTIVES:
        best = engine.best_play(objective)  # type: ignore[arg-type]
        assert best["value"] == refereed[objective]["value"]
        assert reached(engine, best["actions"], objective) == best["value"]
    if most is not None and needed <= 9:
        assert refereed["points"]["value"] == most


OPENED_BY_A_JOKER = [
    ["JD", "QD", "KD", "Jk", "5C"],
    ["2S", "3S", "4S", "Jk", "5H"],
    ["QD", "KD", "3D", "4D", "Jk", "Jk", "TC"],
]


@pytest.mark.parametrize("hand", OPENED_BY_A_JOKER)
@pytest.mark.parametrize("needed", [9, 20, 30])
@pytest.mark.parametrize("recovered", ["free", "replay_same_turn"])
@pytest.mark.parametrize("one", [True, False])
def test_a_joker_that_passes_in_an_opening_counts_as_a_joker_and_is_replayed_where_it_must(
    hand: list[str], needed: int, recovered: str, one: bool
) -> None:
    """It was counted as the card that comes after it, and stayed in a hand where it may not."""
    for worth in (1, 9, 25):
        override = {
            "values.joker_meld": worth,
            "values.set_as_one": one,
            "opening.points": needed,
            "joker.swap": True,
            "joker.swap_needs_opening": True,
            "joker.recovered": recovered,
            "score.swap_credit": "both" if one else "owner",
        }
        position = Position.from_dict(
            {
                "rules": "pool500",
                "override": override,
                "hands": [hand, ["4C"]],
                "turn": 0,
                "phase": "play",
                "hit_open": True,
            }
        )
        refereed = naive.best_plays(position.to_dict())
        for objective in OBJECTIVES:
            best = position.best_play(objective)  # type: ignore[arg-type]
            assert reached(position, best["actions"], objective) == best["value"]
            assert best["value"] == refereed[objective]["value"]


def test_a_swap_uses_the_card_taken_although_its_twin_stays() -> None:
    """Two packs: a jack must be used, and the joker it replaces is all it can be used for."""
    position = Position.from_dict(
        {
            "rules": "rami500-5p",
            "hands": [["JC", "JC", "3D"], ["4D"], ["5D"], ["6D"], ["8D"]],
            "turn": 0,
            "phase": "play",
            "must_use": "JC",
            "table": [
                {"id": "M1", "type": "run", "cards": [["Jk=JC", 1], ["QC", 1], ["Jk=KC", 1]]}
            ],
        }
    )
    assert [a["op"] for a in position.legal_actions()] == ["swap"]
    for objective in OBJECTIVES:
        best = position.best_play(objective)  # type: ignore[arg-type]
        assert reached(position, best["actions"], objective) == best["value"]


def test_the_twin_of_a_card_that_went_into_a_swap_may_stay_in_the_hand() -> None:
    """Once a duty met by swapping one 8S was held unmet as long as the other 8S was kept."""
    run = [["TS", 2], ["JS", 2], ["Jk=QS", 2], ["KS", 2]]
    start = {
        "rules": "rami500-5p",
        "hands": [["2D", "9S", "QS", "8S"], ["4C"], ["5C"], ["6C"], ["7C"]],
        "discard": ["8S", "4H"],
        "table": [{"id": "M1", "type": "run", "cards": run}],
    }
    actions: list[dict[str, Any]] = [
        {"op": "draw_discard", "n": 2},
        {"op": "swap", "meld": "M1", "card": "QS", "joker": "Jk=QS"},
        {"op": "lay_off", "meld": "M1", "cards": ["Jk=9S"], "end": "low"},
        {"op": "swap", "meld": "M1", "card": "9S", "joker": "Jk=9S"},
        {"op": "lay_off", "meld": "M1", "cards": ["Jk=8S"], "end": "low"},
        {"op": "swap", "meld": "M1", "card": "8S", "joker": "Jk=8S"},
        {"op": "discard", "card": "2D"},
    ]
    position = Position.from_dict(start)
    for done, action in enumerate(actions):
        naive_start = naive.apply(start, *actions[:done])
        assert naive.same_actions(position.legal_actions(), naive.legal_actions(naive_start))
        if position.to_dict()["phase"] == "play":
            best = position.best_play("score")
            assert best["value"] == naive.best_play(naive_start, "score")["value"]
            assert reached(position, best["actions"], "score") == best["value"]
        position = position.apply(action)
    assert "8S" in position.to_dict()["hands"][0]


@pytest.mark.parametrize("credit", ["both", "swapper", "owner"])
@pytest.mark.parametrize("more", [[], ["Jk"], ["3H"], ["3H", "Jk"], ["JC"], ["JC", "JH"]])
def test_a_joker_of_an_incomplete_set_is_not_played_before_it_is_free(
    more: list[str], credit: str
) -> None:
    """Once the set of threes was completed by the very joker that this would have freed."""
    table = [
        {"id": "M1", "type": "set", "cards": [["3D", 1], ["3S", 1], ["Jk=3C", 1]]},
        {"id": "M2", "type": "set", "cards": [["JD", 1], ["JS", 1], ["Jk=JC", 1]]},
    ]
    override = {"joker.set_swap": "complete_only", "score.swap_credit": credit}
    start: dict[str, Any] = {"rules": "rami500", "override": override, "phase": "play"}
    start |= {"hands": [["3C", "9D", *more], ["4C"]], "table": table}
    start |= {"override": override | {"deck.jokers": 4}}
    position = Position.from_dict(start)
    for objective, best in naive.best_plays(start).items():
        got = position.best_play(objective)  # type: ignore[arg-type]
        assert got["value"] == best["value"]
        assert reached(position, got["actions"], objective) == got["value"]


def best_is_reached_and_refereed(position: dict[str, Any]) -> dict[str, Any]:
    """The best end for points; each objective claimed, reached and best for the naive engine."""
    engine = Position.from_dict({"phase": "play", "turn": 0, "hit_open": True, **position})
    assert faults(engine, 60) == ([], True)
    return engine.best_play("points")


@pytest.mark.parametrize("credit", ["both", "swapper", "owner"])
@pytest.mark.parametrize("distinct", [True, False])
def test_jokers_alone_are_a_meld_where_no_natural_card_is_needed(
    credit: str, distinct: bool
) -> None:
    """Sets of jokers alone were not tried, and runs of them only in a suit of the hand."""
    override: dict[str, Any] = {"meld.min_naturals": 0, "meld.set_distinct_suits": distinct}
    override |= {"deck.jokers": 4}
    override |= {"score.swap_credit": credit, "values.ace_set": 22, "joker.swap": True}
    override["values.set_as_one"] = False
    position = {"rules": "pool500", "override": override, "hands": [["4D", *["Jk"] * 3], ["5C"]]}
    assert best_is_reached_and_refereed(position)["value"] == 66
    for hand in (["Jk"] * 3, ["Jk"] * 4, ["4D", "AC", "AD", *["Jk"] * 3]):
        best_is_reached_and_refereed(position | {"hands": [hand, ["5C"]]})


ONE_OR_MORE_JOKERS = [
    ["TC", "TD", "KD", "Jk", "Jk"],
    ["4H", "4S", "5D", "Jk", "Jk"],
    ["KC", "KD", "KH", "KS", "Jk"],
    ["QC", "QS", "4C", "Jk", "Jk"],
    ["QC", "QC", "QS", "QS", "Jk"],
    ["KH", "6S", "Jk", "Jk", "Jk"],
]


@pytest.mark.parametrize("hand", ONE_OR_MORE_JOKERS)
@pytest.mark.parametrize("as_one", [True, False])
@pytest.mark.parametrize("worth", [0, 7, 13])
@pytest.mark.parametrize("credit", ["both", "swapper", "owner"])
def test_a_set_with_jokers_of_their_own_value_is_laid_as_it_was_counted(
    hand: list[str], as_one: bool, worth: int, credit: str
) -> None:
    """Jokers were laid first where that brings less, and all places taken for alike."""
    for opening in (0, 20):
        for how in ("declared", "any_missing", "complete_only", "never"):
            override = {
                "values.set_as_one": as_one,
                "values.joker_meld": worth,
                "score.swap_credit": credit,
                "joker.swap": True,
                "joker.swap_needs_opening": bool(opening),
                "joker.set_swap": how,
                "deck.jokers": 4,
                "opening.points": opening,
            }
            best_is_reached_and_refereed(
                {"rules": "pool500", "override": override, "hands": [hand, ["5C"]]}
            )


@pytest.mark.parametrize("needed", [0, 20])
def test_a_joker_swapped_after_the_opening_is_replayed_after_the_opening(needed: int) -> None:
    """The joker that the opening itself lays was taken for the one recovered by a later swap."""
    table = [{"id": "M1", "type": "run", "cards": [["8D", 1], ["9D", 1], ["Jk=TD", 1]]}]
    override: dict[str, Any] = {"opening.points": needed, "joker.swap_needs_opening": True}
    override |= {"lay_off.needs_opening": True, "joker.recovered": "replay_same_turn"}
    override |= {"meld.run_max": 3, "meld.min_naturals": 2, "meld.adjacent_jokers": False}
    hand = ["7C", "TD", "QH", "KH", "6S", "Jk"]
    best_is_reached_and_refereed(
        {"rules": "rami500", "override": override, "hands": [hand, ["5C"]], "table": table}
    )


@pytest.mark.parametrize("held", [["QH"], ["QH", "QS"], ["QH", "QD", "QD"], ["QC", "QD"]])
def test_a_suit_that_a_set_shows_frees_no_joker_of_any_missing_suit(held: list[str]) -> None:
    """A second queen of hearts was to take the place of a joker laid beside another of hearts."""
    cards = [["Jk=QH", 1], ["QS", 1], ["QC", 1]]
    override: dict[str, Any] = {
        "joker.swap": True,
        "joker.set_swap": "any_missing",
        "score.swap_credit": "both",
    }
    for table in ([{"id": "M1", "type": "set", "cards": cards}], []):
        hands = [[*held, "5H", "Jk", *([] if table else ["QH"])], ["5C"]]
        position = {"rules": "pool500", "override": override, "hands": hands, "table": table}
        best_is_reached_and_refereed(position)


CORNERS: list[dict[str, Any]] = json.loads(
    (DATA / "best_play_corners.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("corner", CORNERS, ids=lambda corner: corner["id"])
def test_corners_of_random_variants(corner: dict[str, Any]) -> None:
    """Made-up positions whose best end once was wrong; the id says in what."""
    assert faults(Position.from_dict(corner["position"]), 60) == ([], True)


@pytest.mark.parametrize(
    ("least", "hand", "value"),
    [
        (70, "5H 6H 7H 8H 9H TH JH QH KH 9S Jk Jk Jk Jk", 170),
        (70, "5H 6H 8H 9H TH JH QH KH 2C KD Jk Jk Jk Jk", 166),
        (51, "3H 4H 5H 6H 7H 8H 9H TH JH QH 5D 9S Jk Jk Jk Jk", 187),
    ],
)
def test_no_way_to_open_with_a_long_run_is_dropped(least: int, hand: str, value: int) -> None:
    # There was room for 96 ways to lay a meld: a run of nine and four jokers have more.
    position = Position.from_dict(
        {
            "rules": "rami51",
            "override": {"opening.points": least},
            "hands": [hand.split(), ["KC"]],
            "stock": ["9C"],
            "phase": "play",
        }
    )
    best = position.best_play("points")
    assert best["value"] == reached(position, best["actions"], "points") == value


def test_a_hand_of_ninety_cards_is_laid_whole() -> None:
    # Of one opening turn nineteen new melds were thought of at most: no end was found, for minutes.
    hand = [rank + suit for suit in "CDHS" for rank in "A23456789TJQ"] * 2 + ["KC"]
    position = Position.from_dict(
        {
            "rules": "rami51",
            "override": {"meld.run_max": 3, "lay_off.on": "none"},
            "hands": [hand, ["KD"]],
            "stock": ["KS"],
            "phase": "play",
        }
    )
    best = position.best_play("cards")
    assert best["value"] == reached(position, best["actions"], "cards") == len(hand)


def test_best_ends_of_made_up_positions_are_reached_and_refereed() -> None:
    for seed in range(200):
        position = made_up(seed, 6)
        assert position is None or faults(position, 10)[0] == [], seed


@pytest.mark.slow
def test_best_ends_of_many_made_up_positions_are_reached_and_refereed() -> None:
    for seed in range(1000, 4000):
        position = made_up(seed, 6)
        assert position is None or faults(position, 0.3)[0] == [], seed
