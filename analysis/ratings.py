"""Ratings by maximum likelihood: of a whole batch at once, never of games in their order.

Bradley-Terry for two players, the winner of a line-up with seat effects for more, Plackett-Luce
for full orders. Ratings are centred; Elo is 400/ln 10 times theta. A rating is one number a
strategy: read it beside the payoff matrix and its cyclic share (`structure`), and never across
numbers of players.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ramisim.analysis.choices import Choices, fit_choices
from ramisim.analysis.deals import Deals, win_units, with_line_up
from ramisim.analysis.runs import Run, reading
from ramisim.analysis.schema import WIN_UNIT

__all__ = [
    "ELO",
    "Ratings",
    "bradley_terry",
    "plackett_luce",
    "rate_run",
    "winner_logit",
]

ELO: Final = 400 / math.log(10)
"""Elo points of one unit of theta."""

FREE: Final = 1e-9
"""A prior that only fixes the level."""

WEAK: Final = 0.1
"""Precision of the prior where somebody never or always wins: about a tenth of a game."""

MOST_PATTERNS: Final = 4000
"""Patterns of results that a bootstrap resamples one by one; more deals go into blocks."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Ratings:
    """Ratings of a run.

    Parameters
    ----------
    labels : tuple of str
    elo, se, low, high : float64[E]
        Centred Elo, and its bootstrap error and percentile interval over deals.
    seat : float64[S]
        Seat effects in Elo, centred.
    prior : float
        Precision of the prior on theta; more than `FREE` where somebody never wins.
    """

    labels: tuple[str, ...]
    elo: Array
    se: Array
    low: Array
    high: Array
    seat: Array
    prior: float


def bradley_terry(wins: Sequence[Sequence[float]], prior: float | None = None) -> Array:
    """Return theta of each player from a table of wins.

    Parameters
    ----------
    wins : E x E
        ``wins[i][j]``: how often i beat j (a draw is half a win for each).
    prior : float, optional
        Precision of a normal prior; by default next to none, `WEAK` where the table has no
        finite answer.

    Returns
    -------
    float64[E]
        Centred.
    """
    table = np.asarray(wins, dtype=np.float64)
    size = len(table)
    pairs = [(i, j) for i in range(size) for j in range(i) if table[i, j] + table[j, i] > 0]
    design = np.zeros((len(pairs), 2, size))
    chosen = np.zeros((len(pairs), 2))
    for cell, (i, j) in enumerate(pairs):
        design[cell, 0, i] = design[cell, 1, j] = 1
        chosen[cell] = table[i, j], table[j, i]
    choices = Choices(design, np.ones((len(pairs), 2), dtype=bool), chosen)
    return centred(fit_ratings(choices, size, 0, prior)[0])


def winner_logit(
    line_ups: Sequence[Sequence[int]],
    wins: Sequence[Sequence[float]],
    seats: bool = True,
    prior: float | None = None,
) -> tuple[Array, Array]:
    """Ratings from the winners of line-ups, with seat effects.

    Parameters
    ----------
    line_ups : C x S
        Strategy in each seat.
    wins : C x S
        Wins of each seat over the games of that line-up; a shared win counts by its share.
    seats : bool
        Whether to fit seat effects.
    prior : float, optional
        As in `bradley_terry`.

    Returns
    -------
    theta : float64[E]
    seat : float64[S]
        Both centred.
    """
    choices, n_strategies, n_seats = winner_cells(line_ups, wins, seats)
    theta, _ = fit_ratings(choices, n_strategies, n_seats, prior)
    return centred(theta[:n_strategies]), centred(theta[n_strategies:])


def plackett_luce(
    orders: Sequence[Sequence[int]],
    weights: Sequence[float],
    prior: float | None = None,
) -> tuple[Array, float]:
    """Ratings from full orders, best first; orders may leave strategies out.

    Returns
    -------
    theta : float64[E]
        Centred.
    log_likelihood : float
    """
    size = 1 + max(max(order) for order in orders)
    most = max(len(order) for order in orders)
    stages = [
        (order[place:], weight)
        for order, weight in zip(orders, weights, strict=True)
        for place in range(len(order) - 1)
    ]
    design = np.zeros((len(stages), most, size))
    present = np.zeros((len(stages), most), dtype=bool)
    chosen = np.zeros((len(stages), most))
    for cell, (left, weight) in enumerate(stages):
        design[cell, range(len(left)), left] = 1
        present[cell, : len(left)] = True
        chosen[cell, 0] = weight
    choices = Choices(design, present, chosen)
    theta, _ = fit_ratings(choices, size, 0, prior)
    return centred(theta), choices.log_likelihood(theta)


def rate_run(
    run: Run, deals: Deals, draws: int = 1000, level: float = 0.95, seed: int = 0
) -> Ratings:
    """Ratings of a run by the winners of its games, errors by resampling deals.

    Parameters
    ----------
    run : Run
    deals : Deals
    draws : int
        Bootstrap samples.
    level, seed : float, int
    """
    line_ups, patterns, times = _patterns(run, deals)
    choices, n_strategies, n_seats = winner_cells(
        line_ups, (times @ patterns).reshape(len(line_ups), -1), seats=True
    )
    theta, prior = fit_ratings(choices, n_strategies, n_seats, None)
    penalty = np.full(len(theta), max(prior, FREE))
    rng = np.random.default_rng(seed)
    share = times / times.sum()
    found = np.empty((draws, n_strategies))
    for i in range(draws):
        sample = rng.multinomial(int(times.sum()), share) @ patterns
        again = Choices(choices.design, choices.present, sample.reshape(choices.chosen.shape))
        # A sample in which somebody never wins has no finite answer of its own.
        won = np.tensordot(again.chosen, again.design[:, :, :n_strategies], axes=2)
        held = penalty if won.min() > 0 else np.maximum(penalty, WEAK)
        moved = fit_choices(again, held, theta, tolerance=1e-5)
        found[i] = centred(moved[:n_strategies])
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Ratings(
        labels=deals.labels,
        elo=ELO * centred(theta[:n_strategies]),
        se=ELO * found.std(axis=0, ddof=1),
        low=ELO * low,
        high=ELO * high,
        seat=ELO * centred(theta[n_strategies:]),
        prior=prior,
    )


def winner_cells(
    line_ups: Sequence[Sequence[int]] | NDArray[np.int64],
    wins: Sequence[Sequence[float]] | Array,
    seats: bool,
) -> tuple[Choices, int, int]:
    """Cells of who won which line-up, and the numbers of strategies and of seat effects."""
    who = np.asarray(line_ups, dtype=np.int64)
    cells, n_seats = who.shape
    n_strategies = int(who.max()) + 1
    n_effects = n_seats if seats else 0
    design = np.zeros((cells, n_seats, n_strategies + n_effects))
    place = np.arange(n_seats)
    for cell in range(cells):
        design[cell, place, who[cell]] = 1
        if seats:
            design[cell, place, n_strategies + place] = 1
    chosen = np.asarray(wins, dtype=np.float64)
    return Choices(design, np.ones(who.shape, dtype=bool), chosen), n_strategies, n_effects


def fit_ratings(
    choices: Choices,
    n_strategies: int,
    n_seats: int,
    prior: float | None,
) -> tuple[Array, float]:
    """Parameters, and the prior in use: `WEAK` where some strategy or seat has no finite rating."""
    if prior is None:
        prior = FREE if _finite(choices) else WEAK
    penalty = np.full(n_strategies + n_seats, max(prior, FREE))
    return fit_choices(choices, penalty), prior


def _finite(choices: Choices) -> bool:
    """Whether the likelihood has a top: Ford's condition, on strategies and on seats.

    "i won a cell in which j sat" must lead from everybody to everybody.
    """
    size = choices.design.shape[2]
    beats = np.zeros((size, size), dtype=bool)
    for design, present, chosen in zip(
        choices.design, choices.present, choices.chosen, strict=True
    ):
        there = design[present] > 0
        for row, times in zip(design[present], chosen[present], strict=True):
            if times > 0:
                beats[np.ix_(row > 0, there.any(axis=0))] = True
    reach = beats | np.eye(size, dtype=bool)
    for _ in range(size.bit_length()):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    played = beats.any(axis=0) | beats.any(axis=1)
    return bool(reach[np.ix_(played, played)].all())


def _patterns(run: Run, deals: Deals) -> tuple[NDArray[np.int64], Array, NDArray[np.int64]]:
    """Line-ups (C x S), results of a deal (K x CS, wins of each seat), and how often each came."""
    first, stop = deals.coverage.first, deals.coverage.stop
    parts = []
    with reading(run.path):
        for batch in run.game_batches():
            inside = batch.filter((pl.col("deal") >= first) & (pl.col("deal") < stop))
            part = with_line_up(inside, run.manifest).select(
                "deal", "rotation", "seat", "entry", win=win_units()
            )
            parts.append(part.collect(engine="streaming"))
    rows = pl.concat(parts).sort("deal", "rotation", "seat")
    players = deals.coverage.players
    who = rows["entry"].to_numpy().reshape(-1, players).astype(np.int64)
    line_ups, cell = np.unique(who, axis=0, return_inverse=True)
    wins = rows["win"].to_numpy().reshape(-1, players)
    deal = np.repeat(np.arange(deals.coverage.used), deals.coverage.games_per_deal)
    table = np.zeros((deals.coverage.used, len(line_ups), players), dtype=np.int32)
    np.add.at(table, (deal, cell.reshape(-1)), wins)
    flat = table.reshape(len(table), -1)
    patterns: NDArray[np.integer]
    patterns, times = np.unique(flat, axis=0, return_counts=True)
    if len(patterns) > MOST_PATTERNS:
        patterns = _blocks(flat)
        times = np.ones(len(patterns), dtype=np.int64)
    return line_ups, patterns / WIN_UNIT, times


def _blocks(flat: NDArray[np.int32]) -> NDArray[np.int64]:
    """Sums of neighbouring deals: independent too, and few enough to resample."""
    edges = np.linspace(0, len(flat), MOST_PATTERNS + 1).astype(np.int64)[:-1]
    return np.add.reduceat(flat.astype(np.int64), edges, axis=0)


def centred(theta: Array) -> Array:
    """Return parameters less their mean."""
    return theta - theta.mean() if len(theta) else theta
