"""Exact sequential tests for two players on trinomial or pentanomial counts.

The generalized sequential probability ratio test compares the likeliest distributions of scores
under H0 and H1. The bounds of the hypotheses are logistic Elo (a mean score), normalized Elo
(mean over standard deviation) or BayesElo. Counts run low to high as seen by the first strategy;
empty cells count 1e-3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis.likelihood import fit_mean, fit_t, regularised
from ramisim.analysis.pairs import NELO, moments_of_counts, score_of_elo

__all__ = [
    "Model",
    "empirical_llr",
    "gaussian_llr",
    "gsprt_llr",
    "legacy_bayes_llr",
    "normalized_approximate_llr",
    "variance_ratio_llr",
]

Model: TypeAlias = Literal["logistic", "normalized", "bayesian"]
Vector = NDArray[np.float64]


def gsprt_llr(counts: Sequence[float], elo0: float, elo1: float, model: Model) -> float:
    """Log likelihood ratio of H1 over H0.

    Parameters
    ----------
    counts : sequence of float
        Three (games) or five (pairs of games), low to high.
    elo0, elo1 : float
        Elo difference under each hypothesis, in the units of the model.
    model : {"logistic", "normalized", "bayesian"}
        ``bayesian`` estimates the drawelo from the sample, games only.
    """
    n, x, p = _frequencies(counts)
    if model == "normalized":
        # A pair of games has twice the variance of a game's mean: its t is larger by sqrt(2).
        unit = math.sqrt(len(counts) // 2) / NELO
        low, high = (fit_t(x, p, 0.5, elo * unit) for elo in (elo0, elo1))
    else:
        s0, s1 = _scores(counts, elo0, elo1, model)
        low, high = fit_mean(x, p, s0), fit_mean(x, p, s1)
    return n * float(p @ np.log(high / low))


def empirical_llr(values: Sequence[float], mean0: float, mean1: float) -> float:
    """Return the same ratio for any scores: Owen's empirical likelihood of two means.

    Binned to a pentanomial it is `gsprt_llr` with logistic bounds.

    Raises
    ------
    ValueError
        A mean outside the range of the values.
    """
    x, times = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    p = times / times.sum()
    low, high = fit_mean(x, p, mean0), fit_mean(x, p, mean1)
    return len(values) * float(p @ np.log(high / low))


def variance_ratio_llr(counts: Sequence[float], elo0: float, elo1: float) -> float:
    """Approximation N/2 ln(r0/r1) with r the mean square about each mean ("alt")."""
    n, x, p = _frequencies(counts)
    r0, r1 = (float(p @ (x - score_of_elo(elo)) ** 2) for elo in (elo0, elo1))
    return n / 2 * math.log(r0 / r1)


def gaussian_llr(counts: Sequence[float], elo0: float, elo1: float) -> float:
    """Approximation N(s1-s0)(2m-s0-s1)/(2v), a Brownian motion ("alt2")."""
    n, mean, variance = moments_of_counts(regularised(np.array(counts)).tolist())
    s0, s1 = score_of_elo(elo0), score_of_elo(elo1)
    return n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)


def normalized_approximate_llr(counts: Sequence[float], elo0: float, elo1: float) -> float:
    """Approximation games/2 ln((1+(t-t0)²)/(1+(t-t1)²)) with normalized bounds, per game."""
    n, mean, variance = moments_of_counts(regularised(np.array(counts)).tolist())
    games_per_unit = len(counts) // 2
    t = (mean - 0.5) / math.sqrt(games_per_unit * variance)
    t0, t1 = elo0 / NELO, elo1 / NELO
    return n * games_per_unit / 2 * math.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2))


def legacy_bayes_llr(losses: int, draws: int, wins: int, elo0: float, elo1: float) -> float:
    """Return the BayesElo test of older match runners.

    Half a game is added to each cell; the bounds are divided by 4x/(1+x)², x = 10^(-drawelo/400).
    """
    counts = np.array([losses, draws, wins], dtype=np.float64) + 0.5
    p = counts / counts.sum()
    drawelo = _drawelo(p)
    x = 10 ** (-drawelo / 400)
    scale = 4 * x / (1 + x) ** 2
    low, high = (_bayes(elo / scale, drawelo) for elo in (elo0, elo1))
    return float(counts @ np.log(high / low))


def _frequencies(counts: Sequence[float]) -> tuple[float, Vector, Vector]:
    cells = regularised(np.array(counts, dtype=np.float64))
    n = float(cells.sum())
    return n, np.linspace(0, 1, len(cells)), cells / n


def _scores(counts: Sequence[float], elo0: float, elo1: float, model: Model) -> tuple[float, float]:
    if model == "logistic":
        return score_of_elo(elo0), score_of_elo(elo1)
    if len(counts) != 3:
        raise ValueError("BayesElo is a model of single games: three counts")
    cells = regularised(np.array(counts, dtype=np.float64))
    drawelo = _drawelo(cells / cells.sum())
    low, high = (_bayes(elo, drawelo) for elo in (elo0, elo1))
    return float(low[2] + low[1] / 2), float(high[2] + high[1] / 2)


def _drawelo(p: Vector) -> float:
    loss, win = float(p[0]), float(p[2])
    return 200 * math.log10((1 - loss) / loss * (1 - win) / win)


def _bayes(elo: float, drawelo: float) -> Vector:
    """Return loss, draw and win probabilities of BayesElo."""
    win = 1 / (1 + 10 ** ((drawelo - elo) / 400))
    loss = 1 / (1 + 10 ** ((drawelo + elo) / 400))
    return np.array([loss, 1 - win - loss, win])
