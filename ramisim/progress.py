"""How far a run is: a bar in a terminal, now and then a line elsewhere, nothing for a short run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol, TextIO

from ramisim.plurals import counted

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

__all__ = ["ConsoleProgress", "Progress", "duration"]

BAR_AFTER: Final = 2.0
"""Seconds before a run is worth a bar."""
LINE_EVERY: Final = 10.0
"""Seconds between two lines where there is no terminal."""


class Progress(Protocol):
    """Is told how many games of a run have been played."""

    def start(self, total: int, already: int) -> None:
        """Begin: games of the run, and how many of them an earlier start has played."""

    def update(self, done: int, news: str = "") -> None:
        """Games played so far, and what they show; called several times a second."""

    def stop(self) -> None:
        """The run has ended, for whatever reason."""


class ConsoleProgress:
    """Progress on standard error.

    Parameters
    ----------
    stream : text stream, optional
        Instead of standard error.
    clock : callable
        Seconds, for tests.
    unit : str
        What is counted, one of it.

    Attributes
    ----------
    total, already, done : int
        Games of the run, those played by an earlier start, and those played so far.
    """

    def __init__(
        self,
        stream: TextIO | None = None,
        clock: Callable[[], float] = monotonic,
        unit: str = "game",
    ) -> None:
        self._unit = unit
        self._stream = stream if stream is not None else sys.stderr
        self._clock = clock
        self._bar: RichProgress | None = None
        self.total = self.already = self.done = 0
        self._begun = self._last_line = 0.0
        self._first: tuple[float, int] | None = None

    def start(self, total: int, already: int) -> None:
        """Begin to count; nothing is shown yet."""
        self.total, self.already, self.done = total, already, already
        self._begun = self._last_line = self._clock()
        self._first = None

    def update(self, done: int, news: str = "") -> None:
        """Show a bar after two seconds, or a line every ten."""
        self.done = done
        now = self._clock()
        if self._first is None and done > self.already:
            # Kernels are compiled before the first games come: the rate counts from these on.
            self._first = now, done
        if now - self._begun < BAR_AFTER:
            return
        text = self._outlook(self._rate(now))
        text = f"{news} | {text}" if news else text
        if self._stream.isatty():
            self._show_bar(text)
        elif now - self._last_line >= LINE_EVERY:
            self._last_line = now
            print(f"ramisim: {text}", file=self._stream, flush=True)

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _rate(self, now: float) -> float:
        """What came a second; 0 where that cannot be said yet."""
        if self._first is None or now <= self._first[0]:
            return 0.0
        return (self.done - self._first[1]) / (now - self._first[0])

    def _outlook(self, rate: float) -> str:
        share = f"{self.done:,} of {counted(self.total, self._unit)}"
        if rate <= 0:
            return share
        left = duration((self.total - self.done) / rate)
        return f"{share}, {counted(round(rate), self._unit)}/s, {left} left"

    def _show_bar(self, text: str) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

            self._bar = Progress(
                BarColumn(),
                TaskProgressColumn(),
                TextColumn("{task.description}"),
                console=Console(file=self._stream),
                transient=True,
            )
            self._bar.add_task("", total=self.total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=self.done, description=text)


def duration(seconds: float) -> str:
    """A time in two units at most: ``4.2 s``, ``3 min 20 s``, ``2 h 5 min``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
