"""The naive referee: every rule in plain Python, to be read beside the rules and the contracts.

It shares nothing with the engine. Positions, actions, melds and records are the dicts of the
contracts, rules a preset's name or a dict of key -> value, hands a text or a list of cards.
The rooms: `naive_cards` (cards, values, melds), `naive_position`, `naive_turn` (legal actions, what
ends a turn), `naive_play` (the best turn), `naive_record` (scores, matches, records).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import naive_turn
from naive_cards import (
    best_melds,
    deadwood,
    deck,
    enumerate_melds,
    load_rules,
    read_card,
    read_hand,
)
from naive_play import OBJECTIVES, best_of_turn
from naive_position import Position
from naive_record import BadRecord, Match, pool_after, score_of, start_of_round, verify
from naive_turn import Action, Illegal

__all__ = [
    "OBJECTIVES",
    "BadRecord",
    "Illegal",
    "Match",
    "Position",
    "all_cards",
    "apply",
    "best_melds",
    "best_play",
    "best_plays",
    "canonical",
    "deadwood",
    "deck",
    "enumerate_melds",
    "is_over",
    "legal_actions",
    "load_rules",
    "next_pool",
    "normal",
    "openings",
    "perft",
    "points",
    "read_card",
    "read_hand",
    "refusal",
    "same_actions",
    "score_round",
    "start_of_round",
    "verify",
]

Dict = Mapping[str, Any]


def normal(position: Dict) -> dict[str, Any]:
    """The position with every field of the contract written out."""
    return Position.from_dict(position).to_dict()


def legal_actions(position: Dict) -> list[dict[str, Any]]:
    return naive_turn.legal_actions(Position.from_dict(position))


def openings(position: Dict) -> list[dict[str, Any]]:
    return naive_turn.openings(Position.from_dict(position))


def apply(position: Dict, *actions: Action) -> dict[str, Any]:
    """The position after the actions; Illegal with the reason where one is refused."""
    p = Position.from_dict(position)
    for action in actions:
        p = naive_turn.apply_action(p, action)
    return p.to_dict()


def refusal(position: Dict, action: Action) -> str | None:
    """Why the action is refused, None where it is legal."""
    try:
        apply(position, action)
    except Illegal as illegal:
        return illegal.reason
    return None


def perft(position: Dict, depth: int) -> int:
    return naive_turn.perft(Position.from_dict(position), depth)


def points(position: Dict) -> list[int]:
    """Points laid so far, by seat."""
    return Position.from_dict(position).points


def is_over(position: Dict) -> bool:
    return Position.from_dict(position).phase == "over"


def score_round(position: Dict) -> list[int]:
    return score_of(Position.from_dict(position))


def next_pool(position: Dict) -> int:
    """The pool of the deal that follows a round that is over."""
    return pool_after(Position.from_dict(position))


def best_play(position: Dict, objective: str) -> dict[str, Any]:
    return best_of_turn(Position.from_dict(position), objective)


def best_plays(position: Dict) -> dict[str, dict[str, Any]]:
    """`best_play` for every objective, by one search."""
    p = Position.from_dict(position)
    memo: dict[Any, Any] = {}
    return {objective: best_of_turn(p, objective, memo) for objective in OBJECTIVES}


def all_cards(position: Dict) -> list[str]:
    """Every card of the position, wherever it is, sorted."""
    return sorted(Position.from_dict(position).all_cards().elements())


def canonical(action: Action) -> str:
    """Equal for two actions that differ only in the order of melds or of a set's cards."""
    plain = dict(action)
    if plain.get("type") == "set":
        plain["cards"] = sorted(plain["cards"])
    if "melds" in plain:
        plain["melds"] = sorted(map(canonical, plain["melds"]))
    return json.dumps(plain, sort_keys=True)


def same_actions(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> bool:
    """Whether two lists hold the same actions, each as often, in any order."""
    return sorted(map(canonical, one)) == sorted(map(canonical, other))
