"""Strategies by name: what there is, how each plays, and its parameters.

A name with changes is a strategy too: ``careful:danger=0.7`` plays like ``careful`` but for that
number. Nothing here imports a kernel before a strategy is asked for its functions.
"""

from __future__ import annotations

import difflib
import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from ramisim.errors import StrategyError
from ramisim.strategy_texts import PARAMETER_TEXTS, STRATEGY_TEXTS

__all__ = ["Parameter", "Strategy", "describe", "resolve", "split_names", "strategy_names"]

_DEFAULTS: Final[Mapping[str, float]] = {
    "stock": 0.0,
    "deep": 0.0,
    "pair_taken": 0.0,
    "hold": 0.0,
    "rami": 0.0,
    "close": 2.0,
    "late": 2.0,
    "deadwood": 1.0,
    "keep": 0.0,
    "live": 0.0,
    "danger": 0.0,
    "others": 0.5,
    "joker": 30.0,
}
"""Parameters of the heuristic in the kernels' order; a test holds both sides together."""

_NAMED: Final[Mapping[str, Mapping[str, float]]] = {
    "greedy": {},
    "patient": {
        "hold": 45.0, "rami": 1000.0, "close": 3.0, "late": 4.0, "keep": 1.5, "stock": -2.0,
    },
    "careful": {
        "keep": 1.0, "live": 0.5, "danger": 1.0, "others": 0.6, "stock": -3.0, "pair_taken": 0.5,
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
    """

    name: str
    family: str
    params: dict[str, float] = field(default_factory=dict)
    compiled: bool = True

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


@dataclass(frozen=True)
class Description:
    """What `describe` tells of a strategy."""

    name: str
    summary: str
    text: str
    parameters: tuple[Parameter, ...]


def _family_files(family: str) -> list[Path]:
    folder = Path(__file__).resolve().parent / "kernels"
    name = "baseline" if family in _BASELINES else "heuristic"
    return [folder / "strategies" / f"{name}.py", folder / "services.py", folder / "asking.py"]


def strategy_names() -> list[str]:
    """Names of the built-in strategies, baselines first."""
    return [*_BASELINES, *_NAMED]


def resolve(text: str) -> Strategy:
    """The strategy of a text: a name, or a name and changed parameters.

    Parameters
    ----------
    text : str
        ``greedy`` or ``careful:danger=0.7,keep=2``.

    Raises
    ------
    StrategyError
        An unknown name or parameter, or a value that is no number.

    Examples
    --------
    >>> resolve("careful:danger=0.7").params["danger"]
    0.7
    """
    name, _, changes = text.strip().partition(":")
    if name in _BASELINES:
        if changes:
            raise StrategyError(f"strategy {name} has no parameters, found '{changes}'")
        return Strategy(name, name)
    if name not in _NAMED:
        close = difflib.get_close_matches(name, strategy_names(), 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise StrategyError(
            f"unknown strategy '{name}'{hint} (there are {', '.join(strategy_names())})"
        )
    params = {**_DEFAULTS, **_NAMED[name]}
    for change in filter(None, (part.strip() for part in changes.split(","))):
        key, sign, value = change.partition("=")
        params[_parameter(name, key.strip())] = _value(name, key, value if sign else "")
    return Strategy(text.strip(), "heuristic", params)


def _parameter(name: str, key: str) -> str:
    if key in _DEFAULTS:
        return key
    raise StrategyError(
        f"strategy {name}: unknown parameter '{key}' (there are {', '.join(_DEFAULTS)})"
    )


def _value(name: str, key: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise StrategyError(f"strategy {name}: {key.strip()}={text or '?'} is no number")
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
    strategy = resolve(name)
    summary, text = STRATEGY_TEXTS[name.partition(":")[0].strip()]
    parameters = tuple(
        Parameter(key, value, PARAMETER_TEXTS[key]) for key, value in strategy.params.items()
    )
    return Description(strategy.name, summary, text, parameters)
