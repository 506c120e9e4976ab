"""Writing the sets of the best end of a turn: new ones and what joins those on the table."""

from __future__ import annotations

from typing import Any

from ramisim.kernels import bits
from ramisim.kernels.doubling import onto_set_doubled, set_doubled
from ramisim.kernels.emit_rows import fresh_row, lay_off_one, put_row, swap_back
from ramisim.kernels.jit import inner, kernel
from ramisim.kernels.shape import face
from ramisim.kernels.state import HIGH, LAY, SET
from ramisim.kernels.turn import ROW_CARDS
from ramisim.kernels.values import set_value


@inner
def write_new_set(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, free: Any, unit: Any
) -> None:
    """Lay a new set, its doubled cards after jokers where they pay."""
    naturals = bits.count(part.once) + bits.count(part.twice)
    jokers = part.jokers
    doubled = 0
    if w.best_pays or unit:
        doubled = set_doubled(rules, naturals, jokers, free, free + jokers)
    m = seen.n_melds
    if doubled == 0:
        lay_set(w, seen, hidden, rules, part, LAY, 0, naturals, 0, jokers)
        return
    at_first = 3
    if rules.lay_off_on == 0:
        at_first = naturals + jokers
    if rules.joker_set_swap == 2:
        at_first = max(at_first, 4)
    single = naturals - doubled
    passing = min(doubled, max(0, at_first - single))
    kept = max(0, at_first - single - passing)
    lay_set(w, seen, hidden, rules, part, LAY, 0, single, passing, kept)
    finish_set(w, seen, hidden, rules, part, m, single, passing, kept, doubled - passing)


@inner
def write_onto_set(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, free: Any, unit: Any
) -> None:
    """Add to a set on the table."""
    m = part.meld
    naturals = bits.count(part.once) + bits.count(part.twice)
    doubled = 0
    if w.best_pays or unit:
        on_table = seen.meld_jokers[m]
        doubled = onto_set_doubled(rules, on_table, naturals, part.jokers, free)
    finish_set(w, seen, hidden, rules, part, m, 0, 0, 0, doubled)


@inner
def lay_set(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, op: Any, last: Any, single: Any,
    passing: Any, kept: Any,
) -> None:  # fmt: skip
    """Lay a set's first cards: ``single`` naturals, jokers passing for naturals, jokers kept."""
    naturals = set_cards(w, rules, part)
    n = single + passing + kept
    rank = part.low
    shown = part.once
    row = fresh_row(w, op, SET, last, n)
    # Under set_as_one the first three count as one: what is dearer stands later.
    wild = rules.values_joker_meld >= 0 and rules.values_joker_meld > set_value(rules, rank)
    jokers_first = rules.values_set_as_one == 1 and not wild
    for i in range(single):
        at = kept + passing if jokers_first else 0
        row[ROW_CARDS + at + i] = w.grid[14, i]
    for i in range(passing):
        at = kept if jokers_first else single
        row[ROW_CARDS + at + i] = w.grid[14, single + i] + bits.JOKER_AS
    at = 0 if jokers_first else single + passing
    for i in range(kept):
        card = joker_suit(rules, rank, shown)
        shown |= bits.CARD_BIT[card]
        row[ROW_CARDS + at + i] = card + bits.JOKER_AS
    if rules.values_set_as_one == 0:
        _sort_by_suit(row, n)
    put_row(w, seen, hidden, rules)
    if naturals < 0:
        return


@kernel
def _sort_by_suit(row: Any, n: Any) -> None:
    for i in range(1, n):
        code = row[ROW_CARDS + i]
        k = i - 1
        while k >= 0 and face(row[ROW_CARDS + k]) > face(code):
            row[ROW_CARDS + k + 1] = row[ROW_CARDS + k]
            k -= 1
        row[ROW_CARDS + k + 1] = code


@inner
def finish_set(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, m: Any, single: Any, passing: Any,
    kept: Any, doubles: Any,
) -> None:  # fmt: skip
    """Swap the passing jokers out, add the other naturals, then the jokers that stay.

    ``doubles`` of the naturals are doubled.
    """
    naturals = set_cards(w, rules, part)
    rank = part.low
    complete = rules.joker_set_swap == 2
    back = 0
    if not complete or seen.meld_size[m] >= 4:
        while back < passing:
            free_in_set(w, seen, hidden, rules, m, w.grid[14, single + back])
            back += 1
    for i in range(single + passing, naturals):
        card = w.grid[14, i]
        passes = doubles > 0
        doubles -= 1
        lay_off_one(w, seen, hidden, rules, m, HIGH, card, False, passes)
        while back < passing and seen.meld_size[m] >= 4:
            free_in_set(w, seen, hidden, rules, m, w.grid[14, single + back])
            back += 1
    for _ in range(part.jokers - kept):
        card = joker_suit(rules, rank, suits_shown(seen, m))
        lay_off_one(w, seen, hidden, rules, m, HIGH, card, True, False)
        while back < passing and seen.meld_size[m] >= 4:
            free_in_set(w, seen, hidden, rules, m, w.grid[14, single + back])
            back += 1


@inner
def free_in_set(w: Any, seen: Any, hidden: Any, rules: Any, m: Any, card: Any) -> None:
    """Take the joker that stands for a card out of a set."""
    for i in range(seen.meld_size[m]):
        if seen.meld_card[m, i] == card + bits.JOKER_AS:
            swap_back(w, seen, hidden, rules, m, i, card)
            return


@inner
def set_cards(w: Any, rules: Any, part: Any) -> Any:
    """Natural cards of a set part into ``w.grid[14]``, its jokers' cards after them."""
    n = 0
    for copy in range(2):
        left = part.once if copy == 0 else part.twice
        while left != bits.U0:
            w.grid[14, n] = bits.BIT_CARD[bits.lowest(left)]
            left &= left - bits.U1
            n += 1
    return n


@inner
def suits_shown(seen: Any, m: Any) -> Any:
    """Cards that a set shows, those its jokers stand for included."""
    mask = bits.U0
    for i in range(seen.meld_size[m]):
        mask |= bits.CARD_BIT[face(seen.meld_card[m, i])]
    return mask


@inner
def joker_suit(rules: Any, rank: Any, shown: Any) -> Any:
    """A card of the rank that a joker may stand for, first missing suit first."""
    for suit in range(bits.SUITS):
        if not shown & bits.CARD_BIT[suit * bits.RANKS + rank]:
            return suit * bits.RANKS + rank
    return rank
