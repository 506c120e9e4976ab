"""What the metrics of a run start from: integer sums by deal, each made once, when asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ramisim.analysis import schema
from ramisim.analysis.course import courses
from ramisim.analysis.deals import Deals, collect_deals, joined, win_units, with_line_up
from ramisim.analysis.runs import Run, reading

__all__ = ["ROUND_SUMS", "Observed", "courses_by_deal", "observe", "rounds_by_deal"]

SHARES: Final = 1_000_000
"""Shares in whole units, so that their sums do not depend on the order of the parts."""

USED: Final = ("draws", "discard_draws", "deep_cards", "melds", "lay_offs", "swaps")

ROUND_SUMS: Final = (
    "rounds", "turns", "turns_squared", "rami", "outs", "points", "starter_points", "starter_out",
    "laid_turns", "laid_times", "player_rounds", *(f"end_{end}" for end in schema.END_REASONS),
    *USED,
)  # fmt: skip
"""Sums over the rounds of a deal. ``starter`` is who plays first in the round; ``laid_turns``
adds up the turns of first layings and ``laid_times`` counts them; ``player_rounds`` is a row
of the table, the others are counted once a round."""

Sums = dict[str, NDArray[np.int64]]


@dataclass(frozen=True)
class Observed:
    """A run, its deals, and its sums by deal.

    Parameters
    ----------
    run : Run
    deals : Deals
    """

    run: Run
    deals: Deals

    @property
    def players(self) -> int:
        """Seats at the table."""
        return self.deals.coverage.players

    @cached_property
    def rows(self) -> pl.DataFrame:
        """Rows of the games of the analysed deals: deal, rotation, seat, entry, points, win."""
        with reading(self.run.path):
            parts = [
                with_line_up(self._inside(batch), self.run.manifest)
                .select(
                    "deal", "rotation", "seat", "entry", "points", "rounds", "turns",
                    win=win_units(),
                )
                .collect(engine="streaming")
                for batch in self.run.game_batches()
            ]  # fmt: skip
        return pl.concat(parts).sort("deal", "rotation", "seat")

    def column(self, name: str) -> NDArray[np.int64]:
        """A column of the games as int64[deals, games, seats]."""
        shape = (self.deals.coverage.used, self.deals.coverage.games_per_deal, self.players)
        return self.rows[name].to_numpy().astype(np.int64).reshape(shape)

    @cached_property
    def rounds(self) -> Sums | None:
        """``ROUND_SUMS`` by deal; None where the run kept no rounds of all its deals."""
        return self._from_rounds(rounds_by_deal)

    @cached_property
    def course(self) -> Sums | None:
        """Columns of `courses_by_deal`; None as for `rounds`."""
        return self._from_rounds(courses_by_deal)

    def _from_rounds(self, summed: Callable[[pl.LazyFrame], pl.LazyFrame]) -> Sums | None:
        if self.run.rounds is None:
            return None
        with reading(self.run.path):
            parts = [
                summed(self._inside(batch)).collect(engine="streaming")
                for batch in self.run.round_batches()
            ]
        whole = joined(parts, ("deal",))
        if not np.array_equal(whole["deal"].to_numpy(), self.deals.deal):
            return None
        told = self.deals.sums["rounds"].sum(axis=1, dtype=np.int64)
        if not np.array_equal(whole["rounds"].to_numpy() * self.players, told):
            return None
        return {n: whole[n].to_numpy().astype(np.int64) for n in whole.columns if n != "deal"}

    def _inside(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        first, stop = self.deals.coverage.first, self.deals.coverage.stop
        return rows.filter((pl.col("deal") >= first) & (pl.col("deal") < stop))


def observe(run: Run) -> Observed:
    """A run with its whole deals.

    Raises
    ------
    RunError
        No whole deal, or parts that cannot be read.
    """
    return Observed(run, collect_deals(run))


def courses_by_deal(rounds: pl.LazyFrame) -> pl.LazyFrame:
    """Sums of `course.courses` over the matches of a deal, a row per deal.

    ``decided`` becomes the deciding round's share of the match, in units of 1/``decidable``, and
    ``matches`` counts them all.
    """
    share = pl.col("decided") * SHARES // pl.col("rounds")
    return (
        courses(rounds)
        .with_columns(decided=share, decidable=pl.col("sole") * SHARES, matches=pl.lit(1))
        .group_by("deal")
        .agg(pl.exclude("rotation").cast(pl.Int64).sum())
    )


def rounds_by_deal(rounds: pl.LazyFrame) -> pl.LazyFrame:
    """``ROUND_SUMS`` of the rounds table, a row per deal."""
    first, out = pl.col("first"), pl.col("went_out").cast(pl.Int64)
    number = {name: pl.col(name).cast(pl.Int64) for name in ("points", "turns", "opened_turn")}
    by_round = rounds.group_by("deal", "rotation", "round").agg(
        number["turns"].sum(),
        rami=pl.col("rami").any().cast(pl.Int64),
        outs=out.sum(),
        points=number["points"].sum(),
        starter_points=number["points"].filter(first).sum(),
        starter_out=out.filter(first).sum(),
        laid_turns=number["opened_turn"].sum(),
        laid_times=(pl.col("opened_turn") > 0).sum().cast(pl.Int64),
        player_rounds=pl.len().cast(pl.Int64),
        end=pl.col("end").cast(pl.String).first(),
        draws=(pl.col("stock_draws") + pl.col("discard_draws")).cast(pl.Int64).sum(),
        **{name: pl.col(name).cast(pl.Int64).sum() for name in USED if name != "draws"},
    )
    ends = {f"end_{end}": (pl.col("end") == end).sum().cast(pl.Int64) for end in schema.END_REASONS}
    plain = [n for n in ROUND_SUMS if n not in ends and n not in ("rounds", "turns_squared")]
    return by_round.group_by("deal").agg(
        *(pl.col(name).sum() for name in plain),
        rounds=pl.len().cast(pl.Int64),
        turns_squared=(pl.col("turns") ** 2).sum(),
        **ends,
    )
