"""What a strategy may ask: best ends of a turn, what the pile is good for, live cards.

Everything here is computed from a strategy's own view (``seen``, ``hand``) and the rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.copies import copy_seen
from ramisim.kernels.ending import solve_end, write_end
from ramisim.kernels.ending_plain import FOUND, NO_END, plain_end
from ramisim.kernels.ending_plain_rows import plain_rows
from ramisim.kernels.jit import inlined, inner, kernel
from ramisim.kernels.shape import face
from ramisim.kernels.solve import DEADWOOD, FIRST, MELDS_DEADWOOD, MELDS_POINTS, POINTS, SCORE
from ramisim.kernels.state import NONE, PHASE_PLAY, ROW, RUN
from ramisim.kernels.turn import ROW_CARDS, held
from ramisim.kernels.values import hand_value
from ramisim.kernels.words import LAY_OFF_NONE, MUST_ALWAYS, MUST_DEEP, POLICY_OPTIONAL, WRAP

NOTHING = -(1 << 28)


@kernel
def end_value(seen: Any, hand: Any, rules: Any, objective: Any, box: Any) -> Any:
    """Value of the best end of the turn on hand (phase play); NOTHING where there is none.

    What the end is made of stays in ``box.work[0]``. Where only the value is wanted,
    ``quick_value`` is several times faster.
    """
    found = solve_end(
        box, seen, rules, hand.once, hand.twice, np.int64(hand.jokers), np.int64(objective),
    )  # fmt: skip
    return np.int64(box.work[0].best) if found else np.int64(NOTHING)


@kernel
def quick_value(seen: Any, hand: Any, rules: Any, objective: Any, box: Any) -> Any:
    """The number of ``end_value``, mostly at a glance; ``box`` may hold anything afterwards."""
    state, value, _, _ = plain_end(seen, hand, rules, objective)
    if state == FOUND:
        return value
    if state == NO_END:
        return np.int64(NOTHING)
    return end_value(seen, hand, rules, objective, box)


@kernel
def end_rows(seen: Any, hand: Any, rules: Any, objective: Any, box: Any) -> Any:
    """The best end of the turn as rows in ``box.work[0].rows``; how many, discard included."""
    state, value, laid, thrown = plain_end(seen, hand, rules, objective)
    if state == NO_END:
        return 0
    if state == FOUND:
        n = plain_rows(seen, hand, rules, laid, thrown, box)
        if n > 0:
            box.work[0].best = value
            box.work[0].best_discard = thrown
            return n
    if end_value(seen, hand, rules, objective, box) == NOTHING:
        return 0
    table = box.seen[0]
    mine = box.hidden[0]
    copy_seen(seen, table)
    seat = seen.turn
    mine.once[seat] = hand.once
    mine.twice[seat] = hand.twice
    mine.jokers[seat] = hand.jokers
    return write_end(box, table, mine, rules)


@kernel
def melds_alone(hand: Any, rules: Any, objective: Any, box: Any) -> Any:
    """The best melds of a hand alone: points they lay (POINTS), or value left (DEADWOOD)."""
    table = box.seen[0]
    table.n_seats = 2
    table.turn = 0
    table.first_seat = 0
    table.tour = 2
    table.phase = PHASE_PLAY
    table.hit_open = 1
    table.opened[0] = 1
    table.n_melds = 0
    table.n_discard = 0
    table.to_replay = 0
    table.must_use = NONE
    table.no_rethrow = NONE
    table.hand_size[0] = hand.size
    # Ties are settled by the other number, so that one stands above the other in the value.
    if objective == POINTS:
        return -((-end_value(table, hand, rules, MELDS_POINTS, box)) // FIRST)
    return -(end_value(table, hand, rules, MELDS_DEADWOOD, box) // FIRST)


@kernel
def copy_plays(box: Any, n: Any, rows: Any) -> Any:
    """Copy the plays of ``end_rows`` (all but the discard) to ``rows``; how many."""
    for i in range(n - 1):
        copy_row(box.work[0].rows[i], rows[i])
    return n - 1


@kernel
def copy_row(source: Any, target: Any) -> None:
    """Copy an action; behind its cards stand those of other hands, which are not copied."""
    end = ROW_CARDS + source[3]
    for k in range(ROW):
        target[k] = source[k] if k < end or k == ROW_CARDS else 0


@inlined
def add_card(hand: Any, card: Any) -> None:
    """Put a card into a HAND record."""
    hand.size += 1
    if card == bits.JOKER:
        hand.jokers += 1
        return
    b = bits.CARD_BIT[card]
    hand.twice |= hand.once & b
    hand.once |= b


@kernel
def copy_own(source: Any, target: Any) -> None:
    """Copy a HAND record."""
    target.once = source.once
    target.twice = source.twice
    target.jokers = source.jokers
    target.size = source.size


@kernel
def may_be_used(seen: Any, hand: Any, rules: Any, card: Any) -> Any:
    """Quick look: could this card of the hand go anywhere? False only when it surely cannot."""
    if card == bits.JOKER or may_be_melded(hand, rules, card):
        return True
    return fits_table(seen, hand, rules, card)


@inner
def may_be_melded(hand: Any, rules: Any, card: Any) -> Any:
    """Whether, at a quick look, a natural card of the hand might stand in a new meld."""
    rank = card % bits.RANKS
    suit = card // bits.RANKS
    jokers = hand.jokers
    if jokers >= 2 or rules.meld_ace == WRAP:
        return True
    copies = bits.count(hand.once & (bits.ACES << np.uint64(rank)))
    if rules.meld_set_distinct_suits == 0:
        copies += bits.count(hand.twice & (bits.ACES << np.uint64(rank)))
    if copies + jokers >= 3:
        return True
    lane = bits.lane(bits.with_high_aces(hand.once), suit)
    if _in_window(lane, rank, jokers):
        return True
    return rank == 0 and _in_window(lane, bits.ACE_HIGH, jokers)


@inlined
def _in_window(lane: Any, place: Any, jokers: Any) -> Any:
    """Whether a card at a place and its neighbours, with one joker or none, make three."""
    near = (lane << np.uint64(2)) >> np.uint64(place)  # bit 2 is the card itself
    if jokers:
        return near & np.uint64(0b11011) != bits.U0
    three = near & (near >> bits.U1) & (near >> np.uint64(2))
    return three & np.uint64(0b111) != bits.U0


@inner
def _table_takes(seen: Any) -> Any:
    """Cards of ranks that have a set on the table, and of suits that have a run there."""
    of_sets = of_runs = bits.U0
    for m in range(seen.n_melds):
        if seen.meld_type[m] == RUN:
            of_runs |= bits.LANE_MASK << (bits.U16 * np.uint64(seen.meld_suit[m]))
        else:
            of_sets |= bits.ACES << np.uint64(seen.meld_rank[m])
    return of_sets, of_runs


@kernel
def fits_table(seen: Any, hand: Any, rules: Any, card: Any) -> Any:
    """Whether, at a quick look, the card might be laid off or swapped, at once or behind others."""
    rank = card % bits.RANKS
    suit = card // bits.RANKS
    for m in range(seen.n_melds):
        if seen.meld_type[m] == RUN:
            if seen.meld_suit[m] != suit:
                continue
            low = np.int64(seen.meld_rank[m])
            high = low + seen.meld_size[m] - 1
            if seen.meld_jokers[m] > 0:
                return True
            if hand.jokers > 0 or _chain(hand, suit, rank, low, high):
                return True
        elif seen.meld_rank[m] == rank:
            return True
    return False


@kernel
def _chain(hand: Any, suit: Any, rank: Any, low: Any, high: Any) -> Any:
    """Whether the hand holds every card between an end of a run and ``rank``."""
    lane = bits.lane(bits.with_high_aces(hand.once), suit)
    for step in range(2):
        place = rank if step == 0 else bits.ACE_HIGH
        if step == 1 and rank != 0:
            break
        if place > high:
            n = place - high
            if (lane >> np.uint64(high + 1)) & ((bits.U1 << np.uint64(n)) - bits.U1) == (
                (bits.U1 << np.uint64(n)) - bits.U1
            ):
                return True
        elif place < low:
            n = low - place
            if (lane >> np.uint64(place)) & ((bits.U1 << np.uint64(n)) - bits.U1) == (
                (bits.U1 << np.uint64(n)) - bits.U1
            ):
                return True
    return False


@kernel
def take_values(seen: Any, hand: Any, rules: Any, objective: Any, box: Any, values: Any) -> Any:
    """Value of the best end after taking the n uppermost discards, for every n at once.

    ``values[n]`` (int64) is NOTHING where the take is illegal; ``values[0]`` that of the hand as
    it is, with one card thrown and none drawn. Returns the largest n that may be asked.
    ``seen`` is changed on the way and given back as it was.
    """
    mine = box.mine[1]
    copy_own(hand, mine)
    phase, must_use, no_rethrow = seen.phase, seen.must_use, seen.no_rethrow
    seen.phase = PHASE_PLAY
    values[0] = quick_value(seen, mine, rules, objective, box)
    deepest = np.int64(seen.n_discard)
    if rules.draw_discard < 2:
        deepest = min(deepest, np.int64(rules.draw_discard))
    deepest = min(deepest, values.shape[0] - 1)
    of_sets, of_runs = _table_takes(seen)
    for n in range(1, deepest + 1):
        card = np.int64(seen.discard[seen.n_discard - n])
        add_card(mine, card)
        must = rules.draw_must_use == MUST_ALWAYS or (rules.draw_must_use == MUST_DEEP and n > 1)
        values[n] = NOTHING
        if must and card != bits.JOKER and not may_be_melded(mine, rules, card):
            b = bits.CARD_BIT[card]
            if not of_sets & b and not (of_runs & b and fits_table(seen, mine, rules, card)):
                continue
        seen.must_use = card if must else NONE
        seen.no_rethrow = card if n == 1 and rules.discard_rethrow_taken == 0 else NONE
        if n == 1 and not must and _only_held(seen, hand, mine, rules, card, values[0]):
            # It can neither be laid nor thrown: every end is one of the hand without it.
            costs = objective == SCORE or objective == DEADWOOD
            values[n] = values[0] - (hand_value(rules, card) if costs else 0)
            continue
        values[n] = quick_value(seen, mine, rules, objective, box)
    seen.phase, seen.must_use, seen.no_rethrow = phase, must_use, no_rethrow
    return deepest


@kernel
def _only_held(seen: Any, hand: Any, mine: Any, rules: Any, card: Any, value: Any) -> Any:
    """Whether the card just taken surely stays in the hand, which holds jokers.

    Hands without jokers are asked at a glance anyhow.
    """
    if hand.jokers == 0 or value == NOTHING or seen.no_rethrow != card or card == bits.JOKER:
        return False
    if rules.discard_final == POLICY_OPTIONAL or rules.discard_policy == POLICY_OPTIONAL:
        return False
    for m in range(seen.n_melds):
        # A joker of the table could come into the hand and make the card useful.
        if seen.meld_jokers[m] > 0:
            return False
    return not may_be_used(seen, mine, rules, card)


@kernel
def unseen_copies(seen: Any, hand: Any, rules: Any, card: Any) -> Any:
    """Copies of a natural card that are neither in the hand nor seen: in the stock or a hand."""
    b = bits.CARD_BIT[card]
    left = np.int64(rules.deck_packs)
    left -= 1 if hand.once & b else 0
    left -= 1 if hand.twice & b else 0
    for i in range(seen.n_discard):
        left -= seen.discard[i] == card
    for m in range(seen.n_melds):
        for i in range(seen.meld_size[m]):
            left -= seen.meld_card[m, i] == card
    return left


@kernel
def count_live(seen: Any, hand: Any, rules: Any, live: Any) -> None:
    """``live[c]`` (int64[52]): unseen copies of every natural card, as ``unseen_copies``."""
    packs = np.int64(rules.deck_packs)
    for c in range(52):
        b = bits.CARD_BIT[c]
        live[c] = packs - (1 if hand.once & b else 0) - (1 if hand.twice & b else 0)
    for i in range(seen.n_discard):
        if seen.discard[i] != bits.JOKER:
            live[seen.discard[i]] -= 1
    for m in range(seen.n_melds):
        for i in range(seen.meld_size[m]):
            if seen.meld_card[m, i] < bits.JOKER:
                live[seen.meld_card[m, i]] -= 1


@kernel
def lays_off_now(seen: Any, rules: Any, card: Any) -> Any:
    """Whether a card fits a meld on the table at once, whoever holds it."""
    if rules.lay_off_on == LAY_OFF_NONE:
        return False
    rank = card % bits.RANKS
    suit = card // bits.RANKS
    for m in range(seen.n_melds):
        size = np.int64(seen.meld_size[m])
        if seen.meld_type[m] == RUN:
            if seen.meld_suit[m] != suit or size >= rules.meld_run_max:
                continue
            low = np.int64(seen.meld_rank[m])
            above = low + size
            if low > 0 and (low - 1) % bits.RANKS == rank:
                return True
            if above <= bits.ACE_HIGH and above % bits.RANKS == rank:
                return True
        elif seen.meld_rank[m] == rank and size < rules.meld_set_max:
            if rules.meld_set_distinct_suits == 0 or not _shows(seen, m, card):
                return True
    return False


@kernel
def _shows(seen: Any, m: Any, card: Any) -> Any:
    for i in range(seen.meld_size[m]):
        if face(np.int64(seen.meld_card[m, i])) == card:
            return True
    return False


@kernel
def copies_held(hand: Any, card: Any) -> Any:
    """Copies of a natural card in a HAND record."""
    b = bits.CARD_BIT[card]
    return (1 if hand.once & b else 0) + (1 if hand.twice & b else 0)


__all__ = [
    "DEADWOOD",
    "NOTHING",
    "POINTS",
    "count_live",
    "end_rows",
    "end_value",
    "held",
    "melds_alone",
    "quick_value",
    "take_values",
]
