"""Games between strategies: legal by both engines, the same rows however they are played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import naive
from ramisim.engine import Engine
from ramisim.errors import RecordError, RunError, StrategyError
from ramisim.kernels import state
from ramisim.kernels.strategies import heuristic
from ramisim.record import play_games, read_games, verify_game, write_games
from ramisim.rules import Rules
from ramisim.strategies import _DEFAULTS, resolve, split_names, strategy_names

NAMES = strategy_names()
PRESETS = [("rami500", 2), ("rami500-quick", 4), ("rami", 3), ("pool500", 2), ("rami51", 2)]


def seatings(n: int) -> np.ndarray:
    return np.array([[(i + r) % n for i in range(n)] for r in range(n)], np.int8)


def test_parameters_stand_in_the_order_of_the_kernels() -> None:
    assert tuple(_DEFAULTS) == heuristic.PARAMS


@pytest.mark.parametrize(("preset", "seats"), PRESETS)
def test_records_hold_in_both_engines(preset: str, seats: int) -> None:
    rules = Rules.load(preset, {"match.max_rounds": 2})
    for k in range(len(NAMES)):
        names = [NAMES[(k + i) % len(NAMES)] for i in range(seats)]
        for game in play_games(rules, names, seats, 11, 2):
            verify_game(game)
            naive.verify(game)


@pytest.mark.slow
def test_twenty_thousand_records_hold() -> None:
    rules = Rules.load("rami500-quick")
    for seats in (2, 3, 4):
        for k in range(len(NAMES)):
            names = [NAMES[(k + i) % len(NAMES)] for i in range(seats)]
            for game in play_games(rules, names, seats, 23, 100):
                verify_game(game)


@pytest.mark.parametrize(
    ("first", "number", "table"),
    [
        (0, 1, [[0, 2]]),
        (0, 1, [[0, -1]]),
        (0, 1, [0, 1]),
        (0, 1, [[0.0, 1.0]]),
        (0, 1, np.zeros((0, 2), np.int8)),
        (0.5, 1, [[0, 1]]),
        (-1, 1, [[0, 1]]),
        (0, -1, [[0, 1]]),
    ],
)
def test_what_the_kernels_would_not_check_is_refused(first: Any, number: Any, table: Any) -> None:
    engine = Engine(Rules.load("rami500-quick"), [resolve("greedy"), resolve("random")], 5)
    with pytest.raises(RunError):
        engine.play(first, number, table)
    with pytest.raises(RunError, match=r"seed is 1\.5"):
        Engine(Rules.load("rami500-quick"), [resolve("greedy")], 1.5)  # type: ignore[arg-type]


def test_rows_do_not_depend_on_the_chunks() -> None:
    rules = Rules.load("rami500-quick")
    engine = Engine(rules, [resolve("greedy"), resolve("random")], 5)
    whole, rounds = engine.play(0, 12, seatings(2), True, True)
    parts = [engine.play(d, 3, seatings(2), True, True) for d in (0, 3, 6, 9)]
    assert np.array_equal(whole, np.concatenate([games for games, _ in parts]))
    assert rounds is not None
    assert np.array_equal(rounds, np.concatenate([r for _, r in parts if r is not None]))


@pytest.mark.parametrize("name", NAMES)
def test_a_strategy_against_itself_differs_by_nothing_on_each_deal(name: str) -> None:
    engine = Engine(Rules.load("rami500-quick"), [resolve(name), resolve(name)], 9)
    games, _ = engine.play(0, 20, seatings(2))
    for deal in range(20):
        rows = games[games["deal"] == deal]
        by_strategy = [rows["points"][rows["strategy"] == k].sum() for k in (0, 1)]
        assert by_strategy[0] == by_strategy[1]


def test_better_strategies_win() -> None:
    engine = Engine(Rules.load("rami500-quick"), [resolve("greedy"), resolve("random")], 1)
    games, _ = engine.play(0, 200, seatings(2))
    greedy = games["points"][games["strategy"] == 0].mean()
    assert greedy > games["points"][games["strategy"] == 1].mean() + 50


def test_points_of_rounds_add_up_to_those_of_games() -> None:
    engine = Engine(Rules.load("rami"), [resolve("greedy"), resolve("patient")], 3)
    games, rounds = engine.play(0, 10, seatings(2), True, True)
    assert rounds is not None
    for game in games:
        of_game = (
            (rounds["deal"] == game["deal"])
            & (rounds["rotation"] == game["rotation"])
            & (rounds["seat"] == game["seat"])
        )
        assert rounds["points"][of_game].sum() == game["points"]
        assert rounds["turns"][of_game].sum() == game["turns"]
        assert of_game.sum() == game["rounds"]


def test_a_refused_answer_names_strategy_deal_and_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba import njit

    from ramisim.kernels.asking import DISCARD_SIGNATURE
    from ramisim.strategies import Strategy

    @njit(DISCARD_SIGNATURE)
    def throws_what_it_does_not_hold(seen, hand, rules, params, key, box):  # type: ignore[no-untyped-def]
        card = 0
        for c in range(52):
            b = np.uint64(1) << np.uint64(16 * (c // 13) + c % 13)
            if not hand.once & b:
                card = c
        return card

    honest = resolve("greedy").functions()
    cheat = (honest[0], honest[1], throws_what_it_does_not_hold)
    monkeypatch.setattr(
        Strategy, "functions", lambda self: cheat if self.name.startswith("careful") else honest
    )
    engine = Engine(Rules.load("rami500"), [resolve("greedy"), resolve("careful")], 1)
    with pytest.raises(StrategyError, match="strategy careful in seat 1, deal 4") as refused:
        engine.play(4, 1, seatings(2))
    assert "is not in the hand" in str(refused.value)
    assert refused.value.record[0]["deal"] == 4


def test_a_record_with_one_card_changed_is_refused(tmp_path: Path) -> None:
    games = play_games(Rules.load("rami500-quick"), ["greedy", "random"], 2, 7, 1)
    path = tmp_path / "games.jsonl"
    write_games(path, games)
    (game,) = read_games(path)
    verify_game(game)
    game[1]["hands"][0][0] = "7H" if game[1]["hands"][0][0] != "7H" else "8H"
    with pytest.raises(RecordError):
        verify_game(game)


@pytest.mark.parametrize("text", ["gredy", "greedy:color=1", "greedy:keep=x", "random:keep=1"])
def test_unknown_strategies_and_parameters_are_refused(text: str) -> None:
    with pytest.raises(StrategyError):
        resolve(text)


def test_names_keep_their_parameters() -> None:
    assert split_names("a,b:x=1,y=2,c") == ["a", "b:x=1,y=2", "c"]


def test_a_copy_of_the_public_record_has_every_field() -> None:
    from ramisim.kernels.copies import copy_seen

    source, target = np.zeros(1, state.SEEN), np.zeros(1, state.SEEN)
    random = np.random.default_rng(1)
    for name in state.SEEN.names or ():
        shape = source[name].shape
        source[name] = random.integers(1, 100, shape)
    for name, value in (("n_seats", 8), ("n_melds", 36), ("n_discard", 112), ("meld_size", 16)):
        source[name] = value
    copy_seen(source[0], target[0])
    for name in state.SEEN.names or ():
        assert np.array_equal(source[name], target[name]), name


def test_a_deal_of_a_run_is_replayed_as_it_was_played(tmp_path: Path) -> None:
    """The report prints this command for its extreme deals; once it did not exist."""
    from ramisim import simulate
    from ramisim.errors import RunError
    from ramisim.record import replay_deal

    out = tmp_path / "run"
    simulate(Rules.load("rami500-quick"), "greedy,random", 3, seed=5, out=out, threads=1)
    played, _ = Engine(Rules.load("rami500-quick"), [resolve("greedy"), resolve("random")], 5).play(
        2, 1, seatings(2)
    )
    for rotation in (0, 1):
        lines = replay_deal(out, 2, rotation)
        verify_game(lines)
        rows = played[played["rotation"] == rotation]
        assert lines[-1]["totals"] == rows["points"].tolist()
    for deal, rotation in ((3, 0), (0, 2)):
        with pytest.raises(RunError):
            replay_deal(out, deal, rotation)


def test_first_legal_opens_after_a_swap_that_leaves_nothing_else() -> None:
    """Once it played its last swap again, when an opening alone could complete the turn."""
    rules = Rules.load(
        "rami51",
        {"joker.swap_needs_opening": False, "opening.points": 39, "opening.needs_run": False,
         "deck.jokers": 8, "draw.discard": "none", "match.max_rounds": 2},
    )  # fmt: skip
    opened = 0
    for game in play_games(rules, ["greedy", "first-legal"] * 2, 4, 2, 40):
        for line in game[1:-1]:
            for turn in line["turns"]:
                ops = [action["op"] for action in turn.get("actions", ())]
                if turn.get("seat", 0) % 2 and "open" in ops:
                    opened += "swap" in ops[: ops.index("open")]
    assert opened > 0
