"""What a long search remembers: nodes it has been at, so that none is searched twice for less.

Two nodes at which the same cards, jokers and ends of melds are open can be completed in the same
ways. So one that has gained no more, and has left no dearer card to throw, brings nothing new.
Where an end is worth more than its parts one by one (jokers that pass, an opening) the parts that
matter go into ``path``; where too much of them matters nothing is remembered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, kernel
from ramisim.kernels.values import hand_value
from ramisim.kernels.words import RECOVERED_REPLAYED, WRAP
from ramisim.kernels.work import ABOVE_RUN, BELOW_RUN, MEMORY_SIZE

_MASK = np.uint64(MEMORY_SIZE - 1)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)
_LONGEST_RUN = 14


@kernel
def remembers(w: Any, rules: Any) -> Any:
    """Whether what can come of a node is known from what is open there and from its path."""
    if w.must == bits.JOKER or w.ban == bits.JOKER:
        return False  # one may have to pass, and whether it can depends on the parts taken
    for k in range(w.n_swaps):
        if w.swap_after[k]:
            return False  # a set that waits must have grown: that is not open any more
    if w.opening == 0:
        # Jokers that may not be kept are not free beside the last part: its place matters.
        return not (w.pays and rules.joker_recovered == RECOVERED_REPLAYED)
    if w.pays or w.n_swaps > 0 or rules.meld_ace == WRAP:
        return False  # what the new melds taken count in the opening depends on how they lie
    if w.jokers > 0 and rules.values_joker_meld >= 0:
        return False  # one that passes counts for more or for less
    return rules.opening_pure_run == 0 or w.jokers == 0


@inlined
def _mixed(x: Any) -> Any:
    x = np.uint64(x) * _ODD
    x = (x ^ (x >> _SHIFT)) * _MIX
    return x ^ (x >> _SHIFT)


@kernel
def path_after(w: Any, rules: Any, frame: Any, part: Any, p: Any) -> Any:
    """The path of a node when part ``p`` is taken as well: the same in whatever order."""
    path = frame.path
    if part.kind == BELOW_RUN or part.kind == ABOVE_RUN:
        # The limits of a run hold for both its ends together.
        if rules.meld_run_max < _LONGEST_RUN or rules.meld_max_jokers > 0 or rules.meld_ace == WRAP:
            path += _mixed(((part.meld * 2 + part.kind) * 32 + part.size) * 16 + part.jokers + 1)
    if w.pays and part.jokers > 0:
        path += _mixed(p + (1 << 30))
    return path


@kernel
def _dearest_left(w: Any, rules: Any, frame: Any) -> Any:
    """What the dearest card left behind is worth thrown; -1 where there is none."""
    worth = -1
    left = frame.left_once
    while left:
        card = bits.BIT_CARD[bits.lowest(left)]
        left &= left - bits.U1
        if card != w.ban:
            worth = max(worth, w.w_hand * hand_value(rules, card) + w.w_cards)
    return worth


@kernel
def known(w: Any, rules: Any, frame: Any) -> Any:
    """Whether a node like this one was searched that had gained as much; if not, note this one."""
    if frame.card == bits.lowest(frame.once):
        return False  # not all parts of this card may be taken here
    path = frame.path
    if w.must >= 0:
        path += _mixed(1 << 40) * _copies(frame, bits.CARD_BIT[w.must])
    if w.ban >= 0:
        path += _mixed(1 << 41) * _copies(frame, bits.CARD_BIT[w.ban])
    thrown = _dearest_left(w, rules, frame)
    # Points of an opening beyond what it asks for are of no use.
    points = min(frame.new_points, max(rules.opening_points, 1)) if w.opening else 0
    at = frame.once * _ODD + (frame.twice ^ frame.low_used) * _MIX + (frame.high_used + path) * _ODD
    at = _mixed(at + np.uint64(frame.jokers * 8 + frame.runs))
    old = w.memory[np.int64((at >> _SHIFT) & _MASK)]
    same = (
        old.stamp == w.stamp
        and old.once == frame.once
        and old.twice == frame.twice
        and old.low_used == frame.low_used
        and old.high_used == frame.high_used
        and old.path == path
        and old.jokers == frame.jokers
        and old.runs == frame.runs
    )
    if same and old.gain >= frame.gain and old.thrown >= thrown and old.points >= points:
        return True
    old.stamp = w.stamp
    old.once = frame.once
    old.twice = frame.twice
    old.low_used = frame.low_used
    old.high_used = frame.high_used
    old.path = path
    old.jokers = frame.jokers
    old.runs = frame.runs
    old.gain = frame.gain
    old.thrown = thrown
    old.points = points
    return False


@inlined
def _copies(frame: Any, b: Any) -> Any:
    """Copies of a card left behind."""
    n = bits.U1 if frame.left_once & b else bits.U0
    return n + (bits.U1 if frame.left_twice & b else bits.U0)
