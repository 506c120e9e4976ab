"""Sobol indices of the factors of a sampled design, without what the luck of the deals adds.

Numbers of variants are means over deals, so they carry noise, and noise looks like influence.
Every sum of squares below is a quadratic form of those means; its expectation is that of the true
values plus what the covariance of the means adds, and that is estimated from the deals and
subtracted. Common deals make most of it cancel before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis.values import Values, in_blocks

__all__ = ["Sensitivity", "SobolIndex", "sobol_indices"]

Array = NDArray[np.float64]

DRAWS: Final = 1000


@dataclass(frozen=True)
class SobolIndex:
    """How much of the variance between variants a factor explains.

    Parameters
    ----------
    factor : str
    first, total : float
        Alone, and together with all it interacts with. Unbiased estimates may be a little below 0.
    first_low, first_high, total_low, total_high : float
        95 % percentile intervals from resampled rows of the design.
    """

    factor: str
    first: float
    total: float
    first_low: float
    first_high: float
    total_low: float
    total_high: float


@dataclass(frozen=True)
class Sensitivity:
    """Indices of all factors.

    Parameters
    ----------
    variance : float
        Of the true values over the ranges.
    noise : float
        What the luck of the deals had added to it, subtracted.
    indices : tuple of SobolIndex
        Empty where nothing but noise varies.
    """

    variance: float
    noise: float
    indices: tuple[SobolIndex, ...]


def sobol_indices(
    a: Sequence[Values], b: Sequence[Values], mixed: Mapping[str, Sequence[Values]], seed: int = 0
) -> Sensitivity:
    """First and total indices (Saltelli 2010 and Jansen), noise subtracted.

    Parameters
    ----------
    a, b : sequence of N Values
        The two independent samples of the ranges.
    mixed : mapping of str to sequence of N Values
        By factor: the sample a with that factor's column from b.
    seed : int
        Of the resampling.
    """
    table = {"a": _matrix(a), "b": _matrix(b)}
    table |= {f"x {name}": _matrix(rows) for name, rows in mixed.items()}
    whole, raw = _estimates(table, list(mixed))
    if whole[0] <= 0:
        return Sensitivity(float(whole[0]), float(raw - whole[0]), ())
    rng = np.random.default_rng(seed)
    n = len(a)
    drawn = []
    for _ in range(DRAWS):
        rows = rng.integers(0, n, n)
        sample, _ = _estimates({k: (mean[rows], unit[rows]) for k, (mean, unit) in table.items()},
                               list(mixed))  # fmt: skip
        if sample[0] > 0:
            drawn.append(sample[1:] / sample[0])
    low, high = np.quantile(np.array(drawn), [0.025, 0.975], axis=0)
    found = whole[1:] / whole[0]
    indices = tuple(
        SobolIndex(
            name, *(float(found[2 * i + j]) for j in (0, 1)),
            *(float(ends[2 * i + j]) for j in (0, 1) for ends in (low, high)),
        )
        for i, name in enumerate(mixed)
    )  # fmt: skip
    return Sensitivity(float(whole[0]), float(raw - whole[0]), indices)


def _matrix(rows: Sequence[Values]) -> tuple[Array, Array]:
    """Means (N), and the units less their mean (N x U)."""
    units = np.array([in_blocks(row) for row in rows])
    mean = np.array([row.value for row in rows])
    return mean, units - units.mean(axis=1, keepdims=True)


def _estimates(
    table: Mapping[str, tuple[Array, Array]], names: Sequence[str]
) -> tuple[Array, float]:
    """Variance, then first and total of each factor, all less their noise; the raw variance."""
    (a, a_units), (b, b_units) = table["a"], table["b"]
    both = np.concatenate([a, b])
    both_units = np.concatenate([a_units, b_units])
    n_units = a_units.shape[1]
    scale = 1 / (n_units * (n_units - 1)) if n_units > 1 else 0.0

    def less(value: float, of_units: Array) -> float:
        return value - scale * float(of_units.sum())

    raw = float(both.var(ddof=1))
    out = [less(raw, both_units.var(axis=0, ddof=1))]
    middle, units_middle = both.mean(), both_units.mean(axis=0)
    for name in names:
        x, x_units = table[f"x {name}"]
        # Centring costs nothing in expectation and takes most of the variance away.
        first = float(np.mean((b - middle) * (x - a)))
        out.append(less(first, ((b_units - units_middle) * (x_units - a_units)).mean(axis=0)))
        total = float(np.mean((a - x) ** 2)) / 2
        out.append(less(total, ((a_units - x_units) ** 2).mean(axis=0) / 2))
    return np.array(out), raw
