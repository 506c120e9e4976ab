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

from ramisim.analysis.bands import FROM_DEALS, half_widths, rho_for

__all__ = [
    "PRESETS",
    "Decision",
    "Following",
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
    most : int, optional
        A cap of your own, if it is lower.
    """

    t0: float = 0.0
    t1: float = 0.05
    alpha: float = 0.05
    beta: float = 0.05
    batch: int = 25
    least: int = 200
    most: int | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bound of the log likelihood ratio."""
        return sprt_bounds(self.alpha, self.beta)

    @property
    def cap(self) -> int:
        """Deals after which the test gives up: 20 times what it takes at a bound, or `most`."""
        cap = math.ceil(20 * 5.3 / (self.t1 - self.t0) ** 2)
        return cap if self.most is None else min(cap, self.most)

    def run(self, differences: NDArray[np.float64]) -> Outcome:
        """Look at the differences in order until a bound, the cap, or the end.

        Parameters
        ----------
        differences : float64[n]
            One per deal, in deal order up to the first gap.
        """
        following = Following(self)
        following.add(np.asarray(differences, dtype=np.float64))
        return following.outcome()


class Following:
    """A t-SPRT that is fed the differences piece by piece; the pieces change nothing.

    Parameters
    ----------
    test : TSprt

    Attributes
    ----------
    over : bool
        A bound or the cap has been reached; what is added later is not looked at.
    """

    def __init__(self, test: TSprt) -> None:
        self.test = test
        self.over = False
        self._n, self._sum, self._squares = 0, 0.0, 0.0
        self._decision: Decision = "continue"
        self._path: list[tuple[int, float]] = []
        self._at_look = (0, 0.0, 0.0)

    def add(self, differences: NDArray[np.float64]) -> None:
        """Look at the next differences, in deal order."""
        values = differences[: max(self.test.cap - self._n, 0)]
        if self.over or not len(values):
            return
        # Running sums, not sums of parts: the same to the last bit for any pieces.
        sums = np.cumsum(np.concatenate([[self._sum], values]))
        squares = np.cumsum(np.concatenate([[self._squares], values**2]))
        before, self._n = self._n, self._n + len(values)
        self._sum, self._squares = float(sums[-1]), float(squares[-1])
        for n in self._looks(before):
            if self._look(n, float(sums[n - before]), float(squares[n - before])):
                self.over = True
                return

    def outcome(self) -> Outcome:
        """What the test has come to so far."""
        lower, upper = self.test.bounds
        n, total, squares = self._at_look if self._path else (self._n, self._sum, self._squares)
        mean, variance = _mean_variance(n, total, squares)
        llr = self._path[-1][1] if self._path else 0.0
        return Outcome(
            self._decision, n, llr, tuple(self._path), lower, upper, mean, math.sqrt(variance)
        )

    def _looks(self, before: int) -> list[int]:
        """Looks that became due since ``before``."""
        test = self.test
        steps = max(0, -(-(before + 1 - test.least) // test.batch))
        looks = list(range(test.least + steps * test.batch, self._n + 1, test.batch))
        if self._n == test.cap and (not looks or looks[-1] < self._n):
            looks.append(self._n)
        return looks

    def _look(self, n: int, total: float, squares: float) -> bool:
        """Look at the first n deals; whether the test is over."""
        test = self.test
        lower, upper = test.bounds
        mean, variance = _mean_variance(n, total, squares)
        llr = t_sprt_llr(n, mean, variance, test.t0, test.t1)
        self._path.append((n, llr))
        self._at_look = (n, total, squares)
        if llr >= upper:
            self._decision = "H1"
        elif llr <= lower:
            self._decision = "H0"
        elif n >= test.cap:
            self._decision = "inconclusive"
        return self._decision != "continue"


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
    n = np.arange(1, len(values) + 1, dtype=np.float64)
    mean = np.cumsum(values) / n
    variance = np.maximum(np.cumsum(values**2) / n - mean**2, 0.0)
    rho = rho_for(max(planned, FROM_DEALS), alpha)
    precise = half_widths(n, np.sqrt(variance), rho, alpha) <= within
    reached = np.flatnonzero(precise[FROM_DEALS - 1 :])
    return FROM_DEALS + int(reached[0]) if len(reached) else None


def _mean_variance(n: int, total: float, squares: float) -> tuple[float, float]:
    """Mean and population variance; a variance that is only rounding counts as none."""
    if n == 0:
        return 0.0, 0.0
    mean = total / n
    variance = squares / n - mean**2
    return mean, variance if variance > 1e-12 * (squares / n) else 0.0
