"""Rounds and matches between strategies, and the batch that plays many.

A match is a function of (rules, strategies in their seats, seed, deal): decks, reshuffles and a
strategy's own chance are keyed by where they stand, so nothing depends on what was played before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.asking import clear_tally, play_turn
from ramisim.kernels.jit import kernel
from ramisim.kernels.random import deal_deck, reshuffle
from ramisim.kernels.scoring import next_pool, score_round
from ramisim.kernels.state import MAX_SEATS, PHASE_OVER, ROW
from ramisim.kernels.turn import apply, deal, reset
from ramisim.kernels.values import hand_total
from ramisim.kernels.words import SHUFFLE, TIE_EXTRA_ROUND

MAX_ROUNDS = 1000
"""A match that nobody wins by then is over: between strategies that lose points on average the
totals would fall for ever. The highest total wins, as at any other end."""

FINISHED, FAULTY, NO_ROOM = 0, 1, 2


@kernel
def start_round(
    seen: Any, hidden: Any, rules: Any, seed: Any, deal_number: Any, round_number: Any, deck: Any,
    n_seats: Any, first_seat: Any, pool: Any,
) -> None:  # fmt: skip
    """Shuffle, deal and turn the upcard."""
    n_cards = 52 * rules.deck_packs + rules.deck_jokers
    deal_deck(
        seed, deal_number, np.uint64(round_number), rules.deck_packs, rules.deck_jokers,
        deck[:n_cards],
    )  # fmt: skip
    reset(seen, hidden, n_seats, first_seat, pool)
    seen.round = round_number
    deal(seen, hidden, rules, deck, n_cards)


@kernel
def shuffle_recycled(
    seen: Any, hidden: Any, rules: Any, seed: Any, deal_number: Any, recycles: Any
) -> Any:
    """Shuffle a stock that was just recycled, where the rules shuffle; True after a recycling."""
    if seen.recycles == recycles:
        return False
    if rules.round_recycle == SHUFFLE:
        reshuffle(
            seed, deal_number, np.uint64(seen.round), np.uint64(seen.recycles),
            hidden.stock[: seen.n_stock],
        )  # fmt: skip
    return True


@kernel
def highest_total(seen: Any) -> Any:
    """Highest total and how many seats have it."""
    best = seen.totals[0]
    n = 0
    for seat in range(seen.n_seats):
        best = max(best, seen.totals[seat])
    for seat in range(seen.n_seats):
        n += seen.totals[seat] == best
    return best, n


@kernel
def end_is_reached(seen: Any, rules: Any, rounds: Any, before: Any) -> Any:
    """Whether the target or the last round has been reached, now or ``before``.

    Once reached it stays so: totals may fall below the target in the rounds that break a tie.
    """
    best, _ = highest_total(seen)
    if rules.match_target > 0 and best >= rules.match_target:
        return True
    return before or (rules.match_max_rounds > 0 and rounds >= rules.match_max_rounds)


@kernel
def match_is_over(seen: Any, rules: Any, rounds: Any, reached: Any) -> Any:
    """Whether a match ends after so many rounds (seed 000: the highest wins, not the first).

    ``reached``: what ``end_is_reached`` says after these rounds. With extra rounds a match then
    goes on until the highest total is unique (ruling D22).
    """
    _, n = highest_total(seen)
    if reached and not (rules.match_tie_break == TIE_EXTRA_ROUND and n > 1):
        return True
    return rounds >= MAX_ROUNDS


@kernel
def round_rows(
    seen: Any, hidden: Any, rules: Any, tally: Any, score: Any, out: Any, at: Any, deal_number: Any,
    rotation: Any, seating: Any,
) -> None:  # fmt: skip
    """Write the rows of a round that is scored, one a seat, from row ``at`` of ``out`` on."""
    for seat in range(seen.n_seats):
        row = out[at + seat]
        row.deal = deal_number
        row.rotation = rotation
        row.seat = seat
        row.strategy = seating[seat]
        row.round = seen.round
        row.first = seat == seen.first_seat
        row.points = score[seat]
        row.laid = seen.points[seat]
        row.deadwood = hand_total(rules, hidden.once[seat], hidden.twice[seat], hidden.jokers[seat])
        row.turns = tally.turns[seat]
        row.went_out = False
        row.rami = False
        row.end = seen.end
        row.opened_turn = tally.opened_turn[seat]
        row.stock_draws = tally.stock_draws[seat]
        row.discard_draws = tally.discard_draws[seat]
        row.deep_cards = tally.deep_cards[seat]
        row.melds = tally.melds[seat]
        row.lay_offs = tally.lay_offs[seat]
        row.swaps = tally.swaps[seat]
        row.jokers_seen = tally.jokers_seen[seat]
    for i in range(seen.n_out):
        row = out[at + seen.out_seat[i]]
        row.went_out = True
        row.rami = seen.out_rami[i] == 1


@kernel
def game_rows(
    seen: Any, out: Any, at: Any, deal_number: Any, rotation: Any, seating: Any, rounds: Any,
    sums: Any,
) -> None:  # fmt: skip
    """Write the rows of a match that is over, one a seat; ``sums``: turns, outs and ramis."""
    best, n_best = highest_total(seen)
    for seat in range(seen.n_seats):
        total = seen.totals[seat]
        place = 1
        for other in range(seen.n_seats):
            place += seen.totals[other] > total
        row = out[at + seat]
        row.deal = deal_number
        row.rotation = rotation
        row.seat = seat
        row.strategy = seating[seat]
        row.points = total
        row.won = np.float32(1.0) / np.float32(n_best) if total == best else np.float32(0.0)
        row.place = place
        row.rounds = rounds
        row.turns = sums[0, seat]
        row.went_out = sums[1, seat]
        row.rami = sums[2, seat]


@kernel
def add_round(seen: Any, tally: Any, numbers: Any) -> None:
    """Add a round that is scored (``numbers[2]``) to the totals and to the sums of the match."""
    for seat in range(seen.n_seats):
        seen.totals[seat] += numbers[2, seat]
        numbers[3, seat] += tally.turns[seat]
    for i in range(seen.n_out):
        numbers[4, seen.out_seat[i]] += 1
        numbers[5, seen.out_seat[i]] += seen.out_rami[i]


@kernel
def _log(log: Any, done: Any, rows: Any, n: Any) -> Any:
    """Append the actions of a turn; False where they do not fit."""
    at = done[2]
    if at + n > log.shape[0]:
        return False
    for i in range(n):
        for k in range(ROW):
            log[at + i, k] = rows[i, k]
    done[2] = at + n
    return True


@kernel
def follow(seens: Any, hiddens: Any, rules: Any, rows: Any) -> None:
    """Apply actions that are known to be legal, as a log holds them."""
    for i in range(rows.shape[0]):
        apply(seens[0], hiddens[0], rules, rows[i])


@kernel
def play_match(
    seen: Any, hidden: Any, rules: Any, asks: Any, params: Any, idents: Any, seating: Any,
    seed: Any, deal_number: Any, rotation: Any, boxes: Any, tally: Any, fault: Any, rows: Any,
    deck: Any, key: Any, numbers: Any, games: Any, game_at: Any, rounds: Any, round_at: Any,
    log: Any, done: Any,
) -> Any:  # fmt: skip
    """Play one match; number of rounds, or 0 with ``fault`` set, or -1 if an array is full.

    ``numbers`` is int64[6, seats]: penalty, winners, score, and sums of turns, outs and ramis.
    ``boxes`` are scratch, one a seat: what one seat's question leaves there no other can read.
    ``log`` (int16[many, ROW], or of no length) receives every action from row ``done[2]`` on.
    """
    n = seating.shape[0]
    for seat in range(MAX_SEATS):
        seen.totals[seat] = 0
        for k in range(3, 6):
            numbers[k, seat] = 0
    pool = rules.score_pool
    played = 0
    reached = False
    while True:
        start_round(seen, hidden, rules, seed, deal_number, played, deck, n, played % n, pool)
        clear_tally(tally, hidden, n)
        key[0] = seed
        key[1] = deal_number
        key[2] = np.uint64(played)
        while seen.phase != PHASE_OVER:
            k = seating[seen.turn]
            key[3] = idents[k]
            recycles = seen.recycles
            n_rows = play_turn(
                seen, hidden, rules, asks, k, params[k], key, boxes[seen.turn], tally, fault, rows
            )
            if n_rows < 0:
                fault.deal = np.int64(deal_number)
                fault.rotation = rotation
                fault.round = played
                fault.strategy = k
                return 0
            if log.shape[0] > 0 and not _log(log, done, rows, n_rows):
                return -1
            shuffle_recycled(seen, hidden, rules, seed, deal_number, recycles)
        score_round(seen, hidden, rules, numbers[0], numbers[1], numbers[2])
        pool = next_pool(seen, rules)
        add_round(seen, tally, numbers)
        if rounds.shape[0] > 0:
            if round_at + (played + 1) * n > rounds.shape[0]:
                return -1
            round_rows(
                seen, hidden, rules, tally, numbers[2], rounds, round_at + played * n, deal_number,
                rotation, seating,
            )  # fmt: skip
        played += 1
        reached = end_is_reached(seen, rules, played, reached)
        if match_is_over(seen, rules, played, reached):
            break
    game_rows(seen, games, game_at, deal_number, rotation, seating, played, numbers[3:])
    return played


@kernel
def play_batch(
    rules: Any, asks: Any, params: Any, idents: Any, seatings: Any, every: Any, seed: Any,
    first_deal: Any, n_deals: Any, begin: Any, seens: Any, hiddens: Any, tallies: Any, faults: Any,
    boxes: Any, rows: Any, deck: Any, key: Any, numbers: Any, games: Any, rounds: Any, log: Any,
    done: Any,
) -> Any:  # fmt: skip
    """Play matches ``begin`` and on of a chunk of deals; one row for each game and seat.

    ``every``: all seatings of each deal, else seating d mod k of deal d. ``done`` (int64[3])
    holds games, rows of rounds and actions logged so far, so that a full ``rounds`` or ``log``
    array can be replaced by a longer one and the batch goes on. Returns FINISHED, FAULTY or
    NO_ROOM.
    """
    n_seatings = seatings.shape[0]
    n_seats = seatings.shape[1]
    per_deal = n_seatings if every else 1
    for game in range(begin, n_deals * per_deal):
        deal_number = np.uint64(first_deal + game // per_deal)
        rotation = game % per_deal
        if not every:
            rotation = np.int64(deal_number % np.uint64(n_seatings))
        logged = done[2]
        played = play_match(
            seens[0], hiddens[0], rules, asks, params, idents, seatings[rotation], seed,
            deal_number, rotation, boxes, tallies[0], faults[0], rows, deck, key, numbers, games,
            game * n_seats, rounds, done[1], log, done,
        )  # fmt: skip
        if played == 0:
            return FAULTY
        if played < 0:
            done[2] = logged
            return NO_ROOM
        done[0] = game + 1
        if rounds.shape[0] > 0:
            done[1] += played * n_seats
    return FINISHED


__all__ = ["bits", "play_batch", "play_match", "shuffle_recycled", "start_round"]
