"""Random rule sets of all keys: played with every card counted, and refereed by the naive engine.

``python tests/variants.py 200000`` plays as many rounds of them as wanted.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import variants_run
from ramisim.engine import Engine
from ramisim.position import Position
from ramisim.record import play_match, record_of, verify_game
from ramisim.rules_keys import KEYS
from ramisim.strategies import resolve, strategy_names
from variants import Played, engine_of, play_counted, play_variant, variant

MOST_CARDS = 7
"""Cards dealt where the naive engine lists actions: it tries every choice of cards."""


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(0, 2**64 - 1))
def test_rounds_of_random_variants_end_and_lose_no_card(rng: Random, seed: int) -> None:
    rules, seats = variant(rng, 13)
    names = [rng.choice(strategy_names()) for _ in range(seats)]
    engine = Engine(rules, [resolve(name) for name in names], seed)
    play_counted(engine, rng.randrange(1000), list(range(seats)), Played())


@pytest.mark.parametrize("seed", [10002015, 10006814, 20003677])
def test_an_opening_leaves_the_joker_that_a_waiting_set_needs(seed: int) -> None:
    # The set grew by a joker to free another, and the opening had laid the only one.
    play_variant(seed, Played(), 13)


@pytest.mark.slow
def test_rounds_of_many_random_variants() -> None:
    played = Played()
    for seed in range(1500):
        play_variant(seed, played)
    assert played.rounds > 3000
    assert set(played.ends) == {"out", "stock", "blocked", "tours", "stall"}


def test_a_run_of_variants_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    done = tmp_path / "done.json"
    first = variants_run.run(10, 2000, 5, 1, done)
    both = variants_run.run(first.rounds + 10, 2000, 5, 1, done)
    once = variants_run.run(first.rounds + 10, 2000, 5, 1, tmp_path / "once.json")
    assert 2000 < first.next < both.next
    assert (both.next, both.rounds, both.ends) == (once.next, once.rounds, once.ends)
    assert both.rounds == sum(both.ends.values()) >= first.rounds + 10
    assert not both.failed
    # Other cards, other players, or another first seed: a run of its own.
    assert variants_run.load(done, 2000, 6).rounds == 0
    assert variants_run.load(done, 2000, 5, ["random"]).rounds == 0
    assert variants_run.load(done, 2001, 5).rounds == 0


def test_what_goes_wrong_in_a_variant_is_told_with_its_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lose_a_card(*_: Any) -> None:
        raise ZeroDivisionError("no card")

    monkeypatch.setattr(variants_run, "play_variant", lose_a_card)
    assert variants_run.play_one(7, 5).fault == "variant 7: ZeroDivisionError('no card')"


def test_every_value_of_every_key_is_drawn() -> None:
    drawn: dict[str, Counter[Any]] = {name: Counter() for name in KEYS}
    hands: Counter[tuple[int, int]] = Counter()
    for seed in range(1500):
        rules, seats = variant(Random(seed))
        hands[seats, rules.number("deal.hand_size")] += 1
        for name, value in rules.values.items():
            drawn[name][value] += 1
    for name, key in KEYS.items():
        words = (True, False) if key.is_flag else key.words
        assert set(words) <= set(drawn[name]), name
        if not words:
            assert len(drawn[name]) > 1, name
    assert {seats for seats, _ in hands} == set(range(2, 9))
    assert max(size for _, size in hands) > 40


def hard(position: Position) -> bool:
    """Whether the naive engine would take long: many cards, or many jokers in play."""
    data = position.to_dict()
    hand = data["hands"][data["turn"]]
    on_table = [card for meld in data["table"] for card, _ in meld["cards"]]
    jokers = hand.count("Jk") + sum(card.startswith("Jk") for card in on_table)
    return len(hand) > 9 or jokers > 3 or (jokers > 2 and len(hand) > 6)


def referee(seed: int) -> tuple[int, int]:
    """A match of a variant in both engines; positions compared, and openings listed."""
    engine, seating = engine_of(seed, MOST_CARDS)
    lines = record_of(play_match(engine, seed, seating))
    verify_game(lines)
    naive.verify(lines)
    rng, header, compared, opened = Random(seed), lines[0], 0, 0
    for line in lines[1:3]:
        if "turns" not in line:
            break
        start = {name: line[name] for name in ("hands", "discard", "stock", "first_seat")}
        start |= {"rules": header["rules"], "override": header["override"]}
        position = Position.from_dict({**start, "turn": line["first_seat"]})
        for turn in line["turns"]:
            if "recycle" in turn:
                break  # how it was shuffled is the record's business
            for action in turn["actions"]:
                if rng.random() < 0.15 and not hard(position):
                    data = position.to_dict()
                    assert naive.normal(data) == data
                    assert naive.same_actions(position.legal_actions(), naive.legal_actions(data))
                    openings = position.openings()
                    assert naive.same_actions(openings, naive.openings(data))
                    compared, opened = compared + 1, opened + bool(openings)
                    refereed = naive.normal(naive.apply(data, action))
                    after = position.apply(action).to_dict()
                    for side in (refereed, after):
                        side["hands"] = [sorted(hand) for hand in side["hands"]]
                    assert after == refereed
                position = position.apply(action)
    return compared, opened


def test_the_naive_engine_referees_random_variants() -> None:
    # In 160 and 294 the swapped-in card is the swapper's, though no points move (D38).
    found = [referee(seed) for seed in (*range(40), 160, 294)]
    assert sum(compared for compared, _ in found) > 100


@pytest.mark.slow
def test_the_naive_engine_referees_many_random_variants() -> None:
    found = [referee(seed) for seed in range(100, 1100)]
    assert sum(compared for compared, _ in found) > 3000
    assert sum(opened for _, opened in found) > 50
