"""The best melds of a hand as action rows: what ``melding`` only counts, laid out.

A table entry is taken apart by asking which run or set leaves, with the entry of what remains,
the same gain.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import inner, kernel
from ramisim.kernels.melding import BEST, BEST_FACTORS, BEST_JOKERS, BEST_WHERE
from ramisim.kernels.melding_suit import twin_row
from ramisim.kernels.melding_tables import (
    DISTINCT,
    HOLDINGS,
    JOKER_CAP,
    JOKER_POINTS,
    JOKERS_AT,
    NEVER,
    ONE_RUN_AT,
    RANK_HOLDINGS,
    RUN_BITS,
    RUNS_AT,
    SET_BITS,
    SET_POINTS,
    SETS_AT,
    WIDTH,
    best_joker_run,
    cards_without,
    holds,
    set_gain,
    spaced,
    window_fits,
    window_gain,
)
from ramisim.kernels.melds import write_run, write_set


@kernel
def rows_of_best(tables: Any, work: Any, rows: Any) -> Any:
    """Write the melds that ``melding.search`` found last as ``lay`` rows; how many.

    ``rows``: int16[many, ROW]; a hand of n cards lays at most n / 3 melds.
    """
    n = np.int64(0)
    for factor in range(bits.SUITS, work[BEST_FACTORS]):
        where, jokers = work[BEST_WHERE + factor], work[BEST_JOKERS + factor]
        if where >= 0:
            n = _rows_of_rank(where >> 8, where & 255, jokers, tables, rows, n)
        else:
            n = _rows_of_jokers(jokers, tables, rows, n)
    for suit in range(bits.SUITS):
        once = np.int64(bits.lane(np.uint64(work[BEST]), suit))
        twice = np.int64(bits.lane(np.uint64(work[BEST + 1]), suit))
        jokers = work[BEST_JOKERS + suit]
        n = _rows_of_suit(suit, once, twice, jokers, tables, work, rows, n)
    return n


@inner
def _rows_of_rank(rank: Any, cards: Any, jokers: Any, tables: Any, rows: Any, n: Any) -> Any:
    """Rows of the best sets of a holding of a rank with so many jokers."""
    start = tables[SETS_AT] + rank * RANK_HOLDINGS * tables[WIDTH]
    while True:
        total = tables[start + cards * tables[WIDTH] + jokers] >> SET_BITS
        if total <= 0:
            return n
        used, k = _next_set(rank, cards, jokers, total, tables)
        _declare_set(rank, used, k, tables, rows[n])
        cards, jokers, n = cards_without(cards, used), jokers - k, n + 1


@inner
def _next_set(rank: Any, cards: Any, jokers: Any, total: Any, tables: Any) -> Any:
    """One set of the best ones: its naturals and its jokers."""
    start = tables[SETS_AT] + rank * RANK_HOLDINGS * tables[WIDTH]
    used = np.int64(0)
    while True:
        used += 1
        if holds(cards, used):
            rest = start + cards_without(cards, used) * tables[WIDTH]
            for k in range(jokers + 1):
                gain = set_gain(tables, rank, used, np.int64(k))
                if gain + (tables[rest + jokers - k] >> SET_BITS) == total:
                    return used, np.int64(k)


@inner
def _declare_set(rank: Any, cards: Any, jokers: Any, tables: Any, row: Any) -> None:
    """Write a set, its jokers declared so that it brings most points.

    What they stand for matters only where the first three cards count as one: then the jokers
    come first or last, whichever leaves more for the others.
    """
    c, d = (cards & 1) + (cards >> 4 & 1), (cards >> 1 & 1) + (cards >> 5 & 1)
    h, s = (cards >> 2 & 1) + (cards >> 6 & 1), (cards >> 3 & 1) + (cards >> 7 & 1)
    if tables[DISTINCT]:
        a = min(1 - c, jokers)
        b = min(1 - d, jokers - a)
        e = min(1 - h, jokers - a - b)
        write_set(row, rank, (c, d, h, s), (a, b, e, jokers - a - b - e))
    elif tables[JOKER_POINTS] > tables[SET_POINTS + rank]:
        write_set(row, rank, (c, d, h, s), (jokers * 0, jokers * 0, jokers * 0, jokers))
    else:
        write_set(row, rank, (c, d, h, s), (jokers, jokers * 0, jokers * 0, jokers * 0))


@inner
def _rows_of_jokers(jokers: Any, tables: Any, rows: Any, n: Any) -> Any:
    """Rows of the best melds of jokers alone."""
    start = tables[JOKERS_AT]
    while tables[start + jokers] > 0:
        k = np.int64(2)
        written = False
        while not written:
            k += 1
            gain = tables[start + jokers] - tables[start + jokers - k]
            written = _write_jokers(k, gain, tables, rows[n])
        jokers, n = jokers - k, n + 1
    return n


@inner
def _write_jokers(size: Any, gain: Any, tables: Any, row: Any) -> Any:
    """Write a meld of jokers alone that has this gain; false if there is none."""
    run, low = best_joker_run(tables, size)
    if run == gain:
        write_run(row, np.int64(0), low, size, (bits.U1 << np.uint64(size)) - bits.U1)
        return True
    for rank in range(bits.RANKS):
        if set_gain(tables, np.int64(rank), np.int64(0), size) == gain:
            _declare_set(np.int64(rank), np.int64(0), size, tables, row)
            return True
    return False


@inner
def _runs_gain(once: Any, twice: Any, jokers: Any, tables: Any, work: Any) -> Any:
    """Best gain of the runs of one suit."""
    if twice:
        return work[twin_row(once, twice, jokers, tables, work) + jokers]
    return tables[tables[RUNS_AT] + once * tables[WIDTH] + jokers] >> RUN_BITS


@inner
def _rows_of_suit(
    suit: Any, once: Any, twice: Any, jokers: Any, tables: Any, work: Any, rows: Any, n: Any
) -> Any:
    """Rows of the best runs of a suit: lanes of naturals as int64, so many jokers."""
    while True:
        total = _runs_gain(once, twice, jokers, tables, work)
        if total <= 0:
            return n
        lowest = twice & -twice if twice else once & -once
        fewer, fewer_twins = (once, twice ^ lowest) if twice else (once ^ lowest, twice)
        if _runs_gain(fewer, fewer_twins, jokers, tables, work) == total:
            once, twice = fewer, fewer_twins
            continue
        once, twice, k, cards = _next_run(once, twice, lowest, jokers, total, tables, work)
        gain = tables[tables[ONE_RUN_AT] + cards * tables[WIDTH] + k]
        _declare_run(suit, cards, k, gain, tables, rows[n])
        jokers, n = jokers - k, n + 1


@inner
def _next_run(
    once: Any, twice: Any, lowest: Any, jokers: Any, total: Any, tables: Any, work: Any
) -> Any:
    """One run of the best ones, with the lowest card: lanes left, its jokers, its naturals."""
    options = once ^ lowest
    if lowest == 1 and twice & 1:
        options |= HOLDINGS
    part = options
    while True:
        cards = part | lowest
        taken = cards & (HOLDINGS - 1)
        left, left_twice = (once & ~taken) | (twice & taken), twice & ~taken
        if cards >= HOLDINGS:
            left &= ~1
        for k in range(jokers + 1):
            gain = tables[tables[ONE_RUN_AT] + cards * tables[WIDTH] + k]
            if gain > NEVER:
                others = _runs_gain(left, left_twice, jokers - k, tables, work)
                if gain + others == total:
                    return left, left_twice, np.int64(k), cards
        part = (part - 1) & options


@inner
def _declare_run(suit: Any, cards: Any, jokers: Any, gain: Any, tables: Any, row: Any) -> None:
    """Write the run of these naturals and at most so many jokers that has this gain."""
    most = min(jokers, tables[JOKER_CAP])
    naturals = bits.count(np.uint64(cards))
    for low in range(bits.RANKS):
        for size in range(naturals, min(naturals + most, bits.RANKS + 1) + 1):
            for end in range(2 if size >= 3 and window_fits(tables, low, size) else 0):
                places = _joker_places(cards, low, size, end)
                if size - bits.count(places) == naturals and spaced(tables, places):
                    if window_gain(tables, low, size, places) == gain:
                        write_run(row, suit, low, size, places)
                        return


@inner
def _joker_places(cards: Any, low: Any, size: Any, end: Any) -> Any:
    """Places of a window that the naturals leave to jokers.

    From ace to ace with one ace, ``end`` 0 puts it low and 1 high.
    """
    places = bits.U0
    for i in range(size):
        held = (cards >> np.int64((low + i) % bits.RANKS)) & 1
        if size > bits.RANKS and cards < HOLDINGS and i == (0 if end else bits.RANKS):
            held = np.int64(0)
        if not held:
            places |= bits.U1 << np.uint64(i)
    return places
