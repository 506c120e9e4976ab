"""Brackets of a knock-out: how many tables a stage has, and how many of each go on.

Seed 000 calls it « multi-tournois » : « le gagnant est le dernier joueur en lice à la table
finale ». The players sit at tables of one match each and the best of every table go on, until
those left fit one table, the final. There the last of each match leaves, until the winner of a
match of the fewest players that the rules seat is the last one left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ramisim.errors import RunError
from ramisim.plurals import filled
from ramisim.whole import whole

__all__ = ["FINALS", "Bracket", "Stage", "bracket"]

FINALS = ("last-one", "single")
"""How the final table is played: the last of each match leaves, or one match decides."""

MOST_ENTRANTS = 255


@dataclass(frozen=True)
class Stage:
    """One stage: all its tables play a match each.

    Parameters
    ----------
    sizes : tuple of int
        Players at each table.
    going_on : tuple of int
        How many of each table go on.
    byes : int
        Players who sit out and go on.
    final : bool
        Whether this is the final table.
    """

    sizes: tuple[int, ...]
    going_on: tuple[int, ...]
    byes: int = 0
    final: bool = False

    @property
    def players(self) -> int:
        """Players still in when the stage begins."""
        return sum(self.sizes) + self.byes

    @property
    def left(self) -> int:
        """Players still in when it ends."""
        return sum(self.going_on) + self.byes


@dataclass(frozen=True)
class Bracket:
    """The stages of a knock-out, the same for every repetition.

    Parameters
    ----------
    entrants, seats, advance : int
        Players, most seats at a table, and how many of a full table go on.
    final : {"last-one", "single"}
    stages : tuple of Stage
    """

    entrants: int
    seats: int
    advance: int
    final: str
    stages: tuple[Stage, ...]

    @property
    def matches(self) -> int:
        """Matches of one knock-out."""
        return sum(len(stage.sizes) for stage in self.stages)

    def slots(self) -> Iterator[tuple[int, int, int, int]]:
        """Every match: its number, stage, table, and players."""
        number = 0
        for k, stage in enumerate(self.stages):
            for table, size in enumerate(stage.sizes):
                yield number, k, table, size
                number += 1


def bracket(
    entrants: int,
    seats: int,
    fewest: int = 2,
    advance: int | None = None,
    final: str = "last-one",
) -> Bracket:
    """The bracket of a knock-out.

    Parameters
    ----------
    entrants : int
        Players at the start.
    seats, fewest : int
        Most and fewest players at a table.
    advance : int, optional
        How many of a table go on, at most all but one; by default half the seats, or more where
        too few would be left for the final.
    final : {"last-one", "single"}

    Raises
    ------
    RunError
        Numbers that make no bracket.

    Examples
    --------
    >>> [stage.sizes for stage in bracket(5, 4).stages]
    [(3, 2), (3,), (2,)]
    """
    if final not in FINALS:
        raise RunError(f"unknown final {final!r}: choose {' or '.join(FINALS)}")
    if not fewest <= entrants <= MOST_ENTRANTS:
        raise RunError(
            f"{entrants} entrants: a knock-out takes {fewest} to {MOST_ENTRANTS} by these rules"
        )
    if advance is not None and (whole(advance) is None or not 1 <= advance < seats):
        raise RunError(f"advance is {advance}: 1 to {seats - 1} go on from tables of {seats}")
    wanted = [advance] if advance is not None else list(range(max(1, seats // 2), seats))
    for number in wanted:
        stages = _stages(entrants, seats, fewest, number, final)
        if stages is not None:
            return Bracket(entrants, seats, number, final, stages)
    raise RunError(
        f"{entrants} entrants at tables of {fewest} to {seats} leave too few for a final table"
        + ("" if advance is None else filled(" when {0:# goes|# go} on", "en", advance))
    )


def _stages(
    players: int, seats: int, fewest: int, advance: int, final: str
) -> tuple[Stage, ...] | None:
    stages = []
    while players > seats:
        sizes, byes = _split(players, seats, fewest)
        stages.append(Stage(sizes, tuple(min(advance, size - 1) for size in sizes), byes))
        players = stages[-1].left
    if players < fewest:
        return None
    while final == "last-one" and players > fewest:
        stages.append(Stage((players,), (players - 1,), final=True))
        players -= 1
    return (*stages, Stage((players,), (1,), final=True))


def _split(players: int, seats: int, fewest: int) -> tuple[tuple[int, ...], int]:
    """Sizes of the tables, as even as they can be, and how many must sit out."""
    tables = -(-players // seats)
    if players // tables < fewest:
        # As few byes as possible: full tables, the others sit out.
        tables = players // seats
        return (seats,) * tables, players - tables * seats
    small, larger = divmod(players, tables)
    return (small + 1,) * larger + (small,) * (tables - larger), 0
