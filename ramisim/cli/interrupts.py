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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import typer

__all__ = ["INTERRUPTED", "end_on_second_interrupt", "interrupted", "resumable"]

INTERRUPTED: Final = 130
"""Exit code after Ctrl-C, as shells have it."""

SAID_AFTER: Final = 2.0
"""Seconds after the first Ctrl-C before it is told what is waited for."""


_came = threading.Event()


def interrupted() -> bool:
    """Whether Ctrl-C came: what is raised after it, LLVM's callbacks may have made of it."""
    return _came.is_set()


@contextmanager
def resumable(command: str, out: Path | None, resume: bool) -> Iterator[None]:
    """After Ctrl-C, when what was being played has been kept, say how to go on, and leave.

    Parameters
    ----------
    command : str
        The command line that is running.
    out : Path or None
        Where its rows are kept; None where they are not.
    resume : bool
        Whether it is going on already.
    """
    try:
        yield
    except KeyboardInterrupt:
        again = command if resume else f"{command} --resume"
        kept = f"stopped; go on with: {again}"
        typer.echo(kept if out else "stopped; with --out it could go on from here", err=True)
        raise typer.Exit(INTERRUPTED) from None


def end_on_second_interrupt() -> None:
    """From now on a second Ctrl-C leaves the program, whatever runs."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(ours,), daemon=True).start()


def _listen(pipe: int) -> None:
    came, told = 0, False
    while came < 2:
        waits = came == 1 and not told
        if waits and not select.select([pipe], [], [], SAID_AFTER)[0]:
            told = True
            _say("games that have begun are played to their end; Ctrl-C again stops at once")
            continue
        came += os.read(pipe, 64).count(signal.SIGINT)
        if came:
            _came.set()
    os._exit(INTERRUPTED)


def _say(sentence: str) -> None:
    os.write(2, f"ramisim: {sentence}\n".encode())
