"""The best runs of one suit with twins, by jokers: what the tables of ``melding`` do not hold.

Two ways lead there. Subsets: a run that holds the lowest twin, or none; what is left has a twin
less. It serves every rule set and is quick for few cards. The sweep goes from ace to ace with the
number of open runs of one, two, and three or more cards; it serves rules under which nothing else
of a run matters (``tables[STEADY]``), and is quick for long suits. Rows are kept in ``work``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, kernel
from ramisim.kernels.melding_tables import (
    FIRST_PLACE,
    HOLDINGS,
    JOKER_GAINS,
    LAST_PLACE,
    NATURAL_GAINS,
    NEVER,
    ONE_RUN_AT,
    RUN_BITS,
    RUNS_AT,
    STEADY,
    WIDTH,
)

MOST_JOKERS: Final = 8
ROW: Final = MOST_JOKERS + 1
_PAIR: Final = 2 * ROW

# Open runs of one, two and three or more cards, and aces kept for the top.
_ONES, _TWOS, _THREES, _KEPT = 3, 5, MOST_JOKERS + 3, 3
STATES: Final = _ONES * _TWOS * _THREES * _KEPT

# Places in the scratch array of this file.
TWIN_KEY = 0
_STACK = 8
_DEPTH = 16
_FRAME = 3 + _PAIR
_LAYERS = _STACK + _DEPTH * _FRAME
_LISTS = _LAYERS + 2 * STATES * _PAIR
_MARKS = _LISTS + 2 * STATES
_MEMO = _MARKS + 2 * STATES
_ENTRIES: Final = 1024
_ENTRY = 1 + _PAIR
TWIN_SIZE = _MEMO + _ENTRIES * _ENTRY

_HASH = np.uint64(0x9E37_79B9_7F4A_7C15)
_HASH_SHIFT = np.uint64(54)
_NOT_BEGUN, _DONE = -1, -2
_SHORT: Final = 6
"""Distinct cards up to which one twin is quicker by subsets."""


@kernel
def forget(work: Any) -> None:
    """Drop the rows kept: they are of other tables."""
    for entry in range(_ENTRIES):
        work[_MEMO + entry * _ENTRY] = 0


@inlined
def _key(once: Any, twice: Any, jokers: Any) -> Any:
    return once | twice << 16 | (jokers + 1) << 32


@inlined
def _entry(key: Any) -> Any:
    return _MEMO + np.int64((np.uint64(key) * _HASH) >> _HASH_SHIFT) * _ENTRY


@inlined
def _find(once: Any, twice: Any, jokers: Any, work: Any) -> Any:
    """Where the row of a holding is kept, -1 if it is not."""
    key = _key(once, twice, jokers)
    entry = _entry(key)
    return entry + 1 if work[entry] == key else np.int64(-1)


@inlined
def _keep(once: Any, twice: Any, jokers: Any, row: Any, work: Any) -> Any:
    """Keep a row; where."""
    key = _key(once, twice, jokers)
    entry = _entry(key)
    work[entry] = key
    for j in range(jokers + 1):
        work[entry + 1 + j] = work[row + j]
        work[entry + 1 + ROW + j] = work[row + ROW + j]
    return entry + 1


@kernel
def twin_row(once: Any, twice: Any, jokers: Any, tables: Any, work: Any) -> Any:
    """Where ``work`` holds the best runs of a suit with twins: gains, then cards, by jokers.

    ``once``, ``twice``: int64, the lanes of the suit; ``twice`` is not empty. Cards of a row:
    those used at least once, and sixteen bits higher those used twice.
    """
    kept = _find(once, twice, jokers, work)
    if kept >= 0:
        return kept
    short = bits.count(np.uint64(once)) <= _SHORT and twice & (twice - 1) == 0
    if short or tables[STEADY] == 0:
        return _by_subsets(once, twice, jokers, tables, work)
    return _by_sweep(once, twice, jokers, tables, work)


@inlined
def _start(once: Any, jokers: Any, row: Any, tables: Any, work: Any) -> None:
    """A row from the table of holdings without twins."""
    for j in range(jokers + 1):
        entry = tables[tables[RUNS_AT] + once * tables[WIDTH] + j]
        work[row + j] = entry >> RUN_BITS
        work[row + ROW + j] = entry & (HOLDINGS - 1)


@inlined
def _push(frame: Any, once: Any, twice: Any, work: Any) -> None:
    work[frame], work[frame + 1], work[frame + 2] = once, twice, _NOT_BEGUN


@kernel
def _by_subsets(once: Any, twice: Any, jokers: Any, tables: Any, work: Any) -> Any:
    """A row by the run that holds the lowest twin; holdings with a twin less on a stack."""
    frame, kept = np.int64(_STACK), np.int64(0)
    _push(frame, once, twice, work)
    while frame >= _STACK:
        once, twice, part, row = work[frame], work[frame + 1], work[frame + 2], frame + 3
        lowest = twice & -twice
        if part == _NOT_BEGUN:
            fewer = twice ^ lowest
            if fewer == 0:
                _start(once, jokers, row, tables, work)
            else:
                other = _find(once, fewer, jokers, work)
                if other < 0:
                    frame += _FRAME
                    _push(frame, once, fewer, work)
                    continue
                for j in range(jokers + 1):
                    work[row + j] = work[other + j]
                    work[row + ROW + j] = work[other + ROW + j]
            part = once ^ lowest | (HOLDINGS if lowest == 1 else 0)
        part = _add_runs(once, twice, part, jokers, frame, tables, work)
        work[frame + 2] = part
        if part == _DONE:
            kept = _keep(once, twice, jokers, row, work)
            frame -= _FRAME
        else:
            frame += _FRAME
    return kept


@kernel
def _add_runs(
    once: Any, twice: Any, part: Any, jokers: Any, frame: Any, tables: Any, work: Any
) -> Any:
    """Try the runs of the lowest twin and a subset ``part`` of the others, downwards.

    Stops at a subset that leaves a holding whose row is not kept, with that on the stack.
    """
    lowest = twice & -twice
    options = once ^ lowest | (HOLDINGS if lowest == 1 else 0)
    one_run, width = tables[ONE_RUN_AT], tables[WIDTH]
    row, next_frame = frame + 3, frame + _FRAME
    while True:
        cards = part | lowest
        run = one_run + cards * width
        if tables[run + jokers] > NEVER:
            taken = cards & (HOLDINGS - 1)
            left_twice = twice & ~taken
            left = (once & ~taken) | (twice & taken)
            if cards >= HOLDINGS:
                left &= ~np.int64(1)
            other = np.int64(0)
            if left_twice:
                other = _find(left, left_twice, jokers, work)
                if other < 0:
                    _push(next_frame, left, left_twice, work)
                    return part
            else:
                other = next_frame + 3
                _start(left, jokers, other, tables, work)
            _add_run(cards, run, other, jokers, row, tables, work)
        if part == 0:
            return np.int64(_DONE)
        part = (part - 1) & options


@inlined
def _add_run(
    cards: Any, run: Any, other: Any, jokers: Any, row: Any, tables: Any, work: Any
) -> None:
    """Improve a row by one run of these cards and the row of what it leaves."""
    taken = cards & (HOLDINGS - 1)
    for k in range(jokers + 1):
        gain = tables[run + k]
        if gain == NEVER or (k > 0 and gain == tables[run + k - 1]):
            continue
        for j in range(k, jokers + 1):
            if gain + work[other + j - k] > work[row + j]:
                used = work[other + ROW + j - k]
                both = used & taken | cards >> RUN_BITS
                work[row + j] = gain + work[other + j - k]
                work[row + ROW + j] = used | taken | both << 16


@inlined
def _state(ones: Any, twos: Any, threes: Any, kept: Any) -> Any:
    return ((kept * _THREES + threes) * _TWOS + twos) * _ONES + ones


@kernel
def _by_sweep(once: Any, twice: Any, jokers: Any, tables: Any, work: Any) -> Any:
    """A row by sweeping the places of the suit, aces at both ends."""
    for mark in range(_MARKS, _MARKS + 2 * STATES):
        work[mark] = 0
    first, last = tables[FIRST_PLACE], tables[LAST_PLACE]
    aces = (once & 1) + (twice & 1)
    start = _state(0, 0, 0, 0 if first == 0 else aces)
    row = _LAYERS + start * _PAIR
    for j in range(jokers + 1):
        work[row + j] = work[row + ROW + j] = 0
    work[_LISTS] = start
    n, side = np.int64(1), np.int64(0)
    for place in range(first, last + 1):
        held = np.int64(((once >> place) & 1) + ((twice >> place) & 1)) if place < 13 else 0
        side ^= 1
        m = np.int64(0)
        for i in range(n):
            m = _step(work[_LISTS + (side ^ 1) * STATES + i], side, place, held, jokers, m,
                      tables, work)  # fmt: skip
        n = m
        for i in range(n):
            work[_MARKS + side * STATES + work[_LISTS + side * STATES + i]] = 0
    return _finish(once, twice, jokers, n, side, work)


@kernel
def _step(
    state: Any, side: Any, place: Any, held: Any, jokers: Any, m: Any, tables: Any, work: Any
) -> Any:
    """Everything that may happen at a place to one state; number of states after it so far."""
    ones = state % _ONES
    twos = state // _ONES % _TWOS
    threes = state // (_ONES * _TWOS) % _THREES
    kept = state // (_ONES * _TWOS * _THREES)
    aces = np.int64(0)
    if place == 0:
        aces = held
    elif place == bits.ACE_HIGH:
        held, kept = kept, np.int64(0)
    for on in range(threes + 1):
        going = ones + twos + on
        for naturals in range(held + 1):
            if going - naturals > jokers:
                continue
            after = _state(0, ones, twos + on, kept + max(0, aces - naturals))
            for new in range(max(0, naturals - going), naturals + 1):
                spent = going - (naturals - new)
                if spent <= jokers:
                    m = _open_runs(state, after, side, place, naturals, spent, new, jokers, m,
                                   tables, work)  # fmt: skip
    return m


@kernel
def _open_runs(
    state: Any, after: Any, side: Any, place: Any, naturals: Any, spent: Any, new: Any,
    jokers: Any, m: Any, tables: Any, work: Any,
) -> Any:  # fmt: skip
    """Open ``new`` runs (0 to 2) with any number of jokers below their first natural."""
    gain = naturals * tables[NATURAL_GAINS + place] + spent * tables[JOKER_GAINS + place]
    if new == 0:
        return _reach(state, after, side, place, naturals, spent, gain, jokers, m, work)
    room = min(jokers - spent, place - tables[FIRST_PLACE])
    below = np.int64(0)
    for a in range(room + 1):
        if a > 0:
            below += tables[JOKER_GAINS + place - a]
        one = after + _grown(a)
        if new == 1:
            m = _reach(state, one, side, place, naturals, spent + a, gain + below, jokers, m, work)
            continue
        also = below
        for b in range(a, min(jokers - spent - a, place - tables[FIRST_PLACE]) + 1):
            if b > a:
                also += tables[JOKER_GAINS + place - b]
            m = _reach(state, one + _grown(b), side, place, naturals, spent + a + b,
                       gain + below + also, jokers, m, work)  # fmt: skip
    return m


@inlined
def _grown(jokers_below: Any) -> Any:
    """What a new run with jokers below its first natural adds to a state."""
    if jokers_below == 0:
        return 1
    return _ONES if jokers_below == 1 else _ONES * _TWOS


@kernel
def _reach(
    state: Any, after: Any, side: Any, place: Any, naturals: Any, spent: Any, gain: Any,
    jokers: Any, m: Any, work: Any,
) -> Any:  # fmt: skip
    """Enter a state of the next layer with the gains of one way to it."""
    mark = _MARKS + side * STATES + after
    source = _LAYERS + ((side ^ 1) * STATES + state) * _PAIR
    target = _LAYERS + (side * STATES + after) * _PAIR
    if work[mark] == 0:
        work[mark] = 1
        work[_LISTS + side * STATES + m] = after
        m += 1
        for j in range(jokers + 1):
            work[target + j] = NEVER
    card = np.int64(1) << (place % bits.RANKS)
    for j in range(spent, jokers + 1):
        if work[source + j - spent] + gain > work[target + j]:
            used = work[source + ROW + j - spent]
            work[target + j] = work[source + j - spent] + gain
            if naturals:
                twin = card if naturals == 2 or used & card else np.int64(0)
                used |= card | twin << 16
            work[target + ROW + j] = used
    return m


@kernel
def _finish(once: Any, twice: Any, jokers: Any, n: Any, side: Any, work: Any) -> Any:
    """Keep the best of the states in which every open run has three cards."""
    row = _STACK + 3
    for j in range(jokers + 1):
        work[row + j] = NEVER
    for i in range(n):
        state = work[_LISTS + side * STATES + i]
        if state % (_ONES * _TWOS) == 0:
            source = _LAYERS + (side * STATES + state) * _PAIR
            for j in range(jokers + 1):
                if work[source + j] > work[row + j]:
                    work[row + j] = work[source + j]
                    work[row + ROW + j] = work[source + ROW + j]
    return _keep(once, twice, jokers, row, work)
