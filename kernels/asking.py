"""Asking strategies: what they are given, what they answer, and the check of every answer.

A strategy is three compiled functions of one signature each, called through first-class function
values, so that the engine is compiled once and a user's strategy plugs in without recompiling it:

``draw(seen, hand, rules, params, key, box) -> int``
    0 for the stock, n for the n uppermost discards.
``plays(seen, hand, rules, params, key, box, rows) -> int``
    Writes action rows, returns how many.
``discard(seen, hand, rules, params, key, box) -> int``
    A card id, 52 for a joker, -1 for none.

``seen`` is a copy of the public record and ``hand`` of the player's own hand: there is nothing
else they could look at, and what they change is thrown away. ``key`` is (seed, deal, round,
strategy, decision): with it a strategy draws its own chance (``random.uniform_below``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from ramisim.kernels import bits
from ramisim.kernels.copies import copy_whole
from ramisim.kernels.finish import CANNOT_COMPLETE, completable_after
from ramisim.kernels.jit import inlined, kernel, separate
from ramisim.kernels.kinds import (
    BOX_TYPE,
    FAULT_TYPE,
    HAND_TYPE,
    HIDDEN_TYPE,
    ROWS_TYPE,
    RULES_TYPE,
    SEEN_TYPE,
    TALLY_TYPE,
)
from ramisim.kernels.legal import check
from ramisim.kernels.shape import OK
from ramisim.kernels.state import (
    DISCARD,
    DRAW_DISCARD,
    DRAW_STOCK,
    LAY,
    LAY_OFF,
    MAX_DECK,
    NONE,
    OPEN,
    PHASE_PLAY,
    ROW,
    RUN,
    SET,
    SWAP,
)
from ramisim.kernels.turn import ROW_CARDS, apply, stock_draw_size

PARAMS_TYPE = types.Array(types.float64, 1, "C")
KEY_TYPE = types.Array(types.uint64, 1, "C")
_COMMON = (SEEN_TYPE, HAND_TYPE, RULES_TYPE, PARAMS_TYPE, KEY_TYPE, BOX_TYPE)
DRAW_SIGNATURE = types.int64(*_COMMON)
PLAYS_SIGNATURE = types.int64(*_COMMON, ROWS_TYPE)
DISCARD_SIGNATURE = types.int64(*_COMMON)

TOO_MANY_PLAYS = 101
NOT_A_PLAY = 102
NOT_A_CARD = 103
MAX_PLAYS = 150


@kernel
def show(seen: Any, hidden: Any, view: Any, hand: Any) -> None:
    """Copy what the seat on turn may see, whole: nothing is left of what a strategy wrote there."""
    copy_whole(seen, view)
    seat = seen.turn
    hand.once = hidden.once[seat]
    hand.twice = hidden.twice[seat]
    hand.jokers = hidden.jokers[seat]
    hand.size = seen.hand_size[seat]


@kernel
def clear_tally(tally: Any, hidden: Any, n_seats: Any) -> None:
    """Start the tally of a round after the deal."""
    for seat in range(n_seats):
        tally.turns[seat] = 0
        tally.opened_turn[seat] = 0
        tally.stock_draws[seat] = 0
        tally.discard_draws[seat] = 0
        tally.deep_cards[seat] = 0
        tally.melds[seat] = 0
        tally.lay_offs[seat] = 0
        tally.swaps[seat] = 0
        tally.jokers_seen[seat] = hidden.jokers[seat]
        tally.decisions[seat] = 0


@kernel
def _count(seen: Any, hidden: Any, rules: Any, tally: Any, row: Any) -> None:
    """Tally an action about to be applied."""
    op = row[0]
    seat = seen.turn
    if op == DRAW_STOCK:
        tally.turns[seat] += 1
        tally.stock_draws[seat] += 1
        for i in range(stock_draw_size(seen, rules)):
            tally.jokers_seen[seat] += hidden.stock[hidden.stock_next + i] == bits.JOKER
    elif op == DRAW_DISCARD:
        tally.turns[seat] += 1
        tally.discard_draws[seat] += 1
        tally.deep_cards[seat] += row[3] - 1
        for i in range(seen.n_discard - row[3], seen.n_discard):
            tally.jokers_seen[seat] += seen.discard[i] == bits.JOKER
    elif op == LAY or op == OPEN:
        tally.melds[seat] += 1
        if tally.opened_turn[seat] == 0:
            tally.opened_turn[seat] = tally.turns[seat]
    elif op == LAY_OFF:
        tally.lay_offs[seat] += row[3]
    elif op == SWAP:
        tally.swaps[seat] += 1
        tally.jokers_seen[seat] += 1


@kernel
def _refuse(fault: Any, seen: Any, code: Any, about: Any, op: Any) -> None:
    fault.code = code
    fault.about = about
    fault.seat = seen.turn
    fault.op = op


@separate(
    types.int64(
        SEEN_TYPE, HIDDEN_TYPE, RULES_TYPE, ROWS_TYPE, types.int64, BOX_TYPE, TALLY_TYPE, FAULT_TYPE
    )
)
def _try(
    seen: Any, hidden: Any, rules: Any, rows: Any, n: Any, box: Any, tally: Any, fault: Any
) -> Any:
    """Check an action, then count and apply it; 0 and the fault where it is refused."""
    reason, about = check(seen, hidden, rules, rows, n, box.codes)
    if reason == OK and not completable_after(seen, hidden, rules, rows, n, box):
        reason = CANNOT_COMPLETE
    if reason != OK:
        _refuse(fault, seen, reason, about, rows[0, 0])
        return 0
    for i in range(n):
        _count(seen, hidden, rules, tally, rows[i])
        apply(seen, hidden, rules, rows[i])
    return 1


@kernel
def _opening_size(rows: Any, i: Any, n: Any) -> Any:
    """Rows of the action that begins at row i: an opening goes on to the meld marked last."""
    if rows[i, 0] != OPEN:
        return 1
    k = i
    while k < n and rows[k, 0] == OPEN and rows[k, 2] == 0:
        k += 1
    return min(k, n - 1) - i + 1


@kernel
def _well_formed(rows: Any, i: Any, size: Any) -> Any:
    """Whether rows of a strategy say an action at all: kernels look up what they find in them."""
    op = rows[i, 0]
    cards = np.int64(0)
    for k in range(i, i + size):
        row = rows[k]
        n = row[3]
        if row[0] != op or op < LAY or op > SWAP or n < 1 or n > ROW - ROW_CARDS:
            return False
        if op == OPEN and (row[2] == 1) != (k == i + size - 1):
            return False
        if (op == LAY or op == OPEN) and row[1] != SET and row[1] != RUN:
            return False
        for c in range(ROW_CARDS, ROW_CARDS + n):
            code = row[c]
            if code >= bits.JOKER_AS and op != SWAP:
                code -= bits.JOKER_AS
            if code < 0 or code >= bits.JOKER:
                return False
        cards += n
    return cards <= MAX_DECK


@kernel
def answer_draw(
    seen: Any, hidden: Any, rules: Any, n: Any, box: Any, tally: Any, fault: Any, rows: Any
) -> Any:
    """Draw as a strategy answered (0 stock, n discards); False where that is refused.

    The action is ``rows[0]``; ``fault.played`` counts the rows of this turn.
    """
    fault.played = 0
    for k in range(ROW):
        rows[0, k] = 0
    rows[0, 0] = DRAW_STOCK if n == 0 else DRAW_DISCARD
    rows[0, 3] = max(-1, min(n, 1000))
    if not _try(seen, hidden, rules, rows[:1], 1, box, tally, fault):
        return False
    fault.played = 1
    return True


@kernel
def answer_plays(
    seen: Any, hidden: Any, rules: Any, n: Any, box: Any, tally: Any, fault: Any, rows: Any
) -> Any:
    """Play the n rows that a strategy wrote from ``rows[1]`` on; False where one is refused."""
    if n < 0 or n > MAX_PLAYS - 2:
        _refuse(fault, seen, TOO_MANY_PLAYS, max(-1, min(n, 1 << 20)), LAY)
        return False
    i = 1
    while i < 1 + n:
        size = _opening_size(rows, i, 1 + n)
        if not _well_formed(rows, i, size):
            _refuse(fault, seen, NOT_A_PLAY, i - 1, rows[i, 0])
            return False
        if not _try(seen, hidden, rules, rows[i : i + size], size, box, tally, fault):
            return False
        i += size
        fault.played = i
    return True


@kernel
def answer_discard(
    seen: Any, hidden: Any, rules: Any, card: Any, box: Any, tally: Any, fault: Any, rows: Any
) -> Any:
    """End the turn by the discard that a strategy named; False where it is refused."""
    i = fault.played
    for k in range(ROW):
        rows[i, k] = 0
    rows[i, 0] = DISCARD
    rows[i, 3] = 0 if card == NONE else 1
    rows[i, ROW_CARDS] = max(-1, min(card, 100))
    if card < NONE or card > bits.JOKER:
        _refuse(fault, seen, NOT_A_CARD, max(-1 << 20, min(card, 1 << 20)), DISCARD)
        return False
    if not _try(seen, hidden, rules, rows[i : i + 1], 1, box, tally, fault):
        return False
    fault.played = i + 1
    return True


@kernel
def ask_next(seen: Any, hidden: Any, view: Any, hand: Any, key: Any, tally: Any, asked: Any, fault: Any) -> None:  # noqa: E501  # fmt: skip
    """Get ready for the next question of a turn (0 draw, 1 plays, 2 discard)."""
    show(seen, hidden, view, hand)
    if asked == 0:
        fault.played = 0
        key[4] = tally.decisions[seen.turn]
        tally.decisions[seen.turn] += 3
    else:
        key[4] += np.uint64(1)
    fault.asked = asked


@inlined  # as an argument ``asks`` is 72 words on the stack: that was a seventh of a round
def play_turn(
    seen: Any, hidden: Any, rules: Any,
    asks: Any,
    player: Any,
    params: Any, key: Any, box: Any, tally: Any,
    fault: Any, rows: Any,
) -> Any:  # fmt: skip
    """Let a strategy play one turn; the number of rows played, or -1 with ``fault`` set.

    ``asks`` are the (draws, plays, discards) of all strategies, three tuples of functions of one
    signature each, and ``player`` is the strategy's place in them; ``rows`` (int16[MAX_PLAYS,
    ROW]) receives the actions. What a strategy raises comes through, with ``fault.asked`` and
    ``fault.played`` saying where.
    """
    view = box.seen[1]
    hand = box.mine[0]
    draws, all_plays, discards = asks
    ask_next(seen, hidden, view, hand, key, tally, 0, fault)
    n = draws[player](view, hand, rules, params, key, box)
    if not answer_draw(seen, hidden, rules, n, box, tally, fault, rows):
        return -1
    ask_next(seen, hidden, view, hand, key, tally, 1, fault)
    n = all_plays[player](view, hand, rules, params, key, box, rows[1:])
    if not answer_plays(seen, hidden, rules, n, box, tally, fault, rows):
        return -1
    ask_next(seen, hidden, view, hand, key, tally, 2, fault)
    card = discards[player](view, hand, rules, params, key, box)
    if not answer_discard(seen, hidden, rules, card, box, tally, fault, rows):
        return -1
    return fault.played


__all__ = [
    "DISCARD_SIGNATURE",
    "DRAW_SIGNATURE",
    "PHASE_PLAY",
    "PLAYS_SIGNATURE",
    "answer_discard",
    "answer_draw",
    "answer_plays",
    "ask_next",
    "play_turn",
]
