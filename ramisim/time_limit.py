"""A time limit for an answer of plain Python: what never comes is stopped where it is."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["ANSWER_LIMIT", "TooLong", "limited"]

ANSWER_LIMIT: Final = 60.0
"""Seconds that an answer may take: a strategy that searches long has them, a loop does not end."""


class TooLong(BaseException):
    """The time is over; no ``except Exception`` of the code that is stopped holds it back."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TooLong` inside when the time is over.

    The alarm of the system does that. It rings in the main thread only, which is where worker
    processes play; elsewhere, where there is no alarm, and where somebody else has set one,
    there is no limit. Machine code is not stopped: Python looks at alarms between its own steps.

    Parameters
    ----------
    seconds : float
        Of the clock on the wall, more than 0.
    """
    ours = threading.current_thread() is threading.main_thread()
    if not ours or not hasattr(signal, "setitimer") or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    # It rings again, for a bare ``except`` may have caught the first one.
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _ring(number: int, frame: FrameType | None) -> None:
    raise TooLong
