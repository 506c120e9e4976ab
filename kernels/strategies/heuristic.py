"""The tunable heuristic: one family, a number for each leaning.

Drawing compares the best end of the turn with every take from the pile against the hand as it
is; laying lays the best end at once or holds back; throwing weighs what a card costs in the hand,
what it may still become, and what it gives to the others. ``PARAMS`` names the numbers in their
order; ``ramisim.strategies`` documents them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ramisim.kernels import bits
from ramisim.kernels.asking import DISCARD_SIGNATURE, DRAW_SIGNATURE, PLAYS_SIGNATURE
from ramisim.kernels.jit import inlined, kernel
from ramisim.kernels.legal import POLICY_OPTIONAL
from ramisim.kernels.services import (
    NOTHING,
    copies_held,
    copy_plays,
    count_live,
    end_rows,
    end_value,
    lays_off_now,
    take_values,
)
from ramisim.kernels.solve import DEADWOOD, POINTS, SCORE
from ramisim.kernels.state import NONE
from ramisim.kernels.values import hand_value

PARAMS = (
    "stock",
    "deep",
    "pair_taken",
    "hold",
    "rami",
    "close",
    "late",
    "deadwood",
    "keep",
    "live",
    "danger",
    "others",
    "joker",
)
"""Names of the parameters, in the order of the kernels' array."""
(
    STOCK, DEEP, PAIR_TAKEN, HOLD, RAMI, CLOSE, LATE, DEAD, KEEP, LIVE, DANGER, OTHERS, JOKER,
) = range(len(PARAMS))  # fmt: skip

PART_OF_MELD = 8.0
LAYS_OFF = 6.0
KNOWN_PARTNER = 3.0
THROWN_PARTNER = 1.5
LIVE_PARTNER = 0.25


@inlined
def _objective(rules: Any) -> Any:
    """Points count where they are scored; elsewhere only what is left in the hand does."""
    return SCORE if rules.score_method == 0 else DEADWOOD


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


@kernel
def _must_lay(seen: Any, hand: Any, params: Any, rules: Any, n_rows: Any, box: Any) -> Any:
    """Whether holding back is over: a duty, going out, an opponent close, the stock low."""
    if seen.must_use != NONE or seen.to_replay > 0:
        return True
    leaves = 0
    for i in range(n_rows - 1):
        row = box.work[0].rows[i]
        leaves += row[3] if row[0] != 5 else 0
    if leaves >= hand.size - 1:
        return True
    for seat in range(seen.n_seats):
        if seat != seen.turn and seen.hand_size[seat] <= params[CLOSE]:
            return True
    return rules.round_stock_end == 0 and seen.n_stock <= params[LATE] * seen.n_seats


@kernel
def _in_meld(hand: Any, card: Any) -> Any:
    """Whether a card completes a set or run with others of the hand, jokers aside."""
    rank = card % bits.RANKS
    suit = card // bits.RANKS
    if bits.count(hand.once & (bits.ACES << np.uint64(rank))) >= 3:
        return True
    lane = bits.lane(bits.with_high_aces(hand.once), suit)
    runs = lane & (lane >> bits.U1) & (lane >> np.uint64(2))
    runs |= (runs << bits.U1) | (runs << np.uint64(2))
    at = (bits.U1 << np.uint64(rank)) | (bits.U1 << np.uint64(13) if rank == 0 else bits.U0)
    return runs & at != bits.U0


@kernel
def promise(hand: Any, live: Any, card: Any, by_live: Any) -> Any:
    """What a card may become: for each partner, the cards that complete the three.

    ``by_live`` 0 counts completing cards, 1 their unseen copies; between them a mixture.
    """
    rank = card % bits.RANKS
    suit = card // bits.RANKS
    total = 0.0
    for other in range(bits.SUITS):
        partner = other * bits.RANKS + rank
        if other != suit and copies_held(hand, partner) > 0:
            for third in range(bits.SUITS):
                if third != other and third != suit:
                    total += _chance(live, third * bits.RANKS + rank, by_live)
    for place in (rank, bits.ACE_HIGH):
        if place == bits.ACE_HIGH and rank != 0:
            continue
        for step in (-2, -1, 1, 2):
            at = place + step
            if at < 0 or at > bits.ACE_HIGH:
                continue
            if copies_held(hand, suit * bits.RANKS + at % bits.RANKS) == 0:
                continue
            low = min(at, place)
            high = max(at, place)
            if high - low == 2:
                total += _chance(live, suit * bits.RANKS + low + 1, by_live)
                continue
            if low > 0:
                total += _chance(live, suit * bits.RANKS + low - 1, by_live)
            if high < bits.ACE_HIGH:
                total += _chance(live, suit * bits.RANKS + (high + 1) % bits.RANKS, by_live)
    return total


@inlined
def _chance(live: Any, card: Any, by_live: Any) -> Any:
    return 1.0 - by_live + by_live * max(live[card], 0)


@kernel
def _partner_masks(card: Any) -> Any:
    """Bits of the cards that go with a card."""
    rank = card % bits.RANKS
    suit = card // bits.RANKS
    mask = bits.ACES << np.uint64(rank)
    for place in (rank, bits.ACE_HIGH):
        if place == bits.ACE_HIGH and rank != 0:
            continue
        for step in (-2, -1, 1, 2):
            at = place + step
            if 0 <= at <= bits.ACE_HIGH:
                mask |= bits.bit(bits.LANE * suit + at % bits.RANKS)
    return mask & ~bits.CARD_BIT[card]


@kernel
def risk(seen: Any, rules: Any, live: Any, card: Any, others: Any) -> Any:
    """What a thrown card gives: a lay-off, a partner for cards known to be held or not thrown.

    The next seat counts whole, the others ``others`` (all whole where the pile is open).
    """
    total = LAYS_OFF if lays_off_now(seen, rules, card) else 0.0
    mask = _partner_masks(card)
    left = mask
    unseen = 0
    while left != bits.U0:
        unseen += max(live[bits.BIT_CARD[bits.lowest(left)]], 0)
        left &= left - bits.U1
    total += LIVE_PARTNER * unseen
    for step in range(1, seen.n_seats):
        seat = (seen.turn + step) % seen.n_seats
        weight = 1.0 if step == 1 else others
        known = bits.count(seen.known_once[seat] & mask)
        thrown = bits.count(seen.thrown_once[seat] & mask)
        total += weight * (KNOWN_PARTNER * known - THROWN_PARTNER * thrown)
    return total


@njit(DRAW_SIGNATURE, cache=True, nogil=True)
def draw(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any) -> Any:
    """Take what is worth more than ``stock`` points over the hand as it is."""
    if rules.draw_discard == 0 or seen.n_discard == 0:
        return np.int64(0)
    values = box.cards[:64]
    deepest = take_values(seen, hand, rules, _objective(rules), box, values)
    best = np.int64(0)
    worth = float(values[0]) + params[STOCK]
    if seen.n_stock == 0:
        worth = -1e9
    for n in range(1, deepest + 1):
        if values[n] == NOTHING:
            continue
        value = float(values[n]) - params[DEEP] * (n - 1)
        if n == 1 and params[PAIR_TAKEN] != 0.0:
            card = np.int64(seen.discard[seen.n_discard - 1])
            if card == bits.JOKER:
                value += params[JOKER]
            else:
                value += params[PAIR_TAKEN] * partners(hand, card)
        if value > worth:
            worth = value
            best = np.int64(n)
    return best


@njit(PLAYS_SIGNATURE, cache=True, nogil=True)
def plays(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any, rows: Any) -> Any:
    """Lay the best end of the turn, or hold back."""
    hold = params[HOLD]
    if rules.score_rami_bonus > 0 and not seen.laid_before[seen.turn]:
        hold = max(hold, params[RAMI])
    n = end_rows(seen, hand, rules, _objective(rules), box)
    if n <= 1:
        return np.int64(0)
    if hold > 0.0 and not _must_lay(seen, hand, params, rules, n, box):
        if float(end_value(seen, hand, rules, POINTS, box)) < hold:
            return np.int64(0)
        n = end_rows(seen, hand, rules, _objective(rules), box)
    return np.int64(copy_plays(box, n, rows))


@njit(DISCARD_SIGNATURE, cache=True, nogil=True)
def discard(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any) -> Any:
    """Throw the card that costs most to hold and gives least away."""
    live = box.cards[64:116]
    count_live(seen, hand, rules, live)
    best = -1e18
    card = np.int64(NONE)
    left = hand.once
    while left != bits.U0:
        c = bits.BIT_CARD[bits.lowest(left)]
        left &= left - bits.U1
        if c == seen.no_rethrow and copies_held(hand, c) < 2:
            continue
        worth = params[DEAD] * hand_value(rules, c)
        if params[KEEP] != 0.0:
            worth -= params[KEEP] * promise(hand, live, c, params[LIVE])
            if copies_held(hand, c) < 2 and _in_meld(hand, c):
                worth -= params[KEEP] * PART_OF_MELD
        if params[DANGER] != 0.0:
            worth -= params[DANGER] * risk(seen, rules, live, c, params[OTHERS])
        if worth > best:
            best = worth
            card = c
    if hand.jokers > 0 and (seen.no_rethrow != bits.JOKER or hand.jokers > 1):
        worth = params[DEAD] * hand_value(rules, bits.JOKER) - params[JOKER]
        if worth > best:
            best = worth
            card = np.int64(bits.JOKER)
    if hand.size > 0 and best < 0.0 and rules.discard_policy == POLICY_OPTIONAL:
        return np.int64(NONE)
    return card
