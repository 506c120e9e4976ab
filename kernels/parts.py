"""The parts a turn can be made of: new melds of the hand, extensions of melds on the table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from ramisim.kernels import bits
from ramisim.kernels.doubling import chain_bonus, doubling_bonus, joker_points, run_bonus
from ramisim.kernels.jit import inlined, kernel, separate
from ramisim.kernels.kinds import PARTS_TYPE, RULES_TYPE, SEEN_TYPE, WORK_TYPE
from ramisim.kernels.set_parts import list_new_sets, onto_table_set
from ramisim.kernels.shape import run_fits
from ramisim.kernels.state import HIGH, LOW, MELD_SIZE, RUN
from ramisim.kernels.values import place_in_run, run_value
from ramisim.kernels.words import ACE_HIGH_ONLY, LAY_OFF_NONE, LAY_OFF_OWN_ONLY, WRAP
from ramisim.kernels.work import ABOVE_RUN, BELOW_RUN, LAST, NEW_RUN
from ramisim.kernels.worths import (
    leaves,
    most_of,
    new_part,
    note_low_ace,
    singles,
)

NO_CARD = 64


@kernel
def _dominated(w: Any, parts: Any, p: Any, since: Any) -> Any:
    """Whether an earlier part takes the same cards and jokers and brings as much."""
    new = parts[p]
    for i in range(since, p):
        old = parts[i]
        if (
            old.once == new.once
            and old.twice == new.twice
            and old.jokers == new.jokers
            and old.points >= new.points
            and old.value[0] >= new.value[0]
            and old.value[1] >= new.value[1]
            and old.value[2] >= new.value[2]
            and old.value[3] >= new.value[3]
            and old.value[LAST] >= new.value[LAST]
        ):
            return True
    return False


@inlined
def _place_of(rules: Any, kind: Any, low: Any, i: Any) -> Any:
    """The place of the i-th card of a run or of an extension from place ``low`` on."""
    place = place_in_run(rules, low, i)
    if kind == ABOVE_RUN and rules.meld_ace == WRAP and place == 0:
        return bits.ACE_HIGH
    return place


@kernel
def _run_part(
    w: Any, rules: Any, parts: Any, kind: Any, m: Any, suit: Any, low: Any, n: Any, stay: Any,
    start: Any, since: Any,
) -> None:  # fmt: skip
    """Add one run or extension: ``stay`` marks the places that jokers take for good."""
    p = new_part(w, parts)
    if p < 0:
        return
    part = parts[p]
    once = bits.U0
    twice = bits.U0
    jokers = 0
    static = 0
    points = 0
    bottom = NO_CARD
    bonus = 0
    for i in range(n):
        place = _place_of(rules, kind, low, i)
        value = run_value(rules, place)
        w.bonus[i] = w.w_points * doubling_bonus(rules, value) if w.pays else 0
        if (stay >> i) & 1:
            jokers += 1
            points += joker_points(rules, value)
            static += w.w_points * joker_points(rules, value) + leaves(w, rules, bits.JOKER)
            continue
        b = bits.LANE * suit + place % bits.RANKS
        twice |= once & bits.bit(b)
        once |= bits.bit(b)
        bottom = min(bottom, b)
        bonus += w.bonus[i]
        points += value
        static += w.w_points * value + leaves(w, rules, bits.BIT_CARD[b])
    part.once = once
    part.twice = twice
    part.jokers = jokers
    part.kind = kind
    part.meld = m
    part.suit = suit
    part.low = low
    part.size = n
    part.joker_places = stay
    # More where an ace is worth more low: as many points as some opening with it may count.
    note_low_ace(w, rules, kind, low, n, stay, w.pays)
    part.points = points
    if w.ace_at >= 0:
        value = run_value(rules, 0) - run_value(rules, bits.ACE_HIGH)
        if (stay >> w.ace_at) & 1:
            value = joker_points(rules, run_value(rules, 0))
            value -= joker_points(rules, run_value(rules, bits.ACE_HIGH))
        part.points += max(0, value)
        bonus += _early_ace(w, rules, stay)
    part.first = bottom
    for r in range(5):
        part.value[r] = static
    early_ace = w.ace_drop < 0 and w.no_discard == 0
    if (w.pays and once != bits.U0) or early_ace:
        top = min(3, w.jokers - jokers)
        for r in range(top + 1):
            if kind == NEW_RUN:
                part.value[r] += run_bonus(w, rules, n, stay, r, r + jokers)
            else:
                part.value[r] += chain_bonus(w, rules, kind, n, stay, r, start)
        for r in range(top + 1, 4):
            part.value[r] = part.value[top]
        part.value[LAST] = part.value[0]
        if kind == NEW_RUN and jokers > 0:
            part.value[LAST] = static + run_bonus(w, rules, n, stay, 0, w.early)
    if _dominated(w, parts, p, since):
        w.n_parts -= 1
        return
    if w.pays and kind == NEW_RUN and w.ace_at < 0:
        bonus -= _least_bonus(w, rules, n, stay)
    part.most = most_of(w, part, static + bonus)
    if jokers > 0:
        _price_jokers(w, rules, part)


@kernel
def _early_ace(w: Any, rules: Any, stay: Any) -> Any:
    """How much more an ace of a run may bring where it is laid before its king."""
    at = w.ace_at
    if (stay >> at) & 1:
        high = joker_points(rules, run_value(rules, bits.ACE_HIGH))
        return w.w_points * max(0, joker_points(rules, run_value(rules, 0)) - high)
    return max(0, w.ace_bonus - w.bonus[at] - w.ace_drop)


@kernel
def _least_bonus(w: Any, rules: Any, n: Any, stay: Any) -> Any:
    """What the cards of a new run are worth doubled that cannot be: the cheapest of them."""
    total = 0
    taken = 0
    for _ in range(min(2, singles(w, rules))):
        at = -1
        for i in range(n):
            if not ((stay | taken) >> i) & 1 and (at < 0 or w.bonus[i] < w.bonus[at]):
                at = i
        if at < 0:
            return total
        taken |= 1 << at
        total += w.bonus[at]
    return total


@kernel
def _price_jokers(w: Any, rules: Any, part: Any) -> None:
    """A joker costs what it brings in its best place of any run."""
    for i in range(part.size):
        if not (part.joker_places >> i) & 1:
            continue
        got = joker_points(rules, run_value(rules, _place_of(rules, part.kind, part.low, i)))
        if i == w.ace_at:
            got = max(got, joker_points(rules, run_value(rules, 0)))
        w.joker_price = max(w.joker_price, w.w_points * got + leaves(w, rules, bits.JOKER))
        w.joker_point_price = max(w.joker_point_price, got)


@inlined
def _available(w: Any, suit: Any, place: Any, used: Any) -> Any:
    """Whether the hand can put a natural card at a place, beyond the copies ``used``."""
    b = bits.bit(bits.LANE * suit + place % bits.RANKS)
    if used & b:
        return w.start_twice & b != bits.U0
    return w.start_once & b != bits.U0


@kernel
def _new_runs_from(w: Any, rules: Any, parts: Any, suit: Any, low: Any, since: Any) -> None:
    """Every new run with its low card at one place, walked place by place."""
    most = min(rules.meld_run_max, MELD_SIZE)
    cap = w.jokers
    if rules.meld_max_jokers > 0:
        cap = min(cap, rules.meld_max_jokers)
    # Runs of jokers alone are the same in every suit.
    least = rules.meld_min_naturals if suit == 0 else max(1, rules.meld_min_naturals)
    # choice[i]: 0 untried, 1 natural, 2 joker; a walk over the tree of choices.
    stay = 0
    jokers = 0
    i = 0
    choice = w.grid[15]
    choice[0] = 0
    while i >= 0:
        if choice[i] == 2:
            stay &= ~(1 << i)
            jokers -= 1
        step = 0
        if i < most and run_fits(rules, low, i + 1):
            if choice[i] == 0 and _natural_fits(w, rules, suit, low, i, stay):
                step = 1
            elif choice[i] < 2 and jokers < cap and not w.overflow:
                beside = i > 0 and (stay >> (i - 1)) & 1
                if rules.meld_adjacent_jokers == 1 or not beside:
                    step = 2
        if step == 0:
            i -= 1
            continue
        choice[i] = step
        if step == 2:
            stay |= 1 << i
            jokers += 1
        n = i + 1
        if n >= 3 and n - jokers >= least:
            _run_part(w, rules, parts, NEW_RUN, -1, suit, low, n, stay, 0, since)
        i += 1
        choice[i] = 0


@kernel
def _natural_fits(w: Any, rules: Any, suit: Any, low: Any, i: Any, stay: Any) -> Any:
    """Whether a natural card can stand i places above ``low`` (a second ace: a second copy)."""
    used = bits.U0
    if i == bits.RANKS and not stay & 1:
        used = bits.bit(bits.LANE * suit + low % bits.RANKS)
    return _available(w, suit, low + i, used)


@kernel
def _list_new_runs(w: Any, rules: Any, parts: Any) -> None:
    # Where a run may begin: up to the king, and not with an ace that is high.
    may_begin = bits.LANE_RANKS & ~(bits.U1 if rules.meld_ace == ACE_HIGH_ONLY else bits.U0)
    least = 3 - w.jokers
    if rules.meld_max_jokers > 0:
        least = max(least, 3 - rules.meld_max_jokers)
    for suit in range(bits.SUITS):
        held = bits.lane(w.start_once, suit)
        if held == bits.U0 and (suit > 0 or rules.meld_min_naturals > 0):
            continue
        since = w.n_parts
        begins = _places_filled(held | (held << np.uint64(bits.RANKS)), least) & may_begin
        while begins:
            low = bits.lowest(begins)
            begins &= begins - bits.U1
            _new_runs_from(w, rules, parts, suit, low, since)


@inlined
def _places_filled(places: Any, least: Any) -> Any:
    """Places where so many of three neighbours, this one the lowest, are filled."""
    a, b, c = places, places >> bits.U1, places >> np.uint64(2)
    if least >= 3:
        return a & b & c
    if least == 2:
        return (a & b) | (a & c) | (b & c)
    return a | b | c if least == 1 else ~bits.U0


@kernel
def _onto_run(w: Any, rules: Any, parts: Any, seen: Any, m: Any, end: Any) -> None:
    """Every extension of one end of a run, walked outwards place by place."""
    size = np.int64(seen.meld_size[m])
    low = np.int64(seen.meld_rank[m])
    suit = np.int64(seen.meld_suit[m])
    on_table = np.int64(seen.meld_jokers[m])
    edge = 0 if end == LOW else size - 1
    edge_joker = seen.meld_card[m, edge] >= bits.JOKER_AS
    kind = BELOW_RUN if end == LOW else ABOVE_RUN
    most = min(rules.meld_run_max, MELD_SIZE) - size
    cap = w.jokers
    if rules.meld_max_jokers > 0:
        cap = min(cap, rules.meld_max_jokers - on_table)
    start = on_table * 2 + (1 if edge_joker else 0)
    since = w.n_parts
    jokers = 0
    outward = 0  # bit d: the d-th card outwards is a joker for good
    d = 0
    choice = w.grid[15]
    choice[0] = 0
    while d >= 0:
        if choice[d] == 2:
            outward &= ~(1 << d)
            jokers -= 1
        step = 0
        place = low - 1 - d if end == LOW else low + size + d
        new_low = low - 1 - d if end == LOW else low
        if rules.meld_ace == WRAP:
            new_low = (new_low + bits.RANKS) % bits.RANKS
        if d < most and run_fits(rules, new_low, size + d + 1):
            if choice[d] == 0 and _available(w, suit, place + bits.RANKS, bits.U0):
                step = 1
            elif choice[d] < 2 and jokers < cap:
                beside = edge_joker if d == 0 else (outward >> (d - 1)) & 1
                if rules.meld_adjacent_jokers == 1 or not beside:
                    step = 2
        if step == 0:
            d -= 1
            continue
        choice[d] = step
        if step == 2:
            outward |= 1 << d
            jokers += 1
        n = d + 1
        stay = outward
        if end == LOW:
            stay = 0
            for k in range(n):
                stay |= ((outward >> k) & 1) << (n - 1 - k)
        first = new_low if end == LOW else (low + size) % bits.RANKS
        if end == HIGH and rules.meld_ace != WRAP:
            first = low + size
        _run_part(w, rules, parts, kind, m, suit, first, n, stay, start, since)
        d += 1
        choice[d] = 0


@separate(types.void(WORK_TYPE, SEEN_TYPE, RULES_TYPE, PARTS_TYPE))
def list_parts(w: Any, seen: Any, rules: Any, parts: Any) -> None:
    """Fill ``parts`` and the prices of jokers for the hand in ``w.start_*``."""
    w.n_parts = 0
    w.overflow = 0
    # A joker that waits for its set to grow comes when another may be down for good.
    w.early = w.jokers
    for k in range(w.n_swaps):
        w.early -= w.swap_after[k]
    w.joker_price = 0
    w.joker_point_price = 0
    if w.use_new:
        _list_new_runs(w, rules, parts)
        list_new_sets(w, rules, parts)
    if not w.use_extensions or rules.lay_off_on == LAY_OFF_NONE:
        return
    for m in range(seen.n_melds):
        if rules.lay_off_on == LAY_OFF_OWN_ONLY and seen.meld_by[m] != w.seat:
            continue
        if seen.meld_type[m] == RUN:
            _onto_run(w, rules, parts, seen, m, LOW)
            _onto_run(w, rules, parts, seen, m, HIGH)
        else:
            onto_table_set(w, rules, parts, seen, m)
