"""The engine: chunks of matches as arrays.

Importing this module imports the kernels; nothing is compiled before the first game.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ramisim.errors import StrategyError
from ramisim.kernels import asking, ending, finish, match, state
from ramisim.rules import Rules
from ramisim.strategies import Strategy

__all__ = ["Engine"]

# First-class functions are what lets a strategy plug in without recompiling the engine; tests
# hold them to it, so the one warning about their being new is not the user's business.
warnings.filterwarnings("ignore", message="First-class function type feature is experimental")

_ROUNDS_A_GAME: Final = 12


class Workspace:
    """Every array that playing needs: one for each thread that plays."""

    def __init__(self) -> None:
        self.seens = np.zeros(1, state.SEEN)
        self.hiddens = np.zeros(1, state.HIDDEN)
        self.tallies = np.zeros(1, state.TALLY)
        self.faults = np.zeros(1, state.FAULT)
        self.box = ending.new_box()
        self.rows = np.zeros((asking.MAX_PLAYS, state.ROW), np.int16)
        self.deck = np.zeros(state.MAX_DECK, np.uint8)
        self.key = np.zeros(8, np.uint64)
        self.numbers = np.zeros((6, state.MAX_SEATS), np.int64)


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
        if not 1 <= len(strategies) <= state.MAX_SEATS:
            raise StrategyError(
                f"{len(strategies)} strategies: 1 to {state.MAX_SEATS} can be seated"
            )
        self.rules = rules
        self.strategies = list(strategies)
        self.seed = np.uint64(seed)
        padded = self.strategies + [self.strategies[0]] * (state.MAX_SEATS - len(strategies))
        # Flat tuples of one signature each: Numba sees function values, not eight known functions.
        self.asks = tuple(zip(*(s.functions() for s in padded), strict=True))
        self.params = np.array([s.vector() for s in padded], np.float64)
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
        StrategyError
            A strategy answered with an illegal action; its ``record`` holds the game so far.
        """
        seated = np.ascontiguousarray(seatings, np.int64)
        self.rules.check_players(seated.shape[1])
        work = Workspace()
        n_games = n_deals * (len(seated) if every else 1)
        n_seats = seated.shape[1]
        games = np.zeros(n_games * n_seats, state.GAME_ROW)
        size = n_games * n_seats * _ROUNDS_A_GAME if rounds else 0
        rows = np.zeros(size, state.ROUND_ROW)
        done = np.zeros(2, np.int64)
        while True:
            outcome = match.play_batch(
                self.rules.record(), self.asks, self.params, self.idents, seated, every,
                self.seed, first_deal, n_deals, int(done[0]), work.seens, work.hiddens,
                work.tallies, work.faults, work.box, work.rows, work.deck, work.key, work.numbers,
                games, rows, done,
            )  # fmt: skip
            if outcome != match.NO_ROOM:
                break
            rows = np.concatenate([rows, np.zeros(len(rows) + 64 * n_seats, state.ROUND_ROW)])
        if outcome == match.FAULTY:
            raise self._refusal(work.faults[0], seated)
        return games, rows[: done[1]] if rounds else None

    def _refusal(self, fault: Any, seatings: npt.NDArray[np.int64]) -> StrategyError:
        from ramisim.record import record_until_fault

        seating = [int(k) for k in seatings[int(fault["rotation"])]]
        deal, rotation = int(fault["deal"]), int(fault["rotation"])
        record = record_until_fault(self, deal, rotation, seating)
        return self.refusal(fault, deal, rotation, seating, record)

    def refusal(
        self, fault: Any, deal: int, rotation: int, seating: list[int], record: list[dict[str, Any]]
    ) -> StrategyError:
        """The error of a refused answer: strategy, seat, deal, round and reason."""
        name = self.strategies[seating[int(fault["seat"])]].name
        return StrategyError(
            f"strategy {name} in seat {int(fault['seat'])}, deal {deal}, rotation {rotation}, "
            f"round {int(fault['round'])}: {refusal_text(fault, self.rules)}",
            record,
        )


def refusal_text(fault: Any, rules: Rules) -> str:
    """What a strategy did that is refused, in words."""
    from ramisim.reasons import CANNOT_COMPLETE, reason_text

    ops = ("draw_stock", "draw_discard", "lay", "open", "lay_off", "swap", "discard")
    code, about = int(fault["code"]), int(fault["about"])
    op = ops[int(fault["op"])] if 0 <= int(fault["op"]) < len(ops) else f"op {fault['op']}"
    if code == finish.CANNOT_COMPLETE:
        return f"{op} refused, {CANNOT_COMPLETE}"
    if code == asking.TOO_MANY_PLAYS:
        return f"{about} plays in one turn, at most {asking.MAX_PLAYS - 2}"
    if code == asking.NOT_A_PLAY:
        return f"{op} with {about} is no action that can be played here"
    return f"{op} refused, {reason_text(code, about, rules)}"
