"""A leaf of the search, all cards decided: the duties of a turn, the discard, what it is worth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from ramisim.kernels import bits
from ramisim.kernels.jit import kernel, separate
from ramisim.kernels.kinds import FRAME_TYPE, PARTS_TYPE, RULES_TYPE, SEEN_TYPE, WORK_TYPE
from ramisim.kernels.opening import CANNOT, OPENED, copy_option, opening_gain
from ramisim.kernels.ordering import add_part, best_order
from ramisim.kernels.passing import part_can_pass
from ramisim.kernels.state import NONE
from ramisim.kernels.values import hand_value
from ramisim.kernels.words import POLICY_OPTIONAL, RECOVERED_REPLAYED


@kernel
def swaps_of(w: Any, card: Any) -> Any:
    """How many copies of a card the swaps take."""
    n = 0
    for k in range(w.n_swaps):
        n += w.swap_card[k] == card
    return n


@kernel
def _must_is_used(w: Any, frame: Any) -> Any:
    """Whether a copy of the natural card that must be used left the hand (a swap counts)."""
    if w.must < 0 or w.must == bits.JOKER or swaps_of(w, w.must) > 0:
        return True
    b = bits.CARD_BIT[w.must]
    if not frame.left_once & b:
        return True
    return w.start_twice & b and not frame.left_twice & b


@kernel
def _can_pass(w: Any, rules: Any, seen: Any, parts: Any, frame: Any) -> Any:
    """Whether some natural card of the turn could be preceded by a joker that comes back.

    With an opening to lay that is asked when it is known how (``_joker_passes``).
    """
    if not w.may_transit or w.jokers == 0:
        return False
    if w.opening != OPENED:
        return True
    for k in range(frame.chosen):
        if part_can_pass(w, rules, seen, parts[w.chosen[k]], w.jokers):
            return True
    return False


@kernel
def _jokers_settled(w: Any, rules: Any, seen: Any, parts: Any, frame: Any) -> Any:
    """The duties of jokers: 0 not met, 1 met, 2 met with a joker that passes.

    Recovered jokers that must be replayed are never kept; a joker that must be used must be
    played beyond those (ruling D06).
    """
    kept = frame.jokers
    replay = rules.joker_recovered == RECOVERED_REPLAYED
    if replay and kept + _laid_too_soon(w, parts, frame) > w.unrecovered:
        return 0
    if w.must != bits.JOKER:
        return 1
    if replay:
        return 1 if kept < w.unrecovered else 0
    if w.jokers - kept > 0:
        return 1
    return 2 if _can_pass(w, rules, seen, parts, frame) else 0


@kernel
def _ban_lifted(w: Any, rules: Any, seen: Any, parts: Any, frame: Any) -> Any:
    """Whether the joker just taken may be thrown: 0 no, 1 yes, 2 if a joker passes first."""
    if w.ban != bits.JOKER or frame.jokers >= 2:
        return 1
    if rules.joker_recovered == RECOVERED_REPLAYED:
        return 1 if frame.jokers < w.unrecovered else 0
    if w.jokers - frame.jokers > 0:
        return 1
    return 2 if _can_pass(w, rules, seen, parts, frame) else 0


@kernel
def _best_discard(w: Any, rules: Any, seen: Any, parts: Any, frame: Any, may_pass: Any) -> Any:
    """(gain, card, forced): the best legal last discard; gain CANNOT where there is none.

    ``may_pass``: whether a joker may pass so that it can be thrown.
    """
    if w.no_discard:
        return 0, np.int64(NONE), 0
    best = CANNOT
    card = NONE
    forced = 0
    left = frame.left_once
    while left != bits.U0:
        i = bits.lowest(left)
        b = bits.bit(i)
        left &= left - bits.U1
        c = bits.BIT_CARD[i]
        if c == w.ban and not frame.left_twice & b:
            copies = 2 if w.start_twice & b else 1
            if copies == 1 and swaps_of(w, c) == 0:
                continue
        gain = w.w_hand * hand_value(rules, c) + w.w_cards
        if gain > best:
            best = gain
            card = c
    if frame.jokers > 0:
        gain = w.w_hand * rules.values_joker_hand + w.w_cards
        if gain > best:
            lifted = _ban_lifted(w, rules, seen, parts, frame)
            if lifted == 1 or (lifted == 2 and may_pass):
                best = gain
                card = bits.JOKER
                forced = 1 if lifted == 2 else 0
    empty = frame.left_once == bits.U0 and frame.jokers == 0
    may_skip = rules.discard_final if empty else rules.discard_policy
    if may_skip == POLICY_OPTIONAL and best < 0:
        return 0, np.int64(NONE), 0
    return best, np.int64(card), forced


@kernel
def _order_gain(w: Any, rules: Any, parts: Any, frame: Any, base: Any) -> Any:
    """Gain of the chosen parts when jokers are put down in the best order."""
    if not w.pays:
        return frame.gain
    w.n_order = 0
    for k in range(frame.chosen):
        part = parts[w.chosen[k]]
        add_part(w, part)
    kept = 0 if rules.joker_recovered == RECOVERED_REPLAYED else frame.jokers
    return base + best_order(w, kept, kept == frame.jokers)


@kernel
def _grows(w: Any, parts: Any, frame: Any, m: Any) -> Any:
    """How a set grows whose joker waits for it: 0 not, 1 by jokers alone, 2 by a natural card."""
    how = 0
    for c in range(frame.chosen):
        part = parts[w.chosen[c]]
        if part.meld == m:
            how = 1 if part.once == bits.U0 else 2
    return how


@kernel
def _laid_too_soon(w: Any, parts: Any, frame: Any) -> Any:
    """Jokers laid before any is recovered, so that a set can grow and free one (0 or 1)."""
    recovered = w.hand_jokers - w.unrecovered
    by_joker = False
    for k in range(w.n_swaps):
        if not w.swap_after[k] or _grows(w, parts, frame, w.swap_meld[k]) == 2:
            recovered += 1
        else:
            by_joker = True
    return 1 if by_joker and recovered == 0 else 0


@kernel
def _waiting_sets_fit(w: Any, parts: Any, frame: Any) -> Any:
    """Swaps that need a set of four: (whether all can be, jokers that an opening must leave).

    The set must grow in this turn, with a card there is. What grows by a natural card frees its
    joker; what grows by jokers alone needs one before, out of the hand or freed by another swap.
    With an opening to lay first, those of the hand are taken for laid, and one must be left.
    """
    at_hand = w.hand_jokers if w.opening == OPENED else 0
    lacking = freed = False
    for k in range(w.n_swaps):
        how = _grows(w, parts, frame, w.swap_meld[k]) if w.swap_after[k] else 2
        if how == 0:
            return False, 0
        at_hand += how == 2
        lacking = lacking or how == 1
        if w.swap_after[k] and how == 2:
            freed = True
    return at_hand > 0 or not lacking, 1 if lacking and not freed else 0


@kernel
def _keep(w: Any, frame: Any, gain: Any, card: Any) -> None:
    w.found = 1
    w.best = gain
    w.best_discard = card
    w.best_n = frame.chosen
    w.best_jokers = frame.jokers
    for k in range(frame.chosen):
        w.best_part[k] = w.chosen[k]
    w.best_n_swaps = w.n_swaps
    for k in range(w.n_swaps):
        w.best_swap_meld[k] = w.swap_meld[k]
        w.best_swap_place[k] = w.swap_place[k]
        w.best_swap_card[k] = w.swap_card[k]
        w.best_swap_after[k] = w.swap_after[k]
    if w.opening != OPENED:
        for k in range(w.n_new):
            copy_option(w.option[k, w.option_choice[k]], w.best_option[k])
    w.improved = 1


@separate(types.void(WORK_TYPE, SEEN_TYPE, RULES_TYPE, PARTS_TYPE, FRAME_TYPE))
def leaf(w: Any, seen: Any, rules: Any, parts: Any, frame: Any) -> None:
    """All cards decided: keep this end of the turn if it is legal and the best."""
    if not _must_is_used(w, frame):
        return
    settled = _jokers_settled(w, rules, seen, parts, frame)
    fits, w.waits = _waiting_sets_fit(w, parts, frame)
    if settled == 0 or not fits:
        return
    may_pass = True
    while True:
        thrown, card, forced = _best_discard(w, rules, seen, parts, frame, may_pass)
        if thrown == CANNOT:
            return
        gain = _order_gain(w, rules, parts, frame, w.base) + thrown
        if w.found and gain <= w.best:
            return
        w.forced = 1 if forced or settled == 2 else 0
        if w.opening == OPENED:
            break
        least = w.best - thrown if w.found and not w.forced else CANNOT
        opened = opening_gain(w, seen, rules, parts, frame, least)
        if opened != CANNOT:
            gain = opened + thrown
            break
        if not forced:
            return
        may_pass = False
    if w.found and gain <= w.best:
        return
    _keep(w, frame, gain, card)
    w.best_forced = w.forced
