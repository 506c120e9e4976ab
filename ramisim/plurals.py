"""Numbers with their nouns: one deal, two deals."""

from __future__ import annotations

from string import Formatter
from typing import Any

__all__ = ["counted", "filled", "plural"]


def plural(n: int) -> str:
    """The s of a noun of which there are `n`, in English and in French.

    Examples
    --------
    >>> f"card{plural(1)}", f"card{plural(2)}"
    ('card', 'cards')
    """
    return "s" if n > 1 else ""


def counted(n: int | str, one: str, many: str = "") -> str:
    """A number with its English noun, thousands apart.

    Parameters
    ----------
    n : int or str
        The number, or a text that shows it.
    one : str
        The noun of which there is one.
    many : str, optional
        The noun of several; by default `one` with an s.

    Examples
    --------
    >>> counted(1, "deal"), counted(1200, "deal"), counted(2, "match", "matches")
    ('1 deal', '1,200 deals', '2 matches')
    """
    number = n if isinstance(n, str) else f"{n:,}"
    return f"{number} {one if number == '1' else many or one + 's'}"


def filled(text: str, lang: str = "en", /, *given: Any, **values: Any) -> str:
    """A sentence with its gaps filled; a gap may hold the words for one and for several.

    Parameters
    ----------
    text : str
        As `str.format` takes it; in ``{n:# deal is|# deals are}`` the number stands for ``#``.
    lang : {"en", "fr"}
        In French, none is counted like one.
    *given, **values
        What the gaps are filled with; numbers may come formatted.

    Examples
    --------
    >>> [filled("after {n:# deal|# deals}", n=n) for n in (1, "1,200")]
    ['after 1 deal', 'after 1,200 deals']
    >>> filled("{n:# donne|# donnes}", "fr", n=0)
    '0 donne'
    """
    return _Filling(("0", "1") if lang == "fr" else ("1",)).format(text, *given, **values)


class _Filling(Formatter):
    def __init__(self, single: tuple[str, ...]) -> None:
        self._single = single

    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" not in format_spec:
            return str(super().format_field(value, format_spec))
        one, many = format_spec.split("|")
        number = str(value)
        return (one if number in self._single else many).replace("#", number)
