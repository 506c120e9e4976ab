"""Where a round's time goes: the questions of a strategy, and the engine around them.

The strategy's three functions are wrapped in ones that read the processor's cycle counter; they
take the place of the strategy's in a compiled engine that knows nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ramisim.benchmarks.figures import Report, checked
from ramisim.rules import Rules
from ramisim.strategies import resolve

if TYPE_CHECKING:
    from ramisim.benchmarks.suite import Size

__all__ = ["Parts", "parts", "parts_of_a_turn"]

TABLES: Final = (("rami500", 2, "greedy"), ("rami500", 2, "careful"), ("rami51", 2, "greedy"))
SEED: Final = 4
MOST: Final = 3e6
"""Cycles of a question beyond which somebody else had the core: it is left out."""
DRAW, PLAYS, DISCARD, LAYING = 0, 2, 4, 6
"""Places of cycles, each followed by the number of questions; turns in which something is laid."""
_PLACES = 7


@dataclass(frozen=True)
class Parts:
    """A turn by its parts.

    Parameters
    ----------
    draw, plays, discard, engine : float
        Microseconds a turn: the three questions, and dealing, checking and applying.
    laying : float
        Share of turns in which something is laid.
    turns : float
        Turns a round.
    rounds : float
        Rounds a second, the reading of the counter included.
    """

    draw: float
    plays: float
    discard: float
    engine: float
    laying: float
    turns: float
    rounds: float


def parts(report: Report, size: Size) -> None:
    """Microseconds a turn by part."""
    for preset, seats, strategy in TABLES[: 1 if size.tiny else None]:
        with checked(f"parts of {preset}"):
            found = parts_of_a_turn(preset, seats, strategy, 3 * size.seconds)
        whole = found.draw + found.plays + found.discard + found.engine
        for name in ("draw", "plays", "discard", "engine"):
            value = getattr(found, name)
            report.add("parts", f"{preset}, {seats} seats, {strategy}: {name}", value, "us a turn",
                       f"{value / whole:.0%}")  # fmt: skip
        report.add("parts", f"{preset}, {seats} seats, {strategy}: turns", found.turns,
                   "turns a round", f"in {found.laying:.0%} of them something is laid")  # fmt: skip


@cache
def _cycles() -> Any:
    """The processor's cycle counter, for compiled code."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def cycles(typingctx: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = ir.FunctionType(ir.IntType(64), [])
            counter = builder.module.declare_intrinsic("llvm.readcyclecounter", (), kind)
            return builder.call(counter, [])

        return types.int64(), codegen

    return cycles


def _timed(functions: tuple[Any, Any, Any], first: int) -> tuple[Any, Any, Any]:
    """The functions of a strategy with a count of cycles, from ``params[first]`` on."""
    from numba import njit

    from ramisim.kernels.asking import DISCARD_SIGNATURE, DRAW_SIGNATURE, PLAYS_SIGNATURE

    cycles = _cycles()

    @njit
    def note(params: Any, place: Any, begun: Any) -> None:
        taken = float(cycles() - begun)
        if taken < MOST:
            params[first + place] += taken
            params[first + place + 1] += 1

    asked_draw, asked_plays, asked_discard = functions

    @njit(DRAW_SIGNATURE, nogil=True)
    def draw(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any) -> Any:
        begun = cycles()
        answer = asked_draw(seen, hand, rules, params, key, box)
        note(params, DRAW, begun)
        return answer

    @njit(PLAYS_SIGNATURE, nogil=True)
    def plays(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any, rows: Any) -> Any:
        begun = cycles()
        answer = asked_plays(seen, hand, rules, params, key, box, rows)
        note(params, PLAYS, begun)
        params[first + LAYING] += answer > 0
        return answer

    @njit(DISCARD_SIGNATURE, nogil=True)
    def discard(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any) -> Any:
        begun = cycles()
        answer = asked_discard(seen, hand, rules, params, key, box)
        note(params, DISCARD, begun)
        return answer

    return draw, plays, discard


def parts_of_a_turn(preset: str, seats: int, strategy: str, seconds: float) -> Parts:
    """Play for so many seconds and say where they went."""
    from ramisim.engine import Engine

    engine = Engine(Rules.load(preset), [resolve(strategy)], SEED)
    seatings = np.zeros((1, seats), np.int8)
    ref = engine.play(0, 3, seatings)[0]
    first = engine.params.shape[1]
    timed = _timed(resolve(strategy).functions(), first)
    engine.asks = tuple(zip(*([timed] * len(engine.params)), strict=True))
    engine.params = np.hstack([engine.params, np.zeros((len(engine.params), _PLACES))])
    assert (engine.play(0, 3, seatings)[0] == ref).all(), "timed, it plays otherwise"
    engine.params[:, first:] = 0
    deal, turns, rounds = 0, 0, 0
    hertz = _hertz()
    begun = thread_time()
    while thread_time() - begun < seconds:
        rows, _ = engine.play(deal, 200, seatings)
        deal += 200
        turns += int(rows["turns"].sum())
        rounds += int(rows["rounds"][::seats].sum())
    spent = thread_time() - begun
    found = engine.params[0, first:]
    draw, plays, discard = (
        1e6 * found[place] / max(found[place + 1], 1) / hertz for place in (DRAW, PLAYS, DISCARD)
    )
    rest = max(1e6 * spent / turns - draw - plays - discard, 0.0)
    return Parts(draw, plays, discard, rest, found[LAYING] / turns, turns / rounds, rounds / spent)


def _hertz() -> float:
    """Cycles a second of the counter, which runs evenly whatever the processor's speed."""
    from numba import njit

    cycles = _cycles()

    @njit
    def read() -> Any:
        return cycles()

    read()
    begun, at = perf_counter(), read()
    while perf_counter() - begun < 0.05:
        pass
    return float((read() - at) / (perf_counter() - begun))
