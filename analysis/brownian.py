"""Estimates after a sequential test: median unbiased, from a Brownian motion between two bounds.

Under a true Elo the log likelihood ratio is nearly a Brownian motion with drift that stops at the
bounds. Outcomes are ordered from a quick failure over slow ones and unfinished tests to a quick
pass; the Elo under which what happened is the median outcome is the estimate, and other
quantiles give its interval. Unlike the plain estimate it is not biased by the stop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis.gsprt import gsprt_llr
from ramisim.analysis.likelihood import regularised
from ramisim.analysis.pairs import NELO, elo_of_score, moments_of_counts, score_of_elo
from ramisim.analysis.sequential import sprt_bounds
from ramisim.analysis.special import log_cdf, root

__all__ = ["AfterStop", "estimate_after_stop", "worse_outcome"]

TERMS = 4000


@dataclass(frozen=True)
class AfterStop:
    """Median unbiased estimate after (or during) a sequential test.

    Parameters
    ----------
    elo, low, high : float or None
        Logistic Elo and the ends of its interval; None where no score in (0, 1) fits.
    los : float
        Probability of a worse outcome if the two were equal.
    llr : float
    """

    elo: float | None
    low: float | None
    high: float | None
    los: float
    llr: float


def estimate_after_stop(
    counts: Sequence[float],
    elo0: float,
    elo1: float,
    model: Literal["logistic", "normalized"] = "logistic",
    alpha: float = 0.05,
    beta: float = 0.05,
    level: float = 0.95,
) -> AfterStop:
    """Estimate Elo from the counts at which a sequential test stopped.

    Parameters
    ----------
    counts : sequence of float
        Three or five, low to high.
    elo0, elo1 : float
        Bounds of the test, logistic or normalized Elo.
    """
    cells = regularised(np.array(counts, dtype=np.float64))
    n, mean, variance = moments_of_counts(cells.tolist())
    sd_of_a_game = math.sqrt(variance * (len(cells) // 2))

    def score(elo: float) -> float:
        return score_of_elo(elo) if model == "logistic" else 0.5 + elo / NELO * sd_of_a_game

    s0, s1 = score(elo0), score(elo1)
    lower, upper = sprt_bounds(alpha, beta)

    def drift(true: float) -> float:
        return (true - (s0 + s1) / 2) * (s1 - s0) / variance

    # A test that overshot its bound stopped where its path met the bound.
    reached = n * drift(mean)
    stopped = min(max(reached, lower), upper)
    time = n * stopped / reached if reached else n
    spread = abs(s1 - s0) / math.sqrt(variance)

    def worse(true: float) -> float:
        return worse_outcome(time, stopped, lower, upper, drift(true), spread)

    def elo_at(quantile: float) -> float | None:
        if not worse(1.0) < 1 - quantile < worse(0.0):
            return None
        return elo_of_score(root(lambda true: worse(true) - (1 - quantile), 0.0, 1.0))

    tail = (1 - level) / 2
    return AfterStop(
        elo=elo_at(0.5),
        low=elo_at(tail),
        high=elo_at(1 - tail),
        los=worse(0.5),
        llr=gsprt_llr(counts, elo0, elo1, model),
    )


def worse_outcome(
    time: float, y: float, lower: float, upper: float, mean: float, spread: float
) -> float:
    """Probability of a worse outcome than "at y at this time" for a Brownian motion from 0.

    Parameters
    ----------
    time, y : float
        When the test stopped or stands, and where: at a bound or between them.
    lower, upper : float
        Absorbing bounds around 0.
    mean, spread : float
        Drift and standard deviation per unit of time.
    """
    motion = _Motion(lower, upper, mean, spread**2, time)
    if y >= upper:
        return 1 - _Motion(-upper, -lower, -mean, spread**2, time).below()
    if y <= lower:
        return motion.below()
    return motion.below() + motion.between(y)


@dataclass(frozen=True)
class _Motion:
    """A Brownian motion from 0 with absorbing bounds, at some time."""

    lower: float
    upper: float
    mean: float
    variance: float
    time: float

    @property
    def waves(self) -> NDArray[np.float64]:
        return np.asarray(
            np.arange(1, TERMS + 1) * (math.pi / (self.upper - self.lower)), dtype=np.float64
        )

    def decay(self, k: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((self.mean**2 / self.variance + self.variance * k**2) / 2)

    def below(self) -> float:
        """Probability of having reached the lower bound: a sum over its mirror images.

        No term exceeds 1, however strong the drift; of waves e^30 would have to cancel.
        """
        width, reach = self.upper - self.lower, math.sqrt(self.variance * self.time)
        drift, pull = abs(self.mean), self.mean * self.lower / self.variance
        far = 40 * reach + drift * self.time - self.lower
        n = math.ceil(far / (2 * width))
        images = -self.lower + 2 * width * np.arange(-n, n + 1)
        c = np.abs(images)
        early = pull - drift * c / self.variance + log_cdf((drift * self.time - c) / reach)
        late = pull + drift * c / self.variance + log_cdf(-(drift * self.time + c) / reach)
        return min(max(float((np.sign(images) * (np.exp(early) + np.exp(late))).sum()), 0.0), 1.0)

    def between(self, y: float) -> float:
        """Probability of being alive and at most at y: a sum of sine waves.

        The density at x is 2/width exp(m x/v) sum sin(-k lower) sin(k (x - lower)) exp(-decay t).
        """
        k = self.waves
        tilt = self.mean / self.variance
        fading = -self.decay(k) * self.time

        def primitive(x: float) -> NDArray[np.float64]:
            z = k * (x - self.lower)
            wave = (tilt * np.sin(z) - k * np.cos(z)) / (tilt**2 + k**2)
            return np.asarray(np.exp(tilt * x + fading) * wave)

        terms = np.sin(-k * self.lower) * (primitive(y) - primitive(self.lower))
        return min(max(2 / (self.upper - self.lower) * float(terms.sum()), 0.0), 1.0)
