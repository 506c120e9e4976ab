"""The C twin of the least deadwood, compiled where there is a C compiler."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["least_deadwood_in_c", "why_no_c"]

_SOURCE = Path(__file__).with_name("deadwood.c")
_FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


def _compiler() -> str | None:
    return shutil.which(os.environ.get("CC") or "gcc") or shutil.which("cc")


def why_no_c() -> str | None:
    """Why there is no C to compare with, in words; None where there is."""
    if _compiler() is None:
        return "no C compiler (gcc, cc or $CC): the least deadwood is not compared with C"
    return None if _library() else "the C compiler refuses benchmarks/deadwood.c"


@cache
def _library() -> Any:
    compiler = _compiler()
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "deadwood.so"
        done = subprocess.run(
            [compiler, *_FLAGS, "-o", str(target), str(_SOURCE)], capture_output=True, check=False
        )
        if done.returncode:
            return None
        # The library stays mapped when its file is gone.
        found = ctypes.CDLL(str(target))
    found.least_deadwood_many.restype = None
    return found


def least_deadwood_in_c(
    once: npt.NDArray[np.uint64],
    discarding: bool,
    face: int,
    ace: int,
    ends: int,
    deadwood: npt.NDArray[np.int32],
) -> None:
    """Least value left in hand, int32[n], -1 where the kernel would search; see the C file."""
    _library().least_deadwood_many(
        once.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_int64(len(once)),
        ctypes.c_int(discarding),
        ctypes.c_int64(face),
        ctypes.c_int64(ace),
        ctypes.c_uint64(ends),
        deadwood.ctypes.data_as(ctypes.c_void_p),
    )
