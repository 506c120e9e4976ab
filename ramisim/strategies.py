"""Strategies by name: what there is, how each plays, and its parameters.

A name with changes is a strategy too: ``careful:danger=0.7`` plays like ``careful`` but for that
number; so are files of the user's (`ramisim.strategy`). Nothing here imports a kernel before a
strategy is asked for its functions.
"""

from __future__ import annotations

import difflib
import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ramisim.errors import StrategyError
from ramisim.strategy_texts import PARAMETER_TEXTS, STRATEGY_TEXTS

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "Description",
    "Parameter",
    "Strategy",
    "as_strategy",
    "describe",
    "no_parameter",
    "registered",
    "resolve",
    "split_names",
    "strategy_names",
]

GROUP: Final = "ramisim.strategies"
"""Entry points of this group are strategies of other packages."""
_FILE: Final = re.compile(r"(?P<path>.+\.(?:py|toml))(?::(?P<name>[^:=]*))?$")

_DEFAULTS: Final[Mapping[str, float]] = {
    "stock": 0.0,
    "deep": 0.0,
    "pair_taken": 0.0,
    "future": 0.0,
    "build": 0.0,
    "hold": 0.0,
    "rami": 0.0,
    "gate": 0.0,
    "offer": 0.0,
    "close": 2.0,
    "guard": 2.0,
    "chase": 1.0,
    "late": 2.0,
    "patience": 0.0,
    "fast": 0.0,
    "deadwood": 1.0,
    "caught": 1.0,
    "unopened": 1.0,
    "thin": 1.0,
    "keep": 0.0,
    "live": 0.0,
    "worth": 0.0,
    "meld": 0.0,
    "danger": 0.0,
    "others": 0.5,
    "joker": 30.0,
}
"""Parameters of the heuristic in the kernels' order; a test holds both sides together."""

_NAMED: Final[Mapping[str, Mapping[str, float]]] = {
    "greedy": {},
    "patient": {
        "hold": 60.0, "rami": 1000.0, "close": 3.0, "keep": 1.0, "live": 0.5, "meld": 20.0,
        "deadwood": 0.25, "unopened": 0.0,
    },
    "careful": {
        "danger": 2.0, "keep": 1.0, "live": 0.5, "meld": 20.0, "deadwood": 0.3, "unopened": 0.2,
    },
    "counter": {
        "keep": 2.0, "live": 1.0, "worth": 1.0, "future": 0.5, "deadwood": 0.3, "unopened": 0.0,
        "meld": 20.0,
    },
    "sprinter": {
        "fast": 1.0, "deep": 5.0, "keep": 1.5, "live": 0.5, "meld": 20.0, "deadwood": 0.0,
        "unopened": 0.0,
    },
    "collector": {
        "deep": -6.0, "stock": -2.0, "pair_taken": 1.5, "keep": 1.0, "live": 0.5, "meld": 20.0,
        "deadwood": -0.2, "unopened": 0.0,
    },
    "opener": {
        "build": 1.0, "pair_taken": 2.0, "unopened": -0.2, "keep": 1.5, "live": 0.5, "worth": 1.0,
        "meld": 20.0, "deadwood": 0.3,
    },
    "balanced": {
        "deep": -4.0, "pair_taken": 1.5, "build": 0.5, "hold": 110.0, "rami": 1000.0, "close": 3.0,
        "guard": 4.0, "chase": 0.0, "deadwood": -0.35, "unopened": 0.0, "thin": 1.4, "keep": 1.5,
        "live": 0.5, "worth": 1.0, "meld": 20.0, "danger": 0.3,
    },
}  # fmt: skip
_BASELINES: Final = ("random", "first-legal")


@dataclass(frozen=True)
class Parameter:
    """One number of a strategy: its name, value, and what it means."""

    name: str
    value: float
    about: str


@dataclass(frozen=True)
class Strategy:
    """A strategy that can be seated.

    Parameters
    ----------
    name : str
        As written: ``greedy``, ``careful:danger=0.7``.
    family : str
        Whose functions it has: ``heuristic``, ``random`` or ``first-legal``.
    params : dict of str to float
        Every parameter by name; none for the baselines.
    compiled : bool
        Whether its functions are machine code; plain Python plays in processes.
    like : str
        Name of the strategy that this one changes; empty where it is its own.
    """

    name: str
    family: str
    params: dict[str, float] = field(default_factory=dict)
    compiled: bool = True
    like: str = ""

    @property
    def label(self) -> str:
        """The name shown in tables."""
        return self.name

    @cached_property
    def source(self) -> str:
        """Hash of what decides its play: functions and parameters, not the name."""
        digest = hashlib.sha256(self.family.encode())
        for file in _family_files(self.family):
            digest.update(file.read_bytes())
        for name, value in sorted(self.params.items()):
            digest.update(f"{name}={value!r}".encode())
        return digest.hexdigest()[:16]

    @property
    def ident(self) -> int:
        """Key of the strategy's own chance: the same wherever it sits (contracts 7)."""
        digest = hashlib.sha256(f"{self.family} {sorted(self.params.items())!r}".encode())
        return int.from_bytes(digest.digest()[:8], "little")

    def vector(self) -> list[float]:
        """The parameters in the order of the kernels."""
        return [self.params.get(name, 0.0) for name in _DEFAULTS]

    def functions(self) -> tuple[Any, Any, Any]:
        """The compiled (draw, plays, discard); imports the kernels."""
        from ramisim.kernels.strategies import baseline, heuristic

        if self.family == "random":
            return baseline.random_draw, baseline.random_plays, baseline.random_discard
        if self.family == "first-legal":
            return baseline.first_draw, baseline.first_plays, baseline.first_discard
        return heuristic.draw, heuristic.plays, heuristic.discard

    def changed(self, name: str, changes: Mapping[str, float]) -> Strategy:
        """The same strategy under another name, some parameters changed.

        Raises
        ------
        StrategyError
            It has no such parameter.
        """
        for key in changes:
            if key not in self.params:
                raise StrategyError(no_parameter(self.name, key, list(self.params)))
        like = self.like or self.name
        return replace(self, name=name, params={**self.params, **changes}, like=like)

    def page(self) -> Description:
        """How it plays, in words."""
        summary, text = STRATEGY_TEXTS[self.like or self.name]
        if self.like:
            summary = f"like {self.like}, with numbers of its own"
        parameters = (Parameter(k, v, PARAMETER_TEXTS[k]) for k, v in self.params.items())
        return Description(self.name, summary, text, tuple(parameters))


@dataclass(frozen=True)
class Description:
    """What `describe` tells of a strategy."""

    name: str
    summary: str
    text: str
    parameters: tuple[Parameter, ...]


def _family_files(family: str) -> list[Path]:
    folder = Path(__file__).resolve().parent / "kernels"
    names = ("baseline",) if family in _BASELINES else ("heuristic", "weighing")
    own = [folder / "strategies" / f"{name}.py" for name in names]
    return [*own, folder / "services.py", folder / "asking.py"]


def strategy_names() -> list[str]:
    """Names of the built-in strategies, baselines first."""
    return [*_BASELINES, *_NAMED]


def registered() -> dict[str, EntryPoint]:
    """Strategies of installed packages: the entry points of the group ``ramisim.strategies``.

    A name of a built-in strategy stays built in.
    """
    from importlib.metadata import entry_points

    found = {point.name: point for point in entry_points(group=GROUP)}
    return {name: found[name] for name in sorted(found) if name not in strategy_names()}


def resolve(text: str) -> Strategy:
    """The strategy of a text.

    Parameters
    ----------
    text : str
        A name (``greedy``), a file and a strategy in it (``mine.py:hunter``), or a TOML file that
        changes another one (``mine.toml``); behind a colon parameters may be changed:
        ``careful:danger=0.7,keep=2``.

    Raises
    ------
    StrategyError
        An unknown name, file or parameter, a value that is no number, or a file that cannot be
        loaded.

    Examples
    --------
    >>> resolve("careful:danger=0.7").params["danger"]
    0.7
    """
    text = text.strip()
    head, changes = _split_changes(text)
    strategy = _named(head)
    if changes is None:
        return strategy
    if not strategy.params:
        raise StrategyError(f"strategy {head} has no parameters, found '{changes}'")
    numbers = {}
    for change in filter(None, (part.strip() for part in changes.split(","))):
        key, sign, value = (part.strip() for part in change.partition("="))
        if key not in strategy.params:
            raise StrategyError(no_parameter(head, key, list(strategy.params)))
        numbers[key] = _value(head, key, value if sign else "")
    return strategy.changed(text, numbers)


def as_strategy(given: Any) -> Strategy:
    """A strategy from what a caller gives: a text, a strategy, or an object of the user's.

    Parameters
    ----------
    given : str, Strategy, or object
        An object is one that `ramisim.strategy.strategy` declared, or any with the methods
        ``draw``, ``plays`` and ``discard``: that one is played as plain Python.
    """
    if isinstance(given, str):
        return resolve(given)
    if isinstance(given, Strategy):
        return given
    from ramisim.strategy.user import of_object

    return of_object(given)


def _split_changes(text: str) -> tuple[str, str | None]:
    """A strategy and its changed parameters, from ``mine.py:hunter:danger=0.7``."""
    head, colon, rest = text.rpartition(":")
    if colon and ("=" in rest or not _FILE.match(head)):
        return head.strip(), rest
    return text, None


def _named(head: str) -> Strategy:
    if head in _BASELINES:
        return Strategy(head, head)
    if head in _NAMED:
        return Strategy(head, "heuristic", {**_DEFAULTS, **_NAMED[head]})
    file = _FILE.match(head)
    if file and head.endswith(".toml"):
        from ramisim.strategy.toml import from_toml

        return from_toml(head)
    if file:
        from ramisim.strategy.loading import from_file

        return from_file(head, file["path"], file["name"])
    point = registered().get(head)
    if point is not None:
        from ramisim.strategy.loading import from_entry_point

        return from_entry_point(point)
    known = [*strategy_names(), *registered()]
    close = difflib.get_close_matches(head, known, 1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise StrategyError(f"unknown strategy '{head}'{hint} (there are {', '.join(known)})")


def no_parameter(name: str, key: str, known: list[str]) -> str:
    """The sentence of a parameter that a strategy does not have."""
    there = f"there are {', '.join(known)}" if known else "it has none"
    return f"strategy {name}: unknown parameter '{key}' ({there})"


def _value(name: str, key: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise StrategyError(f"strategy {name}: {key}={text or '?'} is no number")
    return value


def split_names(text: str) -> list[str]:
    """Split a list of strategies at its commas, parameters kept with their strategy.

    Examples
    --------
    >>> split_names("greedy,careful:danger=0.7,keep=2,random")
    ['greedy', 'careful:danger=0.7,keep=2', 'random']
    """
    names: list[str] = []
    for part in text.split(","):
        # "a=b" without a colon goes on with the parameters of the strategy before it.
        if names and "=" in part and ":" not in part:
            names[-1] += "," + part.strip()
        elif part.strip():
            names.append(part.strip())
    return names


def describe(name: str) -> Description:
    """How a strategy plays, in words, with its parameters."""
    return resolve(name).page()
