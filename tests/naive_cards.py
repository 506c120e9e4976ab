"""Cards, rule values and the shape of melds, for the naive referee.

A card is its text as in the contracts: ``7H``, ``Jk`` in a hand, ``Jk=7H`` on the table.
Rules are a plain dict of key -> value. Nothing here comes from the engine under test.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations_with_replacement, pairwise, product
from pathlib import Path
from typing import Any

RANKS = "A23456789TJQK"
SUITS = "CDHS"
JOKER = "Jk"
DATA = Path(__file__).parent / "data"

Rules = Mapping[str, Any]
Meld = dict[str, Any]  # {"type": "set" | "run", "cards": [...]}

NOT_A_RUN = "not a run (one suit, consecutive, low to high)"


class CardError(ValueError):
    """A text that is no card."""


# --- cards ------------------------------------------------------------------------------


@cache
def read_card(text: str) -> str:
    """The contract's spelling of a card: ``10h`` -> ``TH``, ``7♥`` -> ``7H``."""
    word = text.strip()
    for sign, suit in zip("♣♦♥♠", SUITS, strict=True):
        word = word.replace(sign, suit)
    word = word.upper().replace("10", "T")
    if word == "JK":
        return JOKER
    if word.startswith("JK="):
        stands_for = read_card(word[3:])
        if not is_joker(stands_for):
            return f"{JOKER}={stands_for}"
    elif len(word) == 2 and word[0] in RANKS and word[1] in SUITS:
        return word
    raise CardError(f"{text!r} is not a card")


def read_hand(hand: str | Iterable[str]) -> list[str]:
    """The cards of a hand given as text or as a list."""
    return [read_card(card) for card in (hand.split() if isinstance(hand, str) else hand)]


@cache
def is_joker(card: str) -> bool:
    return card.startswith(JOKER)


@cache
def face(card: str) -> str:
    """The card it is, or the card the joker stands for."""
    return card[3:] if is_joker(card) else card


@cache
def in_hand(card: str) -> str:
    """The card as it was in the hand: a joker on the table is a plain joker there."""
    return JOKER if is_joker(card) else card


@cache
def rank(card: str) -> int:
    """Place of the rank from A = 0 to K = 12."""
    return RANKS.index(face(card)[0])


@cache
def suit(card: str) -> str:
    return face(card)[1]


@cache
def by_suit(card: str) -> tuple[int, bool]:
    """Sorting key for the cards of a set: C D H S, a natural before a joker of its suit."""
    return SUITS.index(suit(card)), is_joker(card)


# --- rules ------------------------------------------------------------------------------


@cache
def presets() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads((DATA / "presets.json").read_text())
    return found


def load_rules(rules: str | Rules, override: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Every key and value of a preset (or of a dict of rules) with the override on top."""
    if isinstance(rules, str) and rules not in presets():
        raise ValueError(f"no preset {rules!r}")
    values = dict(presets()[rules] if isinstance(rules, str) else rules)
    for key, value in (override or {}).items():
        if key not in values:
            raise ValueError(f"no rule key {key!r}")
        values[key] = value
    return values


def deck(rules: Rules) -> Counter[str]:
    """How often each card is in the deck."""
    cards = Counter({r + s: rules["deck.packs"] for r, s in product(RANKS, SUITS)})
    cards[JOKER] = rules["deck.jokers"]
    return +cards


# --- values -----------------------------------------------------------------------------


def hand_value(card: str, rules: Rules) -> int:
    """What a card left in hand costs."""
    if is_joker(card):
        joker: int = rules["values.joker_hand"]
        return joker
    if card[0] == "A":
        ace: int = rules["values.ace_hand"]
        return ace
    return rules["values.face"] if card[0] in "JQK" else rank(card) + 1


def deadwood(hand: Iterable[str], rules: Rules) -> int:
    return sum(hand_value(card, rules) for card in hand)


def natural_value(kind: str, cards: Sequence[str], place: int, rules: Rules) -> int:
    """Points of the natural card at a place of a meld.

    An ace that is first in a run is low, else it is high (D27).
    """
    letter = face(cards[place])[0]
    if letter == "A":
        where = "set" if kind == "set" else "low" if place == 0 else "high"
        value: int = rules[f"values.ace_{where}"]
        return value
    return rules["values.face"] if letter in "JQK" else rank(cards[place]) + 1


def place_value(kind: str, cards: Sequence[str], place: int, rules: Rules) -> int:
    """Points of the card at a place: a joker counts as the card replaced, or a fixed value."""
    if is_joker(cards[place]) and rules["values.joker_meld"] != "replaced":
        value: int = rules["values.joker_meld"]
        return value
    return natural_value(kind, cards, place, rules)


def meld_points(kind: str, cards: Sequence[str], rules: Rules, first_new: int = 0) -> int:
    """Points of the cards of a meld from place `first_new` on.

    Where a set counts as one card, its first three are worth one natural card together (D02).
    """
    if kind == "set" and rules["values.set_as_one"] and first_new == 0:
        return natural_value(kind, cards, 0, rules) + meld_points(kind, cards, rules, 3)
    return sum(place_value(kind, cards, place, rules) for place in range(first_new, len(cards)))


# --- the shape of a meld ----------------------------------------------------------------


def meld_fault(kind: str, cards: Sequence[str], rules: Rules) -> str | None:
    """Why these cards are not a meld of this type, None where they are one.

    `cards` as they stand on the table; the limits hold for the whole meld (D37).
    """
    if JOKER in cards:
        return "a joker must say which card it stands for"
    if len(cards) < 3:
        return "a meld has at least three cards"
    fault = _set_fault(cards, rules) if kind == "set" else _run_fault(cards, rules)
    if fault:
        return fault
    jokers = sum(is_joker(card) for card in cards)
    if len(cards) - jokers < rules["meld.min_naturals"]:
        return "too few natural cards"
    if 0 < rules["meld.max_jokers"] < jokers:
        return "too many jokers"
    return None


def _set_fault(cards: Sequence[str], rules: Rules) -> str | None:
    if len({rank(card) for card in cards}) > 1:
        return "not a set (one rank)"
    if rules["meld.set_distinct_suits"] and len({suit(card) for card in cards}) < len(cards):
        return "the suits of a set differ"
    return "set too large" if len(cards) > rules["meld.set_max"] else None


def _run_fault(cards: Sequence[str], rules: Rules) -> str | None:
    if len({suit(card) for card in cards}) > 1:
        return NOT_A_RUN
    ranks = [rank(card) for card in cards]
    steps = list(pairwise(ranks))
    if any((low + 1) % 13 != high for low, high in steps):
        return NOT_A_RUN
    ace = rules["meld.ace"]
    if ace == "low" and (12, 0) in steps:
        return NOT_A_RUN
    if ace == "high" and (0, 1) in steps:
        return NOT_A_RUN
    if ace == "both" and 0 in ranks[1:-1]:
        return NOT_A_RUN
    # 14 cards can only be A..K-A, also where runs wrap around (D27).
    if len(cards) > rules["meld.run_max"] or (len(cards) > 13 and ranks != [*range(13), 0]):
        return "run too long"
    if not rules["meld.adjacent_jokers"] and any(
        is_joker(left) and is_joker(right) for left, right in pairwise(cards)
    ):
        return "adjacent jokers"
    return None


# --- all melds of a hand ----------------------------------------------------------------


def enumerate_melds(hand: str | Iterable[str], rules: str | Rules) -> list[Meld]:
    """Every meld the hand can lay, each once, jokers declared."""
    values = load_rules(rules)
    found = _melds(tuple(sorted(read_hand(hand))), tuple(values.items()))
    return [{"type": kind, "cards": list(cards)} for kind, cards in found]


@lru_cache(maxsize=20_000)
def _melds(
    hand: tuple[str, ...], items: tuple[tuple[str, Any], ...]
) -> list[tuple[str, tuple[str, ...]]]:
    rules = dict(items)
    held = Counter(hand)
    sets = (("set", cards) for letter in RANKS for cards in _sets(letter, held, rules))
    runs = (("run", cards) for letter in SUITS for cards in _runs(letter, held, rules))
    return [
        (kind, cards)
        for kind, cards in [*sets, *runs]
        if Counter(map(in_hand, cards)) <= held and not meld_fault(kind, cards, rules)
    ]


def _sets(letter: str, held: Counter[str], rules: Rules) -> Iterable[tuple[str, ...]]:
    """All choices of cards of one rank, held or played by a joker, ordered by suit."""
    naturals = [letter + s for s in SUITS if held[letter + s]]
    jokers = [f"{JOKER}={letter}{s}" for s in SUITS] if held[JOKER] else []
    usable = sorted([*naturals, *jokers], key=by_suit)
    most = sum(held[card] for card in naturals) + held[JOKER]
    for size in range(3, min(most, rules["meld.set_max"]) + 1):
        yield from combinations_with_replacement(usable, size)


def _runs(letter: str, held: Counter[str], rules: Rules) -> Iterable[tuple[str, ...]]:
    """All sequences upwards from every rank, each place by the natural card or by a joker."""
    for start in range(13):
        growing: list[tuple[str, ...]] = [()]
        for length in range(1, rules["meld.run_max"] + 1):
            card = RANKS[(start + length - 1) % 13] + letter
            growing = [
                (*cards, choice)
                for cards in growing
                for choice in (card, f"{JOKER}={card}")
                if sum(in_hand(c) == in_hand(choice) for c in cards) < held[in_hand(choice)]
            ]
            if length >= 3:
                yield from growing


# --- the best melds of a hand -----------------------------------------------------------


def best_melds(
    hand: str | Iterable[str], rules: str | Rules, objective: str = "deadwood"
) -> dict[str, Any]:
    """The best disjoint melds of the hand alone: no table, no discard, no opening.

    Each card in turn stays in the hand or goes into one of the melds that hold it.
    """
    values = load_rules(rules)
    dearest: dict[tuple[str, ...], tuple[int, Meld]] = {}  # cards used -> the dearest meld
    for meld in enumerate_melds(hand, values):
        used = tuple(sorted(map(in_hand, meld["cards"])))
        points = meld_points(meld["type"], meld["cards"], values)
        if used not in dearest or points > dearest[used][0]:
            dearest[used] = (points, meld)
    holding: dict[str, list[tuple[Counter[str], int, Meld]]] = {}
    for used, (points, meld) in dearest.items():
        for card in set(used):
            holding.setdefault(card, []).append((Counter(used), points, meld))

    def rate(points: int, left: int) -> tuple[int, int]:
        return (-left, points) if objective == "deadwood" else (points, -left)

    @cache
    def best(cards: tuple[str, ...]) -> tuple[int, int, tuple[Any, ...]]:
        """Points, value left in hand and the melds as a chain, for what is still to decide."""
        if not cards:
            return 0, 0, ()
        points, left, melds = best(cards[1:])
        top = points, left + hand_value(cards[0], values), melds
        held = Counter(cards)
        for used, gain, meld in holding.get(cards[0], ()):
            if used <= held:
                points, left, melds = best(tuple(sorted((held - used).elements())))
                if rate(points + gain, left) > rate(*top[:2]):
                    top = points + gain, left, (meld, melds)
        return top

    points, left, chain = best(tuple(sorted(read_hand(hand))))
    melds = []
    while chain:
        melds.append(chain[0])
        chain = chain[1]
    return {"melds": melds, "deadwood": left, "points": points}
