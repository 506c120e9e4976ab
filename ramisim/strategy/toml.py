"""A strategy as a TOML file: a base, and the numbers that differ."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path

from ramisim.errors import StrategyError
from ramisim.strategies import Strategy, resolve

__all__ = ["from_toml"]

_A_FILE = re.compile(r".+\.(py|toml)(:|$)")
_reading: list[Path] = []


def from_toml(name: str) -> Strategy:
    """The strategy of a TOML file.

    Parameters
    ----------
    name : str
        Path of the file: ``base = "careful"`` and ``danger = 0.7``, each parameter a line. A base
        that is a file stands relative to this one.

    Raises
    ------
    StrategyError
        No such file, no TOML, an unknown base or parameter, or files that name each other.
    """
    path = Path(name)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise StrategyError(f"strategy {name}: there is no such file") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StrategyError(f"strategy {name}: cannot read it: {reason}") from None
    except UnicodeDecodeError:
        raise StrategyError(f"strategy {name}: it is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise StrategyError(f"strategy {name}: {error}") from None
    base = table.pop("base", None)
    if not isinstance(base, str):
        raise StrategyError(f'strategy {name}: a line base = "..." names the strategy it changes')
    changes = {}
    for key, value in table.items():
        whole = isinstance(value, int | float) and not isinstance(value, bool)
        if not whole or not math.isfinite(value):
            raise StrategyError(f"strategy {name}: {key} = {value!r}: a number is needed")
        changes[key] = float(value)
    strategy = _base(path, base)
    try:
        return strategy.changed(name, changes)
    except StrategyError as error:
        raise StrategyError(f"{name}: {error}") from None


def _base(path: Path, base: str) -> Strategy:
    here = path.resolve()
    if here in _reading:
        raise StrategyError(f"strategy {path}: its bases name each other in a circle")
    beside = path.parent / base
    _reading.append(here)
    try:
        return resolve(str(beside) if _A_FILE.match(base) else base)
    finally:
        _reading.remove(here)
