"""The hands that take longest: those known, and a fresh look for worse ones.

The look climbs: the slowest of many dense hands, then one or two cards changed again and again,
keeping what is slower.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import thread_time, thread_time_ns
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ramisim.benchmarks.figures import Report, checked
from ramisim.cards import JOKER, card_name, parse_hand
from ramisim.rules import Rules

if TYPE_CHECKING:
    from ramisim.benchmarks.suite import Size

__all__ = ["KINDS", "WORST", "Kind", "look_for_worse", "nanoseconds", "worst"]

WORST: Final = Path(__file__).with_name("data") / "worst_hands.json"
"""The slowest hands known: kind, hand, its least deadwood."""
GOAL_MS: Final = 5.0
"""A few milliseconds at most for any hand of up to 20 cards with 4 jokers."""


@dataclass(frozen=True)
class Kind:
    """Hands among which the slowest is looked for.

    Parameters
    ----------
    rules : str
        A preset.
    cards : int
        Cards at most, jokers included.
    jokers : int
        Jokers at most.
    """

    rules: str
    cards: int
    jokers: int


KINDS: Final = {
    "10 cards, one pack, no joker": Kind("rami500", 10, 0),
    "10 cards, one pack, 2 jokers": Kind("rami500", 10, 2),
    "13 cards, two packs, 4 jokers": Kind("rami51", 13, 4),
    "20 cards, two packs, 4 jokers": Kind("rami51", 20, 4),
}


def worst(report: Report, size: Size) -> None:
    """Milliseconds of the slowest hands known, and of the slowest that a short look finds."""
    known = json.loads(WORST.read_text(encoding="utf-8"))
    for name, kind in KINDS.items():
        text, deadwood = known[name]["hand"], known[name]["deadwood"]
        with checked(f"slowest hand, {name}"):
            taken, found = nanoseconds(parse_hand(text), kind.rules, 1 if size.tiny else 9)
            assert found == deadwood
        report.add("worst", name, taken / 1e6, "ms", text, goal=GOAL_MS, better="less")
        hand, taken = look_for_worse(kind, 3 * size.seconds, 4)
        report.add("worst", f"{name}, a fresh look", taken / 1e6, "ms",
                   " ".join(map(card_name, hand)), goal=GOAL_MS, better="less")  # fmt: skip


@cache
def _rules(name: str) -> Rules:
    return Rules.load(name)


def nanoseconds(hand: Sequence[int], rules: str, times: int) -> tuple[float, int]:
    """Least time of `best_melds_many` for one hand, and the hand's least deadwood.

    Rows of suits with twins, kept from the time before, would hide what they cost.
    """
    from ramisim.kernels.bits import CARD_BIT
    from ramisim.melding import best_melds_many, fresh_scratch

    once = twice = 0
    for card in hand:
        if card != JOKER:
            twice |= once & int(CARD_BIT[card])
            once |= int(CARD_BIT[card])
    jokers = np.array([list(hand).count(JOKER)])
    masks = np.array([once], np.uint64), np.array([twice], np.uint64), jokers
    least, found = float("inf"), 0
    for _ in range(times):
        if twice:
            fresh_scratch()
        begun = thread_time_ns()
        found = int(best_melds_many(masks, _rules(rules), threads=1)["deadwood"][0])
        least = min(least, thread_time_ns() - begun)
    return least, found


def look_for_worse(kind: Kind, seconds: float, seed: int) -> tuple[list[int], float]:
    """The slowest hand found in so many seconds, and its nanoseconds."""
    rng = np.random.default_rng(seed)
    packs = _rules(kind.rules).number("deck.packs")
    begun, best, most = thread_time(), _dense(rng, kind, packs), 0.0
    stale = 0
    while thread_time() - begun < seconds:
        fresh = thread_time() - begun < seconds / 3 or stale > 300
        hand = _dense(rng, kind, packs) if fresh else _changed(rng, best, kind, packs)
        taken = nanoseconds(hand, kind.rules, 1)[0]
        if taken > most:
            # Once more: it may only have been disturbed.
            taken = min(taken, nanoseconds(hand, kind.rules, 3)[0])
        stale += 1
        if taken > most:
            best, most, stale = hand, taken, 0
    return sorted(best), most


def _dense(rng: Any, kind: Kind, packs: int) -> list[int]:
    """A hand from few ranks or few suits, with all its jokers."""
    n_suits, n_ranks = int(rng.integers(1, 5)), int(rng.integers(4, 14))
    low = int(rng.integers(0, 13))
    suits = rng.permutation(4)[:n_suits]
    cards = [13 * int(s) + (low + r) % 13 for s in suits for r in range(n_ranks)] * packs
    naturals = rng.permutation(cards)[: kind.cards - kind.jokers].tolist()
    return [*naturals, *[JOKER] * kind.jokers]


def _changed(rng: Any, hand: list[int], kind: Kind, packs: int) -> list[int]:
    """The hand with one or two cards changed, dropped or added."""
    changed = list(hand)
    for _ in range(int(rng.integers(1, 3))):
        at = int(rng.integers(0, len(changed) + 1))
        if at < len(changed) and rng.random() < 0.9:
            changed.pop(at)
        card = int(rng.integers(0, 53))
        limit = kind.jokers if card == JOKER else packs
        if len(changed) < kind.cards and changed.count(card) < limit:
            changed.append(card)
    return changed
