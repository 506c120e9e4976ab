"""The tunable heuristic: one family, a number for each leaning.

Drawing compares the best end of the turn with every take from the pile against the hand as it
is; laying lays the best end at once or holds back; throwing weighs what a card costs in the hand,
what it may still become, and what it gives to the others. ``PARAMS`` names the numbers in their
order; ``ramisim.strategy_texts`` says what each means. ``draw_worths``, ``laying`` and
``throw_worths`` give the values behind an answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.asking import DISCARD_SIGNATURE, DRAW_SIGNATURE, PLAYS_SIGNATURE
from ramisim.kernels.copies import copy_seen
from ramisim.kernels.jit import eager, inlined, kernel
from ramisim.kernels.services import (
    NOTHING,
    add_card,
    copies_held,
    copy_own,
    copy_plays,
    count_live,
    end_rows,
    end_value,
    take_values,
)
from ramisim.kernels.solve import CARDS, DEADWOOD, POINTS, SCORE
from ramisim.kernels.state import NONE, PHASE_PLAY, SWAP
from ramisim.kernels.strategies.weighing import (
    as_if_open,
    gifts,
    hand_promise,
    leave,
    partners,
    promise,
    risk,
)
from ramisim.kernels.turn import may_hit
from ramisim.kernels.values import hand_value
from ramisim.kernels.words import (
    FINISH_TURN,
    GATE_NONE,
    LAID_MINUS_HAND,
    MUST_NEVER,
    POLICY_OPTIONAL,
    TAKE_NONE,
)

PARAMS = (
    "stock", "deep", "pair_taken", "future", "build",
    "hold", "rami", "gate", "offer", "close", "guard", "chase", "late", "patience", "fast",
    "deadwood", "caught", "unopened", "thin", "keep", "live", "worth", "meld", "danger", "others",
    "joker",
)  # fmt: skip
"""Names of the parameters, in the order of the kernels' array."""
(
    STOCK, DEEP, PAIR_TAKEN, FUTURE, BUILD,
    HOLD, RAMI, GATE, OFFER, CLOSE, GUARD, CHASE, LATE, PATIENCE, FAST,
    DEAD, CAUGHT, UNOPENED, THIN, KEEP, LIVE, WORTH, MELD, DANGER, OTHERS,
    JOKER,
) = range(len(PARAMS))  # fmt: skip

AT_ONCE, DUTY, GOES_OUT, PRESSED, ENOUGH, HELD = range(6)
"""Why the end of a turn is laid, or ``HELD``: never held back, something must be used, it empties
the hand, the round may end soon, it is worth as much as was waited for."""
POINTS_A_CARD = 10.0
BARRED = -1e18
NO_TAKE = -1e12


@inlined
def _scored(rules: Any) -> Any:
    """Points count where they are scored; elsewhere only what is left in the hand does."""
    return SCORE if rules.score_method == LAID_MINUS_HAND else DEADWOOD


@inlined
def _objective(rules: Any, params: Any) -> Any:
    return CARDS if params[FAST] > 0.5 else _scored(rules)


@inlined
def _unopened(seen: Any, rules: Any) -> Any:
    return rules.opening_points > 0 and not seen.opened[seen.turn]


@inlined
def _may_be_rami(seen: Any, rules: Any) -> Any:
    return rules.score_rami_bonus > 0 and not seen.laid_before[seen.turn]


@kernel
def pressed(seen: Any, rules: Any, params: Any) -> Any:
    """Whether the round may end soon: an opponent is close, the stock low, the tour late."""
    near = params[CLOSE] if rules.score_method == LAID_MINUS_HAND else params[GUARD]
    if params[RAMI] > 0.0 and _may_be_rami(seen, rules):
        near = params[CHASE]
    for seat in range(seen.n_seats):
        if seat != seen.turn and seen.hand_size[seat] <= near:
            return True
    if rules.round_max_tours > 0 and seen.tour >= rules.round_max_tours:
        return True
    if params[PATIENCE] > 0.0 and seen.tour >= params[PATIENCE]:
        return True
    return rules.round_stock_end == FINISH_TURN and seen.n_stock <= params[LATE] * seen.n_seats


@kernel
def draw_worths(
    seen: Any, hand: Any, rules: Any, params: Any, box: Any, values: Any, live: Any, worths: Any
) -> Any:  # fmt: skip
    """What each draw is worth: ``worths[0]`` the stock, ``worths[n]`` the n uppermost discards.

    ``values`` (int64) and ``worths`` (float64) of one length, ``live`` int64[52]. NO_TAKE where
    a take is not legal. Returns the deepest take there is.
    """
    objective = _objective(rules, params)
    deepest = take_values(seen, hand, rules, objective, box, values)
    for n in range(deepest + 1):
        worths[n] = NO_TAKE
        if values[n] == NOTHING:
            continue
        worths[n] = float(values[n])
        if objective == CARDS:
            # What the take itself adds to the hand is no card got rid of.
            worths[n] = POINTS_A_CARD * (values[n] - max(n - 1, 0))
        worths[n] -= params[DEEP] * max(n - 1, 0)
    building = params[BUILD] != 0.0 and _unopened(seen, rules)
    if params[FUTURE] != 0.0 or building:
        _look_ahead(seen, hand, rules, params, box, values, live, worths, deepest, building)
    worths[0] += params[STOCK]
    if seen.n_stock == 0:
        worths[0] = -1e9
    if deepest >= 1 and params[PAIR_TAKEN] != 0.0:
        card = np.int64(seen.discard[seen.n_discard - 1])
        if card == bits.JOKER:
            worths[1] += params[JOKER]
        else:
            worths[1] += params[PAIR_TAKEN] * partners(hand, card)
    return deepest


@kernel
def _look_ahead(
    seen: Any, hand: Any, rules: Any, params: Any, box: Any, values: Any, live: Any, worths: Any,
    deepest: Any, building: Any,
) -> None:  # fmt: skip
    """Add what the cards left in the hand may become, and melds that cannot be laid yet."""
    table = box.seen[2]
    mine = box.mine[1]
    left = box.mine[2]
    count_live(seen, hand, rules, live)
    if building:
        as_if_open(seen, rules, table)
    else:
        copy_seen(seen, table)
    copy_own(hand, mine)
    table.phase = PHASE_PLAY
    objective = _objective(rules, params)
    for n in range(deepest + 1):
        if n > 0:
            card = np.int64(seen.discard[seen.n_discard - n])
            add_card(mine, card)
            if values[n] == NOTHING:
                continue
            must = n > 1 and rules.draw_must_use != MUST_NEVER and not building
            table.must_use = card if must else NONE
            table.no_rethrow = card if n == 1 and rules.discard_rethrow_taken == 0 else NONE
        value = end_value(table, mine, rules, objective, box)
        if value == NOTHING:
            continue
        if building:
            worths[n] += params[BUILD] * (value - values[n])
        if params[FUTURE] != 0.0:
            leave(box, mine, left)
            after = hand_promise(left, rules, live, params[LIVE], params[WORTH])
            worths[n] += params[FUTURE] * after


@eager(DRAW_SIGNATURE)
def draw(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any) -> Any:
    """Take what is worth most; the stock if nothing is worth more."""
    if rules.draw_discard == TAKE_NONE or seen.n_discard == 0:
        return np.int64(0)
    worths = box.codes[:64].view(np.float64)
    deepest = draw_worths(
        seen, hand, rules, params, box, box.cards[:64], box.cards[64:116], worths
    )  # fmt: skip
    best = np.int64(0)
    for n in range(1, deepest + 1):
        if worths[n] > worths[best]:
            best = np.int64(n)
    return best


@kernel
def _threshold(seen: Any, rules: Any, params: Any) -> Any:
    """Points that must be laid at once, gifts to the others aside."""
    hold = params[HOLD]
    if _may_be_rami(seen, rules):
        hold = max(hold, params[RAMI])
    if rules.opening_gate != GATE_NONE and not seen.hit_open:
        hold = max(hold, params[GATE])
    return hold


@kernel
def laying(seen: Any, hand: Any, rules: Any, params: Any, n_rows: Any, box: Any, live: Any) -> Any:
    """Why the end in ``box.work[0].rows`` is laid or ``HELD``, and the points waited for.

    The rows are spoilt where points are compared.
    """
    hold = _threshold(seen, rules, params)
    if hold <= 0.0 and params[OFFER] == 0.0:
        return AT_ONCE, hold
    if seen.must_use != NONE or seen.to_replay > 0:
        return DUTY, hold
    leaves = 0
    for i in range(n_rows - 1):
        row = box.work[0].rows[i]
        leaves += row[3] if row[0] != SWAP else 0
    if leaves >= hand.size - 1:
        return GOES_OUT, hold
    if pressed(seen, rules, params):
        return PRESSED, hold
    if params[OFFER] != 0.0:
        count_live(seen, hand, rules, live)
        hold += params[OFFER] * gifts(box, rules, live, n_rows)
    if float(end_value(seen, hand, rules, POINTS, box)) < hold:
        return HELD, hold
    return ENOUGH, hold


@eager(PLAYS_SIGNATURE)
def plays(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any, rows: Any) -> Any:
    """Lay the best end of the turn, or hold back."""
    objective = _objective(rules, params)
    n = end_rows(seen, hand, rules, objective, box)
    if n <= 1:
        return np.int64(0)
    why, _ = laying(seen, hand, rules, params, n, box, box.cards[64:116])
    if why == HELD:
        return np.int64(0)
    if why == ENOUGH:
        n = end_rows(seen, hand, rules, objective, box)
    return np.int64(copy_plays(box, n, rows))


@kernel
def _free_cards(seen: Any, hand: Any, rules: Any, params: Any, box: Any, left: Any) -> None:
    """The cards of the hand that no meld held back needs."""
    copy_own(hand, left)
    if params[MELD] == 0.0 or hand.size < 3:
        return
    holds = params[OFFER] != 0.0 or _threshold(seen, rules, params) > 0.0
    if not holds and not _unopened(seen, rules) and may_hit(seen, rules):
        return
    table = box.seen[2]
    as_if_open(seen, rules, table)
    if end_value(table, hand, rules, _scored(rules), box) == NOTHING:
        return
    leave(box, hand, left)
    thrown = box.work[0].best_discard
    if thrown != NONE:
        add_card(left, np.int64(thrown))


@kernel
def _burden(seen: Any, rules: Any, params: Any) -> Any:
    """Weight of what a card costs in the hand, as things stand."""
    if pressed(seen, rules, params):
        return params[CAUGHT]
    if _unopened(seen, rules):
        return params[UNOPENED]
    if rules.discard_policy == POLICY_OPTIONAL:
        return params[THIN]
    return params[DEAD]


@kernel
def throw_worths(
    seen: Any, hand: Any, rules: Any, params: Any, box: Any, live: Any, worths: Any
) -> None:  # fmt: skip
    """What throwing each card of the hand is worth (``worths`` float64[53], 52 the joker).

    BARRED where it may not be thrown; of cards that are not held nothing is written. ``live``
    (int64[52]) is counted where live cards matter.
    """
    if params[KEEP] != 0.0 or params[DANGER] != 0.0:
        count_live(seen, hand, rules, live)
    left = box.mine[2]
    _free_cards(seen, hand, rules, params, box, left)
    weight = _burden(seen, rules, params)
    cards = hand.once
    while cards != bits.U0:
        c = bits.BIT_CARD[bits.lowest(cards)]
        cards &= cards - bits.U1
        if c == seen.no_rethrow and copies_held(hand, c) < 2:
            worths[c] = BARRED
            continue
        worth = weight * hand_value(rules, c)
        if params[KEEP] != 0.0:
            worth -= params[KEEP] * promise(hand, rules, live, c, params[LIVE], params[WORTH])
        if copies_held(left, c) == 0:
            worth -= params[MELD]
        if params[DANGER] != 0.0:
            worth -= params[DANGER] * risk(seen, rules, live, c, params[OTHERS])
        worths[c] = worth
    worths[bits.JOKER] = BARRED
    if hand.jokers > 0 and (seen.no_rethrow != bits.JOKER or hand.jokers > 1):
        worths[bits.JOKER] = weight * hand_value(rules, bits.JOKER) - params[JOKER]


@eager(DISCARD_SIGNATURE)
def discard(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any) -> Any:
    """Throw what is worth most thrown; nothing where that is allowed and nothing is worth it."""
    worths = box.codes[:53].view(np.float64)
    throw_worths(seen, hand, rules, params, box, box.cards[64:116], worths)
    card = np.int64(NONE)
    best = BARRED
    cards = hand.once
    while cards != bits.U0:
        c = bits.BIT_CARD[bits.lowest(cards)]
        cards &= cards - bits.U1
        if worths[c] > best:
            best = worths[c]
            card = np.int64(c)
    if worths[bits.JOKER] > best:
        best = worths[bits.JOKER]
        card = np.int64(bits.JOKER)
    if hand.size > 0 and best < 0.0 and rules.discard_policy == POLICY_OPTIONAL:
        return np.int64(NONE)
    return card
