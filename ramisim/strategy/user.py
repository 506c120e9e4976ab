"""Strategies of a user as ones that can be seated: compiled, or plain Python."""

from __future__ import annotations

import hashlib
import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ramisim.errors import StrategyError
from ramisim.strategies import Description, Parameter, Strategy, no_parameter, resolve
from ramisim.strategy.declare import ARGUMENTS, QUESTIONS, Declared
from ramisim.time_limit import ANSWER_LIMIT

__all__ = ["PlainStrategy", "UserStrategy", "of_object"]


@dataclass(frozen=True)
class _Based(Strategy, ABC):
    """A strategy that leaves some questions to another one.

    Its vector is that of the base and then its own numbers, so that the functions of the base find
    theirs where they always are.
    """

    base: Strategy = field(default_factory=lambda: resolve("greedy"))
    own: dict[str, float] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    about: str = ""
    digest: str = ""

    def __post_init__(self) -> None:
        # Its own numbers hide those of the same name of the base, and where the base answers
        # nothing its numbers are of no use.
        rest = self.base.params if len(self.answers()) < len(QUESTIONS) else {}
        object.__setattr__(self, "params", {**self.own, **_missing(rest, self.own)})

    @cached_property
    def source(self) -> str:
        """Hash of what decides its play: functions, parameters, and the base."""
        digest = hashlib.sha256(f"{self.family} {self.digest} {self.base.source}".encode())
        for name, value in sorted(self.own.items()):
            digest.update(f"{name}={value!r}".encode())
        return digest.hexdigest()[:16]

    @property
    def ident(self) -> int:
        """Key of its own chance: its name in the file and its numbers."""
        text = f"{self.family} {self.base.ident} {sorted(self.own.items())!r}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")

    @property
    def place(self) -> tuple[int, int]:
        """Where its own numbers begin and end in the vector."""
        begin = len(self.base.vector())
        return begin, begin + len(self.own)

    def vector(self) -> list[float]:
        """The numbers of the base, then its own."""
        return [*self.base.vector(), *self.own.values()]

    def changed(self, name: str, changes: Mapping[str, float]) -> Strategy:
        """The same strategy under another name, some parameters changed."""
        for key in changes:
            if key not in self.params:
                raise StrategyError(no_parameter(self.name, key, list(self.params)))
        own = {key: value for key, value in changes.items() if key in self.own}
        others = _missing(changes, own)
        base = self.base.changed(self.base.name, others) if others else self.base
        return replace(self, name=name, own={**self.own, **own}, base=base)

    def page(self) -> Description:
        """What its author says of it."""
        asked = ", ".join(self.answers())
        rest = [q for q in QUESTIONS if q not in self.answers()]
        text = f"Of its own: {asked or 'nothing'}."
        if rest:
            text += f" {', '.join(rest)} as {self.base.name}."
        parameters = [Parameter(k, v, self.texts.get(k, "")) for k, v in self.own.items()]
        others = {name: value for name, value in self.params.items() if name not in self.own}
        parameters += [p for p in self.base.page().parameters if p.name in others]
        return Description(self.name, self.about or "a strategy of your own", text,
                           tuple(parameters))  # fmt: skip

    @abstractmethod
    def answers(self) -> list[str]:
        """The questions that it answers itself."""


@dataclass(frozen=True)
class UserStrategy(_Based):
    """A declared strategy, compiled."""

    declared: Declared | None = None
    file: str = ""

    def answers(self) -> list[str]:
        """The questions that have a function of its own."""
        return [q for q in QUESTIONS if q in self.own_functions]

    @property
    def own_functions(self) -> dict[str, Callable[..., Any]]:
        """The functions as they were written."""
        return self.declared.functions if self.declared else {}

    @property
    def explanation(self) -> Callable[..., Any] | None:
        """What says the values of its options, where its author wrote one."""
        return self.declared.explanation if self.declared else None

    def functions(self) -> tuple[Any, Any, Any]:
        """The compiled (draw, plays, discard), with those of the base where there is none."""
        from ramisim.strategy.compiling import compiled

        own = compiled(self)
        rest = self.base.functions()
        draw, plays, discard = (own.get(q, rest[k]) for k, q in enumerate(QUESTIONS))
        return draw, plays, discard

    def uncompiled(self) -> PlainStrategy:
        """The same strategy as plain Python: the same games, far slower."""
        values = {f.name: getattr(self, f.name) for f in _FIELDS}
        return PlainStrategy(
            **{**values, "compiled": False},
            functions_of=dict(self.own_functions),
            explanation=self.explanation,
        )


@dataclass(frozen=True)
class PlainStrategy(_Based):
    """Functions of plain Python: asked through the interpreter, one after another."""

    functions_of: dict[str, Callable[..., Any]] = field(default_factory=dict)
    limit: float = ANSWER_LIMIT
    """Seconds that an answer may take."""
    explanation: Callable[..., Any] | None = None

    def answers(self) -> list[str]:
        """The questions that have a function of its own."""
        return [q for q in QUESTIONS if q in self.functions_of]

    def functions(self) -> tuple[Any, Any, Any]:
        """The compiled functions of the base."""
        return self.base.functions()


_FIELDS = tuple(f for f in _Based.__dataclass_fields__.values() if f.init)


def of_object(given: Any, name: str = "") -> Strategy:
    """A strategy from an object of the user's.

    Parameters
    ----------
    given : object
        Declared by `ramisim.strategy.strategy`, or any object with methods ``draw``, ``plays``
        and ``discard``; it may have ``base`` (a strategy's name), ``about``, ``params`` (names to
        numbers), ``time_limit`` (seconds an answer may take, 60) and a method ``explain`` as
        well.
    name : str
        How it was asked for.

    Raises
    ------
    StrategyError
        An object that is no strategy.
    """
    if isinstance(given, Strategy):
        return replace(given, name=name) if name else given
    if isinstance(given, Declared):
        return _of_declared(given, name)
    if isinstance(given, type):
        given = _instance(given, name)
    methods = {q: getattr(given, q) for q in QUESTIONS if callable(getattr(given, q, None))}
    kind = type(given).__name__
    name = name or str(getattr(given, "name", kind))
    if not methods:
        raise StrategyError(
            f"{name} is no strategy: a {kind} without methods {', '.join(QUESTIONS)}"
        )
    explain = getattr(given, "explain", None)
    for question, method in {**methods, "explain": explain}.items():
        if callable(method):
            _check_arguments(name, question, method)
    base = getattr(given, "base", "greedy")
    base = resolve(base) if isinstance(base, str) else of_object(base)
    params = getattr(given, "params", None) or {}
    if not isinstance(params, Mapping):
        raise StrategyError(f"{name}: params {params!r}: names and numbers are needed")
    return PlainStrategy(
        name=name,
        family=f"plain {type(given).__qualname__}",
        compiled=False,
        base=base,
        own={str(key): float(value) for key, value in params.items()},
        about=str(getattr(given, "about", "")),
        digest=digest_of(type(given)),
        functions_of=methods,
        limit=_limit(name, getattr(given, "time_limit", ANSWER_LIMIT)),
        explanation=explain if callable(explain) else None,
    )


def _of_declared(given: Declared, name: str) -> UserStrategy:
    functions = list(given.functions.values())
    if not name:
        name = functions[0].__module__ if functions else given.base
    return UserStrategy(
        name=name,
        family=f"user {name.rpartition(':')[2]}",
        base=resolve(given.base),
        own={key: value for key, (value, _) in given.parameters.items()},
        texts={key: text for key, (_, text) in given.parameters.items()},
        about=given.about,
        digest=digest_of(*functions),
        declared=given,
    )


def _limit(name: str, given: Any) -> float:
    if not isinstance(given, int | float) or not 0 < given < math.inf:
        raise StrategyError(f"{name}: time_limit {given!r}: seconds, more than 0, are needed")
    return float(given)


def _instance(kind: type, name: str) -> Any:
    try:
        return kind()
    except TypeError as error:
        raise StrategyError(f"{name or kind.__name__} cannot be made without arguments: {error}")  # noqa: B904


def _check_arguments(name: str, question: str, method: Callable[..., Any]) -> None:
    wanted = ARGUMENTS[question]
    try:
        inspect.signature(method).bind(*wanted)
    except TypeError:
        raise StrategyError(
            f"{name}: {question} takes {len(wanted)} arguments, ({', '.join(wanted)})"
        ) from None
    except ValueError:
        return  # a builtin that does not tell


def digest_of(*things: Any) -> str:
    """Hash of the files in which functions or classes stand, or of their code where there is none.

    Modules that lie in the same folder count with them: they may be imported.
    """
    digest = hashlib.sha256()
    for thing in things:
        try:
            file = Path(inspect.getfile(thing))
            digest.update(file.read_bytes())
        except (OSError, TypeError):
            code = getattr(thing, "__code__", None)
            digest.update(code.co_code + repr(code.co_consts).encode() if code else b"")
    return digest.hexdigest()[:16]


def _missing(params: Mapping[str, float], own: Mapping[str, float]) -> dict[str, float]:
    return {name: value for name, value in params.items() if name not in own}
