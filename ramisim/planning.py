"""Planning a comparison: a pilot, the deals it takes to see a difference, and the time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ramisim.analysis.bands import planned_for
from ramisim.analysis.planning import deals_for_difference, sd_interval, t_sprt_length
from ramisim.analysis.sequential import PRESETS
from ramisim.chunks import Player
from ramisim.compare import PILOT_DEALS, play_pilot
from ramisim.errors import RunError
from ramisim.given import listed, number
from ramisim.plurals import counted, filled

if TYPE_CHECKING:
    from ramisim.rules import Rules

__all__ = ["Need", "Plan", "plan"]


@dataclass(frozen=True)
class Need:
    """What a comparison may be for, its deals, and the option of `compare` that asks for it."""

    what: str
    deals: int
    option: str


@dataclass(frozen=True)
class Plan:
    """What a pilot says of a comparison.

    Parameters
    ----------
    a, b : str
    pilot, games_per_deal : int
    sd, sd_low, sd_high : float
        Standard deviation of the difference per deal, with its 95 % interval.
    mean : float
        Of the pilot; it is told and not used.
    rate : float
        Games a second, all workers together.
    needs : tuple of Need
    """

    a: str
    b: str
    pilot: int
    games_per_deal: int
    sd: float
    sd_low: float
    sd_high: float
    mean: float
    rate: float
    needs: tuple[Need, ...]

    @property
    def factor_high(self) -> float:
        """How many times the deals it is if the standard deviation is at its upper end."""
        return (self.sd_high / self.sd) ** 2 if self.sd else 1.0


def plan(
    rules: str | Path | Rules,
    strategies: str | Sequence[str | Player],
    *,
    detect: float,
    power: float = 0.9,
    alpha: float = 0.05,
    within: float | None = None,
    pilot: int = PILOT_DEALS,
    **options: Any,
) -> Plan:
    """Deals needed to see a difference, from a pilot on deals that are not evaluated.

    Parameters
    ----------
    rules, strategies
        As in `ramisim.compare.compare`; two strategies.
    detect : float
        Difference to be found, in points a game.
    power, alpha : float
        Chance of finding it if it is there, and of a false alarm (two-sided).
    within : float, optional
        Half width of a watched band.
    pilot : int
        Deals of the pilot.
    **options
        As in `simulate`: ``players``, ``seed``, ``design``, ``opponents``, ``threads``.

    Raises
    ------
    RunError
        Not two strategies, or a difference that is not above 0.
    """
    named = listed(strategies)
    if len(named) != 2:
        raise RunError(
            "a plan is for two strategies, " + filled("{0:# is|# are} named", "en", len(named))
        )
    detect = number("detect", detect, "a number of points")
    power, alpha = number("power", power, high=1.0), number("alpha", alpha, high=1.0)
    within = None if within is None else number("within", within, "a number of points")
    options.setdefault("design", "duplicate")
    if options["design"] == "substitute" and not options.get("opponents"):
        options["opponents"] = named[-1:]
    played = play_pilot(rules, named, [(0, 1)], pilot, **options)
    gaps = played.differences[0]
    low, high = sd_interval(played.sd, pilot)
    games = pilot * played.games_per_deal
    names = [s["name"] for s in played.run.manifest["strategies"]]
    return Plan(
        a=names[0],
        b=names[1],
        pilot=pilot,
        games_per_deal=played.games_per_deal,
        sd=played.sd,
        sd_low=low,
        sd_high=high,
        mean=float(gaps.mean()),
        rate=games / max(played.seconds, 1e-9),
        needs=tuple(_needs(played.sd, detect, power, alpha, within)),
    )


def _needs(
    sd: float, detect: float, power: float, alpha: float, within: float | None
) -> list[Need]:
    deals = deals_for_difference(sd, detect, alpha, power)
    found = [
        Need(
            f"find {counted(f'{detect:g}', 'point')} with power {power:.0%}",
            deals,
            f"--deals {deals}",
        ),
    ]
    for name, test in PRESETS.items():
        length = t_sprt_length(test.t0, test.t1)
        # Expected lengths hold at one of the hypotheses, and are longest half-way between.
        effect = detect / sd if sd else math.inf
        at_bound = not test.t0 < effect < test.t1
        usual = length.at_bound if at_bound else length.between
        what = f"{name} test, {test.t0 * sd:.1f} against {test.t1 * sd:.1f} points, expected"
        found.append(Need(what, usual, f"--test {name}"))
    if within is not None:
        deals = planned_for(sd, within)
        found.append(
            Need(
                f"within ±{counted(f'{within:g}', 'point')}, watched", deals, f"--within {within:g}"
            )
        )
    return found
