"""Writing an opening: its melds at once, what passes in them taken back, the rest of each later."""

from __future__ import annotations

from typing import Any

from ramisim.kernels.doubling import choose_window, doubling_bonus, run_grid, window_bonus
from ramisim.kernels.emit_run import free_window, grow_run, lay_window, note_bonus
from ramisim.kernels.emit_set import free_passed, grow_set, lay_set
from ramisim.kernels.jit import inner
from ramisim.kernels.opening import OPENS_BY_LAYING
from ramisim.kernels.sets import doubled_later
from ramisim.kernels.state import LAY, OPEN
from ramisim.kernels.values import set_value
from ramisim.kernels.work import NEW_RUN, NEW_SET

WAITING, OPENED_WITH, DONE, GREW_FIRST = 0, 1, 2, 3
"""Where a part stands while the end of a turn is written (``part_state``)."""


@inner
def write_opening(w: Any, seen: Any, hidden: Any, rules: Any, kept: Any) -> None:
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
            lay_set(
                w, seen, hidden, rules, part, op, last, option.begin,
                option.passing, option.kept,
            )  # fmt: skip
            continue
        note_bonus(w, rules, part, False)
        i = option.begin
        j = option.end
        stay = part.joker_places
        hands = option.kept + option.passing
        passing = 0
        if option.passing > 0:
            first = window_bonus(w, rules, i, j, stay, hands, True)
            apart = rules.meld_adjacent_jokers == 0
            passing = choose_window(w, i, j, stay, apart, option.passing, first, True)
        w.part_passing[p] = passing
        lay_window(w, seen, hidden, rules, part, op, last, i, j, passing)
    for p in range(w.best_n):
        part = kept[p]
        if w.part_state[p] == OPENED_WITH and part.kind == NEW_RUN:
            free_window(
                w, seen, hidden, rules, part, w.part_meld[p], w.part_begin[p],
                w.part_end[p], w.part_passing[p],
            )  # fmt: skip


@inner
def free_opened_sets(w: Any, seen: Any, hidden: Any, rules: Any, kept: Any) -> None:
    """Take the passing jokers of the opening's sets back at once: other parts count on them."""
    for p in range(w.best_n):
        part = kept[p]
        if w.part_state[p] != OPENED_WITH or part.kind != NEW_SET or w.part_passing[p] == 0:
            continue
        free_passed(
            w, seen, hidden, rules, part, w.part_meld[p], w.part_begin[p], w.part_passing[p]
        )


@inner
def write_rest(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, p: Any, free: Any, unit: Any
) -> None:
    """What remains of a meld of the opening."""
    m = w.part_meld[p]
    if part.kind == NEW_RUN:
        n = part.size
        note_bonus(w, rules, part, unit)
        run_grid(w, rules, n, part.joker_places, free, 0)
        grow_run(w, seen, hidden, rules, part, m, w.part_begin[p], w.part_end[p], free)
        return
    single = w.part_begin[p]
    passing = w.part_passing[p]
    kept = w.part_kept[p]
    doubled = 0
    if unit or (w.best_pays and doubling_bonus(rules, set_value(rules, part.low)) > 0):
        left = free + part.jokers - kept
        doubled = doubled_later(rules, part.once, part.twice, single, passing, kept, left)
    grow_set(w, seen, hidden, rules, part, m, single, passing, kept, doubled)
