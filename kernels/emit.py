"""Writing the best end of a turn down as legal actions.

The rows are applied to a copy of the round as they are written, so that places in melds are
always those of the table as it stands. Doubling (``doubling``) becomes a joker laid first, then
a swap; openings come first, parts that keep jokers last, in the order found.
"""

from __future__ import annotations

from typing import Any

from numba import types

from ramisim.kernels import bits
from ramisim.kernels.doubling import doubling_bonus, run_grid, window_bonus
from ramisim.kernels.emit_opening import (
    DONE,
    GREW_FIRST,
    OPENED_WITH,
    WAITING,
    free_opened_sets,
    write_opening,
    write_rest,
)
from ramisim.kernels.emit_rows import fresh_row, lay_off_one, swap_back
from ramisim.kernels.emit_run import (
    free_window,
    lay_window,
    note_bonus,
    read_window,
    write_extension,
    write_new_run,
)
from ramisim.kernels.emit_set import (
    free_passed,
    grow_set,
    joker_suit,
    lay_set,
    write_new_set,
    write_onto_set,
)
from ramisim.kernels.jit import kernel, separate
from ramisim.kernels.kinds import (
    HIDDEN_TYPE,
    KEPT_TYPE,
    PART_TYPE,
    RULES_TYPE,
    SEEN_TYPE,
    WORK_TYPE,
)
from ramisim.kernels.opening import OPENED
from ramisim.kernels.ordering import add_to_order, best_order
from ramisim.kernels.passing import part_can_pass, rest_can_pass
from ramisim.kernels.sets import best_way, cards_shown
from ramisim.kernels.state import DISCARD, HIGH, LAY
from ramisim.kernels.turn import ROW_CARDS
from ramisim.kernels.values import set_value
from ramisim.kernels.words import LAY_OFF_NONE, RECOVERED_REPLAYED
from ramisim.kernels.work import ABOVE_RUN, BELOW_RUN, NEW_RUN, NEW_SET, ONTO_SET


@separate(
    types.void(WORK_TYPE, SEEN_TYPE, HIDDEN_TYPE, RULES_TYPE, PART_TYPE, types.int64, types.int64)
)
def _write_part(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, free: Any, unit: Any
) -> None:
    if part.kind == NEW_RUN:
        write_new_run(w, seen, hidden, rules, part, free, unit)
    elif part.kind == NEW_SET:
        write_new_set(w, seen, hidden, rules, part, free, unit)
    elif part.kind == BELOW_RUN or part.kind == ABOVE_RUN:
        write_extension(w, seen, hidden, rules, part, free, unit)
    else:
        write_onto_set(w, seen, hidden, rules, part, free, unit)


@kernel
def _write_swaps(w: Any, seen: Any, hidden: Any, rules: Any, after: Any) -> None:
    for k in range(w.best_n_swaps):
        if w.best_swap_after[k] == after:
            m = w.best_swap_meld[k]
            i = w.best_swap_place[k]
            swap_back(w, seen, hidden, rules, m, i, w.best_swap_card[k])


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
        first = part.kind == ONTO_SET and part.once == bits.U0 and _frees_later(w, part.meld)
        add_to_order(w, part.value, part.jokers - (1 if first else 0))


@kernel
def _write_swaps_first(w: Any, seen: Any, hidden: Any, rules: Any, kept: Any) -> None:
    """Sets that must grow before their joker is freed grow first, the swap right after.

    Those that grow by natural cards come first: the joker they free can go on to the next. Of
    what grows by jokers one goes down before the swap, the others when it is their turn.
    """
    for stage in range(2):
        for p in range(w.best_n):
            part = kept[p]
            naturals = bits.count(part.once) + bits.count(part.twice)
            if part.meld < 0 or w.part_state[p] == DONE or (naturals > 0) != (stage == 0):
                continue
            if not _frees_later(w, part.meld):
                continue
            m = part.meld
            rest = part.jokers - (0 if naturals > 0 else 1)
            on_table = seen.meld_jokers[m]
            capped = rules.meld_max_jokers > 0 and on_table + 1 > rules.meld_max_jokers
            doubles = 0
            if w.best_pays and hidden.jokers[seen.turn] > 0 and not capped:
                if doubling_bonus(rules, set_value(rules, part.low)) > 0:
                    doubles = naturals
            grow_set(w, seen, hidden, rules, part, m, 0, 0, rest, doubles)
            for k in range(w.best_n_swaps):
                if w.best_swap_after[k] == 1 and w.best_swap_meld[k] == m:
                    i = w.best_swap_place[k]
                    swap_back(w, seen, hidden, rules, m, i, w.best_swap_card[k])
                    w.best_swap_after[k] = 2
            w.part_kept[p] = rest
            w.part_state[p] = DONE if rest == 0 else GREW_FIRST


@kernel
def _write_grown(w: Any, seen: Any, hidden: Any, rules: Any, part: Any, jokers: Any) -> None:
    """The jokers still to come of a set that grew before its swap."""
    for _ in range(jokers):
        card = joker_suit(rules, part.low, cards_shown(seen, part.meld))
        lay_off_one(w, seen, hidden, rules, part.meld, HIGH, card, True, False)


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
        if part.kind == NEW_SET:
            _begin_last_set(w, seen, hidden, rules, part, p, early)
        else:
            _begin_last_run(w, seen, hidden, rules, part, p, early)


@kernel
def _begin_last_set(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, p: Any, early: Any
) -> None:
    value = set_value(rules, part.low)
    _, single, passing, stays, doubled = best_way(
        rules, part.once, part.twice, value, part.jokers, 0, early, False
    )
    if stays > 0 or passing + doubled == 0:
        return
    w.part_meld[p] = seen.n_melds
    w.part_begin[p] = single
    w.part_passing[p] = passing
    w.part_kept[p] = 0
    w.part_state[p] = OPENED_WITH
    lay_set(w, seen, hidden, rules, part, LAY, 0, single, passing, 0)
    free_passed(w, seen, hidden, rules, part, w.part_meld[p], single, passing)


@kernel
def _begin_last_run(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, p: Any, early: Any
) -> None:
    n = part.size
    stay = part.joker_places
    m = seen.n_melds
    note_bonus(w, rules, part, False)
    best = run_grid(w, rules, n, stay, 0, early)
    for size in range(3, n):
        for i in range(n - size + 1):
            j = i + size - 1
            if (stay >> i) & ((1 << size) - 1):
                continue
            first = window_bonus(w, rules, i, j, stay, early, False)
            if first > 0 and first + w.grid[i, j] == best and rules.lay_off_on != LAY_OFF_NONE:
                passing = read_window(w, rules, i, j, stay, first)
                lay_window(w, seen, hidden, rules, part, LAY, 0, i, j, passing)
                free_window(w, seen, hidden, rules, part, m, i, j, passing)
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


@kernel
def _passed_in_opening(w: Any, n_new: Any) -> Any:
    for k in range(n_new):
        if w.best_option[k].in_opening and w.best_option[k].passing > 0:
            return True
    return False


@kernel
def _new_before(kept: Any, p: Any) -> Any:
    """How many new melds come before a part: its number among them, if it is one."""
    n = 0
    for q in range(p):
        n += kept[q].meld < 0
    return n


@separate(types.void(WORK_TYPE, SEEN_TYPE, HIDDEN_TYPE, RULES_TYPE, KEPT_TYPE))
def emit(w: Any, seen: Any, hidden: Any, rules: Any, kept: Any) -> None:
    """Write the best end found by ``solve`` into ``w.rows``; plays it on ``seen``/``hidden``."""
    w.n_rows = 0
    for p in range(w.best_n):
        w.part_state[p] = WAITING
    late_swaps = w.best_opening != OPENED and rules.joker_swap_needs_opening == 1
    if not late_swaps:
        _write_swaps(w, seen, hidden, rules, 0)
    if w.best_opening != OPENED:
        write_opening(w, seen, hidden, rules, kept)
        free_opened_sets(w, seen, hidden, rules, kept)
        if late_swaps:
            _write_swaps(w, seen, hidden, rules, 0)
    stay_in_hand = 0 if rules.joker_recovered == RECOVERED_REPLAYED else w.best_jokers
    _note_order(w, kept)
    whole = stay_in_hand == w.best_jokers
    best_order(w, stay_in_hand, whole)
    free = stay_in_hand
    for p in range(w.best_n):
        free += w.order_jokers[p]
    # Whether some joker only passes to settle a duty: in the opening, or in the first part it can.
    unit = w.best_forced == 1
    if w.best_opening != OPENED:
        unit = unit and not _passed_in_opening(w, _new_before(kept, w.best_n))
    _write_swaps_first(w, seen, hidden, rules, kept)
    if w.best_pays and whole and stay_in_hand == 0:
        _begin_last(w, seen, hidden, rules, kept, min(free, w.best_early))
    for turn in range(5):
        # Parts without jokers, then those with, the last ones in the order found.
        for p in range(w.best_n):
            if w.part_state[p] == DONE or _stage(w, p) != turn:
                continue
            free -= w.order_jokers[p]
            part = kept[p]
            if w.part_state[p] == OPENED_WITH:
                option = w.best_option[_new_before(kept, p)]
                passing = unit and rest_can_pass(w, rules, part, option, free)
                write_rest(w, seen, hidden, rules, part, p, free, passing)
            elif w.part_state[p] == GREW_FIRST:
                passing = False
                _write_grown(w, seen, hidden, rules, part, w.part_kept[p])
            else:
                passing = unit and part_can_pass(w, rules, seen, part, free)
                _write_part(w, seen, hidden, rules, part, free, passing)
            unit = unit and not passing
            w.part_state[p] = DONE
    _write_swaps(w, seen, hidden, rules, 1)
    row = fresh_row(w, DISCARD, 0, 0, 0 if w.best_discard < 0 else 1)
    row[ROW_CARDS] = w.best_discard
