"""What starting costs: imports, the command line, kernels cold and warm, and memory."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Final

from ramisim.benchmarks.figures import Report, checked
from ramisim.benchmarks.fresh import fresh

if TYPE_CHECKING:
    from ramisim.benchmarks.suite import Size

__all__ = ["starts"]

_HELP: Final = """
from ramisim.cli.app import app
try:
    app({words!r})
except SystemExit as stop:
    told = stop.code
"""
_FIRST: Final = """
from time import perf_counter
begun = perf_counter()
import numba
numba_there = perf_counter()
{imports}
{work}
told = dict(numba=numba_there - begun, rest=perf_counter() - numba_there, result=result)
"""
_GAME: Final = """
import numpy as np
engine = Engine(Rules.load("rami500"), [resolve("greedy")], 4)
rows, _ = engine.play(0, 1, np.zeros((1, 2), np.int8))
result = rows["points"].tolist()
"""
_IMPORTS: Final = """
from ramisim.engine import Engine
from ramisim.rules import Rules
from ramisim.strategies import resolve
"""
_HAND: Final = 'result = best_melds("5S 6S 7S 7C 7D Jk KD")["deadwood"]'
_RUN: Final = """
from ramisim.runner import simulate
run = simulate("rami500", "greedy,careful", {deals}, 4, threads=2, chunk={chunk})
told = run.games.collect().height
"""


def starts(report: Report, size: Size) -> None:
    """Fresh processes, the best of three of each."""
    times = 1 if size.tiny else 3
    for name, words, goal in (("--help", ["--help"], 0.35), ("rules", ["rules", "rami500"], None)):
        with checked(f"ramisim {name}"):
            runs = [fresh(_HELP.format(words=words)) for _ in range(times)]
            assert all(run.told == 0 for run in runs)
        report.add("starts", f"ramisim {name}", min(run.seconds for run in runs), "s",
                   "a fresh process", goal=goal, better="less")  # fmt: skip
    _warm(report, times)
    _memory(report, size)
    if size.cold:
        _cold(report)


def _warm(report: Report, times: int) -> None:
    """Kernels that were compiled before, loaded again."""
    first = "from ramisim.melding import best_melds"
    for name, imports, work, goal in (
        ("first game", _IMPORTS, _GAME, 1.0),
        ("first hand", first, _HAND, None),
    ):
        code = _FIRST.format(imports=imports, work=work)
        with checked(f"{name}, warm"):
            fresh(code)
            runs = [fresh(code) for _ in range(times)]
            assert len({str(run.told["result"]) for run in runs}) == 1
        best = min(runs, key=lambda run: run.told["rest"])
        report.add("starts", f"{name}, warm", best.told["rest"], "s",
                   f"import and load; importing Numba took {best.told['numba']:.2f} s before",
                   goal=goal, better="less")  # fmt: skip


def _memory(report: Report, size: Size) -> None:
    """Most memory of a process that plays: the same for a short and a long run."""
    chunk = 4 if size.tiny else 50
    for deals in (2 * chunk, 20 * chunk):
        run = fresh(_RUN.format(deals=deals, chunk=chunk))
        with checked("a run in a fresh process"):
            assert run.told == 4 * deals
        report.add("starts", f"memory of {2 * deals:,} matches", run.megabytes, "MB",
                   "two threads, most at any time")  # fmt: skip


def _cold(report: Report) -> None:
    """Everything compiled into an empty folder."""
    code = _FIRST.format(imports=_IMPORTS, work=_GAME)
    warm = fresh(code)
    with tempfile.TemporaryDirectory() as folder, checked("first game, cold"):
        cold = fresh(code, {"RAMISIM_CACHE": folder})
        assert cold.told["result"] == warm.told["result"]
    report.add("starts", "first game, cold", cold.told["rest"], "s",
               f"everything compiled; {cold.megabytes:,.0f} MB at most",
               goal=60.0, better="less")  # fmt: skip
