"""Where the variance of points comes from: strategy, seat, deal, and the rest."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ramisim.analysis.deals import Deals, with_line_up
from ramisim.analysis.estimates import cluster_mean
from ramisim.analysis.runs import Run, reading

__all__ = [
    "Components",
    "components_of",
    "design_effect",
    "intraclass",
    "variance_components",
]


@dataclass(frozen=True)
class Components:
    """Variance components of the points of a game.

    Parameters
    ----------
    strategy, seat : float
        Variance of their effects, corrected for what chance adds.
    deal : float
        Variance of the cards dealt to a seat, the same in every seating.
    rest : float
    """

    strategy: float
    seat: float
    deal: float
    rest: float

    @property
    def total(self) -> float:
        """Sum of the four."""
        return self.strategy + self.seat + self.deal + self.rest

    @property
    def skill_share(self) -> float:
        """Share of the strategies in the variance; 0 where nothing varies."""
        return self.strategy / self.total if self.total else 0.0


def variance_components(run: Run, deals: Deals) -> Components | None:
    """Split the variance of points; None where each deal was played once.

    Strategy and seat are fixed effects (differences of means), the cards of a (deal, seat) a
    random one: between-cells minus within-cells mean squares over the number of seatings.
    """
    k = deals.coverage.games_per_deal
    if k < 2 or deals.coverage.used < 2:
        return None
    first, stop = deals.coverage.first, deals.coverage.stop
    with reading(run.path):
        rows = pl.concat(
            with_line_up(
                batch.filter((pl.col("deal") >= first) & (pl.col("deal") < stop)), run.manifest
            )
            .select("deal", "rotation", "seat", "entry", "points")
            .collect(engine="streaming")
            for batch in run.game_batches()
        ).sort("deal", "seat", "rotation")
    points = rows["points"].to_numpy().astype(np.float64)
    return components_of(points, rows["entry"].to_numpy(), rows["seat"].to_numpy(), k)


def components_of(
    points: NDArray[np.float64],
    entry: NDArray[np.integer],
    seat: NDArray[np.integer],
    k: int,
    floor: float = 0.0,
) -> Components:
    """Split the variance of points given row by row.

    Parameters
    ----------
    points, entry, seat : arrays of one length
        Points, strategy and seat of a row, the k games of a (deal, seat) next to one another.
    k : int
        Games a deal, at least two.
    floor : float
        No component is less: 0 to report them, minus infinity where an average must be unbiased.
    """
    by_strategy, by_seat = _effects(points, entry, seat)
    cells = (points - by_strategy[entry] - by_seat[seat]).reshape(-1, k)
    within = float(cells.var(axis=1, ddof=1).mean())
    between = k * float(cells.mean(axis=1).var(ddof=1))
    return Components(
        strategy=max(floor, _true_variance(by_strategy, within, np.bincount(entry))),
        seat=max(floor, _true_variance(by_seat, between, np.bincount(seat))),
        deal=max(floor, (between - within) / k),
        rest=within,
    )


def intraclass(values: Sequence[float], groups: Sequence[Hashable]) -> float:
    """Intraclass correlation of equal groups, from mean squares; 0 where nothing varies."""
    table = _table(values, groups)
    g, k = table.shape
    between = k * float(table.mean(axis=1).var(ddof=1))
    within = float(((table - table.mean(axis=1, keepdims=True)) ** 2).sum()) / (g * (k - 1))
    below = between + (k - 1) * within
    return (between - within) / below if below else 0.0


def design_effect(values: Sequence[float], groups: Sequence[Hashable]) -> float:
    """How many times the variance of a mean is larger than if the values were independent."""
    se = cluster_mean(values, groups).se
    spread = float(np.var(np.asarray(values, dtype=np.float64), ddof=1))
    if se is None or spread == 0:
        return 1.0
    return se**2 * len(values) / spread


def _effects(
    points: NDArray[np.float64], entry: NDArray[np.integer], seat: NDArray[np.integer]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Least squares effects of strategy and seat; balanced designs need one pass, others few."""
    seats = np.zeros(int(seat.max()) + 1)
    strategies = np.zeros(int(entry.max()) + 1)
    for _ in range(50):
        before = seats.copy()
        strategies = _means(points - seats[seat], entry)
        seats = _means(points - strategies[entry], seat)
        if float(np.abs(seats - before).max()) < 1e-9:
            break
    return strategies, seats


def _means(values: NDArray[np.float64], which: NDArray[np.integer]) -> NDArray[np.float64]:
    times = np.bincount(which)
    return np.bincount(which, weights=values) / np.maximum(times, 1)


def _true_variance(effects: NDArray[np.float64], noise: float, times: NDArray[np.integer]) -> float:
    """Variance of the effects less what the noise of their means adds."""
    present = times > 0
    if present.sum() < 2:
        return 0.0
    raw = float(effects[present].var(ddof=1)) - noise * float(np.mean(1 / times[present]))
    known = int(present.sum())
    return raw * (known - 1) / known


def _table(values: Sequence[float], groups: Sequence[Hashable]) -> NDArray[np.float64]:
    found: dict[Hashable, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        found.setdefault(group, []).append(value)
    if len({len(v) for v in found.values()}) != 1:
        raise ValueError("intraclass correlation needs groups of one size")
    return np.array(list(found.values()), dtype=np.float64)
