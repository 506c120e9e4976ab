"""Branch and bound over the parts of a turn: which to take, and what to throw.

Cards are decided one after another, lowest bit first: part of something, or left in the hand.
A bound that adds up over cards cuts what cannot beat the best so far. At a leaf the duties are
checked (the card that must be used, recovered jokers, the opening, a card to throw).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from ramisim.kernels import bits
from ramisim.kernels.doubling import BIG
from ramisim.kernels.jit import inlined, kernel, separate
from ramisim.kernels.kinds import FRAME_TYPE, PARTS_TYPE, RULES_TYPE, SEEN_TYPE, WORK_TYPE
from ramisim.kernels.legal import POLICY_OPTIONAL
from ramisim.kernels.ordering import add_part, add_to_order, best_order, list_options
from ramisim.kernels.passing import part_can_pass, rest_can_pass
from ramisim.kernels.pricing import (
    JOKERS_ALONE,
    bound_discard,
    order_parts,
    price_gains,
    price_points,
    sum_of,
)
from ramisim.kernels.state import NONE
from ramisim.kernels.values import hand_value
from ramisim.kernels.work import ABOVE_RUN, BELOW_RUN, MAX_NEW

CANNOT = -BIG
OPENED, MUST_OPEN, OPENS_BY_LAYING = 0, 1, 2


@kernel
def set_out(w: Any, rules: Any, parts: Any, order: Any, root: Any) -> None:
    """Order and price the parts listed, and set out the root of the search."""
    order_parts(w, parts, order)
    price_gains(w, parts, order)
    if w.opening == MUST_OPEN:
        price_points(w, parts, order)
    bound_discard(w, rules)
    root.once = w.start_once
    root.twice = w.start_twice
    root.left_once = bits.U0
    root.left_twice = bits.U0
    root.low_used = bits.U0
    root.high_used = bits.U0
    root.gain = w.base
    root.jokers = w.jokers
    root.chosen = 0
    root.next = -1
    root.stop = 0
    root.card = -1
    root.new_points = 0
    root.bound = w.base + sum_of(w.price, root.once, root.twice) + w.jokers * w.joker_price
    root.thrown = 0
    w.improved = 0


@inlined
def _bound(w: Any, frame: Any) -> Any:
    """The most that can come of a node, the discard included."""
    return frame.bound + max(frame.thrown, w.discard_bound)


@kernel
def _may_still_open(w: Any, frame: Any, rules: Any) -> Any:
    if w.may_transit and w.jokers > 0 and rules.values_joker_meld >= 0:
        return True  # jokers that pass may bring more than the cards
    points = frame.new_points + frame.jokers * w.joker_point_price
    return points + sum_of(w.point_price, frame.once, frame.twice) >= rules.opening_points


@kernel
def _fits(w: Any, rules: Any, seen: Any, parts: Any, part: Any, frame: Any) -> Any:
    """Whether a part's cards, jokers and end of a meld are still free."""
    if part.once & ~frame.once or part.twice & ~frame.twice or part.jokers > frame.jokers:
        return False
    if part.meld < 0:
        return True
    m = bits.bit(np.int64(part.meld))
    if part.kind == BELOW_RUN:
        if frame.low_used & m:
            return False
    elif frame.high_used & m:
        return False
    if part.kind == BELOW_RUN or part.kind == ABOVE_RUN:
        return _both_ends_fit(w, rules, seen, parts, part, frame)
    return True


@kernel
def _both_ends_fit(w: Any, rules: Any, seen: Any, parts: Any, part: Any, frame: Any) -> Any:
    """The limits of a run hold for both extensions together."""
    m = part.meld
    bit = bits.bit(np.int64(m))
    other = frame.high_used if part.kind == BELOW_RUN else frame.low_used
    if not other & bit:
        return True
    for k in range(frame.chosen):
        chosen = parts[w.chosen[k]]
        if chosen.meld == m:
            size = np.int64(seen.meld_size[m]) + chosen.size + part.size
            if size > min(rules.meld_run_max, 16):
                return False
            # Round the corner the two ends could meet.
            if size > bits.RANKS and rules.meld_ace == 3:
                return False
            jokers = np.int64(seen.meld_jokers[m]) + chosen.jokers + part.jokers
            if rules.meld_max_jokers > 0 and jokers > rules.meld_max_jokers:
                return False
    return True


@kernel
def _wanted(w: Any, part: Any, frame: Any) -> Any:
    """In a search for any legal end: only parts that settle a duty."""
    if w.opening != OPENED and part.meld < 0:
        return True
    if part.jokers > 0:
        return True
    if w.must >= 0 and w.must != bits.JOKER and part.once & bits.CARD_BIT[w.must]:
        return True
    if w.ban >= 0 and w.ban != bits.JOKER and part.once & bits.CARD_BIT[w.ban]:
        return True
    return w.must == bits.JOKER or w.ban == bits.JOKER


@kernel
def search(w: Any, seen: Any, rules: Any, parts: Any, order: Any, frames: Any) -> None:
    """Run the branch and bound for the hand and parts that ``w`` describes.

    Improves ``w.best`` and what belongs to it; ``w.gain0`` style offsets are the caller's:
    ``frames[0].gain`` must hold what has been gained before (swaps).
    """
    depth = 0
    while depth >= 0:
        frame = frames[depth]
        w.nodes += 1
        if frame.next == -1:
            if not _enter(w, rules, frame):
                depth -= 1
                continue
        pushed = False
        while frame.next < frame.stop:
            part = parts[order[frame.next]]
            frame.next += 1
            if w.lazy and not _wanted(w, part, frame):
                continue
            if w.found and _bound(w, frame) - part.slack <= w.best:
                continue
            if not _fits(w, rules, seen, parts, part, frame):
                continue
            _push(w, frame, frames[depth + 1], part, order[frame.next - 1])
            pushed = True
            break
        if pushed:
            depth += 1
            continue
        if frame.next == frame.stop:
            frame.next += 1
            if frame.card == JOKERS_ALONE:
                _leaf(w, seen, rules, parts, frame)
                if w.lazy and w.found:
                    return
            else:
                _push_leave(w, rules, frame, frames[depth + 1])
                depth += 1
                continue
        depth -= 1


@kernel
def _swaps_of(w: Any, card: Any) -> Any:
    n = 0
    for k in range(w.n_swaps):
        n += w.swap_card[k] == card
    return n


@kernel
def _enter(w: Any, rules: Any, frame: Any) -> Any:
    """First visit of a node: cut it, or set out its choices."""
    if w.found and _bound(w, frame) <= w.best:
        return False
    if w.opening == MUST_OPEN and not _may_still_open(w, frame, rules):
        return False
    _leave_without_parts(w, frame)
    if w.must >= 0 and w.must != bits.JOKER and _swaps_of(w, w.must) == 0:
        b = bits.CARD_BIT[w.must]
        # Every copy left behind: the card that must be used no longer can be.
        if w.start_once & b and frame.left_once & b:
            if (frame.left_twice & b) == (w.start_twice & b):
                return False
    card = bits.lowest(frame.once)
    begin = w.begin[card]
    if frame.card == card and frame.stop > 0:
        # The second copy of the same card: only parts from the same place on, each pair once.
        begin = max(begin, frame.stop - 1)
    frame.card = card
    frame.next = begin
    frame.stop = w.end[card]
    return True


@kernel
def _leave_without_parts(w: Any, frame: Any) -> None:
    """Leave the lowest cards as long as no part begins with them: they have no price."""
    begins = frame.once & w.starters
    below = (begins & (~begins + bits.U1)) - bits.U1  # all cards where none begins a part
    left = frame.once & below
    frame.left_once |= left
    frame.left_twice |= frame.twice & left
    frame.once &= ~left
    frame.twice &= ~left


@kernel
def _push(w: Any, frame: Any, child: Any, part: Any, p: Any) -> None:
    both = part.once & frame.twice
    child.once = frame.once & ~((part.once & ~both) | part.twice)
    child.twice = frame.twice & ~part.once
    child.left_once = frame.left_once
    child.left_twice = frame.left_twice
    child.low_used = frame.low_used
    child.high_used = frame.high_used
    if part.meld >= 0:
        m = bits.bit(np.int64(part.meld))
        if part.kind == BELOW_RUN:
            child.low_used |= m
        else:
            child.high_used |= m
    top = min(3, max(0, w.jokers - part.jokers))
    child.gain = frame.gain + part.value[top]
    child.jokers = frame.jokers - part.jokers
    child.chosen = frame.chosen + 1
    child.bound = frame.bound - part.slack
    child.thrown = frame.thrown
    child.new_points = frame.new_points
    if part.meld < 0:
        child.new_points += part.points
    child.card = frame.card
    child.stop = frame.next
    child.next = -1
    w.chosen[frame.chosen] = p


@kernel
def _push_leave(w: Any, rules: Any, frame: Any, child: Any) -> None:
    """Leave every copy of the lowest card in the hand."""
    b = frame.once & (~frame.once + bits.U1)
    child.once = frame.once & ~b
    child.twice = frame.twice & ~b
    child.left_once = frame.left_once | b
    child.left_twice = frame.left_twice | (frame.twice & b)
    child.low_used = frame.low_used
    child.high_used = frame.high_used
    child.gain = frame.gain
    child.jokers = frame.jokers
    child.chosen = frame.chosen
    card = bits.lowest(b)
    price = w.price[card]
    child.bound = frame.bound - (2 * price if frame.twice & b else price)
    child.thrown = frame.thrown
    if not w.no_discard:
        worth = w.w_hand * hand_value(rules, bits.BIT_CARD[card]) + w.w_cards
        child.thrown = max(frame.thrown, worth)
    child.new_points = frame.new_points
    child.card = -1
    child.stop = 0
    child.next = -1


@kernel
def _must_is_used(w: Any, frame: Any) -> Any:
    """Whether a copy of the natural card that must be used left the hand (a swap counts)."""
    if w.must < 0 or w.must == bits.JOKER or _swaps_of(w, w.must) > 0:
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
def _joker_passes(w: Any, rules: Any, seen: Any, parts: Any, frame: Any) -> Any:
    """Whether a joker can pass with the options chosen: in the opening, or with what follows."""
    for k in range(w.n_new):
        option = w.option[k, w.option_choice[k]]
        part = parts[w.new_part[k]]
        if option.in_opening:
            if option.passing > 0 or rest_can_pass(w, rules, part, option, w.jokers):
                return True
        elif part_can_pass(w, rules, seen, part, w.jokers):
            return True
    for k in range(frame.chosen):
        part = parts[w.chosen[k]]
        if part.meld >= 0 and part_can_pass(w, rules, seen, part, w.jokers):
            return True
    return False


@kernel
def _jokers_settled(w: Any, rules: Any, seen: Any, parts: Any, frame: Any) -> Any:
    """The duties of jokers: 0 not met, 1 met, 2 met with a joker that passes.

    Recovered jokers that must be replayed are never kept; a joker that must be used must be
    played beyond those (ruling D06).
    """
    kept = frame.jokers
    replay = rules.joker_recovered == 1
    if replay and kept > w.unrecovered:
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
    if rules.joker_recovered == 1:
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
            if copies == 1 and _swaps_of(w, c) == 0:
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
    kept = 0 if rules.joker_recovered == 1 else frame.jokers
    return base + best_order(w, kept)


@kernel
def _swaps_after_fit(w: Any, parts: Any, frame: Any) -> Any:
    """Swaps that need a set of four: the set must grow in this turn, with a card there is.

    What grows by a natural card frees its joker; what grows by jokers alone needs one before,
    out of the hand or freed by another swap. With an opening to lay first, those of the hand are
    taken for laid.
    """
    at_hand = w.hand_jokers if w.opening == OPENED else 0
    lacking = False
    for k in range(w.n_swaps):
        if not w.swap_after[k]:
            at_hand += 1
            continue
        grown = False
        by_natural = False
        for c in range(frame.chosen):
            part = parts[w.chosen[c]]
            if part.meld == w.swap_meld[k]:
                grown = True
                by_natural = part.once != bits.U0
        if not grown:
            return False
        at_hand += by_natural
        lacking = lacking or not by_natural
    return at_hand > 0 or not lacking


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
            _copy_option(w.option[k, w.option_choice[k]], w.best_option[k])
    w.improved = 1


@kernel
def _copy_option(source: Any, target: Any) -> None:
    for r in range(5):
        target.value[r] = source.value[r]
    target.in_opening = source.in_opening
    target.begin = source.begin
    target.end = source.end
    target.passing = source.passing
    target.kept = source.kept
    target.points = source.points
    target.pure = source.pure
    target.run = source.run
    target.jokers_left = source.jokers_left


@kernel
def _opening_gain(w: Any, seen: Any, rules: Any, parts: Any, frame: Any) -> Any:
    """Best gain over the ways to open with the chosen new melds; CANNOT if there is none.

    The jokers of an opening are laid all at once: those of the hand, and recovered ones only
    where a swap needs no opening. ``w.option_choice[k]`` tells the option of the k-th new meld.
    """
    w.n_new = 0
    for k in range(frame.chosen):
        if parts[w.chosen[k]].meld < 0:
            if w.n_new == MAX_NEW:
                return CANNOT
            w.new_part[w.n_new] = w.chosen[k]
            w.n_new += 1
    if w.n_new == 0:
        return CANNOT
    at_hand = w.jokers
    if rules.joker_swap_needs_opening == 1:
        at_hand = w.hand_jokers
    else:
        for k in range(w.n_swaps):
            at_hand -= w.swap_after[k]
    for k in range(w.n_new):
        list_options(w, rules, parts[w.new_part[k]], k, at_hand)
        w.option_choice[k] = -1
    best = CANNOT
    k = 0
    while k >= 0:
        w.option_choice[k] += 1
        if w.option_choice[k] >= w.n_options[k]:
            k -= 1
            continue
        if k + 1 < w.n_new:
            k += 1
            w.option_choice[k] = -1
            continue
        if not _opening_holds(w, rules, frame, at_hand):
            continue
        if w.forced and not _joker_passes(w, rules, seen, parts, frame):
            continue
        gain = _gain_of_options(w, rules, parts, frame)
        if gain > best:
            best = gain
            for i in range(w.n_new):
                w.trial_choice[i] = w.option_choice[i]
    for i in range(w.n_new):
        w.option_choice[i] = w.trial_choice[i]
    return best


@kernel
def _opening_holds(w: Any, rules: Any, frame: Any, at_hand: Any) -> Any:
    jokers = 0
    passing = 0
    points = 0
    runs = 0
    pure = 0
    melds = 0
    for k in range(w.n_new):
        option = w.option[k, w.option_choice[k]]
        if option.in_opening:
            melds += 1
            jokers += option.passing + option.kept
            passing += option.passing
            points += option.points
            runs += option.run
            pure += option.pure
    if melds == 0 or jokers > at_hand:
        return False
    if rules.joker_recovered == 1:
        # Those that come back, and those swapped later, must go down after the opening.
        later = w.jokers - frame.jokers - (jokers - passing)
        if passing + w.jokers - at_hand > later:
            return False
    if w.opening == OPENS_BY_LAYING:
        return melds == 1
    if points < rules.opening_points:
        return False
    if rules.opening_needs_run == 1 and runs == 0:
        return False
    return rules.opening_pure_run == 0 or pure > 0


@kernel
def _gain_of_options(w: Any, rules: Any, parts: Any, frame: Any) -> Any:
    w.n_order = 0
    for k in range(w.n_new):
        option = w.option[k, w.option_choice[k]]
        add_to_order(w, option.value, option.jokers_left)
    for k in range(frame.chosen):
        part = parts[w.chosen[k]]
        if part.meld >= 0:
            add_part(w, part)
    kept = 0 if rules.joker_recovered == 1 else frame.jokers
    return w.base + best_order(w, kept)


@separate(types.void(WORK_TYPE, SEEN_TYPE, RULES_TYPE, PARTS_TYPE, FRAME_TYPE))
def _leaf(w: Any, seen: Any, rules: Any, parts: Any, frame: Any) -> None:
    """All cards decided: keep this end of the turn if it is legal and the best."""
    if not _must_is_used(w, frame):
        return
    settled = _jokers_settled(w, rules, seen, parts, frame)
    if settled == 0 or not _swaps_after_fit(w, parts, frame):
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
        opened = _opening_gain(w, seen, rules, parts, frame)
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
