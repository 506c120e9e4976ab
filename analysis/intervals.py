"""Intervals for rates: Wilson, Newcombe, Goodman, and two that stay valid while one looks.

Counts may be fractional: shares of wins, and effective numbers of games.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from scipy import special

from ramisim.analysis.special import chi2_quantile, normal_quantile

__all__ = [
    "agresti_caffo",
    "agresti_coull",
    "beta_binomial_sequence",
    "clopper_pearson",
    "effective_n",
    "goodman",
    "jeffreys",
    "newcombe",
    "wald_difference",
    "wilson",
]

Interval = tuple[float, float]


def wilson(rate: float, n: float, level: float = 0.95) -> Interval:
    """Wilson's score interval of a rate.

    Parameters
    ----------
    rate : float
        Observed, in [0, 1].
    n : float
        Number of independent trials; for games in deals the effective number,
        `effective_n`.
    level : float

    Returns
    -------
    tuple of float
        Within [0, 1]; (0, 1) where n = 0.
    """
    if n <= 0:
        return 0.0, 1.0
    z2 = normal_quantile((1 + level) / 2) ** 2
    middle = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * rate * (1 - rate) / n + z2 * z2 / (4 * n * n)) / (1 + z2 / n)
    low = 0.0 if rate <= 0 else max(0.0, middle - half)
    high = 1.0 if rate >= 1 else min(1.0, middle + half)
    return low, high


def clopper_pearson(k: float, n: float, level: float = 0.95) -> Interval:
    """Return the exact interval of k of n independent games; never too short, often too long."""
    tail = (1 - level) / 2
    low = 0.0 if k <= 0 else float(special.betaincinv(k, n - k + 1, tail))
    high = 1.0 if k >= n else float(special.betaincinv(k + 1, n - k, 1 - tail))
    return low, high


def jeffreys(k: float, n: float, level: float = 0.95) -> Interval:
    """Return the interval of Jeffreys' prior, equal tails."""
    tail = (1 - level) / 2
    ends = special.betaincinv(k + 0.5, n - k + 0.5, [tail, 1 - tail])
    return float(ends[0]), float(ends[1])


def agresti_coull(k: float, n: float, level: float = 0.95) -> Interval:
    """Return Wilson's middle with the plain standard error about it."""
    z = normal_quantile((1 + level) / 2)
    return _plain((k + z * z / 2) / (n + z * z), n + z * z, z)


def _plain(p: float, n: float, z: float) -> Interval:
    half = z * math.sqrt(p * (1 - p) / n)
    return max(0.0, p - half), min(1.0, p + half)


def effective_n(rate: float, se: float, units: int) -> float:
    """Independent trials with the same standard error: p(1-p)/SE².

    Where the rate is 0 or 1 the standard error is 0 and says nothing; the number of units
    (deals) is taken then, as if the games of a deal were copies of each other.
    """
    if se <= 0 or rate <= 0 or rate >= 1:
        return float(units)
    return rate * (1 - rate) / se**2


def newcombe(k1: float, n1: float, k2: float, n2: float, level: float = 0.95) -> Interval:
    """Newcombe's interval for the difference of two rates that share no deals.

    Discouraged: play the same deals with both and use the paired difference, it needs several
    times fewer games.
    """
    p1, p2 = k1 / n1, k2 / n2
    low1, high1 = wilson(p1, n1, level)
    low2, high2 = wilson(p2, n2, level)
    return (
        p1 - p2 - math.hypot(p1 - low1, high2 - p2),
        p1 - p2 + math.hypot(high1 - p1, p2 - low2),
    )


def agresti_caffo(k1: float, n1: float, k2: float, n2: float, level: float = 0.95) -> Interval:
    """Return the plain interval for a difference of unpaired rates, one win and loss added."""
    return wald_difference(k1 + 1, n1 + 2, k2 + 1, n2 + 2, level)


def wald_difference(k1: float, n1: float, k2: float, n2: float, level: float = 0.95) -> Interval:
    """Return the plain interval for a difference of unpaired rates; poor for small numbers."""
    p1, p2 = k1 / n1, k2 / n2
    half = normal_quantile((1 + level) / 2) * math.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
    return p1 - p2 - half, p1 - p2 + half


def goodman(counts: Sequence[float], level: float = 0.95) -> list[Interval]:
    """Goodman's simultaneous intervals of multinomial shares.

    Parameters
    ----------
    counts : sequence of float
        One per class; fractional or effective counts are fine.
    level : float
        Joint level: each class gets (1 - level) / len(counts).
    """
    n = math.fsum(counts)
    if n <= 0:
        return [(0.0, 1.0)] * len(counts)
    chi2 = chi2_quantile(1 - (1 - level) / len(counts), 1)
    out = []
    for count in counts:
        delta = math.sqrt(chi2 * (chi2 + 4 * count * max(0.0, n - count) / n))
        below = 2 * (chi2 + n)
        low = (chi2 + 2 * count - delta) / below
        high = (chi2 + 2 * count + delta) / below
        out.append((max(0.0, low), min(1.0, high)))
    return out


def beta_binomial_sequence(k: int, n: int, alpha: float = 0.05) -> Interval:
    """Confidence sequence of a rate: Robbins' mixture with a uniform prior.

    Valid at every n at once, so it may be watched; for independent trials only.

    Returns
    -------
    tuple of float
        {p : B(k+1, n-k+1) / (p^k (1-p)^(n-k)) < 1/alpha}.
    """
    constant = float(special.betaln(k + 1, n - k + 1)) + math.log(alpha)

    def outside(p: float) -> float:
        return constant - float(special.xlogy(k, p)) - float(special.xlog1py(n - k, -p))

    rate = k / n if n else 0.5
    low = 0.0 if k == 0 else _crossing(outside, 0.0, rate)
    high = 1.0 if k == n else _crossing(outside, 1.0, rate)
    return low, high


def _crossing(f: Callable[[float], float], outer: float, inner: float) -> float:
    """Point between outer (f > 0) and inner (f < 0) where f changes its sign, by bisection."""
    for _ in range(200):
        middle = (outer + inner) / 2
        if middle in (outer, inner):
            break
        if f(middle) > 0:
            outer = middle
        else:
            inner = middle
    return inner
