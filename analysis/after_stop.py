"""The estimate after a sequential test on differences: median unbiased, with its interval.

A test stops when the differences have just been large, so the plain mean is too far out. Under a
true effect the log likelihood ratio is nearly a Brownian motion that stops at the bounds; the
effect under which what happened is the median outcome is not biased that way (`brownian`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ramisim.analysis.brownian import worse_outcome
from ramisim.analysis.sequential import Outcome, TSprt
from ramisim.analysis.special import normal_quantile, root

__all__ = ["Stopped", "difference_after_stop"]

REACH = 12.0
"""Standard errors on each side of the plain effect within which the ends are looked for."""


@dataclass(frozen=True)
class Stopped:
    """A difference estimated after a stop, in points.

    Parameters
    ----------
    plain : float
        The plain mean of the deals played: biased outward after a stop at a bound.
    median, low, high : float
        Median unbiased estimate and its interval; the plain mean where there was one look.
    """

    plain: float
    median: float
    low: float
    high: float


def difference_after_stop(outcome: Outcome, test: TSprt, level: float = 0.95) -> Stopped | None:
    """Estimate the mean difference from where and when a test stopped.

    Parameters
    ----------
    outcome : Outcome
        Of `test`.
    test : TSprt
    level : float
        Of the interval.

    Returns
    -------
    Stopped or None
        None before the first look. Without spread the mean is all there is to say.
    """
    if not outcome.path:
        return None
    if outcome.sd == 0:
        return Stopped(outcome.mean, outcome.mean, outcome.mean, outcome.mean)
    if len(outcome.path) == 1:
        # Before the first look nothing could stop: so many deals were always to be played.
        half = normal_quantile((1 + level) / 2) * outcome.sd / math.sqrt(outcome.n)
        return Stopped(outcome.mean, outcome.mean, outcome.mean - half, outcome.mean + half)
    lower, upper = test.bounds
    gap, middle = test.t1 - test.t0, (test.t0 + test.t1) / 2
    effect = outcome.mean / outcome.sd
    reached = outcome.n * gap * (effect - middle)
    # A test that overshot its bound stopped where its path met the bound.
    stopped = min(max(reached, lower), upper)
    time = outcome.n * stopped / reached if reached else float(outcome.n)

    def worse(true: float) -> float:
        return worse_outcome(time, stopped, lower, upper, gap * (true - middle), gap)

    error = 1 / math.sqrt(time)
    low_end, high_end = effect - REACH * error, effect + REACH * error

    def at(quantile: float) -> float:
        return _solved(lambda true: worse(true) - (1 - quantile), low_end, high_end)

    tail = (1 - level) / 2
    median, low, high = (at(q) * outcome.sd for q in (0.5, tail, 1 - tail))
    return Stopped(outcome.mean, median, low, high)


def _solved(function: Callable[[float], float], low: float, high: float) -> float:
    """Root of a falling function, or the end nearest to it."""
    if function(low) <= 0:
        return low
    if function(high) >= 0:
        return high
    return root(function, low, high)
