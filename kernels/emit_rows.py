"""The rows of an end of a turn, applied to the round as they are written."""

from __future__ import annotations

from typing import Any

from ramisim.kernels import bits
from ramisim.kernels.jit import giving, inner
from ramisim.kernels.state import HIGH, LAY_OFF, SET, SWAP
from ramisim.kernels.turn import ROW_CARDS, apply
from ramisim.kernels.work import MAX_ROWS


@giving
def fresh_row(w: Any, op: Any, a: Any, b: Any, n: Any) -> Any:
    """A fresh row; its cards are the caller's to write."""
    row = w.rows[min(w.n_rows, MAX_ROWS - 1)]
    row[0] = op
    row[1] = a
    row[2] = b
    row[3] = n
    w.n_rows += 1
    return row


@inner
def put_row(w: Any, seen: Any, hidden: Any, rules: Any) -> None:
    """Apply the row just written."""
    apply(seen, hidden, rules, w.rows[w.n_rows - 1])


@inner
def swap_back(w: Any, seen: Any, hidden: Any, rules: Any, m: Any, i: Any, card: Any) -> None:
    """Put a natural card of the hand in the place of a joker of a meld."""
    row = fresh_row(w, SWAP, m, i, 1)
    row[ROW_CARDS] = card
    put_row(w, seen, hidden, rules)


@inner
def lay_off_one(
    w: Any, seen: Any, hidden: Any, rules: Any, m: Any, end: Any, card: Any, keeps: Any, passes: Any
) -> None:
    """Add one card: itself, a joker for good, or a joker that it then replaces."""
    row = fresh_row(w, LAY_OFF, m, end, 1)
    row[ROW_CARDS] = card + (bits.JOKER_AS if keeps or passes else 0)
    put_row(w, seen, hidden, rules)
    if passes and not keeps:
        at = 0
        if seen.meld_type[m] == SET or end == HIGH:
            at = seen.meld_size[m] - 1
        swap_back(w, seen, hidden, rules, m, at, card)
