"""Checking a strategy in a process of its own: nothing else ends machine code without an end."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, Final

from ramisim.chunks import begin_worker
from ramisim.errors import StrategyError
from ramisim.record import play_match
from ramisim.rules import Rules
from ramisim.strategies import as_strategy
from ramisim.strategy.check import Verdict, against_foe, check_preset, seatings_of
from ramisim.strategy.user import UserStrategy

__all__ = ["verdicts_apart"]

_LOOKED_FOR: Final = 0.2
"""Share of the patience that an answer has where the one that does not come is looked for."""


def verdicts_apart(text: str, presets: list[str], patience: float) -> Iterator[Verdict]:
    """The verdicts on a strategy, preset by preset, up to a game that does not end.

    Parameters
    ----------
    text : str
        Names the strategy.
    presets : list of str
    patience : float
        Seconds that a game may take.
    """
    with _process(_play, text, presets, patience) as said:
        for preset in presets:
            deal, found = _heard(said)
            if isinstance(found, StrategyError):
                raise found
            if not isinstance(found, Verdict):
                if not found:
                    found = _where(text, preset, deal, patience) or "it does not end"
                    found = f"deal {deal} was not over in {patience:g} s: {found}"
                seats = Rules.load(preset).number("players.min")
                yield Verdict(preset, seats, found, 0, 0.0, 0.0, 0)
                return
            yield found


def _heard(said: Connection) -> tuple[int, Verdict | StrategyError | str]:
    """The deal begun last, and how it ended; an empty text where it did not."""
    deal, wait = 0, None
    while said.poll(wait):
        try:
            found = said.recv()
        except EOFError:
            return deal, f"deal {deal} ended the process that played it"
        if not isinstance(found, tuple):
            return deal, found
        deal, wait = found
    return deal, ""


@contextmanager
def _process(target: Any, *given: Any) -> Iterator[Connection]:
    """A process that says something; it is ended with the block."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    process = spawn.Process(target=target, args=(*given, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours
    finally:
        process.kill()
        process.join()
        ours.close()


def _play(text: str, presets: list[str], patience: float, out: Connection) -> None:
    """Of the process: check preset by preset, and say before each game how long it may take."""
    begin_worker()
    strategy = as_strategy(text)

    def step(deal: int, more: float) -> None:
        # An answer of plain Python has a limit of its own.
        out.send((deal, patience + more if strategy.compiled else None))

    try:
        # What has to be compiled is, before any game is waited for.
        check_preset(as_strategy("first-legal"), presets[0])
        strategy.functions()
        for preset in presets:
            out.send(check_preset(strategy, preset, step))
    except StrategyError as error:
        out.send(error)


def _where(text: str, preset: str, deal: int, patience: float) -> str:
    """Which answer of a deal does not come, found by playing it in plain Python."""
    with _process(_seek, text, preset, deal, patience) as said:
        try:
            return str(said.recv()) if said.poll(4.0 * patience) else ""
        except EOFError:
            return ""


def _seek(text: str, preset: str, deal: int, patience: float, out: Connection) -> None:
    """Of the process: the sentence of the answer that does not come, empty where all come."""
    begin_worker()
    strategy = as_strategy(text)
    if not isinstance(strategy, UserStrategy):
        return
    rules = Rules.load(preset)
    slow = replace(strategy.uncompiled(), limit=_LOOKED_FOR * patience)
    for rotation, seating in enumerate(seatings_of(rules).tolist()):
        try:
            play_match(against_foe(slow, rules), deal, seating, rotation)
        except StrategyError as error:
            out.send(str(error))
            return
    out.send("")
