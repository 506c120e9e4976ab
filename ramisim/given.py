"""What a caller gives, checked: one sentence that says what, where, and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ramisim.errors import RamisimError, RunError, StrategyError
from ramisim.whole import whole

if TYPE_CHECKING:
    from ramisim.chunks import Player

__all__ = [
    "MOST_DEALS",
    "flag",
    "has_methods",
    "listed",
    "number",
    "path_of",
    "shown",
    "text",
    "whole_number",
]

MOST_DEALS: Final = 2**63
"""Bound of a deal number: the engine counts deals in signed 64-bit integers."""
Refusal = type[RamisimError]


def shown(value: object) -> str:
    """A value on one line, cut where it is long.

    Examples
    --------
    >>> shown([1] * 50)
    '[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ...'
    """
    line = " ".join(repr(value).split())
    return line if len(line) <= 60 else f"{line[:40]}..."


def whole_number(name: str, value: object, low: int, high: int, error: Refusal = RunError) -> int:
    """The number as an ``int``, also one of NumPy's; an error where it is out of its range."""
    found = whole(value)
    if found is None:
        raise error(f"{name} is {shown(value)}: a whole number from {low} to {high} is allowed")
    if not low <= found <= high:
        raise error(f"{name} is {found}: {low} to {high} is allowed")
    return found


def number(
    name: str, value: object, what: str = "a number", low: float = 0.0, high: float = math.inf
) -> float:
    """The number as a ``float``, strictly between two others; a `RunError` where it is none.

    Examples
    --------
    >>> number("within", 2)
    2.0
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not low < float(value) < high:
        bounds = f"above {low:g}" if math.isinf(high) else f"between {low:g} and {high:g}"
        raise RunError(f"{name} is {shown(value)}: {what} {bounds} is allowed")
    return float(value)


def text(name: str, value: object, what: str = "a text", error: Refusal = RunError) -> str:
    """The text; an error where it is none."""
    if not isinstance(value, str):
        raise error(f"{name} is {shown(value)}: {what} is needed")
    return value


def flag(name: str, value: object) -> bool:
    """True or False; a `RunError` where it is neither."""
    if not isinstance(value, bool | np.bool_):
        raise RunError(f"{name} is {shown(value)}: True or False is allowed")
    return bool(value)


def path_of(name: str, value: object, error: Refusal = RunError) -> Path:
    """The path of a file or folder; an error where it is none."""
    if not isinstance(value, str | Path) or not str(value):
        raise error(f"{name} is {shown(value)}: the path of a file or folder is needed")
    return Path(value)


def has_methods(name: str, value: object, methods: Iterable[str], what: str) -> None:
    """Refuse an object that cannot do what is asked of it.

    Raises
    ------
    RunError
        A method is missing.
    """
    if not all(callable(getattr(value, method, None)) for method in methods):
        raise RunError(f"{name} is {shown(value)}: {what} is needed")


def listed(strategies: str | Sequence[str | Player]) -> tuple[str | Player, ...]:
    """Strategies as a caller gives them, one by one; a text is split at its commas."""
    from ramisim.strategies import split_names

    if isinstance(strategies, str):
        return tuple(split_names(strategies))
    if not isinstance(strategies, Iterable):
        raise StrategyError(
            f"strategies {shown(strategies)}: names with commas between, or a list of strategies"
        )
    return tuple(strategies)
