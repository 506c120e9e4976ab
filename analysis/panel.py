"""The balance panel of one rule set and line-up: every metric, seats, lengths and standings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl
from scipy import stats

from ramisim.analysis.estimates import (
    Estimate,
    differences,
    estimate_mean,
    estimate_rate,
    rank_intervals,
)
from ramisim.analysis.metrics import METRICS, games_to_tell, measure
from ramisim.analysis.observed import Observed
from ramisim.analysis.quantiles import quantile_intervals
from ramisim.analysis.runs import reading
from ramisim.analysis.table import SeatEffect, seat_effect
from ramisim.analysis.values import Interval, Values

__all__ = ["LENGTHS", "Panel", "Standing", "Telling", "make_panel", "standings", "telling"]

LENGTHS: Final = (0.05, 0.5, 0.95)
DRAWS: Final = 300
"""Resampled sets of deals behind the interval of a quantile."""


@dataclass(frozen=True)
class Standing:
    """Where a strategy stands under a rule set.

    Parameters
    ----------
    label : str
    points, wins : Estimate
    by_points, by_wins : int
        Rank in the order of each; the two may differ.
    rank : tuple of int
        Best and worst rank by points that the paired differences leave open.
    """

    label: str
    points: Estimate
    wins: Estimate
    by_points: int
    by_wins: int
    rank: tuple[int, int]


@dataclass(frozen=True)
class Telling:
    """Games after which the better of two strategies is ahead in 95 % of the cases.

    Parameters
    ----------
    a, b : str
        The better one first.
    games, low, high : float or None
        None is "never": at that end of the interval they are alike.
    """

    a: str
    b: str
    games: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Panel:
    """How a rule set plays.

    Parameters
    ----------
    metrics : dict of str to Interval or None
        Every metric by name; None where the run cannot tell.
    seats : SeatEffect
    turns, rounds : dict of float to tuple of float
        Quantiles of the turns of a round and the rounds of a match, with their intervals.
    standings : tuple of Standing
        By points, best first.
    agreement : float or None
        Kendall's tau-b between the orders by points and by wins; None with one strategy.
    telling : Telling or None
        For the first two of the line-up.
    deals, games : int
    """

    metrics: Mapping[str, Interval | None]
    seats: SeatEffect
    turns: Mapping[float, tuple[float, float, float]]
    rounds: Mapping[float, tuple[float, float, float]]
    standings: tuple[Standing, ...]
    agreement: float | None
    telling: Telling | None
    deals: int
    games: int


def make_panel(
    seen: Observed, values: Mapping[str, Values | None] | None = None, level: float = 0.95
) -> Panel:
    """Everything a panel shows of a run.

    Parameters
    ----------
    seen : Observed
    values : mapping, optional
        The metrics, if they have been measured already.
    level : float
    """
    if values is None:
        values = {name: measure(name, seen) for name in METRICS}
    metrics = {
        name: None if v is None else METRICS[name].interval(v, level) for name, v in values.items()
    }
    board = standings(seen, level)
    labels = seen.deals.labels
    return Panel(
        metrics=metrics,
        seats=seat_effect(seen.run, seen.deals, level),
        turns=_turns(seen, level),
        rounds=_quantiles(seen.column("rounds")[:, :, 0], level),
        standings=board,
        agreement=_agreement(board),
        telling=telling(metrics["signal"], labels[0], labels[1]) if len(labels) > 1 else None,
        deals=seen.deals.coverage.used,
        games=seen.deals.coverage.games,
    )


def standings(seen: Observed, level: float = 0.95) -> tuple[Standing, ...]:
    """Strategies by mean points, with ranks by points and by wins."""
    deals = seen.deals
    points, wins = deals.clusters("points"), deals.clusters("win")
    playing = [k for k, n in enumerate(points.moments.n) if n]
    order = sorted(playing, key=lambda k: (-points.moments.mean(k), deals.labels[k]))
    won = sorted(playing, key=lambda k: (-wins.moments.mean(k), deals.labels[k]))
    names = [deals.labels[k] for k in order]
    ranks = rank_intervals(names, differences(points, order, level), 1 - level)
    return tuple(
        Standing(
            label=deals.labels[k],
            points=estimate_mean(points.moments, k, level),
            wins=estimate_rate(wins.moments, k, level),
            by_points=1 + place,
            by_wins=1 + won.index(k),
            rank=ranks[deals.labels[k]],
        )
        for place, k in enumerate(order)
    )


def telling(signal: Interval | None, a: str, b: str) -> Telling | None:
    """Games to tell two strategies apart, from the signal of a minus b.

    Examples
    --------
    >>> from ramisim.analysis.values import Interval
    >>> found = telling(Interval(0.1, 0.02, 0.05, 0.15, 0.0, 40), "a", "b")
    >>> round(found.low), round(found.games), round(found.high)
    (120, 271, 1082)
    """
    if signal is None or signal.low is None or signal.high is None:
        return None
    if signal.value < 0:
        a, b = b, a
    near, far = sorted((abs(signal.low), abs(signal.high)))
    return Telling(
        a, b, games_to_tell(signal.value), games_to_tell(far),
        games_to_tell(near) if signal.clear else None,
    )  # fmt: skip


def _agreement(board: tuple[Standing, ...]) -> float | None:
    if len(board) < 2:
        return None
    found: Any = stats.kendalltau([s.points.mean for s in board], [s.wins.mean for s in board])
    tau = float(found[0])
    return tau if math.isfinite(tau) else None


def _turns(seen: Observed, level: float) -> dict[float, tuple[float, float, float]]:
    """Quantiles of the turns of a round, all players together."""
    if seen.run.rounds is None or seen.rounds is None:
        return {}
    first, stop = seen.deals.coverage.first, seen.deals.coverage.stop
    with reading(seen.run.path):
        rows = pl.concat(
            batch.filter((pl.col("deal") >= first) & (pl.col("deal") < stop))
            .group_by("deal", "rotation", "round")
            .agg(pl.col("turns").cast(pl.Int64).sum())
            .select("deal", "turns")
            .collect(engine="streaming")
            for batch in seen.run.round_batches()
        ).sort("deal", "turns")
    groups = (rows["deal"].to_numpy() - np.uint64(first)).astype(np.int64)
    turns = rows["turns"].to_numpy().astype(np.float64)
    return quantile_intervals(turns, groups, LENGTHS, DRAWS, level)


def _quantiles(table: np.ndarray, level: float) -> dict[float, tuple[float, float, float]]:
    """Quantiles of a table of deals and games."""
    groups = np.repeat(np.arange(len(table)), table.shape[1])
    return quantile_intervals(table.reshape(-1).astype(np.float64), groups, LENGTHS, DRAWS, level)
