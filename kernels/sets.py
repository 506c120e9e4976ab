"""How a set goes down: which cards at once, which of them after a joker that comes back.

The first window of a new set holds natural cards that are laid plain, jokers that *pass* (the
natural card takes their place at once) and jokers that stay; what is left is laid off one by one,
each natural card after a joker while one is free. What that brings is counted card by card, so
that it holds under ``values.set_as_one`` and for jokers with a value of their own, too.
"""

from __future__ import annotations

from typing import Any

from ramisim.kernels import bits
from ramisim.kernels.doubling import BIG, doubling_bonus, joker_points
from ramisim.kernels.jit import inlined, inner
from ramisim.kernels.shape import face
from ramisim.kernels.words import (
    CREDIT_BOTH,
    CREDIT_SWAPPER,
    LAY_OFF_NONE,
    SWAP_ANY_MISSING,
    SWAP_COMPLETE_ONLY,
    SWAP_NEVER,
)


@inner
def window_points(rules: Any, value: Any, naturals: Any, jokers: Any) -> Any:
    """Points of cards of a new set laid at once, in the order that brings most.

    Under ``values.set_as_one`` the first three count as one natural card; which stand there is
    the layer's choice, so the dearer cards come fourth and later (ruling D02).
    """
    wild = joker_points(rules, value)
    if rules.values_set_as_one == 0:
        return naturals * value + jokers * wild
    later = naturals + jokers - 3
    dear = min(later, jokers) if wild > value else max(0, later - naturals)
    return value + dear * wild + (later - dear) * value


@inner
def may_double(rules: Any, once: Any, twice: Any, single: Any) -> Any:
    """How many cards of a set can follow a joker when ``single`` of them lie there plain.

    Where any missing card frees a joker, a suit that the set shows frees none: each suit goes
    once, and the plain cards are twins where there are any.
    """
    suits = bits.count(once)
    pairs = bits.count(twice)
    if rules.joker_set_swap == SWAP_NEVER:
        return 0
    if rules.joker_set_swap == SWAP_ANY_MISSING:
        return suits - ((single + 1) // 2 if single <= 2 * pairs else single - pairs)
    return suits + pairs - single


@inlined
def room_to_pass(rules: Any, jokers: Any) -> Any:
    """Whether a meld of so many jokers may hold one more for a moment."""
    return rules.meld_max_jokers == 0 or jokers < rules.meld_max_jokers


@inner
def doubled_later(
    rules: Any, once: Any, twice: Any, single: Any, passing: Any, kept: Any, left: Any
) -> Any:  # fmt: skip
    """How many of the cards laid off after a first window can follow a joker.

    ``left`` jokers are at hand then, those that the set keeps and still lacks included.
    """
    if left <= 0 or rules.lay_off_on == LAY_OFF_NONE or not room_to_pass(rules, kept):
        return 0
    rest = bits.count(once) + bits.count(twice) - single - passing
    return max(0, min(rest, may_double(rules, once, twice, single) - passing))


@inner
def window_may_pass(
    rules: Any, once: Any, twice: Any, single: Any, passing: Any, kept: Any, hands: Any
) -> Any:  # fmt: skip
    """Whether a first window can hold these cards when ``hands`` jokers are at hand."""
    if single < rules.meld_min_naturals or kept + passing > hands:
        return False
    if rules.meld_max_jokers > 0 and kept + passing > rules.meld_max_jokers:
        return False
    if passing == 0:
        return True
    if rules.joker_set_swap == SWAP_COMPLETE_ONLY and single + passing + kept < 4:
        return False
    return passing <= may_double(rules, once, twice, single)


@inner
def way_points(
    rules: Any, value: Any, naturals: Any, jokers: Any, single: Any, passing: Any, kept: Any,
    doubled: Any,
) -> Any:  # fmt: skip
    """Points of a new set by its first window; ``doubled`` cards follow a joker after it."""
    if rules.score_swap_credit == CREDIT_SWAPPER:
        single += passing  # what the joker brought goes, what the card brings comes
        passing = 0
    total = window_points(rules, value, single, passing + kept)
    if rules.score_swap_credit == CREDIT_BOTH:
        total += passing * value
    total += (naturals - single - passing) * value + (jokers - kept) * joker_points(rules, value)
    return total + doubled * doubling_bonus(rules, value)


@inner
def best_way(
    rules: Any, once: Any, twice: Any, value: Any, jokers: Any, free: Any, early: Any, forced: Any
) -> Any:  # fmt: skip
    """The best way to lay a new set where jokers may pass.

    Parameters
    ----------
    free, early
        Jokers that stay free beside those that the set keeps; jokers at hand when it begins, if
        it begins without one of those (``doubling``).
    forced
        Whether at least one joker has to pass.

    Returns
    -------
    tuple of int
        Points, natural cards laid plain at first, jokers that pass then, jokers that stay then,
        cards doubled later. Points are those of laying all plain where no joker can pass.
    """
    naturals = bits.count(once) + bits.count(twice)
    least = 3 if rules.lay_off_on != LAY_OFF_NONE else naturals + jokers
    best = -BIG if forced else window_points(rules, value, naturals, jokers)
    best_single, best_passing, best_kept, best_doubled = naturals, 0, jokers, 0
    for n in range(least, max(least, min(naturals + jokers, 4)) + 1):
        for single in range(rules.meld_min_naturals, min(naturals, n) + 1):
            for kept in range(max(0, n - naturals), min(jokers, n - single) + 1):
                passing = n - single - kept
                hands = free + jokers if kept > 0 else max(free + jokers, early)
                if not window_may_pass(rules, once, twice, single, passing, kept, hands):
                    continue
                left = free + jokers - kept
                doubled = doubled_later(rules, once, twice, single, passing, kept, left)
                if doubling_bonus(rules, value) <= 0:
                    doubled = 1 if forced and passing == 0 and doubled > 0 else 0
                if forced and passing + doubled == 0:
                    continue
                points = way_points(rules, value, naturals, jokers, single, passing, kept, doubled)
                if points > best:
                    best = points
                    best_single, best_passing = single, passing
                    best_kept, best_doubled = kept, doubled
    return best, best_single, best_passing, best_kept, best_doubled


@inner
def onto_doubled(rules: Any, once: Any, twice: Any, shown: Any, on_table: Any, hands: Any) -> Any:
    """How many natural cards that join a set on the table can follow a joker.

    ``shown``: the cards that the set shows, ``on_table`` its jokers, ``hands`` those at hand.
    """
    if hands <= 0 or rules.joker_set_swap == SWAP_NEVER or not room_to_pass(rules, on_table):
        return 0
    if rules.joker_set_swap == SWAP_ANY_MISSING:
        return bits.count(once & ~shown)
    return bits.count(once) + bits.count(twice)


@inner
def cards_shown(seen: Any, m: Any) -> Any:
    """Cards that a meld shows, those its jokers stand for included."""
    mask = bits.U0
    for i in range(seen.meld_size[m]):
        mask |= bits.CARD_BIT[face(seen.meld_card[m, i])]
    return mask
