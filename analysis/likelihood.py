"""Most likely distributions of scores under a constraint: the core of exact sequential tests.

Scores x_i with frequencies p̂_i are fitted by the distribution that is likeliest among those with
a given mean (Owen's empirical likelihood) or a given ratio of mean to standard deviation. Both
have the form p̂_i / (1 + λ h_i), with λ the root of sum p̂_i h_i / (1 + λ h_i) = 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis.special import root

__all__ = ["EMPTY_CELL", "fit_mean", "fit_t", "regularised"]

EMPTY_CELL = 1e-3
"""Count that stands in for an empty cell, so that no likelihood is infinite."""

Vector = NDArray[np.float64]


def regularised(counts: Vector) -> Vector:
    """Counts with `EMPTY_CELL` in the empty cells."""
    counts = np.asarray(counts, dtype=np.float64)
    return np.where(counts > 0, counts, EMPTY_CELL)


def fit_mean(x: Vector, p: Vector, mean: float) -> Vector:
    """Return the likeliest distribution on ``x`` near frequencies ``p`` with the given mean.

    Parameters
    ----------
    x, p : float64[k]
        Scores, and their positive frequencies, which add up to 1.
    mean : float
        Strictly between the least and the greatest score.

    Raises
    ------
    ValueError
        The mean is not inside the range of the scores.
    """
    return _tilted(p, x - mean)


def fit_t(x: Vector, p: Vector, reference: float, t: float) -> Vector:
    """Return the likeliest distribution with (mean - reference) / sd = t.

    The constraint is linear in p around its own solution, with
    h_i = x_i - reference - t sd (1 + ((mean - x_i)/sd)²)/2: a fixed point.
    """
    fitted = np.full(len(x), 1 / len(x))
    for _ in range(500):
        mean = float(fitted @ x)
        sd = float(np.sqrt(fitted @ (x - mean) ** 2))
        h = x - reference - t * sd * (1 + ((mean - x) / sd) ** 2) / 2
        before, fitted = fitted, _tilted(p, h)
        if float(np.abs(fitted - before).max()) < 1e-15:
            break
    return fitted


def _tilted(p: Vector, h: Vector) -> Vector:
    return p / (1 + _root(p, h) * h)


def _root(p: Vector, h: Vector) -> float:
    """Return the λ with sum p h/(1 + λ h) = 0: the sum falls between the poles, so there is one."""
    low, high = float(h.min()), float(h.max())
    if not low < 0 < high:
        raise ValueError("the wanted mean is not inside the range of the scores")
    left, right = -1 / high, -1 / low

    def slope(x: float) -> float:
        return float(np.sum(p * h / (1 + x * h)))

    inside = 1 - 1e-14
    return root(slope, left * inside, right * inside)
