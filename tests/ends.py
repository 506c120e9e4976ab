"""Best ends of turns in random positions of random variants: claimed, reached, refereed.

What `best_play` claims must be what its actions bring when they are replayed, and, where the naive
engine is quick enough, the optimum. Run as a program it looks at any number of positions:
``python tests/ends.py 10000``.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from naive_play import best_values
from naive_position import Position as NaivePosition
from ramisim.cards import RANKS, SUITS
from ramisim.errors import IllegalAction, PositionError, RulesError
from ramisim.position import Position
from ramisim.rules import Rules
from variants import variant

OBJECTIVES = ("points", "score", "deadwood", "cards")


def hand_value(rules: Rules, hand: list[str]) -> int:
    """What a hand counts, card by card."""
    named = {"A": "values.ace_hand", "Jk": "values.joker_hand"}
    named |= dict.fromkeys("JQK", "values.face")
    total = 0
    for card in hand:
        key = named.get(card if card == "Jk" else card[0])
        total += rules.number(key) if key else 10 if card[0] == "T" else int(card[0])
    return total


def reached(position: Position, actions: list[dict[str, Any]], objective: str) -> int:
    """What the actions bring, played one by one with every check."""
    seat = position.turn
    before = position.to_dict()
    after = position
    for action in actions:
        after = after.apply(action)
    hand = after.to_dict()["hands"][seat]
    points = after.points()[seat] - position.points()[seat]
    left = hand_value(position.rules, hand)
    return {
        "points": points,
        "score": points - left,
        "deadwood": -left,
        "cards": len(before["hands"][seat]) - len(hand),
    }[objective]


def _deck(rules: Rules, rng: Random) -> list[str]:
    """Cards to make a position of; often of few suits or ranks, so that much fits together."""
    suits = "".join(rng.sample(SUITS, rng.choice((1, 2, 2, 4))))
    low = rng.randrange(-6, 9)
    near = {rank for i, rank in enumerate(RANKS) if low <= i <= low + 6 or i + 13 <= low + 6}
    narrow = rng.random() < 0.7
    cards = [
        rank + suit
        for suit in SUITS
        for rank in RANKS
        if not narrow or suit in suits or (rank in near and rng.random() < 0.4)
    ]
    return cards * rules.number("deck.packs")


def _table_meld(rules: Rules, rng: Random, jokers: int) -> tuple[str, list[str]]:
    """Cards that look like a meld; whether they are one is asked later."""
    if rng.random() < 0.5:
        rank = rng.choice(RANKS)
        suits = rng.sample(SUITS, rng.choice((3, 3, 4)))
        kind, cards = "set", [rank + suit for suit in suits]
    else:
        low, size, suit = rng.randrange(13), rng.choice((3, 3, 4, 5)), rng.choice(SUITS)
        kind, cards = "run", [RANKS[(low + i) % 13] + suit for i in range(size)]
    for _ in range(min(jokers, rng.choice((0, 1, 1, 2)))):
        at = rng.randrange(len(cards))
        if not cards[at].startswith("Jk"):
            cards[at] = f"Jk={cards[at]}"
    return kind, cards


def _lay_table(rules: Rules, rng: Random, seats: int, deck: list[str], jokers: int) -> list[Any]:
    """Up to four melds out of the deck, which loses their cards."""
    table: list[dict[str, Any]] = []
    for _ in range(rng.choice((0, 1, 1, 2, 3, 4))):
        kind, cards = _table_meld(rules, rng, jokers)
        trial = list(deck)
        try:
            for card in cards:
                if not card.startswith("Jk"):
                    trial.remove(card)
            seat = rng.randrange(seats)
            placed = [[card, rng.choice((seat, rng.randrange(seats)))] for card in cards]
            meld = {"id": f"M{len(table) + 1}", "type": kind, "cards": placed, "by": seat}
            Position.from_dict({"rules": rules, "hands": [[]] * seats, "table": [meld]})
        except (ValueError, PositionError):
            continue
        deck[:] = trial
        jokers -= sum(card.startswith("Jk") for card in cards)
        table.append(meld)
    return table


def made_up(seed: int, most_held: int) -> Position | None:
    """A position in phase play that a seed makes up, or None where it makes none."""
    rng = Random(seed)
    rules, seats = variant(rng, 3)
    more: dict[str, Any] = {"joker.swap": rng.random() < 0.8}
    if rng.random() < 0.5:
        more |= {"meld.min_naturals": rng.randint(0, 2), "meld.max_jokers": rng.choice((0, 0, 2))}
    if rng.random() < 0.8:
        more["deck.jokers"] = rng.randint(1, 4)
    if rng.random() < 0.3:
        more["values.joker_meld"] = rng.randint(0, 25)
    try:
        rules = Rules.load(rules.base, {**rules.override, **more})
    except RulesError:
        return None
    deck, jokers = _deck(rules, rng), rules.number("deck.jokers")
    rng.shuffle(deck)
    table = _lay_table(rules, rng, seats, deck, jokers)
    jokers -= sum(card.startswith("Jk") for meld in table for card, _ in meld["cards"])
    held = ["Jk"] * rng.randint(0, min(jokers, 3))
    rest = sorted(deck, key=lambda card: rng.random() * (1 + (card[1] != deck[0][1])))
    held += rest[: max(1, rng.randint(2, most_held) - len(held))]
    seat = rng.randrange(seats)
    hands: list[list[str]] = [[] for _ in range(seats)]
    hands[seat] = held
    data: dict[str, Any] = {"rules": rules, "hands": hands, "turn": seat, "phase": "play"}
    data |= {"table": table, "hit_open": rng.random() < 0.9, "tour": rng.randint(1, 4)}
    data["opened"] = [rng.random() < 0.6 for _ in range(seats)]
    must_replay = rules["joker.recovered"] == "replay_same_turn"
    if must_replay and held.count("Jk") and rng.random() < 0.2:
        data["to_replay"] = rng.randint(1, held.count("Jk"))
    if rng.random() < 0.2:
        data["must_use"] = rng.choice(held)
    elif rng.random() < 0.2:
        data["no_rethrow"] = rng.choice(held)
    try:
        return Position.from_dict(data)
    except PositionError:
        return None


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raise TimeoutError when the time is over (nothing compiled may be running)."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _refereed(position: Position) -> dict[str, int]:
    """The naive optimum of each objective; empty where the turn cannot be completed."""
    start = NaivePosition.from_dict(position.to_dict())
    best = dict(best_values(start, {}))
    if best:
        best["cards"] += len(start.hand)  # it counts the cards left
    return best


def faults(position: Position, seconds: float) -> tuple[list[str], bool]:
    """What is wrong with the best ends of a position, and whether they were refereed."""
    found: list[str] = []
    claimed: dict[str, int | None] = {}
    for objective in OBJECTIVES:
        try:
            best = position.best_play(objective)  # type: ignore[arg-type]
        except PositionError:
            claimed[objective] = None
            continue
        claimed[objective] = best["value"]
        try:
            got = reached(position, best["actions"], objective)
        except IllegalAction as refused:
            found.append(f"{objective}: its actions are refused: {refused}")
            continue
        if got != best["value"]:
            found.append(f"{objective}: {best['value']} claimed, {got} reached")
    if seconds <= 0:
        return found, False
    try:
        with _at_most(seconds):
            refereed = _refereed(position)
    except TimeoutError:
        return found, False
    for objective, value in claimed.items():
        if value != refereed.get(objective):
            found.append(f"{objective}: {value} claimed, {refereed.get(objective)} is best")
    return found, True


def main(positions: int, first: int, most_held: int, seconds: float) -> int:
    """Look at so many positions and tell what is wrong; the number of wrong ones."""
    seen, refereed, wrong, seed, told = 0, 0, 0, first, time.perf_counter()
    while seen < positions:
        position = made_up(seed, most_held)
        if position is not None:
            found, sure = faults(position, seconds)
            seen, refereed, wrong = seen + 1, refereed + sure, wrong + bool(found)
            if found:
                print(f"{seed}: {'; '.join(found)}", flush=True)
        if time.perf_counter() - told > 60:
            told = time.perf_counter()
            print(f"# {seen} positions, {refereed} refereed, {wrong} wrong", flush=True)
        seed += 1
    print(f"# seeds {first} to {seed - 1}: {seen} positions, {refereed} refereed, {wrong} wrong")
    return wrong


if __name__ == "__main__":
    numbers = [float(text) for text in sys.argv[1:]]
    number, begin, most, wait = numbers + [1000, 0, 6, 0.5][len(numbers) :]
    sys.exit(main(int(number), int(begin), int(most), wait) > 0)
