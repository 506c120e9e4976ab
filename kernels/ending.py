"""The end of a turn: searched for and written down.

Both are compiled apart from their callers: they are half of all kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from ramisim.kernels.emit import emit
from ramisim.kernels.jit import kernel, separate
from ramisim.kernels.kinds import BOX_TYPE, RULES_TYPE, SEEN_TYPE
from ramisim.kernels.solve import set_objective, solve

_WORDS = (types.uint64, types.uint64, types.int64, types.int64)


@separate(types.int64(BOX_TYPE, SEEN_TYPE, RULES_TYPE, *_WORDS))
def solve_end(
    box: Any, table: Any, rules: Any, once: Any, twice: Any, jokers: Any, objective: Any
) -> Any:
    """Find the best end of a turn by an objective (``solve.POINTS`` ...); 1 if there is one."""
    work = box.work[0]
    set_objective(work, objective)
    found = solve(
        work, table, rules, once, twice, jokers, box.parts, box.order, box.frames, box.kept
    )
    return np.int64(1) if found else np.int64(0)


@kernel
def write_end(box: Any, table: Any, hidden: Any, rules: Any) -> Any:
    """Write the end just found as rows into ``box.work``, playing it on ``table``; how many."""
    work = box.work[0]
    emit(work, table, hidden, rules, box.kept)
    return np.int64(work.n_rows)
