"""Who does what against whom: the mean difference in the games where both sit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ramisim.analysis.clusters import Clusters
from ramisim.analysis.deals import Deals, joined, win_units, with_line_up
from ramisim.analysis.estimates import Estimate, estimate_mean
from ramisim.analysis.runs import Run, reading
from ramisim.analysis.schema import WIN_UNIT

__all__ = ["CrossTable", "cross_table"]


@dataclass(frozen=True)
class CrossTable:
    """Head-to-head differences, "row minus column".

    Parameters
    ----------
    labels : tuple of str
        The E strategies.
    pairs : dict
        (a, b) with a < b to the estimate of a minus b; pairs that never meet are missing.
    """

    labels: tuple[str, ...]
    pairs: dict[tuple[int, int], Estimate]

    @property
    def matrix(self) -> NDArray[np.float64]:
        """Antisymmetric float64[E, E]; NaN where two never meet."""
        size = len(self.labels)
        out = np.full((size, size), np.nan)
        np.fill_diagonal(out, 0.0)
        for (a, b), estimate in self.pairs.items():
            out[a, b], out[b, a] = estimate.mean, -estimate.mean
        return out


def cross_table(
    run: Run,
    deals: Deals,
    quantity: Literal["points", "won"] = "points",
    level: float = 0.95,
) -> CrossTable:
    """Mean difference of each two strategies over the games in which both sit.

    Several seats of a strategy in one game are averaged first, so the unit stays one game.
    """
    with reading(run.path):
        parts = [_pair_sums(frame) for frame in _by_game(run, deals, quantity)]
    sums = joined(parts, ("a", "b", "deal"))
    scale = WIN_UNIT if quantity == "points" else WIN_UNIT**2
    found = {}
    for a, b in combinations(range(len(deals.labels)), 2):
        rows = sums.filter((pl.col("a") == a) & (pl.col("b") == b))
        if not len(rows):
            continue
        n, y = (rows[name].to_numpy().reshape(-1, 1) for name in ("n", "y"))
        common = int(np.gcd(np.gcd.reduce(y[:, 0]), scale))
        label = f"{deals.labels[a]} minus {deals.labels[b]}"
        clusters = Clusters((label,), n, y // common, scale // common)
        found[a, b] = estimate_mean(clusters.moments, 0, level)
    return CrossTable(deals.labels, found)


def _by_game(run: Run, deals: Deals, quantity: str) -> Iterator[pl.DataFrame]:
    """Mean of each strategy in each game, in units of 1/840: deal, rotation, entry, y."""
    value = win_units() if quantity == "won" else pl.col("points")
    first, stop = deals.coverage.first, deals.coverage.stop
    for batch in run.game_batches():
        inside = batch.filter((pl.col("deal") >= first) & (pl.col("deal") < stop))
        yield (
            with_line_up(inside, run.manifest)
            .group_by("deal", "rotation", "entry")
            .agg((value.cast(pl.Int64).sum() * WIN_UNIT // pl.len().cast(pl.Int64)).alias("y"))
            .collect(engine="streaming")
        )


def _pair_sums(games: pl.DataFrame) -> pl.DataFrame:
    """Sum over the games of a deal of a minus b: columns a, b, deal, y, n."""
    keys = ("deal", "rotation")
    return (
        games.join(games, on=keys, suffix="_b")
        .filter(pl.col("entry") < pl.col("entry_b"))
        .group_by(a=pl.col("entry"), b=pl.col("entry_b"), deal=pl.col("deal"))
        .agg(
            y=(pl.col("y") - pl.col("y_b")).sum(),
            n=pl.len().cast(pl.Int64),
        )
    )
