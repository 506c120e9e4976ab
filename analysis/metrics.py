"""The metrics of a rule set's balance, by name: one number of a run each, deal by deal.

A study declares some of them before anything is played; the balance panel shows them all. Words
for each, in two languages, stand in ``report/words-study.toml``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis import schema
from ramisim.analysis.components import components_of
from ramisim.analysis.estimates import WILSON_BELOW
from ramisim.analysis.intervals import effective_n, wilson
from ramisim.analysis.observed import Observed
from ramisim.analysis.values import Interval, Values, interval, jackknifed, ratio

__all__ = ["METRICS", "TELLING", "Metric", "games_to_tell", "measure"]

Unit = Literal["share", "points", "number", "signal"]
Table = NDArray[Any]

TELLING: Final = 1.645
"""Standard errors that the better player should be ahead by: right in 95 % of the trials."""


@dataclass(frozen=True)
class Metric:
    """A number that describes how a rule set plays.

    Parameters
    ----------
    name : str
    unit : {"share", "points", "number", "signal"}
        How it is written: a share as per cent.
    rate : bool
        A share of something counted, 0 to 1: near its ends it gets Wilson's interval.
    compute : callable
        From what was observed to the number; None where the run cannot tell (no rounds kept,
        one strategy only, deals played once).
    """

    name: str
    unit: Unit
    compute: Callable[[Observed], Values | None]
    rate: bool = False

    def interval(self, values: Values, level: float = 0.95) -> Interval:
        """The number with its interval over units."""
        plain = interval(values, level)
        if not self.rate or plain.se is None or WILSON_BELOW <= plain.value <= 1 - WILSON_BELOW:
            return plain
        rate = min(1.0, max(0.0, plain.value))
        low, high = wilson(rate, effective_n(rate, plain.se, plain.units), level)
        return replace(plain, low=low, high=high)


def measure(name: str, seen: Observed) -> Values | None:
    """A metric of a run, by name; None where the run cannot tell."""
    return METRICS[name].compute(seen)


def games_to_tell(signal: float | None) -> float | None:
    """Games after which the better of two is ahead in 95 % of the cases: (1.645 sd / mean)².

    Parameters
    ----------
    signal : float or None
        Mean over standard deviation of a game's difference, the metric ``signal``.

    Examples
    --------
    >>> round(games_to_tell(0.1), 1)
    270.6
    """
    return None if not signal else (TELLING / signal) ** 2


def _first_seat(seen: Observed) -> Values | None:
    wins = seen.column("win")
    n = np.full(len(wins), wins.shape[1] * schema.WIN_UNIT * seen.players)
    return ratio(wins[:, :, 0].sum(axis=1) * seen.players - wins.sum(axis=(1, 2)), n)


def _first_seat_points(seen: Observed) -> Values | None:
    points = seen.column("points")
    others = seen.players - 1
    gap = points[:, :, 0].sum(axis=1) * seen.players - points.sum(axis=(1, 2))
    return ratio(gap, np.full(len(points), points.shape[1] * others))


def _shared_wins(seen: Observed) -> Values | None:
    sole = (seen.column("win") == schema.WIN_UNIT).any(axis=2)
    return ratio((~sole).sum(axis=1), np.full(len(sole), sole.shape[1]))


def _margin(seen: Observed) -> Values | None:
    points = np.sort(seen.column("points"), axis=2)
    gap = points[:, :, -1] - points[:, :, -2]
    return ratio(gap.sum(axis=1), np.full(len(gap), gap.shape[1]))


def _match(name: str, each: bool) -> Callable[[Observed], Values | None]:
    """Rounds or turns of a match; rounds stand in each row, turns are counted seat by seat."""

    def compute(seen: Observed) -> Values | None:
        column = seen.column(name)
        length = column[:, :, 0] if each else column.sum(axis=2)
        return ratio(length.sum(axis=1), np.full(len(length), length.shape[1]))

    return compute


def _per(y: str, n: str) -> Callable[[Observed], Values | None]:
    """Ratio of two sums over the rounds."""

    def compute(seen: Observed) -> Values | None:
        return None if seen.rounds is None else ratio(seen.rounds[y], seen.rounds[n])

    return compute


def _starter_points(seen: Observed) -> Values | None:
    sums = seen.rounds
    if sums is None:
        return None
    gap = sums["starter_points"] * seen.players - sums["points"]
    return ratio(gap, sums["rounds"] * (seen.players - 1))


def _starter_out(seen: Observed) -> Values | None:
    sums = seen.rounds
    if sums is None:
        return None
    return ratio(sums["starter_out"] * seen.players - sums["outs"], sums["outs"] * seen.players)


def _never_laid(seen: Observed) -> Values | None:
    sums = seen.rounds
    if sums is None:
        return None
    return ratio(sums["player_rounds"] - sums["laid_times"], sums["player_rounds"])


def _course(y: str, n: str) -> Callable[[Observed], Values | None]:
    """Ratio of two sums over the courses of the matches."""

    def compute(seen: Observed) -> Values | None:
        if seen.course is None:
            return None
        return ratio(seen.course[y], seen.course[n])

    return compute


def _share_of_variance(part: str) -> Callable[[Observed], Values | None]:
    def compute(seen: Observed) -> Values | None:
        k = _games(seen)
        if k < 2 or len(seen.deals.labels) < 2:
            return None
        rows = seen.rows.sort("deal", "seat", "rotation")
        points = rows["points"].to_numpy().astype(np.float64)
        entry, seat = rows["entry"].to_numpy(), rows["seat"].to_numpy()

        def share(keep: NDArray[np.bool_]) -> float | None:
            if keep.sum() < 2:
                return None
            kept = np.repeat(keep, k * seen.players)
            found = components_of(points[kept], entry[kept], seat[kept], k, -math.inf)
            if found.total <= 0:
                return 0.0
            luck = (found.deal + found.rest) / found.total
            return luck if part == "luck" else found.strategy / found.total

        return jackknifed(share, len(seen.deals.deal), seen.deals.coverage.games)

    return compute


def _gaps(seen: Observed) -> tuple[Table, Table] | None:
    """First strategy minus second of the line-up in each game where both sit, and where that is.

    Two float and bool arrays [deals, games]; None with one strategy, or where they never meet.
    """
    if len(seen.deals.labels) < 2:
        return None
    points, entry = seen.column("points"), seen.column("entry")
    n = [(entry == k).sum(axis=2) for k in (0, 1)]
    met = (n[0] > 0) & (n[1] > 0)
    if not met.any():
        return None
    mean = [(points * (entry == k)).sum(axis=2) / np.maximum(n[k], 1) for k in (0, 1)]
    return np.where(met, mean[0] - mean[1], 0.0), met


def _gap(seen: Observed) -> Values | None:
    found = _gaps(seen)
    return None if found is None else ratio(found[0].sum(axis=1), found[1].sum(axis=1))


def _signal(seen: Observed) -> Values | None:
    """Mean of the gap over its standard deviation; 0 where the two play alike."""
    found = _gaps(seen)
    if found is None:
        return None
    gap, met = found
    sums = np.array([met.sum(axis=1), gap.sum(axis=1), (gap**2).sum(axis=1)]).T

    def signal(keep: NDArray[np.bool_]) -> float | None:
        games, total, squares = sums[keep].sum(axis=0)
        variance = (squares - total**2 / games) / (games - 1) if games > 1 else 0.0
        if variance > 1e-9:
            return float(total / games / math.sqrt(variance))
        return 0.0 if total == 0 else None

    return jackknifed(signal, len(sums), int(met.sum()))


def _points_sd(seen: Observed) -> Values | None:
    """Standard deviation of the points of a game: the luck and skill there are to see."""
    points = seen.column("points").astype(np.float64)
    each = points.shape[1] * points.shape[2]
    sums = np.array([points.sum(axis=(1, 2)), (points**2).sum(axis=(1, 2))]).T

    def sd(keep: NDArray[np.bool_]) -> float | None:
        total, squares = sums[keep].sum(axis=0)
        n = each * int(keep.sum())
        return math.sqrt(max(0.0, (squares - total**2 / n) / (n - 1))) if n > 1 else None

    return jackknifed(sd, len(sums), each * len(sums))


def _turns_sd(seen: Observed) -> Values | None:
    sums = seen.rounds
    if sums is None:
        return None
    table = np.array([sums[n] for n in ("rounds", "turns", "turns_squared")], dtype=np.float64).T

    def sd(keep: NDArray[np.bool_]) -> float | None:
        n, total, squares = table[keep].sum(axis=0)
        return math.sqrt(max(0.0, (squares - total**2 / n) / (n - 1))) if n > 1 else None

    return jackknifed(sd, len(table), int(table[:, 0].sum()))


def _games(seen: Observed) -> int:
    return seen.deals.coverage.games_per_deal


_ALL: Final = (
    Metric("first_seat", "share", _first_seat),
    Metric("first_seat_points", "points", _first_seat_points),
    Metric("starter_points", "points", _starter_points),
    Metric("starter_out", "share", _starter_out),
    Metric("skill_share", "share", _share_of_variance("skill")),
    Metric("luck_share", "share", _share_of_variance("luck")),
    Metric("gap", "points", _gap),
    Metric("signal", "signal", _signal),
    Metric("points_sd", "points", _points_sd),
    Metric("margin", "points", _margin),
    Metric("shared_wins", "share", _shared_wins, rate=True),
    Metric("match_rounds", "number", _match("rounds", each=True)),
    Metric("match_turns", "number", _match("turns", each=False)),
    Metric("round_turns", "number", _per("turns", "rounds")),
    Metric("round_turns_sd", "number", _turns_sd),
    *(
        Metric(f"end_{end}", "share", _per(f"end_{end}", "rounds"), rate=True)
        for end in schema.END_REASONS
    ),
    Metric("rami", "share", _per("rami", "rounds"), rate=True),
    Metric("lead_changes", "number", _course("lead_changes", "matches")),
    Metric("comeback", "share", _course("comeback", "long"), rate=True),
    Metric("decided", "share", _course("decided", "decidable")),
    Metric("opening_turn", "number", _per("laid_turns", "laid_times")),
    Metric("never_laid", "share", _never_laid, rate=True),
    Metric("discard_taken", "share", _per("discard_draws", "draws"), rate=True),
    Metric("deep_cards", "number", _per("deep_cards", "rounds")),
    Metric("melds", "number", _per("melds", "rounds")),
    Metric("lay_offs", "number", _per("lay_offs", "rounds")),
    Metric("swaps", "number", _per("swaps", "rounds")),
)  # fmt: skip

METRICS: Final[Mapping[str, Metric]] = {metric.name: metric for metric in _ALL}
"""Every metric by name, in the order in which a panel shows them."""
