"""Line-ups of a tournament: who sits at one table, so that everybody meets everybody equally often.

Where there are more strategies than seats, either every possible line-up is played, or balanced
blocks: fewer line-ups in which each two strategies meet the same number of times. At a table the
circular order changes from deal to deal, and every deal is played in all rotations of it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from math import comb, gcd

import numpy as np
import numpy.typing as npt

from ramisim.errors import RunError

__all__ = ["LineUps", "balanced_blocks", "circular_orders", "field_line_ups", "round_robin"]

FEW_LINE_UPS = 30
"""Up to this many line-ups all are played; of more, balanced blocks (if not asked otherwise)."""
MOST_LINE_UPS = 4096
TRIES = 60
STEPS = 4000
MOST_BASES = 24

Blocks = list[tuple[int, ...]]


@dataclass(frozen=True)
class LineUps:
    """Who meets whom.

    Parameters
    ----------
    kind : {"all", "blocks", "field"}
        Every line-up, balanced blocks of them, or each candidate against line-ups of a field.
    table : tuple of tuple of int
        Indices of the strategies of each line-up; one that fills several seats stands several
        times.
    """

    kind: str
    table: tuple[tuple[int, ...], ...]

    @property
    def seats(self) -> int:
        """Seats at a table."""
        return len(self.table[0])

    @property
    def games_per_deal(self) -> int:
        """Matches that one deal is played in: every line-up in every rotation."""
        return len(self.table) * self.seats

    @cached_property
    def orders(self) -> npt.NDArray[np.int64]:
        """Circular orders int64[k, seats]; deal d sits in order d mod k."""
        return circular_orders(self.seats)

    def seatings(self, line_up: int, rotation: int) -> npt.NDArray[np.int8]:
        """Strategy in each seat, int8[k, seats]; row d mod k is the seating of deal d."""
        circles = np.array(self.table[line_up], dtype=np.int8)[self.orders]
        # As in the designs: rotation r moves everybody r seats on.
        return np.roll(circles, rotation, axis=1)

    def meetings(self) -> Counter[tuple[int, int]]:
        """In how many line-ups each two strategies meet."""
        return _meetings(set(block) for block in self.table)


def round_robin(strategies: int, seats: int, choice: str = "auto") -> LineUps:
    """The line-ups in which everybody meets everybody.

    Parameters
    ----------
    strategies, seats : int
        With fewer strategies than seats each fills as many as any other, or one more; all ways
        of giving the seats that are left over are line-ups.
    choice : {"auto", "all", "blocks"}

    Raises
    ------
    RunError
        Fewer than two strategies, an unknown choice, or more line-ups than a run can hold.
    """
    if strategies < 2:
        raise RunError("a tournament needs two strategies at least")
    if choice not in ("auto", "all", "blocks"):
        raise RunError(f"unknown line-ups {choice!r}: choose auto, all or blocks")
    n_all = comb(strategies, seats if strategies >= seats else seats % strategies)
    if choice == "all" or (choice == "auto" and n_all <= FEW_LINE_UPS) or strategies <= seats:
        _check_number(n_all)
        return LineUps("all", tuple(_filled(range(strategies), seats)))
    blocks = balanced_blocks(strategies, seats)
    if len(blocks) >= n_all:
        return LineUps("all", tuple(_filled(range(strategies), seats)))
    _check_number(len(blocks))
    return LineUps("blocks", tuple(blocks))


def field_line_ups(candidates: int, field: int, seats: int) -> LineUps:
    """Each candidate against the same line-ups of a field (a gauntlet).

    Parameters
    ----------
    candidates, field : int
        Numbers of strategies; those of the field come after the candidates.
    seats : int
        One is the candidate's. A field smaller than the other seats is repeated as evenly as it
        goes; of a larger one all line-ups are played, or balanced blocks where those are many.

    Raises
    ------
    RunError
        No candidate, no field, or more line-ups than a run can hold.
    """
    if candidates < 1 or field < 1:
        raise RunError("a gauntlet needs a candidate and a field of one strategy at least")
    members = range(candidates, candidates + field)
    others: Iterable[tuple[int, ...]] = _filled(members, seats - 1)
    if field > seats - 1 > 1 and comb(field, seats - 1) > FEW_LINE_UPS:
        blocks = balanced_blocks(field, seats - 1)
        others = [tuple(members[i] for i in block) for block in blocks]
    table = tuple((candidate, *rest) for rest in others for candidate in range(candidates))
    _check_number(len(table))
    return LineUps("field", table)


def circular_orders(seats: int) -> npt.NDArray[np.int64]:
    """Every order in which people can sit around a table, int64[(seats - 1)!, seats].

    Who sits after whom matters: one takes what the other throws away. Neighbours in the list
    differ much, so that the first deals of a run already mix the orders well.

    Examples
    --------
    >>> circular_orders(3).tolist()
    [[0, 1, 2], [0, 2, 1]]
    """
    rest = list(permutations(range(1, seats)))
    stride = next(k for k in range(round(0.618 * len(rest)), 0, -1) if gcd(k, len(rest)) == 1)
    rows = [(0, *rest[i * stride % len(rest)]) for i in range(len(rest))]
    return np.array(rows, dtype=np.int64)


def balanced_blocks(n: int, size: int) -> Blocks:
    """Blocks of `size` out of n in which each two meet equally often.

    A balanced incomplete block design, from base blocks that are turned through all residues (and
    where that needs fewer, with one point that stays): the smallest such design that a seeded
    search finds, or else all ``comb(n, size)`` blocks.

    Parameters
    ----------
    n, size : int
        1 < size < n.

    Returns
    -------
    list of tuple of int
        Ascending; every point is in equally many.

    Examples
    --------
    >>> blocks = balanced_blocks(7, 3)
    >>> len(blocks), blocks[0]
    (7, (0, 1, 3))
    """
    every = comb(n, size)
    for n_blocks, fixed, bases in sorted(_plans(n, size)):
        if n_blocks >= every:
            break
        found = _search(n, size, fixed, bases)
        if found:
            return sorted(found)
    if every > MOST_LINE_UPS:
        raise RunError(
            f"no balanced blocks of {size} out of {n} strategies were found: take fewer "
            "strategies, or tables of 2"
        )
    return list(combinations(range(n), size))


def _plans(n: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Designs to look for: blocks, base blocks with the point that stays, base blocks in all."""
    pairs = size * (size - 1)
    turned = (n - 1) // gcd(n - 1, pairs)
    stays = size // gcd(n, size)
    for times in (1, 2, 3):
        yield times * turned * n, 0, times * turned
        yield times * stays * (n - 1) * n // size, times * stays, times * stays * n // size


def _search(n: int, size: int, fixed: int, bases: int) -> Blocks | None:
    """Base blocks whose differences come equally often, by steps that never make it worse."""
    order = n - 1 if fixed else n
    if bases > MOST_BASES or order < size:
        return None
    sizes = [size - 1] * fixed + [size] * (bases - fixed)
    wanted = sum(k * (k - 1) for k in sizes) / (order - 1)
    chance = random.Random(n * 100 + size)
    for _ in range(TRIES // bases):
        blocks = [chance.sample(range(order), k) for k in sizes]
        if _even_out(blocks, order, wanted, chance):
            found = _developed(blocks, order, fixed)
            # A line-up that stands twice would play the same games twice.
            if len(set(found)) == len(found):
                return found
    return None


def _even_out(blocks: list[list[int]], order: int, wanted: float, chance: random.Random) -> bool:
    """Exchange points of base blocks until every difference comes `wanted` times."""
    worst = _unevenness(blocks, order, wanted)
    for _ in range(STEPS // len(blocks)):
        if worst == 0:
            return True
        block = chance.choice(blocks)
        place = chance.randrange(len(block))
        old = block[place]
        block[place] = chance.choice([x for x in range(order) if x not in block])
        now = _unevenness(blocks, order, wanted)
        if now > worst:
            block[place] = old
        else:
            worst = now
    return worst == 0


def _unevenness(blocks: Sequence[Sequence[int]], order: int, wanted: float) -> float:
    times = [0] * order
    for block in blocks:
        for a in block:
            for b in block:
                times[(a - b) % order] += 1
    return sum((t - wanted) ** 2 for t in times[1:])


def _developed(blocks: Sequence[Sequence[int]], order: int, fixed: int) -> Blocks:
    """All turns of the base blocks; the first `fixed` of them hold the point that stays."""
    out = []
    for i, block in enumerate(blocks):
        stays = [order] if i < fixed else []
        out += [tuple(sorted([(x + turn) % order for x in block] + stays)) for turn in range(order)]
    return out


def _filled(members: Sequence[int], seats: int) -> Iterator[tuple[int, ...]]:
    """All ways of filling seats as evenly as it goes."""
    whole, left = divmod(seats, len(members))
    for more in combinations(members, left):
        yield tuple(sorted([*list(members) * whole, *more]))


def _meetings(blocks: Iterable[set[int]]) -> Counter[tuple[int, int]]:
    return Counter(pair for block in blocks for pair in combinations(sorted(block), 2))


def _check_number(line_ups: int) -> None:
    if line_ups > MOST_LINE_UPS:
        raise RunError(
            f"that makes {line_ups} line-ups and a run holds at most {MOST_LINE_UPS}: take fewer "
            "strategies, or balanced blocks"
        )
