"""Writing the sets of the best end of a turn: new ones and what joins those on the table."""

from __future__ import annotations

from typing import Any

from ramisim.kernels import bits
from ramisim.kernels.doubling import doubling_bonus
from ramisim.kernels.emit_rows import fresh_row, lay_off_one, put_row, swap_back
from ramisim.kernels.jit import inner, kernel
from ramisim.kernels.sets import best_way, cards_shown, onto_doubled
from ramisim.kernels.shape import face
from ramisim.kernels.state import HIGH, LAY, SET
from ramisim.kernels.turn import ROW_CARDS
from ramisim.kernels.values import set_value
from ramisim.kernels.words import SWAP_ANY_MISSING


@inner
def write_new_set(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, free: Any, unit: Any
) -> None:
    """Lay a new set: all at once, or what ``sets.best_way`` says where jokers pass."""
    single = bits.count(part.once) + bits.count(part.twice)
    passing, kept, doubled = 0, part.jokers, 0
    if w.best_pays or unit:
        value = set_value(rules, part.low)
        _, single, passing, kept, doubled = best_way(
            rules, part.once, part.twice, value, part.jokers, free, 0, unit
        )
    m = seen.n_melds
    lay_set(w, seen, hidden, rules, part, LAY, 0, single, passing, kept)
    free_passed(w, seen, hidden, rules, part, m, single, passing)
    grow_set(w, seen, hidden, rules, part, m, single, passing, kept, doubled)


@inner
def write_onto_set(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, free: Any, unit: Any
) -> None:
    """Add to a set on the table."""
    m = part.meld
    doubled = 0
    if unit or (w.best_pays and doubling_bonus(rules, set_value(rules, part.low)) > 0):
        shown = cards_shown(seen, m)
        hands = free + part.jokers
        doubled = onto_doubled(rules, part.once, part.twice, shown, seen.meld_jokers[m], hands)
    grow_set(w, seen, hidden, rules, part, m, 0, 0, 0, doubled)


@inner
def lay_set(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, op: Any, last: Any, single: Any,
    passing: Any, kept: Any,
) -> None:  # fmt: skip
    """Lay a set's first cards: ``single`` naturals, jokers passing for naturals, jokers kept."""
    arrange(w, rules, part, single, bits.U0)
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
def free_passed(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, m: Any, single: Any, passing: Any
) -> None:
    """Take the jokers that passed in a first window back."""
    arrange(w, rules, part, single, bits.U0)
    for i in range(single, single + passing):
        free_in_set(w, seen, hidden, rules, m, w.grid[14, i])


@inner
def grow_set(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, m: Any, single: Any, passing: Any,
    kept: Any, doubles: Any,
) -> None:  # fmt: skip
    """Add the other natural cards, ``doubles`` of them after jokers, then the jokers that stay."""
    shown = cards_shown(seen, m) if part.meld >= 0 else bits.U0
    naturals = arrange(w, rules, part, single, shown)
    for i in range(single + passing, naturals):
        doubled = i < single + passing + doubles
        lay_off_one(w, seen, hidden, rules, m, HIGH, w.grid[14, i], False, doubled)
    for _ in range(part.jokers - kept):
        card = joker_suit(rules, part.low, cards_shown(seen, m))
        lay_off_one(w, seen, hidden, rules, m, HIGH, card, True, False)


@inner
def free_in_set(w: Any, seen: Any, hidden: Any, rules: Any, m: Any, card: Any) -> None:
    """Take the joker that stands for a card out of a set."""
    for i in range(seen.meld_size[m]):
        if seen.meld_card[m, i] == card + bits.JOKER_AS:
            swap_back(w, seen, hidden, rules, m, i, card)
            return


@inner
def arrange(w: Any, rules: Any, part: Any, single: Any, shown: Any) -> Any:
    """Natural cards of a set part into ``w.grid[14]`` as they are laid; how many.

    The first ``single`` lie there plain. Where any missing card frees a joker, those are twins
    (``sets.may_double``), and behind them come the suits not ``shown`` yet, each once.
    """
    n = 0
    apart = rules.joker_set_swap == SWAP_ANY_MISSING
    for copy in range(2):
        left = part.once if copy == 0 else part.twice
        if apart:
            left = part.twice if copy == 0 else part.once & ~part.twice
        while left != bits.U0:
            card = bits.BIT_CARD[bits.lowest(left)]
            left &= left - bits.U1
            w.grid[14, n] = card
            n += 1
            if apart and copy == 0:
                w.grid[14, n] = card
                n += 1
    if apart:
        for i in range(single):
            shown |= bits.CARD_BIT[w.grid[14, i]]
        to = single
        for i in range(single, n):
            card = w.grid[14, i]
            if not shown & bits.CARD_BIT[card]:
                shown |= bits.CARD_BIT[card]
                w.grid[14, i] = w.grid[14, to]
                w.grid[14, to] = card
                to += 1
    return n


@inner
def joker_suit(rules: Any, rank: Any, shown: Any) -> Any:
    """A card of the rank that a joker may stand for, first missing suit first."""
    for suit in range(bits.SUITS):
        if not shown & bits.CARD_BIT[suit * bits.RANKS + rank]:
            return suit * bits.RANKS + rank
    return rank
