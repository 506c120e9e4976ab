"""In which order jokers go down for good, and how an opening is laid.

A part that keeps jokers is worth less when few jokers stay free beside it: fewer of its natural
cards can follow one (``doubling``). The parts without jokers of their own come first; of the others
the order is chosen here, from the end of the turn: the last one has only the jokers that stay in
the hand beside it, the one before also those of the last, and so on. A first window is three cards,
so three free jokers are as good as more, and only the last three places matter.

Two runs that keep one joker each, none left in the hand: the one put down last is worth its
``value[0]``, the other its ``value[1]``, for the joker of the last is still free beside it. Or the
last one is worth ``value[LAST]``: its first cards were laid while both jokers were free, and its
joker goes down at the end.
"""

from __future__ import annotations

from typing import Any

from ramisim.kernels import bits
from ramisim.kernels.doubling import (
    BIG,
    doubling_bonus,
    joker_points,
    jokers_between,
    keyed_bonus,
    keyed_points,
    run_grid,
    window_bonus,
)
from ramisim.kernels.jit import inlined, inner, kernel
from ramisim.kernels.set_parts import waiting_in
from ramisim.kernels.sets import doubled_later, way_points, window_may_pass, window_points
from ramisim.kernels.values import place_in_run, run_value, set_value
from ramisim.kernels.words import LAY_OFF_NONE
from ramisim.kernels.work import LAST, NEW_RUN, ONTO_SET
from ramisim.kernels.worths import note_low_ace

FULL = 3


@kernel
def add_to_order(w: Any, value: Any, jokers: Any) -> None:
    """Note a part (value by free jokers, jokers it keeps) for ``best_order``."""
    n = w.n_order
    for r in range(5):
        w.order_value[n, r] = value[r]
    w.order_jokers[n] = jokers
    w.order_taken[n] = 0
    w.n_order = n + 1


@inner
def add_part(w: Any, part: Any) -> None:
    """Note a part, without the joker that it must lay first so that another comes free."""
    first = part.kind == ONTO_SET and part.once == bits.U0 and waiting_in(w, part.meld) > 0
    add_to_order(w, part.value, part.jokers - (1 if first else 0))


@kernel
def _full_value(w: Any) -> Any:
    """What all noted parts bring when enough jokers are free: the base of the losses."""
    total = 0
    for i in range(w.n_order):
        total += w.order_value[i, FULL]
    return total


@kernel
def best_order(w: Any, kept: Any, whole: Any) -> Any:
    """Best total of the noted parts when ``kept`` jokers stay in the hand.

    ``whole``: whether all jokers can lie on the table together, so that the last part may begin
    with them (not those that stay in the hand where what is recovered must be replayed).
    ``w.order_taken`` tells afterwards the places from the end: 1 last, 2 before it, 3.
    """
    total = _full_value(w)
    all_jokers = kept
    with_jokers = 0
    for i in range(w.n_order):
        all_jokers += w.order_jokers[i]
        with_jokers += w.order_jokers[i] > 0
        w.order_taken[i] = 0
    r = min(FULL, all_jokers)
    for i in range(w.n_order):
        if w.order_jokers[i] == 0:
            total -= w.order_value[i, FULL] - w.order_value[i, r]
    if with_jokers == 0 or kept >= FULL:
        return total
    best = BIG
    for a in range(w.n_order):
        if w.order_jokers[a] == 0:
            continue
        # The last one may have begun while the jokers of the others were free.
        loss_a = _loss(w, a, LAST if whole and kept == 0 and with_jokers > 1 else kept)
        best_b, b, c = _before_last(w, a, kept + w.order_jokers[a])
        if loss_a + best_b < best:
            best = loss_a + best_b
            for i in range(w.n_order):
                w.order_taken[i] = 0
            w.order_taken[a] = 1
            if b >= 0:
                w.order_taken[b] = 2
            if c >= 0:
                w.order_taken[c] = 3
    return total - best


@kernel
def _loss(w: Any, i: Any, free: Any) -> Any:
    at = LAST if free == LAST else min(FULL, free)
    return w.order_value[i, FULL] - w.order_value[i, at]


@kernel
def _before_last(w: Any, a: Any, free: Any) -> Any:
    """Least loss of the parts before the last, and the two parts next to it."""
    if free >= FULL:
        return 0, -1, -1
    best = BIG
    best_b = -1
    best_c = -1
    for b in range(w.n_order):
        if b == a or w.order_jokers[b] == 0:
            continue
        loss = _loss(w, b, free)
        more = free + w.order_jokers[b]
        third = -1
        if more < FULL:
            least = BIG
            for c in range(w.n_order):
                if (
                    c != a
                    and c != b
                    and w.order_jokers[c] > 0
                    and _loss(w, c, min(FULL, more)) < least
                ):
                    least = _loss(w, c, min(FULL, more))
                    third = c
            if third >= 0:
                loss += least
        if loss < best:
            best = loss
            best_b = b
            best_c = third
    if best_b < 0:
        return 0, -1, -1
    return best, best_b, best_c


@kernel
def fill_bonus(w: Any, rules: Any, part: Any) -> None:
    """``w.bonus`` of a run's places."""
    note_low_ace(w, rules, part.kind, part.low, part.size, part.joker_places, w.pays)
    for i in range(part.size):
        value = run_value(rules, place_in_run(rules, part.low, i))
        w.bonus[i] = w.w_points * doubling_bonus(rules, value) if w.pays else 0
        w.extra[i] = joker_points(rules, value) - value


@inlined
def _new_option(w: Any, k: Any) -> Any:
    """Another option of the k-th new meld: there is room for all (``work.MAX_OPTIONS``)."""
    n = w.n_options[k]
    w.n_options[k] = n + 1
    return w.option[k, n]


@kernel
def _prune_option(w: Any, k: Any) -> None:
    """Drop the newest option if an earlier one is as good in everything."""
    n = w.n_options[k] - 1
    new = w.option[k, n]
    for i in range(n):
        old = w.option[k, i]
        if (
            old.in_opening == new.in_opening
            and old.passing + old.kept <= new.passing + new.kept
            and old.points >= new.points
            and old.pure >= new.pure
            and old.jokers_left == new.jokers_left
            and old.value[0] >= new.value[0]
            and old.value[1] >= new.value[1]
            and old.value[2] >= new.value[2]
            and old.value[3] >= new.value[3]
        ):
            w.n_options[k] = n
            return


@kernel
def list_options(w: Any, rules: Any, part: Any, k: Any, at_hand: Any) -> None:
    """Every way to lay the k-th new meld: after the opening, or in it as a first window."""
    w.n_options[k] = 0
    option = _new_option(w, k)
    for r in range(5):
        option.value[r] = part.value[r]
    option.in_opening = 0
    option.begin = 0
    option.end = 0
    option.passing = 0
    option.kept = 0
    option.points = 0
    option.pure = 0
    option.run = 0
    option.jokers_left = part.jokers
    if part.kind == NEW_RUN:
        _run_options(w, rules, part, k, at_hand)
    else:
        _set_options(w, rules, part, k, at_hand)


@kernel
def _most_passing(w: Any, rules: Any) -> Any:
    """Jokers that may pass in an opening: where that pays, or counts for more points there."""
    if not w.may_transit:
        return 0
    if w.pays or (rules.opening_points > 0 and rules.values_joker_meld >= 0):
        return w.jokers
    return w.forced


@kernel
def _run_options(w: Any, rules: Any, part: Any, k: Any, at_hand: Any) -> None:
    n = np_int(part.size)
    stay = np_int(part.joker_places)
    jokers = np_int(part.jokers)
    fill_bonus(w, rules, part)
    static = part.value[0] - static_bonus(w, rules, part)
    for r in range(4):
        free = min(r, w.jokers - jokers)
        run_grid(w, rules, n, stay, free, 0)
        at = 1  # the first option is to lay it later
        for i in range(n - 2):
            for j in range(i + 2, n):
                if rules.lay_off_on == LAY_OFF_NONE and j - i + 1 < n:
                    continue
                at = _run_window(w, rules, part, k, i, j, r, static, at_hand, at)


@kernel
def static_bonus(w: Any, rules: Any, part: Any) -> Any:
    """The bonus already in ``part.value[0]``."""
    plain = 0
    for i in range(part.size):
        value = run_value(rules, place_in_run(rules, part.low, i))
        if (np_int(part.joker_places) >> i) & 1:
            plain += w.w_points * joker_points(rules, value)
        else:
            plain += w.w_points * value
    return part.value[0] - plain - leaving(w, rules, part)


@kernel
def leaving(w: Any, rules: Any, part: Any) -> Any:
    """What the cards of a part bring by leaving the hand."""
    total = part.jokers * (w.w_hand * rules.values_joker_hand + w.w_cards)
    for copy in range(2):
        left = part.once if copy == 0 else part.twice
        while left != bits.U0:
            card = bits.BIT_CARD[bits.lowest(left)]
            left &= left - bits.U1
            rank = card % bits.RANKS
            worth = rules.values_face if rank >= 10 else rank + 1
            if rank == 0:
                worth = rules.values_ace_hand
            total += w.w_hand * worth + w.w_cards
    return total


@kernel
def np_int(value: Any) -> Any:
    """A small integer widened."""
    return int(value)


@kernel
def _window_points(rules: Any, part: Any, i: Any, j: Any) -> Any:
    """What cards i..j of a run count as laid alone: an ace that is the first of them is low."""
    points = 0
    for d in range(i, j + 1):
        value = run_value(rules, place_in_run(rules, part.low + i, d - i))
        if (np_int(part.joker_places) >> d) & 1:
            points += joker_points(rules, value)
        else:
            points += value
    return points


@kernel
def _run_window(
    w: Any, rules: Any, part: Any, k: Any, i: Any, j: Any, r: Any, static: Any, at_hand: Any,
    at: Any,
) -> Any:  # fmt: skip
    """Options of laying cards i..j of a run first, one for each number of passing jokers.

    They are the options from ``at`` on; where the next ones begin is returned. They are made when
    no joker is free beside them (``r`` 0), and their values for more are filled in by later calls:
    what the part brings without its bonus (``static``), the bonus of the window, and that of what
    grows out of it (``w.grid``).
    """
    stay = np_int(part.joker_places)
    kept = jokers_between(stay, i, j)
    most = min(at_hand - kept, _most_passing(w, rules))
    for passing in range(most + 1):
        first = window_bonus(w, rules, i, j, stay, kept + passing, True)
        if first < 0:
            continue
        if r == 0:
            option = _new_option(w, k)
            option.in_opening = 1
            option.begin = i
            option.end = j
            option.passing = passing
            option.kept = kept
            option.points = _window_points(rules, part, i, j) + keyed_points(first, passing)
            option.run = 1
            option.pure = 1 if kept + passing == 0 else 0
            option.jokers_left = part.jokers - kept
        value = static + keyed_bonus(first) + w.grid[i, j]
        w.option[k, at].value[r] = value
        if r == 0:
            w.option[k, at].value[LAST] = value
        at += 1
    return at


@kernel
def _set_options(w: Any, rules: Any, part: Any, k: Any, at_hand: Any) -> None:
    naturals = bits.count(part.once) + bits.count(part.twice)
    for kept in range(part.jokers + 1):
        for passing in range(min(naturals, _most_passing(w, rules)) + 1):
            for single in range(rules.meld_min_naturals, naturals - passing + 1):
                n_first = single + passing + kept
                whole = n_first == naturals + part.jokers
                if n_first < 3 or (rules.lay_off_on == LAY_OFF_NONE and not whole):
                    continue
                if not window_may_pass(
                    rules, part.once, part.twice, single, passing, kept, at_hand
                ):  # fmt: skip
                    continue
                option = _new_option(w, k)
                _set_option(w, rules, part, option, single, passing, kept)
                _prune_option(w, k)


@kernel
def _set_option(
    w: Any, rules: Any, part: Any, option: Any, single: Any, passing: Any, kept: Any
) -> None:
    """Note one first window of a set: what it counts in the opening, and what all brings."""
    naturals = bits.count(part.once) + bits.count(part.twice)
    value = set_value(rules, part.low)
    option.in_opening = 1
    option.begin = single
    option.end = single + passing + kept
    option.passing = passing
    option.kept = kept
    option.points = window_points(rules, value, single, passing + kept)
    option.run = 0
    option.pure = 0
    option.jokers_left = part.jokers - kept
    for r in range(5):
        free = 0 if r == LAST else min(r, w.jokers - part.jokers)
        doubled = 0
        if w.pays:
            left = free + part.jokers - kept
            doubled = doubled_later(rules, part.once, part.twice, single, passing, kept, left)
        points = way_points(
            rules, value, naturals, part.jokers, single, passing, kept, doubled
        )  # fmt: skip
        option.value[r] = w.w_points * points + leaving(w, rules, part)
