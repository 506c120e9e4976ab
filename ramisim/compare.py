"""`compare`: which of some strategies is better, on the same deals for all of them.

A comparison is a run with a stopping rule. It ends after a number of deals, when the watched
bands are narrow enough, or when a sequential test has decided; the same seed gives the same end
for any number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ramisim.analysis.stopping import StopRule
from ramisim.chunks import Player
from ramisim.errors import RunError
from ramisim.given import MOST_DEALS, flag, listed, number, path_of, text, whole_number
from ramisim.playing import Run
from ramisim.run_folder import read_manifest
from ramisim.runner import simulate
from ramisim.watching import Until, contrasts, deal_differences

if TYPE_CHECKING:
    from ramisim.designs import Seatings
    from ramisim.rules import Rules

__all__ = ["DESIGNS", "PILOT_DEALS", "PILOT_FIRST", "Pilot", "compare", "play_pilot"]

DESIGNS: Final = ("duplicate", "permute", "substitute")
"""Designs in which every strategy meets the same cards; the others do not pair deals."""

PILOT_FIRST: Final = 1 << 40
"""First deal of a pilot: so far off that no run evaluates a deal of it."""
PILOT_DEALS: Final = 200
SMALL_CHUNK: Final = 100
"""Deals in a part of a run that may end early: so many at most, and a worker's in flight, are
played in vain."""


@dataclass(frozen=True)
class Pilot:
    """Some deals played beforehand, with what planning needs of them.

    Parameters
    ----------
    differences : float64[pairs, deals]
        Points, "first minus second", by pair and deal.
    games_per_deal : int
    seconds : float
        Of play, after everything was compiled.
    run : Run
    """

    differences: npt.NDArray[np.float64]
    games_per_deal: int
    seconds: float
    run: Run

    @property
    def sd(self) -> float:
        """Largest standard deviation of a difference per deal, in points."""
        return float(self.differences.std(axis=1, ddof=1).max())


def compare(
    rules: str | Path | Rules,
    strategies: str | Sequence[str | Player],
    *,
    deals: int | None = None,
    within: float | None = None,
    test: str | None = None,
    seed: int = 0,
    design: str = "duplicate",
    players: int | None = None,
    opponents: str | Sequence[str | Player] = (),
    out: str | Path | None = None,
    resume: bool = False,
    **options: Any,
) -> Run:
    """Play strategies against each other until it is known which is better.

    Parameters
    ----------
    rules : str, Path or Rules
    strategies : str or sequence
        Two or more; every pair is compared, "earlier minus later".
    deals : int, optional
        Ends after so many deals; with `within` or `test` the most that are played. 1,000 where
        nothing else is asked for.
    within : float, optional
        Ends when the watched band of every difference is within ± so many points a game.
    test : {"gain", "non-regression"}, optional
        Ends when the sequential test has decided every pair: is the first better than the
        second, or is it not worse.
    seed : int
    design : {"duplicate", "permute", "substitute"}
        See `ramisim.designs.seatings`.
    players : int, optional
        Seats.
    opponents : str or sequence
        For ``substitute``: who fills the other seats; by default the last of the strategies.
    out : str or Path, optional
        Run folder.
    resume : bool
        Go on with the comparison in `out`.
    **options
        As in `simulate`: ``threads``, ``rounds``, ``progress``, ``first_deal``, ``command``,
        ``executor``, ``engine``, ``chunk``.

    Returns
    -------
    Run
        With the rule, and where it ended the run, in ``manifest["stop"]``; open it with
        `ramisim.analysis`.

    Raises
    ------
    RunError
        Fewer than two strategies, a design that does not pair deals, or two stopping rules.
    """
    named, others = listed(strategies), listed(opponents)
    text("design", design)
    flag("resume", resume)
    out = None if out is None else path_of("out", out)
    if len(named) < 2:
        raise RunError("a comparison needs two strategies at least")
    if design not in DESIGNS:
        raise RunError(
            f"the design {design} does not play the same deals for both: "
            f"choose one of {', '.join(DESIGNS)}"
        )
    if design == "substitute" and not others:
        others = named[-1:]
    pairs = tuple(combinations(range(len(named)), 2))
    shared = {
        "seed": seed, "design": design, "players": players, "opponents": others, **options,
    }  # fmt: skip
    rule = _rule_of(out, deals, within, test) if resume and out is not None else None
    if rule is None:
        rule = _rule(rules, named, shared, pairs, deals, within, test)
    if rule.kind != "deals" and options.get("chunk") is None and not resume:
        shared["chunk"] = SMALL_CHUNK
    return simulate(
        rules, named, rule.most, out=out, resume=resume, until=Until(rule, pairs), **shared
    )


def play_pilot(
    rules: str | Path | Rules,
    strategies: Sequence[str | Player],
    pairs: Sequence[tuple[int, int]],
    deals: int = PILOT_DEALS,
    **options: Any,
) -> Pilot:
    """Play a pilot, on deals of its own.

    Parameters
    ----------
    rules, strategies
        As in `compare`.
    pairs : sequence of (int, int)
    deals : int
    **options
        As in `simulate`.
    """
    options = {k: v for k, v in options.items() if k not in ("progress", "command", "first_deal")}
    # One deal first: compiling is no part of the time that is measured.
    simulate(rules, strategies, 1, first_deal=PILOT_FIRST, **options)
    begun = monotonic()
    run = simulate(rules, strategies, deals, first_deal=PILOT_FIRST, **options)
    seconds = monotonic() - begun
    seated = _seated(run)
    points = run.games.select("points").collect()["points"].to_numpy()
    gaps = deal_differences(points, contrasts(pairs, seated))
    return Pilot(gaps, seated.games_per_deal, seconds, run)


def _seated(run: Run) -> Seatings:
    from ramisim.designs import Seatings

    manifest = run.manifest
    table = np.array(manifest["seatings"], dtype=np.int8)
    return Seatings(manifest["design"], table, bool(manifest["every"]))


def _rule(
    rules: str | Path | Rules,
    named: Sequence[str | Player],
    shared: dict[str, Any],
    pairs: Sequence[tuple[int, int]],
    deals: int | None,
    within: float | None,
    test: str | None,
) -> StopRule:
    """The stopping rule that was asked for; a precision is planned by a pilot."""
    if within is not None and test is not None:
        raise RunError("a comparison ends at a precision or by a test, not by both")
    if deals is not None:
        deals = whole_number("deals", deals, 1, MOST_DEALS)
    if test is not None:
        if text("test", test) not in ("gain", "non-regression"):
            raise RunError(f"unknown test '{test}': choose gain or non-regression")
        return StopRule.tested(test, len(pairs), deals)
    if within is None:
        return StopRule.after(1_000 if deals is None else deals, len(pairs))
    within = number("within", within, "a number of points")
    pilot = play_pilot(rules, named, pairs, **shared)
    return StopRule.precise(within, pilot.sd, len(pairs), deals)


def _rule_of(
    out: Path, deals: int | None, within: float | None, test: str | None
) -> StopRule | None:
    """The rule of the comparison in a folder, where the one that is asked for agrees with it."""
    try:
        told = (read_manifest(out).get("stop") or {}).get("rule")
    except RunError:
        return None
    if told is None:
        return None
    rule = StopRule.from_dict(told)
    kind = test or ("within" if within is not None else "deals")
    if kind != rule.kind or within != rule.within or deals not in (None, rule.most):
        return None  # `simulate` says how it differs
    return rule
