"""What cards are worth: on the table by their place, in the hand by their face.

A run's places count from 0 (ace low) to 13 (ace above the king). Under ``meld.ace = "wrap"``
places go round: an ace that is first in its run is low, any other is high (ruling D27).
"""

from __future__ import annotations

from typing import Any

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, kernel
from ramisim.kernels.state import RUN
from ramisim.kernels.words import WRAP


@inlined
def run_value(rules: Any, place: Any) -> Any:
    """Points of a natural card at a place 0..13 of a run."""
    if place == 0:
        return rules.values_ace_low
    if place == bits.ACE_HIGH:
        return rules.values_ace_high
    if place >= 10:
        return rules.values_face
    return place + 1


@inlined
def set_value(rules: Any, rank: Any) -> Any:
    """Points of one natural card of a set of this rank."""
    if rank == 0:
        return rules.values_ace_set
    if rank >= 10:
        return rules.values_face
    return rank + 1


@inlined
def hand_value(rules: Any, card: Any) -> Any:
    """Penalty of a card left in the hand; card 52 is a joker."""
    if card == bits.JOKER:
        return rules.values_joker_hand
    rank = card % bits.RANKS
    if rank == 0:
        return rules.values_ace_hand
    if rank >= 10:
        return rules.values_face
    return rank + 1


@kernel
def hand_total(rules: Any, once: Any, twice: Any, jokers: Any) -> Any:
    """Penalty of a whole hand."""
    total = jokers * rules.values_joker_hand
    left = once
    while left != bits.U0:
        total += hand_value(rules, bits.BIT_CARD[bits.lowest(left)])
        left &= left - bits.U1
    left = twice
    while left != bits.U0:
        total += hand_value(rules, bits.BIT_CARD[bits.lowest(left)])
        left &= left - bits.U1
    return total


@inlined
def place_in_run(rules: Any, low: Any, index: Any) -> Any:
    """The place 0..13 of the card at ``index`` in a run whose low card is at place ``low``."""
    place = low + index
    if rules.meld_ace == WRAP:
        rank = place % bits.RANKS
        return bits.ACE_HIGH if rank == 0 and index > 0 else rank
    return place


@inlined
def as_laid(rules: Any, code: Any, value: Any) -> Any:
    """What a card code brings at a place worth ``value``: a joker may have a value of its own."""
    if code >= bits.JOKER_AS and rules.values_joker_meld >= 0:
        return rules.values_joker_meld
    return value


@inlined
def gave(rules: Any, kind: Any, index: Any, code: Any, value: Any) -> Any:
    """What the layer of a card got for it, which goes with it in a swap (ruling D38).

    One of the three of a set that count as one card gave that card's value, joker or not.
    """
    if kind != RUN and rules.values_set_as_one == 1 and index < 3:
        return value
    return as_laid(rules, code, value)


@kernel
def meld_points(rules: Any, kind: Any, low: Any, codes: Any, n: Any) -> Any:
    """Points of laying a whole meld.

    ``low`` is the place of a run's low card, the rank of a set. Under ``values.set_as_one`` the
    first three cards of a set are worth one natural card of the rank (ruling D02).
    """
    total = 0
    if kind == RUN:
        for i in range(n):
            total += as_laid(rules, codes[i], run_value(rules, place_in_run(rules, low, i)))
        return total
    value = set_value(rules, low)
    first = 0
    if rules.values_set_as_one == 1:
        total = value
        first = 3
    for i in range(first, n):
        total += as_laid(rules, codes[i], value)
    return total
