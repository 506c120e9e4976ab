"""Per-deal aggregation: the deal is the unit, so everything else starts from these sums.

Rows become one integer sum per (deal, strategy). Only deals whose every game is there count, in
order, up to the first gap: the games that happen to be finished first are the short ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ramisim.analysis import schema
from ramisim.analysis.clusters import Clusters
from ramisim.analysis.runs import Manifest, Run, reading
from ramisim.errors import RunError
from ramisim.plurals import counted

_Number = TypeVar("_Number", bound=np.generic)

__all__ = [
    "Coverage",
    "Deals",
    "collect_deals",
    "joined",
    "per_deal",
    "sums_by",
    "used_deals",
    "win_units",
    "with_line_up",
]

SUMS: Final = ("points", "win", "sole_wins", "shared_wins", "place", "rounds", "went_out", "rami")
"""Quantities summed over the games of a (deal, strategy)."""


@dataclass(frozen=True)
class Coverage:
    """Which deals enter the estimates, and which do not.

    Parameters
    ----------
    first, used : int
        First deal, and number of deals analysed: ``first .. first + used - 1``.
    planned : int or None
        Deals the manifest promised.
    incomplete : int
        Deals with some of their games missing: dropped.
    after_gap : int
        Whole deals behind the first gap: dropped too, they arrived early.
    games_per_deal, players : int
    """

    first: int
    used: int
    planned: int | None
    incomplete: int
    after_gap: int
    games_per_deal: int
    players: int

    @property
    def stop(self) -> int:
        """The first deal that is not analysed."""
        return self.first + self.used

    @property
    def games(self) -> int:
        """Number of games analysed."""
        return self.used * self.games_per_deal

    @property
    def dropped(self) -> int:
        """Deals found and not analysed."""
        return self.incomplete + self.after_gap


@dataclass(frozen=True)
class Deals:
    """Integer sums per deal and strategy, in the order of the deals.

    Parameters
    ----------
    labels : tuple of str
        The E strategies of the line-up.
    deal : uint64[G]
    games : int32[G, E]
        Games (seats) of the strategy in the deal.
    sums : dict of int32[G, E]
        ``SUMS``; ``win`` in units of 1/840 game.
    coverage : Coverage
    """

    labels: tuple[str, ...]
    deal: NDArray[np.uint64]
    games: NDArray[np.int32]
    sums: dict[str, NDArray[np.int32]]
    coverage: Coverage

    def clusters(self, quantity: str) -> Clusters:
        """The sums of one quantity as clusters, ready for means and differences."""
        scale = schema.WIN_UNIT if quantity == "win" else 1
        return Clusters(self.labels, self.games, self.sums[quantity], scale)


def with_line_up(games: pl.LazyFrame, manifest: Manifest) -> pl.LazyFrame:
    """Add ``entry`` (index into the line-up, from seating or name) to rows of games or rounds."""
    names = {e.name: i for i, e in enumerate(manifest.entries)}
    names |= {e.label: i for i, e in enumerate(manifest.entries)}
    if manifest.seatings:
        place = pl.col("rotation").cast(pl.UInt16) * manifest.players + pl.col("seat")
        flat = [i for row in manifest.seatings for i in row]
        entry = place.replace_strict(
            list(range(len(flat))), flat, default=None, return_dtype=pl.UInt8
        )
    else:
        entry = (
            pl.col("strategy")
            .cast(pl.String)
            .replace_strict(list(names), list(names.values()), default=None, return_dtype=pl.UInt8)
        )
    return games.with_columns(entry=entry)


def win_units() -> pl.Expr:
    """``won`` in whole units of 1/840 game."""
    return (pl.col("won").cast(pl.Float64) * schema.WIN_UNIT).round().cast(pl.Int32)


def per_deal(games: pl.LazyFrame, manifest: Manifest) -> pl.LazyFrame:
    """One row per (deal, entry): number of games and the ``SUMS``, sorted."""
    rows = with_line_up(games, manifest).with_columns(win=win_units())
    won, whole = pl.col("win"), schema.WIN_UNIT
    plain = ("points", "win", "place", "rounds", "went_out", "rami")
    return (
        rows.group_by("deal", "entry")
        .agg(
            pl.len().cast(pl.Int32).alias("games"),
            (won == whole).sum().cast(pl.Int32).alias("sole_wins"),
            ((won > 0) & (won < whole)).sum().cast(pl.Int32).alias("shared_wins"),
            *(pl.col(name).cast(pl.Int32).sum() for name in plain),
        )
        .sort("deal", "entry")
    )


def used_deals(
    deal: NDArray[np.uint64], rows: NDArray[np.int64], manifest: Manifest
) -> tuple[NDArray[np.bool_], Coverage]:
    """Which deals are analysed: whole ones, in order, up to the first gap.

    Parameters
    ----------
    deal : uint64[D]
        Deals found, ascending.
    rows : int64[D]
        Rows found for each.
    manifest : Manifest

    Returns
    -------
    mask : bool[D]
    coverage : Coverage

    Raises
    ------
    RunError
        A deal with more rows than it can have, or no whole deal at the start.
    """
    players = manifest.players
    each = manifest.games_per_deal or int(rows.max(initial=players)) // players
    expected = each * players
    if (rows > expected).any():
        worst = int(deal[rows > expected][0])
        raise RunError(
            f"deal {worst} has {int(rows[rows > expected][0])} rows where {expected} are possible: "
            "the parts overlap"
        )
    first = manifest.first_deal
    if first is None:
        first = int(deal[0]) if len(deal) else 0
    whole = rows == expected
    in_order = deal == np.uint64(first) + np.arange(len(deal), dtype=np.uint64)
    mask = np.logical_and.accumulate(whole & in_order) if len(deal) else whole
    used = int(mask.sum())
    if not used:
        raise RunError(
            f"no whole deal from deal {first} on: every deal needs {counted(each, 'game')} "
            "before it can be analysed"
        )
    coverage = Coverage(
        first=first,
        used=used,
        planned=manifest.deals,
        incomplete=int((~whole).sum()),
        after_gap=int((whole & ~mask).sum()),
        games_per_deal=each,
        players=players,
    )
    return mask, coverage


def collect_deals(run: Run) -> Deals:
    """Sums per deal and strategy of a run, read a few parts at a time.

    Raises
    ------
    RunError
        A part that cannot be read, a strategy that is not in the line-up, or no whole deal.
    """
    with reading(run.path):
        frames: list[pl.DataFrame] = []
        for batch in run.game_batches():
            if not frames:
                _check_whole(batch)
                _check_line_up(batch, run.manifest)
            frames.append(per_deal(batch, run.manifest).collect(engine="streaming"))
    long = joined(frames, ("deal", "entry"))
    # What is not needed any more goes at once: with millions of deals each of these is large.
    frames.clear()
    if long["entry"].null_count():
        raise RunError(f"{run.path}: a seating or a strategy of the games is not in the line-up")
    deal, row = _numbered(long["deal"].to_numpy())
    entry = long["entry"].to_numpy()
    shape = (len(deal), len(run.manifest.entries))
    games = _wide(shape, row, entry, long.drop_in_place("games").to_numpy())
    mask, coverage = used_deals(deal, games.sum(axis=1, dtype=np.int64), run.manifest)
    sums = {
        name: _used(_wide(shape, row, entry, long.drop_in_place(name).to_numpy()), mask)
        for name in SUMS
    }
    return Deals(run.manifest.labels, _used(deal, mask), _used(games, mask), sums, coverage)


def sums_by(
    frames: Iterable[pl.LazyFrame], keys: Sequence[str], sums: Sequence[pl.Expr]
) -> pl.DataFrame:
    """Sum expressions by keys over several frames; exact and independent of their order."""
    parts = [f.group_by(*keys).agg(*sums).collect(engine="streaming") for f in frames]
    return joined(parts, keys)


def joined(frames: Sequence[pl.DataFrame], keys: Sequence[str]) -> pl.DataFrame:
    """Frames of sums under one another, sorted; keys that stand twice are summed."""
    ordered = _apart(frames, keys)
    if ordered is not None:
        return pl.concat(ordered)
    whole = pl.concat(frames)
    rest = [name for name in whole.columns if name not in keys]
    return whole.group_by(*keys).agg(pl.col(rest).sum()).sort(*keys)


def _apart(frames: Sequence[pl.DataFrame], keys: Sequence[str]) -> list[pl.DataFrame] | None:
    """The frames, each sorted, in the order of their first keys; None where two overlap.

    Parts hold whole deals: it saves a table of all deals at once, which takes the most memory.
    """
    filled = [frame for frame in frames if len(frame)]
    if any(frame[keys[0]].null_count() for frame in filled):
        return None
    ends: list[tuple[Any, Any, int]] = sorted(
        (frame[keys[0]].min(), frame[keys[0]].max(), i) for i, frame in enumerate(filled)
    )
    if any(last >= first for (_, last, _), (first, _, _) in pairwise(ends)):
        return None
    return [filled[i].sort(*keys) for _, _, i in ends] or [frames[0]]


def _numbered(deal: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """The different ones of sorted deals, and for each row which of them it is."""
    new = np.ones(len(deal), dtype=np.bool_)
    new[1:] = deal[1:] != deal[:-1]
    return deal[new], np.cumsum(new, dtype=np.int32) - np.int32(1)


def _used(values: NDArray[_Number], mask: NDArray[np.bool_]) -> NDArray[_Number]:
    return values if mask.all() else values[mask]


def _wide(
    shape: tuple[int, int],
    row: NDArray[np.int32],
    column: NDArray[np.uint8],
    values: NDArray[np.int32],
) -> NDArray[np.int32]:
    table = np.zeros(shape, dtype=np.int32)
    table[row, column] = values
    return table


def _check_whole(games: pl.LazyFrame) -> None:
    """A null is no 0 points: sums would pass over it."""
    nulls = games.select(pl.all().null_count()).collect(engine="streaming").row(0, named=True)
    lacking = [name for name, count in nulls.items() if count and name in schema.GAMES]
    if lacking:
        name, n = lacking[0], nulls[lacking[0]]
        verb = "is" if n == 1 else "are"
        raise RunError(f"the games lack values: {n} of column {name} {verb} null")


def _check_line_up(games: pl.LazyFrame, manifest: Manifest) -> None:
    """Names in the rows must be those that the seatings of the manifest put there."""
    found = (
        with_line_up(games, manifest)
        .select("entry", pl.col("strategy").cast(pl.String))
        .unique()
        .collect(engine="streaming")
    )
    for index, name in found.iter_rows():
        if index is None:
            raise RunError(f"strategy {name!r} of the games is not in the line-up of the manifest")
        entry = manifest.entries[index]
        if name not in (entry.name, entry.label):
            raise RunError(f"the games say {name!r} where the manifest seats {entry.label!r}")
