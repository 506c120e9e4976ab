"""How a match runs: who leads after each round, how often that changes, when it is decided.

A player leads when his total is above all others; after a tie at the top the last leader stays
the leader until somebody else stands alone. Everything is counted in whole rounds, so sums per
deal are exact.
"""

from __future__ import annotations

import polars as pl

__all__ = ["courses", "totals_by_round"]

MATCH = ("deal", "rotation")


def totals_by_round(rounds: pl.LazyFrame) -> pl.LazyFrame:
    """Who stands where after each round of each match.

    Parameters
    ----------
    rounds : LazyFrame
        Columns deal, rotation, seat, round, points of the rounds table.

    Returns
    -------
    LazyFrame
        A row per match and round, sorted: ``leader`` (seat alone at the top, null in a tie) and
        ``winners`` (list of the seats at the top after the last round).

    Examples
    --------
    >>> import polars as pl
    >>> rounds = pl.LazyFrame({
    ...     "deal": [0] * 4, "rotation": [0] * 4, "seat": [0, 1, 0, 1], "round": [0, 0, 1, 1],
    ...     "points": [30, 10, 5, 60],
    ... })
    >>> totals_by_round(rounds).select("round", "leader").collect().rows()
    [(0, 0), (1, 1)]
    """
    total = pl.col("points").cast(pl.Int64).cum_sum().over(*MATCH, "seat", order_by="round")
    top = pl.col("total") == pl.col("total").max()
    return (
        rounds.select(*MATCH, "seat", "round", "points")
        .with_columns(total=total)
        .group_by(*MATCH, "round")
        .agg(top=pl.col("seat").filter(top).sort())
        .sort(*MATCH, "round")
        .with_columns(
            leader=pl.when(pl.col("top").list.len() == 1).then(pl.col("top").list.first()),
            winners=pl.col("top").last().over(*MATCH),
        )
        .drop("top")
    )


def courses(rounds: pl.LazyFrame) -> pl.LazyFrame:
    """Lead changes, comeback and deciding round of each match.

    Parameters
    ----------
    rounds : LazyFrame
        As in `totals_by_round`.

    Returns
    -------
    LazyFrame
        A row per match, sorted by deal and rotation:

        ``rounds``
            Rounds played.
        ``lead_changes``
            How often another player came to lead alone.
        ``long``
            1 where there are two rounds and more: shorter matches have no half way.
        ``comeback``
            1 where a sole winner did not lead, not even in a tie, after half of the rounds
            (rounded down), else 0.
        ``sole``
            1 where one player alone won.
        ``decided``
            Number of the round, from 1, after which the sole winner led alone to the end.
    """
    table = totals_by_round(rounds)
    led = pl.col("leader").forward_fill().over(*MATCH)
    before = pl.col("led").shift(1).over(*MATCH)
    winner = pl.when(pl.col("winners").list.len() == 1).then(pl.col("winners").list.first())
    # Not led alone by the winner: the match was open after this round.
    is_open = pl.col("leader").ne_missing(pl.col("winner"))
    behind = _behind_at_half(rounds)
    return (
        table.with_columns(led=led, winner=winner)
        .with_columns(changed=(pl.col("led") != before).fill_null(value=False))
        .group_by(*MATCH)
        .agg(
            rounds=pl.len().cast(pl.Int64),
            lead_changes=pl.col("changed").sum().cast(pl.Int64),
            winner=pl.col("winner").first(),
            sole=pl.col("winner").first().is_not_null().cast(pl.Int64),
            last_open=(pl.col("round").cast(pl.Int64) + 1).filter(is_open).max().fill_null(0),
        )
        .join(behind, on=list(MATCH), how="left")
        .with_columns(
            long=((pl.col("rounds") > 1) & (pl.col("sole") == 1)).cast(pl.Int64),
            decided=pl.when(pl.col("sole") == 1).then(pl.col("last_open") + 1).otherwise(0),
            comeback=pl.col("behind")
            .list.contains(pl.col("winner"))
            .fill_null(value=False)
            .cast(pl.Int64),
        )
        .select(*MATCH, "rounds", "lead_changes", "long", "comeback", "sole", "decided")
        .sort(*MATCH)
    )


def _behind_at_half(rounds: pl.LazyFrame) -> pl.LazyFrame:
    """Seats below the top total after floor(rounds / 2) rounds of each match."""
    n = pl.col("round").max().over(*MATCH).cast(pl.Int64) + 1
    return (
        rounds.select(*MATCH, "seat", "round", "points")
        .filter(pl.col("round").cast(pl.Int64) < n // 2)
        .group_by(*MATCH, "seat")
        .agg(half=pl.col("points").cast(pl.Int64).sum())
        .group_by(*MATCH)
        .agg(behind=pl.col("seat").filter(pl.col("half") < pl.col("half").max()))
    )
