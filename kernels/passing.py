"""Whether a joker can pass: be laid for a natural card of the hand that takes its place at once.

That settles a duty without spending the joker: one that must be used stays in the hand, one that
may not be thrown back may be thrown. It is asked only where no joker is played for good, so all
of them are at hand.
"""

from __future__ import annotations

from typing import Any

from ramisim.kernels import bits
from ramisim.kernels.doubling import BIG, chain_bonus, run_bonus, run_grid
from ramisim.kernels.jit import inner
from ramisim.kernels.sets import best_way, cards_shown, doubled_later, onto_doubled
from ramisim.kernels.values import set_value
from ramisim.kernels.words import LAY_OFF_NONE
from ramisim.kernels.work import BELOW_RUN, NEW_RUN, NEW_SET, ONTO_SET


@inner
def part_can_pass(w: Any, rules: Any, seen: Any, part: Any, free: Any) -> Any:
    """Whether one of a part's natural cards can follow a joker."""
    if part.once == bits.U0 or free + part.jokers == 0:
        return False
    if part.kind == NEW_SET:
        value = set_value(rules, part.low)
        points, _, _, _, _ = best_way(
            rules, part.once, part.twice, value, part.jokers, free, 0, True
        )
        return points > -BIG
    m = part.meld
    if part.kind == ONTO_SET:
        hands = free + part.jokers
        on_table = seen.meld_jokers[m]
        shown = cards_shown(seen, m)
        return onto_doubled(rules, part.once, part.twice, shown, on_table, hands) > 0
    _one_for_each(w)
    if part.kind == NEW_RUN:
        hands = free + part.jokers
        return run_bonus(w, rules, part.size, part.joker_places, free, hands) > 0
    start = beside_jokers(seen, part)
    return chain_bonus(w, rules, part.kind, part.size, part.joker_places, free, start) > 0


@inner
def rest_can_pass(w: Any, rules: Any, part: Any, option: Any, free: Any) -> Any:
    """The same of the cards of a new meld that are laid off after the opening."""
    left = free + option.jokers_left
    if part.kind == NEW_SET:
        return doubled_later(
            rules, part.once, part.twice, option.begin, option.passing, option.kept, left
        ) > 0  # fmt: skip
    _one_for_each(w)
    run_grid(w, rules, part.size, part.joker_places, free, 0)
    return rules.lay_off_on != LAY_OFF_NONE and w.grid[option.begin, option.end] > 0


@inner
def beside_jokers(seen: Any, part: Any) -> Any:
    """What an extension of a run lies beside: jokers of the run * 2 + (its end is a joker)."""
    m = part.meld
    edge = 0 if part.kind == BELOW_RUN else seen.meld_size[m] - 1
    return seen.meld_jokers[m] * 2 + (1 if seen.meld_card[m, edge] >= bits.JOKER_AS else 0)


@inner
def _one_for_each(w: Any) -> None:
    """Let every place bring one where a joker passes."""
    w.ace_at = -1
    w.ace_drop = 0
    w.ace_bonus = 0
    for i in range(16):
        w.bonus[i] = 1
