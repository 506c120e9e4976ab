"""The balance of rule sets: what is played for the panel of each rule set and number of seats.

Three kinds of runs a cell. ``table``: good strategies in duplicate, for seats, length, luck and
courses. ``ladder``: every strategy, and the reference with an option taken from it, each in every
seat against the reference (`substitute`). ``pairs``, at two seats: rivals against one another.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ramisim.analysis.balance import BALANCE, BalanceCell, BalancePlan
from ramisim.cells import Cell, play_folder
from ramisim.errors import StudyError
from ramisim.plurals import counted
from ramisim.rules import Rules
from ramisim.version import ENGINE_VERSION, SCHEMA_VERSION, __version__

if TYPE_CHECKING:
    from ramisim.chunks import EngineFactory
    from ramisim.progress import Progress

__all__ = ["REFERENCE", "RESTRICTED", "plan_balance", "play_balance", "seats_of"]

REFERENCE: Final = "balanced"
"""Whom the ladder is measured against, and whose options are taken away."""

TABLE: Final = ("balanced", "counter", "careful")
"""Who plays at the table of a cell, repeated until its seats are full."""

LADDER: Final = ("random", "first-legal", "greedy", "careful", "balanced")
"""With two options and the field that makes the eight that an engine seats."""

RIVALS: Final = ("greedy", "careful", "counter", "collector", "patient", "balanced")
"""Who meets whom at two seats: which of them are worth playing."""

RESTRICTED: Final[Mapping[str, str]] = {"pile": "stock=1000", "deep": "deep=1000"}
"""Options by name, and the parameter that keeps a heuristic from using them: taking anything from
the discard pile, and taking more than its top card."""

SEATS: Final = (2, 3, 4)
MANY_SEATS: Final = (5, 8)
"""Seats shown of rules for many players: their ends."""

LONG: Final[Mapping[str, int]] = {
    "rami51": 10, "pool500-cutthroat": 10, "pool300": 5, "pool500": 2, "rami": 2,
}  # fmt: skip
"""Presets whose matches take long to play, many rounds or many cards: deals are divided."""


def seats_of(rules: Rules, wanted: Sequence[int] = SEATS) -> list[int]:
    """Numbers of seats that a panel shows: 2, 3 and 4, or 5 and 8 for the rules of many."""
    low, high = rules.number("players.min"), rules.number("players.max")
    found = [n for n in wanted if low <= n <= high]
    if found or low <= max(SEATS) or max(wanted) >= low:
        return found
    return [n for n in MANY_SEATS if low <= n <= high]


def plan_balance(
    names: Sequence[str],
    deals: int,
    seed: int = 0,
    seats: Sequence[int] = SEATS,
    ladder: int | None = None,
) -> tuple[BalancePlan, list[Cell]]:
    """What is played for the panels of some rule sets.

    Parameters
    ----------
    names : sequence of str
        Presets, or TOML files.
    deals : int
        Of a table; presets with long matches get a part of them (`LONG`).
    seed : int
    seats : sequence of int
    ladder : int, optional
        Deals of ladders and pairs; a tenth of `deals` by default.

    Raises
    ------
    StudyError
        Rules that none of the seats fit.
    """
    told, cells = [], []
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise StudyError(f"{twice[0]} is named twice: each rule set has its panels once")
    for name in names:
        rules = Rules.load(name)
        fits = seats_of(rules, seats)
        if not fits:
            raise StudyError(
                f"{rules.name} is not played at {counted(', '.join(map(str, seats)), 'seat')}"
            )
        part = LONG.get(rules.name, 1)
        n_table = max(20, deals // part)
        n_ladder = max(20, (deals // 10 if ladder is None else ladder) // part)
        for players in fits:
            cell, runs = _cell(rules, players, n_table, n_ladder, seed)
            told.append(cell)
            cells += runs
    return BalancePlan(tuple(told), seed, REFERENCE), cells


def _cell(
    rules: Rules, players: int, n_table: int, n_ladder: int, seed: int
) -> tuple[BalanceCell, list[Cell]]:
    prefix = f"{rules.name}-{players}"
    at_table = TABLE[:players]
    options = _options(rules)
    candidates = (*LADDER, *(f"{REFERENCE}:{RESTRICTED[o]}" for o in options))
    runs = [
        Cell(f"{prefix}-table", rules, at_table, players, n_table, seed),
        Cell(
            f"{prefix}-ladder", rules, candidates, players, n_ladder, seed, "substitute",
            (REFERENCE,),
        ),
    ]  # fmt: skip
    pairs = []
    for i, j in itertools.combinations(range(len(RIVALS)), 2) if players == 2 else ():
        folder = f"{prefix}-{RIVALS[i]}-{RIVALS[j]}"
        runs.append(Cell(folder, rules, (RIVALS[i], RIVALS[j]), 2, n_ladder, seed))
        pairs.append((i, j, folder))
    told = BalanceCell(
        rules=rules.name,
        players=players,
        table=f"{prefix}-table",
        ladder=f"{prefix}-ladder",
        strategies=LADDER,
        rivals=RIVALS,
        options=tuple(options),
        pairs=tuple(pairs),
        deals=n_table,
        ladder_deals=n_ladder,
    )
    return told, runs


def _options(rules: Rules) -> list[str]:
    """Options that the rules give, so that they can be missed."""
    taking = rules["draw.discard"]
    return {"none": [], "top": ["pile"], "any_depth": ["pile", "deep"]}[str(taking)]


def play_balance(
    plan: BalancePlan,
    cells: Sequence[Cell],
    out: Path,
    *,
    threads: int | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    command: str = "",
    engine: EngineFactory | None = None,
) -> Path:
    """Play a plan into a folder, for `ramisim.analysis.balance.analyse_balance`.

    Parameters
    ----------
    plan, cells
        From `plan_balance`.
    out : Path
        New or empty, unless `resume`.
    threads, resume, progress, command, engine
        As in `ramisim.runner.simulate`.
    """
    manifest: dict[str, Any] = {
        "schema": SCHEMA_VERSION,
        "engine": ENGINE_VERSION,
        "ramisim": __version__,
        "command": command,
        "plan": plan.plain(),
    }
    play_folder(
        out, BALANCE, manifest, cells,
        resume=resume, threads=threads, progress=progress, engine=engine,
    )  # fmt: skip
    return out
