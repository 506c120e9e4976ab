"""Random rule sets of every key, and rounds of them played with every card counted.

`variant` draws a value for all keys at once; what it gives is what `Rules` accepts. A round is
played through the engine's own turns, and after each action the cards are counted.
Run as a program (`variants_run`) it plays any number of rounds:
``python tests/variants.py 200000``.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from numba import njit

from ramisim.engine import Engine, Workspace
from ramisim.errors import StrategyError
from ramisim.kernels import match, scoring, state, turn
from ramisim.record import play_match
from ramisim.rules import Rules, preset_names
from ramisim.rules_keys import KEYS, Key
from ramisim.strategies import resolve, strategy_names

ENDS = ("out", "stock", "blocked", "tours", "stall")
FEW = {
    "deck.jokers": (0, 8),
    "meld.set_max": (3, 16),
    "meld.run_max": (3, 14),
    "meld.min_naturals": (0, 3),
    "meld.max_jokers": (0, 3),
    "opening.points": (1, 60),
    "round.max_recycles": (0, 3),
    "round.max_tours": (0, 20),
    "round.max_turns_per_player": (1, 40),
    "match.target": (0, 400),
    "match.max_rounds": (1, 12),
}
"""What a number is drawn from, so that it matters in play."""
OFTEN_ZERO = ("opening.points", "round.max_recycles", "round.max_tours", "meld.max_jokers")


def _value(key: Key, rng: Random) -> Any:
    if key.is_flag:
        return rng.random() < 0.5
    if key.words and (not key.takes_int or rng.random() < 0.6):
        return rng.choice(key.words)
    if key.name in OFTEN_ZERO and rng.random() < 0.5:
        return 0
    low, high = FEW.get(key.name, (key.low, min(key.high, 30)))
    return rng.randint(low, high)


def variant(rng: Random, most_cards: int = 55) -> tuple[Rules, int]:
    """A rule set with every key drawn, and a number of seats.

    Parameters
    ----------
    rng : Random
    most_cards : int
        Largest hand dealt; eight in ten hands have thirteen cards at most.
    """
    values = {name: _value(key, rng) for name, key in KEYS.items()}
    seats = rng.randint(2, 8)
    low, high = rng.randint(2, seats), rng.randint(seats, 8)
    values |= {"players.min": low, "players.max": high}
    deck = 52 * values["deck.packs"] + values["deck.jokers"]
    most = min((deck - values["deal.upcard"] - 1) // high, most_cards)
    values["deal.hand_size"] = rng.randint(1, most if rng.random() < 0.2 else min(most, 13))
    if rng.random() < 0.02:
        # Six times the turns of any preset: if the cards end a round at all, they end this one.
        # (At the 10,000 that the key allows, rounds that nothing ends last for hours.)
        values["round.max_turns_per_player"] = 300
    if rng.random() < 0.9:
        # Where nobody ever scores, rounds are added until the thousandth.
        values["match.tie_break"] = "shared"
    return Rules.load(rng.choice(preset_names()), values), seats


@njit
def _count(seens: Any, hiddens: Any, copies: Any) -> Any:
    """``copies[c]``: how often the card is in a hand, the stock, the pile or on the table."""
    seen, hidden = seens[0], hiddens[0]
    copies[:] = 0
    for seat in range(seen.n_seats):
        size = 0
        for card in range(52):
            b = np.uint64(1) << np.uint64(16 * (card // 13) + card % 13)
            held = (1 if hidden.once[seat] & b else 0) + (1 if hidden.twice[seat] & b else 0)
            copies[card] += held
            size += held
        copies[52] += hidden.jokers[seat]
        if size + hidden.jokers[seat] != seen.hand_size[seat]:
            copies[53] += 1
    for i in range(seen.n_stock):
        copies[hidden.stock[hidden.stock_next + i]] += 1
    for i in range(seen.n_discard):
        copies[seen.discard[i]] += 1
    for m in range(seen.n_melds):
        jokers = 0
        for i in range(seen.meld_size[m]):
            joker = seen.meld_card[m, i] >= 64
            copies[52 if joker else seen.meld_card[m, i]] += 1
            jokers += joker
        if jokers != seen.meld_jokers[m]:
            copies[53] += 1


@njit
def count_actions(
    seens: Any, hiddens: Any, rules: Any, rows: Any, packs: Any, jokers: Any, copies: Any
) -> Any:
    """Replay the actions of a turn and count after each: the first that loses a card, or -1."""
    for i in range(-1, rows.shape[0]):
        if i >= 0:
            turn.apply_row(seens[0], hiddens[0], rules, rows[i])
        _count(seens, hiddens, copies)
        for card in range(54):
            right = packs if card < 52 else (jokers if card == 52 else 0)
            if copies[card] != right:
                return i + 1
    return -1


@dataclass
class Played:
    """What a number of games came to."""

    rounds: int = 0
    turns: int = 0
    actions: int = 0
    ends: Counter[str] = field(default_factory=Counter)


def play_counted(engine: Engine, deal: int, seating: list[int], played: Played) -> None:
    """One match, as the batch plays it; AssertionError where a card is lost or a round hangs."""
    log = engine.actions(deal, seating)
    if log is None:
        # The same, turn by turn: it says what was refused.
        play_match(engine, deal, seating)
        raise AssertionError("refused in the batch, and not turn by turn")
    work, n, rules = Workspace(), len(seating), engine.rules
    seens, hiddens, record = work.seens, work.hiddens, rules.record()
    seen, hidden, numbers = seens[0], hiddens[0], work.numbers
    packs, jokers = rules.number("deck.packs"), rules.number("deck.jokers")
    ends = np.flatnonzero(log[:, 0] == state.DISCARD) + 1
    copies = np.zeros(54, np.int64)
    pool, number, at, turns = rules.number("score.pool"), 0, 0, 0
    reached = False
    while True:
        match.start_round(
            seen, hidden, record, engine.seed, np.uint64(deal), number, work.deck, n, number % n,
            pool,
        )  # fmt: skip
        while seen["phase"] != state.PHASE_OVER:
            assert turns < len(ends), "a round that does not end"
            recycles = int(seen["recycles"])
            rows = log[at : ends[turns]]
            lost = count_actions(seens, hiddens, record, rows, packs, jokers, copies)
            assert lost < 0, f"cards lost or doubled at action {lost} of turn {turns}"
            at = ends[turns]
            turns += 1
            match.shuffle_recycled(seen, hidden, record, engine.seed, np.uint64(deal), recycles)
        scoring.score_round(seen, hidden, record, numbers[0], numbers[1], numbers[2])
        played.ends[ENDS[int(seen["end"])]] += 1
        pool = int(scoring.next_pool(seen, record))
        for seat in range(n):
            seen["totals"][seat] = numbers[2, seat] + (seen["totals"][seat] if number else 0)
        number += 1
        reached = match.end_is_reached(seen, record, number, reached)
        if match.match_is_over(seen, record, number, reached):
            break
    assert at == len(log), "actions after the end of the match"
    games, _ = engine.play(deal, 1, np.array([seating], np.int8))
    assert games["points"].tolist() == seen["totals"][:n].tolist()
    assert games["rounds"].tolist() == [number] * n
    played.rounds += number
    played.turns += turns
    played.actions += len(log)


def engine_of(
    seed: int, most_cards: int = 55, among: Sequence[str] = ()
) -> tuple[Engine, list[int]]:
    """The variant of a seed, with a strategy for each seat, of those named or of all."""
    rng = Random(seed)
    rules, seats = variant(rng, most_cards)
    names = [rng.choice(among or strategy_names()) for _ in range(seats)]
    return Engine(rules, [resolve(name) for name in names], seed), list(range(seats))


def play_variant(
    seed: int, played: Played, most_cards: int = 55, among: Sequence[str] = ()
) -> Engine:
    """Play a match of a seed's variant; AssertionError with the seed where it fails."""
    engine, seating = engine_of(seed, most_cards, among)
    try:
        play_counted(engine, seed, seating, played)
    except (AssertionError, StrategyError) as error:
        raise AssertionError(f"variant {seed}: {error}") from None
    return engine


if __name__ == "__main__":
    from variants_run import main

    sys.exit(main())
