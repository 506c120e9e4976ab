"""When a comparison ends: after so many deals, when precise enough, or when a test decides.

The rule is fixed before the first deal and looks at the deals in their order, so that neither
the number of threads nor the games that end first have a say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis.bands import FROM_DEALS, half_widths, planned_for, rho_for
from ramisim.analysis.sequential import PRESETS, Following, Outcome, TSprt

__all__ = ["KINDS", "Kind", "StopRule", "Watch"]

Kind: TypeAlias = Literal["deals", "within", "gain", "non-regression"]
KINDS: Final = ("deals", "within", *PRESETS)
Array: TypeAlias = NDArray[np.float64]

TIMES_PLANNED: Final = 10
"""A run that is to be precise gives up at so many times the deals the pilot promised."""


@dataclass(frozen=True)
class StopRule:
    """A stopping rule, see `after`, `precise` and `tested`.

    Parameters
    ----------
    kind : {"deals", "within", "gain", "non-regression"}
    most : int
        Deals after which the run ends in any case.
    planned : int
        Deals for which the watched bands are tightest.
    pairs : int
        Comparisons in the family: bands and tests hold for all of them together (Bonferroni).
    within : float or None
        Half width wanted, for ``within``.
    alpha, beta : float
        Error rates of the family.
    """

    kind: Kind
    most: int
    planned: int
    pairs: int = 1
    within: float | None = None
    alpha: float = 0.05
    beta: float = 0.05

    @classmethod
    def after(cls, deals: int, pairs: int = 1) -> StopRule:
        """End after a number of deals."""
        return cls("deals", deals, deals, pairs)

    @classmethod
    def precise(cls, within: float, sd: float, pairs: int = 1, most: int | None = None) -> StopRule:
        """End when every band is within ±``within``; ``sd`` per deal comes from a pilot."""
        if not within > 0:
            raise ValueError("the half width wanted must be positive")
        planned = planned_for(sd, within, 0.05 / pairs)
        return cls("within", most or TIMES_PLANNED * planned, planned, pairs, within)

    @classmethod
    def tested(cls, preset: str, pairs: int = 1, most: int | None = None) -> StopRule:
        """End when the sequential test of a preset has decided every pair."""
        kind: Kind = "gain" if preset == "gain" else "non-regression"
        whole = PRESETS[kind].cap
        cap = whole if most is None else min(most, whole)
        return cls(kind, cap, min(cap, whole // 20), pairs)

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> StopRule:
        """Read what `to_dict` wrote."""
        return cls(**told)

    def to_dict(self) -> dict[str, Any]:
        """The rule for a manifest."""
        return asdict(self)

    @property
    def test(self) -> TSprt | None:
        """The sequential test of each pair; None where there is none."""
        preset = PRESETS.get(self.kind)
        if preset is None:
            return None
        return replace(
            preset, alpha=self.alpha / self.pairs, beta=self.beta / self.pairs, most=self.most
        )


class Watch:
    """Follows the differences of all pairs in deal order, and says when to end.

    Parameters
    ----------
    rule : StopRule

    Attributes
    ----------
    n : int
        Deals seen.
    ended : int or None
        Deals that count, once the rule has ended the run; later ones are not looked at.
    """

    def __init__(self, rule: StopRule) -> None:
        self.rule = rule
        self.n = 0
        self.ended: int | None = None
        self._sums = np.zeros(rule.pairs)
        self._squares = np.zeros(rule.pairs)
        self._rho = rho_for(max(rule.planned, FROM_DEALS), self._alpha)
        test = rule.test
        self._tests = [] if test is None else [Following(test) for _ in range(rule.pairs)]

    def add(self, differences: Array) -> None:
        """Look at the next deals.

        Parameters
        ----------
        differences : float64[pairs, n]
            One row a pair, one column a deal, in the order of the deals.
        """
        if self.ended is not None or not differences.shape[1]:
            return
        values = differences[:, : self.rule.most - self.n]
        sums = np.cumsum(np.column_stack([self._sums, values]), axis=1)[:, 1:]
        squares = np.cumsum(np.column_stack([self._squares, values**2]), axis=1)[:, 1:]
        before = self.n
        for following, row in zip(self._tests, values, strict=False):
            following.add(row)
        self.n = before + values.shape[1]
        self._sums, self._squares = sums[:, -1], squares[:, -1]
        self.ended = self._end(before, sums, squares)
        if self.ended is not None:
            at = self.ended - before - 1
            self.n, self._sums, self._squares = self.ended, sums[:, at], squares[:, at]

    def means(self) -> Array:
        """Mean difference of each pair so far (float64[pairs])."""
        return np.asarray(self._sums / max(self.n, 1))

    def halves(self) -> Array:
        """Half width of each watched band; infinite before `FROM_DEALS` deals."""
        n = np.array([max(self.n, 1)])
        return self._halves(n, self._sums[:, None], self._squares[:, None])[:, 0]

    def outcomes(self) -> list[Outcome]:
        """The tests as they stand, one a pair; none without a test."""
        return [following.outcome() for following in self._tests]

    @property
    def _alpha(self) -> float:
        return self.rule.alpha / self.rule.pairs

    def _halves(self, n: NDArray[np.int64], sums: Array, squares: Array) -> Array:
        variance = np.maximum(squares / n - (sums / n) ** 2, 0.0)
        half = half_widths(n.astype(np.float64), np.sqrt(variance), self._rho, self._alpha)
        return np.where(n >= FROM_DEALS, half, np.inf)

    def _end(self, before: int, sums: Array, squares: Array) -> int | None:
        if self.rule.within is not None:
            n = np.arange(before + 1, self.n + 1)
            widest = self._halves(n, sums, squares).max(axis=0)
            reached = np.flatnonzero(widest <= self.rule.within)
            if len(reached):
                return int(n[reached[0]])
        if self._tests and all(following.over for following in self._tests):
            return max(following.outcome().n for following in self._tests)
        return self.rule.most if self.n >= self.rule.most else None
