"""Every meld of a hand, for any rule set: vectors, cases, and the naive list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_cards
from melding_hands import hands, masks, meld_rules
from ramisim.cards import card_name, parse_card, parse_hand
from ramisim.kernels.melds import list_melds, meld_value
from ramisim.kernels.state import ROW
from ramisim.rules import Rules

DATA = Path(__file__).parent / "data"
VECTORS = json.loads((DATA / "best_melds.json").read_text())
CASES = [
    case for case in json.loads((DATA / "examples.json").read_text()) if case["kind"] == "meld"
]
ROWS = np.zeros((60_000, ROW), np.int16)


def listed(hand: Any, rules: Any, want: Any = -1, rows: Any = ROWS) -> Any:
    return list_melds(*masks(hand), rules.record(), rows, want)


def as_meld(row: Any) -> Any:
    """A row as (type, cards)."""
    return ("set", "run")[row[1]], tuple(card_name(int(code)) for code in row[4 : 4 + row[3]])


def melds_of(hand: Any, rules: Any) -> Any:
    return [as_meld(row) for row in ROWS[: listed(hand, rules)]]


def ref_melds(hand: Any, rules: Any) -> Any:
    found = naive.enumerate_melds([card_name(card) for card in hand], dict(rules.values))
    return [(meld["type"], tuple(meld["cards"])) for meld in found]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_number_of_melds(vector: Any) -> None:
    assert listed(parse_hand(vector["hand"]), Rules.load(vector["rules"])) == vector["n_melds"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_cases_of_one_meld(case: Any) -> None:
    position, expect = case["position"], case["expect"]
    rules = Rules.load(position["rules"], position.get("override"))
    kind, cards = case["actions"][0]["type"], tuple(case["actions"][0]["cards"])
    found = melds_of(parse_hand(position["hands"][0]), rules)
    listed_as = cards if kind == "run" else tuple(sorted(cards, key=naive_cards.by_suit))
    assert ((kind, listed_as) in found) == expect["legal"]
    if expect["legal"]:
        codes = np.array([parse_card(card) for card in cards], np.int16)
        value = meld_value(int(kind == "run"), codes, len(cards), rules.record())
        assert value == expect["laid_points_delta"][0]


def test_one_pack_holds_65_sets_and_304_runs() -> None:
    # Runs of 3 to 13 cards from the low ace to the high one. As cards they are 304, for A to K
    # and 2 to A are the same ones; on the table they are two, worth 1 and 11 for the ace.
    melds = melds_of(range(52), Rules.load("rami"))
    runs = [cards for kind, cards in melds if kind == "run"]
    assert len(set(melds)) == len(melds) == 65 + 308
    assert len({frozenset(cards) for cards in runs}) == 304


def test_melds_of_three_to_five_cards_with_the_ace_low() -> None:
    assert listed(range(52), Rules.load("rami", {"meld.ace": "low", "meld.run_max": 5})) == 185


def compare(rules: Any, hand: Any) -> None:
    got, ref = melds_of(hand, rules), ref_melds(hand, rules)
    assert sorted(got) == sorted(ref)
    for kind, cards in got[:: max(1, len(got) // 20)]:
        codes = np.array([parse_card(card) for card in cards], np.int16)
        assert meld_value(
            int(kind == "run"), codes, len(cards), rules.record()
        ) == naive_cards.meld_points(kind, cards, rules.values)


@settings(max_examples=150)
@given(st.data())
def test_all_melds_under_any_rules(data: Any) -> None:
    rules = data.draw(meld_rules())
    compare(rules, data.draw(hands(rules, most=9, most_jokers=3)))


@pytest.mark.slow
@settings(max_examples=5000)
@given(st.data())
def test_all_melds_under_any_rules_at_length(data: Any) -> None:
    rules = data.draw(meld_rules())
    compare(rules, data.draw(hands(rules, most=11, most_jokers=3)))


@pytest.mark.parametrize("override", [{}, {"meld.min_naturals": 0}, {"meld.ace": "wrap"}])
def test_one_row_at_a_time(override: Any) -> None:
    rules = Rules.load("rami51", override)
    hand = parse_hand("AS AS 2S 3S 3D 3H 4S QS KS Jk Jk")
    all_of_them = [row.copy() for row in ROWS[: listed(hand, rules)]]
    one = np.zeros((1, ROW), np.int16)
    for number, row in enumerate(all_of_them):
        assert listed(hand, rules, number, one) == len(all_of_them)
        assert as_meld(one[0]) == as_meld(row)


def test_rows_that_do_not_fit_are_counted() -> None:
    rules, hand = Rules.load("rami500"), parse_hand("7C 7D 7H 7S 8S 9S Jk")
    few = np.full((3, ROW), -1, np.int16)
    n = listed(hand, rules)
    assert listed(hand, rules, -1, few) == n > 3
    assert [as_meld(row) for row in few] == melds_of(hand, rules)[:3]


def test_a_hand_of_one_suit_and_all_jokers() -> None:
    rules = Rules.load("rami500", {"deck.jokers": 8, "meld.run_max": 14, "meld.min_naturals": 0})
    hand = [*range(13), *[52] * 8]
    n = listed(hand, rules)
    assert n == len(set(melds_of(hand, rules))) > 50_000
