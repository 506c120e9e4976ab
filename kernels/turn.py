"""One turn: drawing, putting cards on the table, discarding, and what ends a round.

The functions here apply; ``legal`` lists and checks. All work in place on a ``SEEN`` record
(public) and a ``HIDDEN`` record (hands and stock). Nothing is checked twice: a caller that has
not asked ``legal`` first must know that the action is legal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, kernel, separate
from ramisim.kernels.kinds import HIDDEN_TYPE, ROW_TYPE, RULES_TYPE, SEEN_TYPE
from ramisim.kernels.shape import face
from ramisim.kernels.state import (
    DISCARD,
    DRAW_DISCARD,
    DRAW_STOCK,
    END_BLOCKED,
    END_OUT,
    END_STALL,
    END_STOCK,
    END_TOURS,
    LAY,
    LAY_OFF,
    LOW,
    NONE,
    NOT_ENDED,
    OPEN,
    PHASE_DRAW,
    PHASE_OVER,
    PHASE_PLAY,
    RUN,
    SWAP,
)
from ramisim.kernels.values import as_laid, gave, meld_points, place_in_run, run_value, set_value
from ramisim.kernels.words import (
    CREDIT_OWNER,
    CREDIT_SWAPPER,
    FIRST_OUT_ENDS,
    FIRST_TOUR_ASCENDING,
    GATE_FIRST_TOUR,
    GATE_NONE,
    GATE_ROTATING,
    MUST_ALWAYS,
    MUST_DEEP,
    RECOVERED_REPLAYED,
    RECYCLE,
)

ROW_CARDS = 4


@inlined
def held(hidden: Any, seat: Any, card: Any) -> Any:
    """How many copies of a card (52 = joker) a seat holds."""
    if card == bits.JOKER:
        return np.int64(hidden.jokers[seat])
    b = bits.CARD_BIT[card]
    if hidden.twice[seat] & b:
        return np.int64(2)
    return np.int64(1) if hidden.once[seat] & b else np.int64(0)


@kernel
def give(seen: Any, hidden: Any, seat: Any, card: Any) -> None:
    """Put a card into a hand."""
    seen.hand_size[seat] += 1
    if card == bits.JOKER:
        hidden.jokers[seat] += 1
        return
    b = bits.CARD_BIT[card]
    hidden.twice[seat] |= hidden.once[seat] & b
    hidden.once[seat] |= b


@kernel
def take(seen: Any, hidden: Any, seat: Any, card: Any) -> None:
    """Take a card out of a hand, and out of what the others know of it."""
    seen.hand_size[seat] -= 1
    if card == bits.JOKER:
        hidden.jokers[seat] -= 1
        if seen.known_jokers[seat] > 0:
            seen.known_jokers[seat] -= 1
        return
    b = bits.CARD_BIT[card]
    if hidden.twice[seat] & b:
        hidden.twice[seat] &= ~b
    else:
        hidden.once[seat] &= ~b
    if seen.known_twice[seat] & b:
        seen.known_twice[seat] &= ~b
    else:
        seen.known_once[seat] &= ~b


@kernel
def may_hit(seen: Any, rules: Any) -> Any:
    """Whether the seat on turn may put anything on the table (ruling D03)."""
    if rules.opening_gate == GATE_NONE or seen.hit_open:
        return True
    if rules.opening_gate == GATE_FIRST_TOUR and seen.tour > 1:
        return True
    if rules.opening_gate == GATE_ROTATING:
        return seen.turn == (seen.first_seat + seen.tour - 1) % seen.n_seats
    return seen.turn == seen.first_seat


@kernel
def stock_draw_size(seen: Any, rules: Any) -> Any:
    """Cards a draw from the stock brings (seed 002: three, four, ... in the first tour)."""
    n = 1
    if rules.deal_first_tour_draw == FIRST_TOUR_ASCENDING and seen.tour == 1:
        n = 3 + (seen.turn - seen.first_seat + seen.n_seats) % seen.n_seats
    return min(n, seen.n_stock)


@kernel
def draw_stock(seen: Any, hidden: Any, rules: Any) -> None:
    """Draw from the stock."""
    for _ in range(stock_draw_size(seen, rules)):
        give(seen, hidden, seen.turn, np.int64(hidden.stock[hidden.stock_next]))
        hidden.stock_next += 1
        seen.n_stock -= 1
    seen.phase = PHASE_PLAY


@kernel
def draw_discard(seen: Any, hidden: Any, rules: Any, n: Any) -> None:
    """Take the ``n`` uppermost cards of the discard pile."""
    seat = seen.turn
    base = seen.n_discard - n
    for i in range(base, seen.n_discard):
        card = np.int64(seen.discard[i])
        give(seen, hidden, seat, card)
        if card == bits.JOKER:
            seen.known_jokers[seat] += 1
        else:
            b = bits.CARD_BIT[card]
            seen.known_twice[seat] |= seen.known_once[seat] & b
            seen.known_once[seat] |= b
    deepest = np.int64(seen.discard[base])
    seen.n_discard = base
    if rules.draw_must_use == MUST_ALWAYS or (rules.draw_must_use == MUST_DEEP and n > 1):
        seen.must_use = deepest
    if n == 1 and rules.discard_rethrow_taken == 0:
        seen.no_rethrow = deepest
    seen.phase = PHASE_PLAY


@kernel
def note_played(seen: Any, card: Any) -> None:
    """What playing a card settles: the duty to use it, and the ban on throwing it back.

    Any copy counts (ruling D05); a joker settles a recovered one first (ruling D06).
    """
    if card == bits.JOKER and seen.to_replay > 0:
        seen.to_replay -= 1
        return
    if seen.must_use == card:
        seen.must_use = NONE
    if seen.no_rethrow == card:
        seen.no_rethrow = NONE


@inlined
def _play(seen: Any, hidden: Any, code: Any) -> None:
    card = np.int64(bits.JOKER) if code >= bits.JOKER_AS else np.int64(code)
    take(seen, hidden, seen.turn, card)
    note_played(seen, card)


@kernel
def _hit(seen: Any) -> None:
    seen.hit_open = 1
    seen.laid_now = 1


@kernel
def lay(seen: Any, hidden: Any, rules: Any, row: Any) -> None:
    """Lay a new meld."""
    m = seen.n_melds
    seat = seen.turn
    n = row[3]
    low = face(np.int64(row[ROW_CARDS])) % bits.RANKS
    jokers = 0
    for i in range(n):
        code = np.int64(row[ROW_CARDS + i])
        _play(seen, hidden, code)
        seen.meld_card[m, i] = code
        seen.meld_seat[m, i] = seat
        jokers += code >= bits.JOKER_AS
    seen.meld_type[m] = row[1]
    seen.meld_by[m] = seat
    seen.meld_size[m] = n
    seen.meld_rank[m] = low
    seen.meld_suit[m] = face(np.int64(row[ROW_CARDS])) // bits.RANKS if row[1] == RUN else NONE
    seen.meld_jokers[m] = jokers
    seen.points[seat] += meld_points(rules, row[1], low, row[ROW_CARDS:], n)
    seen.n_melds = m + 1
    # Where no opening is asked for, a player has opened once a meld is laid (ruling D25).
    seen.opened[seat] = 1
    _hit(seen)


@kernel
def lay_off(seen: Any, hidden: Any, rules: Any, row: Any) -> None:
    """Add cards to a meld, at an end of a run."""
    m = row[1]
    seat = seen.turn
    n = row[3]
    size = seen.meld_size[m]
    is_run = seen.meld_type[m] == RUN
    at = size
    if is_run and row[2] == LOW:
        for i in range(size - 1, -1, -1):
            seen.meld_card[m, i + n] = seen.meld_card[m, i]
            seen.meld_seat[m, i + n] = seen.meld_seat[m, i]
        seen.meld_rank[m] = face(np.int64(row[ROW_CARDS])) % bits.RANKS
        at = 0
    for i in range(n):
        code = np.int64(row[ROW_CARDS + i])
        _play(seen, hidden, code)
        seen.meld_card[m, at + i] = code
        seen.meld_seat[m, at + i] = seat
        seen.meld_jokers[m] += code >= bits.JOKER_AS
        if is_run:
            value = run_value(rules, place_in_run(rules, seen.meld_rank[m], at + i))
        else:
            value = set_value(rules, seen.meld_rank[m])
        seen.points[seat] += as_laid(rules, code, value)
    seen.meld_size[m] = size + n
    _hit(seen)


@kernel
def swap(seen: Any, hidden: Any, rules: Any, row: Any) -> None:
    """Put the natural card in the place of a joker and take the joker (rulings D10, D11, D38)."""
    m = row[1]
    i = row[2]
    seat = seen.turn
    card = np.int64(row[ROW_CARDS])
    if seen.meld_type[m] == RUN:
        value = run_value(rules, place_in_run(rules, seen.meld_rank[m], i))
    else:
        value = set_value(rules, seen.meld_rank[m])
    if rules.score_swap_credit == CREDIT_SWAPPER:
        code = np.int64(seen.meld_card[m, i])
        seen.points[seen.meld_seat[m, i]] -= gave(rules, seen.meld_type[m], i, code, value)
    if rules.score_swap_credit != CREDIT_OWNER:
        seen.points[seat] += value
    _play(seen, hidden, card)
    seen.meld_card[m, i] = card
    seen.meld_seat[m, i] = seat
    seen.meld_jokers[m] -= 1
    give(seen, hidden, seat, bits.JOKER)
    seen.known_jokers[seat] += 1
    if rules.joker_recovered == RECOVERED_REPLAYED:
        seen.to_replay += 1
    _hit(seen)


@kernel
def discard(seen: Any, hidden: Any, rules: Any, card: Any) -> None:
    """Throw a card (-1: none) and end the turn."""
    seat = seen.turn
    if card != NONE:
        take(seen, hidden, seat, card)
        seen.discard[seen.n_discard] = card
        seen.n_discard += 1
        if card != bits.JOKER:
            b = bits.CARD_BIT[card]
            seen.thrown_twice[seat] |= seen.thrown_once[seat] & b
            seen.thrown_once[seat] |= b
    if seen.hand_size[seat] == 0:
        seen.out_seat[seen.n_out] = seat
        seen.out_discard[seen.n_out] = card
        seen.out_rami[seen.n_out] = 0 if seen.laid_before[seat] else 1
        seen.n_out += 1
    if seen.laid_now:
        seen.laid_before[seat] = 1
    seen.laid_now = 0
    seen.must_use = NONE
    seen.no_rethrow = NONE
    seen.to_replay = 0
    _end_turn(seen, hidden, rules)


@kernel
def _over(seen: Any, reason: Any) -> None:
    seen.phase = PHASE_OVER
    seen.end = reason


@kernel
def _end_turn(seen: Any, hidden: Any, rules: Any) -> None:
    """Order of ruling D13: out, stock or blocked, tours, stall, recycle."""
    following = (seen.turn + 1) % seen.n_seats
    tour_is_over = following == seen.first_seat
    recycles = rules.round_stock_end == RECYCLE
    if seen.n_out > 0:
        # Completing the tour needs a stock to draw from (ruling D14).
        if rules.score_multi_out == FIRST_OUT_ENDS or tour_is_over or seen.n_stock == 0:
            _over(seen, END_OUT)
            return
    elif seen.n_stock == 0 and not recycles:
        _over(seen, END_STOCK)
        return
    elif seen.n_stock == 0 and (
        seen.n_discard <= 1
        or (rules.round_max_recycles > 0 and seen.recycles >= rules.round_max_recycles)
    ):
        _over(seen, END_BLOCKED)
        return
    elif tour_is_over and rules.round_max_tours > 0 and seen.tour >= rules.round_max_tours:
        _over(seen, END_TOURS)
        return
    elif tour_is_over and seen.tour >= rules.round_max_turns_per_player:
        _over(seen, END_STALL)
        return
    if seen.n_stock == 0:
        _recycle(seen, hidden)
    seen.turn = following
    seen.tour += tour_is_over
    seen.phase = PHASE_DRAW


@kernel
def _recycle(seen: Any, hidden: Any) -> None:
    """The pile but its top card becomes the stock, oldest first; a driver may shuffle it."""
    n = seen.n_discard - 1
    for i in range(n):
        hidden.stock[i] = seen.discard[i]
    hidden.stock_next = 0
    seen.n_stock = n
    seen.discard[0] = seen.discard[n]
    seen.n_discard = 1
    seen.recycles += 1


@separate(types.void(SEEN_TYPE, HIDDEN_TYPE, RULES_TYPE, ROW_TYPE))
def apply(seen: Any, hidden: Any, rules: Any, row: Any) -> None:
    """Apply one legal action row (an opening is its rows, one after another)."""
    op = row[0]
    if op == DRAW_STOCK:
        draw_stock(seen, hidden, rules)
    elif op == DRAW_DISCARD:
        draw_discard(seen, hidden, rules, np.int64(row[3]))
    elif op in (LAY, OPEN):
        lay(seen, hidden, rules, row)
    elif op == LAY_OFF:
        lay_off(seen, hidden, rules, row)
    elif op == SWAP:
        swap(seen, hidden, rules, row)
    elif op == DISCARD:
        discard(seen, hidden, rules, np.int64(row[ROW_CARDS]))


@kernel
def apply_row(seen: Any, hidden: Any, rules: Any, row: Any) -> None:
    """``apply`` with an entry for Python."""
    apply(seen, hidden, rules, row)


@kernel
def reset(seen: Any, hidden: Any, n_seats: Any, first_seat: Any, pool: Any) -> None:
    """An empty table before the deal (totals and the round number are left alone)."""
    seen.n_seats = n_seats
    seen.turn = first_seat
    seen.first_seat = first_seat
    seen.phase = PHASE_DRAW
    seen.tour = 1
    seen.hit_open = 0
    seen.recycles = 0
    seen.end = NOT_ENDED
    seen.pool = pool
    seen.n_stock = 0
    seen.laid_now = 0
    seen.must_use = NONE
    seen.no_rethrow = NONE
    seen.to_replay = 0
    seen.n_out = 0
    seen.n_melds = 0
    seen.n_discard = 0
    for seat in range(n_seats):
        seen.opened[seat] = 0
        seen.laid_before[seat] = 0
        seen.points[seat] = 0
        seen.hand_size[seat] = 0
        seen.known_once[seat] = bits.U0
        seen.known_twice[seat] = bits.U0
        seen.known_jokers[seat] = 0
        seen.thrown_once[seat] = bits.U0
        seen.thrown_twice[seat] = bits.U0
        hidden.once[seat] = bits.U0
        hidden.twice[seat] = bits.U0
        hidden.jokers[seat] = 0
    hidden.stock_next = 0


@kernel
def deal(seen: Any, hidden: Any, rules: Any, deck: Any, n_cards: Any) -> None:
    """Deal a shuffled deck: hands in blocks by seat, the upcard, and the rest as stock."""
    at = 0
    for seat in range(seen.n_seats):
        for _ in range(rules.deal_hand_size):
            give(seen, hidden, seat, np.int64(deck[at]))
            at += 1
    if rules.deal_upcard == 1:
        seen.discard[0] = deck[at]
        seen.n_discard = 1
        at += 1
    for i in range(at, n_cards):
        hidden.stock[i - at] = deck[i]
    seen.n_stock = n_cards - at
