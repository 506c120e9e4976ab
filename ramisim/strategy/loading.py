"""Loading strategies from the user's files and from the entry points of packages."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ramisim.errors import RamisimError, StrategyError
from ramisim.strategies import Strategy
from ramisim.strategy.declare import QUESTIONS, Declared
from ramisim.strategy.user import PlainStrategy, UserStrategy, of_object

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["from_entry_point", "from_file", "module_of"]

_loaded: dict[Path, tuple[str, ModuleType]] = {}


def from_file(text: str, path: str, name: str | None) -> Strategy:
    """The strategy of a Python file.

    Parameters
    ----------
    text : str
        As it was asked for, ``mine.py:hunter``.
    path : str
        The file.
    name : str or None
        Variable in it; not needed where the file has one strategy only.

    Raises
    ------
    StrategyError
        No such file or variable, a file that cannot be run, or an object that is no strategy.
    """
    module, digest = module_of(text, Path(path))
    there = {key: value for key, value in vars(module).items() if _is_strategy(value, module)}
    if not name:
        if len(there) != 1:
            names = ", ".join(there) or "none"
            raise StrategyError(f"strategy {text}: name one as {path}:NAME (there are {names})")
        name = next(iter(there))
    if not hasattr(module, name):
        names = ", ".join(there) or "none"
        raise StrategyError(f"{path} has no strategy '{name}' (there are {names})")
    strategy = _seatable(getattr(module, name), text)
    if isinstance(strategy, UserStrategy):
        return replace(strategy, file=path, family=f"user {name}", digest=digest)
    return replace(strategy, digest=digest) if isinstance(strategy, PlainStrategy) else strategy


def _seatable(found: Any, text: str) -> Strategy:
    try:
        return of_object(found, text)
    except StrategyError as error:
        said = str(error)
        raise StrategyError(said if text in said else f"strategy {text}: {said}") from None


def _is_strategy(value: Any, module: ModuleType) -> bool:
    """What a file offers: what it declares, and its own classes and objects with the methods."""
    if isinstance(value, Declared):
        return True
    kind = value if isinstance(value, type) else type(value)
    own = kind.__module__ == module.__name__
    return own and any(callable(getattr(value, question, None)) for question in QUESTIONS)


def module_of(text: str, path: Path) -> tuple[ModuleType, str]:
    """Run a user's file once for each version of it; the module, and a digest of that version.

    Modules of the same folder that it imports are part of the digest.
    """
    try:
        code = path.read_bytes()
    except FileNotFoundError:
        raise StrategyError(f"strategy {text}: there is no file {path}") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StrategyError(f"strategy {text}: cannot read {path}: {reason}") from None
    where = path.resolve()
    known = _loaded.get(where)
    if known is not None and known[0] == _digest(code, known[1], where):
        return known[1], known[0]
    module = _run(text, path, where, code)
    digest = _digest(code, module, where)
    _loaded[where] = (digest, module)
    return module, digest


def _run(text: str, path: Path, where: Path, code: bytes) -> ModuleType:
    name = "ramisim_user_" + re.sub(r"\W", "_", where.stem)
    name += "_" + hashlib.sha256(str(where).encode()).hexdigest()[:8]
    spec = importlib.util.spec_from_file_location(name, where)
    if spec is None:
        raise StrategyError(f"strategy {text}: {path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where pickle looks for classes of the file
    try:
        with _importing_from(where.parent):
            exec(compile(code, str(where), "exec"), vars(module))
    except SyntaxError as error:
        line = f", line {error.lineno}" if error.lineno else ""
        raise StrategyError(f"strategy {text}: {path}{line}: {error.msg}") from None
    except RamisimError as error:
        raise StrategyError(f"strategy {text}: {path}{_line(error, where)}: {error}") from None
    except (Exception, SystemExit) as error:  # whatever a user's file may raise
        reason = f"{type(error).__name__}: {error}"
        raise StrategyError(f"strategy {text}: {path}{_line(error, where)}: {reason}") from None
    return module


def _line(error: BaseException, where: Path) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(where)]
    return f", line {lines[-1]}" if lines else ""


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Let a file import its neighbours, as it could if it were run by itself."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _digest(code: bytes, module: ModuleType, where: Path) -> str:
    digest = hashlib.sha256(code)
    for neighbour in sorted(_neighbours(module, where)):
        digest.update(neighbour.read_bytes())
    return digest.hexdigest()[:16]


def _neighbours(module: ModuleType, where: Path) -> set[Path]:
    """Files of the same folder, and below, that modules in use come from, reached from a module."""
    found: set[Path] = set()
    waiting = [module]
    while waiting:
        for value in list(vars(waiting.pop()).values()):
            home = value.__name__ if isinstance(value, ModuleType) else _home(value)
            other = sys.modules.get(home)
            file = getattr(other, "__file__", None)
            if other is None or file is None or not file.endswith(".py"):
                continue
            path = Path(file).resolve()
            if path != where and path not in found and _is_neighbour(home, path, where.parent):
                found.add(path)
                waiting.append(other)
    return found


def _is_neighbour(name: str, path: Path, folder: Path) -> bool:
    """Whether a module is the user's own: not an environment that lies in the folder, nor us."""
    if not path.is_relative_to(folder) or name.partition(".")[0] == "ramisim":
        return False
    return not any(
        part.startswith(".") or part == "site-packages" for part in path.relative_to(folder).parts
    )


def _home(value: Any) -> str:
    home = getattr(value, "__module__", "")
    return home if isinstance(home, str) else ""


def from_entry_point(point: EntryPoint) -> Strategy:
    """The strategy that an installed package declares.

    Raises
    ------
    StrategyError
        A package that cannot be imported, or an object that is no strategy.
    """
    try:
        found = point.load()
    except (Exception, SystemExit) as error:  # whatever a package may raise
        reason = f"{type(error).__name__}: {error}"
        raise StrategyError(f"strategy {point.name}: {point.value}: {reason}") from None
    strategy = _seatable(found, point.name)
    if isinstance(strategy, UserStrategy):
        file = getattr(sys.modules.get(point.module), "__file__", "") or ""
        return replace(strategy, file=file, family=f"user {point.name}")
    return strategy
