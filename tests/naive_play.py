"""The best way to end a turn, found by trying every sequence of plays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from naive_cards import deadwood, rank
from naive_position import Position
from naive_turn import (
    Action,
    Illegal,
    discard_fault,
    discards,
    opening_choices,
    orders,
    play,
    plays,
    turn_key,
)

OBJECTIVES = ("points", "score", "deadwood", "cards")

Values = dict[str, int]  # by objective; empty where the turn cannot be completed
Memo = dict[Any, Values]


def best_of_turn(p: Position, objective: str, memo: Memo | None = None) -> dict[str, Any]:
    """The best legal way to end the turn from here, {actions, value}.

    A memo may be shared between the objectives of one position.
    """
    if objective not in OBJECTIVES:
        raise ValueError(f"no objective {objective!r}")
    memo = {} if memo is None else memo
    value = best_values(p, memo)[objective]
    actions: list[dict[str, Any]] = []
    state, wanted = p, value
    while not actions or actions[-1]["op"] != "discard":
        action, state_after = next(
            (action, after)
            for action, reached, after in options(state, memo)
            if reached.get(objective) == wanted
        )
        wanted -= _paid(state, state_after)[objective]
        actions.append(action)
        state = state_after
    return {"actions": actions, "value": value + (len(p.hand) if objective == "cards" else 0)}


def best_values(p: Position, memo: Memo) -> Values:
    """The best that can still be had for each objective; `cards`: minus the cards left.

    The search ends: a lay or a lay-off makes the hand smaller, a swap makes a natural card of
    it a joker, and no play does the reverse. A joker laid and swapped out again pays again.
    """
    key = turn_key(p)
    if key not in memo:
        best: Values = {}
        for _, reached, _ in options(p, memo):
            for objective, value in reached.items():
                best[objective] = max(value, best.get(objective, value))
        memo[key] = best
    return memo[key]


def options(p: Position, memo: Memo) -> Iterator[tuple[dict[str, Any], Values, Position]]:
    """Every next action of the turn, the best it leads to, and the position after it."""
    for action in discards(p):
        if discard_fault(p, action["card"]) is None:
            yield action, _value_of_end(p, action), play(p, action)
    for action in all_plays(p):
        try:
            q = play(p, action)
        except Illegal:
            continue
        paid = _paid(p, q)
        yield action, {o: paid[o] + value for o, value in best_values(q, memo).items()}, q


def _paid(before: Position, after: Position) -> Values:
    gain = after.points[before.turn] - before.points[before.turn]
    return {"points": gain, "score": gain, "deadwood": 0, "cards": 0}


def _value_of_end(p: Position, discard: Action) -> Values:
    left = list(p.hand)
    if discard["card"] is not None:
        left.remove(discard["card"])
    cost = deadwood(left, p.rules)
    return {"points": 0, "score": -cost, "deadwood": -cost, "cards": -len(left)}


def all_plays(p: Position) -> Iterator[dict[str, Any]]:
    """Plays of which every other is a sequence: the smallest openings, lay-offs one by one."""
    for action in plays(p):
        if action["op"] == "lay":
            yield from ({"op": "lay", **meld} for meld in orders(p.rules, action))
        else:
            yield action
    yield from opening_choices(p, minimal=True)
    if p.rules["meld.ace"] == "wrap":
        yield from _aces_under_kings(p)


def _aces_under_kings(p: Position) -> Iterator[dict[str, Any]]:
    """K-A put together below a 2: the ace is high, where one laid off before the K is low (D27)."""
    for meld in p.table:
        if meld.type == "run" and rank(meld.faces()[0]) == 1:
            letter = meld.faces()[0][-1]
            for king in (f"K{letter}", f"Jk=K{letter}"):
                for ace in (f"A{letter}", f"Jk=A{letter}"):
                    yield {"op": "lay_off", "meld": meld.id, "cards": [king, ace], "end": "low"}
