"""Many hands at once: card ids to masks, and the melds of each as masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import inner, kernel
from ramisim.kernels.melds import list_melds, meld_value

MELD = np.dtype(
    [
        ("hand", np.int64),
        ("type", np.uint8),
        ("once", np.uint64),
        ("twice", np.uint64),
        ("jokers", np.uint8),
        ("stands_for", np.uint64),
        ("points", np.int32),
    ]
)
"""A meld of one of many hands: number of the hand, 0 set or 1 run, masks of its natural cards,
number of its jokers, mask of the cards that they stand for, points on the table."""


@kernel
def masks_of(
    cards: Any, starts: Any, packs: Any, most_jokers: Any, once: Any, twice: Any, jokers: Any
) -> Any:
    """Write hands as masks; -1, or the number of the first hand that the packs do not hold.

    ``cards``: int8[starts[-1]], ids 0..52, -1 for no card; hand i is ``starts[i] : starts[i + 1]``.
    """
    for i in range(len(once)):
        a = b = bits.U0
        n = np.int64(0)
        for k in range(starts[i], starts[i + 1]):
            card = np.int64(cards[k])
            if card == bits.JOKER:
                n += 1
            elif card >= 0:
                place = bits.CARD_BIT[card]
                if b & place or (packs == 1 and a & place):
                    return i
                b |= a & place
                a |= place
        if n > most_jokers:
            return i
        once[i], twice[i], jokers[i] = a, b, n
    return -1


@kernel
def check_masks(once: Any, twice: Any, jokers: Any, packs: Any, most_jokers: Any) -> Any:
    """-1, or the number of the first hand in masks that the packs do not hold."""
    for i in range(len(once)):
        twins = twice[i] & ~once[i] if packs > 1 else twice[i]
        if once[i] & ~bits.ALL_CARDS or twins or jokers[i] < 0 or jokers[i] > most_jokers:
            return i
    return -1


@kernel
def melds_many(
    once: Any, twice: Any, jokers: Any, rules: Any, rows: Any, first: Any, counts: Any, out: Any
) -> None:
    """Count the melds of each hand (int64[n]), and where there is room write them.

    ``out``: records of ``MELD``, none or as many as there are; ``rows``: int16[most of a hand,
    ROW], scratch. Hands are numbered from ``first``.
    """
    at = 0
    for i in range(len(once)):
        counts[i] = list_melds(once[i], twice[i], np.int64(jokers[i]), rules, rows, np.int64(-1))
        if len(out) > 0:
            for k in range(counts[i]):
                _as_masks(rows[k], rules, first + i, out[at])
                at += 1


@inner
def _as_masks(row: Any, rules: Any, hand: Any, out: Any) -> None:
    n = np.int64(row[3])
    once = twice = stands_for = bits.U0
    jokers = 0
    for i in range(n):
        code = np.int64(row[4 + i])
        if code >= bits.JOKER_AS:
            jokers += 1
            stands_for |= bits.CARD_BIT[code - bits.JOKER_AS]
        else:
            twice |= once & bits.CARD_BIT[code]
            once |= bits.CARD_BIT[code]
    out.hand, out.type, out.once, out.twice = hand, row[1], once, twice
    out.jokers, out.stands_for = jokers, stands_for
    out.points = meld_value(np.int64(row[1]), row[4:], n, rules)
