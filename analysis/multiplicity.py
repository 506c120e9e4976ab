"""Many comparisons at once: adjusted p-values.

Holm for declared (primary) comparisons, Benjamini-Hochberg for screening. The size of the family
is the number of p-values handed over; say it beside the result.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["benjamini_hochberg", "benjamini_yekutieli", "holm"]


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given (family-wise error)."""
    values, order = _sorted(p)
    stepped = np.maximum.accumulate(values * np.arange(len(values), 0, -1))
    return _back(stepped, order)


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini-Hochberg adjusted p-values, in the order given (false discovery rate)."""
    return _step_up(p, 1.0)


def benjamini_yekutieli(p: Sequence[float]) -> list[float]:
    """As Benjamini-Hochberg, under any dependence: dearer by sum(1/i)."""
    return _step_up(p, float(np.sum(1.0 / np.arange(1, len(p) + 1))))


def _step_up(p: Sequence[float], penalty: float) -> list[float]:
    values, order = _sorted(p)
    raw = values * len(values) * penalty / np.arange(1, len(values) + 1)
    return _back(np.minimum.accumulate(raw[::-1])[::-1], order)


def _sorted(p: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    return values[order], order


def _back(values: NDArray[np.float64], order: NDArray[np.intp]) -> list[float]:
    out = np.empty_like(values)
    out[order] = np.minimum(values, 1.0)
    return [float(x) for x in out]
