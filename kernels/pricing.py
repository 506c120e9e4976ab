"""Prices of cards and jokers: what a node of the search can still bring at most.

Every card has a price and every joker one, such that no part brings more than its cards and
jokers cost together. Then the cards not decided yet bring their prices at most, a part costs the
bound its slack (prices less what it brings), and a card left behind costs its price. Only the
lowest card of a part needs a price high enough for it; as the search decides the lowest card
first, prices are made from the highest card down.
"""

from __future__ import annotations

from typing import Any

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, kernel
from ramisim.kernels.values import hand_value

JOKERS_ALONE = 64
"""Place of parts without a natural card among the parts by their lowest card."""


@kernel
def order_parts(w: Any, parts: Any, order: Any) -> None:
    """Sort the parts by their lowest natural card, dearest first within a card."""
    for i in range(65):
        w.end[i] = 0
    starters = bits.U0
    for p in range(w.n_parts):
        first = parts[p].first
        w.end[first] += 1
        if first < JOKERS_ALONE:
            starters |= bits.bit(first)
    w.starters = starters
    at = 0
    while starters:
        card = bits.lowest(starters)
        starters &= starters - bits.U1
        w.begin[card] = at
        at += w.end[card]
        w.end[card] = w.begin[card]
    w.begin[JOKERS_ALONE] = at
    w.end[JOKERS_ALONE] = at
    for p in range(w.n_parts):
        first = parts[p].first
        i = w.end[first]
        w.end[first] = i + 1
        value = parts[p].value[3]
        while i > w.begin[first] and parts[order[i - 1]].value[3] < value:
            order[i] = order[i - 1]
            i -= 1
        order[i] = p


@inlined
def sum_of(prices: Any, once: Any, twice: Any) -> Any:
    """What cards cost together."""
    total = 0
    while once:
        total += prices[bits.lowest(once)]
        once &= once - bits.U1
    while twice:
        total += prices[bits.lowest(twice)]
        twice &= twice - bits.U1
    return total


@kernel
def price_gains(w: Any, parts: Any, order: Any) -> None:
    """Make the prices of cards for the price of jokers there is, and the slack of every part."""
    for i in range(64):
        w.price[i] = 0
    left = w.starters
    while left:
        card = bits.highest(left)
        b = bits.bit(card)
        left ^= b
        price = 0
        for i in range(w.begin[card], w.end[card]):
            part = parts[order[i]]
            rest = part.jokers * w.joker_price + sum_of(w.price, part.once & ~b, part.twice & ~b)
            part.slack = rest - part.most
            needs = -part.slack
            if part.twice & b:
                needs = (needs + 1) >> 1
            price = max(price, needs)
        w.price[card] = price
        for i in range(w.begin[card], w.end[card]):
            part = parts[order[i]]
            part.slack += 2 * price if part.twice & b else price
    for i in range(w.begin[JOKERS_ALONE], w.end[JOKERS_ALONE]):
        part = parts[order[i]]
        part.slack = part.jokers * w.joker_price - part.most


@kernel
def price_points(w: Any, parts: Any, order: Any) -> None:
    """Prices in points of an opening, for new melds alone."""
    for i in range(64):
        w.point_price[i] = 0
    left = w.starters
    while left:
        card = bits.highest(left)
        b = bits.bit(card)
        left ^= b
        price = 0
        for i in range(w.begin[card], w.end[card]):
            part = parts[order[i]]
            if part.meld >= 0:
                continue
            needs = part.points - part.jokers * w.joker_point_price
            needs -= sum_of(w.point_price, part.once & ~b, part.twice & ~b)
            if part.twice & b:
                needs = (needs + 1) >> 1
            price = max(price, needs)
        w.point_price[card] = price


@kernel
def bound_discard(w: Any, rules: Any) -> None:
    """How much more than its price a card not decided yet may be worth thrown."""
    w.discard_bound = 0
    if w.no_discard:
        return
    left = w.start_once
    while left:
        i = bits.lowest(left)
        left &= left - bits.U1
        worth = w.w_hand * hand_value(rules, bits.BIT_CARD[i]) + w.w_cards - w.price[i]
        w.discard_bound = max(w.discard_bound, worth)
    if w.jokers > 0:
        worth = w.w_hand * rules.values_joker_hand + w.w_cards - w.joker_price
        w.discard_bound = max(w.discard_bound, worth)
