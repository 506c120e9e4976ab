"""Replaying a game record action by action, against the rules, without the random generator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ramisim.cards import JOKER, parse_hand
from ramisim.errors import IllegalAction, RamisimError, RecordError
from ramisim.kernels import match, scoring
from ramisim.plurals import counted
from ramisim.position import Position
from ramisim.rules import Rules

__all__ = ["verify_game"]

Line = Mapping[str, Any]


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
    if not all(isinstance(line, Mapping) for line in lines):
        raise RecordError("a record line is a JSON object")
    if not lines or lines[0].get("record") != 1:
        raise RecordError("a game begins with a line whose 'record' is 1")
    header = lines[0]
    try:
        rules = Rules.load(header["rules"], header.get("override") or None)
        n = header["players"]
        if isinstance(n, bool) or not isinstance(n, int):
            raise RecordError(f"players {n!r}: a number")
        rules.check_players(n)
        names = header["strategies"]
        if not isinstance(names, list) or len(names) != n:
            raise RecordError(f"strategies {names!r}: one name for each of {n} seats")
    except KeyError as error:
        raise RecordError(f"the first line lacks {error}") from None
    except RamisimError as error:
        raise RecordError(str(error)) from None
    stopped = lines[-1].get("end") == "refused"
    if not stopped and lines[-1].get("end") != "game":
        raise RecordError("the record has no end line")
    totals = [0] * n
    reached = False
    pool = rules.number("score.pool")
    first = None
    rounds = lines[1:-1]
    for k, line in enumerate(rounds):
        where = f"round {k}"
        _same(line.get("round"), k, where, "number")
        if first is not None:
            _same(line.get("first_seat"), (first + 1) % n, where, "first seat")
        first = line.get("first_seat")
        try:
            pool = _Round(rules, n, pool, line, where).run(totals, stopped and k + 1 == len(rounds))
        except RecordError:
            raise
        except (KeyError, TypeError, IndexError, ValueError) as error:
            wrong = f"a field is missing or wrong ({error!r})"
            told = error if isinstance(error, RamisimError) else wrong
            raise RecordError(f"{where}: {told}") from None
        if stopped and k + 1 == len(rounds):
            _same(line.get("end"), None, where, "end of a game that was stopped")
            return
        over, reached = _match_over(rules, totals, k + 1, reached)
        if over != (k + 1 == len(rounds)):
            word = "goes on after its end" if over else "stops before its end"
            raise RecordError(f"{where}: the match {word}")
    if not rounds:
        raise RecordError("the record has no round")
    _same(lines[-1].get("totals"), totals, "end", "totals")
    winners = [s for s in range(n) if totals[s] == max(totals)]
    _same(lines[-1].get("winners"), winners, "end", "winners")


def _same(got: Any, expected: Any, where: str, what: str) -> None:
    if got != expected or isinstance(got, bool) != isinstance(expected, bool):
        raise RecordError(f"{where}: {what} {got!r}, but {expected!r} by the rules")


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
        cards = [card for hand in line["hands"] for card in hand]
        cards += [*line["discard"], *line["stock"]]
        counts = Counter(parse_hand(cards))
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
        if not all(isinstance(action, Mapping) for action in actions):
            raise RecordError(f"{where}: an action is a JSON object with its 'op'")
        if not stopped and (not actions or actions[-1].get("op") != "discard"):
            raise RecordError(f"{where}: a turn ends with its discard")
        for i, action in enumerate(actions):
            if action.get("op") == "discard" and i + 1 < len(actions):
                raise RecordError(f"{where}: an action after the discard")
            try:
                self.position = self.position.apply(action)
            except IllegalAction as error:
                raise RecordError(f"{where}, action {i} {dict(action)}: {error}") from None

    def _recycle(self, cards: Sequence[str], where: str) -> None:
        new = parse_hand(list(cards))
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
            raise RecordError(f"{self.where}: out {line['out']!r}, but {out!r} by the rules")
        _same(line["rami"], any(e["rami"] for e in data["out"]), self.where, "rami")
        score = position.score_round()
        _same(line["points"], score, self.where, "points")
        for seat in range(self.n):
            totals[seat] += score[seat]
        _same(line["totals"], totals, self.where, "totals")
        seen = position._seen[0]
        return int(scoring.next_pool(seen, self.rules.record()))
