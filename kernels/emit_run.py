"""Writing the runs of the best end of a turn: new ones and what extends those on the table."""

from __future__ import annotations

from typing import Any

from ramisim.kernels import bits
from ramisim.kernels.doubling import (
    alone_gain,
    chain_bonus,
    choose_window,
    doubling_bonus,
    joker_points,
    pair_gain,
    pair_step,
    run_bonus,
    run_grid,
    step_gain,
    window_bonus,
)
from ramisim.kernels.emit_rows import fresh_row, lay_off_one, put_row, swap_back
from ramisim.kernels.jit import inner, kernel
from ramisim.kernels.passing import beside_jokers
from ramisim.kernels.state import HIGH, LAY, LAY_OFF, LOW, RUN
from ramisim.kernels.turn import ROW_CARDS
from ramisim.kernels.values import place_in_run, run_value
from ramisim.kernels.words import LAY_OFF_NONE, WRAP
from ramisim.kernels.work import ABOVE_RUN, BELOW_RUN
from ramisim.kernels.worths import note_low_ace


@inner
def write_new_run(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, free: Any, unit: Any
) -> None:
    """Lay a new run: at once, or its best first window and the rest card by card."""
    n = part.size
    stay = part.joker_places
    jokers = part.jokers
    m = seen.n_melds
    note_bonus(w, rules, part, unit)
    best = 0
    if w.best_pays or unit or w.ace_drop < 0:
        best = run_bonus(w, rules, n, stay, free, free + jokers)
    if best <= 0:
        lay_window(w, seen, hidden, rules, part, LAY, 0, 0, n - 1, 0)
        return
    best = run_grid(w, rules, n, stay, free, free + jokers)
    for size in range(3, n + 1):
        if rules.lay_off_on == LAY_OFF_NONE and size < n:
            continue
        for i in range(n - size + 1):
            j = i + size - 1
            first = window_bonus(w, rules, i, j, stay, free + jokers, False)
            if first >= 0 and first + w.grid[i, j] == best:
                passing = read_window(w, rules, i, j, stay, first)
                lay_window(w, seen, hidden, rules, part, LAY, 0, i, j, passing)
                free_window(w, seen, hidden, rules, part, m, i, j, passing)
                grow_run(w, seen, hidden, rules, part, m, i, j, free)
                return


@inner
def write_extension(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, free: Any, unit: Any
) -> None:
    """Extend a run on the table, card by card where jokers pass, else in one lay-off."""
    m = part.meld
    n = part.size
    stay = part.joker_places
    low = part.kind == BELOW_RUN
    note_bonus(w, rules, part, unit)
    start = beside_jokers(seen, part)
    total = 0
    if w.best_pays or unit or w.ace_drop < 0:
        total = chain_bonus(w, rules, part.kind, n, stay, free, start)
    end = LOW if low else HIGH
    if total == 0:
        row = fresh_row(w, LAY_OFF, m, end, n)
        for i in range(n):
            joker = (stay >> i) & 1
            row[ROW_CARDS + i] = _card_at(part, rules, i) + bits.JOKER_AS * joker
        put_row(w, seen, hidden, rules)
        return
    left = free + part.jokers
    step = 0
    while step < n:
        i = n - 1 - step if low else step
        step += 1
        keeps = (stay >> i) & 1
        before = seen.meld_jokers[m]
        near = 0 if low else seen.meld_size[m] - 1
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
        lay_off_one(w, seen, hidden, rules, m, end, _card_at(part, rules, i), keeps, passes)
        left -= keeps


@inner
def note_bonus(w: Any, rules: Any, part: Any, unit: Any) -> None:
    """Bonus of each place; ``unit``: one for each, where a joker only has to pass."""
    low, size, stay = part.low, part.size, part.joker_places
    note_low_ace(w, rules, part.kind, low, size, stay, w.best_pays)
    if unit and w.ace_at >= 0 and w.ace_bonus == 0 and not (stay >> w.ace_at) & 1:
        w.ace_bonus = 1
    for i in range(part.size):
        place = place_in_run(rules, part.low, i)
        if part.kind == ABOVE_RUN and rules.meld_ace == WRAP and place == 0:
            place = bits.ACE_HIGH
        bonus = 0
        value = run_value(rules, place)
        w.extra[i] = joker_points(rules, value) - value
        if w.best_pays:
            bonus = w.w_points * doubling_bonus(rules, value)
        w.bonus[i] = 1 if unit and bonus == 0 else bonus


@kernel
def _card_at(part: Any, rules: Any, i: Any) -> Any:
    """Natural card of the i-th place of a run or extension."""
    return part.suit * bits.RANKS + place_in_run(rules, part.low, i) % bits.RANKS


@inner
def lay_window(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, op: Any, last: Any, i: Any, j: Any,
    passing: Any,
) -> None:  # fmt: skip
    """Lay cards i..j of a run, jokers where they stay or pass."""
    row = fresh_row(w, op, RUN, last, j - i + 1)
    stay = part.joker_places
    for d in range(i, j + 1):
        joker = ((stay | passing) >> d) & 1
        row[ROW_CARDS + d - i] = _card_at(part, rules, d) + bits.JOKER_AS * joker
    put_row(w, seen, hidden, rules)


@inner
def free_window(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, m: Any, i: Any, j: Any, passing: Any
) -> None:
    """Take back the jokers that passed in a first window."""
    for d in range(i, j + 1):
        if (passing >> d) & 1:
            swap_back(w, seen, hidden, rules, m, d - i, _card_at(part, rules, d))


@inner
def read_window(w: Any, rules: Any, i: Any, j: Any, stay: Any, first: Any) -> Any:
    """The passing jokers of the window that ``w.pick`` was just filled for."""
    size = j - i + 1
    for t in range(9):
        if w.pick[size, t, 0] == first or w.pick[size, t, 1] == first:
            return choose_window(w, i, j, stay, rules.meld_adjacent_jokers == 0, t, first, False)
    return 0


@inner
def grow_run(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, m: Any, i: Any, j: Any, free: Any
) -> None:
    """Grow a new run from cards i..j to its full length, along the best path of ``w.grid``."""
    n = part.size
    stay = part.joker_places
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
        lay_off_one(w, seen, hidden, rules, m, end, _card_at(part, rules, to), keeps, gain > 0)
        i = min(i, to)
        j = max(j, to)


@kernel
def _lay_pair(
    w: Any, seen: Any, hidden: Any, rules: Any, part: Any, m: Any, a: Any, passing: Any
) -> None:
    """Lay an ace and its king below a run at once, so that the ace is high."""
    row = fresh_row(w, LAY_OFF, m, LOW, 2)
    stay = part.joker_places
    for k in range(2):
        joker = ((stay | passing) >> (a - 1 + k)) & 1
        row[ROW_CARDS + k] = _card_at(part, rules, a - 1 + k) + bits.JOKER_AS * joker
    put_row(w, seen, hidden, rules)
    free_window(w, seen, hidden, rules, part, m, a - 1, a, passing)
