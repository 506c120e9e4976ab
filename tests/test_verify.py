"""Records that are right, and what `verify` says of those that are not."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import naive
from naive_cards import deck, load_rules
from naive_games import random_record
from ramisim.errors import IllegalAction, RecordError
from ramisim.position import Position
from ramisim.record import verify_file, verify_game

Line = dict[str, Any]
OVERRIDE = {
    "deal.hand_size": 2,
    "discard.final": "optional",
    "score.multi_out": "lowest_discard",
    "round.max_turns_per_player": 1,
    "match.target": 12,
    "match.tie_break": "extra_round",
}


def stock_of(drawn: list[str], dealt: list[str]) -> list[str]:
    left = deck(load_rules("rami500"))
    left.subtract([*drawn, *dealt])
    return [*drawn, *left.elements()]


def a_tie_broken_below_the_target() -> list[Line]:
    """Both go out with twelve points, the target; in the round that follows both lose points."""
    header = {"record": 1, "engine": "1", "rules": "rami500", "override": OVERRIDE, "players": 2}
    header |= {"seed": 1, "deal": 0, "rotation": 0, "strategies": ["greedy", "greedy"]}
    hands = [["4C", "4D"], ["3S", "4S"]]
    melds = [("set", ["4C", "4D", "4H"]), ("run", ["3S", "4S", "5S"])]
    tied: Line = {"round": 0, "first_seat": 0, "hands": hands, "discard": ["KC"]}
    tied["stock"] = stock_of(["4H", "5S"], ["4C", "4D", "3S", "4S", "KC"])
    tied["turns"] = [
        {
            "seat": seat,
            "actions": [
                {"op": "draw_stock"},
                {"op": "lay", "type": kind, "cards": cards},
                {"op": "discard", "card": None},
            ],
        }
        for seat, (kind, cards) in enumerate(melds)
    ]
    tied |= {"end": "out", "out": [0, 1], "rami": True, "points": [12, 12], "totals": [12, 12]}
    broken: Line = {"round": 1, "first_seat": 1, "hands": [["2C", "3C"], ["5C", "6C"]]}
    broken |= {"discard": ["KC"], "stock": stock_of(["9H", "9S"], ["2C", "3C", "5C", "6C", "KC"])}
    broken["turns"] = [
        {"seat": seat, "actions": [{"op": "draw_stock"}, {"op": "discard", "card": card}]}
        for seat, card in ((1, "9H"), (0, "9S"))
    ]
    broken |= {"end": "stall", "out": [], "rami": False, "points": [-5, -11], "totals": [7, 1]}
    return [header, tied, broken, {"end": "game", "totals": [7, 1], "winners": [0]}]


def test_a_tie_at_the_target_is_over_once_it_is_broken_though_below_the_target() -> None:
    record = a_tie_broken_below_the_target()
    assert naive.verify(record) == 1
    verify_game(record)
    early = [*record[:2], {"end": "game", "totals": [12, 12], "winners": [0, 1]}]
    with pytest.raises(RecordError, match="stops before its end"):
        verify_game(early)
    shared = copy.deepcopy(early)
    shared[0]["override"]["match.tie_break"] = "shared"
    verify_game(shared)


def test_the_match_goes_on_while_the_highest_total_is_shared() -> None:
    record = a_tie_broken_below_the_target()
    record[2] |= {"points": [-5, -5], "totals": [7, 7], "hands": [["2C", "3C"], ["2D", "3D"]]}
    record[2]["stock"] = stock_of(["9H", "9S"], ["2C", "3C", "2D", "3D", "KC"])
    record[3] |= {"totals": [7, 7], "winners": [0, 1]}
    with pytest.raises(RecordError, match="stops before its end"):
        verify_game(record)


@pytest.mark.parametrize(
    ("at", "value"),
    [
        ((0, "players"), "x"),
        ((0, "players"), True),
        ((0, "strategies"), ["greedy"]),
        ((0, "strategies"), 1.5),
        ((0, "rules"), 5),
        ((0, "override"), 5),
        ((1,), ["round"]),
        ((1, "turns", 0, "actions", 0), ["draw_stock"]),
        ((1, "turns", 0, "actions", 0), None),
        ((1, "turns", 0, "actions", 0, "op"), ["draw_stock"]),
        ((1, "turns", 0), 5),
        ((1, "hands"), None),
    ],
    ids=str,
)
def test_a_record_of_wrong_shape_is_refused_in_a_sentence(at: tuple[Any, ...], value: Any) -> None:
    record: Any = random_record("rami500", {"match.target": 60, "match.max_rounds": 2}, 3, 4)
    verify_game(record)
    place = record
    for step in at[:-1]:
        place = place[step]
    place[at[-1]] = value
    with pytest.raises(RecordError):
        verify_game(record)


def test_a_card_that_is_none_is_refused_with_its_place(tmp_path: Path) -> None:
    record: Any = random_record("rami500", {"match.max_rounds": 1}, 3, 4)
    record[1]["hands"][0][0] = 7
    file = tmp_path / "games.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in record))
    with pytest.raises(
        RecordError, match=r"games\.jsonl, game 1: round 0, hand 0: a card is a text"
    ):
        verify_file(file)


def test_a_line_that_is_too_deep_is_no_record(tmp_path: Path) -> None:
    file = tmp_path / "deep.jsonl"
    file.write_text("[" * 100_000)
    with pytest.raises(RecordError, match="line 1: not a line of JSON"):
        verify_file(file)


def test_what_is_no_action_is_refused() -> None:
    position = Position.from_dict({"hands": [["7H"], ["4C"]], "stock": ["2C"]})
    for action in ("draw_stock", None, ["draw_stock"], {}, {"op": ["draw_stock"]}):
        with pytest.raises(IllegalAction):
            position.apply(action)  # type: ignore[arg-type]
