"""The benchmarks by name, how long they may take, and running them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from ramisim.benchmarks.figures import Report
from ramisim.errors import RamisimError
from ramisim.progress import Progress

__all__ = ["BENCHMARKS", "FULL", "LONG", "TINY", "Size", "run"]


@dataclass(frozen=True)
class Size:
    """How much is measured.

    Parameters
    ----------
    name : str
    seconds : float
        Seconds for a figure that is a rate.
    matches : int
        Matches of the run whose leader board is made.
    peer_hands : int
        Random hands on which the answers of peers are compared.
    cold : bool
        Whether everything is compiled from cold once: it takes minutes.
    """

    name: str
    seconds: float
    matches: int
    peer_hands: int
    cold: bool = False

    @property
    def tiny(self) -> bool:
        """Whether only the suite itself is to be tried: its figures say little."""
        return self.name == "tiny"


TINY: Final = Size("tiny", 0.01, 2_000, 500)
FULL: Final = Size("full", 1.0, 1_000_000, 50_000)
LONG: Final = Size("long", 1.0, 10_000_000, 1_000_000, cold=True)

BENCHMARKS: Final = {
    "hands": "hands",
    "worst": "worst",
    "games": "games",
    "parts": "parts",
    "threads": "games",
    "chunks": "games",
    "tables": "tables",
    "starts": "starts",
    "peers": "peers",
}
"""The module of each benchmark; a function of the same name is in it."""


def run(names: Sequence[str], size: Size, progress: Progress | None = None) -> Report:
    """Run benchmarks.

    Parameters
    ----------
    names : sequence of str
        Of `BENCHMARKS`; all but the peers where none is named.
    size : Size
    progress : Progress, optional

    Returns
    -------
    Report

    Raises
    ------
    RamisimError
        A name that is no benchmark.
    WrongResultError
        A benchmark computed something wrong.
    """
    chosen = list(names) or [name for name in BENCHMARKS if name != "peers"]
    unknown = [name for name in chosen if name not in BENCHMARKS]
    if unknown:
        raise RamisimError(f"unknown benchmark '{unknown[0]}' (there are {', '.join(BENCHMARKS)})")
    report = Report(size.name)
    if progress is not None:
        progress.start(len(chosen), 0)
    try:
        for done, name in enumerate(chosen, 1):
            module = import_module(f"ramisim.benchmarks.{BENCHMARKS[name]}")
            benchmark: Callable[[Report, Size], None] = getattr(module, name)
            benchmark(report, size)
            if progress is not None:
                progress.update(done)
    finally:
        if progress is not None:
            progress.stop()
    return report
