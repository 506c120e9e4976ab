"""Self-play of one strategy by many rule sets: a run folder for each, finished where it stopped."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ramisim.errors import StudyError
from ramisim.plurals import counted
from ramisim.rules import Rules, preset_names

if TYPE_CHECKING:
    from ramisim.progress import Progress
    from ramisim.rules_keys import Value

__all__ = ["Table", "play_table", "tables"]

SEATS: Final = (2, 3, 4)
PILOT: Final = 200
"""Matches played to learn how many rounds a match has."""
SPARE: Final = 1.1


@dataclass(frozen=True)
class Table:
    """A rule set and a number of seats."""

    rules: Rules
    players: int

    @property
    def name(self) -> str:
        """Name of the run folder of this table."""
        return f"{self.rules.name}-{self.players}"


def tables(
    names: Sequence[str] = (),
    players: Sequence[int] = (),
    override: Mapping[str, Value] | None = None,
) -> list[Table]:
    """The tables of a survey.

    Parameters
    ----------
    names : sequence of str
        Presets or TOML files; by default every preset.
    players : sequence of int
        Numbers of seats, where the rules seat them; by default 2, 3 and 4, or the fewest and
        the most of rules that seat none of these.
    override : mapping, optional
        Keys to change in all of them.

    Raises
    ------
    StudyError
        None of the rules seats so many.
    """
    found = []
    for name in names or preset_names():
        rules = Rules.load(name, override)
        low, high = rules.number("players.min"), rules.number("players.max")
        wanted = [n for n in players or SEATS if low <= n <= high]
        if not wanted and not players:
            wanted = sorted({low, high})
        found += [Table(rules, n) for n in wanted]
    if not found:
        raise StudyError(
            f"none of these rules is played at {counted(', '.join(map(str, players)), 'seat')}"
        )
    return found


def play_table(
    table: Table,
    strategy: str,
    rounds: int,
    seed: int,
    out: Path,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Path:
    """Play matches until there are so many rounds; what is in the folder already is kept.

    Parameters
    ----------
    table : Table
    strategy : str
        Sits in every seat.
    rounds : int
        At least so many rounds, of whole matches.
    seed : int
    out : Path
        Folder of the survey.
    threads : int, optional
    progress : Progress, optional

    Returns
    -------
    Path
        The run folder of this table.
    """
    from ramisim.runner import simulate

    folder = out / table.name
    pilot = simulate(table.rules, strategy, PILOT, seed, "fixed", players=table.players, threads=1)
    a_match = float(pilot.games.select("rounds").collect()["rounds"].to_numpy().mean())
    deals = math.ceil(SPARE * rounds / a_match)
    simulate(
        table.rules, strategy, deals, seed, "fixed", players=table.players, out=folder,
        threads=threads, rounds=True, resume=folder.is_dir(), progress=progress,
        command=f"ramisim survey {table.name}",
    )  # fmt: skip
    return folder
