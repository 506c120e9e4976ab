"""A strategy of your own, to be changed: `ramisim strategies --new` wrote it.

    ramisim play --strategies mine.py:hunter,greedy
    ramisim simulate --strategies mine.py:hunter,greedy --deals 1000 --out runs/hunter
    ramisim play --strategies mine.py:hunter,greedy --explain
    ramisim strategies --check mine.py:hunter

Each function answers one question of a turn. Leave one out and the base answers it. The functions
are compiled: numbers, loops and NumPy arrays; functions that they call are decorated with helper.
Only explain, which tells people what the options were worth, is plain Python.
"""

from typing import Any

import numpy as np

from ramisim.strategy import (
    JOKER,
    NONE,
    NOTHING,
    SCORE,
    STOCK,
    best_play,
    copies_held,
    hand_value,
    helper,
    lays_off,
    live_cards,
    strategy,
    take_values,
)

hunter = strategy(
    base="greedy",
    about="takes what pays a little, keeps pairs that can still grow",
    # Numbers that can be changed from outside: mine.py:hunter:eager=4
    eager=(2.0, "points that a take must be worth more than the stock"),
    keep=(1.5, "weight of each live card that goes with a card"),
    fear=(4.0, "weight of a card that the next player can lay off"),
)
P = hunter.params


@hunter.draw
def draw(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> int:
    """STOCK, or how many cards to take from the top of the discard pile."""
    # Value of the best end of the turn for every take; values[0] is the hand as it is.
    # It looks 23 cards deep; in a longer pile there are too many ways to end a turn.
    values = np.zeros(24, np.int64)
    deepest = take_values(seen, hand, rules, SCORE, tools, values)
    best = STOCK
    worth = values[0] + params[P.eager]
    if seen.n_stock == 0:
        worth = -1e9
    for n in range(1, deepest + 1):
        if values[n] != NOTHING and values[n] > worth:
            worth = values[n]
            best = n
    return best


@hunter.plays
def plays(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any, rows: Any) -> int:
    """Write what goes to the table into rows, and say how many rows there are."""
    return int(best_play(seen, hand, rules, SCORE, tools, rows))


@hunter.discard
def discard(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> int:
    """The card to throw: dear ones first, unless they go with others that may still come."""
    live = np.zeros(52, np.int64)
    live_cards(seen, hand, rules, live)
    best = NONE
    worth = -1e9
    for card in range(52):
        if may_be_thrown(seen, hand, card):
            value = throw_worth(seen, hand, rules, params, live, card)
            if value > worth:
                worth = value
                best = card
    if best == NONE and hand.jokers > 0:
        best = JOKER
    return best


@hunter.explain
def explain(
    seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any, question: str
) -> Any:
    """For --explain: options and what they are worth, or None to say nothing of a question."""
    if question == "draw":
        values = np.zeros(24, np.int64)
        deepest = take_values(seen, hand, rules, SCORE, tools, values)
        worths = {n: values[n] for n in range(1, deepest + 1) if values[n] != NOTHING}
        return {STOCK: values[0] + params[P.eager], **worths}
    if question == "discard":
        live = np.zeros(52, np.int64)
        live_cards(seen, hand, rules, live)
        return {
            card: throw_worth(seen, hand, rules, params, live, card)
            for card in range(52)
            if may_be_thrown(seen, hand, card)
        }
    return None


@helper
def may_be_thrown(seen: Any, hand: Any, card: int) -> bool:
    """Whether the hand holds a card; the single discard just taken may not be thrown back."""
    held = copies_held(hand, card)
    return bool(held > 1 or (held == 1 and card != seen.no_rethrow))


@helper
def throw_worth(seen: Any, hand: Any, rules: Any, params: Any, live: Any, card: int) -> float:
    """What it is worth to be rid of a card."""
    value = hand_value(rules, card) - params[P.keep] * partners(hand, live, card)
    if lays_off(seen, rules, card):
        value -= params[P.fear]
    return float(value)


@helper
def partners(hand: Any, live: Any, card: int) -> int:
    """Live cards that make a set or a run of a card and another one of the hand."""
    rank, suit = card % 13, card // 13
    total = 0
    for other in range(4):
        if other != suit and copies_held(hand, other * 13 + rank) > 0:
            for third in range(4):
                if third not in (suit, other):
                    total += live[third * 13 + rank]
    for step in (-1, 1):
        if 0 <= rank + step <= 12 and copies_held(hand, card + step) > 0:
            if 0 <= rank + 2 * step <= 12:
                total += live[card + 2 * step]
            if 0 <= rank - step <= 12:
                total += live[card - step]
    return total
