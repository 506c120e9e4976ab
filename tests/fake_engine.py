"""An engine without cards: rows from a hash of their keys, for tests of what is around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ramisim.analysis.schema import END_REASONS, GAMES, ROUNDS
from ramisim.errors import StrategyError
from ramisim.rules import Rules

_NUMPY = {
    pl.UInt64: "u8", pl.UInt32: "u4", pl.UInt16: "u2", pl.UInt8: "u1", pl.Int32: "i4",
    pl.Float32: "f4", pl.Boolean: "?", pl.Categorical: "u1",
}  # fmt: skip


def dtype_of(schema: pl.Schema) -> np.dtype[Any]:
    return np.dtype([(name, _NUMPY[type(dtype)]) for name, dtype in schema.items()])


@dataclass(frozen=True)
class Stub:
    """A strategy in name only."""

    name: str
    params: dict[str, float] = field(default_factory=dict)
    source: str = "0123"
    compiled: bool = True


A, B, C = Stub("anna"), Stub("bert"), Stub("cleo")


class FakeEngine:
    """Rows are a hash of (seed, deal, rotation, strategy, seat)."""

    bad_deals: frozenset[int] = frozenset()

    def __init__(self, rules: Rules, strategies: Sequence[Any], seed: int) -> None:
        self.rules, self.strategies, self.seed = rules, strategies, seed

    def play(
        self,
        first_deal: int,
        n_deals: int,
        seatings: npt.NDArray[np.int8],
        every: bool = True,
        rounds: bool = False,
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | None]:
        games: list[npt.NDArray[Any]] = []
        all_rounds: list[npt.NDArray[Any]] = []
        for deal in range(first_deal, first_deal + n_deals):
            if deal in self.bad_deals:
                raise StrategyError(f"anna did something on deal {deal}", [{"record": 1}])
            rows = range(len(seatings)) if every else [deal % len(seatings)]
            for rotation in rows:
                game, played = self._match(deal, rotation, seatings[rotation])
                games.append(game)
                all_rounds.append(played)
        return np.concatenate(games), np.concatenate(all_rounds) if rounds else None

    def _match(
        self, deal: int, rotation: int, seating: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        random = np.random.default_rng([self.seed, deal, rotation, *map(int, seating)])
        seats, n_rounds = len(seating), int(random.integers(1, 5))
        rounds = np.zeros((seats, n_rounds), dtype_of(ROUNDS))
        games = np.zeros(seats, dtype_of(GAMES))
        for rows in (rounds.T, games):
            rows["deal"], rows["rotation"] = deal, rotation
            rows["seat"], rows["strategy"] = np.arange(seats), seating
        rounds["round"] = np.arange(n_rounds)
        rounds["points"] = random.integers(-99, 99, rounds.shape)
        rounds["end"] = random.integers(0, len(END_REASONS), n_rounds)
        games["points"], games["rounds"] = rounds["points"].sum(axis=1), n_rounds
        best = games["points"] == games["points"].max()
        games["won"] = best / best.sum()
        return games, rounds.reshape(-1)
