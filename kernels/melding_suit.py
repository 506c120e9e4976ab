"""The best runs of one suit with twins, by jokers: what the tables of ``melding`` do not hold.

A copy of the lowest twin stays out, or is in one of the runs that it fits; what is left has a twin
less. Rows are kept in ``work``, where the search and the next hands find them again.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import carray, cfunc, types  # type: ignore[attr-defined]
from numba.extending import intrinsic

from ramisim.kernels.jit import inlined, inner
from ramisim.kernels.melding_tables import (
    HOLDINGS,
    NEVER,
    ONE_RUN_AT,
    RUN_BITS,
    RUNS_AT,
    WIDTH,
)

MOST_JOKERS: Final = 8
ROW: Final = MOST_JOKERS + 1
_PAIR: Final = 2 * ROW

# Places in the scratch array of this file.
TWIN_KEY, ROW_ADDRESS = 0, 1
_STACK = 8
_DEPTH = 16
_FRAME = 3 + _PAIR
_MEMO = _STACK + _DEPTH * _FRAME
_ENTRIES: Final = 1 << 14
"""Rows that are kept. With a sixteenth of them a long suit with jokers forgets what it needs
again soon: 100 ms instead of 4."""
_ENTRY = 1 + _PAIR
TWIN_SIZE = _MEMO + _ENTRIES * _ENTRY

_HASH = np.uint64(0x9E37_79B9_7F4A_7C15)
_HASH_SHIFT = np.uint64(50)
_NOT_BEGUN, _DONE = -1, -2


@inner
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


@inlined
def twin_row(once: Any, twice: Any, jokers: Any, tables: Any, work: Any) -> Any:
    """Where ``work`` holds the best runs of a suit with twins: gains, then cards, by jokers.

    ``once``, ``twice``: int64, the lanes of the suit; ``twice`` is not empty. Cards of a row:
    those used at least once, and sixteen bits higher those used twice.
    """
    kept = _find(once, twice, jokers, work)
    if kept >= 0:
        return kept
    return _call_row(work[ROW_ADDRESS], once, twice, jokers, tables.ctypes.data, work.ctypes.data)


def _call_row_by(
    typingctx: Any, address: Any, once: Any, twice: Any, jokers: Any, tables: Any, work: Any
) -> Any:  # pragma: no cover - compiled
    """Call ``_row`` by its address: its code is compiled once, not again in every caller."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word, pointer = ir.IntType(64), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(word, [word, word, word, pointer, pointer])
        arrays = [builder.inttoptr(array, pointer) for array in args[4:]]
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), [*args[1:4], *arrays])

    word = types.int64
    return word(word, word, word, word, types.uintp, types.uintp), codegen


_call_row: Any = intrinsic(_call_row_by)


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


@inner
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


@inner
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


@cfunc(types.int64(*[types.int64] * 3, types.voidptr, types.voidptr), cache=True)
def _row(once: Any, twice: Any, jokers: Any, tables_at: Any, work_at: Any) -> Any:
    tables, work = carray(tables_at, (1,), np.int64), carray(work_at, (1,), np.int64)
    return _by_subsets(once, twice, jokers, tables, work)


def note_address(work: Any) -> None:
    """Write into a scratch array where the rows of a suit are computed."""
    work[ROW_ADDRESS] = _row.address
