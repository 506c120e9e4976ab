"""Whether a turn can be ended at all: the parts that settle its duties are taken first.

The search decides cards from the lowest up. Where any end will do, that tries all that can be made
of the low cards over and over again before it comes to the card that must be used, or to the run
that the opening asks for. One of the parts with that card is in every end, and so is one of the
runs: they are taken first, each in turn, and the search goes on from there.

What the search remembers (``memory``) holds for nodes reached in this order too: a node is known by
what is open there, and by the copies left of the card that must be used, its runs and points.
"""

from __future__ import annotations

from typing import Any

from ramisim.kernels import bits
from ramisim.kernels.jit import kernel
from ramisim.kernels.leaf import swaps_of
from ramisim.kernels.opening import MUST_OPEN
from ramisim.kernels.search import fits, lacks_run, push, search
from ramisim.kernels.work import NEW_RUN


@kernel
def search_any(w: Any, seen: Any, rules: Any, parts: Any, order: Any, frames: Any) -> None:
    """Find an end of the turn, the first there is, from the root ``frames[0]``."""
    if w.must < 0 or w.must == bits.JOKER or swaps_of(w, w.must) > 0:
        _with_a_run(w, seen, rules, parts, order, frames, 0)
        return
    b = bits.CARD_BIT[w.must]
    for i in range(w.n_parts):
        part = parts[order[i]]
        if part.once & b and fits(w, rules, seen, parts, part, frames[0]):
            push(w, rules, frames[0], frames[1], part, order[i])
            _with_a_run(w, seen, rules, parts, order, frames, 1)
            if w.found:
                return


@kernel
def _with_a_run(
    w: Any, seen: Any, rules: Any, parts: Any, order: Any, frames: Any, depth: Any
) -> None:
    """Go on from a node, with a run first where the opening asks for one."""
    node = frames[depth]
    if w.opening != MUST_OPEN or not lacks_run(rules, node):
        search(w, seen, rules, parts, order, frames, depth)
        return
    for i in range(w.n_parts):
        part = parts[order[i]]
        if part.kind == NEW_RUN and fits(w, rules, seen, parts, part, node):
            push(w, rules, node, frames[depth + 1], part, order[i])
            if not lacks_run(rules, frames[depth + 1]):
                search(w, seen, rules, parts, order, frames, depth + 1)
                if w.found:
                    return
