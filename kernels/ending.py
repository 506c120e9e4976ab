"""The end of a turn, called by address.

Numba optimises a function together with everything it calls, so a search of a thousand lines
would be optimised again in each of its callers, and theirs: minutes of compiling. The two
entries are C functions instead; their addresses stand in the scratch record (``box``), and the
callers are compiled without them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, cfunc, types  # type: ignore[attr-defined]
from numba.extending import intrinsic

from ramisim.kernels import say_if_cold
from ramisim.kernels.box import BOX
from ramisim.kernels.emit import emit
from ramisim.kernels.jit import inlined
from ramisim.kernels.solve import set_objective, solve
from ramisim.kernels.state import HIDDEN, RULES, SEEN

# The C functions below are compiled where they stand: the first long wait of a cold start.
say_if_cold()

_POINTER = types.voidptr
_SOLVE = types.int64(
    _POINTER, _POINTER, _POINTER, types.uint64, types.uint64, types.int64, types.int64
)
_WRITE = types.int64(_POINTER, _POINTER, _POINTER, _POINTER)


@cfunc(_SOLVE, cache=True)
def _solve(
    box_at: Any, table_at: Any, rules_at: Any, once: Any, twice: Any, jokers: Any, objective: Any
) -> Any:
    box = carray(box_at, (1,), BOX)[0]
    table = carray(table_at, (1,), SEEN)[0]
    rules = carray(rules_at, (1,), RULES)[0]
    work = box.work[0]
    set_objective(work, objective)
    found = solve(
        work, table, rules, once, twice, jokers, box.parts, box.order, box.frames, box.kept
    )
    return np.int64(1) if found else np.int64(0)


@cfunc(_WRITE, cache=True)
def _write(box_at: Any, table_at: Any, hidden_at: Any, rules_at: Any) -> Any:
    box = carray(box_at, (1,), BOX)[0]
    table = carray(table_at, (1,), SEEN)[0]
    hidden = carray(hidden_at, (1,), HIDDEN)[0]
    rules = carray(rules_at, (1,), RULES)[0]
    work = box.work[0]
    emit(work, table, hidden, rules, box.kept)
    return np.int64(work.n_rows)


def _call(builder: Any, address: Any, args: Any) -> Any:
    """Call a C function of int64 by its address; records are passed as bare pointers."""
    pointer, word = ir.IntType(8).as_pointer(), ir.IntType(64)
    kinds = [word if isinstance(a.type, ir.IntType) else pointer for a in args]
    values = [
        a if kind is word else builder.bitcast(a, pointer)
        for a, kind in zip(args, kinds, strict=True)
    ]
    target = builder.inttoptr(address, ir.FunctionType(word, kinds).as_pointer())
    return builder.call(target, values)


@intrinsic
def _call_solve(
    typingctx: Any, address: Any, box: Any, table: Any, rules: Any, once: Any, twice: Any,
    jokers: Any, objective: Any,
) -> Any:  # fmt: skip
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call(builder, args[0], args[1:])

    words = (types.uint64, types.uint64, types.int64, types.int64)
    return types.int64(types.int64, box, table, rules, *words), codegen


@intrinsic
def _call_write(typingctx: Any, address: Any, box: Any, table: Any, hidden: Any, rules: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call(builder, args[0], args[1:])

    return types.int64(types.int64, box, table, hidden, rules), codegen


@inlined
def solve_end(
    box: Any, table: Any, rules: Any, once: Any, twice: Any, jokers: Any, objective: Any
) -> Any:
    """Find the best end of a turn by an objective (``solve.POINTS`` ...); 1 if there is one."""
    return _call_solve(
        box.solve_address, box, table, rules, once, twice, jokers, np.int64(objective)
    )


@inlined
def write_end(box: Any, table: Any, hidden: Any, rules: Any) -> Any:
    """Write the end just found as rows into ``box.work``, playing it on ``table``; how many."""
    return _call_write(box.write_address, box, table, hidden, rules)


def new_box() -> np.void:
    """Allocate the scratch of one thread (about 2 MB)."""
    box: np.void = np.zeros(1, BOX)[0]
    box["solve_address"] = _solve.address
    box["write_address"] = _write.address
    return box
