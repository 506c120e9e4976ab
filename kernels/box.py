"""Scratch of one thread, one record: as an argument it is a pointer.

(A tuple of these arrays made the name of every compiled function ten thousand letters long.)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ramisim.kernels.state import HAND, HIDDEN, MAX_DECK, ROW, SEEN
from ramisim.kernels.work import FRAME, MAX_DEPTH, MAX_PARTS, PART, WORK

BOX = np.dtype(
    [
        ("work", WORK, (1,)),
        ("seen", SEEN, (3,)),
        ("hidden", HIDDEN, (2,)),
        ("mine", HAND, (3,)),
        ("codes", np.int64, (MAX_DECK + 8,)),
        ("cards", np.int64, (128,)),
        ("frames", FRAME, (MAX_DEPTH + 8,)),
        ("kept", PART, (MAX_DEPTH,)),
        ("rows", np.int16, (4096, ROW)),
        ("order", np.int32, (MAX_PARTS + 1,)),
        ("parts", PART, (MAX_PARTS,)),
    ],
    align=True,
)
"""What one thread writes into while it plays: about 1.5 MB."""


def new_boxes(n: int = 1) -> npt.NDArray[np.void]:
    """Allocate scratch: one for every seat of a thread that plays.

    An array of records and not a record: Numba takes an array from Python in a microsecond, and
    asks a bare record of this size for its buffer format, a hundred times slower.
    """
    return np.zeros(n, BOX)
