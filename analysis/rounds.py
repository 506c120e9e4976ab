"""Rounds: how they end, how long they last, and how each strategy plays them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ramisim.analysis import schema
from ramisim.analysis.clusters import Clusters
from ramisim.analysis.deals import Deals, joined, sums_by, with_line_up
from ramisim.analysis.estimates import Estimate, estimate_mean, estimate_rate
from ramisim.analysis.quantiles import quantiles_of_counts
from ramisim.analysis.runs import Run, reading

__all__ = ["HABITS", "Length", "Rounds", "collect_rounds"]

HABITS: Final = (
    "points",
    "laid",
    "deadwood",
    "went_out",
    "turns",
    "discard_draws",
    "deep_cards",
    "melds",
    "lay_offs",
    "swaps",
)
"""Columns of ``rounds`` whose means per round describe how a strategy plays."""

QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Length:
    """Length of a round: turns of all players together.

    Parameters
    ----------
    mean : Estimate
        With the standard error of a ratio over deals.
    sd : float
    quantiles : dict of float to int
    counts : tuple of (int, int)
        Length and number of rounds, ascending.
    """

    mean: Estimate
    sd: float
    quantiles: dict[float, int]
    counts: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Rounds:
    """What the rounds of the analysed deals say.

    Parameters
    ----------
    deals, rounds : int
        How many of each; ``deals`` is smaller than analysed where round parts are missing.
    ends : tuple of Estimate
        Share of each way to end that occurs.
    length : Length
    habits : dict of str to tuple of Estimate
        Mean per round of each column of ``HABITS``, by strategy.
    """

    deals: int
    rounds: int
    ends: tuple[Estimate, ...]
    length: Length
    habits: dict[str, tuple[Estimate, ...]]


def collect_rounds(run: Run, deals: Deals, level: float = 0.95) -> Rounds | None:
    """End reasons, lengths and habits; None where the run kept no rounds.

    Rounds are compared with the games: a deal whose rounds are not all there is left out.
    """
    if run.rounds is None:
        return None
    with reading(run.path):
        by_end = sums_by(
            (rows.filter(pl.col("seat") == 0) for rows in _rows(run, deals.deal)),
            ("deal", "end"),
            [pl.len().cast(pl.Int32).alias("rounds")],
        )
        used = deals.deal[: _whole(by_end, deals)]
        if not len(used):
            return None
        by_deal, by_turns = _lengths(_rows(run, used))
        by_entry = sums_by(
            _rows(run, used),
            ("deal", "entry"),
            [pl.len().cast(pl.Int32).alias("n"), *(pl.col(h).cast(pl.Int32).sum() for h in HABITS)],
        )
    ends = _ends(by_end, used, level)
    length = _length(by_deal, by_turns, level)
    habits = _habits(by_entry, used, deals.labels, level)
    return Rounds(len(used), length.mean.games, ends, length, habits)


def _rows(run: Run, used: NDArray[np.uint64]) -> Iterator[pl.LazyFrame]:
    """Rows of the deals used, a range without gaps."""
    inside = (pl.col("deal") >= used[0]) & (pl.col("deal") <= used[-1])
    for batch in run.round_batches():
        rows = with_line_up(batch.filter(inside), run.manifest)
        yield rows.with_columns(pl.col("end").cast(pl.String))


def _whole(by_end: pl.DataFrame, deals: Deals) -> int:
    """Number of deals, from the first on, that have as many rounds as their games report."""
    found = np.zeros(len(deals.deal), dtype=np.int64)
    at = np.searchsorted(deals.deal, by_end["deal"].to_numpy())
    np.add.at(found, at, by_end["rounds"].to_numpy())
    told = deals.sums["rounds"].sum(axis=1, dtype=np.int64)
    return int(np.logical_and.accumulate(found * deals.coverage.players == told).sum())


def _ends(by_end: pl.DataFrame, used: NDArray[np.uint64], level: float) -> tuple[Estimate, ...]:
    by_end = by_end.filter(pl.col("deal") <= used[-1])
    seen = set(by_end["end"].to_list())
    known = [end for end in schema.END_REASONS if end in seen]
    labels = tuple(known + sorted(str(end) for end in seen.difference(known)))
    at = np.searchsorted(used, by_end["deal"].to_numpy())
    which = by_end["end"].replace_strict(labels, range(len(labels))).to_numpy()
    y = np.zeros((len(used), len(labels)), dtype=np.int64)
    y[at, which] = by_end["rounds"].to_numpy()
    n = np.repeat(y.sum(axis=1, keepdims=True), len(labels), axis=1)
    moments = Clusters(labels, n, y).moments
    return tuple(estimate_rate(moments, k, level) for k in range(len(labels)))


def _lengths(frames: Iterator[pl.LazyFrame]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Turns and rounds by deal (columns deal, y, n), and rounds by number of turns."""
    by_deal, by_turns = [], []
    for rows in frames:
        by_round = (
            rows.group_by("deal", "rotation", "round")
            .agg(pl.col("turns").cast(pl.Int32).sum())
            .collect(engine="streaming")
        )
        n = pl.len().cast(pl.Int32)
        by_deal.append(by_round.group_by("deal").agg(y=pl.col("turns").sum(), n=n))
        by_turns.append(by_round.group_by("turns").agg(rounds=pl.len().cast(pl.Int64)))
    return joined(by_deal, ("deal",)), joined(by_turns, ("turns",))


def _length(by_deal: pl.DataFrame, by_turns: pl.DataFrame, level: float) -> Length:
    n, y = (by_deal[name].to_numpy().reshape(-1, 1) for name in ("n", "y"))
    mean = estimate_mean(Clusters(("turns",), n, y).moments, 0, level)
    counts = [(int(turns), int(times)) for turns, times in by_turns.iter_rows()]
    total = sum(times for _, times in counts)
    turns_in_all = sum(turns * times for turns, times in counts)
    squares = sum(turns * turns * times for turns, times in counts)
    spread = total * squares - turns_in_all**2
    return Length(
        mean=mean,
        sd=math.sqrt(spread / (total * max(1, total - 1))),
        quantiles=quantiles_of_counts(counts, QUANTILES),
        counts=tuple(counts),
    )


def _habits(
    by_entry: pl.DataFrame, used: NDArray[np.uint64], labels: Sequence[str], level: float
) -> dict[str, tuple[Estimate, ...]]:
    at = np.searchsorted(used, by_entry["deal"].to_numpy())
    entry = by_entry["entry"].to_numpy()
    tables = {}
    for name in ("n", *HABITS):
        table = np.zeros((len(used), len(labels)), dtype=np.int64)
        table[at, entry] = by_entry[name].to_numpy()
        tables[name] = table
    found = {}
    for habit in HABITS:
        moments = Clusters(tuple(labels), tables["n"], tables[habit]).moments
        found[habit] = tuple(estimate_mean(moments, k, level) for k in range(len(labels)))
    return found
