"""Bands that may be watched: asymptotic confidence sequences for a running mean.

A fixed-n interval that is looked at 150 times misses half the time; the sequence holds at all
looks together (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, Annals of Statistics 2024).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = [
    "FROM_DEALS",
    "Running",
    "half_width",
    "half_widths",
    "planned_for",
    "rho_for",
    "running_mean",
]

FROM_DEALS: Final = 100
"""The sequence is asymptotic: no band, and no stop, before this many deals."""


@dataclass(frozen=True)
class Running:
    """A running mean with its band.

    Parameters
    ----------
    n : int64[k]
        Numbers of deals looked at, ascending.
    mean : float64[k]
        Mean of the first n differences.
    half : float64[k]
        Half width of the band, NaN-free: infinite before `FROM_DEALS` deals.
    planned : int
        Deals for which the band is tuned.
    """

    n: NDArray[np.int64]
    mean: NDArray[np.float64]
    half: NDArray[np.float64]
    planned: int

    @property
    def banded(self) -> NDArray[np.bool_]:
        """Where there is a band (bool[k])."""
        return np.isfinite(self.half)


def rho_for(n_opt: float, alpha: float = 0.05) -> float:
    """The tuning ρ that makes the band tightest at n_opt: ρ² = (-W₋₁(-α²/e) - 1)/n_opt."""
    w = float(np.real(special.lambertw(-(alpha**2) / math.e, k=-1)))
    return math.sqrt((-w - 1) / n_opt)


def half_width(n: float, sd: float, rho: float, alpha: float = 0.05) -> float:
    """Half width sd sqrt(2(nρ²+1)/(n²ρ²) ln(sqrt(nρ²+1)/α)) of the sequence at n."""
    grown = n * rho**2 + 1
    return sd * math.sqrt(2 * grown / (n**2 * rho**2) * math.log(math.sqrt(grown) / alpha))


def half_widths(
    n: NDArray[np.float64], sd: NDArray[np.float64], rho: float, alpha: float = 0.05
) -> NDArray[np.float64]:
    """`half_width` of many at once."""
    grown = n * rho**2 + 1
    wide = np.sqrt(2 * grown / (n**2 * rho**2) * np.log(np.sqrt(grown) / alpha))
    return np.asarray(sd * wide, dtype=np.float64)


def planned_for(sd: float, within: float, alpha: float = 0.05) -> int:
    """Deals at which a band tuned for just that number is within ±``within``.

    Parameters
    ----------
    sd : float
        Standard deviation of the per-deal difference, from a pilot.
    within : float
        Half width wanted.

    Returns
    -------
    int
        At least `FROM_DEALS`.
    """
    # Tuned for its own n, the half width is sd times a constant over sqrt(n).
    unit = half_width(1.0, sd, rho_for(1.0, alpha), alpha)
    return max(FROM_DEALS, math.ceil((unit / within) ** 2))


def running_mean(
    values: NDArray[np.float64], planned: int, alpha: float = 0.05, looks: int = 240
) -> Running:
    """Running mean of per-deal differences, in deal order, at log-spaced numbers of deals.

    Parameters
    ----------
    values : float64[n]
    planned : int
        Deals planned; the band is tightest there.
    alpha : float
        One minus the level of the whole sequence.
    looks : int
        At most this many points.
    """
    total = len(values)
    if not total:
        raise ValueError("no deals")
    start = min(10, total)
    n = np.unique(np.geomspace(start, total, looks).round().astype(np.int64))
    # Centred first: the squares of far-off values would drown the variance.
    centre = float(values.mean())
    centred = values - centre
    sums, squares = np.cumsum(centred)[n - 1], np.cumsum(centred**2)[n - 1]
    variance = np.maximum(squares / n - (sums / n) ** 2, 0.0)
    rho = rho_for(max(planned, FROM_DEALS), alpha)
    half = np.array(
        [
            half_width(k, math.sqrt(v), rho, alpha) if k >= FROM_DEALS else math.inf
            for k, v in zip(n.tolist(), variance.tolist(), strict=True)
        ]
    )
    return Running(n, sums / n + centre, half, planned)
