"""A plain end of a turn as rows, where there is one way to write it.

The same rows in the same order as ``emit`` writes: a part of the turn (a set, a run, what goes to
one end of a meld) after another, by their lowest bits, then the discard. Where a card could go to
two places nothing is written.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.ending_plain import ends, longest_run, onto_run, onto_set, takes_cards
from ramisim.kernels.jit import giving, inlined, inner, kernel
from ramisim.kernels.melding_plain import folded, in_runs, three_suits
from ramisim.kernels.state import DISCARD, HIGH, LAY, LAY_OFF, LOW, RUN, SET
from ramisim.kernels.turn import ROW_CARDS
from ramisim.kernels.words import LAY_OFF_NONE


@inlined
def _one_way(seen: Any, rules: Any) -> Any:
    """Whether a turn needs no opening first, and every card laid is worth something."""
    opened = seen.opened[seen.turn] == 1
    early = rules.lay_off_needs_opening == 0 and rules.joker_swap_needs_opening == 0
    free = opened or (rules.opening_points <= 0 and early)
    aces = min(rules.values_ace_low, rules.values_ace_high, rules.values_ace_set)
    return free and min(aces, rules.values_face, rules.values_ace_hand) > 0


@inner
def _note_places(seen: Any, once: Any, rules: Any, taken: Any, codes: Any) -> Any:
    """Masks of what goes below and above each run, or to each set, into ``codes``.

    ``taken`` is what new melds take. False where a card has two places to go.
    """
    places = bits.with_high_aces(once) & ends(rules)
    longest = longest_run(rules)
    for m in range(seen.n_melds):
        under = over = bits.U0
        if rules.lay_off_on != LAY_OFF_NONE and takes_cards(seen, m, rules):
            if seen.meld_type[m] == RUN:
                under, over, _ = onto_run(seen, m, places, longest)
            else:
                over, _ = onto_set(seen, m, once, rules)
        cards = folded(under)
        if taken & (cards | folded(over)) or cards & folded(over):
            return False
        taken |= cards | folded(over)
        codes[2 * m] = np.int64(under)
        codes[2 * m + 1] = np.int64(over)
    return True


@giving
def _row(work: Any, n: Any, op: Any, a: Any, b: Any, size: Any) -> Any:
    row = work.rows[n]
    row[0] = op
    row[1] = a
    row[2] = b
    row[3] = size
    return row


@inner
def _put_places(row: Any, places: Any) -> None:
    """Cards at neighbouring places of one suit, lowest first."""
    at = ROW_CARDS
    while places:
        place = bits.lowest(places)
        places &= places - bits.U1
        row[at] = bits.BIT_CARD[place]
        at += 1


@inlined
def _block(runs: Any, card: Any) -> Any:
    """The places of the run that a card is in: its neighbours both ways."""
    place = card if runs & card else card << np.uint64(bits.ACE_HIGH)
    lane = np.uint64(0xFFFF) << (bits.U16 * np.uint64(bits.lowest(card) // bits.LANE))
    rest = runs & lane
    above = rest & ~(place - bits.U1)
    # Adding the place carries through the block; what the sum has turned is its upper part.
    upper = above & ~(above + place)
    below = rest & (place - bits.U1)
    gaps = ~below & (place - bits.U1)
    lower = below & ~((bits.U1 << np.uint64(bits.highest(gaps) + 1)) - bits.U1)
    return upper | lower


@kernel
def plain_rows(seen: Any, hand: Any, rules: Any, laid: Any, thrown: Any, box: Any) -> Any:
    """Write the end that ``plain_end`` found into ``box.work[0].rows``.

    Returns the number of rows, the discard included, or 0 where it can be written in two ways.
    """
    work = box.work[0]
    once = hand.once
    n = 0
    if laid != bits.U0:
        runs = in_runs(once, ends(rules))
        sets = once & (three_suits(once) * bits.ACES)
        codes = box.codes
        if not _one_way(seen, rules):
            return 0
        if not _note_places(seen, once, rules, folded(runs) | sets, codes):
            return 0
        left = laid
        while left:
            card = left & (~left + bits.U1)
            index = bits.lowest(card)
            if sets & card:
                cards = sets & (bits.ACES << np.uint64(index % bits.LANE))
                _put_places(_row(work, n, LAY, SET, 0, bits.count(cards)), cards)
                n += 1
            elif folded(runs) & card:
                places = _block(runs, card)
                _put_places(_row(work, n, LAY, RUN, 0, bits.count(places)), places)
                cards = folded(places)
                n += 1
            else:
                cards, n = _put_off(seen, card, work, codes, n)
                if cards == bits.U0:
                    return 0
            left &= ~cards
    row = _row(work, n, DISCARD, 0, 0, 1)
    row[ROW_CARDS] = thrown
    work.n_rows = n + 1
    return n + 1


@inner
def _put_off(seen: Any, card: Any, work: Any, codes: Any, n: Any) -> Any:
    """The lay-off that a card belongs to, as rows; its cards and the number of rows now."""
    for k in range(2 * seen.n_melds):
        places = np.uint64(codes[k])
        if not folded(places) & card:
            continue
        m = k // 2
        if seen.meld_type[m] == RUN:
            row = _row(work, n, LAY_OFF, m, HIGH if k & 1 else LOW, bits.count(places))
            _put_places(row, places)
            return folded(places), n + 1
        cards = places
        while cards:
            row = _row(work, n, LAY_OFF, m, HIGH, 1)
            row[ROW_CARDS] = bits.BIT_CARD[bits.lowest(cards)]
            cards &= cards - bits.U1
            n += 1
        return places, n
    return bits.U0, n
