"""The engine: chunks of matches as arrays.

Importing this module imports the kernels; nothing is compiled before the first game.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ramisim.driver import Match, Refused, play_plain
from ramisim.errors import RulesError, RunError, StrategyError
from ramisim.given import flag, shown
from ramisim.kernels import asking, box, match, state
from ramisim.rules import Rules
from ramisim.strategies import Strategy, as_strategy
from ramisim.whole import whole

__all__ = ["Engine"]

# First-class functions are what lets a strategy plug in without recompiling the engine; tests
# hold them to it, so the one warning about their being new is not the user's business.
warnings.filterwarnings("ignore", message="First-class function type feature is experimental")

PATIENCE: Final = 1 << 16
"""Nodes of a search after which a player is content with the best end of a turn found so far.
Only hands of dozens of cards, as deep takes under rules of one's own make them, come so far."""
_ROUNDS_A_GAME: Final = 12
_ACTIONS_A_GAME: Final = 2000


class Workspace:
    """Every array that playing needs: one for each thread that plays.

    Parameters
    ----------
    seats : int
        Seats whose scratch is kept apart.
    """

    def __init__(self, seats: int = 1) -> None:
        self.seens = np.zeros(1, state.SEEN)
        self.hiddens = np.zeros(1, state.HIDDEN)
        self.tallies = np.zeros(1, state.TALLY)
        self.faults = np.zeros(1, state.FAULT)
        self.boxes = box.new_boxes(seats)
        self.boxes["work"]["patience"] = PATIENCE
        self.box = self.boxes[0]
        self.rows = np.zeros((asking.MAX_PLAYS, state.ROW), np.int16)
        self.deck = np.zeros(state.MAX_DECK, np.uint8)
        self.key = np.zeros(8, np.uint64)
        self.numbers = np.zeros((6, state.MAX_SEATS), np.int64)
        self.tools = int(self.box["work"].ctypes.data)  # the first field: where the record begins


class Engine:
    """Plays matches of given strategies by given rules.

    Parameters
    ----------
    rules : Rules
    strategies : sequence of Strategy
        At most eight; seatings name them by their place here.
    seed : int
        The run's seed, 0 to 2**64 - 1.
    """

    def __init__(self, rules: Rules, strategies: Sequence[Strategy], seed: int) -> None:
        if not isinstance(rules, Rules):
            raise RulesError(f"rules {shown(rules)}: an engine takes Rules, see Rules.load")
        strategies = _listed(strategies)
        if not 1 <= len(strategies) <= state.MAX_SEATS:
            raise StrategyError(
                f"{len(strategies)} strategies: 1 to {state.MAX_SEATS} can be seated"
            )
        self.rules = rules
        self.strategies = [as_strategy(given) for given in strategies]
        self.seed = np.uint64(_whole("seed", seed))
        padded = self.strategies + [self.strategies[0]] * (state.MAX_SEATS - len(strategies))
        # Flat tuples of one signature each: Numba sees function values, not eight known functions.
        self.asks = tuple(zip(*(s.functions() for s in padded), strict=True))
        vectors = [s.vector() for s in padded]
        self.params = np.zeros((len(padded), max(map(len, vectors))), np.float64)
        for row, vector in zip(self.params, vectors, strict=True):
            row[: len(vector)] = vector
        self.idents = np.array([s.ident for s in padded], np.uint64)

    def play(
        self,
        first_deal: int,
        n_deals: int,
        seatings: npt.NDArray[np.int8],
        every: bool = True,
        rounds: bool = False,
    ) -> tuple[npt.NDArray[np.void], npt.NDArray[np.void] | None]:
        """Play a chunk of deals: a pure function of its arguments, safe in threads.

        Parameters
        ----------
        first_deal, n_deals : int
            The deals to play.
        seatings : int8[k, seats]
            Strategy of each seat; with `every` all k of them on each deal (``rotation`` is the
            row), else row d mod k on deal d.
        rounds : bool
            Whether to return the rows of rounds as well.

        Returns
        -------
        games : GAME_ROW[...]
            Sorted by (deal, rotation, seat).
        rounds : ROUND_ROW[...] or None
            Sorted by (deal, rotation, round, seat).

        Raises
        ------
        RunError, RulesError
            A number that is none, or seatings that the rules or the strategies do not fill.
        StrategyError
            A strategy answered with an illegal action; its ``record`` holds the game so far.
        """
        seated = self._seated(seatings)
        first_deal, n_deals = _whole("first_deal", first_deal), _whole("n_deals", n_deals)
        every, rounds = flag("every", every), flag("rounds", rounds)
        listed = _games(first_deal, n_deals, seated, every)
        if not all(strategy.compiled for strategy in self.strategies):
            return play_plain(self, listed, rounds)
        n_seats = seated.shape[1]
        work = Workspace(n_seats)
        n_games = n_deals * (len(seated) if every else 1)
        games = np.zeros(n_games * n_seats, state.GAME_ROW)
        size = n_games * n_seats * _ROUNDS_A_GAME if rounds else 0
        rows = np.zeros(size, state.ROUND_ROW)
        log = np.zeros((0, state.ROW), np.int16)
        done = np.zeros(3, np.int64)
        batch = (seated, every, first_deal, n_deals)
        try:
            while True:
                outcome = self._batch(work, *batch, games, rows, log, done)
                if outcome != match.NO_ROOM:
                    break
                rows = np.concatenate([rows, np.zeros(len(rows) + 64 * n_seats, state.ROUND_ROW)])
        except Exception:  # what a user's function raises comes through, whatever it is
            outcome = match.FAULTY
        if outcome == match.FAULTY:
            raise self._refusal(next(islice(listed, int(done[0]), None)))
        return games, rows[: done[1]] if rounds else None

    def _seated(self, seatings: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The seatings for the kernels, which look a strategy up without asking whether it is."""
        table = np.asarray(seatings)
        if table.ndim != 2 or not len(table) or not np.issubdtype(table.dtype, np.integer):
            raise RunError("seatings is a table of whole numbers, [seatings, seats]")
        self.rules.check_players(table.shape[1])
        if table.min() < 0 or table.max() >= len(self.strategies):
            raise RunError(
                f"seatings name strategy {table.min() if table.min() < 0 else table.max()}: "
                f"there are 0 to {len(self.strategies) - 1}"
            )
        return np.ascontiguousarray(table, np.int64)

    def _batch(
        self, work: Workspace, seated: Any, every: bool, first_deal: int, n_deals: int,
        games: Any, rows: Any, log: Any, done: Any,
    ) -> int:  # fmt: skip
        return int(
            match.play_batch(
                self.rules.record(), self.asks, self.params, self.idents, seated, every,
                self.seed, first_deal, n_deals, int(done[0]), work.seens, work.hiddens,
                work.tallies, work.faults, work.boxes, work.rows, work.deck, work.key,
                work.numbers, games, rows, log, done,
            )
        )  # fmt: skip

    def actions(self, deal: int, seating: Sequence[int]) -> npt.NDArray[np.int16] | None:
        """Play one match of compiled strategies and give every action, in order.

        Parameters
        ----------
        deal : int
        seating : sequence of int
            Strategy of each seat.

        Returns
        -------
        int16[n, ROW] or None
            The action rows, where a turn ends with its discard; None where a strategy raised, or
            did what is refused.
        """
        seated = self._seated([seating])
        work = Workspace(len(seating))
        games = np.zeros(len(seating), state.GAME_ROW)
        rows = np.zeros(0, state.ROUND_ROW)
        log = np.zeros((_ACTIONS_A_GAME, state.ROW), np.int16)
        outcome = match.NO_ROOM
        while outcome == match.NO_ROOM:
            done = np.zeros(3, np.int64)
            try:
                outcome = self._batch(work, seated, True, deal, 1, games, rows, log, done)
            except Exception:  # what a user's function raises comes through, whatever it is
                outcome = match.FAULTY
            if outcome == match.FINISHED:
                return log[: done[2]]
            log = np.zeros((4 * len(log), state.ROW), np.int16)
        return None

    def _refusal(self, game: tuple[int, int, list[int]]) -> StrategyError:
        """Play a match again, from Python, up to what was refused in it."""
        deal, rotation, seating = game
        again = Match(self, Workspace(), deal, seating, rotation)
        try:
            again.play()
        except Refused as refused:
            return self.blame(again, refused)
        return StrategyError(
            f"deal {deal}, rotation {rotation}: a strategy ({', '.join(self.names(seating))}) "
            "was refused, and was not when the match was played again"
        )

    def blame(self, played: Match, refused: Refused) -> StrategyError:
        """The error of a match that a strategy's answer stopped, with the record of it."""
        from ramisim.record import record_of

        seat = refused.seat
        name = self.names(played.seating)[seat]
        return StrategyError(
            f"strategy {name} in seat {seat}, deal {played.deal}, rotation {played.rotation}, "
            f"round {len(played.log) - 1}: {refused.reason}",
            record_of(played, refused),
        )

    def names(self, seating: Sequence[int]) -> list[str]:
        """Names of the strategies seat by seat."""
        return [self.strategies[k].name for k in seating]


def _listed(strategies: object) -> Sequence[Any]:
    if isinstance(strategies, str) or not isinstance(strategies, Sequence):
        raise StrategyError(f"strategies {shown(strategies)}: a list of strategies is needed")
    return strategies


def _whole(name: str, value: object) -> int:
    number = whole(value)
    if number is None or not 0 <= number < 2**64:
        raise RunError(f"{name} is {value!r}: a whole number from 0 to 2**64 - 1 is allowed")
    return number


def _games(
    first_deal: int, n_deals: int, seatings: npt.NDArray[np.int64], every: bool
) -> Iterator[tuple[int, int, list[int]]]:
    """(deal, rotation, seating) of the matches of a chunk, in the order of the kernels."""
    for deal in range(first_deal, first_deal + n_deals):
        for rotation in range(len(seatings)) if every else [deal % len(seatings)]:
            yield deal, rotation, [int(k) for k in seatings[rotation]]
