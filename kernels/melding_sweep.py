"""The best melds of a hand rank by rank: for hands too large or too dense to search.

The sweep goes from ace to ace. All that matters of what lies below is, for each suit, how many
open runs have one, two, and three or more cards, and how many aces wait for the top; for every
such state and number of jokers spent the best gain is kept (van Rijn, Takes and Vis, "The
complexity of Rummikub problems", 2015, for one suit after the other). So it holds for rules
under which nothing else of a run matters: ``tables[STEADY]``.

Its time grows with the number of states, not with the number of ways to lay the cards. It
allocates: it is the exception, a few hands in ten thousand.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import giving, inlined, inner, kernel
from ramisim.kernels.melding import REACHED, UNFINISHED, settle
from ramisim.kernels.melding_tables import (
    FIRST_PLACE,
    JOKER_GAINS,
    JOKERS_AT,
    LAST_PLACE,
    MOST_GAINS,
    MOST_OF_JOKER,
    NATURAL_GAINS,
    NEVER,
    SET_BITS,
    SETS_AT,
    WIDTH,
    spread_suits,
)
from ramisim.kernels.melds import copies

# A key holds eleven bits a suit, and above them the cards of the rank left for sets.
_TWOS_AT, _THREES_AT, _KEPT_AT = 2, 5, 9
_SUIT_BITS = 11
_SUIT_MASK = (1 << _SUIT_BITS) - 1
_LEFT_AT = bits.SUITS * _SUIT_BITS
_STATE_MASK = (1 << _LEFT_AT) - 1
_OPEN = sum(0b11111 << _SUIT_BITS * suit for suit in range(bits.SUITS))
"""Bits of a key for runs of one and two cards, which may not stay so."""

_MOST_STEPS: Final = 512
"""States that one state may lead to at one place of one suit, or more."""
_HASH = np.uint64(0x9E37_79B9_7F4A_7C15)
_HASH_SHIFT = np.uint64(32)


@kernel
def sweep(once: Any, twice: Any, jokers: Any, room: Any, tables: Any, work: Any) -> Any:
    """Best gain of a hand that ``melding.search`` gave up just before.

    It starts from the gain that was ``REACHED``, and leaves the best as that does.
    ``room``: states for which it may need room, a power of two from 1,024 on; where these are
    too few the hand is ``UNFINISHED`` still.
    """
    best = work[REACHED]
    gain, a, b = _sweep(once, twice, jokers, best, tables, room)
    if gain > best:
        settle((once & ~a) | (twice & a & ~b), twice & ~a, a, b, twice, jokers, tables, work)
    return gain


@giving
def _sweep(once: Any, twice: Any, jokers: Any, best: Any, tables: Any, room: Any) -> Any:
    """Best gain, or ``best`` if it is not passed, and the cards it has in sets."""
    width = jokers + 1
    keys = np.empty((2, room), dtype=np.int64)
    rows = np.empty((2, room, 3 * width), dtype=np.int64)
    index = np.zeros(4 * room, dtype=np.int64)
    keys[0, 0] = 0
    rows[0, 0] = 0
    n, side, stamp = np.int64(1), np.int64(0), np.int64(0)
    ahead = _most_ahead(once, twice, tables)
    for place in range(bits.ACE_HIGH + 1):
        for step in range(bits.SUITS + 1):
            stamp += 1
            m = np.int64(0)
            for i in range(n):
                key, row = keys[side, i], rows[side, i]
                most = ahead[place, step] + _most_waiting(key, place, tables)
                if not _may_pass(row, most, tables[MOST_OF_JOKER], jokers, best):
                    continue
                if step < bits.SUITS:
                    m = _runs_at(key, row, place, step, once, twice, jokers, tables,
                                 keys[1 - side], rows[1 - side], index, stamp, m)  # fmt: skip
                else:
                    m = _sets_at(key, row, place, jokers, tables,
                                 keys[1 - side], rows[1 - side], index, stamp, m)  # fmt: skip
                if m > room - _MOST_STEPS:
                    return np.int64(UNFINISHED), bits.U0, bits.U0
            n, side = m, 1 - side
    return _best_of(keys[side], rows[side], n, jokers, best, tables)


@inner
def _best_of(keys: Any, rows: Any, n: Any, jokers: Any, best: Any, tables: Any) -> Any:
    """The best last state without a run that is too short; other jokers among themselves."""
    set_once = set_twice = np.int64(0)
    width = jokers + 1
    for i in range(n):
        for j in range(width):
            gain = rows[i, j] + tables[tables[JOKERS_AT] + jokers - j]
            if keys[i] & _OPEN == 0 and gain > best:
                best = gain
                set_once, set_twice = rows[i, width + j], rows[i, 2 * width + j]
    return best, np.uint64(set_once), np.uint64(set_twice)


@giving
def _most_ahead(once: Any, twice: Any, tables: Any) -> Any:
    """For each place and suit the gain of all cards from there on, each where it brings most."""
    ahead = np.zeros((bits.ACE_HIGH + 2, bits.SUITS + 1), dtype=np.int64)
    for place in range(bits.ACE_HIGH, -1, -1):
        ahead[place, bits.SUITS] = ahead[place + 1, 0]
        for suit in range(bits.SUITS - 1, -1, -1):
            # Aces count below the two; later on those that wait are in the key.
            n = copies(once, twice, suit, place) if place < bits.ACE_HIGH else np.int64(0)
            ahead[place, suit] = ahead[place, suit + 1] + n * tables[MOST_GAINS + place]
    return ahead


@inlined
def _most_waiting(key: Any, place: Any, tables: Any) -> Any:
    """Most gain of the cards left for sets and of the aces that wait for the top."""
    kept = np.int64(0)
    for suit in range(bits.SUITS):
        kept += (key >> (_SUIT_BITS * suit + _KEPT_AT)) & 3
    left = bits.count(np.uint64(key >> _LEFT_AT))
    return left * tables[MOST_GAINS + place] + kept * tables[MOST_GAINS]


@inlined
def _may_pass(row: Any, ahead: Any, joker_gain: Any, jokers: Any, best: Any) -> Any:
    """Whether a state could lead to more than ``best``."""
    for j in range(jokers + 1):
        if row[j] + ahead + (jokers - j) * joker_gain > best:
            return True
    return False


@inner
def _runs_at(
    key: Any, row: Any, place: Any, suit: Any, once: Any, twice: Any, jokers: Any, tables: Any,
    keys: Any, rows: Any, index: Any, stamp: Any, m: Any,
) -> Any:  # fmt: skip
    """What the runs of one suit may do at a place; the number of states after it so far."""
    state = (key >> (_SUIT_BITS * suit)) & _SUIT_MASK
    ones, twos = state & 3, (state >> _TWOS_AT) & 7
    threes, kept = (state >> _THREES_AT) & 15, state >> _KEPT_AT
    held = kept
    if place < bits.ACE_HIGH:
        held = copies(once, twice, suit, place)
    others = key & ~np.int64(_SUIT_MASK << (_SUIT_BITS * suit))
    in_reach = tables[FIRST_PLACE] <= place <= tables[LAST_PLACE]
    if not in_reach and ones + twos > 0:
        return m
    for on in range((threes if in_reach else 0) + 1):
        going = ones + twos + on
        for naturals in range(max(0, going - jokers), (held if in_reach else 0) + 1):
            for new in range(max(0, naturals - going), naturals + 1):
                spent = going - (naturals - new)
                if spent > jokers:
                    continue
                gain = naturals * tables[NATURAL_GAINS + place]
                gain += spent * tables[JOKER_GAINS + place]
                after = ones << _TWOS_AT | (twos + on) << _THREES_AT
                m = _left_over(others, after, row, place, suit, held - naturals, kept, spent, new,
                               gain, jokers, tables, keys, rows, index, stamp, m)  # fmt: skip
    return m


@inner
def _left_over(
    others: Any, after: Any, row: Any, place: Any, suit: Any, left: Any, kept: Any, spent: Any,
    new: Any, gain: Any, jokers: Any, tables: Any, keys: Any, rows: Any, index: Any, stamp: Any,
    m: Any,
) -> Any:  # fmt: skip
    """Leave the copies that runs do not take to sets; some aces may wait for the top instead."""
    waiting = np.int64(0)
    if place == 0 and tables[LAST_PLACE] == bits.ACE_HIGH:
        waiting = left
    elif place == bits.ACE_HIGH:
        left = kept = np.int64(0)
    for wait in range(waiting + 1):
        rest = left - wait
        cards = np.int64((1 if rest > 0 else 0) | (16 if rest > 1 else 0)) << suit
        state = after | (kept + wait) << _KEPT_AT
        to = others | cards << _LEFT_AT | state << (_SUIT_BITS * suit)
        m = _open_runs(to, row, place, suit, spent, new, gain, jokers, tables, keys, rows, index,
                       stamp, m)  # fmt: skip
    return m


@inner
def _open_runs(
    to: Any, row: Any, place: Any, suit: Any, spent: Any, new: Any, gain: Any, jokers: Any,
    tables: Any, keys: Any, rows: Any, index: Any, stamp: Any, m: Any,
) -> Any:  # fmt: skip
    """Open ``new`` runs (0 to 2) with any number of jokers below their first natural."""
    if new == 0:
        return _reach(to, row, spent, gain, jokers, keys, rows, index, stamp, m)
    shift = _SUIT_BITS * suit
    below = np.int64(0)
    for a in range(min(jokers - spent, place - tables[FIRST_PLACE]) + 1):
        if a > 0:
            below += tables[JOKER_GAINS + place - a]
        one = to + (_grown(a) << shift)
        if new == 1:
            m = _reach(one, row, spent + a, gain + below, jokers, keys, rows, index, stamp, m)
            continue
        also = below
        for b in range(a, min(jokers - spent - a, place - tables[FIRST_PLACE]) + 1):
            if b > a:
                also += tables[JOKER_GAINS + place - b]
            m = _reach(one + (_grown(b) << shift), row, spent + a + b, gain + below + also, jokers,
                       keys, rows, index, stamp, m)  # fmt: skip
    return m


@inlined
def _grown(jokers_below: Any) -> Any:
    """What a new run with jokers below its first natural adds to a suit's state."""
    if jokers_below == 0:
        return 1
    return 1 << _TWOS_AT if jokers_below == 1 else 1 << _THREES_AT


@inner
def _sets_at(
    key: Any, row: Any, place: Any, jokers: Any, tables: Any, keys: Any, rows: Any, index: Any,
    stamp: Any, m: Any,
) -> Any:  # fmt: skip
    """Make the best sets of what the runs left of a rank, with any number of jokers."""
    cards = key >> _LEFT_AT
    to = key & _STATE_MASK
    if cards == 0 or place == bits.ACE_HIGH:
        return _reach(to, row, np.int64(0), np.int64(0), jokers, keys, rows, index, stamp, m)
    width = tables[WIDTH]
    sets = tables[SETS_AT] + (place * 256 + cards) * width
    m = _reach(to, row, np.int64(0), np.int64(0), jokers, keys, rows, index, stamp, m)
    at = _row_of(to, keys, index, stamp)
    less = np.int64(0)
    for k in range(jokers + 1):
        gain = tables[sets + k] >> SET_BITS
        if gain > less:
            less = gain
            used = np.uint64(tables[sets + k])
            set_once = spread_suits(used & np.uint64(15)) << np.uint64(place)
            set_twice = spread_suits((used >> np.uint64(4)) & np.uint64(15)) << np.uint64(place)
            _improve(rows[at], row, k, gain, jokers, np.int64(set_once), np.int64(set_twice))
    return m


@inner
def _row_of(key: Any, keys: Any, index: Any, stamp: Any) -> Any:
    """Number of the row of a key in the layer of ``stamp``, or -1 less the free place for it."""
    mask = len(index) - 1
    place = np.int64((np.uint64(key) * _HASH) >> _HASH_SHIFT) & mask
    while index[place] >> 32 == stamp:
        number = index[place] & 0xFFFF_FFFF
        if keys[number] == key:
            return number
        place = (place + 1) & mask
    return -1 - place


@inner
def _reach(
    key: Any, row: Any, spent: Any, gain: Any, jokers: Any, keys: Any, rows: Any, index: Any,
    stamp: Any, m: Any,
) -> Any:  # fmt: skip
    """Enter a state of the next layer with the gains of one way to it."""
    number = _row_of(key, keys, index, stamp)
    if number < 0:
        index[-1 - number] = stamp << 32 | m
        keys[m] = key
        number = m
        m += 1
        rows[number, : jokers + 1] = NEVER
    _improve(rows[number], row, spent, gain, jokers, np.int64(0), np.int64(0))
    return m


@inner
def _improve(
    target: Any, row: Any, spent: Any, gain: Any, jokers: Any, set_once: Any, set_twice: Any
) -> None:
    """Take over what is better by adding a gain for so many jokers and these cards in sets."""
    width = jokers + 1
    for j in range(spent, width):
        if row[j - spent] + gain > target[j]:
            target[j] = row[j - spent] + gain
            target[width + j] = row[width + j - spent] | set_once
            target[2 * width + j] = row[2 * width + j - spent] | set_twice
