"""Keyed chance: Philox as NumPy has it, decks that never change, shuffles without bias."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from ramisim.errors import RamisimError
from ramisim.kernels import random as keyed
from ramisim.kernels.jit import kernel
from ramisim.random import deck
from ramisim.rules import Rules

GOLDEN = Path(__file__).parent / "data" / "decks.txt"
WORD = st.integers(0, 2**64 - 1)


@kernel
def block(key: Any, counter: Any, out: Any) -> None:
    w = keyed.philox(key[0], key[1], counter[0], counter[1], counter[2], counter[3])
    out[0], out[1], out[2], out[3] = w


@kernel
def count_cards(first: Any, n: Any, deck: Any, counts: Any) -> None:
    """How often each card stands at each place of ``n`` decks."""
    packs, jokers = len(deck) // 52, len(deck) % 52
    for deal in range(first, first + n):
        keyed.deal_deck(np.uint64(3), np.uint64(deal), np.uint64(0), packs, jokers, deck)
        for place in range(len(deck)):
            counts[place, deck[place]] += 1


@kernel
def count_draws(n: Any, bound: Any, counts: Any) -> None:
    for i in range(n):
        counts[keyed.uniform_below(11, keyed.SAMPLE, i, 0, 0, 0, bound)] += 1


def ref_words(seed: Any, purpose: Any, *counter: Any) -> Any:
    return np.random.Philox(
        key=np.array([seed, purpose], np.uint64), counter=np.array(counter, np.uint64)
    )


def ref_shuffle(words: Any, cards: Any) -> Any:
    """Fisher-Yates from the top, seven draws to a word, in plain integers."""
    cards, left = list(cards), len(cards)
    while left > 1:
        word, product, draws = int(words.random_raw()), 1, []
        for bound in range(left, max(left - 7, 1), -1):
            draw, word = divmod(word * bound, 2**64)
            draws.append(draw)
            product *= bound
        if word < 2**64 % product:
            continue
        for other in draws:
            left -= 1
            cards[left], cards[other] = cards[other], cards[left]
    return cards


@given(st.lists(WORD, min_size=2, max_size=2), st.lists(WORD, min_size=4, max_size=4))
def test_philox_is_that_of_numpy(key: Any, counter: Any) -> None:
    got = np.zeros(4, np.uint64)
    block(np.array(key, np.uint64), np.array(counter, np.uint64), got)
    before = sum(word << 64 * i for i, word in enumerate(counter)) - 1
    before %= 2**256
    ref = ref_words(*key, *(before >> 64 * i & (2**64 - 1) for i in range(4)))
    assert got.tolist() == ref.random_raw(4).tolist()


@given(WORD, WORD, WORD, st.sampled_from([(1, 0), (1, 2), (2, 2), (2, 8)]))
def test_decks_are_a_plain_shuffle_of_those_words(
    seed: Any, deal: Any, round_number: Any, composition: Any
) -> None:
    packs, jokers = composition
    got = np.zeros(52 * packs + jokers, np.uint8)
    keyed.deal_deck(np.uint64(seed), np.uint64(deal), np.uint64(round_number), packs, jokers, got)
    ref = ref_shuffle(
        ref_words(seed, keyed.DECK, 0, deal, round_number, 0), [*range(52)] * packs + [52] * jokers
    )
    assert got.tolist() == ref


def test_a_reshuffle_has_words_of_its_own() -> None:
    cards = np.arange(30, dtype=np.uint8)
    shuffled = []
    for number in (1, 2):
        got = cards.copy()
        keyed.reshuffle(5, 8, 1, number, got)
        assert got.tolist() == ref_shuffle(ref_words(5, keyed.RESHUFFLE, 0, 8, 1, number), cards)
        shuffled.append(got.tolist())
    assert shuffled[0] != shuffled[1]


@pytest.mark.parametrize("n", [0, 1, 2])
def test_the_shortest_piles(n: Any) -> None:
    cards = np.arange(n, dtype=np.uint8)
    keyed.reshuffle(5, 8, 1, 0, cards)
    assert sorted(cards.tolist()) == list(range(n))


def test_golden_decks() -> None:
    for line in GOLDEN.read_text().splitlines():
        if line.startswith("#"):
            continue
        rules, seed, deal, round_number, *cards = line.split()
        assert deck(int(seed), int(deal), int(round_number), rules) == cards


def test_a_deck_depends_on_the_composition_alone() -> None:
    other = Rules.load("rami500", {"values.face": 11, "deal.hand_size": 5, "meld.ace": "low"})
    assert deck(1, 2, 3, other) == deck(1, 2, 3, "rami500") == deck(1, 2, 3, "rami500-quick")
    assert deck(1, 2, 3, "rami51") != deck(1, 2, 3, "rami500-5p")[:-1]
    assert deck(1, 2, 3, "rami500") != deck(1, 2, 4, "rami500")


@pytest.mark.parametrize(("seed", "deal", "number"), [(-1, 0, 0), (0, 2**64, 0), (0, 0, -5)])
def test_numbers_out_of_range_are_refused(seed: Any, deal: Any, number: Any) -> None:
    with pytest.raises(RamisimError, match="2\\*\\*64"):
        deck(seed, deal, number, "rami500")


def chi_square_of_places(size: Any, n: Any) -> Any:
    """Probability of a table of card by place at least as uneven as that of ``n`` decks."""
    counts = np.zeros((size, 53), np.int64)
    count_cards(0, n, np.zeros(size, np.uint8), counts)
    packs, jokers = size // 52, size % 52
    expected = np.array([packs] * 52 + [jokers]) * n / size
    held = expected > 0
    # The places of one deck are no independent draws: a card that stands here does not stand
    # there, which makes the table uneven by size / (size - 1) more than independent rows would.
    uneven = ((counts[:, held] - expected[held]) ** 2 / expected[held]).sum()
    uneven *= (size - 1) / size
    return chi2.sf(uneven, (size - 1) * (held.sum() - 1))


def test_every_card_is_as_likely_at_every_place() -> None:
    assert 0.001 < chi_square_of_places(54, 20_000) < 0.999


@pytest.mark.slow
@pytest.mark.parametrize("size", [52, 54, 106, 108])
def test_every_card_is_as_likely_at_every_place_in_a_million_decks(size: Any) -> None:
    assert 0.001 < chi_square_of_places(size, 1_000_000) < 0.999


@pytest.mark.parametrize("bound", [1, 2, 7, 52, 1000])
def test_bounded_integers_are_uniform(bound: Any) -> None:
    counts = np.zeros(bound, np.int64)
    count_draws(100_000, bound, counts)
    uneven = ((counts - 100_000 / bound) ** 2).sum() * bound / 100_000
    assert bound == 1 or 0.001 < chi2.sf(uneven, bound - 1) < 0.999


def test_bounded_integers_are_keyed() -> None:
    one = [keyed.uniform_below(1, keyed.STRATEGY, 5, 0, 2, n, 1 << 40) for n in range(50)]
    other = [keyed.uniform_below(1, keyed.STRATEGY, 5, 0, 3, n, 1 << 40) for n in range(50)]
    assert len({*one, *other}) == 100
    words = ref_words(1, keyed.STRATEGY, 4, 0, 2, 7).random_raw(4)
    assert one[7] == int(words[0]) * (1 << 40) >> 64
