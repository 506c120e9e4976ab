"""What lies between games and deals: seats, the gain of the design, and the spread of points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ramisim.analysis import schema
from ramisim.analysis.clusters import Clusters
from ramisim.analysis.deals import Deals, sums_by, win_units, with_line_up
from ramisim.analysis.estimates import Estimate, estimate_mean
from ramisim.analysis.intervals import goodman
from ramisim.analysis.runs import Run, reading
from ramisim.analysis.special import chi2_tail

__all__ = [
    "DesignGain",
    "SeatEffect",
    "chi_square",
    "design_gain",
    "points_spread",
    "seat_clusters",
    "seat_effect",
]


@dataclass(frozen=True)
class SeatEffect:
    """Wins and points by seat, all strategies together, against an equal share 1/N.

    Parameters
    ----------
    wins : tuple of Estimate
        Win share of each seat with Goodman's simultaneous interval on effective games.
    points : tuple of Estimate
        Mean points of each seat.
    chi2, p, w : float
        Pearson's chi-square of the wins as if games were independent, its p-value, and the
        effect size w = sqrt(chi2/games).
    design_effect : float
        How many times the variance of a seat's wins is larger than that of independent games:
        deals that are played again let the same seat win again.
    p_deals : float
        p-value of chi2/design_effect (Rao and Scott's first-order correction): the one to read.
    games : int
    balanced : bool
        Whether each strategy sat equally often everywhere; else seat and strategy are confounded.
    """

    wins: tuple[Estimate, ...]
    points: tuple[Estimate, ...]
    chi2: float
    p: float
    w: float
    design_effect: float
    p_deals: float
    games: int
    balanced: bool


@dataclass(frozen=True)
class DesignGain:
    """What playing each deal in several seatings saved, for the difference a minus b.

    Parameters
    ----------
    rho : float or None
        Mean correlation between the seatings of a deal; None where nothing varies.
    factor : float or None
        Variance if the games were independent over the variance as it is, for two seatings
        1/(1 + rho): games saved for the same error. None where every deal cancels exactly.
    alike : float
        Share of deals without any difference.
    seatings : int
    """

    a: str
    b: str
    rho: float | None
    factor: float | None
    alike: float
    seatings: int


def _rows(run: Run, deals: Deals) -> Iterator[pl.LazyFrame]:
    """Rows of the analysed deals, with ``entry`` and ``win``."""
    first, stop = deals.coverage.first, deals.coverage.stop
    inside = (pl.col("deal") >= first) & (pl.col("deal") < stop)
    for batch in run.game_batches():
        yield with_line_up(batch.filter(inside), run.manifest).with_columns(win=win_units())


def points_spread(run: Run, deals: Deals, column: str = "points") -> pl.DataFrame:
    """How often each number of points (or rounds) occurs: columns entry, ``column``, games."""
    with reading(run.path):
        counts = [pl.len().cast(pl.Int64).alias("games")]
        return sums_by(_rows(run, deals), ("entry", column), counts)


def seat_clusters(run: Run, deals: Deals) -> tuple[Clusters, Clusters]:
    """Win units and points by seat, per deal: two clusters over the seats."""
    sums = [
        pl.len().cast(pl.Int32).alias("games"),
        pl.col("win").sum(),
        pl.col("points").sum(),
    ]
    with reading(run.path):
        long = sums_by(_rows(run, deals), ("deal", "seat"), sums)
    shape = (deals.coverage.used, deals.coverage.players)
    games, wins, points = (
        long[name].to_numpy().reshape(shape) for name in ("games", "win", "points")
    )
    labels = tuple(str(seat) for seat in range(shape[1]))
    return (
        Clusters(labels, games, wins, schema.WIN_UNIT),
        Clusters(labels, games, points),
    )


def chi_square(counts: Sequence[float]) -> tuple[float, float, float]:
    """Chi-square of counts against equal shares, its p-value, and w = sqrt(chi2/n)."""
    n = math.fsum(counts)
    expected = n / len(counts)
    chi2 = math.fsum((c - expected) ** 2 for c in counts) / expected
    return chi2, chi2_tail(chi2, len(counts) - 1), math.sqrt(chi2 / n)


def seat_effect(run: Run, deals: Deals, level: float = 0.95) -> SeatEffect:
    """Seat rates against 1/N, with the dependence between the games of a deal allowed for."""
    wins, points = seat_clusters(run, deals)
    moments = wins.moments
    seats = range(len(wins.labels))
    games = moments.n[0]
    counts = [moments.y[s] / schema.WIN_UNIT for s in seats]
    chi2, p, w = chi_square(counts)
    rates = [estimate_mean(moments, s, level) for s in seats]
    effect = _design_effect(rates, games)
    limits = goodman([c / effect for c in counts], level)
    return SeatEffect(
        wins=tuple(
            Estimate(r.label, r.mean, r.se, low, high, r.deals, r.games, "wilson")
            for r, (low, high) in zip(rates, limits, strict=True)
        ),
        points=tuple(estimate_mean(points.moments, s, level) for s in seats),
        chi2=chi2,
        p=p,
        w=w,
        design_effect=effect,
        p_deals=chi2_tail(chi2 / effect, len(counts) - 1),
        games=games,
        balanced=_balanced(run),
    )


def _design_effect(rates: Sequence[Estimate], games: int) -> float:
    """Rao and Scott's mean design effect of the seat shares, at least 1."""
    total = 0.0
    for rate in rates:
        if rate.se is None or not 0 < rate.mean < 1:
            return 1.0
        total += rate.se**2 * games / rate.mean
    return max(1.0, total / (len(rates) - 1))


def _balanced(run: Run) -> bool:
    rows = run.manifest.seatings
    if not rows:
        # Line-ups of tournaments are made so, and a whole deal holds all of them.
        return bool(run.manifest.tournament)
    sorted_rows = [tuple(sorted(column)) for column in zip(*rows, strict=True)]
    return len(set(sorted_rows)) == 1


def design_gain(run: Run, deals: Deals, a: int, b: int) -> DesignGain | None:
    """Gain of the seatings for a minus b; None where deals are played once, or a never meets b.

    A game's contribution to the deal's difference is c_r; the factor is
    sum_r var(c_r) / var(sum_r c_r), which for two seatings is 1/(1 + rho).
    """
    games_a, games_b = deals.games[:, a], deals.games[:, b]
    k = deals.coverage.games_per_deal
    if k < 2 or not _constant(games_a) or not _constant(games_b):
        return None
    alike = deals.clusters("points").alike(a, b)
    if alike is None:
        return None
    weight = (
        pl.when(pl.col("entry") == a)
        .then(int(games_b[0]))
        .when(pl.col("entry") == b)
        .then(-int(games_a[0]))
        .otherwise(0)
    )
    c = (pl.col("points").cast(pl.Int64) * weight).sum().alias("c")
    with reading(run.path):
        by_game = (
            f.group_by("deal", "rotation").agg(c).collect(engine="streaming")
            for f in _rows(run, deals)
        )
        sums = _contribution_sums(by_game, k)
    g = deals.coverage.used
    apart = sum((_spread(g, s, ss) for s, ss in zip(*sums[:2], strict=True)), Fraction(0))
    together = _spread(g, sum(sums[0]), sums[2])
    factor = apart / together if together else None
    rho = (together / apart - 1) / (k - 1) if apart else None
    labels = deals.labels
    return DesignGain(
        labels[a],
        labels[b],
        None if rho is None else float(rho),
        None if factor is None else float(factor),
        float(alike),
        k,
    )


def _contribution_sums(frames: Iterator[pl.DataFrame], k: int) -> tuple[list[int], list[int], int]:
    """Sum of c and of c² by rotation, and the sum over deals of (sum of c)²."""
    sums, squares, square_of_deals = [0] * k, [0] * k, 0
    for frame in frames:
        by_rotation = frame.group_by("rotation").agg(
            pl.col("c").sum().alias("s"), (pl.col("c") ** 2).sum().alias("ss")
        )
        for rotation, s, ss in by_rotation.iter_rows():
            sums[rotation] += s
            squares[rotation] += ss
        by_deal = frame.group_by("deal").agg(pl.col("c").sum())
        square_of_deals += int((by_deal["c"] ** 2).sum())
    return sums, squares, square_of_deals


def _spread(n: int, total: int, squares: int) -> Fraction:
    """Sum of squared deviations times n, exact."""
    return Fraction(n * squares - total * total)


def _constant(column: NDArray[np.int32]) -> bool:
    return bool(len(column)) and column[0] > 0 and bool((column == column[0]).all())
