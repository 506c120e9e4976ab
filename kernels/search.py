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
from ramisim.kernels.jit import inlined, kernel, separate
from ramisim.kernels.kinds import (
    FRAMES_TYPE,
    ORDER_TYPE,
    PARTS_TYPE,
    RULES_TYPE,
    SEEN_TYPE,
    WORK_TYPE,
)
from ramisim.kernels.leaf import leaf, swaps_of
from ramisim.kernels.memory import known, path_after, remembers
from ramisim.kernels.opening import MUST_OPEN, OPENED
from ramisim.kernels.pricing import (
    JOKERS_ALONE,
    bound_discard,
    dearest,
    order_parts,
    price_again,
    price_gains,
    price_points,
    sum_of,
    worth_going_on,
)
from ramisim.kernels.words import WRAP
from ramisim.kernels.work import ABOVE_RUN, BELOW_RUN, NEW_RUN

LAYS, A_RUN, MAY_BE_PURE = 4, 1, 3
"""Whether new melds are laid, runs among them, and one that can be laid without a joker."""
LONG = 512
"""Nodes after which a search pays for better bounds and a memory: most are over by then."""


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
    root.runs = 0
    root.bound = w.base + sum_of(w.price, root.once, root.twice) + w.jokers * w.joker_price
    root.thrown = 0
    root.path = bits.U0
    _note_runs(w, parts)
    w.improved = 0
    w.long = 0
    w.long_from = w.nodes + LONG
    w.remembers = remembers(w, rules)
    w.stamp += 1


@kernel
def _note_runs(w: Any, parts: Any) -> None:
    """``w.run_starters``: the lowest cards of new runs; ``w.joker_runs``: one of jokers alone."""
    w.run_starters = bits.U0
    w.joker_runs = 0
    for p in range(w.n_parts):
        if parts[p].kind == NEW_RUN:
            if parts[p].first == JOKERS_ALONE:
                w.joker_runs = 1
            else:
                w.run_starters |= bits.bit(parts[p].first)


@inlined
def _bound(w: Any, frame: Any) -> Any:
    """The most that can come of a node, the discard included."""
    return frame.bound + max(frame.thrown, w.discard_bound)


@inlined
def _neighbours(once: Any) -> Any:
    """Cards with two neighbours above them, so that a run without joker is possible."""
    places = bits.with_high_aces(once)
    three = places & (places >> bits.U1) & (places >> np.uint64(2))
    # Round the corner: king, ace, two.
    corner = (once >> np.uint64(bits.RANKS - 1)) & once & (once >> bits.U1) & bits.ACES
    corner |= (once >> np.uint64(bits.RANKS - 2)) & (once >> np.uint64(bits.RANKS - 1)) & once
    return three | (corner & bits.ACES)


@kernel
def _laid_impure(part: Any) -> Any:
    """Whether every three neighbours of a run have a joker among them."""
    naturals = ~np.int64(part.joker_places) & ((1 << np.int64(part.size)) - 1)
    return naturals & (naturals >> 1) & (naturals >> 2) == 0


@kernel
def lacks_run(rules: Any, frame: Any) -> Any:
    """Whether the opening asks for a run that the new melds of a node do not have."""
    if rules.opening_pure_run:
        return frame.runs & MAY_BE_PURE != MAY_BE_PURE
    return rules.opening_needs_run and not frame.runs & A_RUN


@kernel
def _may_still_open(w: Any, frame: Any, rules: Any) -> Any:
    if lacks_run(rules, frame):
        if not (frame.once & w.run_starters or w.joker_runs):
            return False
        if rules.opening_pure_run and not _neighbours(frame.once):
            return False
    if w.may_transit and w.jokers > 0 and rules.values_joker_meld >= 0:
        return True  # jokers that pass may bring more than the cards
    points = frame.new_points + frame.jokers * w.joker_point_price
    return points + sum_of(w.point_price, frame.once, frame.twice) >= rules.opening_points


@kernel
def fits(w: Any, rules: Any, seen: Any, parts: Any, part: Any, frame: Any) -> Any:
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
            if size > bits.RANKS and rules.meld_ace == WRAP:
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
    for k in range(w.n_swaps):
        # What completes the set whose joker is to be freed.
        if w.swap_after[k] and w.swap_meld[k] == part.meld:
            return True
    return w.must == bits.JOKER or w.ban == bits.JOKER


@kernel
def _enter(w: Any, rules: Any, parts: Any, frame: Any) -> Any:
    """First visit of a node: cut it, or set out its choices."""
    if w.found and _bound(w, frame) <= w.best:
        return False
    if w.opening == MUST_OPEN and not _may_still_open(w, frame, rules):
        return False
    _leave_without_parts(w, rules, frame)
    if w.must >= 0 and w.must != bits.JOKER and swaps_of(w, w.must) == 0:
        b = bits.CARD_BIT[w.must]
        # Every copy left behind: the card that must be used no longer can be.
        if w.start_once & b and frame.left_once & b:
            if (frame.left_twice & b) == (w.start_twice & b):
                return False
    if w.long:
        if not worth_going_on(w, rules, parts, frame):
            return False
        if w.remembers and known(w, rules, frame):
            return False
    card = bits.lowest(frame.once)
    begin = w.begin[card]
    if frame.card == card and frame.stop > 0:
        # The second copy of the same card (7H 7H: the first one is in a run, say): only parts from
        # the one taken on, so that each pair of parts is met once. ``stop`` is behind that one.
        begin = max(begin, frame.stop - 1)
    frame.card = card
    frame.next = begin
    frame.stop = w.end[card]
    return True


@kernel
def _leave_without_parts(w: Any, rules: Any, frame: Any) -> None:
    """Leave the lowest cards as long as no part begins with them: they have no price."""
    begins = frame.once & w.starters
    below = (begins & (~begins + bits.U1)) - bits.U1  # all cards where none begins a part
    left = frame.once & below
    if w.long:
        frame.thrown = max(frame.thrown, dearest(w, rules, left))
    frame.left_once |= left
    frame.left_twice |= frame.twice & left
    frame.once &= ~left
    frame.twice &= ~left


@kernel
def push(w: Any, rules: Any, frame: Any, child: Any, part: Any, p: Any) -> None:
    """Take part ``p`` at a node: ``child`` is what is left to decide then."""
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
    child.runs = frame.runs
    if part.meld < 0:
        child.new_points += part.points
        child.runs |= LAYS
        if part.kind == NEW_RUN:
            child.runs |= A_RUN if _laid_impure(part) else MAY_BE_PURE
    child.card = -1
    child.stop = 0
    child.next = -1
    child.path = path_after(w, rules, frame, part, p) if w.remembers else frame.path
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
    price = w.price[bits.lowest(b)]
    child.path = frame.path
    child.bound = frame.bound - (2 * price if frame.twice & b else price)
    child.thrown = max(frame.thrown, dearest(w, rules, b))
    child.new_points = frame.new_points
    child.runs = frame.runs
    child.card = -1
    child.stop = 0
    child.next = -1


@separate(
    types.void(WORK_TYPE, SEEN_TYPE, RULES_TYPE, PARTS_TYPE, ORDER_TYPE, FRAMES_TYPE, types.int64)
)
def search(w: Any, seen: Any, rules: Any, parts: Any, order: Any, frames: Any, begin: Any) -> None:
    """Run the branch and bound from the node ``frames[begin]``.

    Improves ``w.best`` and what belongs to it; what has been gained before (swaps, parts chosen)
    is in the node.
    """
    depth = begin
    while depth >= begin:
        frame = frames[depth]
        w.nodes += 1
        if w.nodes > w.nodes_at_most:
            return
        if w.nodes == w.long_from:
            w.long = 1
            price_again(w, rules, parts, order, frames, depth)
        if frame.next == -1:
            if not _enter(w, rules, parts, frame):
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
            if not fits(w, rules, seen, parts, part, frame):
                continue
            push(w, rules, frame, frames[depth + 1], part, order[frame.next - 1])
            frames[depth + 1].card = frame.card
            frames[depth + 1].stop = frame.next
            pushed = True
            break
        if pushed:
            depth += 1
            continue
        if frame.next == frame.stop:
            frame.next += 1
            if frame.card == JOKERS_ALONE:
                leaf(w, seen, rules, parts, frame)
                if w.lazy and w.found:
                    return
            else:
                _push_leave(w, rules, frame, frames[depth + 1])
                depth += 1
                continue
        depth -= 1
