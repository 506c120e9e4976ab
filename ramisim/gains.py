"""What duplicate deals and the luck of the cards save, measured rule set by rule set.

Two strategies meet on the same deals in every seating that differs. The variance of their
difference per deal is held against what it would be with independent games, and against what is
left of it without the luck of the cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from ramisim.analysis.controls import fit_luck, remove_luck
from ramisim.analysis.deals import collect_deals
from ramisim.analysis.runs import Run, run_in_memory
from ramisim.analysis.table import design_gain
from ramisim.chunks import cpus, cut
from ramisim.compare import PILOT_FIRST
from ramisim.designs import line_up, seatings
from ramisim.errors import StrategyError
from ramisim.rules import Rules

if TYPE_CHECKING:
    from ramisim.engine import Engine

__all__ = ["Gain", "measure_gain", "measure_gains", "tables_of"]

PIECE: Final = 25
"""Deals a thread takes at a time."""
PAIR: Final = ((0, 1),)


@dataclass(frozen=True)
class Gain:
    """Gains of a rule set at a number of seats.

    Parameters
    ----------
    rules : str
    seats, seatings, deals, pilot : int
        ``seatings`` that differ: two strategies at four seats have two.
    mean, se : float
        First minus second, points a game.
    alike : float
        Share of deals without a difference.
    duplicate : float or None
        Games saved by playing each deal in all its seatings.
    luck : float or None
        Deals saved on top of that by taking the luck of the cards out.
    """

    rules: str
    seats: int
    seatings: int
    deals: int
    pilot: int
    mean: float
    se: float
    alike: float
    duplicate: float | None
    luck: float | None

    @property
    def both(self) -> float | None:
        """Games saved by both together."""
        if self.duplicate is None or self.luck is None:
            return None
        return self.duplicate * self.luck


def measure_gains(
    names: Sequence[str],
    seats: Sequence[int],
    strategies: tuple[str, str],
    deals: int,
    seed: int = 0,
    threads: int | None = None,
) -> Iterator[Gain | StrategyError]:
    """Gains of rule sets at numbers of seats; an error where a strategy was refused there.

    Parameters
    ----------
    names : sequence of str
        Presets.
    seats : sequence of int
        A rule set for more players is measured at the fewest it seats, once.
    strategies : tuple of str
        Two of them.
    deals : int
        Deals evaluated; a pilot of half as many comes before.
    """
    for rules, n in tables_of(names, seats):
        try:
            yield measure_gain(rules, n, strategies, deals, seed, threads)
        except StrategyError as error:
            yield StrategyError(f"{rules.name}, {n} seats: {error}", error.record)


def tables_of(names: Sequence[str], seats: Sequence[int]) -> list[tuple[Rules, int]]:
    """Rule sets and the numbers of seats at which each is measured, see `measure_gains`."""
    tables = []
    for name in names:
        rules = Rules.load(name)
        fewest = rules.number("players.min")
        wanted = [n for n in seats if fewest <= n <= rules.number("players.max")]
        tables += [(rules, n) for n in wanted or [fewest]]
    return tables


def measure_gain(
    rules: Rules,
    seats: int,
    strategies: tuple[str, str],
    deals: int,
    seed: int = 0,
    threads: int | None = None,
) -> Gain:
    """Gains of a rule set at a number of seats, see `measure_gains`."""
    from ramisim.engine import Engine
    from ramisim.strategies import resolve

    engine = Engine(rules, [resolve(name) for name in strategies], seed)
    every = seatings("duplicate", line_up(2, seats)).table
    # Rows that are alike are the same games: once is enough here.
    table = np.array(list(dict.fromkeys(map(tuple, every.tolist()))), dtype=np.int8)
    workers = cpus() if threads is None else threads
    pilot = _played(engine, table, PILOT_FIRST, max(50, deals // 2), workers)
    fitted = fit_luck(pilot, PAIR)
    run = _played(engine, table, 0, deals, workers, luck=fitted)
    found = collect_deals(run)
    gain = design_gain(run, found, 0, 1)
    removed = remove_luck(run, found, PAIR)[0]
    gaps = found.clusters("points").difference(0, 1)
    return Gain(
        rules=rules.name,
        seats=seats,
        seatings=len(table),
        deals=deals,
        pilot=pilot.manifest.deals or 0,
        mean=float(gaps.mean()),
        se=float(gaps.std(ddof=1)) / len(gaps) ** 0.5,
        alike=float((gaps == 0).mean()),
        duplicate=None if gain is None else gain.factor,
        luck=None if removed is None else removed.factor,
    )


def _played(
    engine: Engine,
    table: npt.NDArray[np.int8],
    first_deal: int,
    deals: int,
    workers: int,
    **manifest: Any,
) -> Run:
    """A run in memory with its table of luck."""
    from ramisim.frames import games_frame
    from ramisim.luck import luck_frame, measure_luck

    names = [strategy.name for strategy in engine.strategies]

    def play(piece: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
        games = engine.play(piece.first_deal, piece.n_deals, table)[0]
        luck = measure_luck(engine, piece.first_deal, piece.n_deals, table)
        return games_frame(games, names), luck_frame(luck)

    with ThreadPoolExecutor(workers) as pool:
        parts = list(pool.map(play, cut(first_deal, deals, PIECE)))
    games, luck = (pl.concat([part[i] for part in parts]) for i in (0, 1))
    told = {
        "strategies": names, "players": table.shape[1], "seatings": table.tolist(),
        "first_deal": first_deal, "deals": deals, **manifest,
    }  # fmt: skip
    return run_in_memory(told, games.lazy(), luck=luck.lazy())
