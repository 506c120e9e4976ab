"""Replaying a game record action by action, against the rules, without the random generator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from ramisim.cards import JOKER
from ramisim.errors import IllegalAction, RamisimError, RecordError
from ramisim.kernels import match, scoring
from ramisim.plurals import counted
from ramisim.position import Position
from ramisim.record_shape import check_header, check_last_line, check_round, check_turn, read_cards
from ramisim.rules import Rules
from ramisim.told import told

__all__ = ["verify_game"]

Line = Mapping[str, Any]
_MOST_SHOWN: Final = 300


def verify_game(lines: Sequence[Line]) -> None:
    """Replay a game and compare everything the record says.

    Parameters
    ----------
    lines : sequence of dict
        As in contracts 5: the header, a line for each round, the end. A game that a strategy's
        answer stopped ends by ``{"end": "refused", ...}``; its last round and turn are not
        complete, and are replayed as far as they go.

    Raises
    ------
    RecordError
        What does not hold, and where.
    """
    if not isinstance(lines, Sequence) or not all(isinstance(line, Mapping) for line in lines):
        raise RecordError("a record line is a JSON object")
    if not lines:
        raise RecordError("a game begins with a line whose 'record' is 1")
    rules, n = _read_header(lines[0])
    check_last_line(lines[-1], n)
    stopped = lines[-1]["end"] == "refused"
    totals = [0] * n
    reached = False
    pool = rules.number("score.pool")
    first = 0
    rounds = lines[1:-1]
    for k, line in enumerate(rounds):
        where, last = f"round {k}", k + 1 == len(rounds)
        check_round(line, n, where, stopped and last)
        _same(line["round"], k, where, "number")
        if k:
            _same(line["first_seat"], (first + 1) % n, where, "first seat")
        first = line["first_seat"]
        pool = _Round(rules, n, pool, line, where).run(totals, stopped and last)
        if stopped and last:
            _same(line.get("end"), None, where, "end of a game that was stopped")
            return
        over, reached = _match_over(rules, totals, k + 1, reached)
        if over != last:
            word = "goes on after its end" if over else "stops before its end"
            raise RecordError(f"{where}: the match {word}")
    if not rounds:
        raise RecordError("the record has no round")
    _same(lines[-1]["totals"], totals, "end", "totals")
    winners = [s for s in range(n) if totals[s] == max(totals)]
    _same(lines[-1]["winners"], winners, "end", "winners")


def _read_header(header: Line) -> tuple[Rules, int]:
    """The rules and the number of seats."""
    check_header(header)
    n, names = header["players"], header["strategies"]
    try:
        rules = Rules.load(header["rules"], header.get("override"))
        rules.check_players(n)
    except RamisimError as error:
        raise RecordError(f"the first line: {error}") from None
    if len(names) != n:
        raise RecordError(
            f"the first line: 'strategies' is {told(names)}: one name for each of {n} seats is"
            " needed"
        )
    return rules, n


def _same(got: Any, expected: Any, where: str, what: str) -> None:
    got = list(got) if isinstance(got, tuple) else got
    if got != expected or isinstance(got, bool) != isinstance(expected, bool):
        found, right = told(got, _MOST_SHOWN), told(expected, _MOST_SHOWN)
        raise RecordError(f"{where}: {what} {found}, but {right} by the rules")


def _match_over(rules: Rules, totals: list[int], rounds: int, before: bool) -> tuple[bool, bool]:
    """Whether the match is over, and whether its end has been reached, perhaps by a tie."""
    from ramisim.kernels import state

    seen = np.zeros(1, state.SEEN)[0]
    seen["n_seats"] = len(totals)
    seen["totals"][: len(totals)] = totals
    reached = bool(match.end_is_reached(seen, rules.record(), rounds, before))
    return bool(match.match_is_over(seen, rules.record(), rounds, reached)), reached


class _Round:
    """The replay of one round."""

    def __init__(self, rules: Rules, n: int, pool: int, line: Line, where: str) -> None:
        self.rules, self.n, self.line, self.where = rules, n, line, where
        self._check_deal()
        try:
            self.position = Position.from_dict(
                {
                    "rules": rules,
                    "hands": line["hands"],
                    "stock": line["stock"],
                    "discard": line["discard"],
                    "turn": line["first_seat"],
                    "first_seat": line["first_seat"],
                    "pool": pool,
                }
            )
        except RamisimError as error:
            raise RecordError(f"{where}: {error}") from None

    def _check_deal(self) -> None:
        rules, line = self.rules, self.line
        counts: Counter[int] = Counter()
        for seat, hand in enumerate(line["hands"]):
            counts.update(read_cards(hand, f"{self.where}, hand {seat}"))
        for name in ("discard", "stock"):
            counts.update(read_cards(line[name], f"{self.where}, {name}"))
        packs, jokers = rules.number("deck.packs"), rules.number("deck.jokers")
        full = Counter(dict.fromkeys(range(52), packs))
        if jokers:
            full[JOKER] = jokers
        if counts != full:
            raise RecordError(f"{self.where}: the cards dealt are not the deck of {rules.name}")
        sizes = {len(hand) for hand in line["hands"]}
        if len(line["hands"]) != self.n or sizes != {rules.number("deal.hand_size")}:
            raise RecordError(
                f"{self.where}: {self.n} hands of "
                f"{counted(rules.number('deal.hand_size'), 'card')} are dealt"
            )
        _same(len(line["discard"]), int(bool(rules["deal.upcard"])), self.where, "upcards")

    def run(self, totals: list[int], stopped: bool) -> int:
        """Replay every turn, the last of a game that was ``stopped`` as far as it went."""
        turns = list(self.line["turns"])
        k = 0
        for i, turn in enumerate(turns):
            check_turn(turn, self.n, f"{self.where}, turn {i}")
        while k < len(turns):
            where = f"{self.where}, turn {k}"
            recycles = self.position.to_dict_field("recycles")
            self._turn(turns[k], where, stopped and k + 1 == len(turns))
            k += 1
            if self.position.to_dict_field("recycles") != recycles:
                if k >= len(turns) or "recycle" not in turns[k]:
                    raise RecordError(f"{where}: the new stock is missing")
                self._recycle(turns[k]["recycle"], f"{self.where}, turn {k}")
                k += 1
        return 0 if stopped else self._close(totals)

    def _turn(self, turn: Line, where: str, stopped: bool) -> None:
        if "recycle" in turn:
            raise RecordError(f"{where}: a recycling where the stock is not empty")
        if self.position.is_over():
            raise RecordError(f"{where}: the round is over")
        _same(turn["seat"], self.position.turn, where, "seat")
        actions = turn["actions"]
        if not stopped and (not actions or actions[-1].get("op") != "discard"):
            raise RecordError(f"{where}: a turn ends with its discard")
        for i, action in enumerate(actions):
            if action.get("op") == "discard" and i + 1 < len(actions):
                raise RecordError(f"{where}: an action after the discard")
            try:
                self.position = self.position.apply(action)
            except IllegalAction as error:
                shown = told(action, _MOST_SHOWN)
                raise RecordError(f"{where}, action {i} {shown}: {error}") from None

    def _recycle(self, cards: Sequence[str], where: str) -> None:
        new = read_cards(cards, where)
        old = self.position.stock_ids()
        if Counter(new) != Counter(old):
            raise RecordError(f"{where}: the new stock is not the old pile")
        if self.rules["round.recycle"] == "flip" and new != old:
            raise RecordError(f"{where}: the pile is turned over, not shuffled")
        self.position = self.position.with_stock(new)

    def _close(self, totals: list[int]) -> int:
        line, position = self.line, self.position
        if not position.is_over():
            raise RecordError(f"{self.where}: the record stops before the end of the round")
        data = position.to_dict()
        _same(line["end"], data["end"], self.where, "end")
        out = [entry["seat"] for entry in data["out"]]
        if sorted(line["out"]) != sorted(out):
            raise RecordError(f"{self.where}: out {told(line['out'])}, but {out} by the rules")
        _same(line["rami"], any(e["rami"] for e in data["out"]), self.where, "rami")
        score = position.score_round()
        _same(line["points"], score, self.where, "points")
        for seat in range(self.n):
            totals[seat] += score[seat]
        _same(line["totals"], totals, self.where, "totals")
        seen = position._seen[0]
        return int(scoring.next_pool(seen, self.rules.record()))
