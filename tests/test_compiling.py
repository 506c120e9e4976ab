"""Compiling from cold: no kernel by two processes, and none that nobody wants."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from numba.core.compiler_lock import global_compiler_lock

from ramisim import best_melds, best_melds_many
from ramisim.engine import Engine
from ramisim.kernels import CACHE_FOLDER, compiling
from ramisim.rules import Rules
from ramisim.strategies import resolve

COMPILE = """
from numba.core import event
from ramisim.kernels import shape, bits
names = []
class Listener(event.Listener):
    def on_start(self, begun):
        function = begun.data["dispatcher"].py_func
        if function.__module__.startswith("ramisim"): names.append(function.__name__)
    def on_end(self, ended): pass
event.register("numba:compile", Listener())
input()
from ramisim.kernels import melds, state
import numpy as np
melds.list_melds(7, 0, 1, np.zeros(1, state.RULES)[0], np.zeros((64, state.ROW), np.int16), -1)
print(*names)
"""
HOLD = """
import sys
from ramisim.kernels import compiling
with compiling.alone(sys.argv[1]):
    print("held", flush=True)
    input()
"""


def _python(code: str, *arguments: str, cache: Path | None = None) -> subprocess.Popen[str]:
    given = {"RAMISIM_CACHE": str(cache)} if cache else {}
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | given,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_processes_on_an_empty_cache_compile_each_kernel_once(tmp_path: Path) -> None:
    both = [_python(COMPILE, cache=tmp_path) for _ in range(2)]
    for one in both:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    ends = [one.communicate() for one in both]
    assert [one.returncode for one in both] == [0, 0], ends
    compiled = [name for out, _ in ends for name in out.split()]
    assert "list_melds" in compiled
    assert sorted(compiled) == sorted(set(compiled))


def test_a_kernel_that_another_process_compiles_is_waited_for_and_no_other() -> None:
    other = _python(HOLD, "a.kernel")
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    with compiling.alone("another.kernel"):
        pass
    waiting = _python(HOLD, "a.kernel")
    time.sleep(1)
    assert waiting.poll() is None
    other.communicate("\n")
    out, err = waiting.communicate("\n")
    assert out == "held\n", err


def test_the_compiler_is_free_again_after_a_kernel_that_fails() -> None:
    try:
        with compiling.alone("a.kernel"):
            raise ValueError
    except ValueError:
        pass
    assert not global_compiler_lock.is_locked()  # type: ignore[no-untyped-call]
    out, err = _python(HOLD, "a.kernel").communicate("\n")
    assert out == "held\n", err


def test_the_process_that_compiles_ahead_compiles_what_is_wanted_and_nothing_else() -> None:
    strategies = [resolve(name) for name in ("greedy", "random")]
    Engine(Rules.load("rami500"), strategies, 1).play(0, 1, np.array([[0, 1]], np.int8))
    best_melds("5S 6S 7S 7C 7D Jk KD")
    best_melds_many(["5S 6S 7S 7C 7D Jk KD"])
    before = {path for path in CACHE_FOLDER.rglob("*.nb?") if "user" not in path.parts}
    subprocess.run([sys.executable, "-m", "ramisim.kernels.ahead"], check=True)
    after = {path for path in CACHE_FOLDER.rglob("*.nb?") if "user" not in path.parts}
    assert after == before


def test_a_cache_that_cannot_be_written_is_replaced_for_the_run(tmp_path: Path) -> None:
    """Left to itself Numba writes beside the sources, where a stale kernel is not told apart."""
    no_folder = tmp_path / "file"
    no_folder.touch()
    code = """
import subprocess, sys
from ramisim.kernels import CACHE_FOLDER
print(CACHE_FOLDER, flush=True)
subprocess.run([sys.executable, "-c", "from ramisim.kernels import CACHE_FOLDER as f; print(f)"])
"""
    out, err = _python(code, cache=no_folder).communicate()
    first, second = out.split()
    assert first == second
    assert not Path(first).is_relative_to(no_folder)
    assert not Path(first).exists()
    assert err.count("cannot be written") == 1
