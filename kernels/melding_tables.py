"""Tables of one rule set and one objective, from which ``melding`` reads the best melds.

A *gain* is one integer for both halves of an objective: the half that counts first times ``UNIT``
plus the other one; value taken out of the hand and points laid are both below ``UNIT / 2``. The
table of a suit holds the best gain of disjoint runs for each of the 8,192 holdings of a suit and
each number of jokers, the table of a rank the best gain of disjoint sets for each holding of that
rank. In both, the cards used stand in the lowest bits of the entry, below the gain.

All of it is one array of int64 (``new_tables``), filled in some 10 to 50 ms and only read after:
threads share it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, kernel
from ramisim.kernels.melds import copies, joker_cap, next_choice
from ramisim.kernels.shape import ACE_HIGH_ONLY, ACE_LOW_ONLY, run_fits
from ramisim.kernels.values import WRAP, hand_value, place_in_run, run_value, set_value

DEADWOOD, POINTS = 0, 1

UNIT_BITS: Final = 15
UNIT: Final = 1 << UNIT_BITS
HALF: Final = UNIT // 2
NEVER: Final = -(1 << 40)

RUN_BITS: Final = 13
SET_BITS: Final = 8
HOLDINGS: Final = 1 << RUN_BITS
"""Holdings of a suit, one copy of each rank at most."""

# Places of the head of the array.
(
    WIDTH, OBJECTIVE, KEY, RUNS_AT, SETS_AT, ONE_RUN_AT, JOKERS_AT, JOKER_HAND, STEADY, FIRST_PLACE,
    LAST_PLACE, MOST_OF_JOKER,
) = range(12)  # fmt: skip
HAND_VALUES = 16
NATURAL_GAINS = 32
JOKER_GAINS = 48
MOST_GAINS = 64
"""Gains of a natural by place in a run, a joker there, a natural there or in a set."""
HEAD = 96


def table_size(jokers: int) -> int:
    """Length of the array for a deck with so many jokers."""
    width = jokers + 1
    return HEAD + width * (HOLDINGS + bits.RANKS * 256 + 2 * HOLDINGS + 1)


def new_tables(rules: np.void, objective: int) -> Any:
    """The tables of a rule set.

    Parameters
    ----------
    rules : np.void
        Record of dtype ``state.RULES``.
    objective : int
        ``DEADWOOD`` or ``POINTS``.

    Returns
    -------
    ndarray of int64
        For ``melding``, to be read only.
    """
    tables = np.zeros(table_size(int(rules["deck_jokers"])), dtype=np.int64)
    tables[KEY] = hash((bytes(rules.tobytes()), objective))
    fill_tables(rules, objective, tables)
    return tables


@kernel
def fill_tables(rules: Any, objective: Any, tables: Any) -> None:
    """Fill ``tables`` (int64[table_size(jokers)]) for a rule set and an objective."""
    width = np.int64(rules.deck_jokers) + 1
    tables[WIDTH] = width
    tables[OBJECTIVE] = objective
    tables[RUNS_AT] = HEAD
    tables[SETS_AT] = tables[RUNS_AT] + width * HOLDINGS
    tables[ONE_RUN_AT] = tables[SETS_AT] + width * bits.RANKS * 256
    tables[JOKERS_AT] = tables[ONE_RUN_AT] + width * 2 * HOLDINGS
    tables[JOKER_HAND] = rules.values_joker_hand
    for rank in range(bits.RANKS):
        tables[HAND_VALUES + rank] = hand_value(rules, rank)
    _fill_places(rules, tables)
    _fill_one_run(rules, tables)
    _fill_runs(tables)
    gains = np.empty(256 * width, dtype=np.int64)
    for rank in range(bits.RANKS):
        _fill_set_gains(rules, tables, rank, gains)
        _fill_sets(rules, tables, rank, gains)
    _fill_joker_melds(rules, tables, gains)


@inlined
def gain_of(objective: Any, in_hand: Any, points: Any) -> Any:
    """Gain of cards that were worth ``in_hand`` and bring ``points``."""
    if objective == DEADWOOD:
        return in_hand * UNIT + points
    return points * UNIT + in_hand


@inlined
def out_of_hand(objective: Any, gain: Any) -> Any:
    """Value that a gain takes out of the hand."""
    first = (gain + HALF) >> UNIT_BITS
    return first if objective == DEADWOOD else gain - (first << UNIT_BITS)


@inlined
def points_of(objective: Any, gain: Any) -> Any:
    """Points that a gain lays."""
    first = (gain + HALF) >> UNIT_BITS
    return gain - (first << UNIT_BITS) if objective == DEADWOOD else first


@inlined
def place_gain(rules: Any, objective: Any, low: Any, i: Any, joker: Any) -> Any:
    """Gain of the card at index ``i`` of a run from ``low`` on, natural or joker."""
    points = np.int64(run_value(rules, place_in_run(rules, low, i)))
    if not joker:
        return gain_of(objective, np.int64(hand_value(rules, (low + i) % bits.RANKS)), points)
    if rules.values_joker_meld >= 0:
        points = np.int64(rules.values_joker_meld)
    return gain_of(objective, np.int64(rules.values_joker_hand), points)


@kernel
def _fill_places(rules: Any, tables: Any) -> None:
    """The places of a suit from ace to ace, and whether runs are steady.

    They are if only their length up to three matters for what may follow. A run of 14 cards
    where 13 are allowed does not harm: cut in two it brings the same.
    """
    tables[FIRST_PLACE] = 1 if rules.meld_ace == ACE_HIGH_ONLY else 0
    tables[LAST_PLACE] = bits.RANKS - 1 if rules.meld_ace == ACE_LOW_ONLY else bits.ACE_HIGH
    steady = rules.meld_adjacent_jokers == 1 and rules.meld_max_jokers == 0
    steady = steady and rules.meld_run_max >= bits.RANKS and rules.meld_min_naturals <= 1
    tables[STEADY] = 1 if steady and rules.meld_ace != WRAP else 0
    for place in range(bits.ACE_HIGH + 1):
        for_natural = place_gain(rules, tables[OBJECTIVE], place, 0, False)
        tables[NATURAL_GAINS + place] = for_natural
        tables[JOKER_GAINS + place] = place_gain(rules, tables[OBJECTIVE], place, 0, True)
        rank = place % bits.RANKS
        in_hand, points = np.int64(hand_value(rules, rank)), np.int64(set_value(rules, rank))
        in_set = gain_of(tables[OBJECTIVE], in_hand, points)
        tables[MOST_GAINS + place] = max(for_natural, in_set)
        if rules.values_joker_meld >= 0:
            points = np.int64(rules.values_joker_meld)
        in_set = gain_of(tables[OBJECTIVE], np.int64(rules.values_joker_hand), points)
        most = max(tables[JOKER_GAINS + place], in_set)
        tables[MOST_OF_JOKER] = max(tables[MOST_OF_JOKER], most)


@kernel
def _fill_one_run(rules: Any, tables: Any) -> None:
    """Best gain of one run by its naturals (bit 13: the ace twice) and at most so many jokers."""
    width, start = tables[WIDTH], tables[ONE_RUN_AT]
    for i in range(start, start + 2 * HOLDINGS * width):
        tables[i] = NEVER
    for low in range(bits.RANKS):
        for size in range(3, rules.meld_run_max + 1):
            if run_fits(rules, low, size):
                _fill_window(rules, tables, low, size)
    for naturals in range(2 * HOLDINGS):
        for k in range(1, width):
            here = start + naturals * width + k
            tables[here] = max(tables[here], tables[here - 1])


@kernel
def _fill_window(rules: Any, tables: Any, low: Any, size: Any) -> None:
    """Enter every choice of jokers of the run from ``low`` on."""
    width, objective = tables[WIDTH], tables[OBJECTIVE]
    most = min(joker_cap(width - 1, rules), size - max(1, np.int64(rules.meld_min_naturals)))
    if most < 0:
        return
    whole = np.int64(0)
    for i in range(size):
        whole += place_gain(rules, objective, low, i, False)
    places = (bits.U1 << np.uint64(size)) - bits.U1
    jokers = bits.U0
    while True:
        if rules.meld_adjacent_jokers or not jokers & (jokers >> bits.U1):
            gain, naturals = whole, np.int64(0)
            for i in range(size):
                if (jokers >> np.uint64(i)) & bits.U1:
                    gain += place_gain(rules, objective, low, i, True)
                    gain -= place_gain(rules, objective, low, i, False)
                else:
                    rank = np.int64((low + i) % bits.RANKS)
                    twin = naturals & (np.int64(1) << rank)
                    naturals |= np.int64(HOLDINGS) if twin else np.int64(1) << rank
            here = tables[ONE_RUN_AT] + naturals * width + bits.count(jokers)
            tables[here] = max(tables[here], gain)
        jokers = next_choice(jokers, places, most)
        if jokers == bits.U0:
            return


@kernel
def _fill_runs(tables: Any) -> None:
    """Best gain of disjoint runs: the lowest card stays out, or is in one of the runs it fits."""
    width, one_run, start = tables[WIDTH], tables[ONE_RUN_AT], tables[RUNS_AT]
    for held in range(1, HOLDINGS):
        lowest = held & -held
        rest = held ^ lowest
        here = start + held * width
        for j in range(width):
            tables[here + j] = tables[start + rest * width + j]
        part = rest
        while True:
            run = one_run + (part | lowest) * width
            if tables[run + width - 1] > NEVER:
                others = start + (rest ^ part) * width
                for k in range(width):
                    entry = (tables[run + k] << RUN_BITS) | part | lowest
                    for j in range(k, width):
                        tables[here + j] = max(tables[here + j], tables[others + j - k] + entry)
            if part == 0:
                break
            part = (part - 1) & rest


@kernel
def set_gain(rules: Any, objective: Any, rank: Any, once: Any, twice: Any, jokers: Any) -> Any:
    """Best gain of one set of a rank: naturals by suit (four bits each), so many jokers."""
    naturals = bits.count(np.uint64(once)) + bits.count(np.uint64(twice))
    size = naturals + jokers
    if size < 3 or size > rules.meld_set_max or naturals < rules.meld_min_naturals:
        return NEVER
    if jokers > joker_cap(jokers, rules):
        return NEVER
    if rules.meld_set_distinct_suits and (twice != 0 or size > bits.SUITS):
        return NEVER
    value = np.int64(set_value(rules, rank))
    joker_value = value
    if rules.values_joker_meld >= 0:
        joker_value = np.int64(rules.values_joker_meld)
    points = naturals * value + jokers * joker_value
    if rules.values_set_as_one:
        points = value + _beyond_three(
            rules, np.uint64(once), np.uint64(twice), jokers, value, joker_value
        )
    in_hand = naturals * np.int64(hand_value(rules, rank))
    return gain_of(objective, in_hand + jokers * np.int64(rules.values_joker_hand), points)


@inlined
def room(rules: Any, once: Any, twice: Any, suit: Any, left: Any) -> Any:
    """How many of ``left`` jokers may stand for this suit."""
    if rules.meld_set_distinct_suits:
        return min(left, 1 - copies(once, twice, suit, 0))
    return left


@kernel
def _beyond_three(
    rules: Any, once: Any, twice: Any, jokers: Any, value: Any, joker_value: Any
) -> Any:
    """Most points of the cards after the third, by what the jokers are declared to be.

    ``once``/``twice``: masks with the suits of the set at rank 0.
    """
    once, twice = spread_suits(once), spread_suits(twice)
    most = np.int64(-1)
    for a in range(room(rules, once, twice, 0, jokers) + 1):
        for b in range(room(rules, once, twice, 1, jokers - a) + 1):
            for c in range(room(rules, once, twice, 2, jokers - a - b) + 1):
                d = jokers - a - b - c
                if d <= room(rules, once, twice, 3, d):
                    points = _points_beyond(once, twice, (a, b, c, d), value, joker_value)
                    most = max(most, points)
    return most


@kernel
def _points_beyond(once: Any, twice: Any, jokers: Any, value: Any, joker_value: Any) -> Any:
    """Points of the cards after the third of a set with these jokers by suit."""
    points = place = np.int64(0)
    for suit in range(bits.SUITS):
        for _ in range(copies(once, twice, suit, 0)):
            points += value if place >= 3 else 0
            place += 1
        for _ in range(jokers[suit]):
            points += joker_value if place >= 3 else 0
            place += 1
    return points


@inlined
def spread_suits(four: Any) -> Any:
    """Four bits, clubs lowest, to bit 0 of each suit's lane."""
    three = np.uint64(15)
    return (
        (four & bits.U1)
        | ((four & np.uint64(2)) << three)
        | ((four & np.uint64(4)) << (three + three))
        | ((four & np.uint64(8)) << (three + three + three))
    )


@kernel
def _fill_set_gains(rules: Any, tables: Any, rank: Any, gains: Any) -> None:
    """Gains of single sets of a rank by naturals (once, twice above) and jokers."""
    width = tables[WIDTH]
    for cards in range(256):
        for k in range(width):
            once, twice = cards & 15, cards >> 4
            gain = np.int64(NEVER)
            if cards > 0 and twice & once == twice:
                gain = set_gain(rules, tables[OBJECTIVE], rank, once, twice, k)
            gains[cards * width + k] = gain


@kernel
def _fill_sets(rules: Any, tables: Any, rank: Any, gains: Any) -> None:
    """Best gain of disjoint sets of a rank for each holding, once in bits 0-3, twice in 4-7."""
    width = tables[WIDTH]
    start = tables[SETS_AT] + rank * 256 * width
    for once in range(16):
        for twice in range(once + 1):
            if twice & once != twice or (twice > 0 and rules.deck_packs == 1):
                continue
            here = start + (twice << 4 | once) * width
            for cards in range(1, 256):
                a, b = cards & 15, cards >> 4
                if a & once == a and b & twice == b and b & a == b:
                    rest = (once & ~a | twice & (a ^ b)) | (twice & ~a) << 4
                    _add_set(tables, here, start + rest * width, cards, gains)


@inlined
def _add_set(tables: Any, here: Any, rest: Any, cards: Any, gains: Any) -> None:
    width = tables[WIDTH]
    for k in range(width):
        gain = gains[cards * width + k]
        if gain > NEVER:
            for j in range(k, width):
                others = tables[rest + j - k]
                if (others >> SET_BITS) + gain > tables[here + j] >> SET_BITS:
                    both = others & cards & 15
                    used = (others & 255) | cards | (both << 4)
                    tables[here + j] = (((others >> SET_BITS) + gain) << SET_BITS) | used


@kernel
def _fill_joker_melds(rules: Any, tables: Any, gains: Any) -> None:
    """Best gain of melds of jokers alone, where ``meld.min_naturals`` is 0."""
    width, objective, start = tables[WIDTH], tables[OBJECTIVE], tables[JOKERS_AT]
    if rules.meld_min_naturals > 0:
        return
    for k in range(3, joker_cap(width - 1, rules) + 1):
        best = best_joker_run(rules, objective, k)[0]
        for rank in range(bits.RANKS):
            best = max(best, set_gain(rules, objective, rank, 0, 0, k))
        for j in range(k, width):
            tables[start + j] = max(
                tables[start + j], tables[start + j - 1], tables[start + j - k] + best
            )


@kernel
def best_joker_run(rules: Any, objective: Any, size: Any) -> Any:
    """Best gain of a run of jokers alone, and its low card."""
    best, at = np.int64(NEVER), np.int64(0)
    if not rules.meld_adjacent_jokers or size > rules.meld_run_max:
        return best, at
    for low in range(bits.RANKS):
        if run_fits(rules, low, size):
            gain = np.int64(0)
            for i in range(size):
                gain += place_gain(rules, objective, low, i, True)
            if gain > best:
                best, at = gain, np.int64(low)
    return best, at
