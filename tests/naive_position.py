"""A position as in the contracts, section 4: the cards, whose turn it is, what is still owed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from naive_cards import Rules, in_hand, load_rules, natural_value, place_value, read_card


@dataclass
class TableMeld:
    """A meld on the table: its cards with the seat that laid each, `by` who laid the meld."""

    id: str
    type: str
    by: int
    cards: list[tuple[str, int]]

    def faces(self) -> list[str]:
        return [card for card, _ in self.cards]


@dataclass
class Position:
    """All of contracts 4. `stock` has the next card first, `discard` the top card last."""

    name: str
    override: dict[str, Any]
    rules: Rules
    hands: list[list[str]]
    turn: int
    phase: str
    stock: list[str]
    discard: list[str]
    table: list[TableMeld]
    opened: list[bool]
    laid_before: list[bool]
    tour: int
    first_seat: int
    hit_open: bool
    recycles: int
    points: list[int]
    pool: int
    laid_now: bool = False
    must_use: str | None = None
    no_rethrow: str | None = None
    to_replay: int = 0
    out: list[dict[str, Any]] = field(default_factory=list)
    end: str | None = None

    @property
    def hand(self) -> list[str]:
        return self.hands[self.turn]

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> Position:
        """Only `hands` is needed; the rest is an untouched start with seat 0 to draw."""
        override = dict(d.get("override") or {})
        rules = load_rules(d.get("rules", "rami500"), override)
        seats = len(d["hands"])
        table = [
            TableMeld(m["id"], m["type"], m.get("by", _layer(m)), _placed(m))
            for m in d.get("table") or []
        ]
        return cls(
            name=d.get("rules", "rami500"),
            override=override,
            rules=rules,
            hands=[[read_card(card) for card in hand] for hand in d["hands"]],
            turn=d.get("turn", 0),
            phase=d.get("phase", "draw"),
            stock=[read_card(card) for card in d.get("stock") or []],
            discard=[read_card(card) for card in d.get("discard") or []],
            table=table,
            opened=list(d.get("opened") or [False] * seats),
            laid_before=list(d.get("laid_before") or [False] * seats),
            tour=d.get("tour", 1),
            first_seat=d.get("first_seat", 0),
            hit_open=d.get("hit_open", False),
            recycles=d.get("recycles", 0),
            points=list(d.get("points") or _points_on(table, seats, rules)),
            pool=d.get("pool", rules["score.pool"]),
            laid_now=d.get("laid_now", False),
            must_use=d.get("must_use"),
            no_rethrow=d.get("no_rethrow"),
            to_replay=d.get("to_replay", 0),
            out=deepcopy(d.get("out") or []),
            end=d.get("end"),
        )

    def to_dict(self) -> dict[str, Any]:
        d = {key: deepcopy(value) for key, value in vars(self).items() if key != "rules"}
        d["rules"] = d.pop("name")
        d["table"] = [
            {"id": m.id, "type": m.type, "by": m.by, "cards": [list(placed) for placed in m.cards]}
            for m in self.table
        ]
        return d

    def copy(self) -> Position:
        twin = Position(**vars(self))
        twin.hands = [list(hand) for hand in self.hands]
        twin.table = [TableMeld(m.id, m.type, m.by, list(m.cards)) for m in self.table]
        for name in ("stock", "discard", "opened", "laid_before", "points", "out"):
            setattr(twin, name, list(getattr(self, name)))
        return twin

    def all_cards(self) -> Counter[str]:
        """Every card of the round, wherever it is."""
        laid = [in_hand(card) for meld in self.table for card in meld.faces()]
        held = [card for hand in self.hands for card in hand]
        return Counter([*self.stock, *self.discard, *held, *laid])


def _placed(meld: Mapping[str, Any]) -> list[tuple[str, int]]:
    return [(read_card(card), seat) for card, seat in meld["cards"]]


def _layer(meld: Mapping[str, Any]) -> int:
    """Who laid a meld, where it is not said: the seat with most of its cards, first of equals."""
    seats = Counter(seat for _, seat in meld["cards"])
    seat: int = seats.most_common(1)[0][0]
    return seat


def _points_on(table: list[TableMeld], seats: int, rules: Rules) -> list[int]:
    """Points by seat as the table shows them; three cards that count as one are the layer's."""
    points = [0] * seats
    for meld in table:
        cards, start = meld.faces(), 0
        if meld.type == "set" and rules["values.set_as_one"]:
            points[meld.by] += natural_value("set", cards, 0, rules)
            start = 3
        for place in range(start, len(cards)):
            points[meld.cards[place][1]] += place_value(meld.type, cards, place, rules)
    return points
