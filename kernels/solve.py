"""The best legal end of a turn: swaps first, then parts, opening and discard in one optimum.

Each set of jokers taken off the table is a branch of its own: the table and the hand change, then
the parts are listed and searched. A player who has not opened is asked twice: without laying a
new meld, and with opening.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from ramisim.kernels import bits
from ramisim.kernels.any_end import search_any
from ramisim.kernels.jit import inlined, kernel, separate
from ramisim.kernels.kinds import (
    FRAMES_TYPE,
    KEPT_TYPE,
    ORDER_TYPE,
    PARTS_TYPE,
    RULES_TYPE,
    SEEN_TYPE,
    WORK_TYPE,
)
from ramisim.kernels.legal import SET_LOCKED, swap_reason
from ramisim.kernels.opening import MUST_OPEN, OPENED, OPENS_BY_LAYING
from ramisim.kernels.parts import list_parts
from ramisim.kernels.search import search, set_out
from ramisim.kernels.shape import OK, face
from ramisim.kernels.state import NONE, RUN
from ramisim.kernels.turn import may_hit
from ramisim.kernels.values import gave, hand_total, hand_value, place_in_run, run_value, set_value
from ramisim.kernels.words import (
    CREDIT_BOTH,
    CREDIT_OWNER,
    CREDIT_SWAPPER,
    LAY_OFF_NONE,
    SWAP_COMPLETE_ONLY,
    WRAP,
)

POINTS, SCORE, DEADWOOD, CARDS, ANY_END, MELDS_DEADWOOD, MELDS_POINTS = range(7)
NO_END_OF_NODES = 1 << 60
FIRST = 4096
"""Weight of what comes first where ties are settled by something else."""


@kernel
def set_objective(w: Any, objective: Any) -> None:
    """Weights of an objective: points laid, value that leaves the hand, cards that leave it."""
    w.w_points = 1 if objective == POINTS or objective == SCORE else 0
    w.w_hand = 1 if objective == SCORE or objective == DEADWOOD else 0
    w.w_cards = 1 if objective == CARDS else 0
    w.lazy = 1 if objective == ANY_END else 0
    # The melds of a hand alone: nothing is thrown, ties are settled by the other number.
    w.no_discard = 1 if objective >= MELDS_DEADWOOD else 0
    if objective == MELDS_DEADWOOD:
        w.w_points = 1
        w.w_hand = FIRST
    elif objective == MELDS_POINTS:
        w.w_points = FIRST
        w.w_hand = 1


@kernel
def _copy_part(source: Any, target: Any) -> None:
    target.once = source.once
    target.twice = source.twice
    for r in range(5):
        target.value[r] = source.value[r]
    target.points = source.points
    target.kind = source.kind
    target.jokers = source.jokers
    target.meld = source.meld
    target.low = source.low
    target.size = source.size
    target.suit = source.suit
    target.first = source.first
    target.joker_places = source.joker_places


@separate(
    types.void(WORK_TYPE, SEEN_TYPE, RULES_TYPE, PARTS_TYPE, ORDER_TYPE, FRAMES_TYPE, KEPT_TYPE)
)
def _search_branch(
    w: Any, table: Any, rules: Any, parts: Any, order: Any, frames: Any, kept: Any
) -> None:
    """List and search the parts for one set of swaps."""
    w.pays = 0
    if w.may_transit and w.jokers > 0 and w.w_points > 0:
        own = rules.score_swap_credit == CREDIT_OWNER and rules.values_joker_meld >= 0
        if rules.score_swap_credit == CREDIT_BOTH or own:
            w.pays = 1
    list_parts(w, table, rules, parts)
    set_out(w, rules, parts, order, frames[0])
    if w.lazy:
        search_any(w, table, rules, parts, order, frames)
    else:
        search(w, table, rules, parts, order, frames, 0)
    if w.improved:
        w.best_opening = w.opening
        w.best_pays = w.pays
        w.best_early = w.early
        for k in range(w.best_n):
            _copy_part(parts[w.best_part[k]], kept[k])


@kernel
def _swap_gain(w: Any, table: Any, rules: Any, m: Any, i: Any, card: Any) -> Any:
    """What a swap brings to the objective: points, the card that leaves, the joker that comes."""
    if table.meld_type[m] == RUN:
        value = run_value(rules, place_in_run(rules, np.int64(table.meld_rank[m]), i))
    else:
        value = set_value(rules, np.int64(table.meld_rank[m]))
    points = 0 if rules.score_swap_credit == CREDIT_OWNER else value
    if rules.score_swap_credit == CREDIT_SWAPPER and table.meld_seat[m, i] == w.seat:
        points -= gave(rules, table.meld_type[m], i, np.int64(table.meld_card[m, i]), value)
    comes = w.w_hand * rules.values_joker_hand + w.w_cards
    return w.w_points * points + w.w_hand * hand_value(rules, card) + w.w_cards - comes


@kernel
def _do_swap(w: Any, table: Any, rules: Any, m: Any, i: Any, card: Any, after: Any) -> None:
    n = w.n_swaps
    w.base += _swap_gain(w, table, rules, m, i, card)
    w.swap_meld[n] = m
    w.swap_place[n] = i
    w.swap_card[n] = card
    w.swap_after[n] = after
    w.swap_code[n] = table.meld_card[m, i]
    w.n_swaps = n + 1
    table.meld_card[m, i] = card
    table.meld_jokers[m] -= 1
    b = bits.CARD_BIT[card]
    if w.start_twice & b:
        w.start_twice &= ~b
    else:
        w.start_once &= ~b
    w.jokers += 1


@kernel
def _undo_swap(w: Any, table: Any, rules: Any) -> None:
    n = w.n_swaps - 1
    w.n_swaps = n
    m = np.int64(w.swap_meld[n])
    i = np.int64(w.swap_place[n])
    card = np.int64(w.swap_card[n])
    table.meld_card[m, i] = w.swap_code[n]
    table.meld_jokers[m] += 1
    w.base -= _swap_gain(w, table, rules, m, i, card)
    b = bits.CARD_BIT[card]
    if w.start_once & b:
        w.start_twice |= b
    else:
        w.start_once |= b
    w.jokers -= 1


@kernel
def _next_swap(w: Any, table: Any, rules: Any, start: Any) -> Any:
    """The first possible swap from place code ``start`` on: (code, after), or (-1, 0).

    A code is (meld * 16 + place) * 4 + suit.
    """
    code = start - 1
    while code + 1 < table.n_melds * 64:
        code += 1
        m = code >> 6
        i = (code >> 2) & 15
        if table.meld_jokers[m] == 0 or i >= table.meld_size[m]:
            code |= 63  # on to the next meld
            continue
        joker = np.int64(table.meld_card[m, i])
        if joker < bits.JOKER_AS:
            code |= 3
            continue
        card = (code & 3) * bits.RANKS + face(joker) % bits.RANKS
        if not w.start_once & bits.CARD_BIT[card]:
            continue
        reason = swap_reason(table, rules, m, i, card)
        if reason == OK:
            return code, 0
        locked = rules.joker_set_swap == SWAP_COMPLETE_ONLY and card == face(joker)
        if reason == SET_LOCKED and locked and rules.lay_off_on != LAY_OFF_NONE:
            return code, 1
    return -1, 0


@inlined
def _is_enough(w: Any) -> Any:
    return (w.lazy and w.found) or w.nodes > w.nodes_at_most


@kernel
def _walk_swaps(
    w: Any, table: Any, rules: Any, parts: Any, order: Any, frames: Any, kept: Any
) -> None:
    """Search every set of swaps, none first (a walk over the tree of place codes)."""
    _search_branch(w, table, rules, parts, order, frames, kept)
    if not w.use_swaps or _is_enough(w):
        return
    base = w.n_swaps
    start = 0
    while True:
        code, after = _next_swap(w, table, rules, start)
        if code >= 0:
            m = code >> 6
            i = (code >> 2) & 15
            card = (code & 3) * bits.RANKS + face(np.int64(table.meld_card[m, i])) % bits.RANKS
            w.swap_from[w.n_swaps] = code
            _do_swap(w, table, rules, m, i, card, after)
            _search_branch(w, table, rules, parts, order, frames, kept)
            if _is_enough(w):
                break
            start = (code | 3) + 1
            # A set of any suit: freeing another suit may open an earlier place.
            continue
        if w.n_swaps == base:
            break
        start = w.swap_from[w.n_swaps - 1] + 1
        _undo_swap(w, table, rules)
    while w.n_swaps > base:
        _undo_swap(w, table, rules)


@kernel
def _search_turn(
    w: Any, table: Any, rules: Any, parts: Any, order: Any, frames: Any, kept: Any
) -> None:
    """Search the ends without a new meld of one who has not opened, then those with one."""
    opened = table.opened[w.seat] == 1
    extend_early = opened or rules.lay_off_needs_opening == 0
    swap_early = opened or rules.joker_swap_needs_opening == 0
    swaps = rules.joker_swap == 1
    w.opening = OPENED
    if not may_hit(table, rules):
        w.may_transit = 0
        w.use_new = 0
        w.use_extensions = 0
        w.use_swaps = 0
        _walk_swaps(w, table, rules, parts, order, frames, kept)
        return
    free = opened or (rules.opening_points <= 0 and extend_early and swap_early)
    w.may_transit = 1 if swaps and swap_early else 0
    w.use_new = 1 if free else 0
    w.use_extensions = 1 if extend_early else 0
    w.use_swaps = 1 if swaps and swap_early else 0
    _walk_swaps(w, table, rules, parts, order, frames, kept)
    if free or _is_enough(w):
        return
    w.opening = MUST_OPEN if rules.opening_points > 0 else OPENS_BY_LAYING
    w.may_transit = 1 if swaps else 0
    w.use_new = 1
    w.use_extensions = 1
    w.use_swaps = 1 if swaps else 0
    _walk_swaps(w, table, rules, parts, order, frames, kept)


@kernel
def solve(
    w: Any, table: Any, rules: Any, once: Any, twice: Any, jokers: Any, parts: Any, order: Any,
    frames: Any, kept: Any,
) -> Any:  # fmt: skip
    """Find the best legal end of the turn; 1 if there is one.

    ``table`` is a SEEN record (changed and restored), the hand is that of ``table.turn``; the
    weights in ``w`` say what is best (``set_objective``). The value is ``w.best``: points, less
    the hand left over, less cards, as weighed.
    """
    w.seat = table.turn
    w.start_once = once
    w.start_twice = twice
    w.hand_jokers = jokers
    w.jokers = jokers
    w.unrecovered = jokers - table.to_replay
    w.must = table.must_use
    w.ban = table.no_rethrow
    w.found = 0
    w.best = 0
    w.best_n = 0
    w.best_n_swaps = 0
    w.best_forced = 0
    w.best_discard = NONE
    w.n_swaps = 0
    w.nodes = 0
    # Whether there is any legal end is a matter of the rules, not of patience.
    w.nodes_at_most = w.patience if w.patience > 0 and not w.lazy else NO_END_OF_NODES
    w.base = -w.w_hand * hand_total(rules, once, twice, jokers)
    plain = rules.meld_adjacent_jokers == 1 and rules.meld_max_jokers == 0
    w.nice = 1 if plain and rules.meld_min_naturals == 1 and rules.lay_off_on != LAY_OFF_NONE else 0
    if rules.meld_ace == WRAP:
        w.nice = 0  # an ace is low or high by the order in which the cards come
    lazy = w.lazy
    while True:
        _search_turn(w, table, rules, parts, order, frames, kept)
        if w.found or w.nodes <= w.nodes_at_most:
            break
        # Patience is at an end and nothing is there to be content with: any end will do.
        w.lazy = 1
        w.nodes_at_most = NO_END_OF_NODES
    w.lazy = lazy
    return w.found
