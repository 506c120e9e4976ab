"""Tests with a fixed number of deals: equivalence and paired outcomes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import special

from ramisim.analysis.estimates import Difference
from ramisim.analysis.special import chi2_tail, t_cdf, t_quantile

__all__ = ["Equivalence", "equivalence", "mcnemar_chi2", "mcnemar_exact"]


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests against a margin.

    Parameters
    ----------
    margin : float
    p : float
        The larger of the two one-sided p-values.
    low, high : float
        The interval at level 1 - 2 alpha that has to lie within the margin.
    equivalent : bool
    """

    margin: float
    p: float
    low: float
    high: float
    equivalent: bool


def equivalence(d: Difference, margin: float, alpha: float = 0.05) -> Equivalence:
    """Is the difference surely smaller than the margin? No margin, no answer.

    Raises
    ------
    ValueError
        A margin that is not positive, or a difference without a standard error.
    """
    if margin <= 0:
        raise ValueError("the margin of an equivalence test must be positive")
    if d.se is None:
        raise ValueError("one deal has no standard error")
    df = d.deals - 1
    half = d.se * t_quantile(1 - alpha, df) if d.se else 0.0
    low, high = d.mean - half, d.mean + half
    if d.se == 0:
        p = 0.0 if abs(d.mean) < margin else 1.0
    else:
        p = max(t_cdf((d.mean - margin) / d.se, df), t_cdf(-(d.mean + margin) / d.se, df))
    return Equivalence(margin, p, low, high, p < alpha)


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Exact two-sided p-value of paired wins: deals that only one of the two won."""
    n, least = only_a + only_b, min(only_a, only_b)
    return min(1.0, 2 * float(special.bdtr(least, n, 0.5))) if n else 1.0


def mcnemar_chi2(only_a: int, only_b: int) -> float:
    """Return the same by chi-square with continuity correction."""
    n = only_a + only_b
    if not n:
        return 1.0
    return chi2_tail(max(0.0, math.fabs(only_a - only_b) - 1) ** 2 / n, 1)
