"""Nothing hidden moves a strategy: other hands and the stock are dealt anew, its answers stay.

A match is driven as games are recorded. Before each turn the cards that the seat on turn may not
know are shuffled among the places where they may be, and the seat is asked the same on the copy:

- all of them shuffled, the draw is the same;
- all but the cards that it draws from the stock, the whole turn is the same.

Cards that everybody saw going into a hand (taken from the pile, swapped off the table) stay there.
"""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import carray, njit, types  # type: ignore[attr-defined]
from numba.extending import intrinsic

from ramisim.driver import Match
from ramisim.engine import Engine, Workspace
from ramisim.kernels import asking, bits, state, turn
from ramisim.rules import Rules, preset_names
from ramisim.strategies import Strategy, resolve, strategy_names

TURNS = 40  # of a game: enough for every phase of a round
CASES = [
    (name, seats)
    for name in preset_names()
    for seats in (2, 3, 4, 5, 8)
    if Rules.load(name).number("players.min") <= seats <= Rules.load(name).number("players.max")
]


def cards_of(once: int, twice: int, jokers: int) -> list[int]:
    found = [bits.JOKER] * jokers
    for card in range(52):
        bit = int(bits.CARD_BIT[card])
        found += [card] * ((once & bit > 0) + (twice & bit > 0))
    return found


def put(hidden: Any, seat: int, cards: list[int]) -> None:
    once = twice = 0
    for card in cards:
        if card != bits.JOKER:
            bit = int(bits.CARD_BIT[card])
            twice |= once & bit
            once |= bit
    hidden["once"][seat], hidden["twice"][seat] = once, twice
    hidden["jokers"][seat] = cards.count(bits.JOKER)


def dealt_anew(seen: Any, hidden: Any, rng: Random, kept: int) -> int:
    """Shuffle what the seat on turn may not know, but the next ``kept`` cards of the stock."""
    others = [s for s in range(int(seen["n_seats"])) if s != int(seen["turn"])]
    public, secret = {}, {}
    for s in others:
        public[s] = cards_of(
            int(seen["known_once"][s]), int(seen["known_twice"][s]), int(seen["known_jokers"][s])
        )
        hand = (int(hidden["once"][s]), int(hidden["twice"][s]), int(hidden["jokers"][s]))
        secret[s] = cards_of(*hand)
        for card in public[s]:
            secret[s].remove(card)
    begin, end = int(hidden["stock_next"]) + kept, int(hidden["stock_next"] + seen["n_stock"])
    stock = [int(card) for card in hidden["stock"][begin:end]]
    pool = [card for s in others for card in secret[s]] + stock
    rng.shuffle(pool)
    moved = len(pool)
    for s in others:
        n = len(secret[s])
        put(hidden, s, public[s] + pool[:n])
        pool = pool[n:]
    hidden["stock"][begin:end] = pool
    return moved


def meaning(rows: Any) -> list[list[int]]:
    """Rows without the places that their actions do not use."""
    draws = (state.DRAW_STOCK, state.DRAW_DISCARD)
    return [row[: 4 if row[0] in draws else 4 + max(1, int(row[3]))].tolist() for row in rows]


class Watch:
    """Asks the seat on turn on a table dealt anew, and notes what differs from the game."""

    def __init__(self, rng: Random, turns: int, tell_address: bool = False) -> None:
        self.rng = rng
        self.left = turns
        self.tell_address = tell_address
        self.expected: list[tuple[int, int, Any, int]] = []
        self.moved = 0
        self.asked = 0

    def __call__(self, game: Match) -> None:
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        record = game.engine.rules.record()
        drawn = int(turn.stock_draw_size(game.seen, record))
        for kept in (drawn, 0):
            rows = self.answer(game, kept)
            at = len(game.log) - 1, len(game.log[-1].turns)
            self.expected.append((*at, rows, kept))
            self.asked += 1

    def answer(self, game: Match, kept: int) -> Any:
        """Rows of the turn on the table dealt anew, by the engine's own way to ask."""
        work, other = game.work, Workspace()
        other.seens[:], other.hiddens[:] = work.seens, work.hiddens
        other.tallies[:], other.key[:] = work.tallies, work.key
        seen, hidden = other.seens[0], other.hiddens[0]
        self.moved += dealt_anew(seen, hidden, self.rng, kept)
        k = game.seating[int(seen["turn"])]
        other.key[3] = game.engine.idents[k]
        params = game.engine.params[k].copy()
        if self.tell_address:
            params[0] = float(other.hiddens.ctypes.data)
            game.engine.params[k][0] = float(work.hiddens.ctypes.data)
        n = asking.play_turn(
            seen, hidden, game.rules, game.engine.asks, k, params, other.key, other.box,
            other.tallies[0], other.faults[0], other.rows,
        )  # fmt: skip
        assert n > 0
        return other.rows[:n].copy()

    def differences(self, game: Match) -> int:
        found = 0
        for number, at, rows, kept in self.expected:
            if at >= len(game.log[number].turns):
                continue
            played = game.log[number].turns[at].rows
            from_pile = played[0, 0] == state.DRAW_DISCARD
            if kept == 0 and not from_pile:
                rows, played = rows[:1], played[:1]
            found += meaning(rows) != meaning(played)
        return found


def watched(engine: Engine, deal: int, seating: list[int], watch: Watch) -> int:
    game = Match(engine, Workspace(), deal, seating)
    with suppress(StopIteration):
        game.play(watch)
    assert watch.asked > 0
    assert watch.moved > 0
    return watch.differences(game)


def check(name: str, seats: int, strategies: list[str], deal: int, seed: int, turns: int) -> None:
    engine = Engine(Rules.load(name), [resolve(text) for text in strategies], seed)
    seating = [s % len(strategies) for s in range(seats)]
    assert watched(engine, deal, seating, Watch(Random(seed), turns)) == 0


@settings(max_examples=30)
@given(
    case=st.sampled_from(CASES),
    strategies=st.lists(st.sampled_from(strategy_names()), min_size=1, max_size=3),
    deal=st.integers(0, 10_000),
    seed=st.integers(0, 10_000),
)
def test_hidden_cards_do_not_matter(
    case: tuple[str, int], strategies: list[str], deal: int, seed: int
) -> None:
    check(*case, strategies, deal, seed, TURNS)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seats"), CASES)
@pytest.mark.parametrize("strategy", strategy_names())
def test_hidden_cards_do_not_matter_to_any_strategy(name: str, seats: int, strategy: str) -> None:
    for deal in range(3):
        check(name, seats, [strategy], deal, 77, 100)


# --- the check finds a strategy that does see them ---------------------------------------


def _pointer(typingctx: Any, address: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = context.get_value_type(signature.return_type)
        return builder.inttoptr(args[0], kind)

    return types.voidptr(types.int64), codegen


pointer: Any = intrinsic(_pointer)


@njit(asking.DISCARD_SIGNATURE)
def throws_by_the_next_hand(seen, hand, rules, params, key, box):  # type: ignore[no-untyped-def]
    """Throws the lowest or the highest card, as the next player holds many low cards or not."""
    hidden = carray(pointer(np.int64(params[0])), (1,), state.HIDDEN)[0]
    mask = hidden.once[(seen.turn + 1) % seen.n_seats]
    many = bits.count(mask & np.uint64(0x003F003F003F003F)) % 2
    best = -1
    for card in range(52):
        held = hand.once & bits.CARD_BIT[card] and card != seen.no_rethrow
        if held and (best < 0 or many):
            best = card
    return best


def test_a_strategy_that_sees_the_next_hand_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Strategy.functions

    def functions(self: Strategy) -> Any:
        draw, plays, discard = honest(self)
        return draw, plays, throws_by_the_next_hand if self.name == "greedy" else discard

    monkeypatch.setattr(Strategy, "functions", functions)
    rules = Rules.load("rami", {"deck.jokers": 0})
    engine = Engine(rules, [resolve("greedy"), resolve("first-legal")], 5)
    watch = Watch(Random(1), TURNS, tell_address=True)
    assert watched(engine, 3, [0, 1], watch) > 3


@njit(asking.DISCARD_SIGNATURE)
def refuses_to_be_shown_a_hand(seen, hand, rules, params, key, box):  # type: ignore[no-untyped-def]
    """Answers with no card at all if the scratch holds anything of another seat."""
    for seat in range(8):
        if seat != seen.turn:
            for k in range(2):
                found = box.hidden[k].once[seat] | box.hidden[k].twice[seat]
                if found or box.hidden[k].jokers[seat] > 0:
                    return -9
    best = -1
    for card in range(52):
        if hand.once & bits.CARD_BIT[card] and card != seen.no_rethrow:
            best = card
    return best


def test_the_scratch_of_a_seat_holds_no_other_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once all seats shared it, and the engine left there the hand it had last looked at."""
    honest = Strategy.functions

    def functions(self: Strategy) -> Any:
        draw, plays, discard = honest(self)
        return draw, plays, refuses_to_be_shown_a_hand if self.name == "greedy" else discard

    monkeypatch.setattr(Strategy, "functions", functions)
    rules = Rules.load("rami500", {"deck.jokers": 0})
    engine = Engine(rules, [resolve("greedy"), resolve("random")], 5)
    engine.play(0, 20, np.array([[0, 1, 0], [1, 0, 1]], np.int8))
