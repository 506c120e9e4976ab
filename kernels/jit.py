"""The one decorator of the kernels: compiled, cached, without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel lazily; its machine code is cached (see ``ramisim.kernels``)."""
    return njit(cache=True, nogil=True, error_model="numpy")(function)


def inlined(function: Callable[..., Any]) -> Any:
    """A few-instruction kernel that LLVM is told to put into its callers."""
    return njit(cache=True, nogil=True, error_model="numpy", forceinline=True)(function)


def inner(function: Callable[..., Any]) -> Any:
    """A kernel that only kernels call: without an entry for Python it compiles a third faster."""
    return njit(
        cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True
    )(function)
