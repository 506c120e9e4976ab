"""What a comparison shows: for each pair the decision, the estimate, and the raw counts.

A decision answers the question that was asked before the run; an estimate says how large the
difference is. They are made apart: right after a sequential stop the plain mean is too far out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ramisim.analysis.after_stop import Stopped, difference_after_stop
from ramisim.analysis.bands import Running, running_mean
from ramisim.analysis.controls import LuckRemoved, remove_luck
from ramisim.analysis.deals import Deals, with_line_up
from ramisim.analysis.estimates import Difference, difference
from ramisim.analysis.multiplicity import holm
from ramisim.analysis.pairs import pentanomial, trinomial
from ramisim.analysis.runs import Run, reading
from ramisim.analysis.sequential import Outcome
from ramisim.analysis.stopping import StopRule
from ramisim.analysis.table import DesignGain, design_gain

__all__ = [
    "Comparison",
    "Counts",
    "Extreme",
    "Pair",
    "Verdict",
    "compare_runs",
    "extreme_deals",
]

EXTREMES: Final = 10
Verdict: TypeAlias = Literal["better", "worse", "not better", "not worse", "undecided", "none"]
"""What the decision says of the first of a pair; ``none`` where nothing was to be decided."""


@dataclass(frozen=True)
class Extreme:
    """A deal, what each of the two got a game, and the difference.

    ``rotation`` is the seating that has most of the difference: the game to look at.
    """

    deal: int
    rotation: int
    a: float
    b: float
    difference: float


@dataclass(frozen=True)
class Counts:
    """Raw counts of the games of a strategy: lost, shared, won, and of deals as pairs.

    Parameters
    ----------
    label : str
    lost, shared, won : int
        Games; a win shared by several players is ``shared``.
    pairs : tuple of five int or None
        [LL, LD, WL+DD, WD, WW] of deals that two players play in both seatings.
    """

    label: str
    lost: int
    shared: int
    won: int
    pairs: tuple[int, int, int, int, int] | None = None


@dataclass(frozen=True)
class Pair:
    """One comparison, always "a minus b".

    Parameters
    ----------
    a, b : str
    points, wins : Difference
        Paired by deal; ``p_holm`` over all pairs. For a run that ended at a fixed number of
        deals; after a stop the band and `after_stop` are the ones to read.
    band : Running
        Running mean with the band that may be watched, at the level of the whole family.
    band_low, band_high : float or None
        Where it ends; None before its first deal.
    outcome : Outcome or None
        Of the sequential test.
    after_stop : Stopped or None
        The estimate that allows for the stop.
    verdict : str
    counts : tuple of Counts
        Of a, and where more than these two sit at the table, of b.
    better, worse : int
        Deals on which a got more, and less, than b.
    most, least : tuple of Extreme
        Deals where a gains most and loses most.
    gain : DesignGain or None
    luck : LuckRemoved or None
        The same difference with the luck of the cards taken out.
    """

    a: str
    b: str
    points: Difference
    wins: Difference
    band: Running
    band_low: float | None
    band_high: float | None
    outcome: Outcome | None
    after_stop: Stopped | None
    verdict: Verdict
    counts: tuple[Counts, ...]
    better: int
    worse: int
    most: tuple[Extreme, ...]
    least: tuple[Extreme, ...]
    gain: DesignGain | None
    luck: LuckRemoved | None = None


@dataclass(frozen=True)
class Comparison:
    """All pairs of a comparison.

    Parameters
    ----------
    rule : StopRule
    deals : int
        Deals analysed.
    reached : bool
        Whether the rule was met; False where its cap ended the run or the run is not over.
    pairs : tuple of Pair
        In the order in which the strategies were named.
    """

    rule: StopRule
    deals: int
    reached: bool
    pairs: tuple[Pair, ...]


def compare_runs(run: Run, deals: Deals, level: float = 0.95) -> Comparison | None:
    """Compare the pairs that a run was made for.

    Parameters
    ----------
    run : Run
        Its manifest says by which rule it was to stop, and what it compares.
    deals : Deals
        From `collect_deals`.
    level : float
        Of the intervals; bands and tests have the level of the rule.

    Returns
    -------
    Comparison or None
        None for a run without a rule.
    """
    told = run.manifest.stop
    if "rule" not in told:
        return None
    rule = StopRule.from_dict(told["rule"])
    places = [(int(a), int(b)) for a, b in told["pairs"]]
    removed = remove_luck(run, deals, places, level)
    pairs = [
        replace(_pair(run, deals, rule, a, b, level), luck=luck)
        for (a, b), luck in zip(places, removed, strict=True)
    ]
    known = [pair.points.p for pair in pairs if pair.points.p is not None]
    if len(known) == len(pairs):
        pairs = [
            replace(pair, points=replace(pair.points, p_holm=p))
            for pair, p in zip(pairs, holm(known), strict=True)
        ]
    return Comparison(rule, deals.coverage.used, _reached(rule, pairs), tuple(pairs))


def extreme_deals(
    run: Run, deals: Deals, a: int, b: int, most: int = EXTREMES
) -> tuple[tuple[Extreme, ...], tuple[Extreme, ...]]:
    """Deals on which a gains most, and on which a loses most against b."""
    points = deals.clusters("points")
    both = (points.n[:, a] > 0) & (points.n[:, b] > 0)
    gaps = points.difference(a, b)
    each = [(points.y[both, k] / points.n[both, k]).astype(np.float64) for k in (a, b)]
    deal = deals.deal[both]
    ends: dict[int, list[Extreme]] = {}
    for sign in (1, -1):
        best = [i for i in np.lexsort((deal, -sign * gaps))[:most] if sign * gaps[i] > 0]
        ends[sign] = [
            Extreme(int(deal[i]), 0, float(each[0][i]), float(each[1][i]), float(gaps[i]))
            for i in best
        ]
    wanted = sorted({x.deal for end in ends.values() for x in end})
    seatings = _rotations(run, a, b, wanted)
    gain, loss = (
        tuple(replace(x, rotation=seatings[x.deal, sign]) for x in ends[sign]) for sign in (1, -1)
    )
    return gain, loss


def _rotations(run: Run, a: int, b: int, wanted: list[int]) -> dict[tuple[int, int], int]:
    """For each (deal, sign) the seating with the largest difference of that sign."""
    if not wanted:
        return {}
    weight = pl.when(pl.col("entry") == a).then(1).when(pl.col("entry") == b).then(-1).otherwise(0)
    with reading(run.path):
        frames = [
            with_line_up(batch.filter(pl.col("deal").is_in(wanted)), run.manifest)
            .group_by("deal", "rotation")
            .agg((pl.col("points") * weight).sum().alias("c"))
            .collect(engine="streaming")
            for batch in run.game_batches()
        ]
    rows = pl.concat(frames).sort("deal", "rotation")
    found: dict[tuple[int, int], int] = {}
    for sign in (1, -1):
        best = rows.sort(sign * pl.col("c"), descending=True, maintain_order=True)
        for deal, rotation in (
            best.unique("deal", keep="first", maintain_order=True)
            .select("deal", "rotation")
            .iter_rows()
        ):
            found[deal, sign] = rotation
    return found


def _pair(run: Run, deals: Deals, rule: StopRule, a: int, b: int, level: float) -> Pair:
    points, wins = deals.clusters("points"), deals.clusters("win")
    gaps = points.difference(a, b)
    alpha = rule.alpha / rule.pairs
    band = running_mean(gaps, rule.planned, alpha)
    half = float(band.half[-1])
    mean = float(band.mean[-1])
    test = rule.test
    outcome = None if test is None else test.run(gaps)
    after = None if test is None or outcome is None else difference_after_stop(outcome, test, level)
    most, least = extreme_deals(run, deals, a, b)
    return Pair(
        a=deals.labels[a],
        b=deals.labels[b],
        points=difference(points, a, b, level),
        wins=difference(wins, a, b, level),
        band=band,
        band_low=mean - half if band.banded[-1] else None,
        band_high=mean + half if band.banded[-1] else None,
        outcome=outcome,
        after_stop=after,
        verdict=_verdict(rule, outcome, gaps, band),
        counts=_counts(deals, a, b),
        better=int((gaps > 0).sum()),
        worse=int((gaps < 0).sum()),
        most=most,
        least=least,
        gain=design_gain(run, deals, a, b),
    )


def _verdict(
    rule: StopRule, outcome: Outcome | None, gaps: NDArray[np.float64], band: Running
) -> Verdict:
    """The decision in one word: by the test, or by the band where none was asked for."""
    if not gaps.any():
        return "none"
    if outcome is not None:
        if outcome.decision == "H1":
            return "better" if rule.kind == "gain" else "not worse"
        if outcome.decision == "H0":
            return "not better" if rule.kind == "gain" else "worse"
        return "undecided"
    if rule.kind != "within" or not band.banded[-1]:
        return "none"
    mean, half = float(band.mean[-1]), float(band.half[-1])
    if abs(mean) <= half:
        return "undecided"
    return "better" if mean > 0 else "worse"


def _counts(deals: Deals, a: int, b: int) -> tuple[Counts, ...]:
    """Games as each of the two saw them; with two players b's are a's the other way round."""
    duel = deals.coverage.players == 2 and bool((deals.games[:, a] == deals.games[:, b]).all())
    duel = duel and bool((deals.games.sum(axis=1) == 2 * deals.games[:, a]).all())
    found = []
    for k in (a,) if duel else (a, b):
        lost, shared, won = trinomial(deals, k)
        pairs = pentanomial(deals, k) if duel else None
        found.append(Counts(deals.labels[k], lost, shared, won, pairs))
    return tuple(found)


def _reached(rule: StopRule, pairs: Sequence[Pair]) -> bool:
    if rule.kind == "deals":
        return all(int(pair.band.n[-1]) >= rule.most for pair in pairs)
    if rule.within is not None:
        return all(float(pair.band.half[-1]) <= rule.within for pair in pairs)
    return all(pair.outcome is not None and pair.outcome.decision in ("H0", "H1") for pair in pairs)
