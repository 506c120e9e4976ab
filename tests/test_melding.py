# mypy: ignore-errors
"""The best melds: vectors, the naive search, the three ways to them, and many hands at once."""

from __future__ import annotations

import json
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_cards
from melding_hands import hands, masks, meld_rules
from ramisim.benchmarks.hands import CORPUS as HANDS
from ramisim.cards import JOKER, card_name, parse_hand
from ramisim.errors import RamisimError
from ramisim.kernels import bits
from ramisim.kernels.melding import (
    NO_LIMIT,
    REACHED,
    UNFINISHED,
    least_deadwood,
    least_deadwood_many,
    outcome,
    scratch,
    search,
)
from ramisim.kernels.melding import (
    best_melds_many as best_in_kernel,
)
from ramisim.kernels.melding_sweep import sweep
from ramisim.kernels.melding_tables import DEADWOOD, POINTS, STEADY, new_tables
from ramisim.melding import (
    _in_threads,
    best_melds,
    best_melds_many,
    enumerate_melds,
    enumerate_melds_many,
)
from ramisim.rules import Rules

DATA = Path(__file__).parent / "data"
VECTORS = json.loads((DATA / "best_melds.json").read_text())
CORPUS = json.loads(HANDS.read_text())["classes"]
OBJECTIVES = ("deadwood", "points")
WORK = scratch()
ROOM = 1 << 18
GIN = {"meld.ace": "low", "values.ace_hand": 1, "values.ace_set": 1}


def names(hand):
    return [card_name(card) for card in hand]


def check_answer(hand, rules, best):
    """The melds are melds, of cards of the hand, and the numbers are theirs."""
    laid = Counter()
    for meld in best["melds"]:
        assert naive_cards.meld_fault(meld["type"], meld["cards"], rules.values) is None
        if meld["type"] == "set":
            assert meld["cards"] == sorted(meld["cards"], key=naive_cards.by_suit)
        laid.update(map(naive_cards.in_hand, meld["cards"]))
    left = Counter(hand)
    left.subtract(laid)
    assert min(left.values(), default=0) >= 0
    assert best["deadwood"] == naive_cards.deadwood(left.elements(), rules.values)
    assert best["points"] == sum(
        naive_cards.meld_points(meld["type"], meld["cards"], rules.values) for meld in best["melds"]
    )


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_vectors(vector):
    rules = Rules.load(vector["rules"])
    for objective in OBJECTIVES:
        best = best_melds(vector["hand"], rules, objective)
        check_answer(vector["hand"], rules, best)
        assert {key: best[key] for key in OBJECTIVES} == vector[objective]


@pytest.mark.parametrize("name", CORPUS)
def test_corpus(name):
    part = CORPUS[name]
    best = best_melds_many(part["hands"], part["rules"])
    assert best["deadwood"].tolist() == part["deadwood"]
    assert best["points"].tolist() == part["points"]


def test_gin_hands():
    vectors, rules = np.load(DATA / "gin_deadwood.npz"), Rules.load("rami", GIN)
    tables = new_tables(rules.record(), DEADWOOD)
    for name in ("random10", "dense10", "random11", "dense11"):
        hands, ref = vectors[f"{name}_hands"], vectors[f"{name}_deadwood"]
        if name.endswith("10"):
            assert (best_melds_many(hands, rules)["deadwood"] == ref).all()
        once, got = (
            np.bitwise_or.reduce(bits.CARD_BIT[hands], axis=1),
            np.empty(len(hands), np.int32),
        )
        least_deadwood_many(once, name.endswith("11"), tables, WORK, got)
        assert (got == ref).all()


@pytest.mark.parametrize("size", [1, 3, 9, 12])
@pytest.mark.parametrize("override", [{}, {"meld.run_max": 4}, {"values.face": 0}])
def test_least_after_a_discard_is_the_least_of_a_card_less(size, override):
    rng, tables = np.random.default_rng(size), new_tables(Rules.load("rami", override).record(), 0)
    for cards in (52, 16):
        hands = [rng.permutation(cards)[:size].tolist() for _ in range(50)]
        once = np.array([masks(hand)[0] for hand in hands])
        got = np.empty(len(hands), np.int32)
        least_deadwood_many(once, True, tables, WORK, got)
        for hand, left in zip(hands, got, strict=True):
            fewer = [masks([other for other in hand if other != card]) for card in hand]
            assert left == min(least_deadwood(*held, tables, WORK) for held in fewer)


def compare(rules, hand, objective):
    best = best_melds(names(hand), rules, objective)
    check_answer(names(hand), rules, best)
    ref = naive.best_melds(names(hand), dict(rules.values), objective)
    assert (best["deadwood"], best["points"]) == (ref["deadwood"], ref["points"])


@settings(max_examples=200)
@given(st.data(), st.sampled_from(OBJECTIVES))
def test_best_under_any_rules(data, objective):
    rules = data.draw(meld_rules())
    compare(rules, data.draw(hands(rules, most=8, most_jokers=3)), objective)


@pytest.mark.slow
@settings(max_examples=10_000)
@given(st.data(), st.sampled_from(OBJECTIVES))
def test_best_under_any_rules_at_length(data, objective):
    rules = data.draw(meld_rules())
    compare(rules, data.draw(hands(rules, most=10, most_jokers=3)), objective)


def outcomes(hand, rules, objective):
    """What the search and, where it holds, the sweep find: (deadwood, points) of each."""
    tables = new_tables(rules.record(), objective)
    held = masks(hand)
    gains = [search(*held, NO_LIMIT, tables, WORK)]
    if tables[STEADY]:
        WORK[REACHED] = -1
        gains.append(sweep(*held, ROOM, tables, WORK))
    return [tuple(outcome(*held, gain, tables)) for gain in gains]


def compare_ways(data, objective, most):
    override = {
        "deck.packs": data.draw(st.integers(1, 2)),
        "deck.jokers": 4,
        "meld.ace": data.draw(st.sampled_from(["low", "high", "both"])),
        "meld.set_distinct_suits": data.draw(st.booleans()),
        "meld.min_naturals": data.draw(st.integers(0, 1)),
        "values.set_as_one": data.draw(st.booleans()),
        "values.joker_meld": data.draw(st.sampled_from(["replaced", 25])),
    }
    rules = Rules.load("rami500", override)
    found = outcomes(data.draw(hands(rules, most)), rules, objective)
    assert len(found) == 2
    assert len(set(found)) == 1


@settings(max_examples=60)
@given(st.data(), st.sampled_from([DEADWOOD, POINTS]))
def test_search_and_sweep_agree_on_large_hands(data, objective):
    compare_ways(data, objective, 15)


@pytest.mark.slow
@settings(max_examples=2000)
@given(st.data(), st.sampled_from([DEADWOOD, POINTS]))
def test_search_and_sweep_agree_on_larger_hands(data, objective):
    compare_ways(data, objective, 18)


def test_plain_hands_are_those_of_the_search():
    rng = np.random.default_rng(1)
    for override in ({}, GIN, {"values.set_as_one": True}, {"meld.ace": "high"}):
        rules = Rules.load("rami", override)
        for objective in (DEADWOOD, POINTS):
            tables = new_tables(rules.record(), objective)
            for size in (7, 13, 20):
                hand = rng.permutation(52 if size < 20 else 26)[:size].tolist()
                once, twice, jokers = masks(hand)
                gain = search(once, twice, jokers, NO_LIMIT, tables, WORK)
                ref = tuple(outcome(once, twice, jokers, gain, tables))
                got = np.zeros(1, np.int32), np.zeros(1, np.int32)
                held = np.array([once]), np.array([twice]), np.array([jokers])
                best_in_kernel(*held, NO_LIMIT, tables, WORK, *got)
                assert (got[0][0], got[1][0]) == ref
                if objective == DEADWOOD:
                    assert least_deadwood(once, twice, jokers, tables, WORK) == ref[0]


@pytest.mark.parametrize(("rules", "n"), [("rami", 52), ("rami500", 54), ("rami500", 40)])
def test_a_hand_as_large_as_the_deck(rules, n):
    hand = [*np.random.default_rng(n).permutation(52)[: n - 2].tolist(), JOKER, JOKER]
    if rules == "rami":
        hand = [*range(52)]
    best = best_melds(names(hand), rules)
    check_answer(names(hand), Rules.load(rules), best)
    assert best["deadwood"] == 0


def test_a_search_that_gives_up_is_swept():
    hand = parse_hand("6C 8D 3D 7D 2D TD JH JD 6D AD 4D Jk QD Jk 9D 7D QD Jk TD 5D")
    rules = Rules.load("rami51")
    tables = new_tables(rules.record(), DEADWOOD)
    for limit in (1, 8):
        assert search(*masks(hand), limit, tables, WORK) == UNFINISHED
        gain = sweep(*masks(hand), ROOM, tables, WORK)
        assert tuple(outcome(*masks(hand), gain, tables)) in outcomes(hand, rules, DEADWOOD)
    check_answer(names(hand), rules, best_melds(names(hand), rules))


def test_one_scratch_serves_all_rules():
    hand = parse_hand("7C 7C 8C 8C 9C TC 7D 7H")
    found = {}
    for _ in range(2):
        for preset in ("rami51", "pool500", "rami500-5p"):
            best = best_melds(names(hand), preset)
            assert found.setdefault(preset, best) == best
    assert found["pool500"] != found["rami51"]


def forms_of(hands):
    """The same hands in every form that is taken."""
    texts, ids = [" ".join(names(hand)) for hand in hands], [list(hand) for hand in hands]
    held = [masks(hand) for hand in hands]
    rows = np.full((len(hands), 20), -1)
    for row, hand in zip(rows, hands, strict=True):
        row[: len(hand)] = hand
    return [
        texts, ids, [text.lower().split() for text in texts], rows,
        pl.Series(texts), pl.Series(ids), pl.Series([text.split() for text in texts]),
        pl.Series(rows.tolist(), dtype=pl.Array(pl.Int8, 20)),
        tuple(np.array(column) for column in zip(*held, strict=True)),
    ]  # fmt: skip


def test_many_hands_in_every_form():
    hands = [parse_hand(text) for text in CORPUS["two_packs13"]["hands"][:50]] + [[]]
    singles = [best_melds(names(hand), "rami51") for hand in hands]
    counts = [len(enumerate_melds(names(hand), "rami51")) for hand in hands]
    for form in forms_of(hands):
        best = best_melds_many(form, "rami51")
        assert best["deadwood"].tolist() == [single["deadwood"] for single in singles]
        assert best["points"].tolist() == [single["points"] for single in singles]
        assert enumerate_melds_many(form, "rami51")[0].tolist() == counts


def test_masks_of_one_pack():
    once = np.array([masks(parse_hand(text))[0] for text in CORPUS["random10"]["hands"]])
    for form in (once, pl.Series(once)):
        assert best_melds_many(form)["deadwood"].tolist() == CORPUS["random10"]["deadwood"]


def test_no_hands():
    for form in ([], np.zeros((0, 10), np.int64), pl.Series([], dtype=pl.String)):
        assert len(best_melds_many(form)) == 0
        counts, melds = enumerate_melds_many(form)
        assert len(counts) == len(melds) == 0


def test_threads_change_nothing():
    part = CORPUS["jokers10"]
    hands = part["hands"] * 6
    ref = best_melds_many(hands, part["rules"], "points", threads=1)
    ref_counts, ref_melds = enumerate_melds_many(hands, part["rules"], threads=1)
    for threads in (2, 7):
        got = best_melds_many(hands, part["rules"], "points", threads=threads)
        assert (got == ref).all()
        counts, melds = enumerate_melds_many(hands, part["rules"], threads=threads)
        assert (counts == ref_counts).all()
        assert (melds == ref_melds).all()


def test_melds_as_masks():
    hand = "AS 2S 3S 3D Jk Jk"
    counts, melds = enumerate_melds_many([hand, "7C", hand], "rami500")
    listed = enumerate_melds(hand, "rami500")
    assert counts.tolist() == [len(listed), 0, len(listed)]
    assert melds["hand"].tolist() == [0] * len(listed) + [2] * len(listed)
    for meld, row in zip(listed, melds, strict=False):
        naturals = [card for card in meld["cards"] if not card.startswith("Jk")]
        faces = [card[3:] for card in meld["cards"] if card.startswith("Jk")]
        assert ("set", "run")[row["type"]] == meld["type"]
        assert (row["once"], row["twice"], row["jokers"]) == (*masks(parse_hand(naturals))[:2],
                                                              len(faces))  # fmt: skip
        assert row["stands_for"] == masks(parse_hand(faces))[0]
        assert row["points"] == naive_cards.meld_points(
            meld["type"], meld["cards"], Rules.load("rami500").values
        )


@pytest.mark.parametrize(
    ("hand", "words"),
    [
        ("7H 7H", "7H twice"),
        ("Jk Jk Jk", "Jk 3 times"),
        ("7H 1H", "unknown card '1H'"),
        ("7H Jk=8H", "on the table only"),
        (["7H"] * 60, "60 cards, the deck only 54"),
    ],
)
def test_hands_that_cannot_be(hand, words):
    for function in (best_melds, enumerate_melds):
        with pytest.raises(RamisimError, match=words):
            function(hand, "rami500")


@pytest.mark.parametrize(
    ("many", "words"),
    [
        (["7C", "7H 7H"], "hand 1 holds 7H twice"),
        ([[1, 2], [3, 60]], "hand 1: 60 is no card"),
        (["7C", "Jk Jk Jk"], "hand 1 holds Jk 3 times"),
        (["7C", "7X"], "unknown card '7X'"),
        ("7C 8C", "not many hands"),
        (None, "not many hands"),
        ([[1], ["7C"]], "different kinds"),
        ([1.5], "Series of Float64"),
        ([[1.5]], "lists of Float64"),
        (np.zeros((2, 3)), "float64 and 2 dimensions"),
        (pl.Series([None, "7H"]), "hand 0 is null"),
        (pl.Series([[1, None]]), "null"),
        (np.array([1 << 14], np.uint64), "16 \\* suit \\+ rank"),
        ((np.array([1], np.uint64), np.array([1], np.uint64), np.array([0])), "hand 0 holds AC"),
        ((np.array([1], np.uint64), np.array([2], np.uint64), np.array([0])), "held twice"),
        ((np.array([1], np.uint64), np.array([0], np.uint64), np.array([-1])), "negative"),
        ((np.array([1], np.uint64), np.array([0], np.uint64), np.array([0, 0])), "one length"),
        ((np.array([1.5]), np.array([0]), np.array([0])), "integers"),
    ],
)
def test_many_hands_that_cannot_be(many, words):
    for function in (best_melds_many, enumerate_melds_many):
        with pytest.raises(RamisimError, match=words):
            function(many, "rami500")


def test_other_arguments_that_cannot_be():
    with pytest.raises(RamisimError, match="objective"):
        best_melds("7H", "rami500", "cards")  # pyright: ignore[reportArgumentType]
    with pytest.raises(RamisimError, match="threads"):
        best_melds_many(["7H"], threads=0)
    with pytest.raises(RamisimError, match="unknown rules"):
        best_melds("7H", "rami5000")


def test_hands_are_worked_on_by_the_cores_that_are_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """It took every core of the machine, also where a container or `taskset` gives us one."""
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0}, raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    workers = set()
    _in_threads(lambda part: workers.add(threading.current_thread()), 100_000, None)
    assert workers == {threading.current_thread()}
