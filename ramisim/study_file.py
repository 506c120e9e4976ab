"""Studies as TOML files: read, checked, and spread out into variants before anything is played.

```toml
base = "pool500"
deals = 1000

[factors]
opening.gate = ["until_first_hit", "none"]      # values: all combinations are played
score.pool = { from = 0, to = 60 }              # a range: Sobol points are played

[[line_ups]]
players = 2
strategies = ["greedy", "careful"]

[metrics]                                       # declared before anything is played
starter_points = { aim = "zero", smallest = 1.0 }
```
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any, Final

from ramisim.errors import StudyError
from ramisim.rules import Rules

__all__ = ["StudyFile", "read_study", "study_names", "study_text"]

STUDIES: Final = Path(__file__).parent / "studies"

_TOP: Final = (
    "name", "title", "question", "base", "deals", "seed", "set", "factors", "points", "line_ups",
    "metrics", "without",
)  # fmt: skip
_LINE_UP: Final = ("name", "players", "strategies", "design")
_METRIC: Final = ("aim", "smallest")
_RANGE: Final = ("from", "to")
AIMS: Final = ("low", "high", "zero")


class StudyFile:
    """A study as its file says it, checked field by field.

    Parameters
    ----------
    name : str
        Name of the study.
    tables : mapping
        The file as `tomllib` reads it.

    Raises
    ------
    StudyError
        An unknown key, a wrong type, nothing to vary, no line-up or no metric.
    """

    def __init__(self, name: str, tables: Mapping[str, Any]) -> None:
        self.name = _text(tables.get("name", name), f"study {name}: name")
        self.where = f"study {self.name}"
        _known(tables, _TOP, self.where)
        self.base = _text(tables.get("base"), f"{self.where}: base")
        self.title = _by_language(tables.get("title", {}), f"{self.where}: title")
        self.question = _by_language(tables.get("question", {}), f"{self.where}: question")
        self.deals = _whole(tables.get("deals", 1000), 2, f"{self.where}: deals")
        self.seed = _whole(tables.get("seed", 0), 0, f"{self.where}: seed")
        self.points = _whole(tables.get("points", 32), 2, f"{self.where}: points")
        self.fixed = _flat(_table(tables.get("set", {}), f"{self.where}: set"))
        self.values: dict[str, tuple[Any, ...]] = {}
        self.ranges: dict[str, tuple[int, int]] = {}
        self._read_factors(_table(tables.get("factors", {}), f"{self.where}: factors"))
        self.line_ups = self._line_ups(tables.get("line_ups", []))
        self.metrics = self._metrics(_table(tables.get("metrics", {}), f"{self.where}: metrics"))
        self.without = [
            _flat(_table(entry, f"{self.where}: without"))
            for entry in _list(tables.get("without", []), f"{self.where}: without")
        ]
        self._check_without()

    @property
    def factors(self) -> list[str]:
        """Rule keys that vary, in the order of the file."""
        return [key for key in self._order if key in self.values or key in self.ranges]

    def _read_factors(self, told: Mapping[str, Any]) -> None:
        self._order: list[str] = []
        for key, entry in _flat(told, leaves=_RANGE).items():
            where = f"{self.where}: factor {key}"
            self._order.append(key)
            if isinstance(entry, Mapping):
                _known(entry, _RANGE, where)
                low, high = (_whole(entry.get(end), None, f"{where}: {end}") for end in _RANGE)
                if low >= high:
                    raise StudyError(f"{where} runs from {low} to {high}: the first must be less")
                self.ranges[key] = low, high
                continue
            values = tuple(_list(entry, where))
            if len(values) < 2:
                raise StudyError(
                    f"{where} has {len(values) or 'no'} value{'s' * (len(values) != 1)}: "
                    "name two at least, or a range { from = ..., to = ... }"
                )
            if len(set(map(repr, values))) < len(values):
                raise StudyError(f"{where} names a value twice")
            self.values[key] = values
        if not self._order:
            raise StudyError(f"{self.where} varies nothing: name a rule key under [factors]")
        if self.ranges and self.points & (self.points - 1):
            raise StudyError(
                f"{self.where}: points is {self.points}: Sobol points come as a power of two"
            )

    def _line_ups(self, told: Any) -> list[dict[str, Any]]:
        found = []
        for i, entry in enumerate(_list(told, f"{self.where}: line_ups")):
            where = f"{self.where}: line-up {i + 1}"
            line_up = _table(entry, where)
            _known(line_up, _LINE_UP, where)
            strategies = [_text(s, where) for s in _list(line_up.get("strategies", []), where)]
            if not strategies:
                raise StudyError(f"{where} names no strategies")
            players = _whole(line_up.get("players", len(strategies)), 2, f"{where}: players")
            design = _text(line_up.get("design", "duplicate"), f"{where}: design")
            if design not in ("duplicate", "permute"):
                raise StudyError(f"{where}: design is {design}: duplicate or permute is allowed")
            name = _by_language(line_up.get("name", {}), f"{where}: name")
            found.append(
                {"strategies": strategies, "players": players, "design": design, "name": name}
            )
        if not found:
            raise StudyError(f"{self.where} names nobody who plays: add a table [[line_ups]]")
        return found

    def _metrics(self, told: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        from ramisim.analysis.metrics import METRICS

        for name, entry in told.items():
            if name not in METRICS:
                near = get_close_matches(name, METRICS, n=1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(METRICS)}"
                raise StudyError(f"{self.where}: unknown metric {name}: {hint}")
            where = f"{self.where}: metric {name}"
            _known(_table(entry, where), _METRIC, where)
            aim, smallest = entry.get("aim"), entry.get("smallest", 0)
            if aim is not None and aim not in AIMS and not _is_number(aim):
                raise StudyError(f"{where}: aim is {aim!r}: low, high, zero or a number is allowed")
            if not _is_number(smallest) or smallest < 0:
                raise StudyError(f"{where}: smallest is {smallest!r}: a number from 0 is allowed")
        if not told:
            raise StudyError(
                f"{self.where} declares no metric: name under [metrics] what it is about, before "
                "anything is played"
            )
        return {name: dict(entry) for name, entry in told.items()}

    def _check_without(self) -> None:
        for entry in self.without:
            for key, value in entry.items():
                if key not in self._order:
                    raise StudyError(f"{self.where}: without names {key}, which does not vary")
                if key in self.values and value not in self.values[key]:
                    raise StudyError(f"{self.where}: without {key} = {value!r}: no such level")


def read_study(name_or_path: str) -> StudyFile:
    """A study that ships, by name, or one of a user's TOML file.

    Raises
    ------
    StudyError
        No such study or file, or a file that is no study.
    """
    if not name_or_path.endswith(".toml"):
        return StudyFile(name_or_path, tomllib.loads(study_text(name_or_path)))
    path = Path(name_or_path)
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise StudyError(f"cannot read the study in {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise StudyError(f"{path} is no TOML file: it is not UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{path} is no TOML file: {error}") from error
    return StudyFile(path.stem, tables)


def study_names() -> list[str]:
    """Names of the studies that ship."""
    return sorted(path.stem for path in STUDIES.glob("*.toml"))


def study_text(name: str) -> str:
    """The file of a study that ships.

    Raises
    ------
    StudyError
        No such study.
    """
    names = study_names()
    if name not in names:
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        raise StudyError(f"unknown study {name}: {hint} (a file of your own ends in .toml)")
    return (STUDIES / f"{name}.toml").read_text(encoding="utf-8")


def reference_first(values: Sequence[Any], base: Rules, key: str) -> tuple[Any, ...]:
    """The levels, that of the base rules in front if it is among them."""
    own = [v for v in values if repr(v) == repr(base[key])]
    return (*own, *(v for v in values if repr(v) != repr(base[key])))


def _known(told: Mapping[str, Any], names: Iterable[str], where: str) -> None:
    for name in told:
        if name not in names:
            near = get_close_matches(name, list(names), n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
            raise StudyError(f"{where}: unknown key {name}: {hint}")


def _flat(
    tables: Mapping[str, Any], prefix: str = "", leaves: Sequence[str] = ()
) -> dict[str, Any]:
    """Nested tables by dotted key; a table that holds one of the leaves stays a table."""
    flat: dict[str, Any] = {}
    for name, entry in tables.items():
        if isinstance(entry, Mapping) and not any(leaf in entry for leaf in leaves):
            flat.update(_flat(entry, f"{prefix}{name}.", leaves))
        else:
            flat[prefix + name] = entry
    return flat


def _table(told: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(told, Mapping):
        raise StudyError(f"{where} is {told!r}: a table is needed")
    return told


def _list(told: Any, where: str) -> list[Any]:
    if not isinstance(told, list):
        raise StudyError(f"{where} is {told!r}: a list is needed")
    return told


def _text(told: Any, where: str) -> str:
    if not isinstance(told, str) or not told:
        raise StudyError(f"{where} is {'missing' if told is None else repr(told)}: write a name")
    return told


def _whole(told: Any, least: int | None, where: str) -> int:
    if isinstance(told, bool) or not isinstance(told, int) or (least is not None and told < least):
        found = "missing" if told is None else repr(told)
        bound = "" if least is None else f" from {least}"
        raise StudyError(f"{where} is {found}: a whole number{bound} is needed")
    return told


def _is_number(told: Any) -> bool:
    return isinstance(told, int | float) and not isinstance(told, bool) and isfinite(told)


def _by_language(told: Any, where: str) -> dict[str, str]:
    if isinstance(told, str):
        return {"en": told, "fr": told}
    table = _table(told, where)
    _known(table, ("en", "fr"), where)
    return {lang: _text(text, where) for lang, text in table.items()}
