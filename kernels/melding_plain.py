"""The best melds of a hand without jokers and twins: a few instructions.

If no card is in both some run and some set, everything in either is laid. Else only the ranks
whose sets meet a run are open: at most three of them in a hand of thirteen cards. For each, all
ways to give the set its cards are tried; what is left makes its runs at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, inner
from ramisim.kernels.melding_tables import (
    ACE_HAND,
    ACE_HIGH_POINTS,
    ACE_LOW_POINTS,
    ACE_SET_POINTS,
    ENDS,
    FACE,
    OBJECTIVE,
    SET_AS_ONE,
    gain_of,
)

_U2, _U13, _U32, _U48 = (np.uint64(n) for n in (2, 13, 32, 48))
_LANE = np.uint64(0xFFFF)
_PIPS = np.uint64(0x03FE)
_FACES = np.uint64(0x1C00) * bits.ACES
# Ranks 2 to 10 whose value has bit 0, 1, 2 or 3.
_ONE, _TWO, _FOUR, _EIGHT = (
    np.uint64(sum(1 << value - 1 for value in range(2, 11) if value & b)) * bits.ACES
    for b in (1, 2, 4, 8)
)
WAYS = 6
"""Ways of a set: not laid, laid whole, and if it has four cards, laid without one of them."""


@inlined
def value_of(mask: Any, face: Any) -> Any:
    """Value of all cards but aces, in the hand as on the table."""
    value = bits.count(mask & _ONE) + (bits.count(mask & _TWO) << 1)
    value += (bits.count(mask & _FOUR) << 2) + (bits.count(mask & _EIGHT) << 3)
    return value + face * bits.count(mask & _FACES)


@inlined
def in_runs(mask: Any, ends: Any) -> Any:
    """Places of the cards in runs, an ace at the low or high end that made one; run masks.

    ``ends``: the places allowed, all but the low or the high aces under some rules.
    """
    run = bits.with_high_aces(mask) & ends
    low = run & (run >> bits.U1) & (run >> _U2)
    return low | (low << bits.U1) | (low << _U2)


@inlined
def three_suits(mask: Any) -> Any:
    """Ranks held in at least three suits, as one lane."""
    c, d, h, s = mask & _LANE, (mask >> bits.U16) & _LANE, (mask >> _U32) & _LANE, mask >> _U48
    return (c & d & (h | s)) | (h & s & (c | d))


@inlined
def folded(run: Any) -> Any:
    """A run mask as a mask of cards: high aces where aces are."""
    return (run | ((run >> _U13) & bits.ACES)) & bits.ALL_CARDS


@inlined
def torn(run: Any) -> Any:
    """Whether an ace stands in a run at both ends of its suit."""
    return run & (run >> _U13) & bits.ACES


@inlined
def _left(mask: Any, run: Any, sets: Any) -> Any:
    return mask & ~(folded(run) | sets)


@inlined
def _value_left(left: Any, discarding: Any, tables: Any) -> Any:
    """Value of the cards left in hand, all of them or all but the dearest."""
    value = value_of(left, tables[FACE]) + bits.count(left & bits.ACES) * tables[ACE_HAND]
    if not discarding:
        return value
    ranks = left | (left >> _U32)
    ranks |= ranks >> bits.U16
    dearest = bits.highest(ranks & _PIPS) + 1
    dearest = max(dearest, tables[FACE] if ranks & _FACES & _LANE else np.int64(0))
    return value - max(dearest, tables[ACE_HAND] if ranks & bits.U1 else np.int64(0))


@inlined
def plain_deadwood(mask: Any, discarding: Any, tables: Any) -> Any:
    """Least value left in hand, if wanted after a discard.

    -1 where a run and a set meet, and before a discard where all is laid: then see
    ``meeting_deadwood``.
    """
    run = in_runs(mask, np.uint64(tables[ENDS]))
    sets = mask & (three_suits(mask) * bits.ACES)
    left = _left(mask, run, sets)
    value = _value_left(left, discarding, tables)
    meeting = ((folded(run) & sets) | torn(run)) != bits.U0
    return np.int64(-1) if meeting or (discarding and left == bits.U0) else value


@inner
def meeting_deadwood(mask: Any, discarding: Any, tables: Any) -> Any:
    """As ``plain_deadwood`` for any hand; -1 where an ace or too many sets are in question."""
    ends = np.uint64(tables[ENDS])
    run, three = in_runs(mask, ends), three_suits(mask)
    ranks = _ranks(folded(run) & mask & (three * bits.ACES))
    if bits.count(ranks) > 3 or torn(run):
        return np.int64(-1)
    fixed = mask & ((three & ~ranks) * bits.ACES)
    a = _column(mask, ranks)
    ranks &= ranks - bits.U1
    b = _column(mask, ranks)
    ranks &= ranks - bits.U1
    c = _column(mask, ranks)
    least = np.int64(1 << 30)
    for i in range(_ways(a)):
        with_a = fixed | _way(a, i)
        for j in range(_ways(b)):
            with_b = with_a | _way(b, j)
            for k in range(_ways(c)):
                sets = with_b | _way(c, k)
                left = _left(mask, in_runs(mask & ~sets, ends), sets)
                value = _value_left(left, discarding, tables)
                if discarding and left == bits.U0:
                    # A meld of four or more can spare a card; of threes alone none can.
                    value = np.int64(0 if bits.count(mask) % 3 else 1 << 29)
                least = min(least, value)
    return least if least < 1 << 29 else np.int64(-1)


@inlined
def _gain(run: Any, sets: Any, tables: Any) -> Any:
    """Gain of laying these places in runs and these cards in sets."""
    both = folded(run) | sets
    value = value_of(both, tables[FACE])
    in_hand = value + bits.count(both & bits.ACES) * tables[ACE_HAND]
    points = value + bits.count(sets & bits.ACES) * tables[ACE_SET_POINTS]
    points += bits.count(run & bits.ACES) * tables[ACE_LOW_POINTS]
    points += bits.count(run & bits.HIGH_ACES) * tables[ACE_HIGH_POINTS]
    if tables[SET_AS_ONE]:
        three = three_suits(sets)
        once = value_of(three, tables[FACE]) + np.int64(three & bits.U1) * tables[ACE_SET_POINTS]
        points -= 2 * once
    return gain_of(tables[OBJECTIVE], in_hand, points)


@inlined
def plain_gain(mask: Any, tables: Any) -> Any:
    """Gain of the best melds, or -1 where an ace or too many sets are in question."""
    ends = np.uint64(tables[ENDS])
    run = in_runs(mask, ends)
    three = three_suits(mask)
    sets = mask & (three * bits.ACES)
    meeting = folded(run) & sets
    if meeting | torn(run):
        return _meeting_gain(mask, ends, run, three, meeting, tables)
    return _gain(run, sets, tables)


@inner
def _meeting_gain(mask: Any, ends: Any, run: Any, three: Any, meeting: Any, tables: Any) -> Any:
    """Best gain over the ways of up to three sets that meet runs."""
    ranks = _ranks(meeting)
    if bits.count(ranks) > 3 or torn(run):
        return np.int64(-1)
    fixed = mask & ((three & ~ranks) * bits.ACES)
    a = _column(mask, ranks)
    ranks &= ranks - bits.U1
    b = _column(mask, ranks)
    ranks &= ranks - bits.U1
    c = _column(mask, ranks)
    best = np.int64(0)
    for i in range(_ways(a)):
        with_a = fixed | _way(a, i)
        for j in range(_ways(b)):
            with_b = with_a | _way(b, j)
            for k in range(_ways(c)):
                sets = with_b | _way(c, k)
                best = max(best, _gain(in_runs(mask & ~sets, ends), sets, tables))
    return best


@inlined
def _ranks(mask: Any) -> Any:
    """The ranks of a mask, as one lane."""
    mask |= mask >> _U32
    return (mask | (mask >> bits.U16)) & bits.LANE_RANKS


@inlined
def _column(mask: Any, ranks: Any) -> Any:
    """Cards of the lowest of some ranks, none if there is none."""
    return mask & ((ranks & (~ranks + bits.U1)) * bits.ACES)


@inlined
def _ways(column: Any) -> Any:
    n = bits.count(column)
    return WAYS if n == 4 else (2 if n == 3 else 1)


@inlined
def _way(column: Any, i: Any) -> Any:
    """Cards that way number ``i`` gives to the set."""
    if i == 0:
        return bits.U0
    if i == 1:
        return column
    spared = (column & (~column + bits.U1)) << (bits.U16 * np.uint64(i - 2))
    return column & ~spared
