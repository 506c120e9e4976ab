"""How the new melds of an end are laid as an opening: the best choice of their options."""

from __future__ import annotations

from typing import Any

from ramisim.kernels.doubling import BIG
from ramisim.kernels.jit import inlined, kernel
from ramisim.kernels.ordering import add_part, add_to_order, best_order, list_options
from ramisim.kernels.passing import part_can_pass, rest_can_pass
from ramisim.kernels.words import RECOVERED_REPLAYED
from ramisim.kernels.work import MAX_NEW

CANNOT = -BIG
OPENED, MUST_OPEN, OPENS_BY_LAYING = 0, 1, 2


@kernel
def opening_gain(w: Any, seen: Any, rules: Any, parts: Any, frame: Any, least: Any) -> Any:
    """Best gain over the ways to open with the chosen new melds; CANNOT if none is above ``least``.

    The jokers of an opening are laid all at once: those of the hand, and recovered ones only
    where a swap needs no opening. ``w.option_choice[k]`` tells the option of the k-th new meld.
    """
    w.n_new = 0
    for k in range(frame.chosen):
        if parts[w.chosen[k]].meld < 0:
            if w.n_new == MAX_NEW:
                return CANNOT
            w.new_part[w.n_new] = w.chosen[k]
            w.n_new += 1
    if w.n_new == 0:
        return CANNOT
    at_hand = w.jokers
    if rules.joker_swap_needs_opening == 1:
        at_hand = w.hand_jokers
    else:
        for k in range(w.n_swaps):
            at_hand -= w.swap_after[k]
    for k in range(w.n_new):
        list_options(w, rules, parts[w.new_part[k]], k, at_hand)
        w.option_choice[k] = -1
    _note_most(w)
    if w.forced and not _joker_may_pass(w, rules, seen, parts, frame):
        return CANNOT
    asked = _runs_asked(w, rules)
    cap = w.base
    for k in range(frame.chosen):
        if parts[w.chosen[k]].meld >= 0:
            cap += parts[w.chosen[k]].most
    best = least
    k = 0
    while k >= 0:
        w.option_choice[k] += 1
        if w.option_choice[k] >= w.n_options[k]:
            k -= 1
            continue
        if not _may_hold(w, rules, k, cap, best, asked):
            continue
        if k + 1 < w.n_new:
            k += 1
            w.option_choice[k] = -1
            continue
        if not _opening_holds(w, rules, frame, at_hand):
            continue
        if w.forced and not _joker_passes(w, rules, seen, parts, frame):
            continue
        gain = _gain_of_options(w, rules, parts, frame)
        if gain > best:
            best = gain
            for i in range(w.n_new):
                w.trial_choice[i] = w.option_choice[i]
    for i in range(w.n_new):
        w.option_choice[i] = w.trial_choice[i]
    return best if best > least else CANNOT


@kernel
def _note_most(w: Any) -> None:
    """What the new melds from the k-th on bring at most, count at most, and which runs they lay."""
    w.most_gain[w.n_new] = 0
    w.most_points[w.n_new] = 0
    w.most_runs[w.n_new] = 0
    for k in range(w.n_new - 1, -1, -1):
        gain = CANNOT
        points = 0
        runs = 0
        for n in range(w.n_options[k]):
            option = w.option[k, n]
            gain = max(gain, _option_gain(option))
            points = max(points, option.points)
            runs |= _runs_of(option)
        w.most_gain[k] = w.most_gain[k + 1] + gain
        w.most_points[k] = w.most_points[k + 1] + points
        w.most_runs[k] = w.most_runs[k + 1] | runs


@inlined
def _runs_of(option: Any) -> Any:
    """1 for a run laid in the opening, 3 for one without joker."""
    return option.run | (option.pure << 1)


@kernel
def _runs_asked(w: Any, rules: Any) -> Any:
    """What an opening asks for, in the same words."""
    if w.opening != MUST_OPEN:
        return 0
    if rules.opening_pure_run == 1:
        return 2
    return 1 if rules.opening_needs_run == 1 else 0


@inlined
def _option_gain(option: Any) -> Any:
    value = option.value
    return max(max(value[0], value[1]), max(max(value[2], value[3]), value[4]))


@kernel
def _may_hold(w: Any, rules: Any, k: Any, cap: Any, best: Any, asked: Any) -> Any:
    """Whether the options of the new melds up to the k-th may lead to a better opening."""
    gain = cap + w.most_gain[k + 1]
    points = w.most_points[k + 1]
    runs = w.most_runs[k + 1]
    for i in range(k + 1):
        option = w.option[i, w.option_choice[i]]
        gain += _option_gain(option)
        points += option.points
        runs |= _runs_of(option)
    if gain <= best or asked & ~runs:
        return False
    return w.opening != MUST_OPEN or points >= rules.opening_points


@kernel
def _opening_holds(w: Any, rules: Any, frame: Any, at_hand: Any) -> Any:
    jokers = 0
    passing = 0
    points = 0
    runs = 0
    pure = 0
    melds = 0
    for k in range(w.n_new):
        option = w.option[k, w.option_choice[k]]
        if option.in_opening:
            melds += 1
            jokers += option.passing + option.kept
            passing += option.passing
            points += option.points
            runs += option.run
            pure += option.pure
    if melds == 0 or jokers > at_hand:
        return False
    if jokers - passing + w.waits > at_hand:
        return False
    if rules.joker_recovered == RECOVERED_REPLAYED:
        # Those that come back, and those swapped later, must go down after the opening.
        later = w.jokers - frame.jokers - (jokers - passing)
        if passing + w.jokers - at_hand > later:
            return False
    if w.opening == OPENS_BY_LAYING:
        return melds == 1
    if points < rules.opening_points:
        return False
    if rules.opening_needs_run == 1 and runs == 0:
        return False
    return rules.opening_pure_run == 0 or pure > 0


@kernel
def _gain_of_options(w: Any, rules: Any, parts: Any, frame: Any) -> Any:
    w.n_order = 0
    for k in range(w.n_new):
        option = w.option[k, w.option_choice[k]]
        add_to_order(w, option.value, option.jokers_left)
    for k in range(frame.chosen):
        part = parts[w.chosen[k]]
        if part.meld >= 0:
            add_part(w, part)
    kept = 0 if rules.joker_recovered == RECOVERED_REPLAYED else frame.jokers
    return w.base + best_order(w, kept, kept == frame.jokers)


@kernel
def _joker_may_pass(w: Any, rules: Any, seen: Any, parts: Any, frame: Any) -> Any:
    """Whether a joker can pass with any of the options."""
    for k in range(w.n_new):
        for n in range(w.n_options[k]):
            if _passes_with(w, rules, seen, parts[w.new_part[k]], w.option[k, n]):
                return True
    return _passes_with_extensions(w, rules, seen, parts, frame)


@kernel
def _joker_passes(w: Any, rules: Any, seen: Any, parts: Any, frame: Any) -> Any:
    """Whether a joker can pass with the options chosen: in the opening, or with what follows."""
    for k in range(w.n_new):
        option = w.option[k, w.option_choice[k]]
        if _passes_with(w, rules, seen, parts[w.new_part[k]], option):
            return True
    return _passes_with_extensions(w, rules, seen, parts, frame)


@kernel
def _passes_with(w: Any, rules: Any, seen: Any, part: Any, option: Any) -> Any:
    if option.in_opening:
        return option.passing > 0 or rest_can_pass(w, rules, part, option, w.jokers)
    return part_can_pass(w, rules, seen, part, w.jokers)


@kernel
def _passes_with_extensions(w: Any, rules: Any, seen: Any, parts: Any, frame: Any) -> Any:
    for k in range(frame.chosen):
        part = parts[w.chosen[k]]
        if part.meld >= 0 and part_can_pass(w, rules, seen, part, w.jokers):
            return True
    return False


@kernel
def copy_option(source: Any, target: Any) -> None:
    """Copy an OPTION record."""
    for r in range(5):
        target.value[r] = source.value[r]
    target.in_opening = source.in_opening
    target.begin = source.begin
    target.end = source.end
    target.passing = source.passing
    target.kept = source.kept
    target.points = source.points
    target.pure = source.pure
    target.run = source.run
    target.jokers_left = source.jokers_left
