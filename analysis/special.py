"""The few distribution functions in use, typed; scipy.special alone loads quickly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = [
    "chi2_quantile",
    "chi2_tail",
    "log_cdf",
    "normal_cdf",
    "normal_quantile",
    "root",
    "t_cdf",
    "t_quantile",
    "t_two_sided",
]


def normal_cdf(z: float) -> float:
    """Probability that a standard normal variable is at most z."""
    return float(special.ndtr(z))


def log_cdf(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of `normal_cdf`, far out as well."""
    return np.asarray(special.log_ndtr(z), dtype=np.float64)


def normal_quantile(p: float) -> float:
    """The z below which a standard normal variable lies with probability p."""
    return float(special.ndtri(p))


def t_cdf(t: float, df: float) -> float:
    """Probability that Student's t with df degrees of freedom is at most t."""
    return float(special.stdtr(df, t))


def t_quantile(p: float, df: float) -> float:
    """Quantile of Student's t."""
    return float(special.stdtrit(df, p))


def t_two_sided(t: float, df: float) -> float:
    """Two-sided p-value of a t statistic."""
    return 2.0 * float(special.stdtr(df, -abs(t)))


def chi2_tail(x: float, df: float) -> float:
    """Probability that chi-square with df degrees of freedom exceeds x."""
    return float(special.chdtrc(df, x))


def chi2_quantile(p: float, df: float) -> float:
    """Quantile of chi-square."""
    return float(special.chdtri(df, 1.0 - p))


def root(f: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of f between two ends where its signs differ, to the last digits."""
    from scipy import optimize

    brentq: Any = optimize.brentq
    return float(brentq(f, low, high, xtol=1e-18, rtol=1e-15, maxiter=500))
