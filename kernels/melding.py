"""The best melds of a hand, exact for every rule set.

Runs couple the ranks of a suit and sets couple the suits of a rank; what couples the two is only
that a card cannot be in both. So the bound of a search node takes the best runs of each suit and
the best sets of each rank from tables, shares the jokers out among them exactly, and lets a card
stand in a run and in a set at once. If none does, the bound is the answer: so it is for most
hands. Otherwise a card that does is barred from one or the other, in two branches.

``once``/``twice`` with the prefix ``run`` or ``set`` are the cards still allowed there.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, kernel
from ramisim.kernels.melding_suit import ROW, TWIN_KEY, TWIN_SIZE, forget, twin_row
from ramisim.kernels.melding_tables import (
    HAND_VALUES,
    HOLDINGS,
    JOKER_HAND,
    JOKERS_AT,
    KEY,
    OBJECTIVE,
    RUN_BITS,
    RUNS_AT,
    SET_BITS,
    SETS_AT,
    WIDTH,
    out_of_hand,
    points_of,
    spread_suits,
)

FACTORS: Final = bits.SUITS + bits.RANKS + 1

# Places in the scratch array, after those of ``melding_suit``.
BEST = TWIN_SIZE  # four masks of the best node
COUNT = BEST + 4
SUIT_GAINS = BEST + 8
SUIT_CARDS = SUIT_GAINS + bits.SUITS * ROW
FACTOR_GAINS = SUIT_CARDS + bits.SUITS * ROW
FACTOR_RANK = FACTOR_GAINS + FACTORS * ROW
SHARED = FACTOR_RANK + FACTORS
NODES = SHARED + (FACTORS + 1) * ROW
NODE_SIZE: Final = 8
MOST_NODES: Final = 256
SCRATCH_SIZE = NODES + MOST_NODES * NODE_SIZE

_LANE = np.uint64(0xFFFF)
_GATHER = np.uint64((1 << 48) | (1 << 33) | (1 << 18) | (1 << 3))
_TOP_FOUR = np.uint64(48)
_FOUR = np.uint64(15)


def scratch() -> Any:
    """Room to think for one thread: int64[SCRATCH_SIZE], for any tables."""
    return np.zeros(SCRATCH_SIZE, dtype=np.int64)


@inlined
def suits_of(mask: Any, rank: Any) -> Any:
    """The suits that hold a rank: four bits, clubs lowest."""
    return np.int64(((((mask >> np.uint64(rank)) & bits.ACES) * _GATHER) >> _TOP_FOUR) & _FOUR)


@kernel
def _suit_rows(run_once: Any, run_twice: Any, jokers: Any, tables: Any, work: Any) -> None:
    """Best runs of each suit, by jokers."""
    width = tables[WIDTH]
    for suit in range(bits.SUITS):
        once = np.int64(bits.lane(run_once, suit))
        twice = np.int64(bits.lane(run_twice, suit))
        gains, cards = SUIT_GAINS + suit * ROW, SUIT_CARDS + suit * ROW
        if twice:
            row = twin_row(once, twice, jokers, tables, work)
            for j in range(jokers + 1):
                work[gains + j] = work[row + j]
                work[cards + j] = work[row + ROW + j]
        else:
            row = tables[RUNS_AT] + once * width
            for j in range(jokers + 1):
                entry = tables[row + j]
                work[gains + j] = entry >> RUN_BITS
                work[cards + j] = entry & (HOLDINGS - 1)


@inlined
def _share(work: Any, n: Any, gains: Any, jokers: Any) -> Any:
    """Share the jokers between the first ``n`` factors and one more, whose gains start there."""
    before, after = SHARED + n * ROW, SHARED + (n + 1) * ROW
    for j in range(jokers + 1):
        best = work[before + j] + work[gains]
        for k in range(1, j + 1):
            best = max(best, work[before + j - k] + work[gains + k])
        work[after + j] = best


@inlined
def its_jokers(work: Any, n: Any, gains: Any, jokers: Any) -> Any:
    """How many of ``jokers`` the factor after the first ``n`` has in the best sharing."""
    total = work[SHARED + (n + 1) * ROW + jokers]
    for k in range(jokers + 1):
        if work[SHARED + n * ROW + jokers - k] + work[gains + k] == total:
            return k
    return 0


@kernel
def _rank_rows(set_once: Any, set_twice: Any, jokers: Any, tables: Any, work: Any) -> Any:
    """Gains of the best sets of each rank that has any, by jokers, as factors; how many."""
    width = tables[WIDTH]
    folded = set_once | set_once >> np.uint64(32)
    folded = (folded | folded >> bits.U16) & bits.LANE_RANKS
    n = bits.SUITS
    while folded:
        rank = bits.lowest(folded)
        folded &= folded - bits.U1
        cards = suits_of(set_twice, rank) << 4 | suits_of(set_once, rank)
        row = tables[SETS_AT] + (rank * 256 + cards) * width
        if tables[row + jokers] >> SET_BITS > 0:
            gains = FACTOR_GAINS + n * ROW
            for j in range(jokers + 1):
                work[gains + j] = tables[row + j] >> SET_BITS
            work[FACTOR_RANK + n] = rank << 8 | cards
            n += 1
    if tables[tables[JOKERS_AT] + jokers] > 0:
        gains = FACTOR_GAINS + n * ROW
        for j in range(jokers + 1):
            work[gains + j] = tables[tables[JOKERS_AT] + j]
        work[FACTOR_RANK + n] = -1
        n += 1
    return n


@kernel
def bound_of(
    run_once: Any, run_twice: Any, set_once: Any, set_twice: Any, jokers: Any, tables: Any,
    work: Any,
) -> Any:  # fmt: skip
    """Gain of the best runs and sets where a card may be in both; number of factors in ``work``."""
    _suit_rows(run_once, run_twice, jokers, tables, work)
    n = _rank_rows(set_once, set_twice, jokers, tables, work)
    for j in range(jokers + 1):
        work[SHARED + j] = 0
    for suit in range(bits.SUITS):
        _share(work, suit, SUIT_GAINS + suit * ROW, jokers)
    for factor in range(bits.SUITS, n):
        _share(work, factor, FACTOR_GAINS + factor * ROW, jokers)
    return work[SHARED + n * ROW + jokers], n


@kernel
def _cards_in_sets(jokers: Any, n: Any, tables: Any, work: Any) -> Any:
    """Cards in the sets of the last bound, once and twice, and the jokers left for runs."""
    width = tables[WIDTH]
    once = twice = bits.U0
    for factor in range(n - 1, bits.SUITS - 1, -1):
        k = its_jokers(work, factor, FACTOR_GAINS + factor * ROW, jokers)
        where = work[FACTOR_RANK + factor]
        if where >= 0:
            used = tables[tables[SETS_AT] + where * width + k]
            rank = np.uint64(where >> 8)
            once |= spread_suits(np.uint64(used & 15)) << rank
            twice |= spread_suits(np.uint64((used >> 4) & 15)) << rank
        jokers -= k
    return once, twice, jokers


@kernel
def _cards_in_runs(jokers: Any, work: Any) -> Any:
    """Cards in the runs of the last bound, once and twice."""
    once = twice = bits.U0
    for suit in range(bits.SUITS - 1, -1, -1):
        k = its_jokers(work, suit, SUIT_GAINS + suit * ROW, jokers)
        used = np.uint64(work[SUIT_CARDS + suit * ROW + k])
        once = once << bits.U16 | used & _LANE
        twice = twice << bits.U16 | used >> bits.U16
        jokers -= k
    return once, twice


@kernel
def _conflict(twice: Any, jokers: Any, n: Any, tables: Any, work: Any) -> Any:
    """Lowest card that the last bound lays more often than it is held, and its copies in runs."""
    set_once, set_twice, left = _cards_in_sets(jokers, n, tables, work)
    run_once, run_twice = _cards_in_runs(left, work)
    over = (run_once & set_once & ~twice) | (run_twice & set_once) | (run_once & set_twice)
    card = over & (~over + bits.U1)
    return card, np.int64(2) if run_twice & card else np.int64(1)


@inlined
def _push(
    work: Any, n: Any, a: Any, b: Any, c: Any, d: Any, bound: Any, card: Any, in_runs: Any
) -> None:
    node = NODES + n * NODE_SIZE
    work[node], work[node + 1] = np.int64(a), np.int64(b)
    work[node + 2], work[node + 3] = np.int64(c), np.int64(d)
    work[node + 4], work[node + 5], work[node + 6] = bound, np.int64(card), in_runs


@kernel
def _try(
    a: Any, b: Any, c: Any, d: Any, twice: Any, jokers: Any, best: Any, n: Any, tables: Any,
    work: Any,
) -> Any:  # fmt: skip
    """Bound one node: keep it as the best, push it as number ``n``, or drop it; (best, nodes)."""
    work[COUNT] += 1
    bound, factors = bound_of(a, b, c, d, jokers, tables, work)
    if bound <= best:
        return best, n
    card, in_runs = _conflict(twice, jokers, factors, tables, work)
    if card == bits.U0:
        work[BEST], work[BEST + 1] = np.int64(a), np.int64(b)
        work[BEST + 2], work[BEST + 3] = np.int64(c), np.int64(d)
        return bound, n
    _push(work, n, a, b, c, d, bound, card, in_runs)
    return best, n + 1


@kernel
def search(once: Any, twice: Any, jokers: Any, tables: Any, work: Any) -> Any:
    """Best gain of the hand; the masks of the node that reaches it stand at ``BEST``."""
    if work[TWIN_KEY] != tables[KEY]:
        work[TWIN_KEY] = tables[KEY]
        forget(work)
    work[COUNT] = 0
    best, n = _try(once, twice, once, twice, twice, jokers, np.int64(-1), 0, tables, work)
    while n > 0:
        n -= 1
        node = NODES + n * NODE_SIZE
        if work[node + 4] <= best:
            continue
        a, b = np.uint64(work[node]), np.uint64(work[node + 1])
        c, d = np.uint64(work[node + 2]), np.uint64(work[node + 3])
        card, in_runs = np.uint64(work[node + 5]), work[node + 6]
        single = card & ~twice
        # Bar from sets what the runs need, then from runs one copy of what they took.
        fewer_c = c & ~card if in_runs == 2 or single else c
        first = n
        best, n = _try(a, b, fewer_c, d & ~card, twice, jokers, best, n, tables, work)
        fewer_a = a if in_runs == 2 else a & ~card
        best, n = _try(fewer_a, b & ~card, c, d, twice, jokers, best, n, tables, work)
        if n == first + 2 and work[node + 4] > work[node + 4 + NODE_SIZE]:
            for i in range(NODE_SIZE):
                work[node + i], work[node + NODE_SIZE + i] = (
                    work[node + NODE_SIZE + i], work[node + i],
                )  # fmt: skip
    return best


@kernel
def hand_total(once: Any, twice: Any, jokers: Any, tables: Any) -> Any:
    """Value of a whole hand."""
    total = jokers * tables[JOKER_HAND]
    for rank in range(bits.RANKS):
        column = bits.ACES << np.uint64(rank)
        n = bits.count(once & column) + bits.count(twice & column)
        total += n * tables[HAND_VALUES + rank]
    return total


@kernel
def best_melds(once: Any, twice: Any, jokers: Any, tables: Any, work: Any) -> Any:
    """Value left in hand and points laid (two int64) by the best melds of a hand.

    ``tables`` hold the rules and the objective (``melding_tables.new_tables``), ``work`` is the
    ``scratch()`` of the thread.
    """
    gain = search(once, twice, np.int64(jokers), tables, work)
    left = hand_total(once, twice, np.int64(jokers), tables)
    return left - out_of_hand(tables[OBJECTIVE], gain), points_of(tables[OBJECTIVE], gain)


@kernel
def best_melds_many(
    once: Any, twice: Any, jokers: Any, tables: Any, work: Any, deadwood: Any, points: Any
) -> None:
    """``best_melds`` of many hands: uint64[n], uint64[n], int64[n] in, two int32[n] out."""
    for i in range(len(once)):
        deadwood[i], points[i] = best_melds(once[i], twice[i], np.int64(jokers[i]), tables, work)
