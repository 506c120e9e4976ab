"""Between the numbers that a strategy works with and what people read; for plain Python."""

from __future__ import annotations

from typing import Any

from ramisim.cards import JOKER, card_name

__all__ = ["cards_of"]


def cards_of(hand: Any) -> list[str]:
    """The cards of a hand by name, twins twice.

    Parameters
    ----------
    hand : record
        As a strategy is given it: masks ``once`` and ``twice``, number of ``jokers``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> cards_of(SimpleNamespace(once=0b101, twice=0b100, jokers=1))
    ['AC', '3C', '3C', 'Jk']
    """
    once, twice = int(hand.once), int(hand.twice)
    names = []
    for card in range(52):
        place = 1 << (16 * (card // 13) + card % 13)
        names += [card_name(card)] * (bool(once & place) + bool(twice & place))
    return names + [card_name(JOKER)] * int(hand.jokers)
