"""A number with its share of each deal, so that any combination of such numbers has an error.

A metric of a run is one number and a vector over units (deals, or blocks of deals): the mean of
the vector is the number, its standard error is that of the mean. Numbers of several rule
variants on common deals are combined by combining their vectors: differences, interactions,
indices then have paired errors without further formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis.special import t_quantile, t_two_sided

__all__ = [
    "BLOCKS",
    "Interval",
    "Values",
    "blocks_of",
    "combined",
    "in_blocks",
    "interval",
    "jackknifed",
    "ratio",
]

BLOCKS: Final = 40
"""Blocks of deals for numbers that are no means: enough for a t interval, cheap to leave out."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Values:
    """A number, unit by unit.

    Parameters
    ----------
    value : float
    units : float64[U]
        One per deal or block of deals, in order; their mean is ``value``.
    games : int
        Games, rounds or matches behind it.
    """

    value: float
    units: Array
    games: int


@dataclass(frozen=True)
class Interval:
    """A number with its error over units; None with fewer than two of them.

    Parameters
    ----------
    value : float
    se, low, high, p : float or None
        ``p`` is two-sided against 0.
    units : int
    """

    value: float
    se: float | None
    low: float | None
    high: float | None
    p: float | None
    units: int

    @property
    def clear(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def ratio(y: NDArray[np.integer] | Array, n: NDArray[np.integer] | Array) -> Values | None:
    """Sum of y over sum of n, linearised over deals; None where n never occurs.

    Parameters
    ----------
    y, n : number[G]
        Sums and counts of each deal.

    Returns
    -------
    Values
        Unit g is r + (y_g - r n_g) G / N: its mean is r, and its standard error that of a ratio
        of sums, sqrt(G/(G-1) sum e_g²)/N.

    Examples
    --------
    >>> import numpy as np
    >>> ratio(np.array([1, 3]), np.array([1, 1])).units.tolist()
    [1.0, 3.0]
    """
    total = int(np.sum(n))
    if not total:
        return None
    r = float(np.sum(y)) / total
    units = r + (np.asarray(y, np.float64) - r * np.asarray(n, np.float64)) * len(n) / total
    return Values(r, units, total)


def blocks_of(deals: int, blocks: int = BLOCKS) -> list[slice]:
    """Neighbouring deals in blocks of nearly one size; fewer blocks where deals are few."""
    k = min(blocks, deals)
    edges = [deals * i // k for i in range(k + 1)]
    return [slice(a, b) for a, b in pairwise(edges)]


def in_blocks(values: Values) -> Array:
    """Units of a number as blocks of deals, so that numbers of all kinds have the same units."""
    if len(values.units) <= BLOCKS:
        return values.units
    return np.array([values.units[part].mean() for part in blocks_of(len(values.units))])


def jackknifed(
    estimate: Callable[[NDArray[np.bool_]], float | None], deals: int, games: int
) -> Values | None:
    """A number that is no mean, by leaving out one block of deals after the other.

    Parameters
    ----------
    estimate : callable
        The number from a mask of deals to keep (bool[deals]); None where it has none.
    deals, games : int

    Returns
    -------
    Values or None
        Pseudo-values of the blocks, shifted so that their mean is the number from all deals.
    """
    keep = np.ones(deals, dtype=bool)
    whole = estimate(keep)
    if whole is None:
        return None
    parts = blocks_of(deals)
    left = []
    for part in parts if len(parts) > 1 else []:
        keep[part] = False
        without = estimate(keep)
        keep[part] = True
        if without is None:
            return None
        left.append(without)
    k = len(left)
    pseudo = np.array([k * whole - (k - 1) * x for x in left])
    units = pseudo - pseudo.mean() + whole if k else np.array([whole])
    return Values(whole, units, games)


def combined(weights: Sequence[float] | Array, parts: Sequence[Values]) -> Values:
    """Weighted sum of numbers on the same deals.

    Raises
    ------
    ValueError
        Their units are not the same deals.
    """
    if len({len(part.units) for part in parts}) != 1:
        raise ValueError("numbers over different deals cannot be combined")
    scaled = np.array([w * p.units for w, p in zip(weights, parts, strict=True)])
    units = scaled.sum(axis=0)
    # What cancels on every deal must be 0, not the rounding error of its terms.
    dust = 1e-12 * float(np.abs(scaled).max(initial=0.0))
    units = np.where(np.abs(units) <= dust, 0.0, units)
    value = math.fsum(w * p.value for w, p in zip(weights, parts, strict=True))
    return Values(0.0 if abs(value) <= dust else value, units, min(p.games for p in parts))


def interval(values: Values, level: float = 0.95) -> Interval:
    """The number with its t interval over units.

    With zero variance the interval is the point itself; ``p`` is then 1 where it is 0, else 0.
    """
    k = len(values.units)
    if k < 2:
        return Interval(values.value, None, None, None, None, k)
    se = float(values.units.std(ddof=1)) / math.sqrt(k)
    if se <= 1e-12 * abs(values.value):
        value = values.value
        return Interval(value, 0.0, value, value, 1.0 if value == 0 else 0.0, k)
    half = se * t_quantile((1 + level) / 2, k - 1)
    p = t_two_sided(values.value / se, k - 1)
    return Interval(values.value, se, values.value - half, values.value + half, p, k)
