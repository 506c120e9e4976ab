"""All numbers of a series of knock-outs: who wins how many, and how much of a lottery that is.

The unit is the knock-out: each has tables and deals of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ramisim.analysis.clusters import Clusters
from ramisim.analysis.deals import collect_deals, win_units, with_line_up
from ramisim.analysis.estimates import (
    Difference,
    Estimate,
    differences,
    estimate_mean,
    estimate_rate,
    rank_intervals,
)
from ramisim.analysis.meetings import seated_games
from ramisim.analysis.runs import Manifest, Run, reading
from ramisim.analysis.schema import WIN_UNIT
from ramisim.analysis.standing import Lottery, effective_winners, lotteries
from ramisim.errors import RunError

__all__ = ["KnockOuts", "Survivor", "summarise_knock_outs"]


@dataclass(frozen=True)
class Survivor:
    """One strategy in a series of knock-outs.

    Parameters
    ----------
    label : str
    wins : Estimate
        Share of the knock-outs that its players win.
    rank : tuple of int
        Best and worst rank that the paired differences of wins leave open.
    finals : Estimate
        Share of its players that reach the final table.
    points : Estimate
        A match.
    left : float64[stages + 1]
        Share of its players still in at the beginning of each stage, and at the end.
    """

    label: str
    wins: Estimate
    rank: tuple[int, int]
    finals: Estimate
    points: Estimate
    left: NDArray[np.float64]


@dataclass(frozen=True)
class KnockOuts:
    """Everything a report of knock-outs says.

    Parameters
    ----------
    place : str
    manifest : Manifest
    events, first, dropped : int
        Knock-outs analysed, number of the first, and those that are not whole.
    level : float
    board : tuple of Survivor
        By wins.
    wins : tuple of Difference
        All pairs on the board, "higher minus lower", with Holm.
    seats : tuple of Estimate
        Share of tables of the first stage that each seat leads.
    lottery : Lottery
        Of this format.
    beside : tuple of Lottery
        Round robins of the same strategies, where they were given.
    strongest : str
        Whom the lotteries take for the strongest: the first of that round robin, else of this
        board.
    """

    place: str
    manifest: Manifest
    events: int
    first: int
    dropped: int
    level: float
    board: tuple[Survivor, ...]
    wins: tuple[Difference, ...]
    seats: tuple[Estimate, ...]
    lottery: Lottery
    beside: tuple[Lottery, ...]
    strongest: str


def summarise_knock_outs(run: Run, level: float = 0.95, beside: Run | None = None) -> KnockOuts:
    """Analyse a series of knock-outs.

    Parameters
    ----------
    run : Run
    level : float
    beside : Run, optional
        A round robin of the same strategies: which format is more of a lottery?

    Raises
    ------
    RunError
        Another kind of run, no whole knock-out yet, or parts that cannot be read.
    """
    told = run.manifest.tournament
    if "stages" not in told:
        raise RunError(f"{run.path} is not a series of knock-outs")
    with reading(run.path):
        rows = with_line_up(run.games, run.manifest).collect(engine="streaming")
    stages = told["stages"]
    rows, first, dropped = _whole(rows, run, sum(sum(s["tables"]) for s in stages))
    labels, per_player = run.manifest.labels, int(told["entrants"]) // len(run.manifest.labels)
    events = rows["event"].n_unique()
    counts = _Counts(rows, first, events, len(labels))
    out = pl.col("went_on").not_()
    last = pl.col("stage") == len(stages) - 1
    final_from = next(k for k, stage in enumerate(stages) if stage["final"])
    wins = Clusters(labels, counts.ones(), counts.of(last & ~out))
    beaten = counts.of(out & (pl.col("stage") < final_from))
    finals = Clusters(labels, per_player * counts.ones(), per_player - beaten).moments
    points = Clusters(
        labels, counts.of(pl.col("went_on").is_not_null()), counts.total("points")
    ).moments
    order = sorted(range(len(labels)), key=lambda k: (-wins.moments.y[k], labels[k]))
    found = differences(wins, order, level)
    names = [labels[k] for k in order]
    ranks = rank_intervals(names, found, 1 - level)
    gone = np.array(
        [counts.of(out & (pl.col("stage") == k)).sum(axis=0) for k in range(len(stages))]
    )
    left = 1 - np.cumsum(np.vstack([0 * gone[:1], gone]), axis=0) / (events * per_player)
    shares = np.array([wins.moments.y[k] / events for k in order])
    strongest, others = (names[0], ()) if beside is None else _round_robins(beside, names)
    best = float(shares[names.index(strongest)])
    return KnockOuts(
        place=str(run.path),
        manifest=run.manifest,
        events=events,
        first=first,
        dropped=dropped,
        level=level,
        board=tuple(
            Survivor(
                label=labels[k],
                wins=estimate_rate(wins.moments, k, level),
                rank=ranks[labels[k]],
                finals=estimate_rate(finals, k, level),
                points=estimate_mean(points, k, level),
                left=left[:, k],
            )
            for k in order
        ),
        wins=tuple(found),
        seats=_seats(rows, first, events, level),
        lottery=Lottery(
            "knock-out", 0, int(told["games_per_deal"]), best, effective_winners(shares), shares
        ),
        beside=others,
        strongest=strongest,
    )


def check_beside(run: Run, names: Sequence[str]) -> None:
    """Whether a run can be set beside knock-outs of these strategies.

    Raises
    ------
    RunError
        It is no round robin of the same strategies.
    """
    if run.manifest.design != "round-robin" or set(run.manifest.labels) != set(names):
        raise RunError(f"{run.path} is no round robin of the same strategies: {', '.join(names)}")


def _round_robins(run: Run, names: list[str]) -> tuple[str, tuple[Lottery, ...]]:
    """The first of a round robin of the same strategies, and who wins its smaller likes."""
    check_beside(run, names)
    deals = collect_deals(run)
    means = deals.clusters("points").moments
    best = min(range(len(names)), key=lambda k: (-means.mean(k), deals.labels[k]))
    return deals.labels[best], tuple(lotteries(seated_games(run, deals), best))


@dataclass(frozen=True)
class _Counts:
    """Counts and sums of rows by knock-out and strategy."""

    rows: pl.DataFrame
    first: int
    events: int
    strategies: int

    def ones(self) -> NDArray[np.int64]:
        return np.ones((self.events, self.strategies), dtype=np.int64)

    def of(self, condition: pl.Expr) -> NDArray[np.int64]:
        return self._summed(condition.cast(pl.Int64))

    def total(self, column: str) -> NDArray[np.int64]:
        return self._summed(pl.col(column).cast(pl.Int64))

    def _summed(self, values: pl.Expr) -> NDArray[np.int64]:
        sums = self.rows.group_by("event", "entry").agg(values.sum().alias("y"))
        out = np.zeros((self.events, self.strategies), dtype=np.int64)
        out[sums["event"].to_numpy().astype(np.int64) - self.first, sums["entry"].to_numpy()] = (
            sums["y"].to_numpy()
        )
        return out


def _whole(rows: pl.DataFrame, run: Run, expected: int) -> tuple[pl.DataFrame, int, int]:
    """Rows of the whole knock-outs up to the first gap, the first, and how many are dropped."""
    first = run.manifest.first_deal or 0
    sizes = rows.group_by("event").len().sort("event")
    in_order = sizes["event"].cast(pl.Int64) == pl.int_range(first, first + len(sizes), eager=True)
    whole = (in_order & (sizes["len"] == expected)).to_numpy()
    used = int(np.logical_and.accumulate(whole).sum()) if len(whole) else 0
    if not used:
        raise RunError(f"{run.path} holds no whole knock-out yet")
    return rows.filter(pl.col("event") < first + used), first, len(sizes) - used


def _seats(rows: pl.DataFrame, first: int, events: int, level: float) -> tuple[Estimate, ...]:
    """Share of the wins of each seat, at the largest tables of the first stage."""
    size = pl.len().over("event", "table")
    tables = rows.filter(pl.col("stage") == 0).filter(size == size.max())
    sums = tables.group_by("event", "seat").agg(pl.len().alias("n"), win_units().sum().alias("y"))
    n = np.zeros((2, events, int(tables["seat"].max()) + 1), dtype=np.int64)  # type: ignore[arg-type]
    at = sums["event"].to_numpy().astype(np.int64) - first, sums["seat"].to_numpy()
    n[0][at], n[1][at] = sums["n"].to_numpy(), sums["y"].to_numpy()
    labels = tuple(str(seat) for seat in range(n.shape[2]))
    moments = Clusters(labels, n[0], n[1], WIN_UNIT).moments
    return tuple(estimate_rate(moments, k, level) for k in range(len(labels)))
