"""Two-player results as counts: trinomial, pentanomial, Elo, normalized Elo, LOS.

Counts run from low to high as seen by the first strategy: [losses, draws, wins] of games and
[LL, LD, WL+DD, WD, WW] of deals played in both seatings. Elo belongs to two players; it is never
taken from the pooled score of a gauntlet, nor compared across numbers of players.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ramisim.analysis.deals import Deals
from ramisim.analysis.schema import WIN_UNIT
from ramisim.analysis.special import normal_cdf, normal_quantile, t_quantile

__all__ = [
    "NELO",
    "EloSummary",
    "elo_of_score",
    "elo_student_t",
    "elo_summary",
    "pentanomial",
    "score_of_elo",
    "trinomial",
]

NELO: Final = 800 / math.log(10)
"""Normalized Elo of one standard deviation of a game's score: 347.43558552260146."""


@dataclass(frozen=True)
class EloSummary:
    """What counts of wins say about two strategies.

    Parameters
    ----------
    counts : tuple of int
        Three (games) or five (pairs of games).
    score : float
        Mean score of the first, 0 to 1.
    variance : float
        Of the score of one unit (a game or a pair), population form.
    se, low, high : float
        Of the score, normal.
    elo, elo_error : float or None
        Logistic Elo and half its interval; None where the score or its interval leaves (0, 1).
    nelo, nelo_error : float or None
        Normalized Elo; None with zero variance.
    los : float
        Likelihood of superiority, Φ((score - ½)/SE); ½, 0 or 1 with zero variance.
    draw_ratio, pairs_ratio : float or None
        Share of the middle cell; pairs won over pairs lost.
    """

    counts: tuple[int, ...]
    score: float
    variance: float
    se: float
    low: float
    high: float
    elo: float | None
    elo_error: float | None
    nelo: float | None
    nelo_error: float | None
    los: float
    draw_ratio: float
    pairs_ratio: float | None


def elo_of_score(score: float) -> float | None:
    """Logistic Elo -400 log10(1/s - 1); None outside (0, 1)."""
    if not 0 < score < 1:
        return None
    return -400 * math.log10(1 / score - 1) + 0.0


def score_of_elo(elo: float) -> float:
    """Expected score of a logistic Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def moments_of_counts(counts: Sequence[float]) -> tuple[float, float, float]:
    """Number of units, mean score and population variance; cell i scores i/(k-1)."""
    n = math.fsum(counts)
    last = len(counts) - 1
    mean = math.fsum(c * i for i, c in enumerate(counts)) / (n * last)
    variance = math.fsum(c * (i / last - mean) ** 2 for i, c in enumerate(counts)) / n
    return n, mean, variance


def elo_summary(counts: Sequence[int], level: float = 0.95) -> EloSummary:
    """Elo, normalized Elo and LOS of trinomial or pentanomial counts.

    Parameters
    ----------
    counts : sequence of int
        Three or five, low to high.

    Raises
    ------
    ValueError
        Another number of cells, or no game at all.
    """
    if len(counts) not in (3, 5) or sum(counts) <= 0:
        raise ValueError("counts are three or five numbers, not all 0")
    n, score, variance = moments_of_counts(counts)
    z = normal_quantile((1 + level) / 2)
    se = math.sqrt(variance / n)
    low, high = score - z * se, score + z * se
    games_per_unit = 1 if len(counts) == 3 else 2
    elo_low, elo_high = elo_of_score(low), elo_of_score(high)
    spread = math.sqrt(variance * games_per_unit)
    half = (len(counts) - 1) // 2
    lost, won = sum(counts[:half]), sum(counts[half + 1 :])
    return EloSummary(
        counts=tuple(int(c) for c in counts),
        score=score,
        variance=variance,
        se=se,
        low=low,
        high=high,
        elo=elo_of_score(score),
        elo_error=None if elo_low is None or elo_high is None else (elo_high - elo_low) / 2,
        nelo=(score - 0.5) / spread * NELO if spread else None,
        nelo_error=z * NELO / math.sqrt(n * games_per_unit) if spread else None,
        los=_los(score, se),
        draw_ratio=counts[half] / n,
        pairs_ratio=won / lost if len(counts) == 5 and lost else None,
    )


def elo_student_t(
    counts: Sequence[int], level: float = 0.95
) -> tuple[float | None, float | None, float | None]:
    """Low end, Elo and high end with Student's t over units (OpenBench's convention)."""
    n, score, variance = moments_of_counts(counts)
    half = t_quantile((1 + level) / 2, n - 1) * math.sqrt(variance / n)
    return elo_of_score(score - half), elo_of_score(score), elo_of_score(score + half)


def trinomial(deals: Deals, a: int) -> tuple[int, int, int]:
    """[losses, draws, wins] of the games of strategy a against one other."""
    games = int(deals.games[:, a].sum(dtype=np.int64))
    won = int(deals.sums["sole_wins"][:, a].sum(dtype=np.int64))
    drawn = int(deals.sums["shared_wins"][:, a].sum(dtype=np.int64))
    return games - won - drawn, drawn, won


def pentanomial(deals: Deals, a: int) -> tuple[int, int, int, int, int] | None:
    """[LL, LD, WL+DD, WD, WW] of strategy a; None unless each deal was played exactly twice."""
    if deals.coverage.players != 2 or not (deals.games[:, a] == 2).all():
        return None
    halves = deals.sums["win"][:, a] // (WIN_UNIT // 2)
    cells = np.bincount(halves, minlength=5).tolist()
    return cells[0], cells[1], cells[2], cells[3], cells[4]


def _los(score: float, se: float) -> float:
    if se == 0:
        return 0.5 if score == 0.5 else float(score > 0.5)
    return normal_cdf((score - 0.5) / se)
