"""Every legal opening of a position: sets of disjoint melds, each once (ruling D39)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramisim.actions import Action, actions_of_rows
from ramisim.cards import JOKER_AS
from ramisim.errors import IllegalAction
from ramisim.kernels import bits, melds, state, turn, values

if TYPE_CHECKING:
    from ramisim.position import Position

__all__ = ["list_openings"]

_CARDS = 4


def list_openings(position: Position) -> list[Action]:
    """The ``open`` actions that are legal now; none where the rules know no opening."""
    rules, seen, hidden = position.rules, position._seen[0], position._hidden[0]
    record = rules.record()
    if rules.number("opening.points") <= 0 or seen["phase"] != state.PHASE_PLAY:
        return []
    seat = position.turn
    if seen["opened"][seat] or not turn.may_hit(seen, record):
        return []
    once, twice = hidden["once"][seat], hidden["twice"][seat]
    jokers = int(hidden["jokers"][seat])
    rows = np.zeros((1, state.ROW), np.int16)
    n = int(melds.list_melds(once, twice, jokers, record, rows, -1))
    rows = np.zeros((max(n, 1), state.ROW), np.int16)
    melds.list_melds(once, twice, jokers, record, rows, -1)
    return _Search(position, rows[:n]).run()


def _needs(row: Any) -> tuple[int, int, int]:
    """Cards a meld takes: masks of the first and second copies, number of jokers."""
    once = twice = jokers = 0
    for code in row[_CARDS : _CARDS + int(row[3])].tolist():
        if code >= JOKER_AS:
            jokers += 1
            continue
        bit = int(bits.CARD_BIT[code])
        twice |= once & bit
        once |= bit
    return once, twice, jokers


class _Search:
    """A walk over the sets of melds, in the order of the list; a bound by points cuts it."""

    def __init__(self, position: Position, rows: Any) -> None:
        self.position = position
        self.rows = rows
        record = position.rules.record()
        self.needs = [_needs(row) for row in rows]
        self.points = [
            int(
                values.meld_points(
                    record, int(row[1]), int(row[_CARDS]) % JOKER_AS % bits.RANKS, row[_CARDS:],
                    int(row[3]),
                )
            )
            for row in rows
        ]  # fmt: skip
        self.found: list[Action] = []

    def run(self) -> list[Action]:
        hidden, seat = self.position._hidden[0], self.position.turn
        held = (int(hidden["once"][seat]), int(hidden["twice"][seat]), int(hidden["jokers"][seat]))
        self._grow(0, [], held, 0)
        return self.found

    def _grow(self, start: int, chosen: list[int], held: tuple[int, int, int], points: int) -> None:
        if points >= self.position.rules.number("opening.points"):
            self._try(chosen)
        once, twice, jokers = held
        for k in range(start, len(self.rows)):
            need_once, need_twice, need_jokers = self.needs[k]
            if need_once & ~once or need_twice & ~twice or need_jokers > jokers:
                continue
            both = need_once & twice
            left = (
                once & ~((need_once & ~both) | need_twice),
                twice & ~need_once,
                jokers - need_jokers,
            )
            # Twins allow the same meld twice: the list goes on from the same place.
            self._grow(k, [*chosen, k], left, points + self.points[k])

    def _try(self, chosen: list[int]) -> None:
        rows = self.rows[chosen].copy()
        rows[:, 0] = state.OPEN
        rows[:, 2] = 0
        rows[-1, 2] = 1
        try:
            self.position._after(rows)
        except IllegalAction:
            return
        table = self.position._seen[0]
        self.found += actions_of_rows(rows, [table] * len(rows))
