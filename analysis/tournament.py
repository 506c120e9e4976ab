"""All numbers of a round robin or a gauntlet, made once; page, JSON and text only write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis.deals import Coverage, Deals, collect_deals
from ramisim.analysis.estimates import (
    Difference,
    Estimate,
    differences,
    estimate_mean,
    estimate_rate,
    rank_intervals,
)
from ramisim.analysis.meetings import Meetings, SeatedGames, meetings, seated_games
from ramisim.analysis.ratings import Ratings
from ramisim.analysis.runs import Manifest, Run
from ramisim.analysis.standing import Lottery, Structure, lotteries, structure
from ramisim.analysis.table import SeatEffect, seat_effect
from ramisim.analysis.table_ratings import rate_tables
from ramisim.errors import RunError

__all__ = ["Extreme", "Standing", "Tournament", "summarise_tournament"]

EXTREMES: Final = 5
STRUCTURE_FROM: Final = 3
"""Strategies from which on cycles are possible."""
DEALS_FROM: Final = 10
"""Deals from which on samples of them say what chance does to a matrix."""


@dataclass(frozen=True)
class Standing:
    """One strategy on the board; of a gauntlet only the candidates are on it.

    Parameters
    ----------
    label : str
    points, wins : Estimate
        Per game.
    rank : tuple of int
        Best and worst rank that the paired differences of points leave open.
    elo, elo_low, elo_high : float
        Rating by maximum likelihood, with its interval over deals.
    """

    label: str
    points: Estimate
    wins: Estimate
    rank: tuple[int, int]
    elo: float
    elo_low: float
    elo_high: float


@dataclass(frozen=True)
class Extreme:
    """A game in which a gained most on b, or lost most."""

    deal: int
    line_up: int
    rotation: int
    a: int
    b: int


@dataclass(frozen=True)
class Tournament:
    """Everything a report of a round robin or a gauntlet says.

    Parameters
    ----------
    place : str
        The run folder, as it was given.
    manifest : Manifest
    coverage : Coverage
    level : float
    board : tuple of Standing
        By mean points.
    field : tuple of str
        Of a gauntlet: whom the candidates met.
    points, wins : tuple of Difference
        All pairs on the board, "higher minus lower" of the means over all games, with Holm.
    payoff_points, payoff_ahead : float64[E, E]
        Row against column where both sit; in the order of `order`.
    order : tuple of str
        The board, then the field.
    head_to_head : tuple of Difference
        Each pair that meets, points of a minus b in those games, with Holm.
    ratings : Ratings
    structure : Structure or None
        In the order of `order`; None in a gauntlet, with two strategies, and with few deals.
    seats : SeatEffect
    lotteries : tuple of Lottery
        Who wins events of few deals.
    watched : tuple of (str, str)
        The first on the board, and the second; in a gauntlet the best of the field.
    most, least : tuple of Extreme
        Games in which the first of these two gained most on the other, and lost most.
    """

    place: str
    manifest: Manifest
    coverage: Coverage
    level: float
    board: tuple[Standing, ...]
    field: tuple[str, ...]
    points: tuple[Difference, ...]
    wins: tuple[Difference, ...]
    payoff_points: NDArray[np.float64]
    payoff_ahead: NDArray[np.float64]
    order: tuple[str, ...]
    head_to_head: tuple[Difference, ...]
    ratings: Ratings
    structure: Structure | None
    seats: SeatEffect
    lotteries: tuple[Lottery, ...]
    watched: tuple[str, str]
    most: tuple[Extreme, ...]
    least: tuple[Extreme, ...]


def summarise_tournament(run: Run, level: float = 0.95, draws: int = 1000) -> Tournament:
    """Analyse a round robin or a gauntlet.

    Parameters
    ----------
    run : Run
    level : float
        Of all intervals.
    draws : int
        Bootstrap samples of deals for the ratings; a fifth of them for the structure.

    Raises
    ------
    RunError
        Another kind of run, no whole deal yet, or parts that cannot be read.
    """
    told = run.manifest.tournament
    if "line_ups" not in told:
        raise RunError(f"{run.path} is not a round robin or a gauntlet")
    deals = collect_deals(run)
    games = seated_games(run, deals)
    met = meetings(games)
    field = tuple(str(name) for name in told.get("field", ()))
    means = deals.clusters("points").moments
    entrants = [k for k, name in enumerate(deals.labels) if name not in field]
    order = sorted(entrants, key=lambda k: (-means.mean(k), deals.labels[k]))
    behind = [k for k in range(len(deals.labels)) if k not in entrants]
    whole = [*order, *sorted(behind, key=lambda k: (-means.mean(k), deals.labels[k]))]
    ratings = rate_tables(games, draws, level)
    by_points = differences(deals.clusters("points"), order, level)
    cells = np.ix_(whole, whole)
    second = whole[len(order)] if field else order[1]
    most, least = _extremes(games, order[0], second)
    return Tournament(
        place=str(run.path),
        manifest=run.manifest,
        coverage=deals.coverage,
        level=level,
        board=_board(deals, order, by_points, ratings, level),
        field=field,
        points=tuple(by_points),
        wins=tuple(differences(deals.clusters("win"), order, level)),
        payoff_points=met.matrix("points")[cells],
        payoff_ahead=met.matrix("ahead")[cells],
        order=tuple(deals.labels[k] for k in whole),
        head_to_head=tuple(met.differences("points", level)),
        ratings=ratings,
        structure=_structure(met, whole, field, draws // 5, level),
        seats=seat_effect(run, deals, level),
        lotteries=() if field or len(order) < STRUCTURE_FROM else tuple(lotteries(games, order[0])),
        watched=(deals.labels[order[0]], deals.labels[second]),
        most=most,
        least=least,
    )


def _board(
    deals: Deals,
    order: list[int],
    by_points: list[Difference],
    ratings: Ratings,
    level: float,
) -> tuple[Standing, ...]:
    points, wins = deals.clusters("points").moments, deals.clusters("win").moments
    ranks = rank_intervals([deals.labels[k] for k in order], by_points, 1 - level)
    return tuple(
        Standing(
            label=deals.labels[k],
            points=estimate_mean(points, k, level),
            wins=estimate_rate(wins, k, level),
            rank=ranks[deals.labels[k]],
            elo=float(ratings.elo[k]),
            elo_low=float(ratings.low[k]),
            elo_high=float(ratings.high[k]),
        )
        for k in order
    )


def _structure(
    met: Meetings, order: list[int], field: tuple[str, ...], draws: int, level: float
) -> Structure | None:
    if field or len(order) < STRUCTURE_FROM or len(met.n) < DEALS_FROM:
        return None
    return structure(_in_order(met, order), draws, level)


def _in_order(met: Meetings, order: list[int]) -> Meetings:
    """The same meetings with the strategies in another order."""
    place = {k: i for i, k in enumerate(order)}
    pairs, signs = [], []
    for a, b in met.pairs:
        turned = place[a] > place[b]
        pairs.append((place[b], place[a]) if turned else (place[a], place[b]))
        signs.append(-1 if turned else 1)
    sign = np.array(signs)
    ahead = np.where(sign > 0, met.ahead, 2 * met.n - met.ahead)
    labels = tuple(met.labels[k] for k in order)
    return Meetings(labels, tuple(pairs), met.n, sign * met.points, ahead)


def _extremes(
    games: SeatedGames, a: int, b: int
) -> tuple[tuple[Extreme, ...], tuple[Extreme, ...]]:
    """Games where a gains most on b and where it loses most; of equals the first."""
    is_a, is_b = games.entry == a, games.entry == b
    both = is_a.any(axis=1) & is_b.any(axis=1)
    if not both.any():
        return (), ()
    key, points = games.key[both], games.points[both]
    mine, yours = (
        (points * seat[both]).sum(axis=1) // seat[both].sum(axis=1) for seat in (is_a, is_b)
    )
    gap = mine - yours

    def found(at: NDArray[np.intp]) -> tuple[Extreme, ...]:
        return tuple(
            Extreme(int(key[i, 0]), int(key[i, 1]), int(key[i, 2]), int(mine[i]), int(yours[i]))
            for i in at[:EXTREMES]
        )

    rising = np.argsort(gap, kind="stable")
    falling = np.argsort(-gap, kind="stable")
    most = falling[gap[falling] > 0]
    least = rising[gap[rising] < 0]
    return found(most), found(least)
