"""Declaring a strategy: its base, its parameters, and up to three functions."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any, Final, TypeVar

from ramisim.errors import StrategyError

__all__ = ["ARGUMENTS", "QUESTIONS", "Declared", "helper", "strategy"]

Function = TypeVar("Function", bound=Callable[..., Any])

QUESTIONS: Final = ("draw", "plays", "discard")
"""What a strategy is asked, in the order of a turn."""
_COMMON: Final = ("seen", "hand", "rules", "params", "chance", "tools")
ARGUMENTS: Final = {
    "draw": _COMMON,
    "plays": (*_COMMON, "rows"),
    "discard": _COMMON,
    "explain": (*_COMMON, "question"),
}
"""What each function is given, in this order."""


class Declared:
    """A strategy in the making; its methods ``draw``, ``plays`` and ``discard`` are decorators.

    So is ``explain``, which says what the options are worth where a game is shown.

    Parameters
    ----------
    base : str
        Name of the strategy that answers what is left out.
    about : str
        One line: how it plays.
    parameters : dict of str to (float, str)
        Names of its numbers, their values, what they mean.
    """

    def __init__(self, base: str, about: str, parameters: dict[str, tuple[float, str]]) -> None:
        self.base = base
        self.about = about
        self.parameters = parameters
        self.functions: dict[str, Callable[..., Any]] = {}
        self.explanation: Callable[..., Any] | None = None
        fields = namedtuple("Parameters", list(parameters))  # type: ignore[misc]
        self.params: Any = fields(*range(len(parameters)))
        """Places of the parameters: ``params[P.danger]`` after ``P = hunter.params``."""

    def draw(self, function: Function) -> Function:
        """Decorate ``draw(seen, hand, rules, params, chance, tools) -> int``.

        The answer is STOCK, or how many discards to take.
        """
        return self._keep("draw", function)

    def plays(self, function: Function) -> Function:
        """Decorate ``plays(seen, hand, rules, params, chance, tools, rows) -> int``.

        It writes what it puts on the table into ``rows``; the answer is how many rows it wrote.
        """
        return self._keep("plays", function)

    def discard(self, function: Function) -> Function:
        """Decorate ``discard(seen, hand, rules, params, chance, tools) -> int``.

        The answer is the id of a card of the hand, JOKER, or NONE where the rules allow it.
        """
        return self._keep("discard", function)

    def explain(self, function: Function) -> Function:
        """Decorate ``explain(seen, hand, rules, params, chance, tools, question)``.

        It is never compiled, and asked only where a game is shown with ``--explain``: what each
        option of a question (``"draw"``, ``"plays"`` or ``"discard"``) is worth to the strategy.
        The answer is a dict of options and numbers, a text, or None. Options are discards taken
        (0 the stock), words, and cards; a number may be ``(number, text)``.
        """
        if self.explanation is not None:
            raise StrategyError(f"{_name_of(function)}: the strategy has an explain already")
        self.explanation = _checked("explain", function)
        return function

    def _keep(self, question: str, function: Function) -> Function:
        if question in self.functions:
            raise StrategyError(f"{_name_of(function)}: the strategy has a {question} already")
        self.functions[question] = _checked(question, function)
        return function


def _name_of(function: Any) -> str:
    return str(getattr(function, "__name__", repr(function)))


def _checked(question: str, function: Function) -> Function:
    """A function that takes what it will be given.

    Raises
    ------
    StrategyError
        One that takes something else.
    """
    code = getattr(function, "__code__", None)
    wanted = len(ARGUMENTS[question])
    if code is None or code.co_argcount != wanted or code.co_flags & 0x0C:
        raise StrategyError(
            f"{_name_of(function)}: {question} takes {wanted} arguments, "
            f"({', '.join(ARGUMENTS[question])})"
        )
    return function


def strategy(
    base: str = "greedy", about: str = "", **parameters: float | tuple[float, str]
) -> Declared:
    """Declare a strategy.

    Parameters
    ----------
    base : str
        Any strategy: it answers the questions for which there is no function.
    about : str
        One line for `ramisim strategies`.
    **parameters : float or (float, str)
        Numbers that can be changed from outside, ``mine.py:hunter:danger=0.7``, and what they
        mean. In the functions they are ``params[P.danger]``, where ``P`` is ``.params`` of what
        is returned here.

    Returns
    -------
    Declared
        Its ``draw``, ``plays``, ``discard`` and ``explain`` are decorators.

    Raises
    ------
    StrategyError
        A base that is no text, or a parameter that is no number.

    Examples
    --------
    >>> hunter = strategy(base="careful", danger=(0.7, "weight of what a card gives away"))
    >>> hunter.params.danger, hunter.parameters["danger"]
    (0, (0.7, 'weight of what a card gives away'))
    """
    if not isinstance(base, str) or not isinstance(about, str):
        raise StrategyError(f"base {base!r}, about {about!r}: two texts are needed")
    return Declared(base, about, {name: _number(name, p) for name, p in parameters.items()})


def _number(name: str, given: Any) -> tuple[float, str]:
    value, about = given if isinstance(given, tuple) and len(given) == 2 else (given, "")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise StrategyError(f"parameter {name}: {value!r} is no number")
    if not isinstance(about, str) or name.startswith("_"):
        raise StrategyError(f"parameter {name}: a name, a number, and a text that explains it")
    return float(value), about


def helper(function: Callable[..., Any]) -> Any:
    """Compile a function that functions of a strategy call (Numba, checked indices).

    In plain Python it is called as it stands: ``helper(f).py_func`` is ``f``.
    """
    from numba import njit

    return njit(nogil=True, boundscheck=True)(function)
