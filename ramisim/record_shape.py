"""What a game record is made of (contracts 5): which field of which line is missing or wrong.

Nothing is played here: `ramisim.verifying` replays what has the right shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from ramisim.cards import parse_hand
from ramisim.errors import CardError, RecordError
from ramisim.told import told
from ramisim.whole import whole

__all__ = ["check_header", "check_last_line", "check_round", "check_turn", "read_cards"]

Line = Mapping[str, Any]
_ENDS: Final = ("out", "stock", "blocked", "tours", "stall")


class _Kind(NamedTuple):
    """What a field may hold: in words, and as a test."""

    words: str
    fits: Callable[[Any], bool]


def _list_of(words: str, fits: Callable[[Any], bool]) -> _Kind:
    def all_fit(value: Any) -> bool:
        return isinstance(value, list | tuple) and all(fits(one) for one in value)

    return _Kind(f"a list of {words}", all_fit)


def _is_number(value: Any) -> bool:
    return whole(value) is not None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _seat(n: int) -> _Kind:
    return _Kind(f"a seat, 0 to {n - 1},", lambda value: whole(value) in range(n))


_NUMBER: Final = _Kind("a whole number", _is_number)
_COUNT: Final = _Kind(
    "a whole number from 0 on", lambda value: (found := whole(value)) is not None and found >= 0
)
_TEXT: Final = _Kind("a text", _is_text)
_OBJECT: Final = _Kind("an object", _is_object)
_NUMBERS: Final = _list_of("whole numbers", _is_number)
_CARDS: Final = _Kind("a list of cards", _is_list)
_FLAG: Final = _Kind("true or false", lambda value: isinstance(value, bool))

_HEADER: Final = {
    "rules": _Kind("the name of a preset or the path of a TOML file", _is_text),
    "players": _NUMBER,
    "strategies": _list_of("names", _is_text),
}
# Not needed to replay a game; what is given is of the right kind.
_HEADER_OPTIONAL: Final = {
    "engine": _TEXT,
    "override": _Kind("an object, values by key,", _is_object),
    "seed": _COUNT,
    "deal": _COUNT,
    "rotation": _COUNT,
}
_DEALT: Final = {
    "hands": _list_of("hands, each a list of cards,", _is_list),
    "discard": _CARDS,
    "stock": _CARDS,
    "turns": _list_of("objects", _is_object),
}
_CLOSED: Final = {
    "end": _Kind(f"one of {', '.join(_ENDS)}", lambda value: _is_text(value) and value in _ENDS),
    "out": _list_of("seats", _is_number),
    "rami": _FLAG,
    "points": _NUMBERS,
    "totals": _NUMBERS,
}


def _check(line: Line, fields: Mapping[str, _Kind], where: str, needed: bool = True) -> None:
    for name, kind in fields.items():
        if name not in line:
            if needed:
                raise RecordError(f"{where}: '{name}' is missing: {kind.words} is needed")
        elif not kind.fits(line[name]):
            raise RecordError(f"{where}: '{name}' is {told(line[name])}: {kind.words} is needed")


def check_header(line: Line) -> None:
    """Refuse a first line that lacks a field, or holds one of the wrong type.

    Raises
    ------
    RecordError
        Which field, what it holds, and what is needed.
    """
    if whole(line.get("record")) != 1:
        raise RecordError("a game begins with a line whose 'record' is 1")
    _check(line, _HEADER, "the first line")
    _check(line, _HEADER_OPTIONAL, "the first line", needed=False)


def check_round(line: Line, n: int, where: str, stopped: bool) -> None:
    """Refuse a round of ``n`` seats that lacks a field, or holds one of the wrong type.

    A round in which the game was ``stopped`` has no end, and no points.

    Raises
    ------
    RecordError
        Which field, what it holds, and what is needed.
    """
    _check(line, {"round": _NUMBER, "first_seat": _seat(n), **_DEALT}, where)
    if not stopped:
        _check(line, _CLOSED, where)


def check_turn(turn: Line, n: int, where: str) -> None:
    """Refuse an entry of ``turns`` that is neither a turn nor a recycling.

    Raises
    ------
    RecordError
        Which field, what it holds, and what is needed.
    """
    if "recycle" not in turn:
        _check(turn, {"seat": _seat(n), "actions": _list_of("objects", _is_object)}, where)
        return
    _check(turn, {"recycle": _CARDS}, where)
    if "seat" in turn or "actions" in turn:
        raise RecordError(f"{where}: 'recycle' stands alone, between two turns")


def check_last_line(line: Line, n: int) -> None:
    """Refuse a last line, of a game played or stopped, with a field missing or wrong.

    Raises
    ------
    RecordError
        Which field, what it holds, and what is needed.
    """
    if line.get("end") == "refused":
        _check(line, {"seat": _seat(n), "reason": _TEXT}, "the last line")
    elif line.get("end") == "game":
        _check(
            line, {"totals": _NUMBERS, "winners": _list_of("seats", _is_number)}, "the last line"
        )
    else:
        raise RecordError("the record has no end line: its 'end' is game, or refused")


def read_cards(cards: Any, where: str) -> list[int]:
    """The card ids of a list of cards.

    Raises
    ------
    RecordError
        One is no card.
    """
    try:
        return parse_hand(cards)
    except CardError as error:
        raise RecordError(f"{where}: {error}") from None
