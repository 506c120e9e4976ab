"""A match driven from Python, turn by turn: what the batches play, one question at a time.

The kernels are those of the batches, and so are the games. This is how games are recorded and
explained, and how a strategy of plain Python is asked at all.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ramisim.errors import IllegalAction, RamisimError, StrategyError
from ramisim.kernels import asking, match, scoring, state
from ramisim.time_limit import TooLong, limited

if TYPE_CHECKING:
    from ramisim.engine import Engine, Workspace

__all__ = [
    "LoggedRound",
    "LoggedTurn",
    "Match",
    "Refused",
    "given_to",
    "plain_answer",
    "play_plain",
    "told",
]

QUESTIONS: Final = ("draw", "plays", "discard")
_OURS: Final = ("ramisim", "numba", "kernels", "numpy")


class _Given(np.record):  # type: ignore[misc]
    """A record as compiled code sees it: its small integers are wide enough for any sum."""

    def __getattribute__(self, name: str) -> Any:
        names = super().__getattribute__("dtype").names
        if name not in names:
            return super().__getattribute__(name)
        value = self[name]  # fields first: NumPy has a size and a round of its own
        return int(value) if type(value) is np.int32 else value


_SEEN: Final = np.dtype((_Given, state.SEEN))
_HAND: Final = np.dtype((_Given, state.HAND))
_RULES: Final = np.dtype((_Given, state.RULES))


class Refused(Exception):  # noqa: N818 - caught and told as a StrategyError, with the record
    """A strategy raised, or its answer was refused; the match stands where it was."""

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(reason)
        self.seat = seat
        self.reason = reason


@dataclass
class LoggedTurn:
    """Rows of a turn, whose it was, and the stock after it where it was recycled."""

    seat: int
    rows: npt.NDArray[np.int16]
    recycled: npt.NDArray[np.uint8] | None = None


@dataclass
class LoggedRound:
    """A round as dealt (SEEN[1], HIDDEN[1]), its turns, and how it ended."""

    number: int
    seen: npt.NDArray[np.void]
    hidden: npt.NDArray[np.void]
    turns: list[LoggedTurn] = field(default_factory=list)
    last_seen: npt.NDArray[np.void] | None = None
    points: list[int] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)


class Match:
    """One match of an engine's strategies.

    Parameters
    ----------
    engine : Engine
    work : Workspace
        Not shared with another thread.
    deal : int
    seating : sequence of int
        Strategy of each seat, by its place in the engine.
    rotation : int
        Number of that seating.
    rounds : bool
        Keep ROUND_ROW[seats] of each round.
    """

    def __init__(
        self,
        engine: Engine,
        work: Workspace,
        deal: int,
        seating: Sequence[int],
        rotation: int = 0,
        rounds: bool = False,
    ) -> None:
        self.engine = engine
        self.work = work
        self.deal = np.uint64(deal)
        self.seating = list(seating)
        self.rules = engine.rules.record()
        self.seen, self.hidden = work.seens[0], work.hiddens[0]
        self.pool = engine.rules.number("score.pool")
        self.log: list[LoggedRound] = []
        self.reached = False
        self.rotation = rotation
        self.rounds: list[npt.NDArray[np.void]] | None = [] if rounds else None
        self.seen["totals"] = 0
        work.numbers[3:6] = 0

    def play(self, watch: Callable[[Match], None] | None = None) -> None:
        """Play to the end; ``watch`` is called before each turn.

        Raises
        ------
        Refused
            A strategy raised, or its answer was refused.
        """
        while not self._is_over():
            self._start_round()
            while self.seen["phase"] != state.PHASE_OVER:
                if watch is not None:
                    watch(self)
                self._play_turn()
            self._close_round()

    def follow(self, log: npt.NDArray[np.int16]) -> None:
        """Go through the actions of `Engine.actions` instead of asking anybody."""
        ends = np.flatnonzero(log[:, 0] == state.DISCARD) + 1
        turns = np.split(log, ends[:-1])
        at = 0
        while not self._is_over():
            self._start_round()
            while self.seen["phase"] != state.PHASE_OVER:
                seat, recycles = int(self.seen["turn"]), int(self.seen["recycles"])
                match.follow(self.work.seens, self.work.hiddens, self.rules, turns[at])
                self._keep_turn(seat, turns[at], recycles)
                at += 1
            self._close_round()

    def _is_over(self) -> bool:
        n = len(self.log)
        return n > 0 and bool(match.match_is_over(self.seen, self.rules, n, self.reached))

    def _start_round(self) -> None:
        work, n, number = self.work, len(self.seating), len(self.log)
        match.start_round(
            self.seen, self.hidden, self.rules, self.engine.seed, self.deal, number, work.deck,
            n, number % n, self.pool,
        )  # fmt: skip
        asking.clear_tally(work.tallies[0], self.hidden, n)
        work.key[:3] = (int(self.engine.seed), int(self.deal), number)
        self.log.append(LoggedRound(number, work.seens.copy(), work.hiddens.copy()))

    def _play_turn(self) -> None:
        work, seen = self.work, self.seen
        seat, recycles = int(seen["turn"]), int(seen["recycles"])
        player = self.seating[seat]
        work.key[3] = self.engine.idents[player]
        turns = self.log[-1].turns
        try:
            n = self._ask(player)
        except StrategyError as error:
            reason = str(error)
        except (Exception, SystemExit) as error:  # a strategy may raise anything
            reason = self._told(error, player, QUESTIONS[int(work.faults[0]["asked"])])
        else:
            self._keep_turn(seat, work.rows[:n].copy(), recycles)
            return
        turns.append(LoggedTurn(seat, work.rows[: int(work.faults[0]["played"])].copy()))
        raise Refused(seat, reason)

    def _keep_turn(self, seat: int, rows: npt.NDArray[np.int16], recycles: int) -> None:
        """Note a turn that has been played, and shuffle the stock if it was recycled."""
        seen, hidden = self.seen, self.hidden
        kept = LoggedTurn(seat, rows)
        self.log[-1].turns.append(kept)
        if match.shuffle_recycled(seen, hidden, self.rules, self.engine.seed, self.deal, recycles):
            begin = int(hidden["stock_next"])
            kept.recycled = hidden["stock"][begin : begin + int(seen["n_stock"])].copy()

    def _ask(self, player: int) -> int:
        work, engine = self.work, self.engine
        if engine.strategies[player].compiled:
            n = asking.play_turn(
                self.seen, self.hidden, self.rules, engine.asks, player, engine.params[player],
                work.key, work.box, work.tallies[0], work.faults[0], work.rows,
            )  # fmt: skip
        else:
            n = _play_plain_turn(self, player)
        if n < 0:
            from ramisim.reasons import refusal_text

            raise StrategyError(refusal_text(work.faults[0], work.rows, engine.rules))
        return int(n)

    def _told(self, error: BaseException, player: int, question: str) -> str:
        """What a strategy raised, and where in its file: compiled code does not say that."""
        function = getattr(self.engine.strategies[player], "own_functions", {}).get(question)
        if function is None:
            return told(error, question)
        given = _given(self.engine, self.work, player)
        rows = [self.work.rows[1:].copy()] if question == "plays" else []
        try:
            with np.errstate(all="ignore", divide="raise"):
                function(*given, *rows)
        except Exception as again:
            return told(error, question, again)
        return told(error, question)

    def _close_round(self) -> None:
        seen, work, n = self.seen, self.work, len(self.seating)
        scoring.score_round(
            seen, self.hidden, self.rules, work.numbers[0], work.numbers[1], work.numbers[2]
        )
        played = self.log[-1]
        played.last_seen = work.seens.copy()
        played.points = [int(x) for x in work.numbers[2, :n]]
        self.pool = int(scoring.next_pool(seen, self.rules))
        match.add_round(seen, work.tallies[0], work.numbers)
        played.totals = [int(x) for x in seen["totals"][:n]]
        self.reached = match.end_is_reached(seen, self.rules, len(self.log), self.reached)
        if self.rounds is not None:
            self.rounds.append(np.zeros(n, state.ROUND_ROW))
            match.round_rows(
                seen, self.hidden, self.rules, work.tallies[0], work.numbers[2], self.rounds[-1],
                0, self.deal, self.rotation, np.array(self.seating, np.int64),
            )  # fmt: skip

    def game_rows(self) -> npt.NDArray[np.void]:
        """GAME_ROW[seats] of the match, which is over."""
        rows = np.zeros(len(self.seating), state.GAME_ROW)
        match.game_rows(
            self.seen, rows, 0, self.deal, self.rotation, np.array(self.seating, np.int64),
            len(self.log), self.work.numbers[3:],
        )  # fmt: skip
        return rows


def _play_plain_turn(game: Match, player: int) -> int:
    """One turn of a strategy of plain Python, by the steps of ``asking.play_turn``."""
    work = game.work
    before = (game.seen, game.hidden, game.rules)
    rest = (work.box, work.tallies[0], work.faults[0], work.rows)
    steps = (asking.answer_draw, asking.answer_plays, asking.answer_discard)
    for question, answered in zip(QUESTIONS, steps, strict=True):
        if not answered(*before, plain_answer(game.engine, work, player, question), *rest):
            return -1
    return int(work.faults[0]["played"])


def plain_answer(engine: Engine, work: Workspace, player: int, question: str) -> int:
    """Ask a strategy of plain Python; its answer as the kernels understand it.

    Rows of ``plays`` go to ``work.rows[1:]``.
    """
    view, hand, k = work.box["seen"][1], work.box["mine"][0], QUESTIONS.index(question)
    asking.ask_next(
        work.seens[0], work.hiddens[0], view, hand, work.key, work.tallies[0], k, work.faults[0]
    )
    rows = [work.rows[1:]] if question == "plays" else []
    strategy: Any = engine.strategies[player]
    function = strategy.functions_of.get(question)
    if function is None:
        own = strategy.base.functions()[k]
        record, params = engine.rules.record(), engine.params[player]
        return int(own(view, hand, record, params, work.key, work.box, *rows))
    for row in rows:
        row[:] = -1
    try:
        with limited(strategy.limit), np.errstate(all="ignore", divide="raise"):
            answer = function(*_given(engine, work, player), *rows)
    except TooLong as late:
        said = f"{question} has not answered within {strategy.limit:g} s{_place(late)}"
        raise StrategyError(said) from None
    return _as_number(question, answer, view, *rows)


def _given(engine: Engine, work: Workspace, player: int) -> tuple[Any, ...]:
    """What a function of plain Python is given: copies, so that nothing it changes counts."""
    strategy: Any = engine.strategies[player]
    begin, end = strategy.place
    return given_to(work, engine.rules.record(), engine.params[player][begin:end].copy())


def given_to(work: Workspace, record: Any, numbers: npt.NDArray[np.float64]) -> tuple[Any, ...]:
    """The arguments of a function of plain Python, from what is shown to the seat on turn."""
    return (
        np.array([work.box["seen"][1]], state.SEEN).view(_SEEN)[0],
        np.array([work.box["mine"][0]], state.HAND).view(_HAND)[0],
        np.array([record], state.RULES).view(_RULES)[0],
        numbers,
        int(work.key.ctypes.data),
        work.tools,
    )


def _as_number(question: str, answer: Any, table: Any, *rows: Any) -> int:
    """An answer as a number: as an action or a list of them it may be spelled as in a record."""
    from ramisim.actions import rows_of_action

    if isinstance(answer, int | np.integer):
        return max(-(2**31), min(int(answer), 2**31))
    try:
        if question == "plays" and isinstance(answer, list | tuple):
            return _write_actions(answer, table, rows[0])
        if question == "draw" and isinstance(answer, dict):
            return int(rows_of_action(answer, table)[0, 3])
        if question == "discard" and (answer is None or isinstance(answer, str)):
            answer = {"op": "discard", "card": answer}
        if question == "discard" and isinstance(answer, dict):
            return int(rows_of_action(answer, table)[0, 4])
    except RamisimError as error:
        raise StrategyError(f"{question} answered {answer!r}: {error}") from None
    raise StrategyError(f"{question} answered {answer!r}: a whole number is needed")


def _write_actions(actions: Sequence[Any], table: Any, rows: Any) -> int:
    """Write action dicts as rows; jokers of a swap are looked up on the table before the turn."""
    from ramisim.actions import rows_of_action

    n = 0
    for action in actions:
        if not isinstance(action, dict):
            raise IllegalAction(f"{action!r} is no action")
        written = rows_of_action(action, table)
        if n + len(written) > len(rows):
            raise IllegalAction(f"more than {len(rows)} rows")
        rows[n : n + len(written)] = written
        n += len(written)
    return n


def play_plain(
    engine: Engine, games: Iterator[tuple[int, int, Sequence[int]]], rounds: bool
) -> tuple[npt.NDArray[np.void], npt.NDArray[np.void] | None]:
    """Play matches, given as (deal, rotation, seating), where a strategy is plain Python.

    Returns
    -------
    games : GAME_ROW[...]
    rounds : ROUND_ROW[...] or None

    Raises
    ------
    StrategyError
        A strategy raised, or its answer was refused.
    """
    from ramisim.engine import Workspace

    work = Workspace()
    found, of_rounds = [np.zeros(0, state.GAME_ROW)], [np.zeros(0, state.ROUND_ROW)]
    for deal, rotation, seating in games:
        played = Match(engine, work, deal, seating, rotation, rounds)
        try:
            played.play()
        except Refused as refused:
            raise engine.blame(played, refused) from None
        found.append(played.game_rows())
        of_rounds.extend(played.rounds or ())
    return np.concatenate(found), np.concatenate(of_rounds) if rounds else None


def told(error: BaseException, question: str, again: BaseException | None = None) -> str:
    """What a strategy raised, and where in its file: there ``again`` may know more."""
    where = _place(again or error)
    if again is not None and type(again) is type(error):
        error = again
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    return f"{question} raised {said}{where}"


def _place(error: BaseException) -> str:
    """Where in a user's file something was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if not any(home in Path(f.filename).parts for home in _OURS)]
    return f" (line {own[-1].lineno} of {own[-1].filename})" if own else ""
