"""One position at a time: the friendly face of the turn kernels.

`Position` reads and writes the dict of contracts 4, lists and applies actions, counts sequences
and finds the best end of a turn. It is the same engine that plays the batches.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ramisim.actions import Action, action_of_row, actions_of_rows, rows_of_action
from ramisim.errors import CardError, IllegalAction, PositionError
from ramisim.given import whole_number
from ramisim.kernels import finish, state, turn
from ramisim.kernels.box import new_boxes
from ramisim.position_dict import read_position, write_position
from ramisim.reasons import CANNOT_COMPLETE, reason_text
from ramisim.rules import Rules
from ramisim.whole import whole

__all__ = ["Objective", "Position", "scratch"]

Objective = Literal["points", "score", "deadwood", "cards"]
_OBJECTIVES: Final = {"points": 0, "score": 1, "deadwood": 2, "cards": 3}
_threads = threading.local()


def scratch() -> npt.NDArray[np.void]:
    """The kernels' scratch of this thread, an array of one."""
    boxes: npt.NDArray[np.void] | None = getattr(_threads, "boxes", None)
    if boxes is None:
        boxes = _threads.boxes = new_boxes()
    return boxes


def _rows(n: int) -> npt.NDArray[np.int16]:
    kept: npt.NDArray[np.int16] | None = getattr(_threads, "rows", None)
    if kept is None or len(kept) < n:
        kept = _threads.rows = np.zeros((n, state.ROW), np.int16)
    return kept


class Position:
    """A round at one moment. Immutable: `apply` gives a new one.

    Examples
    --------
    >>> p = Position.from_dict({"rules": "rami500", "hands": [["7S", "7C", "2C"], ["4C"]],
    ...                         "stock": ["7D", "9C"], "discard": ["KH"]})
    >>> p = p.apply({"op": "draw_stock"})
    >>> p.best_play("points")["value"]
    21
    """

    __slots__ = ("_hidden", "_seen", "rules")

    def __init__(
        self, rules: Rules, seen: npt.NDArray[np.void], hidden: npt.NDArray[np.void]
    ) -> None:
        self.rules = rules
        self._seen = seen
        self._hidden = hidden

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Position:
        """Read a position (contracts 4); only ``hands`` is needed, rules default to rami500.

        Raises
        ------
        PositionError, CardError, RulesError
            An unknown field, a card the packs do not hold, a seat that does not exist, ...
        """
        rules, seen, hidden = read_position(data)
        return cls(rules, seen, hidden)

    def to_dict(self) -> dict[str, Any]:
        """The position with every field of contracts 4; `from_dict` reads it back."""
        return write_position(self.rules, self._seen[0], self._hidden[0])

    def __repr__(self) -> str:
        seen = self._seen[0]
        phase = ("draw", "play", "over")[int(seen["phase"])]
        return f"<Position {self.rules.name}, seat {seen['turn']}, phase {phase}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    @property
    def turn(self) -> int:
        """Seat on turn."""
        return int(self._seen[0]["turn"])

    def to_dict_field(self, name: str) -> int:
        """One counter of the position, such as ``recycles`` or ``tour``."""
        return int(self._seen[0][name])

    def stock_ids(self) -> list[int]:
        """Card ids of the stock, next card first."""
        seen, hidden = self._seen[0], self._hidden[0]
        begin = int(hidden["stock_next"])
        return [int(c) for c in hidden["stock"][begin : begin + int(seen["n_stock"])]]

    def with_stock(self, cards: list[int]) -> Position:
        """The position with the same stock in another order, as a driver shuffles it."""
        held = [whole(card) for card in cards] if isinstance(cards, Iterable) else None
        if held is None or None in held or Counter(held) != Counter(self.stock_ids()):
            raise PositionError("another order of the stock needs the same cards")
        hidden = self._hidden.copy()
        begin = int(hidden[0]["stock_next"])
        hidden[0]["stock"][begin : begin + len(held)] = held
        return Position(self.rules, self._seen, hidden)

    def points(self) -> list[int]:
        """Points laid so far, by seat."""
        seen = self._seen[0]
        return [int(x) for x in seen["points"][: seen["n_seats"]]]

    def is_over(self) -> bool:
        """Whether the round has ended."""
        return bool(self._seen[0]["phase"] == state.PHASE_OVER)

    def score_round(self) -> list[int]:
        """Points of the finished round, by seat (``score.*`` keys).

        Raises
        ------
        PositionError
            The round is not over.
        """
        if not self.is_over():
            raise PositionError("the round is not over: it has no score yet")
        n = int(self._seen[0]["n_seats"])
        out = np.zeros((3, state.MAX_SEATS), np.int64)
        finish.score_of(self._seen, self._hidden, self.rules.record(), out)
        return [int(x) for x in out[2, :n]]

    def legal_actions(self) -> list[Action]:
        """Every legal action once, openings left out (contracts 3)."""
        n = 4096
        while True:
            rows = _rows(n)
            found = finish.list_legal_of(
                self._seen, self._hidden, self.rules.record(), rows, scratch()
            )
            if found <= len(rows):
                break
            n = int(found) * 2
        table = self._seen[0]
        return [action_of_row(row, table) for row in rows[:found]]

    def openings(self) -> list[Action]:
        """Every ``open`` action that is legal now: sets of disjoint melds (ruling D39)."""
        from ramisim.openings import list_openings

        return list_openings(self)

    def refusal(self, action: Mapping[str, Any]) -> str | None:
        """Why an action would be refused, or None for a legal one."""
        try:
            self.apply(action)
        except IllegalAction as refused:
            return str(refused)
        return None

    def apply(self, action: Mapping[str, Any]) -> Position:
        """The position after an action.

        Raises
        ------
        IllegalAction
            With the reason; this position stays as it was.
        """
        try:
            rows = rows_of_action(action, self._seen[0])
        except CardError as error:
            raise IllegalAction(str(error)) from None
        return self._after(rows)

    def _after(self, rows: npt.NDArray[np.int16]) -> Position:
        seen = self._seen.copy()
        hidden = self._hidden.copy()
        record = self.rules.record()
        reason, about = finish.try_rows(seen, hidden, record, rows, len(rows), scratch())
        if reason == finish.CANNOT_COMPLETE:
            raise IllegalAction(CANNOT_COMPLETE)
        if reason != 0:
            raise IllegalAction(reason_text(int(reason), int(about), self.rules))
        return Position(self.rules, seen, hidden)

    def perft(self, depth: int) -> int:
        """Number of legal action sequences of a length (contracts 4)."""
        depth = whole_number("depth", depth, 0, 100, PositionError)
        seens = np.zeros(depth + 1, state.SEEN)
        hiddens = np.zeros(depth + 1, state.HIDDEN)
        seens[0] = self._seen[0]
        hiddens[0] = self._hidden[0]
        record, found, most = self.rules.record(), -1, 4096
        while found < 0:
            rows = np.zeros((depth + 1, most, state.ROW), np.int16)
            found = int(finish.count_sequences(seens, hiddens, record, depth, rows, scratch()))
            most *= 4
        return found

    def best_play(self, objective: Objective = "points") -> dict[str, Any]:
        """The best legal way to end the turn, discard included (contracts 4).

        Parameters
        ----------
        objective : {"points", "score", "deadwood", "cards"}
            Points laid this turn; those less the value of the hand after the discard; less that
            value alone; cards that leave the hand.

        Returns
        -------
        dict
            ``actions``, legal in this order, and the ``value`` they reach.

        Raises
        ------
        PositionError
            An unknown objective, or a position that is not in phase ``play``.
        """
        if not isinstance(objective, str) or objective not in _OBJECTIVES:
            raise PositionError(f"objective {objective!r}: one of {', '.join(_OBJECTIVES)}")
        if self._seen[0]["phase"] != state.PHASE_PLAY:
            raise PositionError("best_play needs a position in phase play: draw first")
        actions, value = self.best_rows(_OBJECTIVES[objective])
        return {"actions": actions, "value": value}

    def best_rows(self, objective: int) -> tuple[list[Action], int]:
        """The best end of the turn by a kernel objective: its actions and its value."""
        boxes = scratch()
        n = finish.best_end_of(self._seen, self._hidden, self.rules.record(), objective, boxes)
        if n == 0:
            raise PositionError("this turn cannot be completed legally")
        work = boxes[0]["work"][0]
        value = int(work["best"])
        return self._dicts(work["rows"][:n].copy()), value

    def _dicts(self, rows: npt.NDArray[np.int16]) -> list[Action]:
        """Rows played from here, as dicts."""
        seen = self._seen.copy()
        hidden = self._hidden.copy()
        tables = []
        for row in rows:
            tables.append(seen[0].copy())
            turn.apply_row(seen[0], hidden[0], self.rules.record(), row)
        return actions_of_rows(rows, tables)
