"""Random legal games played by the naive referee, as positions or as game records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from random import Random
from typing import Any

from naive_cards import deck, load_rules
from naive_position import Position
from naive_record import Match, pool_after, score_of
from naive_turn import apply_action, is_legal, legal_actions, opening_choices


def deal(
    name: str, override: Mapping[str, Any], players: int, rng: Random, **fields: Any
) -> dict[str, Any]:
    """A shuffled deck dealt out, as a position before the first draw."""
    rules = load_rules(name, override)
    cards = list(deck(rules).elements())
    rng.shuffle(cards)
    size = rules["deal.hand_size"]
    hands = [cards[seat * size : (seat + 1) * size] for seat in range(players)]
    rest = cards[players * size :]
    if len(rest) <= rules["deal.upcard"]:
        raise ValueError("more cards dealt than the deck holds")
    upcard = [rest.pop()] if rules["deal.upcard"] else []
    start = {"rules": name, "override": dict(override), "hands": hands, "turn": 0}
    return {**start, "discard": upcard, "stock": rest, **fields}


def random_action(p: Position, rng: Random) -> dict[str, Any]:
    """A legal action, plays and deep takes more often than one by chance alone."""
    choices = (a for a in opening_choices(p, minimal=True) if is_legal(p, a))
    openings = list(islice(choices, 5))
    actions = legal_actions(p)
    if p.phase == "draw" and rng.random() < 0.3:
        return max(actions, key=lambda action: action.get("n", 0))
    plays = openings + [action for action in actions if action["op"] != "discard"]
    return rng.choice(plays if plays and rng.random() < 0.7 else openings + actions)


def random_round(
    start: Mapping[str, Any], rng: Random
) -> Iterator[tuple[Position, dict[str, Any]]]:
    """Each position of a round with the action taken there, until the round is over."""
    p = Position.from_dict(start)
    while p.phase != "over":
        action = random_action(p, rng)
        yield p, action
        p = apply_action(p, action)


def random_record(
    name: str, override: Mapping[str, Any], players: int, seed: int
) -> list[dict[str, Any]]:
    """The record of a whole match; stocks are recycled in pile order."""
    rng, rules = Random(seed), load_rules(name, override)
    header = {"record": 1, "engine": "naive", "rules": name, "override": dict(override)}
    header |= {"players": players, "seed": seed, "deal": 0, "rotation": 0}
    lines: list[dict[str, Any]] = [{**header, "strategies": ["random"] * players}]
    match, pool, first = Match(rules, players), rules["score.pool"], rng.randrange(players)
    while not match.is_over():
        start = deal(name, override, players, rng, first_seat=first, turn=first, pool=pool)
        line: dict[str, Any] = {"round": match.rounds, "first_seat": first}
        line |= {key: start[key] for key in ("hands", "discard", "stock")}
        p = Position.from_dict(start)
        line["turns"] = []
        for before, action in random_round(start, rng):
            if before.phase == "draw":
                line["turns"].append({"seat": before.turn, "actions": []})
            line["turns"][-1]["actions"].append(action)
            p = apply_action(before, action)
            if p.recycles > before.recycles:
                line["turns"].append({"recycle": list(p.stock)})
        points = score_of(p)
        match.add(points)
        line |= {"end": p.end, "out": [entry["seat"] for entry in p.out]}
        line |= {"rami": any(entry["rami"] for entry in p.out)}
        lines.append({**line, "points": points, "totals": match.totals})
        pool, first = pool_after(p), (first + 1) % players
    lines.append({"end": "game", "totals": match.totals, "winners": match.winners()})
    return lines
