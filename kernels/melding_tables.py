"""Tables of one rule set and one objective, from which ``melding`` reads the best melds.

A *gain* is one integer for both halves of an objective: the half that counts first times ``UNIT``
plus the other one; value taken out of the hand and points laid are both below ``UNIT / 2``. The
table of a suit holds the best gain of disjoint runs for each of the 8,192 holdings of a suit and
each number of jokers, the table of a rank the best gain of disjoint sets for each holding of that
rank. In both, the cards used stand in the lowest bits of the entry, below the gain.

All of it is one array of int64 (``new_tables``), filled in 1 to 50 ms and only read after: threads
share it. Its head holds the rules in numbers, so that no kernel here takes the record of rules.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import giving, inlined, inner
from ramisim.kernels.melds import next_choice
from ramisim.kernels.words import ACE_HIGH_ONLY, ACE_LOW_ONLY, WRAP

DEADWOOD, POINTS = 0, 1

UNIT_BITS: Final = 15
UNIT: Final = 1 << UNIT_BITS
HALF: Final = UNIT // 2
NEVER: Final = -(1 << 40)

RUN_BITS: Final = 13
SET_BITS: Final = 8
HOLDINGS: Final = 1 << RUN_BITS
"""Holdings of a suit, one copy of each rank at most."""
RANK_HOLDINGS: Final = 256
"""Holdings of a rank: suits held once in bits 0 to 3, those held twice also in bits 4 to 7."""

# Places in the head of the array.
(
    WIDTH, OBJECTIVE, KEY, RUNS_AT, SETS_AT, ONE_RUN_AT, JOKERS_AT, STEADY, PLAIN, FIRST_PLACE,
    LAST_PLACE, ENDS, ROUND_THE_ACE, RUN_MAX, SET_MAX, DISTINCT, NATURALS, JOKER_CAP, ADJACENT,
    SET_AS_ONE, TWO_PACKS, JOKER_HAND, JOKER_POINTS, FACE, ACE_HAND, ACE_LOW_POINTS,
    ACE_HIGH_POINTS, ACE_SET_POINTS, MOST_OF_JOKER,
) = range(29)  # fmt: skip
NATURAL_GAINS, JOKER_GAINS, MOST_GAINS, SET_POINTS, HAND_VALUES = 32, 48, 64, 80, 96
"""By place of a run: gains of a natural, of a joker, of a natural there or in a set; by rank."""
HEAD = 112


def table_size(jokers: int) -> int:
    """Length of the array for a deck with so many jokers."""
    return HEAD + (jokers + 1) * (3 * HOLDINGS + bits.RANKS * RANK_HOLDINGS + 1)


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
    tables[KEY] = hash((rules.tobytes(), objective))
    tables[OBJECTIVE] = objective
    _note_shapes(rules, tables)
    _note_values(rules, tables)
    fill_tables(tables)
    return tables


def _note_shapes(rules: np.void, tables: Any) -> None:
    """Write the rules of melds into the head."""
    width, jokers = int(rules["deck_jokers"]) + 1, int(rules["meld_max_jokers"])
    tables[WIDTH] = width
    tables[RUNS_AT] = HEAD
    tables[SETS_AT] = tables[RUNS_AT] + width * HOLDINGS
    tables[ONE_RUN_AT] = tables[SETS_AT] + width * bits.RANKS * RANK_HOLDINGS
    tables[JOKERS_AT] = tables[ONE_RUN_AT] + width * 2 * HOLDINGS
    tables[RUN_MAX], tables[SET_MAX] = rules["meld_run_max"], rules["meld_set_max"]
    tables[DISTINCT], tables[NATURALS] = (
        rules["meld_set_distinct_suits"],
        rules["meld_min_naturals"],
    )
    tables[JOKER_CAP] = jokers if jokers > 0 else width
    tables[ADJACENT], tables[TWO_PACKS] = rules["meld_adjacent_jokers"], rules["deck_packs"] > 1
    ace = rules["meld_ace"]
    tables[ROUND_THE_ACE] = ace == WRAP
    tables[FIRST_PLACE] = 1 if ace == ACE_HIGH_ONLY else 0
    tables[LAST_PLACE] = bits.RANKS - 1 if ace == ACE_LOW_ONLY else bits.ACE_HIGH
    lane = (1 << int(tables[LAST_PLACE]) + 1) - (1 << int(tables[FIRST_PLACE]))
    tables[ENDS] = np.uint64(lane) * bits.ACES
    # Steady: only the length of a run up to three matters for what may follow. A run of 14 cards
    # where 13 are allowed does no harm: cut in two it brings the same.
    steady = rules["meld_adjacent_jokers"] and not jokers and rules["meld_run_max"] >= bits.RANKS
    tables[STEADY] = steady and rules["meld_min_naturals"] <= 1 and ace != WRAP
    # Plain: without jokers and twins all of a maximal run or set may be laid, if need be in parts.
    plain = rules["meld_run_max"] >= 5 and rules["meld_set_max"] >= 4 and ace != WRAP
    tables[PLAIN] = plain and rules["meld_min_naturals"] <= 3


def _note_values(rules: np.void, tables: Any) -> None:
    """Write what cards are worth into the head."""
    tables[SET_AS_ONE], tables[JOKER_POINTS] = (
        rules["values_set_as_one"],
        rules["values_joker_meld"],
    )
    tables[JOKER_HAND], tables[FACE] = rules["values_joker_hand"], rules["values_face"]
    tables[ACE_HAND], tables[ACE_SET_POINTS] = rules["values_ace_hand"], rules["values_ace_set"]
    tables[ACE_LOW_POINTS], tables[ACE_HIGH_POINTS] = (
        rules["values_ace_low"],
        rules["values_ace_high"],
    )
    objective, face = int(tables[OBJECTIVE]), int(rules["values_face"])
    pips = [*range(2, 11), face, face, face]
    in_hand = [int(rules["values_ace_hand"]), *pips, int(rules["values_ace_hand"])]
    in_runs = [int(rules["values_ace_low"]), *pips, int(rules["values_ace_high"])]
    in_sets = [int(rules["values_ace_set"]), *pips, int(rules["values_ace_set"])]
    joker, fixed = int(rules["values_joker_hand"]), int(rules["values_joker_meld"])
    for place in range(bits.ACE_HIGH + 1):
        most = max(in_runs[place], in_sets[place])
        tables[NATURAL_GAINS + place] = gain_in(objective, in_hand[place], in_runs[place])
        tables[MOST_GAINS + place] = gain_in(objective, in_hand[place], most)
        points = fixed if fixed >= 0 else in_runs[place]
        tables[JOKER_GAINS + place] = gain_in(objective, joker, points)
        # Three jokers that count as one card are worth a natural one.
        points = fixed if fixed >= 0 and not rules["values_set_as_one"] else max(fixed, most)
        tables[MOST_OF_JOKER] = max(tables[MOST_OF_JOKER], gain_in(objective, joker, points))
    tables[MOST_GAINS] = max(tables[MOST_GAINS], tables[MOST_GAINS + bits.ACE_HIGH])
    for rank in range(bits.RANKS):
        tables[SET_POINTS + rank], tables[HAND_VALUES + rank] = in_sets[rank], in_hand[rank]


def gain_in(objective: int, in_hand: int, points: int) -> int:
    """Gain of cards that were worth ``in_hand`` and bring ``points``."""
    return in_hand * UNIT + points if objective == DEADWOOD else points * UNIT + in_hand


gain_of: Any = inlined(gain_in)


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


@giving
def fill_tables(tables: Any) -> None:
    """Fill tables whose head is written: int64[table_size(jokers)]."""
    _fill_one_run(tables)
    _fill_runs(tables)
    gains = np.empty(RANK_HOLDINGS * tables[WIDTH], dtype=np.int64)
    for rank in range(bits.RANKS):
        _fill_set_gains(tables, np.int64(rank), gains)
        _fill_sets(tables, np.int64(rank), gains)
    if tables[NATURALS] == 0:
        _fill_joker_melds(tables)


@inlined
def window_fits(tables: Any, low: Any, size: Any) -> Any:
    """Whether a run of ``size`` cards from place ``low`` on stays within its ends."""
    if size > tables[RUN_MAX]:
        return False
    if tables[ROUND_THE_ACE]:
        return size <= bits.RANKS or low == 0
    return low >= tables[FIRST_PLACE] and low + size - 1 <= tables[LAST_PLACE]


@inlined
def place_at(low: Any, i: Any) -> Any:
    """Place 0..13 of the card at index ``i`` of a run, also round the ace."""
    place = low + i
    return place if place <= bits.ACE_HIGH else place - bits.RANKS


@inner
def window_gain(tables: Any, low: Any, size: Any, jokers: Any) -> Any:
    """Gain of a run with jokers at the places of a mask, bit 0 its low card."""
    gain = np.int64(0)
    for i in range(size):
        of = JOKER_GAINS if (jokers >> np.uint64(i)) & bits.U1 else NATURAL_GAINS
        gain += tables[of + place_at(low, i)]
    return gain


@inlined
def spaced(tables: Any, jokers: Any) -> Any:
    """Whether the jokers of a run may stand so, side by side or not."""
    return tables[ADJACENT] != 0 or jokers & (jokers >> bits.U1) == bits.U0


@inner
def _fill_one_run(tables: Any) -> None:
    """Best gain of one run by its naturals (bit 13: the ace twice) and at most so many jokers."""
    width, start = tables[WIDTH], tables[ONE_RUN_AT]
    tables[start : start + 2 * HOLDINGS * width] = NEVER
    for low in range(bits.RANKS):
        for size in range(3, bits.RANKS + 2):
            if window_fits(tables, low, size):
                _fill_window(tables, low, size)
    for naturals in range(2 * HOLDINGS):
        for k in range(1, width):
            here = start + naturals * width + k
            tables[here] = max(tables[here], tables[here - 1])


@inner
def _fill_window(tables: Any, low: Any, size: Any) -> None:
    """Enter every choice of jokers of the run from ``low`` on."""
    width = tables[WIDTH]
    most = min(min(width - 1, tables[JOKER_CAP]), size - max(np.int64(1), tables[NATURALS]))
    if most < 0:
        return
    places = (bits.U1 << np.uint64(size)) - bits.U1
    jokers = bits.U0
    while True:
        if spaced(tables, jokers):
            naturals = np.int64(0)
            for i in range(size):
                if (jokers >> np.uint64(i)) & bits.U1 == bits.U0:
                    rank = np.int64((low + i) % bits.RANKS)
                    card = np.int64(1) << rank
                    naturals |= np.int64(HOLDINGS) if naturals & card else card
            here = tables[ONE_RUN_AT] + naturals * width + bits.count(jokers)
            tables[here] = max(tables[here], window_gain(tables, low, size, jokers))
        jokers = next_choice(jokers, places, most)
        if jokers == bits.U0:
            return


@inner
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


@inner
def set_gain(tables: Any, rank: Any, cards: Any, jokers: Any) -> Any:
    """Best gain of one set of a rank: naturals as in ``RANK_HOLDINGS``, so many jokers."""
    naturals = bits.count(np.uint64(cards))
    size = naturals + jokers
    if size < 3 or size > tables[SET_MAX] or naturals < tables[NATURALS]:
        return np.int64(NEVER)
    if jokers > tables[JOKER_CAP] or (tables[DISTINCT] and (cards > 15 or size > bits.SUITS)):
        return np.int64(NEVER)
    value = tables[SET_POINTS + rank]
    for_joker = tables[JOKER_POINTS] if tables[JOKER_POINTS] >= 0 else value
    points = naturals * value + jokers * for_joker
    if tables[SET_AS_ONE]:
        points -= _shared(tables, cards, naturals, jokers, value, for_joker) - value
    in_hand = naturals * tables[HAND_VALUES + rank] + jokers * tables[JOKER_HAND]
    return gain_of(tables[OBJECTIVE], in_hand, points)


@inlined
def _shared(tables: Any, cards: Any, naturals: Any, jokers: Any, value: Any, for_joker: Any) -> Any:
    """Least points of the first three cards by suit: it depends on what the jokers stand for."""
    if tables[DISTINCT]:
        # Of four suits the fourth is spades, of three cards there is no fourth.
        fourth = np.int64(naturals + jokers == bits.SUITS)
        natural = fourth if cards & 8 else np.int64(0)
        return (naturals - natural) * value + (jokers - fourth + natural) * for_joker
    clubs = (cards & 1) + (cards >> 4 & 1)
    fewest = max(np.int64(0), 3 - naturals)
    most = min(jokers, 3 - clubs)
    return min((3 - fewest) * value + fewest * for_joker, (3 - most) * value + most * for_joker)


@inlined
def spread_suits(four: Any) -> Any:
    """Four bits (uint64), clubs lowest, to bit 0 of each suit's lane."""
    return (four * np.uint64(0x0000_2000_4000_8001)) & bits.ACES


@inlined
def cards_without(cards: Any, used: Any) -> Any:
    """What a holding of a rank leaves without some of its cards."""
    once, twice, a, b = cards & 15, cards >> 4, used & 15, used >> 4
    return (once & ~a) | (twice & (a ^ b)) | (twice & ~a) << 4


@inlined
def holds(cards: Any, used: Any) -> Any:
    """Whether a holding of a rank has these cards, and these are a holding."""
    return used & cards == used and used >> 4 & used == used >> 4


@inner
def _fill_set_gains(tables: Any, rank: Any, gains: Any) -> None:
    """Gains of single sets of a rank by naturals and jokers."""
    width = tables[WIDTH]
    for cards in range(1, RANK_HOLDINGS):
        for k in range(width):
            gains[cards * width + k] = set_gain(tables, rank, np.int64(cards), np.int64(k))


@inner
def _fill_sets(tables: Any, rank: Any, gains: Any) -> None:
    """Best gain of disjoint sets of a rank for each holding."""
    width = tables[WIDTH]
    start = tables[SETS_AT] + rank * RANK_HOLDINGS * width
    for low in range(16):
        for high in range(low + 1 if tables[TWO_PACKS] else 1):
            cards = np.int64(high << 4 | low)
            here = start + cards * width
            for used in range(1, RANK_HOLDINGS):
                if high & low == high and holds(cards, used):
                    rest = start + cards_without(cards, used) * width
                    for k in range(width):
                        gain = gains[used * width + k]
                        if gain > NEVER:
                            for j in range(k, width):
                                _add_set(tables, here + j, rest + j - k, gain, np.int64(used))


@inlined
def _add_set(tables: Any, here: Any, rest: Any, gain: Any, used: Any) -> None:
    others = tables[rest]
    total = (others >> SET_BITS) + gain
    if total > tables[here] >> SET_BITS:
        both = (others & used & 15) << 4
        tables[here] = total << SET_BITS | (others & 255) | used | both


@inner
def _fill_joker_melds(tables: Any) -> None:
    """Best gain of melds of jokers alone, where ``meld.min_naturals`` is 0."""
    width, start = tables[WIDTH], tables[JOKERS_AT]
    for k in range(3, min(width - 1, tables[JOKER_CAP]) + 1):
        best = best_joker_run(tables, np.int64(k))[0]
        for rank in range(bits.RANKS):
            best = max(best, set_gain(tables, np.int64(rank), np.int64(0), np.int64(k)))
        for j in range(k, width):
            here = start + j
            tables[here] = max(tables[here], tables[here - 1], tables[here - k] + best)


@inner
def best_joker_run(tables: Any, size: Any) -> Any:
    """Best gain of a run of jokers alone, and its low card."""
    best, at = np.int64(NEVER), np.int64(0)
    jokers = (bits.U1 << np.uint64(size)) - bits.U1
    for low in range(bits.RANKS):
        if spaced(tables, jokers) and window_fits(tables, low, size):
            gain = window_gain(tables, low, size, jokers)
            if gain > best:
                best, at = gain, np.int64(low)
    return best, at
