"""Writing the best end of a turn down as legal actions.

The rows are applied to a copy of the round as they are written, so that places in melds are
always those of the table as it stands. Doubling (``doubling``) becomes a joker laid first, then
a swap; openings come first, parts that keep jokers last, in the order found.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from ramisim.kernels import bits
from ramisim.kernels.doubling import (
    alone_gain,
    chain_bonus,
    choose_window,
    onto_set_doubled,
    pair_gain,
    pair_step,
    run_bonus,
    run_grid,
    set_doubled,
    step_gain,
    window_bonus,
)
from ramisim.kernels.jit import giving, kernel, separate
from ramisim.kernels.kinds import (
    HIDDEN_TYPE,
    KEPT_TYPE,
    PART_TYPE,
    RULES_TYPE,
    SEEN_TYPE,
    WORK_TYPE,
)
from ramisim.kernels.ordering import add_to_order, best_order, np_int
from ramisim.kernels.parts import doubling_bonus, joker_points, note_low_ace
from ramisim.kernels.search import OPENED, OPENS_BY_LAYING, part_can_pass
from ramisim.kernels.shape import face
from ramisim.kernels.state import (
    DISCARD,
    HIGH,
    LAY,
    LAY_OFF,
    LOW,
    OPEN,
    RUN,
    SET,
    SWAP,
)
from ramisim.kernels.turn import ROW_CARDS, apply
from ramisim.kernels.values import place_in_run, run_value, set_value
from ramisim.kernels.work import ABOVE_RUN, BELOW_RUN, MAX_ROWS, NEW_RUN, NEW_SET

WAITING, OPENED_WITH, DONE, GREW_FIRST = 0, 1, 2, 3


@giving
def _fresh_row(w: Any, op: Any, a: Any, b: Any, n: Any) -> Any:
    row = w.rows[min(w.n_rows, MAX_ROWS - 1)]
    row[0] = op
    row[1] = a
    row[2] = b
    row[3] = n
    w.n_rows += 1
    return row


@giving
def _row(w: Any, op: Any, a: Any, b: Any, n: Any) -> Any:
    return _fresh_row(w, np.int64(op), np.int64(a), np.int64(b), np.int64(n))


@kernel
def _put_row(w: Any, seen: Any, hidden: Any, rules: Any) -> None:
    """Apply the row just written."""
    apply(seen, hidden, rules, w.rows[w.n_rows - 1])


@kernel
def _swap_back(w: Any, seen: Any, hidden: Any, rules: Any, m: Any, i: Any, card: Any) -> None:
    row = _row(w, SWAP, m, i, 1)
    row[ROW_CARDS] = card
    _put_row(w, seen, hidden, rules)


@kernel
def _card_at(part: Any, rules: Any, i: Any) -> Any:
    """Natural card of the i-th place of a run or extension."""
    return part.suit * bits.RANKS + place_in_run(rules, np_int(part.low), i) % bits.RANKS


@kernel
def _fill_bonus(w: Any, rules: Any, part: Any, unit: Any) -> None:
    """Bonus of each place; ``unit``: one for each, where a joker only has to pass."""
    low, size, stay = np_int(part.low), np_int(part.size), np_int(part.joker_places)
    note_low_ace(w, rules, part.kind, low, size, stay, w.best_pays)
    if unit and w.ace_at >= 0 and w.ace_bonus == 0 and not (stay >> w.ace_at) & 1:
        w.ace_bonus = 1
    for i in range(part.size):
        place = place_in_run(rules, np_int(part.low), i)
        if part.kind == ABOVE_RUN and rules.meld_ace == 3 and place == 0:
            place = bits.ACE_HIGH
        bonus = 0
        value = run_value(rules, place)
        w.extra[i] = joker_points(rules, value) - value
        if w.best_pays:
            bonus = w.w_points * doubling_bonus(rules, value, False)
        w.bonus[i] = 1 if unit and bonus == 0 else bonus


@kernel
def _lay_window(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, op: Any, last: Any, i: Any, j: Any,
    passing: Any,
) -> None:  # fmt: skip
    """Lay cards i..j of a run, jokers where they stay or pass."""
    row = _row(w, op, RUN, last, j - i + 1)
    stay = np_int(part.joker_places)
    for d in range(i, j + 1):
        joker = ((stay | passing) >> d) & 1
        row[ROW_CARDS + d - i] = _card_at(part, rules, d) + bits.JOKER_AS * joker
    _put_row(w, seen, hidden, rules)


@kernel
def _free_window(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, m: Any, i: Any, j: Any, passing: Any
) -> None:
    for d in range(i, j + 1):
        if (passing >> d) & 1:
            _swap_back(w, seen, hidden, rules, m, d - i, _card_at(part, rules, d))


@kernel
def _grow_run(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, m: Any, i: Any, j: Any, free: Any
) -> None:
    """Grow a new run from cards i..j to its full length, along the best path of ``w.grid``."""
    n = np_int(part.size)
    stay = np_int(part.joker_places)
    while i > 0 or j < n - 1:
        to = j + 1
        best = w.grid[i, j] + (w.ace_drop if i == w.ace_at else 0)
        if i >= 2 and i - 1 == w.ace_at:
            together, passing = pair_step(w, rules, n, stay, free, i, j)
            if together + w.grid[i - 2, j] == best:
                _lay_pair(w, seen, hidden, rules, part, m, i - 1, passing)
                i -= 2
                continue
        if i > 0:
            below = step_gain(w, rules, n, stay, free, i, j, i - 1) + w.grid[i - 1, j]
            if below == best:
                to = i - 1
        gain = step_gain(w, rules, n, stay, free, i, j, to)
        end = LOW if to < i else HIGH
        keeps = (stay >> to) & 1
        _lay_off_one(w, seen, hidden, rules, m, end, _card_at(part, rules, to), keeps, gain > 0)
        i = min(i, to)
        j = max(j, to)


@kernel
def _lay_pair(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, m: Any, a: Any, passing: Any
) -> None:
    """Lay an ace and its king below a run at once, so that the ace is high."""
    row = _row(w, LAY_OFF, m, LOW, 2)
    stay = np_int(part.joker_places)
    for k in range(2):
        joker = ((stay | passing) >> (a - 1 + k)) & 1
        row[ROW_CARDS + k] = _card_at(part, rules, a - 1 + k) + bits.JOKER_AS * joker
    _put_row(w, seen, hidden, rules)
    _free_window(w, seen, hidden, rules, part, m, a - 1, a, passing)


@kernel
def _lay_off_one(
    w: Any, seen: Any, hidden: Any, rules: Any, m: Any, end: Any, card: Any, keeps: Any, passes: Any
) -> None:
    """Add one card: itself, a joker for good, or a joker that it then replaces."""
    row = _row(w, LAY_OFF, m, end, 1)
    row[ROW_CARDS] = card + (bits.JOKER_AS if keeps or passes else 0)
    _put_row(w, seen, hidden, rules)
    if passes and not keeps:
        at = 0
        if seen.meld_type[m] == SET or end == HIGH:
            at = np_int(seen.meld_size[m]) - 1
        _swap_back(w, seen, hidden, rules, m, at, card)


@kernel
def _emit_new_run(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, free: Any, unit: Any
) -> None:
    n = np_int(part.size)
    stay = np_int(part.joker_places)
    jokers = np_int(part.jokers)
    m = np_int(seen.n_melds)
    _fill_bonus(w, rules, part, unit)
    best = 0
    if w.best_pays or unit or w.ace_drop < 0:
        best = run_bonus(w, rules, n, stay, free, free + jokers)
    if best <= 0:
        _lay_window(w, seen, hidden, rules, part, LAY, 0, 0, n - 1, 0)
        return
    best = run_grid(w, rules, n, stay, free, free + jokers)
    for size in range(3, n + 1):
        if rules.lay_off_on == 0 and size < n:
            continue
        for i in range(n - size + 1):
            j = i + size - 1
            first = window_bonus(w, rules, i, j, stay, free + jokers, False)
            if first >= 0 and first + w.grid[i, j] == best:
                passing = _read_window(w, rules, i, j, stay, first)
                _lay_window(w, seen, hidden, rules, part, LAY, 0, i, j, passing)
                _free_window(w, seen, hidden, rules, part, m, i, j, passing)
                _grow_run(w, seen, hidden, rules, part, m, i, j, free)
                return


@kernel
def _read_window(w: Any, rules: Any, i: Any, j: Any, stay: Any, first: Any) -> Any:
    """The passing jokers of the window that ``w.pick`` was just filled for."""
    size = j - i + 1
    for t in range(9):
        if w.pick[size, t, 0] == first or w.pick[size, t, 1] == first:
            return choose_window(w, i, j, stay, rules.meld_adjacent_jokers == 0, t, first, False)
    return 0


@kernel
def _suits_shown(seen: Any, m: Any) -> Any:
    mask = bits.U0
    for i in range(seen.meld_size[m]):
        mask |= bits.CARD_BIT[face(np_int(seen.meld_card[m, i]))]
    return mask


@kernel
def _joker_suit(rules: Any, rank: Any, shown: Any) -> Any:
    """A card of the rank that a joker may stand for, first missing suit first."""
    for suit in range(bits.SUITS):
        if not shown & bits.CARD_BIT[suit * bits.RANKS + rank]:
            return suit * bits.RANKS + rank
    return rank


@kernel
def _set_cards(w: Any, rules: Any, part: Any) -> Any:
    """Natural cards of a set part into ``w.grid[14]``, its jokers' cards after them."""
    n = 0
    for copy in range(2):
        left = part.once if copy == 0 else part.twice
        while left != bits.U0:
            w.grid[14, n] = bits.BIT_CARD[bits.lowest(left)]
            left &= left - bits.U1
            n += 1
    return n


@kernel
def _emit_set_first(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, op: Any, last: Any, single: Any,
    passing: Any, kept: Any,
) -> None:  # fmt: skip
    """Lay a set's first cards: ``single`` naturals, jokers passing for naturals, jokers kept."""
    naturals = _set_cards(w, rules, part)
    n = single + passing + kept
    rank = np_int(part.low)
    shown = part.once
    row = _row(w, op, SET, last, n)
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
        card = _joker_suit(rules, rank, shown)
        shown |= bits.CARD_BIT[card]
        row[ROW_CARDS + at + i] = card + bits.JOKER_AS
    if rules.values_set_as_one == 0:
        _sort_by_suit(row, n)
    _put_row(w, seen, hidden, rules)
    if naturals < 0:
        return


@kernel
def _sort_by_suit(row: Any, n: Any) -> None:
    for i in range(1, n):
        code = row[ROW_CARDS + i]
        k = i - 1
        while k >= 0 and face(np_int(row[ROW_CARDS + k])) > face(np_int(code)):
            row[ROW_CARDS + k + 1] = row[ROW_CARDS + k]
            k -= 1
        row[ROW_CARDS + k + 1] = code


@kernel
def _finish_set(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, m: Any, single: Any, passing: Any,
    kept: Any, doubles: Any,
) -> None:  # fmt: skip
    """Swap the passing jokers out, add the other naturals, then the jokers that stay.

    ``doubles`` of the naturals are doubled.
    """
    naturals = _set_cards(w, rules, part)
    rank = np_int(part.low)
    complete = rules.joker_set_swap == 2
    back = 0
    if not complete or seen.meld_size[m] >= 4:
        while back < passing:
            _swap_in_set(w, seen, hidden, rules, m, np_int(w.grid[14, single + back]))
            back += 1
    for i in range(single + passing, naturals):
        card = np_int(w.grid[14, i])
        passes = doubles > 0
        doubles -= 1
        _lay_off_one(w, seen, hidden, rules, m, HIGH, card, False, passes)
        while back < passing and seen.meld_size[m] >= 4:
            _swap_in_set(w, seen, hidden, rules, m, np_int(w.grid[14, single + back]))
            back += 1
    for _ in range(part.jokers - kept):
        card = _joker_suit(rules, rank, _suits_shown(seen, m))
        _lay_off_one(w, seen, hidden, rules, m, HIGH, card, True, False)
        while back < passing and seen.meld_size[m] >= 4:
            _swap_in_set(w, seen, hidden, rules, m, np_int(w.grid[14, single + back]))
            back += 1


@kernel
def _swap_in_set(w: Any, seen: Any, hidden: Any, rules: Any, m: Any, card: Any) -> None:
    for i in range(seen.meld_size[m]):
        if seen.meld_card[m, i] == card + bits.JOKER_AS:
            _swap_back(w, seen, hidden, rules, m, i, card)
            return


@kernel
def _emit_new_set(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, free: Any, unit: Any
) -> None:
    naturals = bits.count(part.once) + bits.count(part.twice)
    jokers = np_int(part.jokers)
    doubled = 0
    if w.best_pays or unit:
        doubled = set_doubled(rules, naturals, jokers, free, free + jokers)
    m = np_int(seen.n_melds)
    if doubled == 0:
        _emit_set_first(w, seen, hidden, rules, part, LAY, 0, naturals, 0, jokers)
        return
    at_first = 3
    if rules.lay_off_on == 0:
        at_first = naturals + jokers
    if rules.joker_set_swap == 2:
        at_first = max(at_first, 4)
    single = naturals - doubled
    passing = min(doubled, max(0, at_first - single))
    kept = max(0, at_first - single - passing)
    _emit_set_first(w, seen, hidden, rules, part, LAY, 0, single, passing, kept)
    _finish_set(w, seen, hidden, rules, part, m, single, passing, kept, doubled - passing)


@kernel
def _emit_onto_set(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, free: Any, unit: Any
) -> None:
    m = np_int(part.meld)
    naturals = bits.count(part.once) + bits.count(part.twice)
    doubled = 0
    if w.best_pays or unit:
        on_table = np_int(seen.meld_jokers[m])
        doubled = onto_set_doubled(rules, on_table, naturals, np_int(part.jokers), free)
    _finish_set(w, seen, hidden, rules, part, m, 0, 0, 0, doubled)


@kernel
def _emit_chain(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, free: Any, unit: Any
) -> None:
    """Extend a run on the table, card by card where jokers pass, else in one lay-off."""
    m = np_int(part.meld)
    n = np_int(part.size)
    stay = np_int(part.joker_places)
    low = part.kind == BELOW_RUN
    _fill_bonus(w, rules, part, unit)
    edge = 0 if low else np_int(seen.meld_size[m]) - 1
    start = np_int(seen.meld_jokers[m]) * 2
    if seen.meld_card[m, edge] >= bits.JOKER_AS:
        start += 1
    total = 0
    if w.best_pays or unit or w.ace_drop < 0:
        total = chain_bonus(w, rules, np_int(part.kind), n, stay, free, start)
    end = LOW if low else HIGH
    if total == 0:
        row = _row(w, LAY_OFF, m, end, n)
        for i in range(n):
            joker = (stay >> i) & 1
            row[ROW_CARDS + i] = _card_at(part, rules, i) + bits.JOKER_AS * joker
        _put_row(w, seen, hidden, rules)
        return
    left = free + np_int(part.jokers)
    step = 0
    while step < n:
        i = n - 1 - step if low else step
        step += 1
        keeps = (stay >> i) & 1
        before = np_int(seen.meld_jokers[m])
        near = 0 if low else np_int(seen.meld_size[m]) - 1
        beside = seen.meld_card[m, near] >= bits.JOKER_AS
        if i == w.ace_at:
            together, passing = pair_gain(w, rules, i, stay, left, before, beside)
            if together >= alone_gain(w, rules, i, stay, left, before, beside):
                _lay_pair(w, seen, hidden, rules, part, m, i, passing)
                left -= keeps + ((stay >> (i - 1)) & 1)
                step += 1
                continue
        bonus = w.ace_bonus if i == w.ace_at else w.bonus[i]
        passes = left > 0 and bonus > 0 and not keeps
        if rules.meld_max_jokers > 0 and before + 1 > rules.meld_max_jokers:
            passes = False
        if rules.meld_adjacent_jokers == 0 and beside:
            passes = False
        _lay_off_one(w, seen, hidden, rules, m, end, _card_at(part, rules, i), keeps, passes)
        left -= keeps


@kernel
def _emit_swaps(w: Any, seen: Any, hidden: Any, rules: Any, after: Any) -> None:
    for k in range(w.best_n_swaps):
        if w.best_swap_after[k] == after:
            m = np_int(w.best_swap_meld[k])
            i = np_int(w.best_swap_place[k])
            _swap_back(w, seen, hidden, rules, m, i, np_int(w.best_swap_card[k]))


@kernel
def _emit_opening(w: Any, seen: Any, hidden: Any, rules: Any, kept: Any) -> None:
    """Lay the melds of the opening as their options say; the rest of each waits."""
    in_opening = 0
    k = 0
    for p in range(w.best_n):
        if kept[p].meld < 0:
            in_opening += w.best_option[k].in_opening
            k += 1
    k = 0
    for p in range(w.best_n):
        part = kept[p]
        if part.meld >= 0:
            continue
        option = w.best_option[k]
        k += 1
        if not option.in_opening:
            continue
        in_opening -= 1
        op = LAY if w.best_opening == OPENS_BY_LAYING else OPEN
        last = 1 if in_opening == 0 else 0
        w.part_meld[p] = seen.n_melds
        w.part_begin[p] = option.begin
        w.part_end[p] = option.end
        w.part_kept[p] = option.kept
        w.part_passing[p] = option.passing
        w.part_state[p] = OPENED_WITH
        if part.kind == NEW_SET:
            _emit_set_first(
                w, seen, hidden, rules, part, op, last, np_int(option.begin),
                np_int(option.passing), np_int(option.kept),
            )  # fmt: skip
            continue
        _fill_bonus(w, rules, part, False)
        i = np_int(option.begin)
        j = np_int(option.end)
        stay = np_int(part.joker_places)
        hands = np_int(option.kept + option.passing)
        passing = 0
        if option.passing > 0:
            first = window_bonus(w, rules, i, j, stay, hands, True)
            apart = rules.meld_adjacent_jokers == 0
            passing = choose_window(w, i, j, stay, apart, np_int(option.passing), first, True)
        w.part_passing[p] = passing
        _lay_window(w, seen, hidden, rules, part, op, last, i, j, passing)
    for p in range(w.best_n):
        part = kept[p]
        if w.part_state[p] == OPENED_WITH and part.kind == NEW_RUN:
            _free_window(
                w, seen, hidden, rules, part, np_int(w.part_meld[p]), np_int(w.part_begin[p]),
                np_int(w.part_end[p]), np_int(w.part_passing[p]),
            )  # fmt: skip


@kernel
def _free_opened_sets(w: Any, seen: Any, hidden: Any, rules: Any, kept: Any) -> None:
    """Take the passing jokers of the opening's sets back at once: other parts count on them."""
    for p in range(w.best_n):
        part = kept[p]
        if w.part_state[p] != OPENED_WITH or part.kind != NEW_SET or w.part_passing[p] == 0:
            continue
        m = np_int(w.part_meld[p])
        if rules.joker_set_swap == 2 and seen.meld_size[m] < 4:
            continue
        _set_cards(w, rules, part)
        begin = np_int(w.part_begin[p])
        end = begin + np_int(w.part_passing[p])
        for i in range(begin, end):
            _swap_in_set(w, seen, hidden, rules, m, np_int(w.grid[14, i]))
        w.part_begin[p] = end
        w.part_passing[p] = 0


@kernel
def _emit_rest(w: Any, seen: Any, hidden: Any, rules: Any, part: Any, p: Any, free: Any) -> None:
    """What remains of a meld of the opening."""
    m = np_int(w.part_meld[p])
    if part.kind == NEW_RUN:
        n = np_int(part.size)
        _fill_bonus(w, rules, part, False)
        run_grid(w, rules, n, np_int(part.joker_places), free, 0)
        _grow_run(
            w, seen, hidden, rules, part, m, np_int(w.part_begin[p]), np_int(w.part_end[p]), free
        )
        return
    single = np_int(w.part_begin[p])
    passing = np_int(w.part_passing[p])
    kept = np_int(w.part_kept[p])
    naturals = bits.count(part.once) + bits.count(part.twice)
    later = 0
    if w.best_pays and free + part.jokers - kept > 0 and rules.joker_set_swap != 3:
        later = naturals - single - passing
    _finish_set(w, seen, hidden, rules, part, m, single, passing, kept, later)


@kernel
def _note_order(w: Any, kept: Any) -> None:
    w.n_order = 0
    k = 0
    for p in range(w.best_n):
        part = kept[p]
        if part.meld < 0:
            if w.best_opening != OPENED:
                option = w.best_option[k]
                k += 1
                add_to_order(w, option.value, option.jokers_left)
                continue
        add_to_order(w, part.value, part.jokers)


@kernel
def _emit_swaps_first(w: Any, seen: Any, hidden: Any, rules: Any, kept: Any) -> None:
    """Sets that must grow before their joker is freed grow first, the swap right after.

    Those that grow by natural cards come first: the joker they free can go on to the next. Of
    what grows by jokers one goes down before the swap, the others when all swaps are done.
    """
    for stage in range(2):
        for p in range(w.best_n):
            part = kept[p]
            naturals = bits.count(part.once) + bits.count(part.twice)
            if part.meld < 0 or w.part_state[p] == DONE or (naturals > 0) != (stage == 0):
                continue
            if not _frees_later(w, np_int(part.meld)):
                continue
            m = np_int(part.meld)
            rest = np_int(part.jokers) - (0 if naturals > 0 else 1)
            on_table = np_int(seen.meld_jokers[m])
            capped = rules.meld_max_jokers > 0 and on_table + 1 > rules.meld_max_jokers
            doubles = 0
            if w.best_pays and hidden.jokers[seen.turn] > 0 and not capped:
                if doubling_bonus(rules, set_value(rules, np_int(part.low)), False) > 0:
                    doubles = naturals
            _finish_set(w, seen, hidden, rules, part, m, 0, 0, rest, doubles)
            for k in range(w.best_n_swaps):
                if w.best_swap_after[k] == 1 and w.best_swap_meld[k] == m:
                    i = np_int(w.best_swap_place[k])
                    _swap_back(w, seen, hidden, rules, m, i, np_int(w.best_swap_card[k]))
                    w.best_swap_after[k] = 2
            w.part_kept[p] = rest
            w.part_state[p] = DONE if rest == 0 else GREW_FIRST
    for p in range(w.best_n):
        if w.part_state[p] == GREW_FIRST:
            part = kept[p]
            m = np_int(part.meld)
            for _ in range(w.part_kept[p]):
                card = _joker_suit(rules, np_int(part.low), _suits_shown(seen, m))
                _lay_off_one(w, seen, hidden, rules, m, HIGH, card, True, False)
            w.part_state[p] = DONE


@kernel
def _frees_later(w: Any, m: Any) -> Any:
    """Whether a joker of a meld waits for it to grow."""
    for k in range(w.best_n_swaps):
        if w.best_swap_after[k] == 1 and w.best_swap_meld[k] == m:
            return True
    return False


@kernel
def _begin_last(w: Any, seen: Any, hidden: Any, rules: Any, kept: Any, early: Any) -> None:
    """Lay the first window of the part that keeps the last joker, while the others are free."""
    for p in range(w.best_n):
        part = kept[p]
        others = early > w.order_jokers[p]
        if w.order_taken[p] != 1 or w.part_state[p] != WAITING or not others or part.meld >= 0:
            continue
        jokers = np_int(part.jokers)
        m = np_int(seen.n_melds)
        if part.kind == NEW_SET:
            naturals = bits.count(part.once) + bits.count(part.twice)
            at_first = 4 if rules.joker_set_swap == 2 else 3
            doubled = set_doubled(rules, naturals, jokers, 0, early)
            if rules.lay_off_on == 0 or naturals < at_first or doubled == 0:
                continue
            single = naturals - doubled
            passing = max(0, at_first - single)
            _emit_set_first(w, seen, hidden, rules, part, LAY, 0, single, passing, 0)
            for i in range(single, single + passing):
                _swap_in_set(w, seen, hidden, rules, m, np_int(w.grid[14, i]))
            w.part_begin[p] = single + passing
            w.part_passing[p] = 0
            w.part_kept[p] = 0
            w.part_meld[p] = m
            w.part_state[p] = OPENED_WITH
        else:
            _begin_last_run(w, seen, hidden, rules, part, p, early)


@kernel
def _begin_last_run(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, p: Any, early: Any
) -> None:
    n = np_int(part.size)
    stay = np_int(part.joker_places)
    m = np_int(seen.n_melds)
    _fill_bonus(w, rules, part, False)
    best = run_grid(w, rules, n, stay, 0, early)
    for size in range(3, n):
        for i in range(n - size + 1):
            j = i + size - 1
            if (stay >> i) & ((1 << size) - 1):
                continue
            first = window_bonus(w, rules, i, j, stay, early, False)
            if first > 0 and first + w.grid[i, j] == best and rules.lay_off_on != 0:
                passing = _read_window(w, rules, i, j, stay, first)
                _lay_window(w, seen, hidden, rules, part, LAY, 0, i, j, passing)
                _free_window(w, seen, hidden, rules, part, m, i, j, passing)
                w.part_meld[p] = m
                w.part_begin[p] = i
                w.part_end[p] = j
                w.part_state[p] = OPENED_WITH
                return


@kernel
def _stage(w: Any, p: Any) -> Any:
    """0 without jokers, 1 with, then 2, 3, 4 for the last but two, last but one, last."""
    if w.order_jokers[p] == 0:
        return 0
    taken = w.order_taken[p]
    return 1 if taken == 0 else 5 - taken


@separate(
    types.void(WORK_TYPE, SEEN_TYPE, HIDDEN_TYPE, RULES_TYPE, PART_TYPE, types.int64, types.int64)
)
def _emit_part(w: Any, seen: Any, hidden: Any, rules: Any, part: Any, free: Any, unit: Any) -> None:
    if part.kind == NEW_RUN:
        _emit_new_run(w, seen, hidden, rules, part, free, unit)
    elif part.kind == NEW_SET:
        _emit_new_set(w, seen, hidden, rules, part, free, unit)
    elif part.kind == BELOW_RUN or part.kind == ABOVE_RUN:
        _emit_chain(w, seen, hidden, rules, part, free, unit)
    else:
        _emit_onto_set(w, seen, hidden, rules, part, free, unit)


@separate(types.void(WORK_TYPE, SEEN_TYPE, HIDDEN_TYPE, RULES_TYPE, KEPT_TYPE))
def emit(w: Any, seen: Any, hidden: Any, rules: Any, kept: Any) -> None:
    """Write the best end found by ``solve`` into ``w.rows``; plays it on ``seen``/``hidden``."""
    w.n_rows = 0
    for p in range(w.best_n):
        w.part_state[p] = WAITING
    late_swaps = w.best_opening != OPENED and rules.joker_swap_needs_opening == 1
    if not late_swaps:
        _emit_swaps(w, seen, hidden, rules, 0)
    if w.best_opening != OPENED:
        _emit_opening(w, seen, hidden, rules, kept)
        _free_opened_sets(w, seen, hidden, rules, kept)
        if late_swaps:
            _emit_swaps(w, seen, hidden, rules, 0)
    stay_in_hand = 0 if rules.joker_recovered == 1 else np_int(w.best_jokers)
    _note_order(w, kept)
    best_order(w, stay_in_hand)
    free = stay_in_hand
    for p in range(w.best_n):
        free += w.order_jokers[p]
    # Whether some joker only passes to settle a duty: the first part that lets it.
    unit = w.best_forced == 1
    _emit_swaps_first(w, seen, hidden, rules, kept)
    if w.best_pays and stay_in_hand == 0:
        _begin_last(w, seen, hidden, rules, kept, free)
    for turn in range(5):
        # Parts without jokers, then those with, the last ones in the order found.
        for p in range(w.best_n):
            if w.part_state[p] == DONE or _stage(w, p) != turn:
                continue
            free -= w.order_jokers[p]
            part = kept[p]
            if w.part_state[p] == OPENED_WITH:
                _emit_rest(w, seen, hidden, rules, part, p, free)
            else:
                passing = unit and part_can_pass(w, rules, part, free)
                _emit_part(w, seen, hidden, rules, part, free, passing)
                if passing:
                    unit = False
            w.part_state[p] = DONE
    _emit_swaps(w, seen, hidden, rules, 1)
    row = _row(w, DISCARD, 0, 0, 0 if w.best_discard < 0 else 1)
    row[ROW_CARDS] = w.best_discard
