"""The parts of a turn that are sets, or join sets on the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.doubling import doubling_bonus, joker_points
from ramisim.kernels.jit import inlined, inner, kernel
from ramisim.kernels.sets import best_way, onto_doubled, room_to_pass, window_points
from ramisim.kernels.shape import face
from ramisim.kernels.state import MELD_SIZE
from ramisim.kernels.values import set_value
from ramisim.kernels.words import CREDIT_BOTH
from ramisim.kernels.work import LAST, NEW_SET, ONTO_SET
from ramisim.kernels.worths import leaves, most_of, new_part, singles


@kernel
def doubles_before_swap(w: Any, rules: Any, m: Any, on_table: Any) -> Any:
    """Whether a set that must grow before its joker is freed can grow by doubled cards.

    -1 where no joker of the meld waits, else 0 or 1: a joker must be there before the swap.
    (Where only another waiting swap brings it, the second card could be doubled all the same.)
    """
    at_hand = w.hand_jokers if w.opening == 0 else 0
    for k in range(w.n_swaps):
        at_hand += 1 - w.swap_after[k]
    waiting = waiting_in(w, m)
    if waiting == 0:
        return -1
    # The jokers that wait still lie there.
    return 1 if at_hand > 0 and room_to_pass(rules, on_table + waiting) else 0


@inner
def waiting_in(w: Any, m: Any) -> Any:
    """Jokers of a meld that wait for it to grow."""
    n = 0
    for k in range(w.n_swaps):
        if w.swap_after[k] and w.swap_meld[k] == m:
            n += 1
    return n


@kernel
def _list_joker_sets(w: Any, rules: Any, parts: Any, room: Any) -> None:
    """Sets of jokers alone: of the dearest rank, since only points tell them apart."""
    dearest = 0
    for rank in range(1, bits.RANKS):
        if set_value(rules, rank) > set_value(rules, dearest):
            dearest = rank
    if rules.meld_max_jokers > 0:
        room = min(room, rules.meld_max_jokers)
    for jokers in range(3, min(w.jokers, room) + 1):
        _set_part(w, rules, parts, NEW_SET, -1, dearest, bits.U0, bits.U0, jokers, 0)


@kernel
def _set_part(
    w: Any, rules: Any, parts: Any, kind: Any, m: Any, rank: Any, once: Any, twice: Any,
    jokers: Any, on_table: Any,
) -> None:  # fmt: skip
    """Add one set, or cards that join a set on the table."""
    p = new_part(w, parts)
    if p < 0:
        return
    part = parts[p]
    naturals = bits.count(once) + bits.count(twice)
    n = naturals + jokers
    value = set_value(rules, rank)
    wild = joker_points(rules, value)
    points = naturals * value + jokers * wild
    shared = rules.values_set_as_one == 1 and kind == NEW_SET
    if shared:
        points = window_points(rules, value, naturals, jokers)
    leave = naturals * leaves(w, rules, rank) + jokers * leaves(w, rules, bits.JOKER)
    part.once = once
    part.twice = twice
    part.jokers = jokers
    part.kind = kind
    part.meld = m
    part.suit = -1
    part.low = rank
    part.size = n
    part.joker_places = 0
    part.points = points
    part.first = bits.lowest(once)
    bonus = w.w_points * doubling_bonus(rules, value) if w.pays else 0
    first = doubles_before_swap(w, rules, m, on_table) if kind == ONTO_SET else -1
    for r in range(5):
        free = 0 if r == LAST else min(r, w.jokers - jokers)
        got = points
        if kind == NEW_SET and w.pays:
            early = w.early if r == LAST else 0
            got = best_way(rules, once, twice, value, jokers, free, early, False)[0]
        part.value[r] = w.w_points * got + leave
        if first >= 0:
            part.value[r] += first * bonus * naturals
        elif kind == ONTO_SET and bonus > 0:
            hands = free + jokers
            part.value[r] += bonus * onto_doubled(rules, once, twice, w.shown, on_table, hands)
    if shared and w.pays and rules.score_swap_credit == CREDIT_BOTH:
        bonus = max(bonus, w.w_points * value)
    doubled = naturals
    if kind == NEW_SET and not shared:
        doubled = max(0, naturals - singles(w, rules))
    part.most = most_of(w, part, w.w_points * points + leave + doubled * bonus)
    if naturals == 0:
        # No card whose price could make up for what its jokers lack.
        w.joker_price = max(w.joker_price, -(-part.most // jokers))
        w.joker_point_price = max(w.joker_point_price, -(-points // jokers))
    elif jokers > 0:
        w.joker_price = max(w.joker_price, w.w_points * wild + leaves(w, rules, bits.JOKER))
        w.joker_point_price = max(w.joker_point_price, wild)


@kernel
def _list_sets(
    w: Any, rules: Any, parts: Any, kind: Any, m: Any, rank: Any, open_once: Any, open_twice: Any,
    room: Any, least: Any, on_table: Any,
) -> None:  # fmt: skip
    """Every choice of cards of one rank.

    ``open_*`` are the copies that may join, ``room`` how many cards at most, ``least`` how many
    at least.
    """
    cap = w.jokers
    if rules.meld_max_jokers > 0:
        cap = min(cap, rules.meld_max_jokers - on_table)
    # A set that must grow before its joker is freed cannot hold one more of them.
    waiting = waiting_in(w, m) if kind == ONTO_SET else 0
    crowded = waiting > 0 and not room_to_pass(rules, on_table + waiting)
    least_naturals = max(1, rules.meld_min_naturals) if kind == NEW_SET else 0
    once = bits.U0
    twice = bits.U0
    while True:
        naturals = bits.count(once) + bits.count(twice)
        if least_naturals <= naturals <= room:
            most = min(cap, room - naturals)
            if naturals == 0 and crowded:
                most = 0
            for jokers in range(max(0, least - naturals), most + 1):
                if naturals + jokers > 0:
                    _set_part(w, rules, parts, kind, m, rank, once, twice, jokers, on_table)
        once, twice = _next_choice(once, twice, open_once, open_twice)
        if once == bits.U0:
            return


@inlined
def _next_choice(once: Any, twice: Any, open_once: Any, open_twice: Any) -> Any:
    """The next choice of copies: counted like a number, the lowest suit first; at last none."""
    more = twice | (once & ~open_twice)  # of these suits no further copy can be taken
    free = open_once & ~more
    b = free & (~free + bits.U1)
    below = b - bits.U1
    # Every suit below starts again from no copy.
    twice = (twice & ~below) | (once & b)
    once = (once & ~below) | b
    return once, twice


@kernel
def list_new_sets(w: Any, rules: Any, parts: Any) -> None:
    """Every new set of the hand."""
    distinct = rules.meld_set_distinct_suits == 1
    room = min(rules.meld_set_max, MELD_SIZE)
    if distinct:
        room = min(room, bits.SUITS)
    for rank in range(bits.RANKS):
        once = (w.start_once >> np.uint64(rank)) & bits.ACES
        if once == bits.U0:
            continue
        twice = bits.U0 if distinct else (w.start_twice >> np.uint64(rank)) & bits.ACES
        if bits.count(once) + bits.count(twice) + w.jokers < 3:
            continue
        shift = np.uint64(rank)
        _list_sets(w, rules, parts, NEW_SET, -1, rank, once << shift, twice << shift, room, 3, 0)
    if rules.meld_min_naturals == 0:
        _list_joker_sets(w, rules, parts, room)


@kernel
def onto_table_set(w: Any, rules: Any, parts: Any, seen: Any, m: Any) -> None:
    """Every choice of cards that join a set on the table."""
    rank = np.int64(seen.meld_rank[m])
    size = np.int64(seen.meld_size[m])
    room = min(rules.meld_set_max, MELD_SIZE) - size
    once = w.start_once & (bits.ACES << np.uint64(rank))
    twice = w.start_twice & once
    w.shown = bits.U0
    for i in range(size):
        w.shown |= bits.CARD_BIT[face(np.int64(seen.meld_card[m, i]))]
    if rules.meld_set_distinct_suits == 1:
        once &= ~w.shown
        twice = bits.U0
        room = min(room, bits.SUITS - size)
    if room <= 0 or (once == bits.U0 and w.jokers == 0):
        return
    on_table = np.int64(seen.meld_jokers[m])
    _list_sets(w, rules, parts, ONTO_SET, m, rank, once, twice, room, 0, on_table)
