"""Clusters and their exact moments: means, covariances and contrasts over deals.

A cluster is a deal. For each of K things (strategies, seats, ways to end) it holds a count
``n`` and an integer sum ``y``; the mean of thing k is sum(y_k) / sum(n_k), a ratio of sums. Its
linearised covariance is G/(G-1) sum_g e_ga e_gb / (N_a N_b) with e_gk = y_gk - mean_k n_gk; with
equal counts that is the variance of the deal means over G. All sums are integers and all
arithmetic on them is exact, so nothing depends on the order of the parts, and two strategies that
play alike differ by exactly 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Clusters", "Moments"]

Table = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Moments:
    """Sufficient statistics of clusters; add two of them for the union of their deals.

    Parameters
    ----------
    labels : tuple of str
    scale : int
        Natural units are ``y / scale``.
    clusters : int
        G, the number of deals.
    n, y : tuple of int
        Totals.
    yy, yn, nn : K x K tuples of int
        ``yn[a][b]`` is the sum over deals of y_a n_b.
    """

    labels: tuple[str, ...]
    scale: int
    clusters: int
    n: tuple[int, ...]
    y: tuple[int, ...]
    yy: Table
    yn: Table
    nn: Table

    def __add__(self, other: Moments) -> Moments:
        if (self.labels, self.scale) != (other.labels, other.scale):
            raise ValueError("moments of different things cannot be added")
        return Moments(
            self.labels,
            self.scale,
            self.clusters + other.clusters,
            _plus(self.n, other.n),
            _plus(self.y, other.y),
            *(
                tuple(_plus(a, b) for a, b in zip(left, right, strict=True))
                for left, right in (
                    (self.yy, other.yy),
                    (self.yn, other.yn),
                    (self.nn, other.nn),
                )
            ),
        )

    def mean(self, k: int) -> Fraction:
        """Mean of thing k per count, in natural units; 0 where it never occurs."""
        return Fraction(self.y[k], self.n[k] * self.scale) if self.n[k] else Fraction(0)

    def covariance(self, a: int, b: int) -> Fraction | None:
        """Covariance of the two means; None with fewer than two deals."""
        if self.clusters < 2:
            return None
        na, nb = self.n[a], self.n[b]
        if not na or not nb:
            return Fraction(0)
        products = (
            na * nb * self.yy[a][b]
            - na * self.y[b] * self.yn[a][b]
            - nb * self.y[a] * self.yn[b][a]
            + self.y[a] * self.y[b] * self.nn[a][b]
        )
        below = (self.clusters - 1) * (na * nb * self.scale) ** 2
        return Fraction(self.clusters * products, below)

    def contrast(self, weights: Sequence[int | Fraction]) -> tuple[Fraction, Fraction | None]:
        """Value c'm and variance c'Vc of a contrast of the means."""
        used = [(k, Fraction(w)) for k, w in enumerate(weights) if w]
        value = sum((w * self.mean(k) for k, w in used), Fraction(0))
        variance = Fraction(0)
        for a, wa in used:
            for b, wb in used:
                covariance = self.covariance(a, b)
                if covariance is None:
                    return value, None
                variance += wa * wb * covariance
        return value, variance


@dataclass(frozen=True)
class Clusters:
    """Counts and integer sums per deal.

    Parameters
    ----------
    labels : tuple of str
        The K things.
    n, y : int[G, K]
        Counts and sums per deal.
    scale : int
        Natural units are ``y / scale``.
    """

    labels: tuple[str, ...]
    n: NDArray[np.integer]
    y: NDArray[np.integer]
    scale: int = 1

    @cached_property
    def moments(self) -> Moments:
        """Sufficient statistics."""
        n, y = self.n.astype(np.int64), self.y.astype(np.int64)
        _check_range(n, y)
        return Moments(
            labels=self.labels,
            scale=self.scale,
            clusters=len(n),
            n=tuple(n.sum(axis=0).tolist()),
            y=tuple(y.sum(axis=0).tolist()),
            yy=_products(y, y),
            yn=_products(y, n),
            nn=_products(n, n),
        )

    def difference(self, a: int, b: int) -> NDArray[np.float64]:
        """Deal by deal, mean of a minus mean of b, where both occur (float64[<=G])."""
        both = (self.n[:, a] > 0) & (self.n[:, b] > 0)
        n, y = self.n[both].astype(np.float64), self.y[both].astype(np.float64)
        left = y[:, a] * n[:, b] - y[:, b] * n[:, a]
        return left / (n[:, a] * n[:, b] * self.scale)

    def alike(self, a: int, b: int) -> Fraction | None:
        """Share of deals in which a and b come out exactly alike; None if they never meet."""
        both = (self.n[:, a] > 0) & (self.n[:, b] > 0)
        total = int(both.sum())
        if not total:
            return None
        n, y = self.n[both].astype(np.int64), self.y[both].astype(np.int64)
        same = y[:, a] * n[:, b] == y[:, b] * n[:, a]
        return Fraction(int(same.sum()), total)


def _products(left: NDArray[np.int64], right: NDArray[np.int64]) -> Table:
    columns = range(left.shape[1])
    return tuple(tuple(int(np.dot(left[:, a], right[:, b])) for b in columns) for a in columns)


def _check_range(n: NDArray[np.int64], y: NDArray[np.int64]) -> None:
    """Refuse sums of products that would not fit 64 bits (far beyond any game of rummy)."""
    largest = int(max(np.abs(y).max(initial=0), n.max(initial=0)))
    if largest**2 * max(len(n), 1) >= 2**63:
        raise OverflowError("sums per deal are too large for exact 64-bit moments")


def _plus(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(x + y for x, y in zip(a, b, strict=True))
