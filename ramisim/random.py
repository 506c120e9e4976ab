"""Keyed decks by name: which cards a deal has, without playing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ramisim.cards import card_name
from ramisim.errors import RamisimError
from ramisim.rules import Rules
from ramisim.whole import whole

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["deck"]

_WORD: Final = 1 << 64


def deck(seed: int, deal: int, round_number: int, rules: Rules | str | Path) -> list[str]:
    """The shuffled deck of a round, first card on top.

    It depends on the composition alone: the same for all strategies, seatings and rule variants
    with these packs and jokers.

    Parameters
    ----------
    seed, deal, round_number : int
        Seed of the run, number of the deal, round of the match from 0; each below 2**64.
    rules : Rules, str or Path
        A rule set, or the name or path of one.

    Returns
    -------
    list of str
        Card names, ``Jk`` for a joker.

    Raises
    ------
    RamisimError
        A number out of range, or unknown rules.

    Examples
    --------
    >>> deck(7, 42, 0, "rami500")[:5]
    ['6H', 'QC', 'TS', '3H', '4C']
    """
    import numpy as np

    from ramisim.kernels.random import deal_deck

    for name, number in (("seed", seed), ("deal", deal), ("round", round_number)):
        if whole(number) is None or not 0 <= number < _WORD:
            raise RamisimError(f"{name} {number}: a whole number from 0 to 2**64 - 1 is allowed")
    if not isinstance(rules, Rules):
        rules = Rules.load(rules)
    packs, jokers = rules.number("deck.packs"), rules.number("deck.jokers")
    cards = np.empty(rules.deck_size, dtype=np.uint8)
    deal_deck(np.uint64(seed), np.uint64(deal), np.uint64(round_number), packs, jokers, cards)
    return [card_name(int(card)) for card in cards]
