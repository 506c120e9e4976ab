"""What laying one's own joker and taking it back brings.

Under ``score.swap_credit = "both"`` a player who lays a joker and then swaps it for the natural
card of the same hand is paid twice for the place. So while a joker is free, a natural card can be
*doubled*: the joker goes first, the card takes its place, the joker is free again. What cannot be
doubled is what a new meld needs at the moment it is laid (its natural cards), and what is put down
when no joker is free any more, because all stand on the table for good.

Five, six, seven, eight of clubs and one joker: laid plain the run counts 26. Laid as 5 6 Jk, the
seven put in the joker's place, the joker laid off as the eight and the eight put in its place, it
counts 5 + 6 + 7 + 7 + 8 + 8 = 41, and the joker is in the hand again. The bonus is 15, all cards
but the two cheapest that can stand beside the one joker in a first *window* of three; ``w.bonus``
is (5, 6, 7, 8), and the window and its growth are what the functions here look through. With a
second joker the window is 5 Jk Jk and the bonus 21. Once the last joker stays somewhere for good,
as the nine of this run, nothing more can be doubled.

``free`` is the number of jokers that stay free beside those that the part keeps for good;
``early`` the number at hand before any joker is down for good: a first window that holds none of
the part's own jokers can be laid then, and the rest when its turn comes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, kernel
from ramisim.kernels.values import place_in_run
from ramisim.kernels.words import CREDIT_BOTH, CREDIT_OWNER, LAY_OFF_NONE, WRAP
from ramisim.kernels.work import BELOW_RUN

BIG = 1 << 20
KEYED = 1 << 14
"""Bonus of an opening's first window is counted in this unit, its points below it: what up to eight
passing jokers add, each between -OFFSET and OFFSET and counted from there."""
OFFSET = 1 << 10


@inlined
def joker_points(rules: Any, value: Any) -> Any:
    """Points of a joker at a place worth ``value``."""
    return rules.values_joker_meld if rules.values_joker_meld >= 0 else value


@inlined
def doubling_bonus(rules: Any, value: Any) -> Any:
    """Extra points of laying a joker first and the natural card in its place.

    Not for the places of a set that count as one card: there neither counts (``sets``).
    """
    if rules.score_swap_credit == CREDIT_BOTH:
        return joker_points(rules, value)
    if rules.score_swap_credit == CREDIT_OWNER:
        return max(0, joker_points(rules, value) - value)
    return 0


@inlined
def jokers_between(stay: Any, i: Any, j: Any) -> Any:
    """Jokers that stay at the places i..j of a part."""
    return bits.count(np.uint64(stay) & (bits.bit(j + 1) - bits.bit(i)))


@kernel
def chain_bonus(w: Any, rules: Any, kind: Any, n: Any, stay: Any, free: Any, start: Any) -> Any:
    """Bonus of an extension of a run on the table.

    ``w.bonus[i]`` is the bonus of doubling the i-th card as it will stand, ``stay`` the mask of
    jokers that stay, ``start`` (jokers on the table meld) * 2 + (its end card is a joker).
    """
    left = free + jokers_between(stay, 0, n - 1)
    on_table = start >> 1
    beside = start & 1
    total = 0
    step = 0
    while step < n:
        i = n - 1 - step if kind == BELOW_RUN else step
        step += 1
        if i == w.ace_at:
            together, _ = pair_gain(w, rules, i, stay, left, on_table, beside)
            if together >= alone_gain(w, rules, i, stay, left, on_table, beside):
                total += together
                for k in range(i - 1, i + 1):
                    left -= (stay >> k) & 1
                    on_table += (stay >> k) & 1
                beside = (stay >> (i - 1)) & 1
                step += 1
                continue
            total -= w.ace_drop
        if (stay >> i) & 1:
            left -= 1
            on_table += 1
            beside = 1
            continue
        bonus = w.ace_bonus if i == w.ace_at else w.bonus[i]
        if left > 0 and bonus > 0 and _passing(rules, on_table, beside):
            total += bonus
        beside = 0
    return total


@kernel
def note_ace(w: Any, rules: Any, low: Any, n: Any) -> None:
    """Find the ace of a run, or of cards below one, that a king of the same part stands below.

    Laid with its king it is high, laid before it low (ruling D27). The caller sets ``w.ace_drop``
    and ``w.ace_bonus``.
    """
    w.ace_at = -1
    w.ace_drop = 0
    w.ace_bonus = 0
    if rules.meld_ace != WRAP:
        return
    for i in range(1, min(n, bits.RANKS)):
        if place_in_run(rules, int(low), i) == bits.ACE_HIGH:
            w.ace_at = i


@kernel
def pair_gain(
    w: Any, rules: Any, a: Any, stay: Any, left: Any, on_table: Any, beside: Any
) -> Any:  # fmt: skip
    """Bonus of laying the ace at ``a`` with its king below a run, and the mask that passes.

    ``left`` jokers are at hand, those that stay in the two places included.
    """
    kept = 3 & (stay >> (a - 1))
    best = -BIG
    choice = 0
    for passing in range(4):
        if passing & kept:
            continue
        jokers = passing | kept
        n = (jokers & 1) + (jokers >> 1)
        bonus = 0
        fits = n <= left
        for k in range(2):
            if (passing >> k) & 1:
                bonus += w.bonus[a - 1 + k]
                fits = fits and w.bonus[a - 1 + k] > 0
        if passing != 0:
            if rules.meld_max_jokers > 0 and on_table + n > rules.meld_max_jokers:
                fits = False
            if rules.meld_adjacent_jokers == 0 and (jokers == 3 or (beside and jokers & 2)):
                fits = False
        if fits and bonus > best:
            best = bonus
            choice = passing << (a - 1)
    return best, choice


@kernel
def alone_gain(
    w: Any, rules: Any, a: Any, stay: Any, left: Any, on_table: Any, beside: Any
) -> Any:  # fmt: skip
    """What ``pair_gain`` is compared with: the ace is laid first and is low, then its king."""
    total = -w.ace_drop
    for i in range(a, a - 2, -1):
        if (stay >> i) & 1:
            left -= 1
            on_table += 1
            beside = 1
            continue
        bonus = w.ace_bonus if i == a else w.bonus[i]
        if left > 0 and bonus > 0 and _passing(rules, on_table, beside):
            total += bonus
        beside = 0
    return total


@kernel
def _passing(rules: Any, on_table: Any, beside: Any) -> Any:
    """Whether a joker may stand for a moment beside what is there."""
    if rules.meld_max_jokers > 0 and on_table + 1 > rules.meld_max_jokers:
        return False
    return rules.meld_adjacent_jokers == 1 or not beside


@kernel
def run_bonus(w: Any, rules: Any, n: Any, stay: Any, free: Any, early: Any) -> Any:
    """Bonus of a new run of ``n`` cards with the jokers ``stay`` kept for good."""
    jokers = 0
    total = 0
    least = BIG
    for i in range(n):
        if (stay >> i) & 1:
            jokers += 1
        else:
            total += w.bonus[i]
            least = min(least, w.bonus[i])
    if (free + jokers == 0 or total + max(w.ace_bonus, 0) == 0) and w.ace_drop >= 0:
        return 0
    if w.nice:
        # Two jokers at hand: only one natural card has to be there when the run is laid.
        if free >= 2 or (free == 1 and jokers >= 1):
            return total - least
        if jokers == 0:
            return total - _cheapest_pair(w, 0, n)
        if jokers == 1:
            return _beside_last_joker(w, n, stay, early)
    return run_grid(w, rules, n, stay, free, early)


@kernel
def _cheapest_pair(w: Any, begin: Any, end: Any) -> Any:
    """Least sum of two of three neighbours: laid with one joker in the dearest place."""
    best = BIG
    for i in range(begin, end - 2):
        a = w.bonus[i]
        b = w.bonus[i + 1]
        c = w.bonus[i + 2]
        best = min(best, a + b + c - max(a, max(b, c)))
    return best


@kernel
def _beside_last_joker(w: Any, n: Any, stay: Any, early: Any) -> Any:
    """The last joker stays in this run: only what lies on one side of it can be doubled."""
    at = 0
    while not (stay >> at) & 1:
        at += 1
    best = 0
    for side in range(2):
        begin = 0 if side == 0 else at + 1
        end = at if side == 0 else n
        if end - begin >= 3:
            total = 0
            least = BIG
            for i in range(begin, end):
                total += w.bonus[i]
                least = min(least, w.bonus[i])
            if early < 2:
                least = _cheapest_pair(w, begin, end)
            best = max(best, total - least)
    return best


@kernel
def run_grid(w: Any, rules: Any, n: Any, stay: Any, free: Any, early: Any) -> Any:
    """The general answer: every first window, then growth outwards, one card at a time.

    Fills ``w.grid[i, j]``: best bonus still to come once cards i..j lie on the table, less what
    an ace brings less where it lies there as the first of them.
    """
    all_jokers = jokers_between(stay, 0, n - 1)
    w.grid[0, n - 1] = 0
    for size in range(n - 1, 2, -1):
        for i in range(n - size + 1):
            w.grid[i, i + size - 1] = _grow(w, rules, n, stay, free, i, i + size - 1)
            if i == w.ace_at:
                w.grid[i, i + size - 1] -= w.ace_drop
    best = -BIG
    for size in range(3, n + 1):
        if rules.lay_off_on == LAY_OFF_NONE and size < n:
            continue
        for i in range(n - size + 1):
            hands = window_hands(i, i + size - 1, stay, free + all_jokers, early)
            first = window_bonus(w, rules, i, i + size - 1, stay, hands, False)
            if first >= 0:
                best = max(best, first + w.grid[i, i + size - 1])
    return max(best, 0)


@kernel
def window_hands(i: Any, j: Any, stay: Any, late: Any, early: Any) -> Any:
    """Jokers at hand when cards i..j are laid first: all of them, if none of them stays there."""
    return late if jokers_between(stay, i, j) > 0 else max(late, early)


@kernel
def step_gain(w: Any, rules: Any, n: Any, stay: Any, free: Any, i: Any, j: Any, to: Any) -> Any:
    """Bonus of growing a run from cards i..j by its neighbour ``to``; 0 for a joker that stays."""
    if (stay >> to) & 1:
        return 0
    inside = jokers_between(stay, i, j)
    outside = jokers_between(stay, 0, n - 1) - inside
    near = i if to < i else j
    if free + outside >= 1 and _passing(rules, inside, (stay >> near) & 1):
        return w.ace_bonus if to == w.ace_at and to < i else w.bonus[to]
    return 0


@kernel
def pair_step(w: Any, rules: Any, n: Any, stay: Any, free: Any, i: Any, j: Any) -> Any:
    """Bonus of growing a run from cards i..j by an ace and its king at once, and what passes."""
    inside = jokers_between(stay, i, j)
    outside = jokers_between(stay, 0, n - 1) - inside
    return pair_gain(w, rules, i - 1, stay, free + outside, inside, (stay >> i) & 1)


@kernel
def _grow(w: Any, rules: Any, n: Any, stay: Any, free: Any, i: Any, j: Any) -> Any:
    best = -BIG
    if i > 0:
        best = step_gain(w, rules, n, stay, free, i, j, i - 1) + w.grid[i - 1, j]
    if j < n - 1:
        above = step_gain(w, rules, n, stay, free, i, j, j + 1) + w.grid[i, j + 1]
        # An ace that lies first already: what it lacks counts once.
        best = max(best, above + (w.ace_drop if i == w.ace_at else 0))
    if i >= 2 and i - 1 == w.ace_at:
        together, _ = pair_step(w, rules, n, stay, free, i, j)
        best = max(best, together + w.grid[i - 2, j])
    return best


@kernel
def window_bonus(w: Any, rules: Any, i: Any, j: Any, stay: Any, hands: Any, exactly: Any) -> Any:
    """Best bonus of laying cards i..j at once with ``hands`` jokers at hand; -1 if it cannot be.

    Fills ``w.pick`` (best bonus by number of passing jokers and whether the last card is a
    joker), from which ``choose_window`` reads the choice back. ``exactly``: all jokers pass or
    stay, and of as good choices the one of most points (``keyed_bonus``, ``keyed_points``).
    """
    size = j - i + 1
    kept = jokers_between(stay, i, j)
    room = hands - kept
    if room < 0:
        return -1
    least = room if exactly else 0
    room = min(room, size - kept - rules.meld_min_naturals)
    if room < least:
        return -1
    if rules.meld_max_jokers > 0:
        room = min(room, rules.meld_max_jokers - kept)
        if room < least:
            return -1
    room = min(room, 8)
    if room < least:
        return -1
    apart = rules.meld_adjacent_jokers == 0
    for t in range(room + 1):
        w.pick[0, t, 0] = -BIG
        w.pick[0, t, 1] = -BIG
    w.pick[0, 0, 0] = 0
    for k in range(i, j + 1):
        d = k - i
        keeps = (stay >> k) & 1
        for t in range(room + 1):
            plain = max(w.pick[d, t, 0], w.pick[d, t, 1])
            after = w.pick[d, t, 0] if apart else plain
            if keeps:
                w.pick[d + 1, t, 0] = -BIG
                w.pick[d + 1, t, 1] = after
                continue
            w.pick[d + 1, t, 0] = plain
            w.pick[d + 1, t, 1] = -BIG
            if t > 0:
                before = w.pick[d, t - 1, 0]
                if not apart:
                    before = max(before, w.pick[d, t - 1, 1])
                w.pick[d + 1, t, 1] = before + _first_bonus(w, i, k, exactly)
    best = -1
    for t in range(room + 1):
        if exactly and t != room:
            continue
        best = max(best, max(w.pick[size, t, 0], w.pick[size, t, 1]))
    return best


@kernel
def _first_bonus(w: Any, i: Any, k: Any, keyed: Any) -> Any:
    """Bonus of the k-th card in a window that begins at the i-th."""
    low = k == i and k == w.ace_at
    bonus = w.ace_bonus if low else w.bonus[k]
    if keyed:
        return bonus * KEYED + OFFSET + (w.ace_extra if low else w.extra[k])
    return bonus


@kernel
def keyed_bonus(first: Any) -> Any:
    """The bonus in what ``window_bonus`` gives for an opening."""
    return first // KEYED


@kernel
def keyed_points(first: Any, passing: Any) -> Any:
    """What its passing jokers add to the points of the opening."""
    return first % KEYED - passing * OFFSET


@kernel
def choose_window(
    w: Any, i: Any, j: Any, stay: Any, apart: Any, passing: Any, target: Any, exactly: Any
) -> Any:
    """The mask of passing jokers (bit k: card k) that gives ``target`` in ``w.pick``."""
    size = j - i + 1
    t = passing
    joker = 1 if w.pick[size, t, 1] == target else 0
    mask = 0
    value = target
    for d in range(size, 0, -1):
        k = i + d - 1
        if joker and not (stay >> k) & 1:
            mask |= 1 << k
            t -= 1
            value -= _first_bonus(w, i, k, exactly)
        was_joker = joker
        if d == 1:
            break
        joker = 1 if w.pick[d - 1, t, 0] != value else 0
        if was_joker and apart:
            joker = 0
    return mask
