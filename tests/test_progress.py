from __future__ import annotations

import io
from itertools import count

import pytest

from ramisim.progress import ConsoleProgress, duration


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_every_ten_seconds_where_there_is_no_terminal() -> None:
    stream, seconds = io.StringIO(), count(0, 1)
    progress = ConsoleProgress(stream, clock=lambda: float(next(seconds)))
    progress.start(30_000, 1_000)
    for done in range(2_000, 30_000, 1_000):
        progress.update(done)
    progress.stop()
    assert stream.getvalue().splitlines() == [
        "ramisim: 11,000 of 30,000 games, 1,000 games/s, 19 s left",
        "ramisim: 21,000 of 30,000 games, 1,000 games/s, 9.0 s left",
    ]


def test_what_is_compiled_before_the_first_games_does_not_count_in_the_rate() -> None:
    stream, times = io.StringIO(), iter([0.0, 50.0, 61.0])
    progress = ConsoleProgress(stream, clock=lambda: next(times))
    progress.start(30_000, 0)
    progress.update(1_000)
    progress.update(12_000)
    assert stream.getvalue().splitlines() == [
        "ramisim: 1,000 of 30,000 games",
        "ramisim: 12,000 of 30,000 games, 1,000 games/s, 18 s left",
    ]


def test_a_bar_in_a_terminal_after_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    stream, seconds = Terminal(), count(0, 1)
    progress = ConsoleProgress(stream, clock=lambda: float(next(seconds)))
    progress.start(30_000, 0)
    progress.update(1_000)
    assert stream.getvalue() == ""
    for done in (2_000, 3_000):
        progress.update(done)
    progress.stop()
    assert "10%" in stream.getvalue()
    assert "3,000 of 30,000 games, 1,000 games/s, 27 s left" in stream.getvalue()


def test_durations_are_short() -> None:
    assert [duration(s) for s in (0.04, 9.94, 10, 59.6, 61, 3599.7, 7500)] == [
        "0.0 s", "9.9 s", "10 s", "1 min 0 s", "1 min 1 s", "1 h 0 min", "2 h 5 min",
    ]  # fmt: skip
