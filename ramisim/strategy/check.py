"""Checking a strategy: legal, deterministic, blind to hidden cards, and how fast, by preset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import thread_time
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ramisim.driver import Match, Refused
from ramisim.engine import Engine, Workspace
from ramisim.errors import StrategyError
from ramisim.rules import Rules, preset_names
from ramisim.strategies import Strategy, as_strategy
from ramisim.strategy.blind import Blind
from ramisim.strategy.user import UserStrategy

__all__ = ["Verdict", "check_strategy"]

_FOE: Final = "greedy"
_DEALS: Final = {True: 40, False: 2}
"""Deals of a preset: compiled, plain Python."""
_LOOKS: Final = 60
"""Turns of a match whose questions are asked again with other hidden cards."""


@dataclass(frozen=True)
class Verdict:
    """What one preset showed.

    Parameters
    ----------
    preset : str
    seats : int
    problem : str
        The first thing that is wrong; empty where there is none.
    games, seconds : int, float
        Games against ``greedy``, and the time they took.
    own_seconds : float
        What the same number of games takes among ``greedy``.
    asked : int
        Questions asked a second time with other hidden cards.
    """

    preset: str
    seats: int
    problem: str
    games: int
    seconds: float
    own_seconds: float
    asked: int


def check_strategy(
    given: Any, told: Callable[[int, int], None] | None = None, presets: list[str] | None = None
) -> list[Verdict]:
    """Play a strategy through the presets.

    Parameters
    ----------
    given : str, Strategy or object
        See `ramisim.strategies.as_strategy`.
    told : callable, optional
        Is given the number of games done, and of all.
    presets : list of str, optional
        Instead of all.
    """
    strategy = as_strategy(given)
    names = preset_names() if presets is None else presets
    games = [Rules.load(name).number("players.min") * _DEALS[strategy.compiled] for name in names]
    verdicts = []
    for number, name in enumerate(names):
        if told is not None:
            told(sum(games[:number]), sum(games))
        verdicts.append(_check(strategy, name))
    return verdicts


def _check(strategy: Strategy, preset: str) -> Verdict:
    rules = Rules.load(preset)
    seats = rules.number("players.min")
    table = np.array([[int(s != r) for s in range(seats)] for r in range(seats)], np.int8)
    deals = _DEALS[strategy.compiled]
    engine = Engine(rules, [strategy, as_strategy(_FOE)], 1)
    problem, seconds, asked = "", 0.0, 0
    try:
        engine.play(0, 1, table)  # the first game loads what is compiled
        begun = thread_time()
        games, rounds = engine.play(0, deals, table, rounds=True)
        seconds = thread_time() - begun
        problem = _differs(engine, table, deals, games, rounds)
        found, asked = _peeks(engine, table[0])
        problem = problem or found or _uncompiled(strategy, preset, table)
    except StrategyError as error:
        problem = str(error)
    base = Engine(rules, [as_strategy(_FOE)] * 2, 1)
    base.play(0, 1, table)
    begun = thread_time()
    base.play(0, deals, table)
    own = thread_time() - begun
    return Verdict(preset, seats, problem, deals * len(table), seconds, own, asked)


def _differs(engine: Engine, table: Any, deals: int, games: Any, rounds: Any) -> str:
    """Whether the same deals, played again one by one from the last, come out otherwise."""
    for deal in reversed(range(deals)):
        again, of_rounds = engine.play(deal, 1, table, rounds=True)
        assert of_rounds is not None
        same = np.array_equal(again, games[games["deal"] == deal])
        if not same or not np.array_equal(of_rounds, rounds[rounds["deal"] == deal]):
            return f"not deterministic: deal {deal} was not the same game twice"
    return ""


def _peeks(engine: Engine, seating: npt.NDArray[np.int8]) -> tuple[str, int]:
    """Whether an answer changes with the hidden cards; and how many were asked for."""
    blind = Blind(engine, np.random.default_rng(1))
    found: list[str] = []

    def watch(played: Match) -> None:
        if played.seating[int(played.seen["turn"])] == 0 and blind.asked < 3 * _LOOKS and not found:
            found.extend(blind.differences(played))

    try:
        Match(engine, Workspace(), 0, [int(k) for k in seating]).play(watch)
    except Refused as refused:
        return refused.reason, blind.asked
    return ("sees hidden cards: " + found[0] if found else ""), blind.asked


def _uncompiled(strategy: Strategy, preset: str, table: npt.NDArray[np.int8]) -> str:
    """Whether a compiled strategy of a user's plays otherwise in plain Python: one round."""
    if not isinstance(strategy, UserStrategy):
        return ""
    rules = Rules.load(preset, {"match.max_rounds": 1, "match.tie_break": "shared"})
    both = [
        Engine(rules, [which, as_strategy(_FOE)], 1).play(0, 1, table, rounds=True)
        for which in (strategy, strategy.uncompiled())
    ]
    if all(np.array_equal(*rows) for rows in zip(*both, strict=True)):
        return ""
    return "deal 0 is another game when the functions are not compiled"
