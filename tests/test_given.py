"""What is no use from Python is told in one sentence, whatever it is given for."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ramisim
from fake_engine import FakeEngine
from ramisim import Engine, Position, RamisimError, Rules
from ramisim.compare import compare
from ramisim.given import flag, number, path_of, shown, text, whole_number
from ramisim.planning import plan
from ramisim.tournament import knock_out, tournament

WRONG: tuple[Any, ...] = (
    None, "2", [], [1], ["x"], {"a": 1}, 2.5, -1, math.nan, math.inf, True, 10**30, b"x", object(),
    (1, 2), np.float64(1.5), np.array([1, 2]),
)  # fmt: skip
RULES = Rules.load("rami500")
PAIR: dict[str, Any] = {"rules": "rami500", "strategies": "greedy,careful", "engine": FakeEngine}
HAND: dict[str, Any] = {"hands": [["7S"], ["4C"]], "stock": ["7D"], "discard": ["KH"]}
AT = Position.from_dict(HAND)
BY_SEATS = {"rules": RULES, "strategies": ["greedy", "careful"], "players": 2, "seed": 1}

CALLS: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
    ("simulate", ramisim.simulate, PAIR | {"deals": 1}),
    ("compare", compare, PAIR | {"deals": 2}),
    ("plan", plan, PAIR | {"detect": 50.0, "pilot": 20}),
    ("tournament", tournament, {**PAIR, "deals": 1}),
    ("knock_out", knock_out, {**PAIR, "times": 1}),
    ("best_melds", ramisim.best_melds, {"hand": "5S 6S 7S"}),
    ("best_melds_many", ramisim.best_melds_many, {"hands": ["5S 6S 7S"]}),
    ("enumerate_melds", ramisim.enumerate_melds, {"hand": "5S 6S 7S"}),
    ("enumerate_melds_many", ramisim.enumerate_melds_many, {"hands": ["5S 6S 7S"]}),
    ("card_name", ramisim.card_name, {"code": 5}),
    ("parse_card", ramisim.parse_card, {"text": "7H"}),
    ("parse_hand", ramisim.parse_hand, {"cards": "7H 8H"}),
    ("verify", ramisim.verify, {"path": "nothing.jsonl"}),
    ("Rules.load", Rules.load, {"name_or_path": "rami500"}),
    ("Rules.from_toml", Rules.from_toml, {"text": 'base = "rami500"'}),
    ("Rules.number", RULES.number, {"key": "deck.packs"}),
    ("Rules.check_players", RULES.check_players, {"n": 2}),
    ("Position.from_dict", Position.from_dict, {"data": HAND}),
    ("Position.apply", AT.apply, {"action": {"op": "draw_stock"}}),
    ("Position.refusal", AT.refusal, {"action": {"op": "draw_stock"}}),
    ("Position.perft", AT.perft, {"depth": 1}),
    ("Position.best_play", AT.best_play, {"objective": "points"}),
    ("Position.with_stock", AT.with_stock, {"cards": [1]}),
    ("Engine", Engine, {"rules": RULES, "strategies": ["greedy"], "seed": 0}),
    ("play_games", ramisim.play_games, {**BY_SEATS, "n_games": 1}),
    ("read_games", ramisim.read_games, {"path": "nothing.jsonl"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "given"), CALLS, ids=[name for name, _, _ in CALLS])
def test_whatever_is_given_is_taken_or_refused_in_a_sentence(
    name: str, call: Callable[..., Any], given: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    """They raised TypeError, AttributeError, ValueError and OverflowError from deep inside."""
    monkeypatch.chdir(tmp_path)
    for parameter in inspect.signature(call).parameters:
        if parameter == "options":
            continue
        for wrong in WRONG:
            try:
                found = call(**{**given, parameter: wrong})
                if isinstance(found, Iterator):
                    next(found, None)
            except RamisimError as error:
                said = str(error)
                assert "\n" not in said, (parameter, wrong)
                assert len(said) < 400, (parameter, wrong)


@pytest.mark.parametrize(
    ("call", "given", "said"),
    [
        (compare, {"within": "2"}, "within is '2': a number of points above 0 is allowed"),
        (compare, {"within": math.nan}, "within is nan: a number of points above 0 is allowed"),
        (compare, {"test": 5}, "test is 5: a text is needed"),
        (ramisim.simulate, {"strategies": None, "deals": 1}, "strategies None: names with commas"),
        (ramisim.simulate, {"deals": 1, "out": 5}, "out is 5: the path of a file or folder"),
        (ramisim.simulate, {"deals": 1, "rounds": "no"}, "rounds is 'no': True or False"),
        (ramisim.simulate, {"deals": 1, "progress": 3}, "progress is 3: a Progress is needed"),
        (ramisim.simulate, {"deals": 1, "until": "never"}, "until is 'never': a ramisim.watching"),
        (plan, {"detect": 1.0, "power": 1}, "power is 1: a number between 0 and 1 is allowed"),
        (knock_out, {"times": 1, "entrants": "4"}, "entrants is '4': a whole number from 2"),
    ],
)
def test_what_was_found_and_what_is_allowed_is_told(
    call: Callable[..., Any], given: dict[str, Any], said: str
) -> None:
    with pytest.raises(RamisimError) as refused:
        call(**{**PAIR, **given})
    assert str(refused.value).startswith(said)


def test_games_are_played_seat_by_seat() -> None:
    with pytest.raises(RamisimError, match="2 seats: as many strategies, not 1"):
        next(ramisim.play_games("rami500", "greedy", 2, 1, 1))


def test_a_record_that_is_not_there_is_told(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(ramisim.RecordError, match="cannot be read: "):
            ramisim.verify(path)


def test_what_is_right_is_taken_as_it_is() -> None:
    assert number("x", np.float64(0.5), high=1.0) == 0.5
    assert whole_number("x", np.int64(3), 0, 5) == 3
    assert flag("x", np.bool_(True)) is True
    assert path_of("x", "a/b") == Path("a/b")
    assert text("x", "a") == "a"
    assert len(shown("x" * 1000)) < 60
    with pytest.raises(RamisimError, match="x is True"):
        number("x", True)


@pytest.mark.parametrize("name", ramisim.__all__)
def test_no_module_hides_a_public_name(name: str) -> None:
    """`ramisim.verify` was a module as soon as a module of that name had been imported."""
    assert find_spec(f"ramisim.{name}") is None
