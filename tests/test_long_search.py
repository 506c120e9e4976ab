"""Searches that took seconds and more before bounds and memory: the same ends, in few nodes."""

from __future__ import annotations

from typing import Any

import pytest

from ramisim.position import Objective, Position, scratch
from variants import Played, play_variant

FIRST_WINDOWS = {
    "deck.packs": 2, "deck.jokers": 5, "meld.set_distinct_suits": False, "meld.set_max": 14,
    "meld.run_max": 14, "meld.ace": "high", "meld.min_naturals": 2, "meld.max_jokers": 2,
    "opening.points": 48, "opening.pure_run": True, "lay_off.needs_opening": True,
    "joker.swap": False, "joker.set_swap": "any_missing", "values.ace_high": 26,
    "values.ace_set": 27, "values.ace_hand": 27, "values.face": 26, "values.joker_hand": 18,
    "values.set_as_one": True,
}  # fmt: skip
PURE_RUN = {
    "deck.jokers": 6, "meld.set_max": 14, "meld.run_max": 14, "meld.ace": "wrap",
    "meld.min_naturals": 0, "opening.points": 49, "opening.needs_run": True,
    "opening.pure_run": True, "lay_off.on": "own", "joker.swap_needs_opening": True,
    "joker.set_swap": "any_missing", "discard.policy": "optional", "discard.final": "optional",
    "score.swap_credit": "swapper",
}  # fmt: skip
DOUBLED = {
    "deck.packs": 2, "deck.jokers": 5, "meld.set_distinct_suits": False, "meld.set_max": 12,
    "meld.run_max": 10, "meld.ace": "wrap", "lay_off.on": "own", "joker.set_swap": "never",
    "joker.recovered": "replay_same_turn", "discard.policy": "optional",
    "discard.final": "optional", "values.ace_low": 28, "values.ace_high": 26,
    "values.ace_set": 6, "values.ace_hand": 18, "values.face": 24, "values.joker_hand": 18,
    "values.set_as_one": True,
}  # fmt: skip
LAYING_FIRST = {
    "deck.packs": 2, "deck.jokers": 8, "meld.set_max": 10, "meld.run_max": 6, "meld.ace": "wrap",
    "lay_off.needs_opening": True, "discard.policy": "optional", "discard.final": "optional",
    "values.ace_high": 21, "values.ace_set": 27, "values.ace_hand": 12, "values.face": 24,
    "values.joker_hand": 17, "score.swap_credit": "owner",
}  # fmt: skip
OPENS = (
    "AC 4C 6C 7C 8C 9C TC JC QC 2D 8D TD QD AH 2H 4H 9H KH AS 2S 4S 7S 9S JS QS AC QC 2D TD Jk Jk"
)
NO_RUN = "4C 9C JC 2D 4D 5D 9D AH 2H 4H 7H 9H QH AS 2S 6S 7S 9S QS Jk Jk Jk Jk"
OPENED = (
    "2C 4C 5C 7C TC JC QC KC 5D 6D 7D 8D 9D TD QD KD AH 2H 4H 5H 6H 7H 9H TH JH QH AS 4S JS KS "
    "5C 7C QC JH QH Jk"
)
FIRST_MELD = (
    "AC 5C 6C 9C TC JC QC KC AD 5D 6D 8D 9D TD JD KD AH 5H 8H 9H JH QH KH AS 5S 6S 8S 9S TS KC "
    "5D 9D TD 5H KH AS 8S 9S Jk"
)
CASES: list[tuple[dict[str, Any], str, Objective, int, int]] = [
    # Value, and nodes of the search before: 2.9, 2.8, 3.5, 10.8 and 2.0 million.
    (FIRST_WINDOWS, OPENS, "points", 294, 100_000),
    (FIRST_WINDOWS, OPENS, "deadwood", -7, 250_000),
    (PURE_RUN, NO_RUN, "cards", 1, 1_000),
    (DOUBLED, OPENED, "score", 413, 800_000),
    (LAYING_FIRST, FIRST_MELD, "score", 566, 400_000),
]


@pytest.mark.parametrize(("override", "hand", "objective", "value", "most_nodes"), CASES)
def test_long_searches_find_what_they_found_before(
    override: dict[str, Any], hand: str, objective: Objective, value: int, most_nodes: int
) -> None:
    position = Position.from_dict(
        {
            "rules": "rami500",
            "override": override,
            "hands": [hand.split(), ["3C"]],
            "stock": ["3D"],
            "phase": "play",
        }
    )
    best = position.best_play(objective)
    assert best["value"] == value
    assert scratch()[0]["work"][0]["nodes"] < most_nodes
    for action in best["actions"]:
        position = position.apply(action)


def test_a_player_is_content_with_the_best_end_of_so_many_nodes() -> None:
    position = Position.from_dict(
        {
            "rules": "rami500",
            "override": DOUBLED,
            "hands": [OPENED.split(), ["3C"]],
            "stock": ["3D"],
            "phase": "play",
        }
    )
    work = scratch()["work"][0]
    work["patience"] = 2_000
    try:
        content = position.best_play("score")
        assert work[0]["nodes"] == 2_001
        assert 200 < content["value"] < 413
        for action in content["actions"]:
            position = position.apply(action)
    finally:
        work["patience"] = 0


def test_hands_of_dozens_of_cards_are_played_on() -> None:
    # Without an end of patience one question of this match takes minutes.
    played = Played()
    play_variant(500257, played, 13, ["random", "first-legal", "greedy"])
    assert played.turns > 100
