"""Searches that took seconds and more before bounds and memory: the same ends, in few nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numba import njit

from ramisim.actions import action_of_row
from ramisim.cards import RANKS
from ramisim.kernels import finish, state
from ramisim.position import Objective, Position, scratch
from variants import Played, play_variant

FIRST_WINDOWS = {
    "deck.packs": 2, "deck.jokers": 5, "meld.set_distinct_suits": False, "meld.set_max": 14,
    "meld.run_max": 14, "meld.ace": "high", "meld.min_naturals": 2, "meld.max_jokers": 2,
    "opening.points": 48, "opening.pure_run": True, "lay_off.needs_opening": True,
    "joker.swap": False, "joker.set_swap": "any_missing", "values.ace_high": 26,
    "values.ace_set": 27, "values.ace_hand": 27, "values.face": 26, "values.joker_hand": 18,
    "values.set_as_one": True,
}  # fmt: skip
PURE_RUN = {
    "deck.jokers": 6, "meld.set_max": 14, "meld.run_max": 14, "meld.ace": "wrap",
    "meld.min_naturals": 0, "opening.points": 49, "opening.needs_run": True,
    "opening.pure_run": True, "lay_off.on": "own", "joker.swap_needs_opening": True,
    "joker.set_swap": "any_missing", "discard.policy": "optional", "discard.final": "optional",
    "score.swap_credit": "swapper",
}  # fmt: skip
DOUBLED = {
    "deck.packs": 2, "deck.jokers": 5, "meld.set_distinct_suits": False, "meld.set_max": 12,
    "meld.run_max": 10, "meld.ace": "wrap", "lay_off.on": "own", "joker.set_swap": "never",
    "joker.recovered": "replay_same_turn", "discard.policy": "optional",
    "discard.final": "optional", "values.ace_low": 28, "values.ace_high": 26,
    "values.ace_set": 6, "values.ace_hand": 18, "values.face": 24, "values.joker_hand": 18,
    "values.set_as_one": True,
}  # fmt: skip
LAYING_FIRST = {
    "deck.packs": 2, "deck.jokers": 8, "meld.set_max": 10, "meld.run_max": 6, "meld.ace": "wrap",
    "lay_off.needs_opening": True, "discard.policy": "optional", "discard.final": "optional",
    "values.ace_high": 21, "values.ace_set": 27, "values.ace_hand": 12, "values.face": 24,
    "values.joker_hand": 17, "score.swap_credit": "owner",
}  # fmt: skip
OPENS = (
    "AC 4C 6C 7C 8C 9C TC JC QC 2D 8D TD QD AH 2H 4H 9H KH AS 2S 4S 7S 9S JS QS AC QC 2D TD Jk Jk"
)
NO_RUN = "4C 9C JC 2D 4D 5D 9D AH 2H 4H 7H 9H QH AS 2S 6S 7S 9S QS Jk Jk Jk Jk"
OPENED = (
    "2C 4C 5C 7C TC JC QC KC 5D 6D 7D 8D 9D TD QD KD AH 2H 4H 5H 6H 7H 9H TH JH QH AS 4S JS KS "
    "5C 7C QC JH QH Jk"
)
FIRST_MELD = (
    "AC 5C 6C 9C TC JC QC KC AD 5D 6D 8D 9D TD JD KD AH 5H 8H 9H JH QH KH AS 5S 6S 8S 9S TS KC "
    "5D 9D TD 5H KH AS 8S 9S Jk"
)
FROM_DEEP = {"deck.packs": 2, "meld.ace": "high", "joker.swap_needs_opening": True}
HELD = "7H 9H AS AS 3S 5S 7S 7S 8S 9S TS"
PILE = (
    "KH QC 4C 4D KC 6C 7D 6C 9C 9D 4D JC AH TC 3C 2S 7D AD 3D 9D 2D TH TD 2D 2H JD 3D TS QD 6D "
    "8H AC 8D TH 3H 8D 5C 3C AH 7C QD 5D 9S 4H 4H 2S 5D KD 5H 2C 2C 8H 5C JD KH 7C 5H"
)
UNOPENED = "2C 4C 7C TC 3D 4D 5D 9D TD TH JH QH KH TS KS"
LONE_KING = "2C 3C 4C 5C 6C 7C 8C 2D 2H 9D 9H KS Jk Jk"
CASES: list[tuple[dict[str, Any], str, Objective, int, int]] = [
    # Value, and nodes of the search before: 2.9, 2.8, 3.5, 10.8 and 2.0 million.
    (FIRST_WINDOWS, OPENS, "points", 294, 100_000),
    (FIRST_WINDOWS, OPENS, "deadwood", -7, 250_000),
    (PURE_RUN, NO_RUN, "cards", 1, 1_000),
    (DOUBLED, OPENED, "score", 413, 800_000),
    (LAYING_FIRST, FIRST_MELD, "score", 566, 400_000),
]


@pytest.mark.parametrize(("override", "hand", "objective", "value", "most_nodes"), CASES)
def test_long_searches_find_what_they_found_before(
    override: dict[str, Any], hand: str, objective: Objective, value: int, most_nodes: int
) -> None:
    position = Position.from_dict(
        {
            "rules": "rami500",
            "override": override,
            "hands": [hand.split(), ["3C"]],
            "stock": ["3D"],
            "phase": "play",
        }
    )
    best = position.best_play(objective)
    assert best["value"] == value
    assert scratch()[0]["work"][0]["nodes"] < most_nodes
    for action in best["actions"]:
        position = position.apply(action)


def test_a_player_is_content_with_the_best_end_of_so_many_nodes() -> None:
    position = Position.from_dict(
        {
            "rules": "rami500",
            "override": DOUBLED,
            "hands": [OPENED.split(), ["3C"]],
            "stock": ["3D"],
            "phase": "play",
        }
    )
    work = scratch()["work"][0]
    work["patience"] = 2_000
    try:
        content = position.best_play("score")
        assert work[0]["nodes"] == 2_001
        assert 200 < content["value"] < 413
        for action in content["actions"]:
            position = position.apply(action)
    finally:
        work["patience"] = 0


def test_a_player_without_patience_has_an_end_where_there_is_one() -> None:
    # The random player of variant 50006129 had looked at 65,536 nodes, and stopped the run.
    position = Position.from_dict(
        {
            "rules": "rami51",
            "hands": [UNOPENED.split(), ["3C"]],
            "stock": ["3S"],
            "phase": "play",
            "must_use": "KH",
        }
    )
    value = position.best_play("points")["value"]
    work = scratch()["work"][0]
    work["patience"] = 1
    try:
        content = position.best_play("points")
        assert work[0]["nodes"] > 1
        assert 0 < content["value"] <= value
        for action in content["actions"]:
            position = position.apply(action)
    finally:
        work["patience"] = 0


@njit
def _some_legal(seens: Any, hiddens: Any, rules: Any, rows: Any, boxes: Any) -> Any:
    return finish.list_some_legal(seens[0], hiddens[0], rules, rows, boxes[0])


def test_of_more_actions_than_there_is_room_for_the_first_are_legal() -> None:
    # They were listed before it was asked whether the turn could be completed after them.
    position = Position.from_dict(
        {
            "rules": "rami500-5p",
            "hands": [LONE_KING.split(), *[[]] * 4],
            "stock": ["3S"],
            "phase": "play",
            "must_use": "KS",
        }
    )
    legal = position.legal_actions()
    rows = np.zeros((40, state.ROW), np.int16)
    arrays = position._seen, position._hidden, position.rules.record()
    n = _some_legal(*arrays, rows, scratch())
    assert len(legal) > len(rows) >= n > 0
    listed = [action_of_row(row, position._seen[0]) for row in rows[:n]]
    assert [action for action in listed if action not in legal] == []
    # Not among them: those that take a joker, for the king needs both.
    assert n < len(rows)


def test_whether_a_card_from_deep_can_be_used_is_soon_known() -> None:
    # For the king at the bottom all that can be made of the lower cards was tried first: minutes.
    position = Position.from_dict(
        {
            "rules": "rami500",
            "override": FROM_DEEP,
            "hands": [HELD.split(), []],
            "discard": PILE.split(),
            "stock": ["4S"],
            "phase": "draw",
        }
    )
    held = HELD.split()
    expected = [{"op": "draw_stock"}, {"op": "draw_discard", "n": 1}]
    for n, card in enumerate(reversed(PILE.split()), 1):
        held.append(card)
        if n > 1 and _melds_with(card, held):
            expected.append({"op": "draw_discard", "n": n})
    assert position.legal_actions() == expected
    assert scratch()[0]["work"][0]["nodes"] < 1_000


def _melds_with(card: str, held: Sequence[str]) -> bool:
    """Whether some set or run of three holds the card; the ace stands above the king."""
    at = RANKS.index(card[0]) or 13
    places = {RANKS.index(other[0]) or 13 for other in held if other[1] == card[1]}
    runs = [set(range(low, low + 3)) for low in range(at - 2, at + 1)]
    suits = {other[1] for other in held if other[0] == card[0]}
    return len(suits) >= 3 or any(run <= places for run in runs)


@pytest.mark.parametrize(
    ("seed", "among", "turns"),
    [
        # One question took minutes in each: for want of patience (500257), where the card that
        # must be used is the last one (20005910), and where sets alone cannot open (20007523).
        (500257, ["random", "first-legal", "greedy"], 100),
        (20005910, [], 500),
        (20007523, [], 100),
    ],
)
def test_hands_of_dozens_of_cards_are_played_on(seed: int, among: list[str], turns: int) -> None:
    played = Played()
    play_variant(seed, played, 13, among)
    assert played.turns > turns
