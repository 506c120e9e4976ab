"""Strategies of a user for the tests: right ones, and ones that fail in every way."""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.strategy import (
    JOKER,
    NONE,
    SCORE,
    best_play,
    copies_held,
    hand_value,
    helper,
    pick,
    strategy,
    take_values,
)

# Throws by chance, takes by chance: a strategy that uses all it may, but for jokers.
gambler = strategy(base="careful", about="leaves much to chance", odds=(3.0, "one in so many"))
P = gambler.params


@gambler.draw
def draw(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    values = np.zeros(2, np.int64)  # no deeper than the top card
    deepest = take_values(seen, hand, rules, SCORE, tools, values)
    if deepest > 0 and values[1] > -1000 and pick(chance, 0, int(params[P.odds])) == 0:
        return 1
    return 0 if seen.n_stock > 0 else deepest


@gambler.plays
def plays(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any, rows: Any) -> Any:
    return best_play(seen, hand, rules, SCORE, tools, rows)


@gambler.discard
def discard(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    best, worth = NONE, -1.0
    for card in range(53):
        if throwable(seen, hand, card):
            value = 10.0 * hand_value(rules, card) + pick(chance, card, 100)
            if value > worth and (card != JOKER or best == NONE):
                best, worth = card, value
    return best


@helper
def throwable(seen: Any, hand: Any, card: Any) -> Any:
    held = copies_held(hand, card)
    return held > 1 or (held == 1 and card != seen.no_rethrow)


# As greedy draws and lays, from services alone.
echo = strategy(base="greedy")


@echo.draw
def echo_draw(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    values = np.zeros(64, np.int64)
    deepest = take_values(seen, hand, rules, SCORE, tools, values)
    best, worth = 0, values[0]
    if seen.n_stock == 0:
        worth = -(1 << 40)
    for n in range(1, deepest + 1):
        if values[n] > worth:
            best, worth = n, values[n]
    return best


@echo.plays
def echo_plays(
    seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any, rows: Any
) -> Any:
    return best_play(seen, hand, rules, SCORE, tools, rows)


index = strategy()


@index.draw
def index_draw(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    return np.zeros(3, np.int64)[seen.n_discard + 3]


divides = strategy()


@divides.discard
def divides_discard(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    return 1 // (seen.n_seats - 2)


raises = strategy()


@raises.plays
def raises_plays(
    seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any, rows: Any
) -> Any:
    if seen.tour > 1:
        raise ValueError("lost the thread")
    return 0


service = strategy()


@service.discard
def service_discard(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    return copies_held(hand, 77)


negative = strategy()


@negative.draw
def negative_draw(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    return -5


unheld = strategy()


@unheld.discard
def unheld_discard(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    card = 0
    while copies_held(hand, card) > 0:
        card += 1
    return card


no_card = strategy()


@no_card.discard
def no_card_discard(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    return 99


unwritten = strategy()


@unwritten.plays
def unwritten_plays(
    seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any, rows: Any
) -> Any:
    return 3


many = strategy()


@many.plays
def many_plays(
    seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any, rows: Any
) -> Any:
    return 4000


beyond = strategy()


@beyond.plays
def beyond_plays(
    seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any, rows: Any
) -> Any:
    rows[1000, 0] = 2
    return 1


nonsense = strategy()


@nonsense.plays
def nonsense_plays(
    seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any, rows: Any
) -> Any:
    rows[0, 0], rows[0, 1], rows[0, 3], rows[0, 4] = 2, 1, 3, 500
    return 1


hidden = strategy()


@hidden.discard
def hidden_discard(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    return seen.stock[0]


peeks = strategy()


@peeks.draw
def peeks_draw(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    return tools.work


half = strategy()


@half.discard
def half_discard(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    return 1.5


silent = strategy()


@silent.discard
def silent_discard(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    pass


def loose(card: Any) -> Any:
    return card


calls = strategy()


@calls.discard
def calls_discard(seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> Any:
    return loose(3)


short = strategy()


@short.plays
def short_plays(
    seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any, rows: Any
) -> Any:
    return best_play(seen, hand, rules, SCORE, tools)


class Dear:
    """A strategy of plain Python that answers as a record spells it."""

    base = "greedy"
    about = "throws the dearest card"

    def draw(self, *given: Any) -> Any:
        return {"op": "draw_stock"} if given[0].n_stock else 1

    def discard(
        self, seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any
    ) -> Any:
        from ramisim.strategy import cards_of

        names = [name for name in cards_of(hand) if name != "Jk"]
        free = [name for name in names if _id(name) != seen.no_rethrow or names.count(name) > 1]
        return max(free, key=lambda name: (hand_value(rules, _id(name)), name), default="Jk")


def _id(name: str) -> int:
    from ramisim.cards import parse_card

    return parse_card(name)


class Lost(Dear):
    def plays(self, *given: Any) -> Any:
        return "nothing"


class Crash(Dear):
    def plays(self, *given: Any) -> Any:
        empty: list[int] = []
        return empty[len(given)]


class Unmade(Dear):
    def __init__(self, what: int) -> None:
        self.what = what


class Few:
    def draw(self) -> int:
        return 0


not_a_strategy = 7
