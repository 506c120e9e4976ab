"""Legal actions: checking one, listing all.

A turn has two kinds of conditions. What an action may be on its own is checked here
(``check``); that the turn can still be completed after it (``contracts`` 3) is asked of
``ramisim.kernels.finish``. Reasons are numbers; their words are in ``ramisim.reasons``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, kernel
from ramisim.kernels.shape import OK, check_run, check_set, face
from ramisim.kernels.state import (
    DISCARD,
    DRAW_DISCARD,
    DRAW_STOCK,
    HIGH,
    LAY,
    LAY_OFF,
    LOW,
    MAX_DECK,
    MELD_SIZE,
    NONE,
    PHASE_DRAW,
    PHASE_PLAY,
    RUN,
    SWAP,
)
from ramisim.kernels.turn import ROW_CARDS, held, may_hit
from ramisim.kernels.values import meld_points
from ramisim.kernels.words import (
    LAY_OFF_NONE,
    LAY_OFF_OWN_ONLY,
    POLICY_OPTIONAL,
    SWAP_COMPLETE_ONLY,
    SWAP_DECLARED,
    SWAP_NEVER,
    TAKE_NONE,
    TAKE_TOP,
)

DRAW_FIRST = 20
ALREADY_DRAWN = 21
ROUND_OVER = 22
STOCK_EMPTY = 23
PILE_CLOSED = 24
PILE_SHORT = 25
TOP_ONLY = 26
GATE_CLOSED = 27
NOT_IN_HAND = 28
OPEN_FIRST = 29
ALREADY_OPENED = 30
NO_OPENING_HERE = 31
OPENING_POINTS = 32
OPENING_RUN = 33
OPENING_PURE_RUN = 34
LAY_OFF_CLOSED = 35
LAY_OFF_OWN = 36
LAY_OFF_OPENING = 37
NO_SUCH_MELD = 38
SWAP_CLOSED = 39
SWAP_OPENING = 40
NO_SUCH_JOKER = 41
NOT_ITS_CARD = 42
NOT_MISSING = 43
SET_LOCKED = 44
MUST_USE = 45
MUST_REPLAY = 46
THROWN_BACK = 47
DISCARD_MANDATORY = 48
FINAL_DISCARD = 49
TABLE_FULL = 50


@kernel
def cards_in_hand(hidden: Any, seat: Any, codes: Any, n: Any) -> Any:
    """The first code that the hand cannot furnish, or -1."""
    once = hidden.once[seat]
    twice = hidden.twice[seat]
    jokers = np.int64(hidden.jokers[seat])
    for i in range(n):
        code = np.int64(codes[i])
        if code >= bits.JOKER_AS:
            jokers -= 1
            if jokers < 0:
                return np.int64(bits.JOKER)
            continue
        b = bits.CARD_BIT[code]
        if twice & b:
            twice &= ~b
        elif once & b:
            once &= ~b
        else:
            return code
    return np.int64(NONE)


@kernel
def check_draw(seen: Any, rules: Any, row: Any) -> Any:
    """Why a draw is refused, before completion is asked."""
    if row[0] == DRAW_STOCK:
        return OK if seen.n_stock > 0 else STOCK_EMPTY
    if rules.draw_discard == TAKE_NONE:
        return PILE_CLOSED
    if row[3] < 1 or row[3] > seen.n_discard:
        return PILE_SHORT
    if rules.draw_discard == TAKE_TOP and row[3] != 1:
        return TOP_ONLY
    return OK


@kernel
def check_meld(rules: Any, row: Any) -> Any:
    """Why the cards of a row are not the meld they say they are."""
    codes = row[ROW_CARDS:]
    if row[1] == RUN:
        return check_run(rules, codes, row[3])
    return check_set(rules, codes, row[3])


@kernel
def check_lay(seen: Any, hidden: Any, rules: Any, row: Any) -> Any:
    """Why laying one meld is refused, and the card it is about."""
    if rules.opening_points > 0 and not seen.opened[seen.turn]:
        return OPEN_FIRST, NONE
    missing = cards_in_hand(hidden, seen.turn, row[ROW_CARDS:], row[3])
    if missing != NONE:
        return NOT_IN_HAND, missing
    if seen.n_melds >= seen.meld_type.shape[0]:
        return TABLE_FULL, NONE
    return check_meld(rules, row), NONE


@kernel
def opening_points(rules: Any, rows: Any, n_melds: Any) -> Any:
    """Points, number of runs and of runs without joker of an opening's melds."""
    points = 0
    runs = 0
    pure = 0
    for k in range(n_melds):
        row = rows[k]
        low = face(np.int64(row[ROW_CARDS])) % bits.RANKS
        points += meld_points(rules, row[1], low, row[ROW_CARDS:], row[3])
        if row[1] == RUN:
            runs += 1
            jokers = 0
            for i in range(row[3]):
                jokers += row[ROW_CARDS + i] >= bits.JOKER_AS
            pure += jokers == 0
    return points, runs, pure


@kernel
def check_open(seen: Any, hidden: Any, rules: Any, rows: Any, n_melds: Any, codes: Any) -> Any:
    """Why an opening is refused, and the card or the points it is about.

    ``codes`` is scratch for all its cards (int64[MAX_DECK]).
    """
    if rules.opening_points <= 0:
        return NO_OPENING_HERE, NONE
    if seen.opened[seen.turn]:
        return ALREADY_OPENED, NONE
    n = 0
    for k in range(n_melds):
        for i in range(rows[k, 3]):
            codes[n] = rows[k, ROW_CARDS + i]
            n += 1
    missing = cards_in_hand(hidden, seen.turn, codes, n)
    if missing != NONE:
        return NOT_IN_HAND, missing
    if seen.n_melds + n_melds > seen.meld_type.shape[0]:
        return TABLE_FULL, NONE
    for k in range(n_melds):
        reason = check_meld(rules, rows[k])
        if reason != OK:
            return reason, NONE
    points, runs, pure = opening_points(rules, rows, n_melds)
    if points < rules.opening_points:
        return OPENING_POINTS, points
    if rules.opening_needs_run == 1 and runs == 0:
        return OPENING_RUN, NONE
    # A pure run is a run: the key asks for one even where needs_run is off.
    if rules.opening_pure_run == 1 and pure == 0:
        return OPENING_PURE_RUN, NONE
    return OK, NONE


@kernel
def lay_off_open(seen: Any, rules: Any, m: Any) -> Any:
    """Why the seat on turn may not lay off on a meld at all."""
    if m < 0 or m >= seen.n_melds:
        return NO_SUCH_MELD
    if rules.lay_off_on == LAY_OFF_NONE:
        return LAY_OFF_CLOSED
    if rules.lay_off_needs_opening == 1 and not seen.opened[seen.turn]:
        return LAY_OFF_OPENING
    if rules.lay_off_on == LAY_OFF_OWN_ONLY and seen.meld_by[m] != seen.turn:
        return LAY_OFF_OWN
    return OK


@kernel
def check_grown(seen: Any, rules: Any, m: Any, end: Any, added: Any, n: Any, codes: Any) -> Any:
    """Why a meld may not grow by these codes: limits hold for what it becomes (ruling D37)."""
    size = np.int64(seen.meld_size[m])
    is_run = seen.meld_type[m] == RUN
    before = n if is_run and end == LOW else 0
    after = 0 if is_run and end == LOW else size
    for i in range(size):
        codes[before + i] = seen.meld_card[m, i]
    for i in range(n):
        codes[after + i] = added[i]
    if is_run:
        return check_run(rules, codes, size + n)
    return check_set(rules, codes, size + n)


@kernel
def check_lay_off(seen: Any, hidden: Any, rules: Any, row: Any, codes: Any) -> Any:
    """Why a lay-off is refused, and the card it is about."""
    reason = lay_off_open(seen, rules, row[1])
    if reason != OK:
        return reason, NONE
    missing = cards_in_hand(hidden, seen.turn, row[ROW_CARDS:], row[3])
    if missing != NONE:
        return NOT_IN_HAND, missing
    m = row[1]
    if seen.meld_size[m] + row[3] > MELD_SIZE:
        return 2 if seen.meld_type[m] == RUN else 5, NONE
    return check_grown(seen, rules, m, row[2], row[ROW_CARDS:], row[3], codes), NONE


@kernel
def swap_reason(seen: Any, rules: Any, m: Any, i: Any, card: Any) -> Any:
    """Why a natural card does not free the joker at place ``i`` of a meld."""
    code = np.int64(seen.meld_card[m, i])
    if code < bits.JOKER_AS:
        return NO_SUCH_JOKER
    declared = face(code)
    if seen.meld_type[m] == RUN or rules.joker_set_swap == SWAP_DECLARED:
        return OK if card == declared else NOT_ITS_CARD
    if rules.joker_set_swap == SWAP_NEVER:
        return SET_LOCKED
    if rules.joker_set_swap == SWAP_COMPLETE_ONLY:
        if card != declared:
            return NOT_ITS_CARD
        return OK if seen.meld_size[m] >= 4 else SET_LOCKED
    if card % bits.RANKS != declared % bits.RANKS:
        return NOT_ITS_CARD
    for k in range(seen.meld_size[m]):
        if k != i and face(np.int64(seen.meld_card[m, k])) == card:
            return NOT_MISSING
    return OK


@kernel
def check_swap(seen: Any, hidden: Any, rules: Any, row: Any) -> Any:
    """Why a swap is refused, and the card it is about."""
    if rules.joker_swap == 0:
        return SWAP_CLOSED, NONE
    if rules.joker_swap_needs_opening == 1 and not seen.opened[seen.turn]:
        return SWAP_OPENING, NONE
    if row[1] < 0 or row[1] >= seen.n_melds:
        return NO_SUCH_MELD, NONE
    if row[2] < 0 or row[2] >= seen.meld_size[row[1]]:
        return NO_SUCH_JOKER, NONE
    card = np.int64(row[ROW_CARDS])
    if held(hidden, seen.turn, card) == 0:
        return NOT_IN_HAND, card
    return swap_reason(seen, rules, row[1], row[2], card), NONE


@inlined
def may_throw(seen: Any, hidden: Any, card: Any) -> Any:
    """Whether this card of the hand is not the single discard just taken (ruling D05)."""
    return card != seen.no_rethrow or held(hidden, seen.turn, card) > 1


@kernel
def check_discard(seen: Any, hidden: Any, rules: Any, card: Any) -> Any:
    """Why a discard (-1: none) is refused, and the card it is about."""
    if seen.must_use != NONE:
        return MUST_USE, np.int64(seen.must_use)
    if seen.to_replay > 0:
        return MUST_REPLAY, NONE
    if card == NONE:
        if seen.hand_size[seen.turn] == 0:
            return OK if rules.discard_final == POLICY_OPTIONAL else FINAL_DISCARD, NONE
        return OK if rules.discard_policy == POLICY_OPTIONAL else DISCARD_MANDATORY, NONE
    if held(hidden, seen.turn, card) == 0:
        return NOT_IN_HAND, card
    return OK if may_throw(seen, hidden, card) else THROWN_BACK, NONE


@kernel
def check(seen: Any, hidden: Any, rules: Any, rows: Any, n_rows: Any, codes: Any) -> Any:
    """Why an action is refused on its own: (reason, card or number it is about)."""
    op = rows[0, 0]
    if seen.phase != PHASE_DRAW and seen.phase != PHASE_PLAY:
        return ROUND_OVER, NONE
    if op == DRAW_STOCK or op == DRAW_DISCARD:
        if seen.phase != PHASE_DRAW:
            return ALREADY_DRAWN, NONE
        return check_draw(seen, rules, rows[0]), NONE
    if seen.phase != PHASE_PLAY:
        return DRAW_FIRST, NONE
    if op == DISCARD:
        return check_discard(seen, hidden, rules, np.int64(rows[0, ROW_CARDS]))
    if not may_hit(seen, rules):
        return GATE_CLOSED, NONE
    if op == LAY:
        return check_lay(seen, hidden, rules, rows[0])
    if op == LAY_OFF:
        return check_lay_off(seen, hidden, rules, rows[0], codes)
    if op == SWAP:
        return check_swap(seen, hidden, rules, rows[0])
    return check_open(seen, hidden, rules, rows, n_rows, codes)


@inlined
def _put(rows: Any, n: Any, op: Any, a: Any, b: Any, size: Any, code: Any) -> None:
    if n < rows.shape[0]:
        rows[n, 0] = op
        rows[n, 1] = a
        rows[n, 2] = b
        rows[n, 3] = size
        rows[n, ROW_CARDS] = code


@kernel
def _list_run_end(
    seen: Any, hidden: Any, rules: Any, m: Any, end: Any, rows: Any, n: Any, codes: Any
) -> Any:
    """The natural card and the joker that fit one end of a run."""
    size = np.int64(seen.meld_size[m])
    if size >= MELD_SIZE:
        return n
    place = seen.meld_rank[m] + (size if end == HIGH else -1)
    card = seen.meld_suit[m] * bits.RANKS + (place + bits.RANKS) % bits.RANKS
    added = codes[MAX_DECK : MAX_DECK + 1]
    for joker in range(2):
        code = card + bits.JOKER_AS * joker
        if held(hidden, seen.turn, np.int64(bits.JOKER if joker else card)) == 0:
            continue
        added[0] = code
        if check_grown(seen, rules, m, end, added, 1, codes) == OK:
            _put(rows, n, LAY_OFF, m, end, 1, code)
            n += 1
    return n


@kernel
def list_lay_offs(seen: Any, hidden: Any, rules: Any, rows: Any, n: Any, codes: Any) -> Any:
    """Append every lay-off of one card; ``codes`` is scratch int64[MAX_DECK + 1]."""
    added = codes[MAX_DECK : MAX_DECK + 1]
    for m in range(seen.n_melds):
        if lay_off_open(seen, rules, m) != OK:
            continue
        if seen.meld_type[m] == RUN:
            n = _list_run_end(seen, hidden, rules, m, LOW, rows, n, codes)
            n = _list_run_end(seen, hidden, rules, m, HIGH, rows, n, codes)
            continue
        if seen.meld_size[m] >= MELD_SIZE:
            continue
        for suit in range(bits.SUITS):
            card = suit * bits.RANKS + np.int64(seen.meld_rank[m])
            for joker in range(2):
                if held(hidden, seen.turn, np.int64(bits.JOKER) if joker else card) == 0:
                    continue
                added[0] = card + bits.JOKER_AS * joker
                if check_grown(seen, rules, m, HIGH, added, 1, codes) == OK:
                    _put(rows, n, LAY_OFF, m, HIGH, 1, added[0])
                    n += 1
    return n


@kernel
def _first_of_its_kind(seen: Any, m: Any, i: Any) -> Any:
    for k in range(i):
        if seen.meld_card[m, k] == seen.meld_card[m, i]:
            return False
    return True


@kernel
def list_swaps(seen: Any, hidden: Any, rules: Any, rows: Any, n: Any) -> Any:
    """Append every swap; of two jokers that stand for the same card the first (ruling D10)."""
    if rules.joker_swap == 0:
        return n
    if rules.joker_swap_needs_opening == 1 and not seen.opened[seen.turn]:
        return n
    for m in range(seen.n_melds):
        if seen.meld_jokers[m] == 0:
            continue
        for i in range(seen.meld_size[m]):
            code = np.int64(seen.meld_card[m, i])
            if code < bits.JOKER_AS or not _first_of_its_kind(seen, m, i):
                continue
            rank = face(code) % bits.RANKS
            for suit in range(bits.SUITS):
                card = suit * bits.RANKS + rank
                if held(hidden, seen.turn, card) == 0:
                    continue
                if swap_reason(seen, rules, m, i, card) == OK:
                    _put(rows, n, SWAP, m, i, 1, card)
                    n += 1
    return n


@kernel
def list_discards(seen: Any, hidden: Any, rules: Any, rows: Any, n: Any) -> Any:
    """Append every discard, cards in order of their ids, the joker and null last."""
    if seen.must_use != NONE or seen.to_replay > 0:
        return n
    left = hidden.once[seen.turn]
    while left != bits.U0:
        card = bits.BIT_CARD[bits.lowest(left)]
        left &= left - bits.U1
        if may_throw(seen, hidden, card):
            _put(rows, n, DISCARD, 0, 0, 1, card)
            n += 1
    if hidden.jokers[seen.turn] > 0 and may_throw(seen, hidden, np.int64(bits.JOKER)):
        _put(rows, n, DISCARD, 0, 0, 1, bits.JOKER)
        n += 1
    reason, _ = check_discard(seen, hidden, rules, np.int64(NONE))
    if reason == OK:
        _put(rows, n, DISCARD, 0, 0, 0, NONE)
        n += 1
    return n


@kernel
def can_end_now(seen: Any, hidden: Any, rules: Any) -> Any:
    """Whether the turn could be ended by a discard at once."""
    if seen.must_use != NONE or seen.to_replay > 0:
        return False
    seat = seen.turn
    size = seen.hand_size[seat]
    if size == 0:
        return rules.discard_final == POLICY_OPTIONAL
    if rules.discard_policy == POLICY_OPTIONAL:
        return True
    if size > 1 or seen.no_rethrow == NONE:
        return True
    return held(hidden, seat, np.int64(seen.no_rethrow)) == 0
