"""How many deals: before a run, from a pilot's standard deviation."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ramisim.analysis.special import chi2_quantile, normal_quantile

__all__ = [
    "SprtLength",
    "deals_for_difference",
    "games_for_rate",
    "games_to_tell",
    "rate_error",
    "sd_interval",
    "t_sprt_length",
]


def rate_error(p: float, n: float) -> float:
    """Standard error of a rate over n independent games."""
    return math.sqrt(p * (1 - p) / n)


def games_for_rate(p: float, half_width: float, level: float = 0.95) -> int:
    """Independent games for an interval of a rate of this half width."""
    z = normal_quantile((1 + level) / 2)
    return math.ceil(z * z * p * (1 - p) / half_width**2)


def deals_for_difference(sd: float, delta: float, alpha: float = 0.05, power: float = 0.9) -> int:
    """Deals that detect a difference with the power wanted: ((z₁₋ₐ⸝₂ + z_power) sd/δ)².

    Parameters
    ----------
    sd : float
        Standard deviation of the per-deal difference, from a pilot.
    delta : float
        Difference to detect, in the same units.
    """
    if delta == 0:
        raise ValueError("a difference of 0 cannot be detected; name the smallest one of interest")
    z = normal_quantile(1 - alpha / 2) + normal_quantile(power)
    return max(2, math.ceil((z * sd / delta) ** 2))


def sd_interval(sd: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Interval of a standard deviation of n values, as if they were normal (chi-square)."""
    tail = (1 - level) / 2
    low, high = (chi2_quantile(p, n - 1) for p in (tail, 1 - tail))
    return sd * math.sqrt((n - 1) / high), sd * math.sqrt((n - 1) / low)


def games_to_tell(sd: float, mean: float) -> int | None:
    """Games after which the better side is ahead 19 times of 20: (1.645 sd/mean)².

    None where neither is better: no number of games tells.
    """
    return None if mean == 0 else max(1, math.ceil((1.645 * sd / mean) ** 2))


@dataclass(frozen=True)
class SprtLength:
    """Expected deals of a t-SPRT: at one of its two hypotheses, and half-way between them."""

    at_bound: int
    between: int


def t_sprt_length(t0: float, t1: float) -> SprtLength:
    """Expected length with α = β = 0.05: 5.3/(t1-t0)² at a bound, 8.7/(t1-t0)² between."""
    gap2 = (t1 - t0) ** 2
    return SprtLength(math.ceil(5.3 / gap2), math.ceil(8.7 / gap2))
