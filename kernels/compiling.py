"""Compiling from cold: the user is told, a second process helps, nothing is compiled twice.

However many processes start on an empty cache, each kernel is compiled by the first that wants
it; the others wait for its machine code and load it. So a second process can work through the
same kernels from the other end (``ahead``), and a first start takes little more than half the
time on two cores.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from numba.core.compiler_lock import global_compiler_lock

from ramisim.kernels import CACHE_FOLDER

_LOCKS: Final = find_spec("fcntl") is not None
"""Without such locks (Windows) each process compiles for itself."""
_later: list[Callable[[], Any]] | None = None
_told = False


def compile_now(name: str, work: Callable[[], Any]) -> Any:
    """Compile a kernel where it is defined; in the process that helps, put it off.

    Parameters
    ----------
    name : str
        Module and function, with a dot between.
    work : callable
        Compiles, or loads what is in the cache.

    Returns
    -------
    object
        What ``work`` gives; None where it was put off.
    """

    def compile_alone() -> Any:
        with alone(name):
            return work()

    if _later is not None:
        _later.append(compile_alone)
        return None
    if not _told and ".".join(name.split(".")[-2:]) not in _cached():
        _tell()
    return compile_alone()


def put_off() -> None:
    """From now on only note what is compiled where it is defined."""
    global _later  # noqa: PLW0603
    _later = []


def compile_from_the_end() -> None:
    """Compile all that was put off, what was defined last first."""
    global _later
    works, _later = _later or [], None
    for work in reversed(works):
        work()


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Keep other processes from compiling the kernel of this name meanwhile.

    A kernel is waited for while those that call it are held, never the other way round, so no
    two processes can wait for each other; threads of one process take turns before.
    """
    place = crc32(name.encode())
    with global_compiler_lock:
        held = _LOCKS and _lock_file() >= 0 and _hold(place)
        try:
            yield
        finally:
            if held:
                _let_go(place)


def _hold(place: int) -> bool:
    import fcntl

    try:
        fcntl.lockf(_lock_file(), fcntl.LOCK_EX, 1, place)
    except OSError:  # a file system without locks
        return False
    return True


def _let_go(place: int) -> None:
    import fcntl

    fcntl.lockf(_lock_file(), fcntl.LOCK_UN, 1, place)


@cache
def _lock_file() -> int:
    """One file for all locks, a byte for each kernel; -1 where it cannot be written."""
    try:
        CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
        return os.open(CACHE_FOLDER / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        return -1


@cache
def _cached() -> frozenset[str]:
    """Names of the kernels whose machine code was there when it was first asked."""
    return frozenset(path.name.rpartition("-")[0] for path in CACHE_FOLDER.rglob("*.nbi"))


def _tell() -> None:
    """Say on stderr, once, that the kernels are being compiled, and begin at the other end too."""
    global _told  # noqa: PLW0603
    _told = True
    print(
        "ramisim: compiling the kernels, once for this version (about a minute) ...",
        file=sys.stderr,
        flush=True,
    )
    python = Path(sys.executable or "").name.startswith("python")
    if python and _LOCKS and _lock_file() >= 0 and _cores() > 1:
        _start_ahead()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _start_ahead() -> None:
    path = os.pathsep.join(filter(None, sys.path))
    try:
        ahead = subprocess.Popen(
            [sys.executable, "-P", "-m", "ramisim.kernels.ahead"],
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:  # no room for another process: this one does it all
        return
    atexit.register(_stop, ahead)


def _stop(ahead: subprocess.Popen[bytes]) -> None:
    """Whoever is done does not leave a process behind; what it has compiled stays."""
    ahead.terminate()
    ahead.wait()
