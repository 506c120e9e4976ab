"""What the cards and jokers of a part of a turn bring."""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.doubling import doubling_bonus, joker_points, note_ace
from ramisim.kernels.jit import inlined, kernel
from ramisim.kernels.values import hand_value, run_value
from ramisim.kernels.work import ABOVE_RUN, LAST


@kernel
def note_low_ace(w: Any, rules: Any, kind: Any, low: Any, n: Any, stay: Any, pays: Any) -> None:
    """What an ace of a run part brings where its king is laid after it (``doubling.note_ace``)."""
    note_ace(w, rules, low, 0 if kind == ABOVE_RUN else n)
    w.ace_extra = 0
    if w.ace_at < 0:
        return
    low_value = run_value(rules, 0)
    high_value = run_value(rules, bits.ACE_HIGH)
    if (int(stay) >> w.ace_at) & 1:
        w.ace_drop = w.w_points * (joker_points(rules, high_value) - joker_points(rules, low_value))
    else:
        w.ace_drop = w.w_points * (high_value - low_value)
        w.ace_extra = joker_points(rules, low_value) - low_value
        if pays:
            w.ace_bonus = w.w_points * doubling_bonus(rules, low_value)


@kernel
def new_part(w: Any, parts: Any) -> Any:
    """A fresh part, or -1 when there is no room."""
    if w.n_parts >= parts.shape[0]:
        w.overflow = 1
        return -1
    w.n_parts += 1
    return w.n_parts - 1


@inlined
def leaves(w: Any, rules: Any, card: Any) -> Any:
    """What a card brings by leaving the hand."""
    return w.w_hand * hand_value(rules, card) + w.w_cards


@kernel
def most_of(w: Any, part: Any, all_doubled: Any) -> Any:
    """The most that a part may bring.

    In an opening, where the jokers lie differently, that is with all its cards doubled but those
    that must be there when it is laid (``singles``).
    """
    if w.opening != 0:
        return all_doubled
    most = max(part.value[0], part.value[1], part.value[2], part.value[3])
    return max(most, part.value[LAST])


@inlined
def singles(w: Any, rules: Any) -> Any:
    """How many natural cards of a new meld can at least not be doubled."""
    return max(np.int64(rules.meld_min_naturals), np.int64(3) - w.jokers)
