"""What the heuristic weighs: what a card may become, what it gives away, what a turn leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.copies import copy_seen
from ramisim.kernels.jit import inlined, kernel
from ramisim.kernels.services import copies_held, copy_own, lays_off_now
from ramisim.kernels.shape import face
from ramisim.kernels.state import LAY, LAY_OFF, NONE, OPEN, RUN
from ramisim.kernels.values import hand_value, run_value, set_value
from ramisim.kernels.words import TAKE_NONE

LAYS_OFF = 5.0
"""What a lay-off gives at least: with it the hand is a card shorter."""
THROWN_PARTNER = 0.7
"""How much less likely a seat needs a card, for each card that goes with it and that it threw."""
MELD_POINTS = 20.0
"""Points of a middling meld: by them ``worth`` weighs what a card may become."""


@kernel
def partners(hand: Any, card: Any) -> Any:
    """How many cards of a hand go with a card: same rank, or the same suit within two ranks."""
    rank = card % bits.RANKS
    suit = card // bits.RANKS
    b = bits.CARD_BIT[card]
    same = bits.count(hand.once & (bits.ACES << np.uint64(rank)) & ~b)
    lane = bits.lane(bits.with_high_aces(hand.once & ~b), suit)
    near = 0
    for place in (rank, bits.ACE_HIGH):
        if place == bits.ACE_HIGH and rank != 0:
            continue
        for step in (-2, -1, 1, 2):
            at = place + step
            if 0 <= at <= bits.ACE_HIGH:
                near += 1 if (lane >> np.uint64(at)) & bits.U1 else 0
    return float(same + near)


@inlined
def _chance(live: Any, card: Any, by_live: Any) -> Any:
    return 1.0 - by_live + by_live * max(live[card], 0)


@kernel
def _set_promise(hand: Any, rules: Any, live: Any, card: Any, by_live: Any) -> Any:
    """Cards that would complete a set with this card and another of the hand."""
    rank = card % bits.RANKS
    suit = card // bits.RANKS
    total = 0.0
    for other in range(bits.SUITS):
        partner = other * bits.RANKS + rank
        if other == suit or copies_held(hand, partner) == 0:
            continue
        for third in range(bits.SUITS):
            if rules.meld_set_distinct_suits == 0 or (third != other and third != suit):
                total += _chance(live, third * bits.RANKS + rank, by_live)
    if rules.meld_set_distinct_suits == 0 and copies_held(hand, card) > 1:
        for third in range(bits.SUITS):
            total += _chance(live, third * bits.RANKS + rank, by_live)
    return total


@inlined
def _ace_fits(rules: Any, place: Any, rank: Any) -> Any:
    """Whether a card of this rank may stand at a place of a run: aces low, high or both."""
    return rank != 0 or rules.meld_ace != (1 if place == 0 else 0)


@kernel
def _run_points(rules: Any, low: Any) -> Any:
    """Points of the run of three from a place on."""
    return run_value(rules, low) + run_value(rules, low + 1) + run_value(rules, low + 2)


@kernel
def _run_promise(hand: Any, rules: Any, live: Any, card: Any, by_live: Any, by_points: Any) -> Any:
    """Cards that would complete a run of three with this card and another of the hand."""
    rank = card % bits.RANKS
    first = card - rank
    total = 0.0
    lane = bits.lane(bits.with_high_aces(hand.once), card // bits.RANKS)
    for step in range(2):
        place = rank if step == 0 else bits.ACE_HIGH
        if (step == 1 and rank != 0) or not _ace_fits(rules, place, rank):
            continue
        for low in range(max(place - 2, 0), min(place, bits.ACE_HIGH - 2) + 1):
            held = 0
            third = 0
            for at in range(low, low + 3):
                if at == place:
                    continue
                if (lane >> np.uint64(at)) & bits.U1:
                    held += 1
                else:
                    third = at
            if held == 1:
                weight = 1.0 - by_points + by_points * _run_points(rules, low) / MELD_POINTS
                total += weight * _chance(live, first + third % bits.RANKS, by_live)
    return total


@kernel
def promise(hand: Any, rules: Any, live: Any, card: Any, by_live: Any, by_points: Any) -> Any:
    """What a card may become: for each partner in the hand, the cards that complete the three.

    ``by_live`` 0 counts completing cards, 1 their unseen copies; ``by_points`` 0 counts melds, 1
    weighs them by their points. Between 0 and 1 a mixture.
    """
    rank = card % bits.RANKS
    points = set_value(rules, rank) * (1 if rules.values_set_as_one == 1 else 3)
    weight = 1.0 - by_points + by_points * points / MELD_POINTS
    return weight * _set_promise(hand, rules, live, card, by_live) + _run_promise(
        hand, rules, live, card, by_live, by_points
    )


@kernel
def hand_promise(hand: Any, rules: Any, live: Any, by_live: Any, by_points: Any) -> Any:
    """Promise of all cards of a hand, each pair counted once."""
    total = 0.0
    left = hand.once
    while left != bits.U0:
        card = bits.BIT_CARD[bits.lowest(left)]
        left &= left - bits.U1
        total += promise(hand, rules, live, card, by_live, by_points)
    return 0.5 * total


@kernel
def _unknown(seen: Any, seat: Any) -> Any:
    """Cards of a hand that nobody but its player has seen."""
    known = bits.count(seen.known_once[seat]) + bits.count(seen.known_twice[seat])
    return max(np.int64(seen.hand_size[seat]) - known - seen.known_jokers[seat], 0)


@kernel
def _holds(seen: Any, seat: Any, live: Any, card: Any, share: Any) -> Any:
    """Chance that a seat holds a card: known, or one of the unseen that its hand has a share of."""
    if seen.known_once[seat] & bits.CARD_BIT[card]:
        return 1.0
    return min(max(live[card], 0) * share, 1.0)


@kernel
def _set_chance(seen: Any, rules: Any, live: Any, card: Any, seat: Any, share: Any) -> Any:
    """Expected points of sets that a card completes for a seat."""
    rank = card % bits.RANKS
    one = 0.0
    two = 0.0
    for suit in range(bits.SUITS):
        other = suit * bits.RANKS + rank
        if other != card or rules.meld_set_distinct_suits == 0:
            chance = _holds(seen, seat, live, other, share)
            two += one * chance
            one += chance
    points = set_value(rules, rank) * (1 if rules.values_set_as_one == 1 else 3)
    return two * points


@kernel
def _run_chance(seen: Any, rules: Any, live: Any, card: Any, seat: Any, share: Any) -> Any:
    """Expected points of runs that a card completes for a seat."""
    rank = card % bits.RANKS
    first = card - rank
    total = 0.0
    for step in range(2):
        place = rank if step == 0 else bits.ACE_HIGH
        if (step == 1 and rank != 0) or not _ace_fits(rules, place, rank):
            continue
        for low in range(max(place - 2, 0), min(place, bits.ACE_HIGH - 2) + 1):
            chance = 1.0
            for at in range(low, low + 3):
                if at != place:
                    chance *= _holds(seen, seat, live, first + at % bits.RANKS, share)
            total += chance * _run_points(rules, low)
    return total


@kernel
def risk(seen: Any, rules: Any, live: Any, card: Any, others: Any) -> Any:
    """Points that a thrown card is expected to give: a lay-off, or a meld with two cards held.

    What a seat took is known to be held; what goes with cards that it threw is less likely. The
    next seat counts whole, the others ``others``. Nothing where nobody may take it.
    """
    if rules.draw_discard == TAKE_NONE:
        return 0.0
    total = 0.0
    if lays_off_now(seen, rules, card):
        total = float(max(hand_value(rules, card), LAYS_OFF))
    unseen = float(seen.n_stock)
    for step in range(1, seen.n_seats):
        unseen += _unknown(seen, (seen.turn + step) % seen.n_seats)
    mask = _partner_mask(card)
    for step in range(1, seen.n_seats):
        seat = (seen.turn + step) % seen.n_seats
        share = _unknown(seen, seat) / max(unseen, 1.0)
        gives = _set_chance(seen, rules, live, card, seat, share)
        gives += _run_chance(seen, rules, live, card, seat, share)
        for _ in range(bits.count(seen.thrown_once[seat] & mask)):
            gives *= THROWN_PARTNER
        total += gives if step == 1 else others * gives
    return total


@kernel
def _partner_mask(card: Any) -> Any:
    """Bits of the cards that go with a card."""
    rank = card % bits.RANKS
    mask = bits.ACES << np.uint64(rank)
    for place in (rank, bits.ACE_HIGH):
        if place == bits.ACE_HIGH and rank != 0:
            continue
        for step in (-2, -1, 1, 2):
            at = place + step
            if 0 <= at <= bits.ACE_HIGH:
                mask |= bits.CARD_BIT[card - rank + at % bits.RANKS]
    return mask & ~bits.CARD_BIT[card]


@inlined
def _take_out(hand: Any, once: Any, twice: Any) -> None:
    """Take one copy of the cards of ``once`` out of a hand, a second one of those of ``twice``."""
    pairs = hand.twice & once
    hand.once &= ~(once & ~pairs) & ~(twice & pairs)
    hand.twice &= ~pairs


@kernel
def leave(box: Any, hand: Any, left: Any) -> None:
    """What the end of the turn just found leaves in the hand, its discard gone too."""
    w = box.work[0]
    copy_own(hand, left)
    for k in range(w.best_n):
        _take_out(left, box.kept[k].once, box.kept[k].twice)
    for k in range(w.best_n_swaps):
        _take_out(left, bits.CARD_BIT[w.best_swap_card[k]], bits.U0)
    left.jokers = w.best_jokers
    if w.best_discard == bits.JOKER:
        left.jokers -= 1
    elif w.best_discard != NONE:
        _take_out(left, bits.CARD_BIT[w.best_discard], bits.U0)


@kernel
def as_if_open(seen: Any, rules: Any, table: Any) -> None:
    """The table as if the player had opened; that of others where an opening is still asked for."""
    copy_seen(seen, table)
    if rules.opening_points > 0 and not seen.opened[seen.turn]:
        table.opened[seen.turn] = 1
        if rules.lay_off_needs_opening == 1:
            table.n_melds = 0
    table.hit_open = 1


@kernel
def gifts(box: Any, rules: Any, live: Any, n_rows: Any) -> Any:
    """Points that the others may lay off on the melds of an end, by live cards, in tens.

    A joker on the table counts with what its natural card brings, and with the joker itself.
    """
    total = 0.0
    for i in range(n_rows - 1):
        row = box.work[0].rows[i]
        op = row[0]
        if op == LAY or op == OPEN:
            low = face(np.int64(row[4])) % bits.RANKS
            n = np.int64(row[3])
            if row[1] == RUN:
                first = face(np.int64(row[4])) - low
                for place in (low - 1, low + n):
                    if 0 <= place <= bits.ACE_HIGH:
                        card = first + place % bits.RANKS
                        total += max(live[card], 0) * hand_value(rules, card)
            elif n < rules.meld_set_max:
                for suit in range(bits.SUITS):
                    total += max(live[suit * bits.RANKS + low], 0) * hand_value(rules, low)
        if rules.joker_swap == 1 and (op == LAY or op == OPEN or op == LAY_OFF):
            for k in range(4, 4 + row[3]):
                if row[k] >= bits.JOKER_AS:
                    card = face(np.int64(row[k]))
                    each = hand_value(rules, card) + rules.values_joker_hand
                    total += max(live[card], 0) * each
    return total / 10.0
