"""The luck of the cards in a match: what was dealt, what was drawn.

A match is played again. Each card from the stock is compared with the cards that could have come
instead, all those still in the stock; each dealt hand with the hands of the others. Whatever the
players do, such differences are 0 in the mean: they are martingale differences, and may be taken
out of a result without moving it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.asking import clear_tally, play_turn
from ramisim.kernels.copies import copy_seen
from ramisim.kernels.jit import inner, kernel
from ramisim.kernels.match import end_is_reached, match_is_over, shuffle_recycled, start_round
from ramisim.kernels.melding import best_melds, least_deadwood
from ramisim.kernels.scoring import next_pool, score_round
from ramisim.kernels.services import fits_table
from ramisim.kernels.state import DRAW_STOCK, MAX_SEATS, PHASE_OVER
from ramisim.kernels.turn import stock_draw_size
from ramisim.kernels.values import hand_value
from ramisim.kernels.words import FLIP

LUCK_ROW = np.dtype(
    [
        ("deal", np.uint64),
        ("rotation", np.uint8),
        ("seat", np.uint8),
        ("dealt", np.float64),
        ("dealt_jokers", np.float64),
        ("drawn", np.float64),
        ("drawn_laid", np.float64),
        ("drawn_fits", np.float64),
        ("drawn_jokers", np.float64),
    ],
    align=True,
)
"""Luck of one game and seat, summed over its rounds; more is luckier.

``dealt``: mean least deadwood of all dealt hands less that of the own; ``dealt_jokers``: jokers
dealt less their mean over the seats; ``drawn``: over the cards drawn from the stock, mean least
deadwood with a card of the stock less that with the card that came; ``drawn_laid``: the same for
the points of the best melds, with the other sign; ``drawn_fits``: value of the card that came if it
might be laid off, less its mean; ``drawn_jokers``: jokers drawn less the share of jokers.
"""


@inner
def _melds_with(once: Any, twice: Any, jokers: Any, card: Any, tables: Any, work: Any) -> Any:
    if card == bits.JOKER:
        return best_melds(once, twice, jokers + 1, tables, work)
    place = bits.CARD_BIT[card]
    return best_melds(once | place, twice | (once & place), jokers, tables, work)


@inner
def _note_deal(seen: Any, hidden: Any, tables: Any, work: Any, out: Any, at: Any) -> None:
    n = seen.n_seats
    total, jokers = np.int64(0), np.int64(0)
    for seat in range(n):
        left = least_deadwood(
            hidden.once[seat], hidden.twice[seat], np.int64(hidden.jokers[seat]), tables, work
        )
        out[at + seat].dealt -= left
        total += left
        jokers += hidden.jokers[seat]
    for seat in range(n):
        out[at + seat].dealt += total / n
        out[at + seat].dealt_jokers += hidden.jokers[seat] - jokers / n


@inner
def _note_draw(
    seen: Any, hand: Any, rules: Any, stock: Any, n: Any, drawn: Any, twice: Any, tables: Any,
    work: Any, counts: Any, row: Any,
) -> None:  # fmt: skip
    """Compare each of the ``drawn`` cards with the ``n`` of the stock that could have come.

    ``seen`` and ``hand`` are as before the draw; ``hand`` grows.
    """
    counts[:] = 0
    for i in range(n):
        counts[stock[i]] += 1
    left = n
    for i in range(drawn):
        came = np.int64(stock[i])
        deadwood, laid, fits = np.int64(0), np.int64(0), np.int64(0)
        for card in range(bits.JOKER + 1):
            # Sums over the stock, less so many times what came.
            times = counts[card] - (left if card == came else 0)
            if counts[card] > 0:
                kept, points = _melds_with(
                    hand.once, twice, np.int64(hand.jokers), card, tables, work
                )
                deadwood += times * kept
                laid += times * points
                if card != bits.JOKER and fits_table(seen, hand, rules, card):
                    fits += times * hand_value(rules, card)
        row.drawn += deadwood / left
        row.drawn_laid -= laid / left
        row.drawn_fits -= fits / left
        row.drawn_jokers += (came == bits.JOKER) - counts[bits.JOKER] / left
        counts[came] -= 1
        left -= 1
        if came == bits.JOKER:
            hand.jokers += 1
        else:
            place = bits.CARD_BIT[came]
            twice |= hand.once & place
            hand.once |= place


@kernel
def luck_of_match(
    seen: Any, hidden: Any, rules: Any, asks: Any, params: Any, idents: Any, seating: Any,
    seed: Any, deal_number: Any, boxes: Any, tally: Any, fault: Any, rows: Any, deck: Any, key: Any,
    numbers: Any, before: Any, hand: Any, stock: Any, counts: Any, tables: Any, work: Any, out: Any,
    at: Any,
) -> Any:  # fmt: skip
    """Play one match and add its luck to rows ``at`` and on of ``out``; False where it is refused.

    ``before``: SEEN, ``hand``: HAND, ``stock``: uint8[MAX_DECK] and ``counts``: int64[53], scratch;
    ``tables`` and ``work``: of ``melding`` for ``DEADWOOD``; others as in ``match.play_match``.
    """
    n = seating.shape[0]
    for seat in range(MAX_SEATS):
        seen.totals[seat] = 0
    pool = rules.score_pool
    played = 0
    reached = False
    while True:
        start_round(seen, hidden, rules, seed, deal_number, played, deck, n, played % n, pool)
        clear_tally(tally, hidden, n)
        _note_deal(seen, hidden, tables, work, out, at)
        key[0] = seed
        key[1] = deal_number
        key[2] = np.uint64(played)
        while seen.phase != PHASE_OVER:
            seat = np.int64(seen.turn)
            k = seating[seat]
            key[3] = idents[k]
            recycles = seen.recycles
            # A pile that is turned over has an order that is known, and no luck.
            known = rules.round_recycle == FLIP and recycles > 0
            copy_seen(seen, before)
            hand.once, hand.jokers = hidden.once[seat], hidden.jokers[seat]
            twice = hidden.twice[seat]
            left, drawn = np.int64(seen.n_stock), np.int64(stock_draw_size(seen, rules))
            for i in range(left):
                stock[i] = hidden.stock[hidden.stock_next + i]
            box = boxes[seat]
            if play_turn(seen, hidden, rules, asks, k, params[k], key, box, tally, fault, rows) < 0:
                return False
            if rows[0, 0] == DRAW_STOCK and not known:
                _note_draw(
                    before, hand, rules, stock, left, drawn, twice, tables, work, counts,
                    out[at + seat],
                )  # fmt: skip
            shuffle_recycled(seen, hidden, rules, seed, deal_number, recycles)
        score_round(seen, hidden, rules, numbers[0], numbers[1], numbers[2])
        pool = next_pool(seen, rules)
        for seat in range(n):
            seen.totals[seat] += numbers[2, seat]
        played += 1
        reached = end_is_reached(seen, rules, played, reached)
        if match_is_over(seen, rules, played, reached):
            return True
