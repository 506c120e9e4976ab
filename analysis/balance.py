"""Balance of rule sets: seats, skill ladder, what an option is worth, diversity of strategies."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ramisim.analysis.deals import collect_deals
from ramisim.analysis.estimates import (
    Difference,
    Estimate,
    difference,
    estimate_mean,
    estimate_rate,
)
from ramisim.analysis.observed import observe
from ramisim.analysis.panel import Panel, make_panel
from ramisim.analysis.runs import Run, open_run
from ramisim.analysis.structure import cyclic_share, max_entropy_nash
from ramisim.analysis.values import blocks_of
from ramisim.errors import StudyError

__all__ = [
    "BALANCE",
    "BalanceCell",
    "BalancePlan",
    "BalanceResult",
    "CellResult",
    "Diversity",
    "Rung",
    "SeatBalance",
    "analyse_balance",
    "diversity",
    "ladder_of",
    "seat_balance",
]

BALANCE: Final = "balance.json"
DRAWS: Final = 200
"""Resampled sets of deals behind the shares of a Nash mixture's support."""
IN_SUPPORT: Final = 1e-6


@dataclass(frozen=True)
class SeatBalance:
    """How equal seats are.

    Parameters
    ----------
    discrepancy : float
        Greatest minus least win rate.
    balance : float
        One minus that.
    entropy : float
        Of the win rates, over that of equal ones: 1 where all seats win alike.
    """

    discrepancy: float
    balance: float
    entropy: float


def seat_balance(rates: Sequence[float]) -> SeatBalance:
    """Balance of the seats from their win rates, which add up to 1."""
    apart = max(rates) - min(rates)
    entropy = -math.fsum(p * math.log(p) for p in rates if p > 0) / math.log(len(rates))
    return SeatBalance(apart, 1 - apart, entropy)


@dataclass(frozen=True)
class BalanceCell:
    """A rule set at a number of seats, and the run folders of its panel.

    Parameters
    ----------
    rules : str
    players : int
    table, ladder : str
        Run folders.
    strategies : tuple of str
        Of the ladder.
    rivals : tuple of str
        Of the pairs.
    options : tuple of str
        Options that were taken from the reference, after the strategies.
    pairs : tuple of (int, int, str)
        Two rivals and the run folder of their match.
    deals, ladder_deals : int
    """

    rules: str
    players: int
    table: str
    ladder: str
    strategies: tuple[str, ...]
    rivals: tuple[str, ...]
    options: tuple[str, ...]
    pairs: tuple[tuple[int, int, str], ...]
    deals: int
    ladder_deals: int


@dataclass(frozen=True)
class BalancePlan:
    """All cells, and who is the reference of the ladders."""

    cells: tuple[BalanceCell, ...]
    seed: int
    reference: str

    def plain(self) -> dict[str, Any]:
        """As JSON knows it."""
        told: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return told


@dataclass(frozen=True)
class Rung:
    """A strategy in every seat against the reference in all others.

    Parameters
    ----------
    label : str
    wins, points : Estimate
    over : Difference or None
        Points a match over the rung below, on the same deals.
    """

    label: str
    wins: Estimate
    points: Estimate
    over: Difference | None


@dataclass(frozen=True)
class Diversity:
    """How many strategies are worth playing.

    Parameters
    ----------
    strategies : tuple of str
    payoff : tuple of tuple of float
        Points a match of the row over the column.
    nash : tuple of float
        The mixture that nothing gains from, with the greatest entropy.
    support : tuple of float
        Share of resampled sets of deals in which each is part of it.
    effective : float
        exp of the entropy of the mixture: 1 where one strategy is best against all.
    cyclic : float
        Share of the payoff that no rating can express.
    """

    strategies: tuple[str, ...]
    payoff: tuple[tuple[float, ...], ...]
    nash: tuple[float, ...]
    support: tuple[float, ...]
    effective: float
    cyclic: float


@dataclass(frozen=True)
class CellResult:
    """The panel of a rule set at a number of seats.

    Parameters
    ----------
    cell : BalanceCell
    panel : Panel
    seats : SeatBalance
    ladder : tuple of Rung
        Weakest first.
    restricted : dict of str to Difference
        By option: points a match that the reference loses without it.
    diversity : Diversity or None
        At two seats.
    """

    cell: BalanceCell
    panel: Panel
    seats: SeatBalance
    ladder: tuple[Rung, ...]
    restricted: Mapping[str, Difference]
    diversity: Diversity | None


@dataclass(frozen=True)
class BalanceResult:
    """Panels of all cells."""

    cells: tuple[CellResult, ...]
    seed: int
    reference: str
    level: float
    engine: str
    ramisim: str
    command: str


def analyse_balance(
    folder: Path, level: float = 0.95, tick: Callable[[int, int], None] | None = None
) -> BalanceResult:
    """Read a folder of `ramisim.balance.play_balance` and work out its panels.

    Parameters
    ----------
    folder : Path
    level : float
        Of all intervals.
    tick : callable, optional
        Is told (cells done, cells in all).

    Raises
    ------
    StudyError
        No such folder, or one that is not finished.
    """
    plan, told = _read(folder)
    cells = []
    for i, cell in enumerate(plan.cells):
        cells.append(_cell(folder, cell, plan.reference, level))
        if tick is not None:
            tick(i + 1, len(plan.cells))
    return BalanceResult(
        tuple(cells), plan.seed, plan.reference, level, str(told.get("engine", "?")),
        str(told.get("ramisim", "?")), str(told.get("command", "")),
    )  # fmt: skip


def ladder_of(run: Run, cell: BalanceCell, level: float) -> tuple[Rung, ...]:
    """Rungs of a ladder's run, weakest first by points."""
    deals = collect_deals(run)
    points, wins = deals.clusters("points"), deals.clusters("win")
    at = range(len(cell.strategies))
    order = sorted(at, key=lambda k: (points.moments.mean(k), cell.strategies[k]))
    return tuple(
        Rung(
            cell.strategies[k],
            estimate_rate(wins.moments, k, level),
            estimate_mean(points.moments, k, level),
            difference(points, k, order[place - 1], level) if place else None,
        )
        for place, k in enumerate(order)
    )


def diversity(
    strategies: Sequence[str], gaps: Mapping[tuple[int, int], np.ndarray], seed: int = 0
) -> Diversity:
    """Nash mixture of pairwise matches, and how sure its support is.

    Parameters
    ----------
    strategies : sequence of str
    gaps : mapping of (i, j) to float64[G]
        Points of i over j a match, deal by deal, on the same deals for all pairs.
    seed : int
        Of the resampling.
    """
    size = len(strategies)
    deals = min(len(g) for g in gaps.values())
    parts = blocks_of(deals)
    blocks = {pair: np.array([g[part].mean() for part in parts]) for pair, g in gaps.items()}

    def matrix(rows: np.ndarray) -> np.ndarray:
        payoff = np.zeros((size, size))
        for (i, j), g in blocks.items():
            payoff[i, j] = g[rows].mean()
            payoff[j, i] = -payoff[i, j]
        return payoff

    payoff = matrix(np.arange(len(parts)))
    nash = max_entropy_nash(payoff)
    rng = np.random.default_rng(seed)
    found = np.zeros(size)
    for _ in range(DRAWS):
        found += max_entropy_nash(matrix(rng.integers(0, len(parts), len(parts)))) > IN_SUPPORT
    entropy = -math.fsum(p * math.log(p) for p in nash if p > IN_SUPPORT)
    return Diversity(
        tuple(strategies),
        tuple(tuple(float(x) for x in row) for row in payoff),
        tuple(float(p) for p in nash),
        tuple(float(x) / DRAWS for x in found),
        math.exp(entropy),
        cyclic_share(payoff),
    )


def _cell(folder: Path, cell: BalanceCell, reference: str, level: float) -> CellResult:
    panel = make_panel(observe(open_run(folder / cell.table)), level=level)
    ladder = open_run(folder / cell.ladder)
    return CellResult(
        cell=cell,
        panel=panel,
        seats=seat_balance([e.mean for e in panel.seats.wins]),
        ladder=ladder_of(ladder, cell, level),
        restricted=_restricted(ladder, cell, reference, level),
        diversity=_diversity(folder, cell),
    )


def _restricted(run: Run, cell: BalanceCell, reference: str, level: float) -> dict[str, Difference]:
    points = collect_deals(run).clusters("points")
    own = cell.strategies.index(reference)
    return {
        option: difference(points, own, len(cell.strategies) + i, level)
        for i, option in enumerate(cell.options)
    }


def _diversity(folder: Path, cell: BalanceCell) -> Diversity | None:
    if not cell.pairs:
        return None
    gaps = {}
    for i, j, name in cell.pairs:
        gaps[i, j] = collect_deals(open_run(folder / name)).clusters("points").difference(0, 1)
    return diversity(cell.rivals, gaps)


def _read(folder: Path) -> tuple[BalancePlan, dict[str, Any]]:
    file = folder / BALANCE
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        plan = told["plan"]
        cells = tuple(
            BalanceCell(
                **{
                    **cell,
                    "strategies": tuple(cell["strategies"]),
                    "rivals": tuple(cell["rivals"]),
                    "options": tuple(cell["options"]),
                    "pairs": tuple((i, j, name) for i, j, name in cell["pairs"]),
                }
            )
            for cell in plan["cells"]
        )
        found = BalancePlan(cells, plan["seed"], plan["reference"])
    except FileNotFoundError as error:
        raise StudyError(f"{folder} holds no balance: {BALANCE} is missing") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StudyError(f"{file} is no manifest of a balance: {error!r}") from error
    if not told.get("complete"):
        raise StudyError(f"the balance in {folder} is not finished: go on with --resume")
    return found, told
