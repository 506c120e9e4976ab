"""Records with one node replaced or gone: accepted where nothing changes, else told in words."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from naive_games import random_record
from ramisim.errors import RecordError
from ramisim.verifying import verify_game

Way = tuple[Any, ...]
OTHERS: list[Any] = [None, 0, "", [], {}, True, False, "x", 1.5, [True], [None], [[]], {"x": []}]
# What a game does not need to be replayed, and may hold another value of the same type.
FREE = {"engine", "seed", "deal", "rotation", "strategies", "override", "reason"}
# An exception, or the name of a Python class, in a text for users.
PYTHON = re.compile(r"Error\b|Exception|NoneType|<class|\b(dict|int|str|bool|float|tuple)\b")
DATA = Path(__file__).parent / "data" / "examples.json"
RECORDS: dict[str, Any] = {
    case["id"]: case["record"]
    for case in json.loads(DATA.read_text(encoding="utf-8"))
    if "record" in case
}


def short(record: Any) -> Any:
    """The same game, stopped by an answer in its second turn."""
    stopped = copy.deepcopy(record[:2])
    for name in ("out", "rami", "points", "totals"):
        del stopped[1][name]
    stopped[1]["turns"] = stopped[1]["turns"][:2]
    stopped[1]["end"] = None
    return [*stopped, {"end": "refused", "seat": 0, "reason": "it is not in the hand"}]


def ways(node: Any, way: Way = ()) -> Iterator[Way]:
    """The way to each node of a record; of a list of many cards only to its first two."""
    if way:
        yield way
    if isinstance(node, dict):
        for key, child in node.items():
            yield from ways(child, (*way, key))
    elif isinstance(node, list):
        few = len(node) if not node or isinstance(node[0], dict | list) else 2
        for k, child in enumerate(node[:few]):
            yield from ways(child, (*way, k))


def changed(record: Any, way: Way, value: Any) -> Any:
    """A record with another value at a node; without the node where the value is ``...``."""
    others = list(record)
    others[way[0]] = copy.deepcopy(record[way[0]])
    place: Any = others
    for step in way[:-1]:
        place = place[step]
    if value is ...:
        del place[way[-1]]
    else:
        place[way[-1]] = value
    return others


def is_same(one: Any, other: Any) -> bool:
    return json.dumps(one) == json.dumps(other)


def node_of(record: Any, way: Way) -> Any:
    for step in way:
        record = record[step]
    return record


def refusal(record: Any) -> str | None:
    try:
        verify_game(record)
    except RecordError as error:
        return str(error)
    return None


def check(record: Any, way: Way, value: Any) -> None:
    """Accepted where nothing is said, or another thing that is free; else refused in words."""
    node = node_of(record, way)
    same = value is not ... and is_same(node, value)
    told = refusal(changed(record, way, value))
    if told is not None:
        assert not same, (way, value, told)
        assert not PYTHON.search(told), (way, value, told)
        assert "\n" not in told
    elif record[-1]["end"] == "refused" and value in ([], ...) and {"turns", "actions"} & set(way):
        pass  # it was stopped earlier
    elif value is ...:
        assert (FREE - {"strategies", "reason"}) & set(way) or way[-1] == "end", way
    elif not same:
        assert type(value) is type(node), (way, value)
        assert FREE & set(way), (way, value)


@pytest.mark.parametrize(
    ("name", "stopped"),
    [
        ("R12", False),
        ("R08", True),
        pytest.param("R08", False, marks=pytest.mark.slow),
        pytest.param("R10", False, marks=pytest.mark.slow),
    ],
)
def test_each_node_replaced_or_gone_is_accepted_as_the_same_or_refused_in_words(
    name: str, stopped: bool
) -> None:
    record = short(RECORDS[name]) if stopped else RECORDS[name]
    verify_game(record)
    found = list(ways(record))
    assert len(found) > 40
    for way in found:
        for value in [*OTHERS, ...]:
            check(record, way, value)


def test_a_recycling_replaced_is_refused_in_words() -> None:
    flips: dict[str, Any] = {
        "deal.hand_size": 13,
        "round.stock_end": "recycle",
        "round.recycle": "flip",
    }
    flips |= {"round.max_turns_per_player": 50, "match.max_rounds": 1}
    record: Any = random_record("rami500", flips, 2, 0)
    verify_game(record)
    turns = record[1]["turns"]
    k = next(k for k, turn in enumerate(turns) if "recycle" in turn)
    for way in ((1, "turns", k), (1, "turns", k, "recycle"), (1, "turns", k, "recycle", 0)):
        for value in [*OTHERS, ...]:
            check(record, way, value)
    with pytest.raises(RecordError, match=f"round 0, turn {k}: 'recycle' stands alone"):
        verify_game(changed(record, (1, "turns", k, "seat"), 0))


@pytest.mark.parametrize(
    ("way", "value", "sentence"),
    [
        ((0, "record"), True, "begins with a line whose 'record' is 1"),
        (
            (0, "override"),
            [],
            "the first line: 'override' is []: an object, values by key, is need",
        ),
        ((0, "players"), ..., "the first line: 'players' is missing: a whole number is needed"),
        ((0, "seed"), None, "the first line: 'seed' is null: a whole number from 0 on is needed"),
        ((1, "first_seat"), None, "round 0: 'first_seat' is null: a seat, 0 to 2, is needed"),
        ((1, "hands", 1), None, "round 0: 'hands' is [["),
        ((1, "hands", 1, 0), None, "round 0, hand 1: a card is a text like 7H, TD or Jk, not null"),
        ((1, "turns", 1, "seat"), ..., "round 0, turn 1: 'seat' is missing: a seat, 0 to 2, is"),
        ((1, "turns", 1, "actions", 0, "op"), ..., "turn 1, action 0 {}: 'op' is missing: one of"),
        ((1, "out"), "", "round 0: 'out' is \"\": a list of seats is needed"),
        ((1, "out"), [True], "round 0: 'out' is [true]: a list of seats is needed"),
        ((1, "points", 0), False, "a list of whole numbers is needed"),
        (
            (1, "end"),
            [],
            "round 0: 'end' is []: one of out, stock, blocked, tours, stall is needed",
        ),
        ((2, "winners"), [True], "the last line: 'winners' is [true]: a list of seats is needed"),
        ((2, "end"), ..., "the record has no end line: its 'end' is game, or refused"),
    ],
    ids=str,
)
def test_the_sentence_says_where_what_is_found_and_what_is_needed(
    way: Way, value: Any, sentence: str
) -> None:
    with pytest.raises(RecordError, match=re.escape(sentence)):
        verify_game(changed(RECORDS["R08"], way, value))


def test_what_is_no_game_or_no_card_is_told_in_a_line() -> None:
    others: list[Any] = [None, 5, "x", {}, [None], []]
    for lines in others:
        assert refusal(lines) is not None
    told = refusal(changed(RECORDS["R12"], (1, "hands", 0, 0), "10" * 3000))
    assert told is not None
    assert len(told) < 250
