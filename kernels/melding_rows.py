"""The best melds of a hand as action rows: what ``melding`` only counts, laid out.

A table entry is taken apart by asking which run or set leaves, with the entry of what remains,
the same gain.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import kernel
from ramisim.kernels.melding import (
    BEST,
    FACTOR_GAINS,
    FACTOR_RANK,
    SUIT_GAINS,
    bound_of,
    its_jokers,
    search,
)
from ramisim.kernels.melding_suit import ROW, twin_row
from ramisim.kernels.melding_tables import (
    HOLDINGS,
    JOKERS_AT,
    NEVER,
    OBJECTIVE,
    ONE_RUN_AT,
    RUN_BITS,
    RUNS_AT,
    SET_BITS,
    SETS_AT,
    WIDTH,
    best_joker_run,
    place_gain,
    room,
    set_gain,
    spread_suits,
)
from ramisim.kernels.melds import copies, joker_cap, meld_value, write_run, write_set
from ramisim.kernels.shape import run_fits
from ramisim.kernels.state import SET


@kernel
def best_rows(
    once: Any, twice: Any, jokers: Any, rules: Any, tables: Any, work: Any, rows: Any
) -> Any:
    """Write the best melds of a hand as ``lay`` rows (int16[many, ROW]); how many.

    ``rules`` are those of ``tables``; the other arguments as in ``melding.best_melds``.
    """
    left = np.int64(jokers)
    search(once, twice, left, tables, work)
    run_once, run_twice = np.uint64(work[BEST]), np.uint64(work[BEST + 1])
    set_once, set_twice = np.uint64(work[BEST + 2]), np.uint64(work[BEST + 3])
    _, factors = bound_of(run_once, run_twice, set_once, set_twice, left, tables, work)
    n = 0
    for factor in range(factors - 1, bits.SUITS - 1, -1):
        k = its_jokers(work, factor, FACTOR_GAINS + factor * ROW, left)
        where = work[FACTOR_RANK + factor]
        if where >= 0:
            n = _rows_of_rank(where >> 8, where & 255, k, rules, tables, rows, n)
        else:
            n = _rows_of_jokers(k, rules, tables, rows, n)
        left -= k
    for suit in range(bits.SUITS - 1, -1, -1):
        k = its_jokers(work, suit, SUIT_GAINS + suit * ROW, left)
        lane, twins = bits.lane(run_once, suit), bits.lane(run_twice, suit)
        n = _rows_of_suit(suit, np.int64(lane), np.int64(twins), k, rules, tables, work, rows, n)
        left -= k
    return n


@kernel
def _rows_of_rank(
    rank: Any, cards: Any, jokers: Any, rules: Any, tables: Any, rows: Any, n: Any
) -> Any:
    """Rows of the best sets of a rank: holding as in the tables, so many jokers."""
    width, start = tables[WIDTH], tables[SETS_AT] + rank * 256 * tables[WIDTH]
    while True:
        total = tables[start + cards * width + jokers] >> SET_BITS
        if total <= 0:
            return n
        rest, k, used = _next_set(rank, cards, jokers, total, rules, tables)
        _declare_set(rank, used, k, rules, rows[n])
        cards, jokers, n = rest, jokers - k, n + 1


@kernel
def _next_set(rank: Any, cards: Any, jokers: Any, total: Any, rules: Any, tables: Any) -> Any:
    """One set of the best ones: holding left, its jokers, its naturals."""
    width, start = tables[WIDTH], tables[SETS_AT] + rank * 256 * tables[WIDTH]
    once, twice = cards & 15, cards >> 4
    for used in range(1, 256):
        a, b = used & 15, used >> 4
        if a & once == a and b & twice == b and b & a == b:
            rest = (once & ~a | twice & (a ^ b)) | (twice & ~a) << 4
            for k in range(jokers + 1):
                gain = set_gain(rules, tables[OBJECTIVE], rank, a, b, k)
                if gain + (tables[start + rest * width + jokers - k] >> SET_BITS) == total:
                    return rest, k, used
    return 0, 0, 0


@kernel
def _declare_set(rank: Any, cards: Any, jokers: Any, rules: Any, row: Any) -> None:
    """Write a set, its jokers declared so that it brings most points."""
    once, twice = spread_suits(np.uint64(cards & 15)), spread_suits(np.uint64(cards >> 4))
    naturals = (
        copies(once, twice, 0, 0),
        copies(once, twice, 1, 0),
        copies(once, twice, 2, 0),
        copies(once, twice, 3, 0),
    )
    most, best = np.int64(-1), (0, 0, 0, 0)
    for a in range(room(rules, once, twice, 0, jokers) + 1):
        for b in range(room(rules, once, twice, 1, jokers - a) + 1):
            for c in range(room(rules, once, twice, 2, jokers - a - b) + 1):
                d = jokers - a - b - c
                if d <= room(rules, once, twice, 3, d):
                    write_set(row, rank, naturals, (a, b, c, d))
                    points = np.int64(meld_value(SET, row[4:], np.int64(row[3]), rules))
                    if points > most:
                        most, best = points, (a, b, c, d)
    write_set(row, rank, naturals, best)


@kernel
def _rows_of_jokers(jokers: Any, rules: Any, tables: Any, rows: Any, n: Any) -> Any:
    """Rows of the best melds of jokers alone."""
    start, objective = tables[JOKERS_AT], tables[OBJECTIVE]
    while tables[start + jokers] > 0:
        total = tables[start + jokers]
        for k in range(3, jokers + 1):
            others = tables[start + jokers - k]
            gain, low = best_joker_run(rules, objective, k)
            if gain + others == total:
                write_run(rows[n], 0, low, k, (bits.U1 << np.uint64(k)) - bits.U1)
                break
            rank = 0
            while rank < bits.RANKS:
                if set_gain(rules, objective, rank, 0, 0, k) + others == total:
                    break
                rank += 1
            if rank < bits.RANKS:
                _declare_set(rank, 0, k, rules, rows[n])
                break
        jokers -= np.int64(rows[n][3])
        n += 1
    return n


@kernel
def _runs_gain(once: Any, twice: Any, jokers: Any, tables: Any, work: Any) -> Any:
    """Best gain of the runs of one suit."""
    if twice:
        return work[twin_row(once, twice, jokers, tables, work) + jokers]
    return tables[tables[RUNS_AT] + once * tables[WIDTH] + jokers] >> RUN_BITS


@kernel
def _rows_of_suit(
    suit: Any, once: Any, twice: Any, jokers: Any, rules: Any, tables: Any, work: Any, rows: Any,
    n: Any,
) -> Any:  # fmt: skip
    """Rows of the best runs of a suit: lanes of naturals as int64, so many jokers."""
    while True:
        total = _runs_gain(once, twice, jokers, tables, work)
        if total <= 0:
            return n
        lowest = twice & -twice if twice else once & -once
        fewer = (once, twice ^ lowest) if twice else (once ^ lowest, twice)
        if _runs_gain(fewer[0], fewer[1], jokers, tables, work) == total:
            once, twice = fewer
            continue
        once, twice, k, cards = _next_run(once, twice, lowest, jokers, total, tables, work)
        gain = tables[tables[ONE_RUN_AT] + cards * tables[WIDTH] + k]
        _declare_run(suit, cards, k, gain, rules, tables, rows[n])
        jokers, n = jokers - k, n + 1


@kernel
def _next_run(
    once: Any, twice: Any, lowest: Any, jokers: Any, total: Any, tables: Any, work: Any
) -> Any:
    """One run of the best ones, with the lowest card: lanes left, its jokers, its naturals."""
    options = once ^ lowest
    if lowest == 1 and twice:
        options |= np.int64(HOLDINGS)
    part = options
    while True:
        cards = part | lowest
        taken = cards & (HOLDINGS - 1)
        left, left_twice = (once & ~taken) | (twice & taken), twice & ~taken
        if cards >= HOLDINGS:
            left &= ~np.int64(1)
        for k in range(jokers + 1):
            gain = tables[tables[ONE_RUN_AT] + cards * tables[WIDTH] + k]
            if gain > NEVER:
                others = _runs_gain(left, left_twice, jokers - k, tables, work)
                if gain + others == total:
                    return left, left_twice, k, cards
        part = (part - 1) & options


@kernel
def _declare_run(
    suit: Any, cards: Any, jokers: Any, gain: Any, rules: Any, tables: Any, row: Any
) -> None:
    """Write the run of these naturals and at most so many jokers that has this gain."""
    for low in range(bits.RANKS):
        for size in range(3, rules.meld_run_max + 1):
            for end in range(2):
                places = _joker_places(cards, low, size, end)
                if _may_be(rules, cards, jokers, low, size, places) and (
                    _window_gain(rules, tables[OBJECTIVE], low, size, places) == gain
                ):
                    write_run(row, suit, low, size, places)
                    return


@kernel
def _may_be(rules: Any, cards: Any, jokers: Any, low: Any, size: Any, places: Any) -> Any:
    """Whether a window with jokers at these places is a run of all the naturals."""
    n = bits.count(places)
    if n > joker_cap(jokers, rules) or size - n != bits.count(np.uint64(cards)):
        return False
    if not rules.meld_adjacent_jokers and places & (places >> bits.U1):
        return False
    return run_fits(rules, low, size)


@kernel
def _joker_places(cards: Any, low: Any, size: Any, end: Any) -> Any:
    """Places of a window that the naturals leave to jokers.

    From ace to ace with one ace, ``end`` 0 puts it low and 1 high.
    """
    places = bits.U0
    for i in range(size):
        held = (cards >> np.int64((low + i) % bits.RANKS)) & 1
        if size > bits.RANKS and cards < HOLDINGS and i == (0 if end else bits.RANKS):
            held = 0
        if not held:
            places |= bits.U1 << np.uint64(i)
    return places


@kernel
def _window_gain(rules: Any, objective: Any, low: Any, size: Any, places: Any) -> Any:
    """Gain of a run with jokers at these places."""
    gain = np.int64(0)
    for i in range(size):
        if (places >> np.uint64(i)) & bits.U1:
            gain += place_gain(rules, objective, low, i, True)
        else:
            gain += place_gain(rules, objective, low, i, False)
    return gain
