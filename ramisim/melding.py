"""Melds of a hand alone: all of them, and the best that can be laid together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal

import numpy as np

from ramisim.cards import check_cards, parse_hand
from ramisim.errors import RamisimError
from ramisim.rules import Rules

__all__ = ["best_melds", "enumerate_melds"]

_ALONE: Final = {
    "opening.points": 0,
    "opening.needs_run": False,
    "opening.pure_run": False,
    "opening.gate": "none",
    "joker.swap": False,
    "lay_off.on": "none",
}


def _rules(rules: Rules | str) -> Rules:
    return rules if isinstance(rules, Rules) else Rules.load(rules)


def _checked(hand: str | Iterable[str], rules: Rules) -> list[int]:
    cards = parse_hand(hand)
    check_cards(cards, rules.number("deck.packs"), rules.number("deck.jokers"))
    return cards


def enumerate_melds(hand: str | Iterable[str], rules: Rules | str = "rami500") -> list[dict[str, Any]]:  # noqa: E501  # fmt: skip
    """Every meld that a hand can lay, each once, jokers declared.

    Parameters
    ----------
    hand : str or iterable of str
        ``"5S 6S Jk"`` or a list of card texts.
    rules : Rules or str
        A rule set or the name of one.

    Returns
    -------
    list of dict
        ``type`` (set or run) and ``cards``, as in contracts 3.

    Raises
    ------
    CardError
        An unknown card, or more of one than the deck holds.

    Examples
    --------
    >>> [meld["cards"] for meld in enumerate_melds("5S 6S 7S 2D")]
    [['5S', '6S', '7S']]
    """
    from ramisim.actions import action_of_row
    from ramisim.kernels import melds, state

    rules = _rules(rules)
    cards = _checked(hand, rules)
    once, twice, jokers = _masks(cards)
    rows = np.zeros((1, state.ROW), np.int16)
    n = int(melds.list_melds(once, twice, jokers, rules.record(), rows, -1))
    rows = np.zeros((max(n, 1), state.ROW), np.int16)
    melds.list_melds(once, twice, jokers, rules.record(), rows, -1)
    table = np.zeros(1, state.SEEN)[0]
    found = [action_of_row(row, table) for row in rows[:n]]
    return [{"type": meld["type"], "cards": meld["cards"]} for meld in found]


def _masks(cards: list[int]) -> tuple[np.uint64, np.uint64, int]:
    from ramisim.kernels.bits import CARD_BIT, JOKER

    once = twice = 0
    for card in cards:
        if card != JOKER:
            bit = int(CARD_BIT[card])
            twice |= once & bit
            once |= bit
    return np.uint64(once), np.uint64(twice), cards.count(JOKER)


def best_melds(
    hand: str | Iterable[str],
    rules: Rules | str = "rami500",
    objective: Literal["deadwood", "points"] = "deadwood",
) -> dict[str, Any]:
    """The best disjoint melds of a hand: no table, no discard, no opening asked for.

    Parameters
    ----------
    hand : str or iterable of str
    rules : Rules or str
    objective : {"deadwood", "points"}
        Least value left in the hand, ties by more points; or most points, ties by less deadwood.

    Returns
    -------
    dict
        ``melds``, and the ``deadwood`` and ``points`` they reach.

    Raises
    ------
    RamisimError
        An impossible hand or an unknown objective.

    Examples
    --------
    >>> best_melds("5S 6S 7S 7C 7D KD")["deadwood"]
    24
    """
    from ramisim.kernels import solve
    from ramisim.position import Position

    if objective not in ("deadwood", "points"):
        raise RamisimError(f"objective {objective!r}: deadwood or points")
    rules = _rules(rules)
    _checked(hand, rules)
    alone = Rules.load(rules.base, {**rules.override, **_ALONE})
    n = alone.number("players.min")
    hands: list[Any] = [parse_names(hand)] + [[] for _ in range(n - 1)]
    position = Position.from_dict({"rules": alone, "hands": hands, "phase": "play"})
    kind = solve.MELDS_DEADWOOD if objective == "deadwood" else solve.MELDS_POINTS
    rows, value = position.best_rows(kind)
    melds = [a for a in rows if a["op"] == "lay"]
    first, second = divmod(value, solve.FIRST)
    if second > solve.FIRST // 2:
        first, second = first + 1, second - solve.FIRST
    deadwood, points = (-first, second) if objective == "deadwood" else (-second, first)
    return {
        "melds": [{"type": a["type"], "cards": a["cards"]} for a in melds],
        "deadwood": deadwood,
        "points": points,
    }


def parse_names(hand: str | Iterable[str]) -> list[str]:
    """Canonical card texts of a hand."""
    from ramisim.cards import card_name

    return [card_name(card) for card in parse_hand(hand)]
