"""Actions between their two spellings: the contract's dicts and the kernels' rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ramisim.cards import JOKER, JOKER_AS, card_name, parse_card
from ramisim.errors import IllegalAction
from ramisim.kernels import state
from ramisim.told import told

__all__ = ["Action", "action_of_row", "actions_of_rows", "rows_of_action"]

Action = dict[str, Any]
Rows = npt.NDArray[np.int16]

_CARDS: Final = 4
_MELD_NAME: Final = re.compile("M[1-9][0-9]*")
_TYPES: Final = {"set": state.SET, "run": state.RUN}
_FIELDS: Final = {
    "draw_stock": (),
    "draw_discard": ("n",),
    "lay": ("type", "cards"),
    "open": ("melds",),
    "lay_off": ("meld", "cards"),
    "swap": ("meld", "card", "joker"),
    "discard": ("card",),
}


def _row(op: int, a: int = 0, b: int = 0, n: int = 0, cards: Sequence[int] = ()) -> Rows:
    row = np.zeros((1, state.ROW), np.int16)
    row[0, :4] = (op, a, b, n)
    row[0, _CARDS : _CARDS + len(cards)] = cards
    return row


def _codes(cards: Any) -> list[int]:
    if not isinstance(cards, Sequence) or isinstance(cards, str) or not cards:
        raise IllegalAction(f"cards {told(cards)}: a list of cards is needed")
    if len(cards) > state.MELD_SIZE:
        raise IllegalAction(f"{len(cards)} cards in one meld: at most {state.MELD_SIZE}")
    codes = [parse_card(text) for text in cards]
    if JOKER in codes:
        raise IllegalAction("a joker that is laid says what it stands for, as in Jk=7H")
    return codes


def _meld_row(op: int, meld: Any, last: bool) -> Rows:
    kind = meld.get("type") if isinstance(meld, Mapping) else None
    if not isinstance(kind, str) or kind not in _TYPES:
        raise IllegalAction(f"meld {told(meld)}: 'type' set or run, and 'cards'")
    codes = _codes(meld.get("cards"))
    return _row(op, _TYPES[kind], int(last), len(codes), codes)


def _meld_index(name: Any) -> int:
    if isinstance(name, str) and _MELD_NAME.fullmatch(name):
        # Four digits are more than any table holds, and no number is too long to be read.
        return min(int(name[1:5]), state.MAX_MELDS + 1) - 1
    raise IllegalAction(f"meld {told(name)}: M1, M2, ... as on the table")


def rows_of_action(action: Mapping[str, Any], table: np.void) -> Rows:
    """The rows of an action dict: one, or one for each meld of an opening.

    Parameters
    ----------
    action : mapping
        As in contracts 3.
    table : numpy.void
        SEEN record: says where in its meld the joker of a swap stands.

    Raises
    ------
    IllegalAction
        The dict is not an action: an unknown op, a missing field, an unknown card.
    """
    if not isinstance(action, Mapping):
        raise IllegalAction(f"{told(action)} is no action: an object with its 'op' is needed")
    if "op" not in action:
        raise IllegalAction(f"'op' is missing: one of {', '.join(_FIELDS)}")
    op = action["op"]
    if not isinstance(op, str) or op not in _FIELDS:
        raise IllegalAction(f"op {told(op)}: one of {', '.join(_FIELDS)}")
    missing = [name for name in _FIELDS[op] if name not in action]
    if missing:
        raise IllegalAction(f"action {op}: field '{missing[0]}' is missing")
    if op == "draw_stock":
        return _row(state.DRAW_STOCK)
    if op == "draw_discard":
        n = action["n"]
        if not isinstance(n, int) or isinstance(n, bool) or not 0 < n <= state.MAX_DECK:
            raise IllegalAction(f"n {told(n)}: the number of cards to take, 1 or more")
        return _row(state.DRAW_DISCARD, n=n)
    if op == "lay":
        return _meld_row(state.LAY, action, False)
    if op == "open":
        return _opening_rows(action["melds"])
    if op == "lay_off":
        end = action.get("end", "high")
        if not isinstance(end, str) or end not in ("low", "high"):
            raise IllegalAction(f"end {told(end)}: low or high, or left out")
        codes = _codes(action["cards"])
        return _row(
            state.LAY_OFF, _meld_index(action["meld"]), int(end == "high"), len(codes), codes
        )
    if op == "swap":
        return _swap_row(action, table)
    card = action["card"]
    return _row(state.DISCARD, n=int(card is not None), cards=[_plain_card(card)])


def _plain_card(card: Any) -> int:
    if card is None:
        return state.NONE
    code = parse_card(card)
    if code >= JOKER_AS:
        raise IllegalAction(f"card {card}: a card of the hand, a joker is Jk")
    return code


def _opening_rows(melds: Any) -> Rows:
    if not isinstance(melds, Sequence) or isinstance(melds, str) or not melds:
        raise IllegalAction("melds: a list of at least one meld")
    if len(melds) > state.MAX_MELDS:
        raise IllegalAction(f"{len(melds)} melds in one opening: at most {state.MAX_MELDS}")
    rows = [_meld_row(state.OPEN, meld, k == len(melds) - 1) for k, meld in enumerate(melds)]
    return np.concatenate(rows)


def _swap_row(action: Mapping[str, Any], table: np.void) -> Rows:
    m = _meld_index(action["meld"])
    joker = parse_card(action["joker"])
    place = state.NONE
    if m < table["n_melds"]:
        cards = table["meld_card"][m][: table["meld_size"][m]].tolist()
        # Of two jokers that stand for the same card the first is taken (ruling D10).
        place = cards.index(joker) if joker >= JOKER_AS and joker in cards else state.NONE
    card = _plain_card(action["card"])
    if card in (JOKER, state.NONE):
        raise IllegalAction(f"card {told(action['card'])}: a swap needs the natural card")
    return _row(state.SWAP, m, place, 1, [card])


def _names(row: npt.NDArray[Any]) -> list[str]:
    return [card_name(int(code)) for code in row[_CARDS : _CARDS + int(row[3])]]


def _meld_dict(row: npt.NDArray[Any]) -> Action:
    return {"type": "run" if row[1] == state.RUN else "set", "cards": _names(row)}


def action_of_row(row: npt.NDArray[Any], table: np.void) -> Action:
    """The dict of one row (an opening with one meld for a row of an opening)."""
    op = int(row[0])
    if op == state.DRAW_STOCK:
        return {"op": "draw_stock"}
    if op == state.DRAW_DISCARD:
        return {"op": "draw_discard", "n": int(row[3])}
    if op == state.LAY:
        return {"op": "lay", **_meld_dict(row)}
    if op == state.OPEN:
        return {"op": "open", "melds": [_meld_dict(row)]}
    if op == state.LAY_OFF:
        m = int(row[1])
        action: Action = {"op": "lay_off", "meld": f"M{m + 1}", "cards": _names(row)}
        if table["meld_type"][m] == state.RUN:
            action["end"] = "high" if row[2] == state.HIGH else "low"
        return action
    if op == state.SWAP:
        m = int(row[1])
        joker = int(table["meld_card"][m][int(row[2])])
        card = card_name(int(row[_CARDS]))
        return {"op": "swap", "meld": f"M{m + 1}", "card": card, "joker": card_name(joker)}
    card_id = int(row[_CARDS])
    return {"op": "discard", "card": None if card_id == state.NONE else card_name(card_id)}


def actions_of_rows(rows: npt.NDArray[Any], tables: Sequence[np.void]) -> list[Action]:
    """The dicts of a sequence of rows; rows of one opening become one action.

    ``tables[i]`` is the table as it stood before row i.
    """
    actions: list[Action] = []
    opening: list[Action] = []
    for row, table in zip(rows, tables, strict=True):
        if row[0] == state.OPEN:
            opening.append(_meld_dict(row))
            if row[2]:
                actions.append({"op": "open", "melds": opening})
                opening = []
            continue
        actions.append(action_of_row(row, table))
    return actions
