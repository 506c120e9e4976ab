"""From a folder of runs to its report: what the commands that write one share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

if TYPE_CHECKING:
    from ramisim.analysis.report.frame import Written

__all__ = ["analysed", "tell"]

Result = TypeVar("Result")
Told = Callable[[int, int], None]
"""Is given how many parts are done, and how many there are."""


def analysed(
    analysis: Callable[[Path, float, Told], Result], folder: Path, level: float, unit: str
) -> Result:
    """What an analysis finds in a folder, with a bar where it takes long."""
    from ramisim.progress import ConsoleProgress

    progress = ConsoleProgress(unit=unit)
    progress.start(1, 0)

    def tick(done: int, total: int) -> None:
        progress.total = total
        progress.update(done)

    try:
        return analysis(folder, level, tick)
    finally:
        progress.stop()


def tell(written: Written, *more: Path | None) -> None:
    """The text block of a report, and where it and what else was written lie."""
    typer.echo(written.text)
    for place in (written.html, *more):
        if place is not None:
            typer.echo(f"{place}")
