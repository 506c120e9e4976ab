"""What a finished round is worth to each seat, for every ``score.*`` key."""

from __future__ import annotations

from typing import Any

from ramisim.kernels import bits
from ramisim.kernels.jit import kernel
from ramisim.kernels.state import END_BLOCKED, END_STALL, NONE
from ramisim.kernels.values import hand_total, hand_value
from ramisim.kernels.words import BLOCKED_VOID, LAID_MINUS_HAND, ZERO_SUM


@kernel
def last_discard_value(rules: Any, card: Any) -> Any:
    """Worth of a last discard when several are out: none 0, T J Q K 10 (ruling D34)."""
    if card == NONE:
        return 0
    if card != bits.JOKER and card % bits.RANKS >= 9:
        return 10
    return hand_value(rules, card)


@kernel
def lowest_last_discard(seen: Any, rules: Any) -> Any:
    """Lowest last discard of those out, and how many threw it."""
    best = 1 << 30
    ties = 0
    for i in range(seen.n_out):
        value = last_discard_value(rules, seen.out_discard[i])
        if value < best:
            best = value
            ties = 1
        elif value == best:
            ties += 1
    return best, ties


@kernel
def winner_of_deal(seen: Any, rules: Any) -> Any:
    """The one seat that wins the deal and takes the pool, or -1."""
    best, ties = lowest_last_discard(seen, rules)
    if ties != 1:
        return NONE
    for i in range(seen.n_out):
        if last_discard_value(rules, seen.out_discard[i]) == best:
            return seen.out_seat[i]
    return NONE


@kernel
def _is_out(seen: Any, seat: Any) -> Any:
    for i in range(seen.n_out):
        if seen.out_seat[i] == seat:
            return True
    return False


@kernel
def _penalties(seen: Any, hidden: Any, rules: Any, penalty: Any) -> None:
    for seat in range(seen.n_seats):
        penalty[seat] = hand_total(
            rules, hidden.once[seat], hidden.twice[seat], hidden.jokers[seat]
        )
        # Ruling D17: the penalty stands in for the hand of a player who never opened.
        if rules.score_unopened_penalty > 0 and not seen.opened[seat]:
            if not _is_out(seen, seat):
                penalty[seat] = rules.score_unopened_penalty


@kernel
def _mark_winners(seen: Any, rules: Any, penalty: Any, wins: Any) -> Any:
    """Who collects under ``winner_takes`` and ``zero_sum`` (rulings D18, D19); how many."""
    n = 0
    if seen.n_out > 0:
        best, ties = lowest_last_discard(seen, rules)
        for seat in range(seen.n_seats):
            wins[seat] = 0
        for i in range(seen.n_out):
            # The lowest last discard alone; on a tie everybody out shares.
            if ties > 1 or last_discard_value(rules, seen.out_discard[i]) == best:
                wins[seen.out_seat[i]] = 1
                n += 1
        return n
    least = penalty[0]
    for seat in range(seen.n_seats):
        least = min(least, penalty[seat])
    for seat in range(seen.n_seats):
        wins[seat] = 1 if penalty[seat] == least else 0
        n += wins[seat]
    return n


@kernel
def score_round(seen: Any, hidden: Any, rules: Any, penalty: Any, wins: Any, score: Any) -> None:
    """Points of the round by seat.

    ``penalty``, ``wins`` and ``score`` are int64[seats]: scratch, scratch and the result.
    """
    _penalties(seen, hidden, rules, penalty)
    void = rules.score_blocked == BLOCKED_VOID
    if rules.score_method == LAID_MINUS_HAND:
        nothing = void and (seen.end == END_BLOCKED or seen.end == END_STALL)
        for seat in range(seen.n_seats):
            score[seat] = 0 if nothing else seen.points[seat] - penalty[seat]
    elif void and seen.n_out == 0:
        for seat in range(seen.n_seats):
            score[seat] = 0
    else:
        n_winners = _mark_winners(seen, rules, penalty, wins)
        pot = 0
        for seat in range(seen.n_seats):
            pot += 0 if wins[seat] else penalty[seat]
        lost = 1 if rules.score_method == ZERO_SUM else 0
        for seat in range(seen.n_seats):
            score[seat] = pot // n_winners if wins[seat] else -lost * penalty[seat]
    _bonuses(seen, rules, score)


@kernel
def _bonuses(seen: Any, rules: Any, score: Any) -> None:
    """Bonuses come from the bank, in every method (ruling D20); then who may score at all."""
    for i in range(seen.n_out):
        score[seen.out_seat[i]] += rules.score_go_out_bonus
        if seen.out_rami[i]:
            score[seen.out_seat[i]] += rules.score_rami_bonus
    winner = winner_of_deal(seen, rules)
    if winner != NONE:
        score[winner] += seen.pool
    if rules.score_only_winner == 1:
        for seat in range(seen.n_seats):
            if seat != winner:
                score[seat] = 0


@kernel
def next_pool(seen: Any, rules: Any) -> Any:
    """The pool of the next deal: carried where nobody took it (ruling D34)."""
    if winner_of_deal(seen, rules) != NONE:
        return rules.score_pool
    return seen.pool + rules.score_pool
