"""Ctrl-C once lets the games that have begun end; twice ends the program at once.

Python hands a signal to the main thread between two of its own steps, and machine code has none:
a strategy of a user's that never ends would keep the program alive. The system's own handler
writes each signal into a pipe at once, and a thread reads it.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from typing import Final

__all__ = ["end_on_second_interrupt"]

PATIENCE: Final = 2.0
"""Seconds after the first Ctrl-C before it is told what is waited for."""


def end_on_second_interrupt(code: int) -> None:
    """From now on a second Ctrl-C leaves the program with this exit code, whatever runs."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(ours, code), daemon=True).start()


def _listen(pipe: int, code: int) -> None:
    came, told = 0, False
    while came < 2:
        waits = came == 1 and not told
        if waits and not select.select([pipe], [], [], PATIENCE)[0]:
            told = True
            _say("games that have begun are played to their end; Ctrl-C again stops at once")
            continue
        came += os.read(pipe, 64).count(signal.SIGINT)
    os._exit(code)


def _say(sentence: str) -> None:
    os.write(2, f"ramisim: {sentence}\n".encode())
