"""Words and numbers of a report in one language."""

from __future__ import annotations

import math
import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, TypeAlias

from ramisim.plurals import filled

__all__ = ["LANGUAGES", "Language", "Words"]

Language: TypeAlias = Literal["en", "fr"]
LANGUAGES: Final = ("en", "fr")

_NARROW = "\N{NARROW NO-BREAK SPACE}"
_NO_BREAK = "\N{NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"
_FRENCH: Final = re.compile(r" (?=[:;?!»])|(?<=«) ")
"""Blanks at which French never breaks a line."""


class Words:
    """Sentences and number formats of a language.

    Parameters
    ----------
    lang : {"en", "fr"}
    plain : bool
        ASCII minus and plain blanks, for text that is pasted or shown in any terminal.
    """

    def __init__(self, lang: Language = "en", plain: bool = False) -> None:
        if lang not in LANGUAGES:
            raise ValueError(f"language {lang!r} is not one of {', '.join(LANGUAGES)}")
        self.lang: Language = lang
        self._decimal = "," if lang == "fr" else "."
        self._thousand = (" " if plain else _NARROW) if lang == "fr" else ","
        self._space = " " if plain else _NO_BREAK
        self._minus = "-" if plain else _MINUS
        self._tight = lang == "fr" and not plain

    def __call__(self, key: str, **values: Any) -> str:
        """Return the sentence ``table.key`` with its gaps filled."""
        table, _, name = key.partition(".")
        text = _texts()[table][name][self.lang]
        if self._tight:
            text = _FRENCH.sub(_tied, text)
        return filled(text, self.lang, **values)

    def known(self, key: str) -> bool:
        """Whether there is such a sentence."""
        table, _, name = key.partition(".")
        return name in _texts().get(table, {})

    def num(self, x: float | None, digits: int = 1, sign: bool = False) -> str:
        """Return a number with so many decimals; a dash for None."""
        if x is None or not math.isfinite(x):
            return "–" if self._minus == _MINUS else "-"
        rounded = round(x, digits) + 0.0
        text = f"{abs(rounded):,.{digits}f}".replace(",", "\0").replace(".", self._decimal)
        mark = self._minus if rounded < 0 else "+" if sign and rounded > 0 else ""
        return mark + text.replace("\0", self._thousand)

    def count(self, n: int) -> str:
        """Return a whole number with its thousands apart."""
        return self.num(n, 0)

    def pct(self, x: float | None, digits: int = 1, sign: bool = False) -> str:
        """Return a share as per cent."""
        return self.num(None if x is None else 100 * x, digits, sign) + self._space + "%"

    def p(self, p: float | None) -> str:
        """Return a p-value."""
        if p is not None and p < 0.0001:
            return f"< {self.num(0.0001, 4)}"
        return self.num(p, 4)

    def level(self, level: float) -> str:
        """Return the level of an interval, such as 95 %."""
        return self.pct(level, 0 if round(100 * level, 6) == round(100 * level) else 1)

    def digits(self, *values: float | None) -> int:
        """Return decimals that show values of this size with at least two figures."""
        largest = max((abs(v) for v in values if v is not None and math.isfinite(v)), default=1.0)
        return 1 if largest >= 1 or largest == 0 else min(4, 1 - math.floor(math.log10(largest)))


def _tied(blank: re.Match[str]) -> str:
    sign = blank.string[blank.end() : blank.end() + 1]
    return _NARROW if sign in ";?!" and sign else _NO_BREAK


@cache
def _texts() -> dict[str, dict[str, dict[str, str]]]:
    """Every ``words*.toml`` of this folder; a table may be spread over several of them."""
    texts: dict[str, dict[str, dict[str, str]]] = {}
    folder = resources.files("ramisim.analysis.report")
    for file in sorted(folder.iterdir(), key=lambda f: f.name):
        if not (file.name.startswith("words") and file.name.endswith(".toml")):
            continue
        for table, rows in tomllib.loads(file.read_text(encoding="utf-8")).items():
            known = texts.setdefault(table, {})
            if twice := known.keys() & rows.keys():
                raise ValueError(f"{file.name} says {table}.{min(twice)} a second time")
            known.update(rows)
    return texts
