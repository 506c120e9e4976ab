"""Rule sets: presets, users' files and overrides, checked key by key.

>>> from ramisim.rules import Rules
>>> rules = Rules.load("rami51", {"opening.points": 40})
>>> rules["opening.points"], rules["deal.hand_size"], rules.base
(40, 13, 'rami51')
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from ramisim.errors import RulesError
from ramisim.plurals import counted, filled
from ramisim.rules_keys import KEYS, Value, known_key
from ramisim.whole import whole

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Rules", "parse_settings", "preset_names", "preset_text"]

PRESETS: Final = Path(__file__).parent / "presets"
_FAMILIES: Final = (
    "rami500", "rami500-200", "rami500-quick", "rami500-5p", "rami",
    "pool500", "pool300", "pool500-cutthroat", "rami51",
)  # fmt: skip


def preset_names() -> list[str]:
    """Names of the presets, family by family."""
    return list(_names())


@cache
def _names() -> tuple[str, ...]:
    found = {path.stem for path in PRESETS.glob("*.toml")}
    return tuple(sorted(found, key=lambda name: (*_FAMILIES, name).index(name)))


def preset_text(name: str) -> str:
    """The file of a preset, with the sentence behind each value as a comment.

    Raises
    ------
    RulesError
        No such preset.
    """
    if name not in preset_names():
        raise RulesError(_unknown_preset(name))
    return (PRESETS / f"{name}.toml").read_text(encoding="utf-8")


def parse_settings(texts: Iterable[str]) -> dict[str, Value]:
    """Read overrides of the form ``opening.points=40``, as given to ``--set``.

    Parameters
    ----------
    texts : iterable of str
        Dotted key, ``=``, and a number, ``true``, ``false`` or a word.

    Returns
    -------
    dict
        Checked values by key; of a key given twice the last one holds.

    Raises
    ------
    RulesError
        No ``=``, an unknown key, or a value that is not allowed.
    """
    settings: dict[str, Value] = {}
    for text in texts:
        name, equals, word = (part.strip() for part in text.partition("="))
        if not equals:
            raise RulesError(f"{text!r} is no setting: write key=value, like opening.points=40")
        value = _literal(word)
        settings[name] = known_key(name, value).check(value)
    return settings


def _literal(word: str) -> Value:
    if word in ("true", "false"):
        return word == "true"
    if word.removeprefix("-").isdecimal():
        return int(word)
    return word.strip("\"'")


@dataclass(frozen=True)
class Rules:
    """One rule set: a value for every key.

    Make one with `Rules.load` or `Rules.from_toml`. Two rule sets are equal when all their
    values are, whatever their names.

    Parameters
    ----------
    name : str
        Name of the preset, or of the user's file.
    base : str
        The preset that `override` is relative to: ``Rules.load(base, override)`` gives the same
        rules again. Game records and manifests hold these two.
    override : mapping of str to int, bool or str
        The keys that were given beside the base, as they were given.
    values : mapping of str to int, bool or str
        Every key of the contract, in its order.
    """

    name: str = field(compare=False)
    base: str = field(compare=False)
    override: Mapping[str, Value] = field(compare=False)
    values: Mapping[str, Value] = field(hash=False)

    @classmethod
    def load(cls, name_or_path: str | Path, override: Mapping[str, Any] | None = None) -> Rules:
        """Load a preset or a user's TOML file, and change some of its keys.

        Parameters
        ----------
        name_or_path : str or Path
            Name of a preset, or path of a file that ends in ``.toml``.
        override : mapping, optional
            Values by dotted key, or nested as in a file.

        Raises
        ------
        RulesError
            An unknown preset or key, a value that is not allowed, or a deal that the packs
            do not hold.
        """
        if not isinstance(name_or_path, str | Path):
            raise RulesError(f"rules {name_or_path!r}: a preset's name, or a TOML file's path")
        if not isinstance(override, Mapping | None):
            raise RulesError(f"override {override!r}: values by key, like opening.points = 40")
        changes = _flat(override or {})
        if str(name_or_path) in preset_names():
            name = str(name_or_path)
            return cls._checked(name, name, changes)
        path = Path(name_or_path)
        if path.suffix != ".toml":
            raise RulesError(_unknown_preset(str(name_or_path)))
        rules = cls.from_toml(_read(path), name=path.stem, where=str(path))
        if not changes:
            return rules
        return cls._checked(rules.name, rules.base, {**rules.override, **changes})

    @classmethod
    def from_toml(cls, text: str, name: str = "custom", where: str = "the rules") -> Rules:
        """Read rules from the text of a TOML file.

        Parameters
        ----------
        text : str
            Tables and keys of the contract; ``base`` names the preset that gives what is left
            out. Without a base every key must stand there.
        name : str
            Name of the rules, unless the text has a ``name`` of its own.
        where : str
            Where the text comes from, for messages.

        Raises
        ------
        RulesError
            No TOML, an unknown base or key, or a value that is not allowed.
        """
        if not isinstance(text, str):
            raise RulesError(f"{where}: the text of a TOML file is needed, not {text!r:.40}")
        try:
            tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise RulesError(f"{where} is no TOML file: {error}") from error
        base, name = tables.pop("base", None), tables.pop("name", name)
        if not isinstance(name, str) or not isinstance(base, str | None):
            raise RulesError(f"{where}: name and base are texts in quotation marks")
        override = _flat(tables)
        if base is None:
            lacking = [key for key in KEYS if key not in override]
            if lacking:
                raise RulesError(
                    f"{where} lacks {lacking[0]}" + _and_more(len(lacking) - 1)
                    + ': give every key, or a preset to start from, like base = "rami500"'
                )  # fmt: skip
            base = _FAMILIES[0]
        if base not in preset_names():
            raise RulesError(f"{where}: base: {_unknown_preset(base)}")
        return cls._checked(name, base, override)

    @classmethod
    def _checked(cls, name: str, base: str, override: dict[str, Value]) -> Rules:
        given = {key: known_key(key, value).check(value) for key, value in override.items()}
        values = {**_preset_values(base), **given}
        _check_together(values)
        return cls(name, base, MappingProxyType(given), MappingProxyType(values))

    def __getitem__(self, key: str) -> Value:
        return self.values[known_key(key).name]

    def __hash__(self) -> int:
        return hash(tuple(self.values.values()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.name, self.base, dict(self.override))

    def number(self, key: str) -> int:
        """The value of a number or a flag, as an integer."""
        return int(self[key])

    @property
    def deck_size(self) -> int:
        """Number of cards in play, jokers included."""
        return 52 * self.number("deck.packs") + self.number("deck.jokers")

    def check_players(self, n: int) -> None:
        """Refuse a number of players that the rules do not seat.

        Raises
        ------
        RulesError
            Fewer than ``players.min`` or more than ``players.max``.
        """
        low, high = self.number("players.min"), self.number("players.max")
        if whole(n) is None or not low <= n <= high:
            seats = f"{low}" if low == high else f"{low} to {high}"
            raise RulesError(f"{self.name} is played by {seats} players, not by {n}")

    def record(self) -> np.void:
        """The rules as the kernels hold them: dtype `ramisim.kernels.state.RULES`."""
        return self._record

    @cached_property
    def _record(self) -> np.void:
        import numpy as np

        from ramisim.kernels.state import RULES

        record = np.zeros(1, dtype=RULES)
        for key in KEYS.values():
            record[key.field] = key.code(self.values[key.name])
        return record[0]  # type: ignore[no-any-return]

    def differences(self, other: Rules) -> dict[str, tuple[Value, Value]]:
        """The keys in which two rule sets differ, with the value of each."""
        return {
            key: (self.values[key], other.values[key])
            for key in KEYS
            if self.values[key] != other.values[key]
        }

    def to_toml(self, full: bool = False) -> str:
        """The rules as a TOML file that `from_toml` reads.

        Parameters
        ----------
        full : bool
            Every key, instead of the base and what differs from it.
        """
        lines = [f"name = {_toml_value(self.name)}", f"base = {_toml_value(self.base)}"]
        table = ""
        for key, value in (self.values if full else _in_order(self.override)).items():
            head, _, tail = key.partition(".")
            if head != table:
                table = head
                lines += ["", f"[{table}]"]
            lines.append(f"{tail} = {_toml_value(value)}")
        return "\n".join(lines) + "\n"


def _restore(name: str, base: str, override: dict[str, Value]) -> Rules:
    return Rules._checked(name, base, override)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise RulesError(f"{path} is no TOML file: it is not UTF-8 text") from error
    except OSError as error:
        raise RulesError(f"cannot read the rules in {path}: {error.strerror}") from error


def _flat(tables: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in tables.items():
        path = f"{prefix}{name}"
        # An empty table is one only where there are keys below it: match = {}, not match.target.
        if isinstance(value, Mapping) and (value or any(k.startswith(f"{path}.") for k in KEYS)):
            flat.update(_flat(value, f"{path}."))
        else:
            flat[path] = value
    return flat


@cache
def _preset_values(name: str) -> Mapping[str, Value]:
    tables = tomllib.loads(preset_text(name))
    base = tables.pop("base", None)
    del tables["name"]
    values = {key: known_key(key).check(value) for key, value in _flat(tables).items()}
    if base is not None:
        values = {**_preset_values(base), **values}
    return MappingProxyType(_in_order(values))


def _in_order(values: Mapping[str, Value]) -> dict[str, Value]:
    return {key: values[key] for key in KEYS if key in values}


def _check_together(values: Mapping[str, Value]) -> None:
    """Refuse values that are allowed one by one and impossible together."""
    low, high = int(values["players.min"]), int(values["players.max"])
    if low > high:
        raise RulesError(
            f"players.min = {low}, players.max = {high}: the first may not be the larger"
        )
    packs, jokers = int(values["deck.packs"]), int(values["deck.jokers"])
    size, upcard = int(values["deal.hand_size"]), int(values["deal.upcard"])
    deck = 52 * packs + jokers
    # One card at least must be left to draw: a longer draw in tour 1 takes what is there.
    need = high * size + upcard + 1
    if need > deck:
        most = filled("{0:# card each is|# cards each are}", "en", (deck - upcard - 1) // high)
        raise RulesError(
            f"deal.hand_size = {size} cannot be dealt to players.max = {high}: that takes {need}"
            f" cards with {'the upcard and ' * upcard}one to draw, and"
            f" deck.packs = {packs} with deck.jokers = {jokers} are {deck}; at most {most} allowed"
        )
    if not values["match.target"] and not values["match.max_rounds"]:
        raise RulesError(
            "match.target = 0 and match.max_rounds = 0: a match would never end, one of them"
            " must be above 0"
        )


def _toml_value(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)


def _and_more(n: int) -> str:
    return f" and {counted(n, 'more key')}" if n else ""


def _unknown_preset(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, preset_names(), n=1)
    hint = f"did you mean {near[0]}?" if near else "presets are " + ", ".join(preset_names())
    return f"unknown rules {name}: {hint} (a file of your own ends in .toml)"
