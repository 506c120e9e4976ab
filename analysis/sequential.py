"""Sequential tests on per-deal differences, in the order of the deals.

The t-SPRT tests whether mean over standard deviation of "A minus B" is t0 or t1. A decision and
an estimate are two things: right after a stop the plain mean is too far out, so it is printed
apart and called so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis.bands import FROM_DEALS, half_width, rho_for

__all__ = [
    "PRESETS",
    "Decision",
    "Outcome",
    "TSprt",
    "deals_for_precision",
    "sprt_bounds",
    "t_sprt_llr",
]

Decision: TypeAlias = Literal["H0", "H1", "continue", "inconclusive"]


def sprt_bounds(alpha: float = 0.05, beta: float = 0.05) -> tuple[float, float]:
    """Wald's bounds of the log likelihood ratio: ln(β/(1-α)) and ln((1-β)/α)."""
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


def t_sprt_llr(n: float, mean: float, variance: float, t0: float, t1: float) -> float:
    """Log likelihood ratio n/2 ln((1+(t-t0)²)/(1+(t-t1)²)) with t = mean/sd.

    Parameters
    ----------
    n : float
        Number of deals.
    mean, variance : float
        Of the differences; the variance divides by n.
    t0, t1 : float
        Under H0 and H1.

    Notes
    -----
    The ratio grows with t up to about 1 and falls behind it. Effects that large, a constant
    difference above all, are held at the top: else a clear winner would be tested for ever.
    """
    if variance > 0:
        t = mean / math.sqrt(variance)
    else:
        t = 0.0 if mean == 0 else math.copysign(math.inf, mean)
    middle, reach = (t0 + t1) / 2, math.hypot(1, (t1 - t0) / 2)
    t = min(max(t, middle - reach), middle + reach)
    return n / 2 * math.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2))


@dataclass(frozen=True)
class Outcome:
    """What a sequential test came to.

    Parameters
    ----------
    decision : {"H0", "H1", "continue", "inconclusive"}
        ``inconclusive`` at the cap, ``continue`` where the deals ran out before it.
    n : int
        Deals at the decision.
    llr : float
    path : tuple of (int, float)
        Every look: number of deals, log likelihood ratio.
    lower, upper : float
        Bounds.
    mean, sd : float
        Of the n differences; after a stop at a bound the mean is biased outward.
    """

    decision: Decision
    n: int
    llr: float
    path: tuple[tuple[int, float], ...]
    lower: float
    upper: float
    mean: float
    sd: float

    @property
    def biased(self) -> bool:
        """Whether the estimate was taken right after a stop at a bound."""
        return self.decision in ("H0", "H1")


@dataclass(frozen=True)
class TSprt:
    """A t-SPRT, looked at in batches of deals.

    Parameters
    ----------
    t0, t1 : float
        Mean over standard deviation under H0 and H1.
    alpha, beta : float
        Error rates.
    batch, least : int
        Deals between looks, and before the first.
    """

    t0: float = 0.0
    t1: float = 0.05
    alpha: float = 0.05
    beta: float = 0.05
    batch: int = 25
    least: int = 200

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bound of the log likelihood ratio."""
        return sprt_bounds(self.alpha, self.beta)

    @property
    def cap(self) -> int:
        """Deals after which the test gives up: 20 times what it takes at a bound."""
        return math.ceil(20 * 5.3 / (self.t1 - self.t0) ** 2)

    def run(self, differences: NDArray[np.float64]) -> Outcome:
        """Look at the differences in order until a bound, the cap, or the end.

        Parameters
        ----------
        differences : float64[n]
            One per deal, in deal order up to the first gap.
        """
        lower, upper = self.bounds
        values = np.asarray(differences, dtype=np.float64)[: self.cap]
        looks = self._looks(len(values))
        sums, squares = np.cumsum(values), np.cumsum(values**2)
        path: list[tuple[int, float]] = []
        decision: Decision = "continue"
        n = len(values)
        llr = 0.0
        for n in looks:
            mean, variance = _mean_variance(n, float(sums[n - 1]), float(squares[n - 1]))
            llr = t_sprt_llr(n, mean, variance, self.t0, self.t1)
            path.append((n, llr))
            if llr <= lower or llr >= upper:
                decision = "H1" if llr >= upper else "H0"
                break
        if decision == "continue" and n >= self.cap:
            decision = "inconclusive"
        mean, variance = _mean_variance(
            n, float(sums[n - 1]) if n else 0.0, float(squares[n - 1]) if n else 0.0
        )
        return Outcome(decision, n, llr, tuple(path), lower, upper, mean, math.sqrt(variance))

    def _looks(self, n: int) -> list[int]:
        looks = list(range(self.least, n + 1, self.batch))
        if n == self.cap and (not looks or looks[-1] < n):
            looks.append(n)
        return looks


PRESETS: Final = {"gain": TSprt(t0=0.0, t1=0.05), "non-regression": TSprt(t0=-0.05, t1=0.0)}
"""``gain``: is A better than B; ``non-regression``: is A not worse. H1 is the good news."""


def deals_for_precision(
    differences: NDArray[np.float64], within: float, planned: int, alpha: float = 0.05
) -> int | None:
    """Return the first number of deals at which the watched band is within ±``within``.

    Parameters
    ----------
    differences : float64[n]
        One per deal, in deal order.
    within : float
        Half width wanted.
    planned : int
        Deals for which the band is tuned.

    Returns
    -------
    int or None
        At least `FROM_DEALS`; None where the deals do not reach it.
    """
    values = np.asarray(differences, dtype=np.float64)
    sums, squares = np.cumsum(values), np.cumsum(values**2)
    rho = rho_for(max(planned, FROM_DEALS), alpha)
    for n in range(FROM_DEALS, len(values) + 1):
        _, variance = _mean_variance(n, float(sums[n - 1]), float(squares[n - 1]))
        if half_width(n, math.sqrt(variance), rho, alpha) <= within:
            return n
    return None


def _mean_variance(n: int, total: float, squares: float) -> tuple[float, float]:
    """Mean and population variance; a variance that is only rounding counts as none."""
    if n == 0:
        return 0.0, 0.0
    mean = total / n
    variance = squares / n - mean**2
    return mean, variance if variance > 1e-12 * (squares / n) else 0.0
