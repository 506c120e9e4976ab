"""An engine without cards for tournaments: points are strength, seat, luck of the deal and noise.

A game is a hash of (seed, deal, names by seat), so rows do not depend on how it was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fake_engine import Stub, dtype_of
from ramisim.analysis.schema import GAMES, ROUNDS
from ramisim.rules import Rules


def stubs(*names: str) -> list[Stub]:
    return [Stub(name) for name in names]


@dataclass(frozen=True)
class TableEngine:
    """`gains[a, b]` is added to a's points for every b at the table."""

    strategies: Sequence[Any]
    seed: int
    strength: Mapping[str, float]
    gains: Mapping[tuple[str, str], float]
    seats: Sequence[float]
    noise: float

    def play(
        self,
        first_deal: int,
        n_deals: int,
        seatings: npt.NDArray[np.int8],
        every: bool = True,
        rounds: bool = False,
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | None]:
        assert not every
        assert len(self.strategies) <= 8
        games = [
            self._match(deal, deal % len(seatings), seatings[deal % len(seatings)])
            for deal in range(first_deal, first_deal + n_deals)
        ]
        of_rounds = np.concatenate([_rounds(game) for game in games]) if rounds else None
        return np.concatenate(games), of_rounds

    def _match(self, deal: int, row: int, seating: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
        names = [self.strategies[k].name for k in seating]
        key = [self.seed, deal, *(int.from_bytes(name.encode()[:6]) for name in names)]
        chance = np.random.default_rng(key)
        luck = np.random.default_rng([self.seed, deal]).normal(0, 40, len(names))
        raw = [
            300
            + self.strength.get(name, 0.0)
            + self.seats[seat]
            + sum(self.gains.get((name, other), 0.0) for other in names)
            + luck[seat]
            + chance.normal(0, self.noise)
            for seat, name in enumerate(names)
        ]
        points = np.round(raw).astype(np.int32)
        games = np.zeros(len(names), dtype_of(GAMES))
        games["deal"], games["rotation"] = deal, row % 256
        games["seat"], games["strategy"] = np.arange(len(names)), seating
        games["points"], games["rounds"] = points, 3
        best = points == points.max()
        games["won"] = best / best.sum()
        games["place"] = 1 + (points[None, :] > points[:, None]).sum(axis=1)
        return games


def _rounds(games: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Three rounds of a game, its points in the last."""
    rows = np.zeros((3, len(games)), dtype_of(ROUNDS))
    for name in ("deal", "rotation", "seat", "strategy"):
        rows[name] = games[name]
    rows["round"] = np.arange(3)[:, None]
    rows["points"][2] = games["points"]
    return rows.reshape(-1)


def factory(
    strength: Mapping[str, float] | None = None,
    gains: Mapping[tuple[str, str], float] | None = None,
    seats: Sequence[float] = (0.0,) * 8,
    noise: float = 30.0,
) -> Any:
    def make(rules: Rules, strategies: Sequence[Any], seed: int) -> TableEngine:
        return TableEngine(strategies, seed, strength or {}, gains or {}, seats, noise)

    return make
