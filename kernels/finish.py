"""The completion rule: an action is legal if and only if the turn can still be completed.

``box`` stands for the scratch of one thread, ``boxes`` for an array that holds it, made by
``box.new_boxes``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from ramisim.kernels.copies import copy_hand, copy_hidden, copy_seen
from ramisim.kernels.ending import solve_end, write_end
from ramisim.kernels.ending_plain import FOUND, UNKNOWN, plain_end
from ramisim.kernels.jit import kernel, separate
from ramisim.kernels.kinds import BOX_TYPE, HIDDEN_TYPE, ROWS_TYPE, RULES_TYPE, SEEN_TYPE
from ramisim.kernels.legal import (
    can_end_now,
    check,
    check_draw,
    list_discards,
    list_lay_offs,
    list_swaps,
)
from ramisim.kernels.melds import list_melds
from ramisim.kernels.scoring import score_round
from ramisim.kernels.shape import OK
from ramisim.kernels.solve import ANY_END, CARDS
from ramisim.kernels.state import (
    DISCARD,
    DRAW_DISCARD,
    DRAW_STOCK,
    NONE,
    PHASE_DRAW,
    PHASE_OVER,
    PHASE_PLAY,
    ROW,
    SWAP,
)
from ramisim.kernels.turn import apply, may_hit
from ramisim.kernels.words import MUST_DEEP, MUST_NEVER, POLICY_OPTIONAL, RECOVERED_FREE


@kernel
def best_end(seen: Any, hidden: Any, rules: Any, objective: Any, box: Any) -> Any:
    """Solve and write down the best end of the turn; its value is ``box.work[0].best``.

    Returns the number of rows in ``box.work[0].rows``, 0 where the turn cannot be completed.
    """
    table = box.seen[0]
    hand = box.hidden[0]
    copy_seen(seen, table)
    copy_hand(hidden, hand, seen.turn)
    seat = seen.turn
    if not solve_end(
        box, table, rules, hand.once[seat], hand.twice[seat], np.int64(hand.jokers[seat]),
        np.int64(objective),
    ):  # fmt: skip
        return np.int64(0)
    return write_end(box, table, hand, rules)


@kernel
def completable(seen: Any, hidden: Any, rules: Any, box: Any) -> Any:
    """Whether the turn on hand can be completed; ``seen`` may be changed and is restored."""
    if seen.phase != PHASE_PLAY or can_end_now(seen, hidden, rules):
        return True
    seat = seen.turn
    mine = box.mine[1]
    mine.once = hidden.once[seat]
    mine.twice = hidden.twice[seat]
    mine.jokers = hidden.jokers[seat]
    state, _, _, _ = plain_end(seen, mine, rules, CARDS)
    if state != UNKNOWN:
        return state == FOUND
    found = solve_end(
        box, seen, rules, mine.once, mine.twice, np.int64(mine.jokers), np.int64(ANY_END),
    )  # fmt: skip
    return found == 1


@kernel
def surely_completable(seen: Any, hidden: Any, rules: Any, row: Any) -> Any:
    """Whether it needs no search to see that the turn can be completed after an action."""
    op = row[0]
    if op == DRAW_STOCK or op == DISCARD:
        return True
    size = seen.hand_size[seen.turn]
    if op == DRAW_DISCARD:
        must = rules.draw_must_use
        return size > 0 and (must == MUST_NEVER or (must == MUST_DEEP and row[3] == 1))
    if seen.must_use != NONE or seen.to_replay > 0:
        return False
    if op == SWAP:
        return rules.joker_recovered == RECOVERED_FREE and size > 1
    left = size - row[3]
    if left == 0:
        return rules.discard_final == POLICY_OPTIONAL
    return left > 1 or seen.no_rethrow == NONE or rules.discard_policy == POLICY_OPTIONAL


@kernel
def completable_after(seen: Any, hidden: Any, rules: Any, rows: Any, n_rows: Any, box: Any) -> Any:
    """Whether the turn can be completed after an action (an opening has several rows)."""
    if n_rows == 1 and surely_completable(seen, hidden, rules, rows[0]):
        return True
    trial = box.seen[0]
    hand = box.hidden[0]
    copy_seen(seen, trial)
    # A draw from the stock is always completable, so the trial needs no stock.
    copy_hand(hidden, hand, seen.turn)
    for i in range(n_rows):
        apply(trial, hand, rules, rows[i])
    return completable(trial, hand, rules, box)


@kernel
def _keep_legal(
    seen: Any, hidden: Any, rules: Any, rows: Any, begin: Any, end: Any, box: Any
) -> Any:
    """Move the completable ones of rows begin..end to the front; returns their new end."""
    to = begin
    for i in range(begin, end):
        if completable_after(seen, hidden, rules, rows[i : i + 1], 1, box):
            if to != i:
                for k in range(ROW):
                    rows[to, k] = rows[i, k]
            to += 1
    return to


@kernel
def _list_draws(seen: Any, rules: Any, rows: Any) -> Any:
    n = 0
    if seen.n_stock > 0:
        rows[n, 0] = DRAW_STOCK
        rows[n, 3] = 0
        n += 1
    for depth in range(1, seen.n_discard + 1):
        rows[n, 0] = DRAW_DISCARD
        rows[n, 3] = depth
        if check_draw(seen, rules, rows[n]) != OK:
            break
        n += 1
    return n


@separate(types.int64(SEEN_TYPE, HIDDEN_TYPE, RULES_TYPE, ROWS_TYPE, BOX_TYPE))
def list_legal(seen: Any, hidden: Any, rules: Any, rows: Any, box: Any) -> Any:
    """Every legal action but openings, as rows; the number there are.

    Where the number exceeds the length of ``rows`` the list is not complete: ask again with a
    longer one.
    """
    if seen.phase == PHASE_OVER:
        return 0
    if seen.phase == PHASE_DRAW:
        n = _list_draws(seen, rules, rows)
        return _keep_legal(seen, hidden, rules, rows, 0, n, box)
    n = 0
    seat = seen.turn
    if may_hit(seen, rules):
        if rules.opening_points <= 0 or seen.opened[seat]:
            n = list_melds(
                hidden.once[seat], hidden.twice[seat], np.int64(hidden.jokers[seat]), rules, rows,
                -1,
            )  # fmt: skip
        n = list_lay_offs(seen, hidden, rules, rows, n, box.codes)
        n = list_swaps(seen, hidden, rules, rows, n)
        if n > rows.shape[0]:
            return n + 64
        n = _keep_legal(seen, hidden, rules, rows, 0, n, box)
    return list_discards(seen, hidden, rules, rows, n)


@kernel
def list_some_legal(seen: Any, hidden: Any, rules: Any, rows: Any, box: Any) -> Any:
    """``list_legal`` as far as ``rows`` reach: plays, without discards, where there are more."""
    n = list_legal(seen, hidden, rules, rows, box)
    if n <= rows.shape[0]:
        return n
    return _keep_legal(seen, hidden, rules, rows, 0, rows.shape[0], box)


@kernel
def count_sequences(seens: Any, hiddens: Any, rules: Any, depth: Any, rows: Any, boxes: Any) -> Any:
    """Perft: sequences of legal actions of a length (``contracts`` 4), openings left out.

    ``seens[0]``/``hiddens[0]`` hold the position, the next places are scratch for the others;
    ``rows`` is int16[depth, many, ROW]. -1 where a position has more actions than ``rows`` hold.
    """
    if depth == 0 or seens[0].phase == PHASE_OVER:
        # A round that ends early is one sequence, at every later depth.
        return 1
    n = list_legal(seens[0], hiddens[0], rules, rows[0], boxes[0])
    if n > rows.shape[1]:
        return -1
    if depth == 1:
        return n
    total = 0
    for i in range(n):
        copy_seen(seens[0], seens[1])
        copy_hidden(hiddens[0], hiddens[1], seens[0].n_seats, seens[0].n_stock)
        apply(seens[1], hiddens[1], rules, rows[0, i])
        below = count_sequences(seens[1:], hiddens[1:], rules, depth - 1, rows[1:], boxes)
        if below < 0:
            return below
        total += below
    return total


CANNOT_COMPLETE = 100


@kernel
def try_rows(seens: Any, hiddens: Any, rules: Any, rows: Any, n_rows: Any, boxes: Any) -> Any:
    """Apply an action if it is legal: (0, -1), or the reason why not and what it is about."""
    seen = seens[0]
    hidden = hiddens[0]
    box = boxes[0]
    reason, about = check(seen, hidden, rules, rows, n_rows, box.codes)
    if reason != OK:
        return reason, about
    if not completable_after(seen, hidden, rules, rows, n_rows, box):
        return CANNOT_COMPLETE, NONE
    for i in range(n_rows):
        apply(seen, hidden, rules, rows[i])
    return OK, NONE


@kernel
def list_legal_of(seens: Any, hiddens: Any, rules: Any, rows: Any, boxes: Any) -> Any:
    """``list_legal`` for records in arrays, as Python holds them."""
    return list_legal(seens[0], hiddens[0], rules, rows, boxes[0])


@kernel
def best_end_of(seens: Any, hiddens: Any, rules: Any, objective: Any, boxes: Any) -> Any:
    """``best_end`` for records in arrays, as Python holds them."""
    return best_end(seens[0], hiddens[0], rules, objective, boxes[0])


@kernel
def score_of(seens: Any, hiddens: Any, rules: Any, out: Any) -> None:
    """``score_round`` for records in arrays; ``out`` is int64[3, seats], the score in row 2."""
    score_round(seens[0], hiddens[0], rules, out[0], out[1], out[2])
