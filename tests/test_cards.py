"""Cards are read in every spelling of the contract and written in one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from ramisim.cards import (
    JOKER,
    JOKER_AS,
    RANKS,
    SUIT_SIGNS,
    SUITS,
    card_name,
    card_sign,
    card_text,
    cards_text,
    check_cards,
    hand_name,
    parse_card,
    parse_hand,
    sort_hand,
)
from ramisim.errors import CardError

CODES = [*range(52), JOKER, *range(JOKER_AS, JOKER_AS + 52)]


def test_ids_are_suit_times_thirteen_plus_rank() -> None:
    assert [parse_card(rank + suit) for suit in SUITS for rank in RANKS] == list(range(52))


@pytest.mark.parametrize("code", CODES)
def test_names_read_back(code: int) -> None:
    assert parse_card(card_name(code)) == code
    assert parse_card(card_name(code).lower()) == code
    assert parse_card(card_sign(code)) == code


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("10H", "TH"),
        ("10h", "TH"),
        ("t♥", "TH"),
        ("10♦", "TD"),
        ("q♠", "QS"),
        ("A♣", "AC"),
        ("7♥\ufe0f", "7H"),
        (" 7h ", "7H"),
        ("jk", "Jk"),
        ("JK", "Jk"),
        ("JK=7h", "Jk=7H"),
        ("Jk=10♠", "Jk=TS"),
    ],
)
def test_other_spellings(text: str, name: str) -> None:
    assert card_name(parse_card(text)) == name


@pytest.mark.parametrize(
    "text", ["", "7", "H7", "1H", "7X", "77H", "11H", "Jk=", "Jk=Jk", "J", "7H7H", "joker", "0H"]
)
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(CardError, match="unknown card"):
        parse_card(text)


def test_a_number_is_no_card_text() -> None:
    with pytest.raises(CardError, match="not 7"):
        parse_card(7)  # type: ignore[arg-type]


@pytest.mark.parametrize("code", [-1, 53, 63, JOKER_AS + 53, 200])
def test_what_is_no_code_is_refused(code: int) -> None:
    with pytest.raises(CardError, match="is no card"):
        card_name(code)


def test_hands_are_read_from_a_text_or_a_list() -> None:
    hand = [parse_card(name) for name in ("5S", "TH", "Jk", "5S")]
    assert parse_hand("5S 10h  Jk\t5♠\n") == hand
    assert parse_hand(["5S", "TH", "Jk", "5S"]) == hand
    assert parse_hand("") == []


def test_a_joker_of_the_table_is_refused_in_a_hand() -> None:
    with pytest.raises(CardError, match="Jk=7H in a hand"):
        parse_hand("5S Jk=7H")


def test_twins_need_two_packs() -> None:
    hand = parse_hand("5S 7H 5S")
    check_cards(hand, packs=2, jokers=0)
    with pytest.raises(CardError, match="holds 5S twice, but one pack"):
        check_cards(hand, packs=1, jokers=2)


def test_jokers_are_counted_on_the_table_too() -> None:
    cards = [*parse_hand("Jk 7H"), JOKER_AS + 3, JOKER_AS + 4]
    check_cards(cards, packs=1, jokers=3)
    with pytest.raises(CardError, match="the table holds Jk 3 times"):
        check_cards(cards, packs=1, jokers=2, where="the table")


def test_french_names() -> None:
    codes = parse_hand("JC QD KH TS AS Jk")
    names = "V Trèfle, D Carreau, R Cœur, 10 Pique, A Pique, Joker"
    assert hand_name(codes, "fr") == names
    assert hand_name(codes) == "JC QD KH TS AS Jk"
    assert card_name(parse_card("Jk=QS"), "fr") == "Joker=D Pique"
    assert card_sign(parse_card("QS"), "fr") == "D♠"


@given(st.lists(st.sampled_from(CODES[:53])))
def test_texts_for_rich_hold_the_signs(codes: list[int]) -> None:
    assert cards_text(codes).plain == " ".join(map(card_sign, codes))


def test_hearts_and_diamonds_are_red() -> None:
    styles = [str(card_text(parse_card(f"7{sign}")).style) for sign in SUIT_SIGNS]
    assert ["red" in style for style in styles] == [False, True, True, False]


def test_output_that_is_no_terminal_is_plain() -> None:
    console = Console(width=80, force_terminal=False)
    with console.capture() as got:
        console.print(cards_text(parse_hand("7H Jk")))
    assert got.get() == "7♥ Jk\n"


def test_hands_are_shown_by_suit_and_rank() -> None:
    assert hand_name(sort_hand(parse_hand("Jk KS AH 2C"))) == "2C AH KS Jk"
