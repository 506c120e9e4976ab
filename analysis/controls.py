"""Control variates: taking known luck out of a difference, without bias.

A control is a per-deal number whose mean is exactly 0 (the luck of the draws is a martingale
difference). Its coefficient comes from a pilot and is then a constant; fitted on the deals that
are evaluated it would bend the estimate towards them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ramisim.analysis.clusters import Clusters
from ramisim.analysis.deals import Deals, collect_deals, with_line_up
from ramisim.analysis.runs import Run, reading
from ramisim.analysis.schema import LUCK_UNIT
from ramisim.analysis.special import t_quantile

__all__ = [
    "LUCK_CONTROLS",
    "Control",
    "Controlled",
    "LuckRemoved",
    "fit_control",
    "fit_luck",
    "luck_controls",
    "remove_luck",
]

Array = NDArray[np.float64]

LUCK_CONTROLS: Final = (
    "dealt", "dealt_jokers", "drawn", "drawn_laid", "drawn_fits", "drawn_jokers",
)  # fmt: skip
"""Columns of the table of luck that are controls, each 0 in the mean."""


@dataclass(frozen=True)
class LuckRemoved:
    """A difference with the luck of the cards taken out.

    Parameters
    ----------
    mean, se, low, high : float
    factor : float or None
        Variance before over variance after: as from so many times the deals.
    beta : tuple of float
        Coefficients of `LUCK_CONTROLS`, points a point of deadwood and points a joker.
    pilot_first, pilot_deals : int
        Deals they come from; none of them is analysed.
    """

    mean: float
    se: float
    low: float
    high: float
    factor: float | None
    beta: tuple[float, ...]
    pilot_first: int
    pilot_deals: int


@dataclass(frozen=True)
class Controlled:
    """Differences with their luck removed, and what that gained.

    Parameters
    ----------
    values : float64[n]
    raw_mean, mean : float
        Before and after.
    factor : float or None
        Variance before over variance after: deals saved. None where nothing is left.
    """

    values: Array
    raw_mean: float
    mean: float
    factor: float | None


@dataclass(frozen=True)
class Control:
    """Coefficients of controls, and the deals they were fitted on.

    Parameters
    ----------
    beta : float64[k]
    pilot : uint64[p]
        Deals of the pilot.
    """

    beta: Array
    pilot: NDArray[np.uint64]

    def apply(self, deals: NDArray[np.uint64], differences: Array, controls: Array) -> Controlled:
        """Subtract beta . control from each difference.

        Parameters
        ----------
        deals : uint64[n]
            Must not hold a deal of the pilot.
        differences : float64[n]
        controls : float64[n, k]

        Raises
        ------
        ValueError
            A deal of the pilot is evaluated.
        """
        both = np.intersect1d(deals, self.pilot)
        if len(both):
            raise ValueError(
                f"deal {int(both[0])} is in the pilot: evaluate on deals of their own, "
                "with another range"
            )
        values = differences - _columns(controls) @ self.beta
        before, after = float(np.var(differences)), float(np.var(values))
        return Controlled(
            values,
            float(differences.mean()),
            float(values.mean()),
            before / after if after > 0 else None,
        )


def fit_control(
    deals: NDArray[np.uint64], differences: Array, controls: Array, shrink: bool = False
) -> Control:
    """Fit coefficients on a pilot by least squares.

    Parameters
    ----------
    deals : uint64[p]
    differences : float64[p]
    controls : float64[p] or float64[p, k]
        Controls without any spread get the coefficient 0.
    shrink : bool
        Shrink all coefficients by 1 - 1/F, with F the F statistic of the fit: several controls
        that explain little would else cost more, off the pilot, than they bring. Any fixed
        coefficient leaves the mean where it is.
    """
    x = _columns(controls)
    x = x - x.mean(axis=0)
    spread = x.any(axis=0)
    beta = np.zeros(x.shape[1])
    y = differences - differences.mean()
    beta[spread], *_ = np.linalg.lstsq(x[:, spread], y, rcond=1e-12)
    if shrink:
        beta *= _shrinkage(y, y - x @ beta, int(spread.sum()))
    return Control(beta, np.asarray(deals, dtype=np.uint64))


def luck_controls(run: Run, deals: Deals, pairs: Sequence[tuple[int, int]]) -> list[Array]:
    """Luck of "first minus second" by deal, for each pair float64[deals, controls].

    Parameters
    ----------
    run : Run
        With its table of luck.
    deals : Deals
        Of the run.
    pairs : sequence of (int, int)
        Strategies, by their place in the line-up.

    Raises
    ------
    ValueError
        No luck was measured, or not of every deal.
    """
    if run.luck is None:
        raise ValueError("the run has no table of luck")
    first, stop = deals.coverage.first, deals.coverage.stop
    inside = (pl.col("deal") >= first) & (pl.col("deal") < stop)
    with reading(run.path):
        sums = (
            with_line_up(run.luck.filter(inside), run.manifest)
            .group_by("deal", "entry")
            .agg(pl.len().cast(pl.Int64).alias("games"), pl.col(*LUCK_CONTROLS).sum())
            .sort("deal", "entry")
            .collect(engine="streaming")
        )
    shape = (deals.coverage.used, len(deals.labels))
    at = (sums["deal"].to_numpy() - np.uint64(first)).astype(np.int64), sums["entry"].to_numpy()
    tables = {}
    for name in ("games", *LUCK_CONTROLS):
        table = np.zeros(shape, dtype=np.int64)
        table[at] = sums[name].to_numpy()
        tables[name] = table
    if not np.array_equal(tables["games"], deals.games):
        raise ValueError("the luck of some games was not measured")
    clusters = [Clusters(deals.labels, deals.games, tables[x], LUCK_UNIT) for x in LUCK_CONTROLS]
    return [np.stack([c.difference(a, b) for c in clusters], axis=1) for a, b in pairs]


def fit_luck(pilot: Run, pairs: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Coefficients of the luck for each pair, from the deals of a pilot; for a manifest."""
    deals = collect_deals(pilot)
    points = deals.clusters("points")
    found = []
    for (a, b), controls in zip(pairs, luck_controls(pilot, deals, pairs), strict=True):
        control = fit_control(deals.deal, points.difference(a, b), controls, shrink=True)
        found.append([float(x) for x in control.beta])
    return {
        "controls": list(LUCK_CONTROLS),
        "beta": found,
        "first_deal": deals.coverage.first,
        "deals": deals.coverage.used,
    }


def remove_luck(
    run: Run, deals: Deals, pairs: Sequence[tuple[int, int]], level: float = 0.95
) -> list[LuckRemoved | None]:
    """Each difference with the luck of the cards taken out; None where it was not measured.

    Parameters
    ----------
    run : Run
        Its manifest holds the coefficients of the same pairs.
    deals : Deals
    pairs : sequence of (int, int)
    level : float
        Of Student's interval.
    """
    told = run.manifest.luck
    if run.luck is None or not told or deals.coverage.used < 2:
        return [None] * len(pairs)
    first, n_pilot = int(told["first_deal"]), int(told["deals"])
    pilot = np.arange(n_pilot, dtype=np.uint64) + np.uint64(first)
    points, found = deals.clusters("points"), []
    controls = luck_controls(run, deals, pairs)
    for (a, b), beta, x in zip(pairs, told["beta"], controls, strict=True):
        control = Control(np.array(beta, dtype=np.float64), pilot)
        done = control.apply(deals.deal, points.difference(a, b), x)
        n = len(done.values)
        se = float(done.values.std(ddof=1)) / math.sqrt(n)
        half = se * t_quantile((1 + level) / 2, n - 1)
        ends = done.mean - half, done.mean + half
        found.append(LuckRemoved(done.mean, se, *ends, done.factor, tuple(beta), first, n_pilot))
    return [*found]


def _shrinkage(before: Array, after: Array, controls: int) -> float:
    """Stein's factor 1 - 1/F, at least 0."""
    freedom = len(before) - controls - 1
    left = float(after @ after)
    explained = float(before @ before) - left
    if freedom < 1 or explained <= 0:
        return 0.0
    if left <= 1e-12 * explained:
        return 1.0
    return max(0.0, 1 - controls * left / (freedom * explained))


def _columns(controls: Array) -> Array:
    return controls.reshape(len(controls), -1)
