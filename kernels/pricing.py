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
from ramisim.kernels.values import hand_value, set_value
from ramisim.kernels.work import MUST_PARTS

JOKERS_ALONE = 64
"""Place of parts without a natural card among the parts by their lowest card."""
_PRICES = 6
"""Prices of jokers tried in a long search."""


@inlined
def _sorted_by(w: Any, part: Any) -> Any:
    """What a part is sorted by: its points in an opening where any end will do, or its gain."""
    return part.points if w.lazy else part.value[3]


@kernel
def order_parts(w: Any, parts: Any, order: Any) -> None:
    """Sort the parts by their lowest natural card, dearest first within a card.

    Where any end will do those come first that count most in an opening.
    """
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
        value = _sorted_by(w, parts[p])
        while i > w.begin[first] and _sorted_by(w, parts[order[i - 1]]) < value:
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
def dearest(w: Any, rules: Any, cards: Any) -> Any:
    """What the dearest of some cards is worth thrown; 0 without any."""
    worth = 0
    while cards and not w.no_discard:
        card = bits.BIT_CARD[bits.lowest(cards)]
        cards &= cards - bits.U1
        worth = max(worth, w.w_hand * hand_value(rules, card) + w.w_cards)
    return worth


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


@kernel
def price_again(w: Any, rules: Any, parts: Any, order: Any, frames: Any, depth: Any) -> None:
    """Better bounds for a search that turns out long, and for the nodes it stands at.

    Jokers get the price at which the whole hand costs least. Beside the prices every card has a
    share: what it brings at most by itself. Where nearly everything can be laid, shares are what
    bounds.
    """
    if w.jokers > 0:
        _best_joker_price(w, parts, order)
        bound_discard(w, rules)
    _note_shares(w, rules, parts)
    _note_must_parts(w, parts, order)
    for k in range(depth + 1):
        frame = frames[k]
        frame.bound = w.base + frame.jokers * w.joker_price
        frame.bound += sum_of(w.price, frame.once, frame.twice)
        for i in range(frame.chosen):
            frame.bound += parts[w.chosen[i]].most
        frame.thrown = dearest(w, rules, frame.left_once)


@kernel
def _best_joker_price(w: Any, parts: Any, order: Any) -> None:
    least = w.joker_price
    best = least
    best_total = 1 << 30
    for k in range(_PRICES + 1):
        w.joker_price = best if k == _PRICES else least + (k * k * least) // 4
        price_gains(w, parts, order)
        total = sum_of(w.price, w.start_once, w.start_twice) + w.jokers * w.joker_price
        if total < best_total:
            best_total = total
            best = w.joker_price


@kernel
def _note_shares(w: Any, rules: Any, parts: Any) -> None:
    """``w.share``: how much more a card's price is than what it brings at most by itself."""
    usable = bits.U0
    for p in range(w.n_parts):
        usable |= parts[p].once
    w.discard_share = 0
    left = w.start_once
    while left:
        i = bits.lowest(left)
        b = bits.bit(i)
        left ^= b
        card = bits.BIT_CARD[i]
        leaves = w.w_hand * hand_value(rules, card) + w.w_cards
        share = 0
        if usable & b:
            points = set_value(rules, card % bits.RANKS)
            if card % bits.RANKS == 0:
                points = max(points, max(rules.values_ace_low, rules.values_ace_high))
            doubled = max(points, rules.values_joker_meld) if w.pays else 0
            share = leaves + w.w_points * (points + doubled)
        elif not w.no_discard:
            w.discard_share = max(w.discard_share, leaves)
        w.share[i] = w.price[i] - share


@kernel
def _note_must_parts(w: Any, parts: Any, order: Any) -> None:
    """The parts with the natural card that must be used; -1 where that does not tell."""
    w.n_must = -1
    if w.must < 0 or w.must == bits.JOKER or w.start_twice & bits.CARD_BIT[w.must]:
        return
    for k in range(w.n_swaps):
        if w.swap_card[k] == w.must:
            return
    n = 0
    for p in range(w.n_parts):
        if parts[p].once & bits.CARD_BIT[w.must]:
            if n == MUST_PARTS:
                return
            w.must_part[n] = p
            n += 1
    w.n_must = n


@kernel
def worth_going_on(w: Any, rules: Any, parts: Any, frame: Any) -> Any:
    """Whether shares, and the card that must be used, leave a node of a long search any hope."""
    # Jokers at a value of their own may count as one of the three first cards of a set.
    if w.found and not (rules.values_set_as_one and rules.values_joker_meld >= 0):
        by_shares = frame.bound - sum_of(w.share, frame.once, frame.twice)
        if by_shares + max(frame.thrown, w.discard_share) <= w.best:
            return False
    if w.n_must < 0 or not frame.once & bits.CARD_BIT[w.must]:
        return True
    for k in range(w.n_must):
        part = parts[w.must_part[k]]
        if not (part.once & ~frame.once or part.twice & ~frame.twice):
            if part.jokers <= frame.jokers:
                return True
    return False
