"""Designs: who sits where on which deal (contracts 8).

A design is a table of seatings, one row each: the index of the strategy in every seat. Most
designs play each deal in all the rows; ``rotate`` plays one row a deal, row d mod k for deal d.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
import numpy.typing as npt

from ramisim.errors import RunError

__all__ = ["DESIGNS", "MAX_SEATINGS", "Seatings", "line_up", "seatings"]

DESIGNS = ("rotate", "duplicate", "fixed", "permute", "substitute")
"""The names of the designs, in the order of the contract."""

MAX_SEATINGS = 256
"""Seatings a run can hold: the column ``rotation`` is one byte."""


@dataclass(frozen=True)
class Seatings:
    """The seatings of a run.

    Parameters
    ----------
    design : str
        One of `DESIGNS`.
    table : numpy.ndarray
        int8[k, seats]: index of the strategy in each seat; the row number is the ``rotation``.
    every : bool
        Each deal is played in all k rows; otherwise deal d is played in row d mod k.
    """

    design: str
    table: npt.NDArray[np.int8]
    every: bool

    @property
    def seats(self) -> int:
        """Seats at the table."""
        return int(self.table.shape[1])

    @property
    def games_per_deal(self) -> int:
        """Matches that one deal is played in."""
        return int(self.table.shape[0]) if self.every else 1

    def keys(
        self, first_deal: int, n_deals: int
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
        """Keys of the rows of some deals, in the order of the tables.

        Parameters
        ----------
        first_deal : int
            The first deal.
        n_deals : int
            Number of deals.

        Returns
        -------
        deal : numpy.ndarray
            uint64[n_deals * games_per_deal * seats].
        rotation, seat : numpy.ndarray
            uint8 of the same length.
        """
        deals = np.arange(n_deals, dtype=np.uint64) + np.uint64(first_deal)
        rows = np.arange(len(self.table), dtype=np.uint64)
        rotation = np.tile(rows, n_deals) if self.every else deals % np.uint64(len(rows))
        seat = np.tile(np.arange(self.seats, dtype=np.uint8), len(rotation))
        deal = np.repeat(deals, self.games_per_deal * self.seats)
        return deal, np.repeat(rotation.astype(np.uint8), self.seats), seat


def line_up(n_strategies: int, seats: int) -> list[int]:
    """Strategies by seat: the list in order, repeated until the seats are full.

    Two strategies at four seats sit 0, 1, 0, 1.

    Raises
    ------
    RunError
        More strategies than seats: somebody would never play.
    """
    if not 1 <= n_strategies <= seats:
        raise RunError(
            f"{n_strategies} strategies do not fit {seats} seats: "
            f"name 1 to {seats}, or use the design substitute"
        )
    return [seat % n_strategies for seat in range(seats)]


def seatings(design: str, players: Sequence[int], opponents: Sequence[int] = ()) -> Seatings:
    """The seatings of a design.

    Parameters
    ----------
    design : {"rotate", "duplicate", "fixed", "permute", "substitute"}
        ``fixed`` is the line-up as it is; ``rotate`` and ``duplicate`` have its n cyclic
        rotations, one a deal and all of them; ``permute`` has all n! orders;
        ``substitute`` puts each candidate in every seat, and the opponents, always in the same
        order, in the seats after it. Rows that are alike (two strategies at four seats) are
        kept: the contract wants n rotations and n! orders.
    players : sequence of int
        The line-up, a strategy index for each seat; for ``substitute`` the candidates.
    opponents : sequence of int
        For ``substitute``: the strategy indices of the other seats, one fewer than the seats.

    Returns
    -------
    Seatings
        Row 0 of every design but ``substitute`` is the line-up itself.

    Raises
    ------
    RunError
        Unknown design, or more than `MAX_SEATINGS` rows.
    """
    if design not in DESIGNS:
        raise RunError(f"unknown design '{design}': choose one of {', '.join(DESIGNS)}")
    n = len(players)
    if design == "substitute":
        _check_number(design, len(players) * (len(opponents) + 1))
        rows = _substitutions(players, opponents)
    elif design == "permute":
        _check_number(design, factorial(n))
        rows = [list(order) for order in permutations(players)]
    elif design == "fixed":
        rows = [list(players)]
    else:
        # Rotation r moves everybody r seats on: seat s holds who sat in seat s - r.
        rows = [[players[(seat - r) % n] for seat in range(n)] for r in range(n)]
    return Seatings(design, np.array(rows, dtype=np.int8), every=design != "rotate")


def _substitutions(candidates: Sequence[int], opponents: Sequence[int]) -> list[list[int]]:
    """Each candidate in every seat; candidates of the same seat stand next to each other."""
    seats = len(opponents) + 1
    rows = []
    for seat in range(seats):
        for candidate in candidates:
            circle = [candidate, *opponents]
            rows.append([circle[(s - seat) % seats] for s in range(seats)])
    return rows


def _check_number(design: str, n_rows: int) -> None:
    if n_rows > MAX_SEATINGS:
        raise RunError(
            f"the design {design} has {n_rows} seatings here and a run holds at most "
            f"{MAX_SEATINGS}: take fewer seats or strategies, or the design duplicate"
        )
