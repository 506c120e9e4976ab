"""Quantiles and distribution functions of counted values, with intervals over deals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["ecdf_of_counts", "quantile_intervals", "quantiles_of_counts"]


def quantiles_of_counts(
    counts: Iterable[tuple[int, int]], levels: Sequence[float]
) -> dict[float, int]:
    """Quantiles of values given as (value, times): the least value that covers each level."""
    table = np.array(sorted(counts), dtype=np.int64).reshape(-1, 2)
    if not len(table):
        raise ValueError("no values")
    reached = np.cumsum(table[:, 1])
    # A level that is met exactly must not slip to the next value by a rounding error.
    wanted = np.ceil(np.asarray(levels) * reached[-1] - 1e-9)
    at = np.searchsorted(reached, np.clip(wanted, 1, reached[-1]))
    return {q: int(v) for q, v in zip(levels, table[at, 0], strict=True)}


def ecdf_of_counts(
    counts: Iterable[tuple[int, int]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Values, ascending, and the share of all that are at most each."""
    table = np.array(sorted(counts), dtype=np.int64).reshape(-1, 2)
    reached = np.cumsum(table[:, 1])
    return table[:, 0], reached / reached[-1]


def quantile_intervals(
    values: NDArray[np.float64],
    groups: NDArray[np.int64],
    levels: Sequence[float],
    draws: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[float, tuple[float, float, float]]:
    """Quantiles with percentile intervals from resampled deals.

    Parameters
    ----------
    values : float64[n]
    groups : int64[n]
        Deal of each value, 0 .. G-1.
    levels : sequence of float
    draws : int
        Bootstrap samples, each of G deals drawn with replacement.
    level, seed : float, int

    Returns
    -------
    dict
        Quantile, low end and high end by level.
    """
    order = np.argsort(values, kind="stable")
    values, groups = values[order], groups[order]
    deals = int(groups.max()) + 1
    rng = np.random.default_rng(seed)
    wanted = np.asarray(levels)
    found = np.empty((draws, len(levels)))
    for i in range(draws):
        times = np.bincount(rng.integers(0, deals, deals), minlength=deals)
        found[i] = _weighted(values, times[groups], wanted)
    plain = _weighted(values, np.ones(len(values), dtype=np.int64), wanted)
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return {q: (float(plain[i]), float(low[i]), float(high[i])) for i, q in enumerate(levels)}


def _weighted(
    values: NDArray[np.float64], weights: NDArray[np.int64], levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    reached = np.cumsum(weights)
    wanted = np.clip(np.ceil(levels * reached[-1] - 1e-9), 1, reached[-1])
    return np.asarray(values[np.searchsorted(reached, wanted)])
