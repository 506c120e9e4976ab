"""Numba's types of the records and arrays that kernels hand to each other."""

from __future__ import annotations

from typing import Any

import numba
from numba import types

from ramisim.kernels.box import BOX
from ramisim.kernels.state import FAULT, HAND, HIDDEN, RULES, SEEN, TALLY

BOX_TYPE: Any = numba.from_dtype(BOX)
HAND_TYPE: Any = numba.from_dtype(HAND)
HIDDEN_TYPE: Any = numba.from_dtype(HIDDEN)
RULES_TYPE: Any = numba.from_dtype(RULES)
FAULT_TYPE: Any = numba.from_dtype(FAULT)
TALLY_TYPE: Any = numba.from_dtype(TALLY)
SEEN_TYPE: Any = numba.from_dtype(SEEN)
WORK_TYPE = BOX_TYPE.typeof("work").dtype
FRAMES_TYPE = BOX_TYPE.typeof("frames")
FRAME_TYPE = FRAMES_TYPE.dtype
KEPT_TYPE = BOX_TYPE.typeof("kept")
PART_TYPE = KEPT_TYPE.dtype
ORDER_TYPE = BOX_TYPE.typeof("order")
PARTS_TYPE = BOX_TYPE.typeof("parts")
ROW_TYPE = types.Array(types.int16, 1, "C")
ROWS_TYPE = types.Array(types.int16, 2, "C")
