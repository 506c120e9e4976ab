"""The best end of a turn where it can be seen at a glance: no joker, no card wanted twice.

Every card that fits a run or set of the hand, or a meld on the table, leaves the hand; of the
others the dearest is thrown. That is exact as long as no card is needed in a run and in a set, no
joker can be had, and no rule makes one meld hinder another; nine of ten questions of a round are
like that. Of the others nothing is said (``UNKNOWN``): ask ``ending.solve_end``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, inner, kernel
from ramisim.kernels.melding_plain import folded, in_runs, three_suits, torn, value_of
from ramisim.kernels.shape import face
from ramisim.kernels.solve import CARDS, DEADWOOD, POINTS, SCORE
from ramisim.kernels.state import MELD_SIZE, NONE, RUN
from ramisim.kernels.turn import may_hit
from ramisim.kernels.values import run_value, set_value
from ramisim.kernels.words import LAY_OFF_NONE, LAY_OFF_OWN_ONLY, WRAP

UNKNOWN, NO_END, FOUND = range(3)
_LOW, _HIGH = 0, 1
_U64 = np.uint64(64)
_PIPS = np.uint64(0x03FE)
_FACES = np.uint64(0x1C00)


@inlined
def _simple_rules(rules: Any) -> Any:
    """Whether melds of naturals never hinder one another under these rules."""
    return (
        rules.meld_ace != WRAP
        and rules.meld_run_max >= bits.RANKS
        and rules.meld_set_max >= bits.SUITS
        and rules.meld_min_naturals <= 3
    )


@inlined
def ends(rules: Any) -> Any:
    """The places of runs that the rules allow: the ace low, high, or both."""
    if rules.meld_ace == _LOW:
        return ~bits.HIGH_ACES
    return ~bits.ACES if rules.meld_ace == _HIGH else ~bits.U0


@inlined
def two_suits(mask: Any) -> Any:
    """Ranks held in at least two suits, as one lane."""
    lane = np.uint64(0xFFFF)
    c, d = mask & lane, (mask >> bits.U16) & lane
    h, s = (mask >> np.uint64(32)) & lane, mask >> np.uint64(48)
    return (c & d) | ((c | d) & (h | s)) | (h & s)


@inlined
def _value(mask: Any, ace: Any, rules: Any) -> Any:
    return value_of(mask, np.int64(rules.values_face)) + bits.count(mask & bits.ACES) * ace


@inlined
def _ranks_of(mask: Any) -> Any:
    """Ranks of a mask of cards, as one lane."""
    mask |= mask >> np.uint64(32)
    return (mask | (mask >> bits.U16)) & bits.LANE_RANKS


@inlined
def _dearest(cards: Any, rules: Any) -> Any:
    """The card of a mask that costs most in the hand, of equals the lowest bit; and its cost."""
    ranks = _ranks_of(cards)
    cost = bits.highest(ranks & _PIPS) + 1
    if ranks & _FACES:
        cost = max(cost, np.int64(rules.values_face))
    if ranks & bits.U1:
        cost = max(cost, np.int64(rules.values_ace_hand))
    equal = bits.U0
    if 2 <= cost <= 10:
        equal |= bits.U1 << np.uint64(cost - 1)
    if rules.values_face == cost:
        equal |= _FACES
    if rules.values_ace_hand == cost:
        equal |= bits.U1
    return bits.BIT_CARD[bits.lowest(cards & (equal * bits.ACES))], cost


@inner
def _frees_joker(seen: Any, m: Any, once: Any) -> Any:
    """Whether a card of the hand might free a joker of a meld."""
    if seen.meld_type[m] != RUN:
        return once & (bits.ACES << np.uint64(seen.meld_rank[m])) != bits.U0
    for i in range(seen.meld_size[m]):
        code = np.int64(seen.meld_card[m, i])
        if code >= bits.JOKER_AS and once & bits.CARD_BIT[face(code)]:
            return True
    return False


@inner
def onto_run(seen: Any, m: Any, places: Any, longest: Any) -> Any:
    """Places of the hand's cards that go below and above a run; False if it gets too long."""
    suit = np.int64(seen.meld_suit[m])
    lane = bits.lane(places, suit)
    low = np.int64(seen.meld_rank[m])
    above = low + np.int64(seen.meld_size[m])
    up = bits.lowest(~(lane >> np.uint64(above)))
    over = ((bits.U1 << np.uint64(up)) - bits.U1) << np.uint64(above)
    down = np.int64(0)
    under = bits.U0
    if low > 0:
        down = 63 - bits.highest(~(lane << (_U64 - np.uint64(low))))
        under = ((bits.U1 << np.uint64(down)) - bits.U1) << np.uint64(low - down)
    shift = bits.U16 * np.uint64(suit)
    fits = up + down == 0 or above - low + up + down <= longest
    return under << shift, over << shift, fits


@inner
def onto_set(seen: Any, m: Any, once: Any, rules: Any) -> Any:
    """Cards of the hand that a set takes; False where that is not plain."""
    here = once & (bits.ACES << np.uint64(seen.meld_rank[m]))
    if here == bits.U0:
        return here, True
    if seen.meld_jokers[m] > 0:
        return here, False
    if rules.meld_set_distinct_suits == 1:
        for i in range(seen.meld_size[m]):
            here &= ~bits.CARD_BIT[np.int64(seen.meld_card[m, i])]
    room = min(np.int64(rules.meld_set_max), np.int64(MELD_SIZE)) - seen.meld_size[m]
    return here, bits.count(here) <= room


@inlined
def takes_cards(seen: Any, m: Any, rules: Any) -> Any:
    """Whether the seat on turn may add to a meld, if it may lay off at all."""
    return rules.lay_off_on != LAY_OFF_OWN_ONLY or seen.meld_by[m] == seen.turn


@inlined
def longest_run(rules: Any) -> Any:
    """Cards of a run at most, as the rules and the table have it."""
    return min(np.int64(rules.meld_run_max), np.int64(MELD_SIZE))


@inner
def _on_table(seen: Any, once: Any, swaps: Any, lays_off: Any, rules: Any) -> Any:
    """Places and cards that go to melds on the table; False where that is not plain."""
    chains = onto = bits.U0
    places = bits.with_high_aces(once) & ends(rules)
    longest = longest_run(rules)
    for m in range(seen.n_melds):
        if swaps and seen.meld_jokers[m] > 0 and _frees_joker(seen, m, once):
            return chains, onto, False
        if not lays_off or not takes_cards(seen, m, rules):
            continue
        if seen.meld_type[m] == RUN:
            under, over, fits = onto_run(seen, m, places, longest)
            chains |= under | over
        else:
            more, fits = onto_set(seen, m, once, rules)
            onto |= more
        if not fits:
            return chains, onto, False
    return chains, onto, True


@inner
def _with_joker(once: Any, rules: Any) -> Any:
    """Most points of one meld with exactly one joker, at least as many as there can be."""
    joker = max(np.int64(rules.values_joker_meld), np.int64(0))
    best = np.int64(0)
    pairs = two_suits(once)
    while pairs:
        rank = bits.lowest(pairs)
        pairs &= pairs - bits.U1
        value = np.int64(set_value(rules, rank))
        n = bits.count(once & (bits.ACES << np.uint64(rank)))
        best = max(best, n * value + max(value, joker))
    places = bits.with_high_aces(once) & ends(rules)
    for suit in range(bits.SUITS):
        lane = bits.lane(places, suit)
        gaps = ~lane & bits.LANE_MASK
        while gaps:
            place = bits.lowest(gaps)
            gaps &= gaps - bits.U1
            points = max(np.int64(run_value(rules, place)), joker)
            n = 1
            at = place - 1
            while at >= 0 and (lane >> np.uint64(at)) & bits.U1:
                points += run_value(rules, at)
                n += 1
                at -= 1
            at = place + 1
            while (lane >> np.uint64(at)) & bits.U1:
                points += run_value(rules, at)
                n += 1
                at += 1
            if n >= 3:
                best = max(best, points)
    return best


@inner
def _cannot_open(once: Any, twice: Any, jokers: Any, rules: Any) -> Any:
    """Whether the hand surely does not reach the points, or the run, of an opening."""
    runs = in_runs(once, ends(rules))
    if jokers > 1:
        return False
    if runs == bits.U0 and (rules.opening_pure_run or (rules.opening_needs_run and jokers == 0)):
        return True
    usable = folded(runs) | (once & (three_suits(once) * bits.ACES))
    if rules.meld_set_distinct_suits == 0:
        # Twins count as two of a set.
        usable |= once & ((two_suits(once) & _ranks_of(twice)) * bits.ACES)
    ace = max(rules.values_ace_low, rules.values_ace_high, rules.values_ace_set)
    most = _value(usable, np.int64(ace), rules)
    if twice & usable:
        most += _value(twice & usable, np.int64(ace), rules)
    if jokers == 1:
        if rules.meld_set_distinct_suits == 0 and twice:
            return False
        most += _with_joker(once, rules)
    return most < rules.opening_points


@inner
def _without_laying(seen: Any, hand: Any, rules: Any, objective: Any) -> Any:
    """The end of a turn in which nothing can be laid: the dearest card is thrown."""
    if seen.must_use != NONE:
        return np.int64(NO_END), np.int64(0), bits.U0, np.int64(NONE)
    left = _throwable(seen, hand.once, hand.twice)
    jokers = np.int64(hand.jokers)
    if left == bits.U0 or (jokers > 0 and seen.no_rethrow == bits.JOKER):
        return np.int64(UNKNOWN), np.int64(0), bits.U0, np.int64(NONE)
    thrown, cost = _dearest(left, rules)
    value = np.int64(0)
    if objective == SCORE or objective == DEADWOOD:
        if jokers > 0 and rules.values_joker_hand > cost:
            cost = np.int64(rules.values_joker_hand)
            thrown = np.int64(bits.JOKER)
        ace = np.int64(rules.values_ace_hand)
        total = _value(hand.once, ace, rules) + jokers * rules.values_joker_hand
        if hand.twice:
            total += _value(hand.twice, ace, rules)
        value = cost - total
    else:
        thrown = bits.BIT_CARD[bits.lowest(left)]
    if objective == CARDS:
        value = np.int64(1)
    return np.int64(FOUND), value, bits.U0, thrown


@inlined
def _throwable(seen: Any, left: Any, twice: Any) -> Any:
    """Cards left that may be thrown: not the single discard just taken."""
    if seen.no_rethrow >= 0 and seen.no_rethrow < bits.JOKER:
        return left & ~(bits.CARD_BIT[seen.no_rethrow] & ~twice)
    return left


@inner
def _nothing_goes(seen: Any, hand: Any, rules: Any) -> Any:
    """Whether it is plain that nothing may be put on the table, whatever the hand."""
    if not may_hit(seen, rules):
        return True
    if seen.opened[seen.turn] == 1 or rules.opening_points <= 0:
        return False
    closed = rules.lay_off_on == LAY_OFF_NONE or rules.lay_off_needs_opening == 1
    closed = closed and (rules.joker_swap == 0 or rules.joker_swap_needs_opening == 1)
    return closed and _cannot_open(hand.once, hand.twice, np.int64(hand.jokers), rules)


@kernel
def plain_end(seen: Any, hand: Any, rules: Any, objective: Any) -> Any:
    """The best end of the turn on hand, if it is plain.

    ``seen`` in the phase of play, ``hand`` a HAND record, ``objective`` one of ``solve.POINTS``,
    ``SCORE``, ``DEADWOOD``, ``CARDS``.

    Returns
    -------
    state : int64
        ``FOUND``; ``NO_END`` where the turn cannot be ended; ``UNKNOWN``.
    value : int64
        As ``services.end_value``.
    laid : uint64
        Mask of the cards that leave the hand before the discard.
    thrown : int64
        The card to throw by id: the dearest of those left, the first where that does not matter.
    """
    nothing = (np.int64(UNKNOWN), np.int64(0), bits.U0, np.int64(NONE))
    if not _simple_rules(rules) or objective > CARDS or seen.to_replay > 0 or seen.n_melds > 20:
        return nothing
    if _nothing_goes(seen, hand, rules):
        return _without_laying(seen, hand, rules, objective)
    if hand.jokers > 0:
        return nothing
    once = hand.once
    opened = seen.opened[seen.turn] == 1
    runs = in_runs(once, ends(rules))
    sets = once & (three_suits(once) * bits.ACES)
    if not opened and rules.opening_points > 0:
        if not _cannot_open(once, hand.twice, np.int64(0), rules):
            return nothing
        runs = sets = bits.U0
    lays = opened or (runs | sets) != bits.U0
    swaps = rules.joker_swap == 1 and (lays or rules.joker_swap_needs_opening == 0)
    lays_off = rules.lay_off_on != LAY_OFF_NONE and (lays or rules.lay_off_needs_opening == 0)
    chains, onto, plain = _on_table(seen, once, swaps, lays_off, rules)
    if not plain:
        return nothing
    runs |= chains
    in_run = folded(runs)
    wanted_twice = (in_run & sets) | torn(runs) | (in_run & onto & bits.ACES)
    laid = in_run | sets | onto
    if hand.twice:
        # A twin that goes nowhere is only held; another may go to a second place.
        wanted_twice |= hand.twice & laid
        if rules.meld_set_distinct_suits == 0:
            wanted_twice |= two_suits(once) & _ranks_of(hand.twice)
    if rules.values_set_as_one == 1:
        wanted_twice |= sets & onto
    left = _throwable(seen, once & ~laid, hand.twice)
    if wanted_twice or left == bits.U0:
        return nothing
    if seen.must_use != NONE:
        if seen.must_use == bits.JOKER:
            return nothing
        if not laid & bits.CARD_BIT[seen.must_use]:
            return np.int64(NO_END), np.int64(0), bits.U0, np.int64(NONE)
    thrown, cost = _dearest(left, rules)
    value = np.int64(0)
    if objective == POINTS or objective == SCORE:
        value += _points(runs, sets, onto, rules)
    if objective == SCORE or objective == DEADWOOD:
        ace = np.int64(rules.values_ace_hand)
        value += cost - _value(once & ~laid, ace, rules)
        if hand.twice:
            value -= _value(hand.twice, ace, rules)
    else:
        thrown = bits.BIT_CARD[bits.lowest(left)]
    if objective == CARDS:
        value += bits.count(laid) + 1
    return np.int64(FOUND), value, laid, thrown


@inlined
def _points(runs: Any, sets: Any, onto: Any, rules: Any) -> Any:
    """Points of cards laid: places of runs, cards of new sets, cards onto sets."""
    in_sets = sets | onto
    points = value_of(folded(runs) | in_sets, np.int64(rules.values_face))
    points += bits.count(in_sets & bits.ACES) * rules.values_ace_set
    points += bits.count(runs & bits.ACES) * rules.values_ace_low
    points += bits.count(runs & bits.HIGH_ACES) * rules.values_ace_high
    if rules.values_set_as_one == 1:
        points -= 2 * _value(_ranks_of(sets), np.int64(rules.values_ace_set), rules)
    return points
