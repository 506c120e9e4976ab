"""What lies behind a single rating: cycles, mixtures that nobody beats, evolution.

All take a payoff matrix, row against column. A large cyclic share says that no rating can tell
who beats whom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

__all__ = ["alpha_rank", "cyclic_share", "max_entropy_nash", "win_logit"]

Array = NDArray[np.float64]
Matrix = Sequence[Sequence[float]] | Array


def win_logit(rates: Matrix, games: float) -> Array:
    """Antisymmetric logit of a matrix of win rates, kept finite by half a game a side."""
    p = np.asarray(rates, dtype=np.float64)
    p = (p * games + 0.5) / (games + 1)
    logit = np.log(p / (1 - p))
    return np.asarray((logit - logit.T) / 2)


def cyclic_share(payoff: Matrix) -> float:
    """Share of an antisymmetric matrix that ratings cannot express.

    Its squared part left over by the best differences of ratings (row means), over the whole:
    0 where a rating says everything, 1 for rock, paper and scissors.
    """
    a = np.asarray(payoff, dtype=np.float64)
    a = (a - a.T) / 2
    whole = float(np.sum(a**2))
    if whole == 0:
        return 0.0
    rating = a.mean(axis=1)
    return float(np.sum((a - (rating[:, None] - rating[None, :])) ** 2)) / whole


def max_entropy_nash(payoff: Matrix) -> Array:
    """Return the Nash mixture of the symmetric zero-sum game with the greatest entropy.

    Parameters
    ----------
    payoff : E x E
        Antisymmetric: what the row gains from the column.

    Returns
    -------
    float64[E]
        Mixture p with ``payoff @ p <= 0``: nothing gains from it. Unique.
    """
    a = np.asarray(payoff, dtype=np.float64)
    scale = float(np.abs(a).max()) or 1.0
    a = (a - a.T) / 2 / scale
    beats_all = np.flatnonzero(((a > 0) | np.eye(len(a), dtype=bool)).all(axis=1))
    if len(beats_all):
        # It beats every other one: any share for another would lose.
        return np.asarray(np.eye(len(a))[beats_all[0]])
    corners = [_most_of(a, i) for i in range(len(a))]
    middle = np.mean(corners, axis=0)
    support = np.array([corner[i] > 1e-9 for i, corner in enumerate(corners)])
    if max(float(np.abs(corner - middle).max()) for corner in corners) < 1e-9:
        return _cleaned(middle)
    return _cleaned(_spread_out(a, middle, support))


def alpha_rank(payoff: Matrix, alpha: float = 10.0, population: int = 50) -> Array:
    """Stationary mass of each strategy when single mutants invade or vanish.

    Parameters
    ----------
    payoff : E x E
        Row against column, one population.
    alpha : float
        Strength of selection.
    population : int
        Number of individuals m.

    Returns
    -------
    float64[E]
    """
    a = np.asarray(payoff, dtype=np.float64)
    size = len(a)
    if size == 1:
        return np.ones(1)
    log_move = np.full((size, size), -np.inf)
    for resident in range(size):
        for mutant in range(size):
            if mutant != resident:
                gain = alpha * (a[mutant, resident] - a[resident, mutant])
                log_move[resident, mutant] = _log_fixation(gain, population)
    return _stationary(log_move)


def _most_of(a: Array, i: int) -> Array:
    """Return a Nash mixture with the most of strategy i."""
    size = len(a)
    found = optimize.linprog(
        -np.eye(size)[i],
        A_ub=a,
        b_ub=np.zeros(size),
        A_eq=np.ones((1, size)),
        b_eq=[1.0],
        bounds=(0, 1),
    )
    return np.asarray(found.x, dtype=np.float64)


def _spread_out(a: Array, start: Array, support: NDArray[np.bool_]) -> Array:
    """Maximise the entropy inside the set of Nash mixtures, from a point within it."""
    inside = a[:, support]

    def negative_entropy(p: Array) -> float:
        return float(np.sum(p * np.log(np.maximum(p, 1e-300))))

    found = optimize.minimize(
        negative_entropy,
        start[support],
        jac=lambda p: np.log(np.maximum(p, 1e-300)) + 1,
        method="SLSQP",
        bounds=[(0, 1)] * int(support.sum()),
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": np.ones_like},
            {"type": "ineq", "fun": lambda p: -(inside @ p), "jac": lambda _: -inside},
        ],
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    out = np.zeros(len(a))
    out[support] = found.x
    return out


def _cleaned(p: Array) -> Array:
    p = np.where(p < 1e-10, 0.0, p)
    return np.asarray(p / p.sum())


def _log_fixation(gain: float, m: int) -> float:
    """Log of the probability that one mutant takes over a population of m."""
    if abs(gain) < 1e-14:
        return -math.log(m)
    ratio = math.log(math.expm1(-abs(gain)) / math.expm1(-m * abs(gain)))
    return ratio if gain > 0 else ratio + (m - 1) * gain


def _stationary(log_move: Array) -> Array:
    """Stationary distribution by elimination without subtraction (Grassmann, Taksar, Heyman).

    In logarithms: under strong selection the moves differ by hundreds of orders of magnitude.
    """
    p = log_move.copy()
    size = len(p)
    for k in range(size - 1, 0, -1):
        p[:k, k] -= np.logaddexp.reduce(p[k, :k])
        p[:k, :k] = np.logaddexp(p[:k, :k], p[:k, k][:, None] + p[k, :k][None, :])
    log_pi = np.zeros(size)
    for k in range(1, size):
        log_pi[k] = np.logaddexp.reduce(log_pi[:k] + p[:k, k])
    pi = np.exp(log_pi - log_pi.max())
    return np.asarray(pi / pi.sum())
