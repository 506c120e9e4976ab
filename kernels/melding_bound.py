"""A bound on the best melds of a hand, from tables, and the card that spoils it.

Runs couple the ranks of a suit and sets couple the suits of a rank; what couples the two is only
that a card cannot be in both. So the bound takes the best runs of each suit and the best sets of
each rank (the *factors*), shares the jokers out among them exactly, and lets a card stand in a
run and in a set at once. If none does, the bound is reached.

``run_once``/``run_twice`` are the cards still allowed in runs, ``set_once``/``set_twice`` in sets.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, inner
from ramisim.kernels.melding_plain import folded, in_runs, three_suits
from ramisim.kernels.melding_suit import ROW, TWIN_SIZE, twin_row
from ramisim.kernels.melding_tables import (
    ENDS,
    HOLDINGS,
    JOKERS_AT,
    MOST_GAINS,
    MOST_OF_JOKER,
    PLAIN,
    RUN_BITS,
    RUNS_AT,
    SET_BITS,
    SETS_AT,
    WIDTH,
    spread_suits,
)

FACTORS: Final = bits.SUITS + bits.RANKS + 1

# Places in the scratch array, after those of ``melding_suit``.
_CARDS = TWIN_SIZE
GAINS = _CARDS + bits.SUITS * ROW
WHERE = GAINS + FACTORS * ROW
THEIRS = WHERE + FACTORS
"""By factor: its gains by jokers, its holding of a rank, its jokers in the best sharing."""
_SHARED = THEIRS + FACTORS
BOUND_END = _SHARED + (FACTORS + 1) * ROW

_LANE = np.uint64(0xFFFF)
_GATHER = np.uint64((1 << 48) | (1 << 33) | (1 << 18) | (1 << 3))
_U32, _U48 = np.uint64(32), np.uint64(48)
_FOUR = np.uint64(15)


@inlined
def suits_of(mask: Any, rank: Any) -> Any:
    """The suits that hold a rank: four bits, clubs lowest."""
    return np.int64(((((mask >> np.uint64(rank)) & bits.ACES) * _GATHER) >> _U48) & _FOUR)


@inner
def _suit_factors(run_once: Any, run_twice: Any, jokers: Any, tables: Any, work: Any) -> None:
    """Best runs of each suit, by jokers: factors 0 to 3."""
    for suit in range(bits.SUITS):
        once = np.int64(bits.lane(run_once, suit))
        twice = np.int64(bits.lane(run_twice, suit))
        gains, cards = GAINS + suit * ROW, _CARDS + suit * ROW
        if twice:
            row = twin_row(once, twice, jokers, tables, work)
            for j in range(jokers + 1):
                work[gains + j] = work[row + j]
                work[cards + j] = work[row + ROW + j]
        else:
            row = tables[RUNS_AT] + once * tables[WIDTH]
            for j in range(jokers + 1):
                entry = tables[row + j]
                work[gains + j] = entry >> RUN_BITS
                work[cards + j] = entry & (HOLDINGS - 1)


@inner
def _rank_factors(set_once: Any, set_twice: Any, jokers: Any, tables: Any, work: Any) -> Any:
    """Best sets of each rank that has any, by jokers, and melds of jokers alone; factors so far."""
    width = tables[WIDTH]
    ranks = set_once | set_once >> _U32
    ranks = (ranks | ranks >> bits.U16) & bits.LANE_RANKS
    n = np.int64(bits.SUITS)
    while ranks:
        rank = bits.lowest(ranks)
        ranks &= ranks - bits.U1
        where = rank << 8 | suits_of(set_twice, rank) << 4 | suits_of(set_once, rank)
        row = tables[SETS_AT] + where * width
        if tables[row + jokers] >> SET_BITS > 0:
            for j in range(jokers + 1):
                work[GAINS + n * ROW + j] = tables[row + j] >> SET_BITS
            work[WHERE + n] = where
            n += 1
    if tables[tables[JOKERS_AT] + jokers] > 0:
        for j in range(jokers + 1):
            work[GAINS + n * ROW + j] = tables[tables[JOKERS_AT] + j]
        work[WHERE + n] = -1
        n += 1
    return n


@inner
def bound_of(
    run_once: Any, run_twice: Any, set_once: Any, set_twice: Any, jokers: Any, tables: Any,
    work: Any,
) -> Any:  # fmt: skip
    """Gain of the best runs and sets where a card may be in both; number of factors in ``work``."""
    _suit_factors(run_once, run_twice, jokers, tables, work)
    n = _rank_factors(set_once, set_twice, jokers, tables, work)
    for j in range(jokers + 1):
        work[_SHARED + ROW + j] = work[GAINS + j]
    for factor in range(1, n):
        before, gains = _SHARED + factor * ROW, GAINS + factor * ROW
        for j in range(jokers + 1):
            best = work[before + j] + work[gains]
            for k in range(1, j + 1):
                best = max(best, work[before + j - k] + work[gains + k])
            work[before + ROW + j] = best
    return work[_SHARED + n * ROW + jokers], n


@inlined
def _jokers_of(factor: Any, jokers: Any, work: Any) -> Any:
    """How many of the jokers of the factors up to this one are its own, in the best sharing."""
    before, gains = _SHARED + factor * ROW, GAINS + factor * ROW
    if factor == 0:
        return jokers
    total = work[before + ROW + jokers]
    k = np.int64(0)
    while work[before + jokers - k] + work[gains + k] != total:
        k += 1
    return k


@inner
def conflict(twice: Any, jokers: Any, n: Any, tables: Any, work: Any) -> Any:
    """Cards that the last bound lays too often, one of them, and how often that is in runs.

    Of the suit with most such cards the highest: on dense hands half as many bounds as the lowest.
    """
    set_once = set_twice = run_once = run_twice = bits.U0
    for factor in range(n - 1, bits.SUITS - 1, -1):
        k = _jokers_of(factor, jokers, work)
        work[THEIRS + factor] = k
        where = work[WHERE + factor]
        if where >= 0:
            used = np.uint64(tables[tables[SETS_AT] + where * tables[WIDTH] + k])
            rank = np.uint64(where >> 8)
            set_once |= spread_suits(used & _FOUR) << rank
            set_twice |= spread_suits((used >> np.uint64(4)) & _FOUR) << rank
        jokers -= k
    for suit in range(bits.SUITS - 1, -1, -1):
        k = _jokers_of(suit, jokers, work)
        work[THEIRS + suit] = k
        used = np.uint64(work[_CARDS + suit * ROW + k])
        run_once = run_once << bits.U16 | used & _LANE
        run_twice = run_twice << bits.U16 | used >> bits.U16
        jokers -= k
    over = (run_once & set_once & ~twice) | (run_twice & set_once) | (run_once & set_twice)
    card = bits.U0
    most = np.int64(0)
    for suit in range(bits.SUITS):
        lane = bits.lane(over, suit)
        if bits.count(lane) > most:
            most = bits.count(lane)
            card = bits.U1 << np.uint64(bits.LANE * suit + bits.highest(lane))
    return over, card, np.int64(2) if run_twice & card else np.int64(1)


@inner
def ceiling(
    run_once: Any, run_twice: Any, set_once: Any, set_twice: Any, twice: Any, jokers: Any,
    tables: Any,
) -> Any:  # fmt: skip
    """Gain if every card that could be in a run or set stood in its best place, jokers as well."""
    if jokers == 0 and tables[PLAIN]:
        run_once = folded(in_runs(run_once, np.uint64(tables[ENDS])))
        # With twins a set may do with fewer suits.
        twins = set_twice | set_twice >> _U32
        twins = (twins | twins >> bits.U16) & bits.LANE_RANKS
        set_once &= (three_suits(set_once) | twins) * bits.ACES
    one = run_once | set_once
    two = twice & ((run_twice & run_once) | set_twice | (run_once & set_once))
    most = jokers * tables[MOST_OF_JOKER]
    for rank in range(bits.RANKS):
        column = bits.ACES << np.uint64(rank)
        most += (bits.count(one & column) + bits.count(two & column)) * tables[MOST_GAINS + rank]
    return most
