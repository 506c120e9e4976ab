"""Checking a strategy: legal, deterministic, blind to hidden cards, and how fast, by preset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import monotonic, thread_time
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

__all__ = ["Step", "Verdict", "against_foe", "check_preset", "check_strategy", "seatings_of"]

Step = Callable[[int, float], None]
SECONDS_A_GAME: Final = 60.0
"""Seconds that a game of a compiled strategy may take: it takes milliseconds."""

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
    given: Any,
    told: Callable[[int, int], None] | None = None,
    presets: list[str] | None = None,
    patience: float = SECONDS_A_GAME,
) -> list[Verdict]:
    """Play a strategy through the presets.

    A strategy that is named by text is played in a process of its own, which is ended where a
    game does not end; what comes behind it is then not played.

    Parameters
    ----------
    given : str, Strategy or object
        See `ramisim.strategies.as_strategy`.
    told : callable, optional
        Is given the number of games done, and of all.
    presets : list of str, optional
        Instead of all.
    patience : float
        Seconds that a game of a compiled strategy may take; each answer of plain Python has a
        time limit of its own (`ramisim.time_limit`).
    """
    from ramisim.strategy.apart import verdicts_apart

    strategy = as_strategy(given)
    names = preset_names() if presets is None else presets
    games = [Rules.load(name).number("players.min") * _DEALS[strategy.compiled] for name in names]
    apart = isinstance(given, str)
    source = verdicts_apart(given, names, patience) if apart else _verdicts(strategy, names)
    verdicts = []
    if told is not None:
        told(0, sum(games))
    for number, verdict in enumerate(source, 1):
        verdicts.append(verdict)
        if told is not None:
            told(sum(games[:number]), sum(games))
    return verdicts


def _verdicts(strategy: Strategy, presets: list[str]) -> Iterator[Verdict]:
    for name in presets:
        yield check_preset(strategy, name)


def seatings_of(rules: Rules) -> npt.NDArray[np.int8]:
    """Strategy 0 in every seat, strategy 1 in all others."""
    seats = rules.number("players.min")
    return np.array([[int(s != r) for s in range(seats)] for r in range(seats)], np.int8)


def against_foe(strategy: Strategy, rules: Rules) -> Engine:
    """The engine of a check: a strategy and the one it is checked against."""
    return Engine(rules, [strategy, as_strategy(_FOE)], 1)


def check_preset(strategy: Strategy, preset: str, step: Step = lambda deal, more: None) -> Verdict:
    """Play a strategy through one preset.

    Parameters
    ----------
    strategy : Strategy
    preset : str
    step : callable
        Is told each deal before it is played, and how many seconds more than one game what comes
        may take.
    """
    rules = Rules.load(preset)
    table = seatings_of(rules)
    deals = _DEALS[strategy.compiled]
    engine = against_foe(strategy, rules)
    problem, seconds, asked = "", 0.0, 0
    try:
        begun = monotonic()
        # From the last deal to the first: the same games as in their order?
        alone = [_alone(engine, deal, table, step) for deal in reversed(range(deals))]
        step(0, 3.0 * (monotonic() - begun))
        begun_cpu = thread_time()
        games, rounds = engine.play(0, deals, table, rounds=True)
        seconds = thread_time() - begun_cpu
        problem = _differs(reversed(alone), games, rounds)
        step(0, _LOOKS)
        found, asked = _peeks(engine, table[0])
        problem = problem or found or _uncompiled(strategy, preset, table)
    except StrategyError as error:
        problem = str(error)
    base = Engine(rules, [as_strategy(_FOE)] * 2, 1)
    base.play(0, 1, table)
    begun_cpu = thread_time()
    base.play(0, deals, table)
    own = thread_time() - begun_cpu
    return Verdict(preset, table.shape[1], problem, deals * len(table), seconds, own, asked)


def _alone(engine: Engine, deal: int, table: Any, step: Step) -> tuple[Any, Any]:
    step(deal, 0.0)
    return engine.play(deal, 1, table, rounds=True)


def _differs(alone: Iterable[tuple[Any, Any]], games: Any, rounds: Any) -> str:
    """Whether deals played one by one, from the last, came out otherwise than in their order."""
    for deal, (again, of_rounds) in enumerate(alone):
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
