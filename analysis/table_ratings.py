"""Ratings of a tournament: the winners of all tables at once, with seat effects.

The top of the likelihood is that of `ratings`. A tournament has thousands of line-ups by seat, so
its bootstrap takes one Newton step from that top for each sample of deals instead of a fit each:
exact to first order, and the sandwich estimate of the errors by another name.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis.choices import Choices
from ramisim.analysis.meetings import SeatedGames, resampled
from ramisim.analysis.ratings import ELO, FREE, Ratings, centred, fit_ratings, winner_cells
from ramisim.analysis.schema import WIN_UNIT

__all__ = ["rate_tables", "slopes"]

Array = NDArray[np.float64]

FINE = 1 << 20
"""Scores are resampled as whole numbers of 1/FINE, so that their sums are exact."""


def rate_tables(
    games: SeatedGames, draws: int = 1000, level: float = 0.95, seed: int = 0
) -> Ratings:
    """Ratings with intervals over deals.

    Parameters
    ----------
    games : SeatedGames
    draws : int
        Bootstrap samples.
    level, seed : float, int

    Returns
    -------
    Ratings
        Labels in the order of ``games.labels``.
    """
    line_ups, wins = _cells(games)
    choices, n_strategies, n_seats = winner_cells(line_ups, wins, seats=True)
    theta, prior = fit_ratings(choices, n_strategies, n_seats, None)
    penalty = np.full(len(theta), max(prior, FREE))
    step = np.linalg.inv(_curvature(choices, theta) + np.diag(penalty))
    scores = slopes(games, theta, n_strategies)
    whole = np.round(scores * FINE).astype(np.int64)
    found = theta + (resampled(whole, draws, seed) - whole.sum(axis=0)) / FINE @ step
    moved = found[:, :n_strategies] - found[:, :n_strategies].mean(axis=1, keepdims=True)
    low, high = np.quantile(moved, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Ratings(
        labels=games.labels,
        elo=ELO * centred(theta[:n_strategies]),
        se=ELO * moved.std(axis=0, ddof=1),
        low=ELO * low,
        high=ELO * high,
        seat=ELO * centred(theta[n_strategies:]),
        prior=prior,
    )


def _cells(games: SeatedGames) -> tuple[NDArray[np.int64], Array]:
    """Line-ups by seat that occur, and the wins of each seat in them."""
    base = int(games.entry.max()) + 1
    code = np.zeros(len(games.entry), dtype=np.int64)
    for seat in range(games.seats):
        code = code * base + games.entry[:, seat]
    found, cell = np.unique(code, return_inverse=True)
    wins = np.stack(
        [
            np.bincount(cell, weights=games.win[:, seat], minlength=len(found)) / WIN_UNIT
            for seat in range(games.seats)
        ],
        axis=1,
    )
    powers = base ** np.arange(games.seats - 1, -1, -1, dtype=np.int64)
    return found[:, None] // powers % base, wins


def _probabilities(choices: Choices, theta: Array) -> Array:
    score = choices.design @ theta
    p = np.exp(score - score.max(axis=1, keepdims=True))
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def _curvature(choices: Choices, theta: Array) -> Array:
    """Information of all games at theta."""
    p = _probabilities(choices, theta)
    weight = choices.chosen.sum(axis=1)
    mean = np.einsum("ca,cap->cp", p, choices.design)
    spread = np.einsum("c,ca,cap,caq->pq", weight, p, choices.design, choices.design, optimize=True)
    return np.asarray(spread - np.einsum("c,cp,cq->pq", weight, mean, mean, optimize=True))


def slopes(games: SeatedGames, theta: Array, n_strategies: int) -> Array:
    """Slope of the likelihood by deal, float64[G, strategies + seats]: won minus expected."""
    strength = theta[:n_strategies][games.entry] + theta[n_strategies:]
    p = np.exp(strength - strength.max(axis=1, keepdims=True))
    rest = games.win / WIN_UNIT - p / p.sum(axis=1, keepdims=True)
    out = np.zeros((games.deals, len(theta)))
    for seat in range(games.seats):
        at = games.deal * n_strategies + games.entry[:, seat].astype(np.int64)
        out[:, :n_strategies] += np.bincount(
            at, weights=rest[:, seat], minlength=games.deals * n_strategies
        ).reshape(games.deals, n_strategies)
        out[:, n_strategies + seat] = np.bincount(
            games.deal, weights=rest[:, seat], minlength=games.deals
        )
    return out
