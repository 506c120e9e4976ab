"""The end of a turn at a glance is that of the search, wherever it says anything."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ramisim.kernels import bits, finish, state
from ramisim.kernels.ending_plain import FOUND, NO_END, UNKNOWN, plain_end
from ramisim.kernels.ending_plain_rows import plain_rows
from ramisim.kernels.match import start_round
from ramisim.kernels.services import NOTHING, end_value, take_values
from ramisim.kernels.solve import CARDS, SCORE
from ramisim.kernels.turn import apply_row as apply
from ramisim.position import scratch
from ramisim.rules import Rules
from rule_sets import rule_sets

RULES = [
    ("rami500", {}),
    ("rami500", {"deck.jokers": 0, "meld.ace": "high", "values.ace_hand": 3}),
    ("rami500", {"deck.packs": 2, "meld.run_max": 13, "lay_off.on": "own", "meld.ace": "low"}),
    ("rami500", {"opening.points": 30, "lay_off.needs_opening": False}),
    ("rami500", {"deck.packs": 2, "meld.set_distinct_suits": False, "meld.set_max": 5}),
    ("rami", {}),
    ("pool500", {}),
    ("rami51", {"opening.points": 25}),
]


WRITTEN = 9


def own_hand(hidden: Any, seen: Any) -> Any:
    seat = seen["turn"]
    hand = np.zeros(1, state.HAND)
    for name in ("once", "twice", "jokers"):
        hand[name] = hidden[name][seat]
    hand["size"] = seen["hand_size"][seat]
    return hand[0]


def written(box: Any, n: int) -> list[list[int]]:
    rows = box["work"]["rows"][0][:n]
    return [row[: 4 + row[3]].tolist() for row in rows]


def compare(seens: Any, hiddens: Any, hand: Any, rules: Any, told: Counter[int]) -> None:
    seen, box = seens[0], scratch()[0]
    for objective in range(CARDS + 1):
        found, value, laid, thrown = plain_end(seen, hand, rules, objective)
        told[found] += 1
        if found == UNKNOWN:
            continue
        ref = end_value(seen, hand, rules, objective, box)
        assert ref == (value if found == FOUND else NOTHING)
        if found == FOUND:
            assert not int(laid) & ~int(hand["once"])
            kept = int(hand["once"]) & ~int(laid)
            assert thrown == bits.JOKER or kept & int(bits.CARD_BIT[thrown])
            n = plain_rows(seen, hand, rules, np.uint64(laid), thrown, box)
            told[WRITTEN] += n > 1
            if n > 0:
                got = written(box, n)
                n = finish.best_end_of(seens, hiddens, rules, objective, scratch())
                assert got == written(box, n)


def walk(rules: Rules, seats: int, seed: int, steps: int) -> Counter[int]:
    """Compare at every step of a round that is played at random, and with duties added."""
    rng = np.random.default_rng(seed)
    record, told = rules.record(), Counter[int]()
    seens, hiddens = np.zeros(1, state.SEEN), np.zeros(1, state.HIDDEN)
    rows, deck = np.zeros((4096, state.ROW), np.int16), np.zeros(state.MAX_DECK, np.uint8)
    start_round(
        seens[0], hiddens[0], record, np.uint64(seed), np.uint64(0), 0, deck, seats, 0, 0
    )  # fmt: skip
    for _ in range(steps):
        n = min(finish.list_legal_of(seens, hiddens, record, rows, scratch()), len(rows))
        if seens[0]["phase"] == state.PHASE_OVER or n == 0:
            break
        if seens[0]["phase"] == state.PHASE_PLAY:
            hand = own_hand(hiddens[0], seens[0])
            compare(seens, hiddens, hand, record, told)
            duties = seens.copy()
            held = [card for card in range(52) if int(hand["once"]) & int(bits.CARD_BIT[card])]
            if held:
                duties["must_use"], duties["no_rethrow"] = rng.choice(held, 2)
                compare(duties, hiddens, hand, record, told)
        plays = [i for i in range(n) if rows[i, 0] != state.DISCARD]
        chosen = rng.choice(plays) if plays and rng.random() < 0.7 else rng.integers(n)
        apply(seens[0], hiddens[0], record, rows[chosen])
    return told


@pytest.mark.parametrize(("preset", "override"), RULES)
def test_at_a_glance_as_by_search(preset: str, override: dict[str, Any]) -> None:
    rules, told = Rules.load(preset, override), Counter[int]()
    for seed in range(3):
        told += walk(rules, 2 + seed % 2, seed, 120)
    assert told[FOUND] >= 20
    if rules.number("opening.points") == 0:
        assert told[WRITTEN] > 20
        assert told[FOUND] + told[NO_END] > told[UNKNOWN]


@settings(max_examples=60, deadline=None)
@given(rule_sets(), st.integers(0, 2**32))
def test_at_a_glance_under_any_rules(rules: Rules, seed: int) -> None:
    walk(rules, rules.number("players.min"), seed, 40)


@pytest.mark.slow
@settings(max_examples=3000, deadline=None)
@given(rule_sets(), st.integers(0, 2**32))
def test_at_a_glance_under_any_rules_at_length(rules: Rules, seed: int) -> None:
    walk(rules, rules.number("players.min"), seed, 150)


@pytest.mark.parametrize("preset", ["rami500", "rami51"])
def test_takes_are_worth_what_the_search_says_of_each(preset: str) -> None:
    """`take_values` answers at a glance where it can, and gives the round back as it was."""
    rules = Rules.load(preset)
    asked = 0
    for seed in range(4):
        asked += compare_takes(rules, seed)
    assert asked > 50


def compare_takes(rules: Rules, seed: int) -> int:
    rng, record, box = np.random.default_rng(seed), rules.record(), scratch()[0]
    seens, hiddens = np.zeros(1, state.SEEN), np.zeros(1, state.HIDDEN)
    rows, deck = np.zeros((4096, state.ROW), np.int16), np.zeros(state.MAX_DECK, np.uint8)
    start_round(
        seens[0], hiddens[0], record, np.uint64(seed), np.uint64(0), 0, deck, 2, 0, 0
    )  # fmt: skip
    asked = 0
    for _ in range(60):
        n = min(finish.list_legal_of(seens, hiddens, record, rows, scratch()), len(rows))
        if seens[0]["phase"] == state.PHASE_OVER or n == 0:
            break
        if seens[0]["phase"] == state.PHASE_DRAW:
            before, values = seens.copy(), np.zeros(64, np.int64)
            hand = own_hand(hiddens[0], seens[0])
            deepest = take_values(seens[0], hand, record, SCORE, box, values)
            assert seens.tobytes() == before.tobytes()
            for take in range(deepest + 1):
                ref = value_of_take(seens, hiddens, record, take, box)
                # A joker swapped off the table may make a card useful that seems to be of no use.
                if values[take] != NOTHING:
                    assert values[take] == ref
                    asked += 1
        plays = [i for i in range(n) if rows[i, 0] != state.DISCARD]
        chosen = rng.choice(plays) if plays and rng.random() < 0.7 else rng.integers(n)
        apply(seens[0], hiddens[0], record, rows[chosen])
    return asked


def value_of_take(seens: Any, hiddens: Any, record: Any, take: int, box: Any) -> int:
    """The best end after drawing so many discards, by applying the draw and searching."""
    after, hidden = seens.copy(), hiddens.copy()
    if take:
        row = np.zeros(state.ROW, np.int16)
        row[0], row[3] = state.DRAW_DISCARD, take
        apply(after[0], hidden[0], record, row)
    after["phase"] = state.PHASE_PLAY
    return int(end_value(after[0], own_hand(hidden[0], after[0]), record, SCORE, box))
