"""What a user's strategy says of its options: its own ``explain``, asked and checked.

It is plain Python and asked only where a game is shown, so it costs a run nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ramisim.cards import parse_card
from ramisim.driver import given_to, told
from ramisim.errors import CardError, StrategyError
from ramisim.strategies import Strategy
from ramisim.strategy.user import PlainStrategy, UserStrategy

__all__ = ["Option", "answering", "options_of"]

_NOTHING = -1


@dataclass(frozen=True)
class Option:
    """One option of a question.

    Parameters
    ----------
    key : int or str
        Discards taken, a card's id (-1 no card), or words for a way to play.
    worth : float
        Its value to the strategy.
    about : str
        What it is made of; may be empty.
    """

    key: int | str
    worth: float
    about: str = ""


def answering(strategy: Strategy, question: str) -> Strategy:
    """Whose function answers a question: the strategy itself, or the nearest base that does."""
    while isinstance(strategy, UserStrategy | PlainStrategy):
        if question in strategy.answers():
            break
        strategy = strategy.base
    return strategy


def options_of(
    strategy: Strategy, question: str, work: Any, record: Any
) -> Sequence[Option] | str | None:
    """What a strategy says of the question that is shown to it.

    Parameters
    ----------
    strategy : Strategy
        From `answering`.
    question : {"draw", "plays", "discard"}
    work : Workspace
        Holds the view, the hand and the key of its chance.
    record : RULES
        The rules.

    Returns
    -------
    sequence of Option, str or None
        Options, its own words, or None where it says nothing.

    Raises
    ------
    StrategyError
        Its ``explain`` raised, or answered what cannot be shown.
    """
    explain = getattr(strategy, "explanation", None)
    if explain is None:
        return None
    own = np.array(list(getattr(strategy, "own", {}).values()), np.float64)
    try:
        with np.errstate(all="ignore", divide="raise"):
            answer = explain(*given_to(work, record, own), question)
    except Exception as error:  # whatever a user's function may raise
        raise StrategyError(f"strategy {strategy.name}: {told(error, 'explain')}") from None
    if answer is None or isinstance(answer, str):
        return answer
    if not isinstance(answer, Mapping):
        raise _wrong(strategy, question, answer)
    return [_option(strategy, question, key, value) for key, value in answer.items()]


def _option(strategy: Strategy, question: str, key: Any, value: Any) -> Option:
    worth, about = value if isinstance(value, tuple) and len(value) == 2 else (value, "")
    known = _key(question, key)
    if not isinstance(worth, int | float | np.number) or not isinstance(about, str):
        raise _wrong(strategy, question, {key: value})
    number = float(worth)
    if known is None or math.isnan(number):
        raise _wrong(strategy, question, {key: value})
    return Option(known, number, about)


def _key(question: str, key: Any) -> int | str | None:
    """An option as the game names it; None for what is none."""
    if isinstance(key, int | np.integer) and question != "plays":
        lowest = 0 if question == "draw" else _NOTHING
        return int(key) if lowest <= key <= 52 else None
    if question == "discard" and key is None:
        return _NOTHING
    if question == "discard" and isinstance(key, str):
        try:
            return parse_card(key)
        except CardError:
            return None
    return key if isinstance(key, str) and question == "plays" else None


_KEYS = {"draw": "discards taken (0 the stock)", "plays": "words", "discard": "cards"}


def _wrong(strategy: Strategy, question: str, answer: Any) -> StrategyError:
    text = repr(answer)
    text = text if len(text) < 80 else text[:77] + "..."
    return StrategyError(
        f"strategy {strategy.name}: explain of {question} answered {text}: "
        f"a dict of {_KEYS[question]} and numbers, a text, or None is needed"
    )
