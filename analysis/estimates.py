"""Means, rates and paired differences with intervals; never NaN.

Everything starts from clusters (deals), see `clusters`: games of one deal are not independent,
and two strategies that play the same deals are not either. A difference therefore takes the full
covariance of the means; two overlapping error bars are no test.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from ramisim.analysis.clusters import Clusters, Moments
from ramisim.analysis.intervals import effective_n, wilson
from ramisim.analysis.multiplicity import holm
from ramisim.analysis.special import t_quantile, t_two_sided

__all__ = [
    "Difference",
    "Estimate",
    "cluster_mean",
    "difference",
    "differences",
    "estimate_mean",
    "estimate_rate",
    "rank_intervals",
]

WILSON_BELOW = 0.1
"""Rates nearer than this to 0 or 1 get Wilson's interval with the effective number of games."""


@dataclass(frozen=True)
class Estimate:
    """A mean or a rate.

    Parameters
    ----------
    label : str
    mean : float
        Per game (or round), in natural units.
    se, low, high : float or None
        Standard error over deals and the ends of the interval; None with fewer than two deals.
    deals, games : int
        Number of deals, and of the games or rounds in them.
    method : {"t", "wilson"}
    """

    label: str
    mean: float
    se: float | None
    low: float | None
    high: float | None
    deals: int
    games: int
    method: Literal["t", "wilson"] = "t"


@dataclass(frozen=True)
class Difference:
    """A paired difference, always "a minus b", on common deals.

    Parameters
    ----------
    a, b : str
    mean : float
    se, low, high, p, p_holm : float or None
        Over deals; ``p`` is two-sided, ``p_holm`` adjusted over the family it was reported in.
    deals : int
    alike : float or None
        Share of deals in which both come out exactly alike.
    """

    a: str
    b: str
    mean: float
    se: float | None
    low: float | None
    high: float | None
    p: float | None
    deals: int
    alike: float | None
    p_holm: float | None = None

    @property
    def label(self) -> str:
        """What the sign means."""
        return f"{self.a} minus {self.b}"

    @property
    def clear(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    def reversed(self) -> Difference:
        """The same difference seen from the other side: "b minus a"."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            mean=-self.mean if self.mean else 0.0,
            low=None if self.high is None else -self.high,
            high=None if self.low is None else -self.low,
        )


def estimate_mean(moments: Moments, k: int, level: float = 0.95) -> Estimate:
    """Mean of thing k with its t interval over deals."""
    mean = float(moments.mean(k))
    variance = moments.covariance(k, k)
    se = _root(variance)
    half = _half(se, moments.clusters, level)
    return Estimate(
        moments.labels[k],
        mean,
        se,
        None if half is None else mean - half,
        None if half is None else mean + half,
        moments.clusters,
        moments.n[k],
    )


def estimate_rate(moments: Moments, k: int, level: float = 0.95) -> Estimate:
    """Rate of thing k: a t interval, near 0 or 1 Wilson's with p(1-p)/SE² games.

    Wilson's too where few deals make a t interval that leaves 0 to 1.
    """
    plain = estimate_mean(moments, k, level)
    if plain.se is None or plain.low is None or plain.high is None:
        return plain
    inside = plain.low >= 0 and plain.high <= 1
    if inside and WILSON_BELOW <= plain.mean <= 1 - WILSON_BELOW:
        return plain
    n = effective_n(plain.mean, plain.se, plain.deals)
    low, high = wilson(plain.mean, n, level)
    return replace(plain, low=low, high=high, method="wilson")


def difference(clusters: Clusters, a: int, b: int, level: float = 0.95) -> Difference:
    """Mean of a minus mean of b, paired by deal.

    Parameters
    ----------
    clusters : Clusters
    a, b : int
        Indices of the two.
    level : float

    Returns
    -------
    Difference
        With zero variance the interval is the point itself; ``p`` is then 1 where the
        difference is 0, else 0.
    """
    moments = clusters.moments
    weights = [0] * len(moments.labels)
    weights[a], weights[b] = 1, -1
    value, variance = moments.contrast(weights)
    mean, se = float(value), _root(variance)
    half = _half(se, moments.clusters, level)
    alike = clusters.alike(a, b)
    return Difference(
        moments.labels[a],
        moments.labels[b],
        mean,
        se,
        None if half is None else mean - half,
        None if half is None else mean + half,
        _p_value(mean, se, moments.clusters),
        moments.clusters,
        None if alike is None else float(alike),
    )


def differences(
    clusters: Clusters, order: Sequence[int] | None = None, level: float = 0.95
) -> list[Difference]:
    """All pairs "earlier minus later" in the order given, p-values adjusted by Holm."""
    places = list(range(len(clusters.labels))) if order is None else list(order)
    found = [
        difference(clusters, a, b, level) for i, a in enumerate(places) for b in places[i + 1 :]
    ]
    known = [d.p for d in found if d.p is not None]
    if len(known) < len(found):
        return found
    return [replace(d, p_holm=p) for d, p in zip(found, holm(known), strict=True)]


def rank_intervals(
    labels: Sequence[str], found: Sequence[Difference], alpha: float = 0.05
) -> dict[str, tuple[int, int]]:
    """Ranks each strategy may have: from 1 + surely better ones to K - surely worse ones.

    "Surely" is Holm's adjusted p below alpha, so all ranks hold together.
    """
    above = dict.fromkeys(labels, 0)
    below = dict.fromkeys(labels, 0)
    for d in found:
        if d.p_holm is None or d.p_holm >= alpha or d.mean == 0:
            continue
        better, worse = (d.a, d.b) if d.mean > 0 else (d.b, d.a)
        above[worse] += 1
        below[better] += 1
    return {name: (1 + above[name], len(labels) - below[name]) for name in labels}


def cluster_mean(
    values: Sequence[float], groups: Sequence[Hashable], level: float = 0.95, label: str = ""
) -> Estimate:
    """Mean of values that come in clusters of any size, with its linearised standard error.

    Parameters
    ----------
    values : sequence of float
    groups : sequence
        The deal of each value.

    Returns
    -------
    Estimate
        SE = sqrt(G/(G-1) sum e_g²)/N with e_g the sum of the residuals of deal g.
    """
    if not len(values):
        raise ValueError("no values")
    mean = math.fsum(values) / len(values)
    residuals: dict[Hashable, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        residuals.setdefault(group, []).append(value - mean)
    deals = len(residuals)
    se = None
    if deals > 1:
        squares = math.fsum(math.fsum(e) ** 2 for e in residuals.values())
        se = math.sqrt(deals / (deals - 1) * squares) / len(values)
    half = _half(se, deals, level)
    low, high = (None, None) if half is None else (mean - half, mean + half)
    return Estimate(label, mean, se, low, high, deals, len(values))


def _root(variance: Fraction | None) -> float | None:
    return None if variance is None else math.sqrt(max(variance, Fraction(0)))


def _half(se: float | None, deals: int, level: float) -> float | None:
    if se is None:
        return None
    return se * t_quantile((1 + level) / 2, deals - 1) if se else 0.0


def _p_value(mean: float, se: float | None, deals: int) -> float | None:
    if se is None:
        return None
    if se == 0:
        return 1.0 if mean == 0 else 0.0
    return t_two_sided(mean / se, deals - 1)
