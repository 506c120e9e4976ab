"""Hands and rule sets on which melds are compared: random, dense, and nasty ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ramisim.cards import JOKER
from ramisim.kernels import bits
from ramisim.rules import Rules

RULES_OF_MELDS = {
    "deck.packs": st.integers(1, 2),
    "deck.jokers": st.sampled_from([0, 2, 4, 8]),
    "meld.set_distinct_suits": st.booleans(),
    "meld.set_max": st.sampled_from([3, 4, 4, 5, 16]),
    "meld.run_max": st.sampled_from([3, 4, 5, 6, 13, 13, 14]),
    "meld.ace": st.sampled_from(["low", "high", "both", "both", "wrap"]),
    "meld.min_naturals": st.sampled_from([0, 1, 1, 1, 2, 3]),
    "meld.max_jokers": st.sampled_from([0, 0, 0, 1, 2]),
    "meld.adjacent_jokers": st.booleans(),
}
RULES_OF_VALUES = {
    "values.ace_low": st.sampled_from([1, 11, 0]),
    "values.ace_high": st.sampled_from([11, 1, 30]),
    "values.ace_set": st.sampled_from([11, 1, 14]),
    "values.ace_hand": st.sampled_from([15, 11, 1, 0]),
    "values.face": st.sampled_from([10, 11, 0, 33]),
    "values.joker_hand": st.sampled_from([15, 20, 0, 50]),
    "values.joker_meld": st.sampled_from(["replaced", "replaced", 0, 15, 40]),
    "values.set_as_one": st.booleans(),
}


@st.composite
def meld_rules(draw: st.DrawFn) -> Rules:
    """Rami 500 with every key of ``meld`` and ``values`` turned."""
    keys = RULES_OF_MELDS | RULES_OF_VALUES
    override: dict[str, Any] = {key: draw(values) for key, values in keys.items()}
    return Rules.load("rami500", override | {"deal.hand_size": 5})


@st.composite
def hands(draw: st.DrawFn, rules: Rules, most: int, most_jokers: int = 4) -> list[int]:
    """Card ids of a hand: from the whole deck, or from few ranks and suits so that it is dense."""
    suits = draw(st.sampled_from([range(4), range(4), range(2), range(1)]))
    low = draw(st.integers(0, 12))
    ranks = [(low + i) % 13 for i in range(draw(st.sampled_from([13, 6, 4])))]
    cards = [13 * suit + rank for suit in suits for rank in ranks] * rules.number("deck.packs")
    n = draw(st.integers(0, min(most, len(cards))))
    naturals = draw(st.permutations(cards))[:n]
    jokers = draw(st.integers(0, min(most_jokers, rules.number("deck.jokers"))))
    return [*naturals, *[JOKER] * jokers]


def masks(hand: Sequence[int]) -> tuple[Any, Any, int]:
    """Card ids as the kernels hold them: ``once``, ``twice``, number of jokers."""
    once = twice = 0
    for card in hand:
        if card != JOKER:
            card_bit = int(bits.CARD_BIT[card])
            twice |= once & card_bit
            once |= card_bit
    return np.uint64(once), np.uint64(twice), list(hand).count(JOKER)
