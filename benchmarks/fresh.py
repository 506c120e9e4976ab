"""A fresh Python process, how long it takes and how much memory it needs at most."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from ramisim.benchmarks.figures import WrongResultError

__all__ = ["Fresh", "fresh"]

_TAIL = """
import json as _json, sys as _sys
try:
    # On Linux ru_maxrss remembers the process that started this one; the high-water mark does not.
    with open("/proc/self/status") as _status:
        _most = next(int(_s.split()[1]) for _s in _status if _s.startswith("VmHWM")) * 1024
except (OSError, StopIteration):
    try:
        import resource as _resource
        _most = _resource.getrusage(_resource.RUSAGE_SELF).ru_maxrss
        _most *= 1 if _sys.platform == "darwin" else 1024
    except ImportError:
        _most = 0
print(_json.dumps({"told": told, "most": _most}))
"""


@dataclass(frozen=True)
class Fresh:
    """What a fresh process did.

    Parameters
    ----------
    told : Any
        What the code left in ``told``.
    seconds : float
        From starting the process to its end, on the wall.
    megabytes : float
        Most memory it held at any time; 0 where the system does not say.
    """

    told: Any
    seconds: float
    megabytes: float


def fresh(code: str, environment: Mapping[str, str] | None = None) -> Fresh:
    """Run code in a new process; it may leave something for JSON in ``told``.

    Raises
    ------
    WrongResultError
        The process failed.
    """
    told = {**os.environ, **(environment or {})}
    paths = [
        str(Path(entry).resolve())
        for entry in told.get("PYTHONPATH", "").split(os.pathsep)
        if entry
    ]
    # Where this ramisim was imported from, installed or not.
    import ramisim

    home = str(Path(ramisim.__file__).parents[1])
    told["PYTHONPATH"] = os.pathsep.join([home, *paths])
    begun = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", f"told = None\n{code}\n{_TAIL}"],
        capture_output=True, text=True, check=False, env=told,
    )  # fmt: skip
    taken = perf_counter() - begun
    if done.returncode:
        raise WrongResultError(f"a fresh process failed: {done.stderr.strip().splitlines()[-1:]}")
    last = json.loads(done.stdout.strip().splitlines()[-1])
    return Fresh(last["told"], taken, last["most"] / 1e6)
