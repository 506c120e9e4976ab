"""Measuring on a machine that others use too.

A rate is taken in many short slices of processor time of the thread, so that a neighbour who
takes the core in between does not count. What is to be compared takes turns, slice by slice, and
the ratio is the median of the ratios of slices that stand next to each other.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import thread_time
from typing import TypeAlias

__all__ = ["Rates", "Work", "alternate", "rate", "ratio"]

Work: TypeAlias = Callable[[], float]
"""Does some work, checks it, and returns how many units that was."""

SLICE = 0.05
"""Seconds that a slice lasts at least: a thousand times the clock's step and a call's cost."""


@dataclass(frozen=True)
class Rates:
    """Units a second of each slice, in the order of the slices."""

    slices: tuple[float, ...]

    @property
    def median(self) -> float:
        """The rate to report."""
        return statistics.median(self.slices)

    @property
    def best(self) -> float:
        """The rate of the slice that was disturbed least."""
        return max(self.slices)


def rate(work: Work, seconds: float, clock: Callable[[], float] = thread_time) -> Rates:
    """Units a second of some work, measured for that many seconds."""
    return alternate({"": work}, seconds, clock)[""]


def alternate(
    works: Mapping[str, Work], seconds: float, clock: Callable[[], float] = thread_time
) -> dict[str, Rates]:
    """Rates of several works that take turns.

    Parameters
    ----------
    works : mapping of str to callable
        Each returns the units it has done.
    seconds : float
        Seconds for each; three slices at least.
    clock : callable
        ``thread_time`` for work of one thread, ``perf_counter`` for work of many.

    Returns
    -------
    dict of str to Rates
        As many slices for each.
    """
    for work in works.values():
        work()
    slices: dict[str, list[float]] = {name: [] for name in works}
    spent = 0.0
    enabled = gc.isenabled()
    gc.disable()
    try:
        while spent < seconds * len(works) or len(slices[next(iter(works))]) < 3:
            for name, work in works.items():
                taken, units = _slice(work, min(SLICE, seconds / 3), clock)
                slices[name].append(units / taken)
                spent += taken
    finally:
        if enabled:
            gc.enable()
    return {name: Rates(tuple(found)) for name, found in slices.items()}


def _slice(work: Work, seconds: float, clock: Callable[[], float]) -> tuple[float, float]:
    units, begun = 0.0, clock()
    while True:
        units += work()
        taken = clock() - begun
        if taken >= seconds:
            return taken, units


def ratio(fast: Rates, slow: Rates) -> float:
    """How many times as fast, from slices that stood next to each other."""
    return statistics.median(a / b for a, b in zip(fast.slices, slow.slices, strict=True))
