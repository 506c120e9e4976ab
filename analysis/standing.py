"""What a payoff matrix says beyond a rating, with what chance alone would make of it.

Cycles, the mixture that nobody beats, and evolution, each over bootstrap samples of deals; and how
much of a lottery a format is: who wins events of so many games.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis.meetings import Meetings, SeatedGames
from ramisim.analysis.structure import alpha_rank, cyclic_share, max_entropy_nash, win_logit

__all__ = [
    "Lottery",
    "Structure",
    "cyclic_noise",
    "cyclic_shares",
    "effective_winners",
    "lotteries",
    "structure",
]

Array = NDArray[np.float64]

ALPHA: Final = 10.0
POPULATION: Final = 50
IN_SUPPORT: Final = 0.01
EVENTS: Final = 4000
"""Events drawn to see who wins them."""
SIZES: Final = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500)
"""Deals of an event."""


@dataclass(frozen=True)
class Structure:
    """Cycles, Nash and alpha-rank of a payoff matrix "row comes out ahead of column".

    Parameters
    ----------
    cyclic, cyclic_low, cyclic_high : float
        Share of the matrix (as logits) that no rating can express, and its interval.
    cyclic_noise : float
        Share that chance alone would show where there are no cycles.
    cyclic_p : float
        How often chance alone shows cycles as strong as these.
    nash : float64[E]
        The mixture of greatest entropy that nobody beats.
    nash_support : float64[E]
        Share of bootstrap samples in which the strategy belongs to that mixture.
    alpha, alpha_low, alpha_high : float64[E]
        Mass of each strategy under alpha-rank, and its interval.
    draws : int
    """

    cyclic: float
    cyclic_low: float
    cyclic_high: float
    cyclic_noise: float
    cyclic_p: float
    nash: Array
    nash_support: Array
    alpha: Array
    alpha_low: Array
    alpha_high: Array
    draws: int


@dataclass(frozen=True)
class Lottery:
    """Who wins events of one format.

    Parameters
    ----------
    format : {"rotation", "deals", "knock-out"}
        One rotation of a deal, whole deals, or a knock-out.
    deals, games : int
        Of one event.
    best : float
        Share of events that the strongest strategy wins.
    winners : float
        Effective number of winners, exp(entropy of the shares): 1 where one always wins.
    shares : float64[E]
        Share of events that each strategy wins.
    """

    format: str
    deals: int
    games: int
    best: float
    winners: float
    shares: Array


def structure(
    met: Meetings, draws: int = 200, level: float = 0.95, seed: int = 0
) -> Structure | None:
    """Structure of the payoff matrix; None where some two never meet.

    Parameters
    ----------
    met : Meetings
    draws : int
        Bootstrap samples of deals.
    level, seed : float, int
    """
    rates = met.matrix("ahead")
    if not np.isfinite(rates).all():
        return None
    samples = met.resampled_matrices("ahead", draws, seed)
    ends = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(cyclic_shares(samples, met.games()), ends)
    noise, p = cyclic_noise(rates, samples, met.games())
    nash = [max_entropy_nash(sample - 0.5) for sample in samples]
    alpha = [alpha_rank(sample - 0.5, ALPHA, POPULATION) for sample in samples]
    alpha_low, alpha_high = np.quantile(alpha, ends, axis=0)
    return Structure(
        cyclic=cyclic_share(win_logit(rates, met.games())),
        cyclic_low=float(low),
        cyclic_high=float(high),
        cyclic_noise=noise,
        cyclic_p=p,
        nash=max_entropy_nash(rates - 0.5),
        nash_support=np.mean(np.array(nash) > IN_SUPPORT, axis=0),
        alpha=alpha_rank(rates - 0.5, ALPHA, POPULATION),
        alpha_low=alpha_low,
        alpha_high=alpha_high,
        draws=draws,
    )


def cyclic_shares(matrices: Array, games: float) -> list[float]:
    """Cyclic share of each matrix of win rates, float64[draws, E, E]."""
    return [cyclic_share(win_logit(rates, games)) for rates in matrices]


def cyclic_noise(rates: Array, samples: Array, games: float) -> tuple[float, float]:
    """What chance alone makes of a matrix without cycles.

    Parameters
    ----------
    rates : float64[E, E]
        Share of meetings in which the row comes out ahead.
    samples : float64[draws, E, E]
        The same of bootstrap samples: they differ from `rates` as those do from the truth.
    games : float
        Meetings of a pair.

    Returns
    -------
    share : float
        Cyclic share that chance alone would show.
    p : float
        How often it would show cycles as strong as those of `rates`.
    """
    logit = win_logit(rates, games)
    rest = _cyclic_size(logit)
    noise = np.array([_cyclic_size(win_logit(sample, games) - logit) for sample in samples])
    whole = float(np.sum(logit**2))
    share = float(noise.mean()) / whole if whole else 0.0
    return share, (1 + int((noise >= rest).sum())) / (1 + len(samples))


def lotteries(games: SeatedGames, best: int, seed: int = 0) -> list[Lottery]:
    """Who wins a round robin of few deals: events of deals drawn from those played.

    The smallest event is one rotation of one deal: every line-up plays once. The most wins take
    an event, then the most points, then the lot. Events are at most a quarter of the deals
    played.

    Parameters
    ----------
    games : SeatedGames
        Of a round robin.
    best : int
        The strongest strategy.
    seed : int
    """
    rotations = int(games.key[:, 2].max()) + 1
    single = games.deal * rotations + games.key[:, 2]
    sums = _sums(games, single, games.deals * rotations)
    whole = tuple(x.reshape(games.deals, rotations, -1).sum(axis=1) for x in sums)
    each = len(games.deal) // games.deals
    rng = np.random.default_rng(seed)
    found = [_lottery("rotation", 1, each // rotations, _winners(sums, 1, rng), best)]
    for size in SIZES:
        if size <= max(1, games.deals // 4):
            winners = _winners(whole, size, rng)
            found.append(_lottery("deals", size, size * each, winners, best))
    return found


def _sums(
    games: SeatedGames, unit: NDArray[np.integer], units: int
) -> tuple[NDArray[np.int64], ...]:
    """Wins and points of each strategy in each unit, int64[units, E]."""
    size = len(games.labels)
    out = []
    for table in (games.win, games.points):
        total = np.zeros(units * size)
        for seat in range(games.seats):
            at = unit * size + games.entry[:, seat].astype(np.int64)
            total += np.bincount(at, weights=table[:, seat], minlength=units * size)
        out.append(total.astype(np.int64).reshape(units, size))
    return tuple(out)


def _winners(sums: tuple[NDArray[np.int64], ...], size: int, rng: np.random.Generator) -> Array:
    """Share of the events of so many units that each strategy wins, float64[E]."""
    units, strategies = sums[0].shape
    wins, points = np.zeros((2, EVENTS, strategies), dtype=np.int64)
    for _ in range(size):
        drawn = rng.integers(units, size=EVENTS)
        wins += sums[0][drawn]
        points += sums[1][drawn]
    lots = rng.random(wins.shape)
    last = np.lexsort((lots, points, wins), axis=1)[:, -1]
    return np.asarray(np.bincount(last, minlength=strategies) / EVENTS)


def _lottery(kind: str, deals: int, games: int, shares: Array, best: int) -> Lottery:
    return Lottery(kind, deals, games, float(shares[best]), effective_winners(shares), shares)


def effective_winners(shares: Sequence[float] | Array) -> float:
    """How many equally likely winners would be as hard to foretell: exp(entropy).

    Examples
    --------
    >>> effective_winners([0.5, 0.5, 0.0])
    2.0
    """
    return math.exp(-math.fsum(p * math.log(p) for p in shares if p > 0))


def _cyclic_size(payoff: Array) -> float:
    """Squared size of the part that no rating expresses."""
    return cyclic_share(payoff) * float(np.sum(((payoff - payoff.T) / 2) ** 2))
