"""All numbers of a report, made once: the page, the JSON and the text block only write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from ramisim.analysis.bands import Running, running_mean
from ramisim.analysis.clusters import Clusters, Moments
from ramisim.analysis.comparing import Comparison, Extreme, compare_runs, extreme_deals
from ramisim.analysis.crosstable import CrossTable, cross_table
from ramisim.analysis.deals import Coverage, Deals, collect_deals
from ramisim.analysis.estimates import (
    Difference,
    Estimate,
    differences,
    estimate_mean,
    estimate_rate,
    rank_intervals,
)
from ramisim.analysis.pairs import EloSummary, elo_of_score, elo_summary, pentanomial, trinomial
from ramisim.analysis.quantiles import quantiles_of_counts
from ramisim.analysis.rounds import Rounds, collect_rounds
from ramisim.analysis.runs import Manifest, Run
from ramisim.analysis.table import (
    DesignGain,
    SeatEffect,
    design_gain,
    points_spread,
    seat_effect,
)

__all__ = ["SMALLEST", "BoardRow", "Duel", "Summary", "Watched", "summarise"]

SMALLEST: Final = 1.0
"""Smallest difference of interest, points a game: below it "significant" is not important."""

SPREAD_LEVELS: Final = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class BoardRow:
    """One strategy on the leader board.

    Parameters
    ----------
    label : str
    points, wins, place : Estimate
        Per game; ``wins`` counts a win shared by k players as 1/k.
    rank : tuple of int
        Best and worst rank that the paired differences leave open.
    quantiles : dict of float to int
        Of the points of a game.
    """

    label: str
    points: Estimate
    wins: Estimate
    place: Estimate
    rank: tuple[int, int]
    quantiles: dict[float, int]


@dataclass(frozen=True)
class Duel:
    """Counts of a two-player match as seen by ``a``, and its Elo with an interval over deals."""

    a: str
    b: str
    trinomial: tuple[int, int, int]
    pentanomial: tuple[int, int, int, int, int] | None
    summary: EloSummary
    elo: float | None
    elo_low: float | None
    elo_high: float | None


@dataclass(frozen=True)
class Watched:
    """The two that a report follows closely: of a comparison the first named, else the leaders.

    Parameters
    ----------
    a, b : str
    running : Running
        Running mean of a minus b with its band.
    most, least : tuple of Extreme
        Deals where a gains most and loses most.
    gain : DesignGain or None
    """

    a: str
    b: str
    running: Running
    most: tuple[Extreme, ...]
    least: tuple[Extreme, ...]
    gain: DesignGain | None


@dataclass(frozen=True)
class Summary:
    """Everything a report says. Tables are in the order of the leader board.

    Parameters
    ----------
    place : str
        The run folder, as it was given.
    manifest : Manifest
    coverage : Coverage
    level, smallest : float
        Of intervals; smallest difference of interest in points a game.
    board : tuple of BoardRow
        Of the design ``substitute`` the candidates; the opponents are on no board.
    points, wins : tuple of Difference
        All pairs, "higher on the board minus lower".
    duel : Duel or None
    watched : Watched or None
        None with a single strategy.
    cross : CrossTable or None
        With three strategies and more.
    seats : SeatEffect
    rounds : Rounds or None
    went_out : Estimate or None
        Share of rounds in which somebody went out, from the games alone; None where several
        may go out in one round.
    match_rounds : tuple of (int, int)
        Rounds of a match and number of matches.
    spread : dict of str to tuple of (int, int)
        Points of a game and number of games, by strategy.
    comparison : Comparison or None
        Of a run that was made to compare.
    moments : dict of str to Moments
        Sufficient statistics of points and wins.
    """

    place: str
    manifest: Manifest
    coverage: Coverage
    level: float
    smallest: float
    board: tuple[BoardRow, ...]
    points: tuple[Difference, ...]
    wins: tuple[Difference, ...]
    duel: Duel | None
    watched: Watched | None
    cross: CrossTable | None
    seats: SeatEffect
    rounds: Rounds | None
    went_out: Estimate | None
    match_rounds: tuple[tuple[int, int], ...]
    spread: dict[str, tuple[tuple[int, int], ...]]
    comparison: Comparison | None
    moments: dict[str, Moments]


def summarise(run: Run, level: float = 0.95, smallest: float = SMALLEST) -> Summary:
    """Analyse a run.

    Parameters
    ----------
    run : Run
    level : float
        Of all intervals.
    smallest : float
        Smallest difference of interest, in points a game.

    Raises
    ------
    RunError
        No whole deal yet, or parts that cannot be read.
    """
    deals = collect_deals(run)
    points, wins = deals.clusters("points"), deals.clusters("win")
    playing = [k for k in run.manifest.candidates if points.moments.n[k]]
    order = sorted(playing, key=lambda k: (-points.moments.mean(k), deals.labels[k]))
    met = len(run.manifest.candidates) == len(run.manifest.entries)  # candidates never meet
    spread = _spread(points_spread(run, deals), deals.labels)
    by_points = differences(points, order, level)
    comparison = compare_runs(run, deals, level)
    if comparison is None:
        watched = _watched(run, deals, order[:2], deals.coverage.planned or 0, 1 - level)
    else:
        first = comparison.pairs[0]
        watched = Watched(first.a, first.b, first.band, first.most, first.least, first.gain)
    return Summary(
        place=str(run.path),
        manifest=run.manifest,
        coverage=deals.coverage,
        level=level,
        smallest=smallest,
        board=_board(deals, order, by_points, spread, level),
        points=tuple(by_points),
        wins=tuple(differences(wins, order, level)),
        duel=_duel(deals, order, level) if met else None,
        watched=watched,
        cross=cross_table(run, deals, level=level) if len(order) > 2 and met else None,
        seats=seat_effect(run, deals, level),
        rounds=collect_rounds(run, deals, level),
        went_out=_went_out(run, deals, level),
        match_rounds=_match_rounds(run, deals),
        spread={deals.labels[k]: spread[deals.labels[k]] for k in order},
        comparison=comparison,
        moments={"points": points.moments, "wins": wins.moments},
    )


def _board(
    deals: Deals,
    order: list[int],
    by_points: list[Difference],
    spread: dict[str, tuple[tuple[int, int], ...]],
    level: float,
) -> tuple[BoardRow, ...]:
    points, wins, place = (deals.clusters(q).moments for q in ("points", "win", "place"))
    names = [deals.labels[k] for k in order]
    ranks = rank_intervals(names, by_points, 1 - level)
    return tuple(
        BoardRow(
            label=deals.labels[k],
            points=estimate_mean(points, k, level),
            wins=estimate_rate(wins, k, level),
            place=estimate_mean(place, k, level),
            rank=ranks[deals.labels[k]],
            quantiles=quantiles_of_counts(spread[deals.labels[k]], SPREAD_LEVELS),
        )
        for k in order
    )


def _duel(deals: Deals, order: list[int], level: float) -> Duel | None:
    if deals.coverage.players != 2 or len(order) != 2:
        return None
    a, b = order
    games, pairs = trinomial(deals, a), pentanomial(deals, a)
    score = estimate_rate(deals.clusters("win").moments, a, level)
    return Duel(
        a=deals.labels[a],
        b=deals.labels[b],
        trinomial=games,
        pentanomial=pairs,
        summary=elo_summary(pairs or games, level),
        elo=elo_of_score(score.mean),
        elo_low=None if score.low is None else elo_of_score(score.low),
        elo_high=None if score.high is None else elo_of_score(score.high),
    )


def _watched(
    run: Run, deals: Deals, pair: Sequence[int], planned: int, alpha: float
) -> Watched | None:
    if len(pair) < 2:
        return None
    a, b = pair
    gaps = deals.clusters("points").difference(a, b)
    if not len(gaps):
        return None
    most, least = extreme_deals(run, deals, a, b)
    return Watched(
        a=deals.labels[a],
        b=deals.labels[b],
        running=running_mean(gaps, max(planned, len(gaps)), alpha),
        most=most,
        least=least,
        gain=design_gain(run, deals, a, b),
    )


def _spread(
    counts: pl.DataFrame, labels: tuple[str, ...]
) -> dict[str, tuple[tuple[int, int], ...]]:
    found: dict[str, list[tuple[int, int]]] = {label: [] for label in labels}
    for entry, points, games in counts.sort("entry", "points").iter_rows():
        found[labels[entry]].append((points, games))
    return {label: tuple(rows) for label, rows in found.items()}


def _went_out(run: Run, deals: Deals, level: float) -> Estimate | None:
    if run.manifest.values.get("score.multi_out", "first_out_ends") != "first_out_ends":
        return None
    rounds, out = (deals.sums[q].sum(axis=1, keepdims=True) for q in ("rounds", "went_out"))
    clusters = Clusters(("out",), rounds // deals.coverage.players, out)
    return estimate_rate(clusters.moments, 0, level)


def _match_rounds(run: Run, deals: Deals) -> tuple[tuple[int, int], ...]:
    """Rounds of a match with the number of matches; each match has a row per player."""
    rows = points_spread(run, deals, "rounds").group_by("rounds").agg(pl.col("games").sum())
    players = deals.coverage.players
    return tuple((int(r), int(n) // players) for r, n in rows.sort("rounds").iter_rows())
