"""The worked cases and perft counts, against the engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import naive
from ramisim.errors import IllegalAction, PositionError, RamisimError, RecordError
from ramisim.position import Position
from ramisim.record import verify_game

DATA = Path(__file__).parent / "data"
CASES: list[dict[str, Any]] = json.loads((DATA / "examples.json").read_text(encoding="utf-8"))
PERFT: list[dict[str, Any]] = json.loads((DATA / "perft.json").read_text(encoding="utf-8"))
PLAYED = [case for case in CASES if "record" not in case]
RECORDED = [case for case in CASES if "record" in case]


def names(case: dict[str, Any]) -> str:
    return str(case["id"])


@pytest.mark.parametrize("case", PLAYED, ids=names)
def test_case(case: dict[str, Any]) -> None:
    position = Position.from_dict(case["position"])
    expect, seat, before = case["expect"], position.turn, position.points()
    for i, action in enumerate(case["actions"]):
        unchanged = position.to_dict()
        if i == expect.get("fails_at"):
            with pytest.raises(IllegalAction) as refused:
                position.apply(action)
            assert str(refused.value) == expect["reason"]
            assert position.to_dict() == unchanged
            return
        position = position.apply(action)
    assert expect["legal"]
    data = position.to_dict()
    assert Position.from_dict(data).to_dict() == data
    if "laid_points_delta" in expect:
        delta = [b - a for a, b in zip(before, position.points(), strict=True)]
        assert delta == expect["laid_points_delta"]
    if "hand_after" in expect:
        assert sorted(data["hands"][seat]) == sorted(expect["hand_after"])
    if "score" in expect:
        assert position.score_round() == expect["score"]
    if "over" in expect:
        assert position.is_over() == expect["over"]
    if "out" in expect:
        assert [entry["seat"] for entry in data["out"]] == expect["out"]
    if "rami" in expect:
        assert any(entry["rami"] for entry in data["out"]) == expect["rami"]
    for field in ("end", "turn", "discard", "recycles", "phase", "stock", "tour", "opened"):
        if field in expect:
            assert data[field] == expect[field]


@pytest.mark.parametrize("case", RECORDED, ids=names)
def test_recorded_case(case: dict[str, Any]) -> None:
    verify_game(case["record"])
    with pytest.raises(RecordError):
        verify_game(case["bad_record"])


@pytest.mark.parametrize("case", PERFT, ids=names)
def test_perft(case: dict[str, Any]) -> None:
    position = Position.from_dict(case["position"])
    for depth, count in case["perft"].items():
        assert position.perft(int(depth)) == count
    for listed in case.get("lists", []):
        at = position
        for action in listed["after"]:
            at = at.apply(action)
        assert naive.same_actions(at.legal_actions(), listed["actions"])
        if "openings" in listed:
            assert naive.same_actions(at.openings(), listed["openings"])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"hands": [["7H", "7H"], ["4C"]]}, "7H"),
        ({"hands": [["7X"], ["4C"]]}, "7X"),
        ({"hands": [["7H"], ["4C"]], "stock": ["7H"]}, "7H"),
        ({"hands": [["7H"]] * 9}, "players"),
        ({"hands": [["7H"], ["4C"]], "turn": 2}, "turn"),
        ({"hands": [["7H"], ["4C"]], "colour": 1}, "colour"),
        ({"hands": [["7H"], ["4C"]], "rules": "rami5000"}, "rami5000"),
        ({"hands": [["7H"], ["4C"]], "override": {"deck.packes": 2}}, "deck.packes"),
        ({"rules": "rami500"}, "hands"),
        ({"hands": [["7H"], ["4C"]], "phase": "sleep"}, "sleep"),
        ({"hands": [["7H"], 5]}, "5"),
        ({"hands": [["7H"], ["4C"]], "points": [10**30, 0]}, "points"),
        ({"hands": [["7H"], ["4C"]], "override": 5}, "override"),
        ({"hands": [["7H"], ["4C"]], "override": []}, "override"),
        ({"hands": [["7H"], ["4C"]], "stock": ""}, "stock '': a list is needed"),
        ({"hands": [["7H"], ["4C"]], "table": {}}, "table {}: a list is needed"),
        ({"hands": [["7H"], ["4C"]], "out": False}, "out False: a list is needed"),
    ],
)
def test_a_position_that_cannot_be_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RamisimError, match=sentence):
        Position.from_dict(change)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"to_replay": 1}, "to_replay 1: 0, for joker.recovered is free in these rules"),
        ({"end": "out"}, "end 'out' in phase 'play': null, or phase 'over'"),
        ({"end": "stock", "phase": "draw"}, "end 'stock' in phase 'draw'"),
        ({"phase": "over"}, "phase 'over' without an 'end': one of out, stock, blocked, tours"),
        ({"phase": "over", "end": None}, "phase 'over' without an 'end'"),
    ],
)
def test_a_position_that_contradicts_itself_is_refused(
    change: dict[str, Any], sentence: str
) -> None:
    start: dict[str, Any] = {"hands": [["7H", "Jk"], ["4C"]], "stock": ["2C"], "phase": "play"}
    start["override"] = {"joker.recovered": "free"}
    Position.from_dict(start)
    with pytest.raises(PositionError, match=sentence):
        Position.from_dict(start | change)


def test_a_joker_to_be_replayed_and_a_round_that_is_over_are_read() -> None:
    start: dict[str, Any] = {"hands": [["7H", "Jk"], ["4C"]], "stock": ["2C"], "phase": "play"}
    replayed = {**start, "override": {"joker.recovered": "replay_same_turn"}, "to_replay": 1}
    assert Position.from_dict(replayed).to_dict()["to_replay"] == 1
    assert Position.from_dict({**start, "phase": "over", "end": "stock"}).is_over()


@pytest.mark.parametrize("end", [None, 0, [], {}, False, "", True, "High", ["low"]], ids=repr)
def test_the_end_of_a_lay_off_is_low_or_high_or_left_out(end: Any) -> None:
    run = {"id": "M1", "type": "run", "cards": [["5S", 1], ["6S", 1], ["7S", 1]]}
    start = {"hands": [["8S", "KD", "3C"], ["4C"]], "stock": ["2C"], "phase": "play"}
    position = Position.from_dict({**start, "table": [run]})
    lay_off = {"op": "lay_off", "meld": "M1", "cards": ["8S"]}
    assert position.apply(lay_off) == position.apply({**lay_off, "end": "high"})
    with pytest.raises(IllegalAction, match="low or high, or left out"):
        position.apply({**lay_off, "end": end})


@pytest.mark.parametrize(
    "action",
    [
        {"op": "lay", "type": [], "cards": ["7H", "8H", "9H"]},
        {"op": "lay_off", "meld": "M0", "cards": ["8S"]},
        {"op": "lay_off", "meld": "M" + "9" * 5000, "cards": ["8S"]},
    ],
    ids=["type", "M0", "M999"],
)
def test_an_action_with_a_field_that_is_none_of_its_values_is_refused(
    action: dict[str, Any],
) -> None:
    position = Position.from_dict({"hands": [["8S", "KD"], ["4C"]], "phase": "play"})
    with pytest.raises(IllegalAction):
        position.apply(action)


def test_best_play_needs_phase_play() -> None:
    position = Position.from_dict({"hands": [["7H"], ["4C"]], "stock": ["2C"]})
    with pytest.raises(PositionError, match="draw first"):
        position.best_play("points")


def test_perft_counts_where_more_actions_than_usual_are_legal() -> None:
    """Eight jokers beside a long suit: the room for the actions of a position has to grow."""
    hand = ["Jk"] * 8 + [f"{rank}C" for rank in "2356789TJ"] + ["5D", "6D"]
    position = Position.from_dict(
        {
            "rules": "rami51",
            "override": {"deck.jokers": 8, "players.max": 4},
            "hands": [hand, ["2H"]],
            "phase": "play",
            "opened": [True, False],
            "stock": ["3H", "4H"],
        }
    )
    actions = position.legal_actions()
    assert len(actions) > 4096
    assert position.perft(1) == len(actions)
    drawn = Position.from_dict(
        {**position.to_dict(), "phase": "draw", "hands": [hand[:-1], ["2H"]], "stock": ["6D"]}
    )
    assert drawn.perft(2) == len(actions)


def test_a_take_is_legal_whose_card_needs_a_joker_that_a_completed_set_frees() -> None:
    """4S completes the set, 4C frees its joker, and with that the two sevens are a meld."""
    position = Position.from_dict(
        {
            "rules": "rami500",
            "override": {"joker.set_swap": "complete_only"},
            "hands": [["4C", "4S", "7S", "KD"], ["2H"]],
            "stock": ["TC", "9D"],
            "discard": ["7H", "2D"],
            "table": [
                {"id": "M1", "type": "set", "cards": [["Jk=4C", 1], ["4D", 1], ["4H", 1]]},
            ],
        }
    )
    assert {"op": "draw_discard", "n": 2} in position.legal_actions()
    assert position.perft(3) == naive.perft(position.to_dict(), 3)
    plays: list[dict[str, Any]] = [
        {"op": "draw_discard", "n": 2},
        {"op": "lay_off", "meld": "M1", "cards": ["4S"]},
        {"op": "swap", "meld": "M1", "card": "4C", "joker": "Jk=4C"},
        {"op": "lay", "type": "set", "cards": ["7H", "7S", "Jk=7C"]},
        {"op": "discard", "card": "KD"},
    ]
    for action in plays:
        position = position.apply(action)
