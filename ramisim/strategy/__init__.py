"""Writing a strategy: the one place that a user's file imports from.

``strategy`` declares one and ``helper`` compiles a function that it calls; everything else here
is a service, a number, or a word for one. See ``docs/adding-a-strategy.md``, or let
``ramisim strategies --new mine.py`` write a file to begin with.

Importing this package compiles nothing; the services bring the kernels when they are first named.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from ramisim.strategy.declare import Declared, helper, strategy

if TYPE_CHECKING:
    from ramisim.kernels.public import (
        add_card,
        best_discard,
        best_melds,
        best_play,
        best_value,
        copies_held,
        fits_table,
        hand_value,
        lays_off,
        legal_actions,
        live_cards,
        pick,
        remove_card,
        take_values,
        unseen_copies,
    )
    from ramisim.strategy.numbers import cards_of

STOCK: Final = 0
"""The answer of ``draw`` that takes the stock; n > 0 takes the n uppermost discards."""
NONE: Final = -1
"""No card: the answer of ``discard`` that throws nothing, where the rules allow it."""
JOKER: Final = 52
"""Card id of a joker; the others are ``suit * 13 + rank``, suits C D H S, ranks from the ace."""
POINTS, SCORE, DEADWOOD, CARDS = range(4)
"""Objectives: points laid this turn; those less the value of the hand afterwards; that value
alone, negative; cards that leave the hand."""
NOTHING: Final = -(1 << 28)
"""The value of what is not possible."""
SET, RUN = 0, 1
"""``seen.meld_type``."""

_SERVICES = (
    "add_card",
    "best_discard",
    "best_melds",
    "best_play",
    "best_value",
    "copies_held",
    "fits_table",
    "hand_value",
    "lays_off",
    "legal_actions",
    "live_cards",
    "pick",
    "remove_card",
    "take_values",
    "unseen_copies",
)
_HOMES = dict.fromkeys(_SERVICES, "ramisim.kernels.public") | {
    "cards_of": "ramisim.strategy.numbers"
}

__all__ = [
    "CARDS",
    "DEADWOOD",
    "JOKER",
    "NONE",
    "NOTHING",
    "POINTS",
    "RUN",
    "SCORE",
    "SET",
    "STOCK",
    "Declared",
    "add_card",
    "best_discard",
    "best_melds",
    "best_play",
    "best_value",
    "cards_of",
    "copies_held",
    "fits_table",
    "hand_value",
    "helper",
    "lays_off",
    "legal_actions",
    "live_cards",
    "pick",
    "remove_card",
    "strategy",
    "take_values",
    "unseen_copies",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ramisim.strategy' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
