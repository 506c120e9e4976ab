"""Who met whom, and what came of it: the payoff matrix of a tournament, deal by deal.

A meeting is a pair of seats of one game: the first strategy's points minus the second's, and
whether it came out ahead (a half where both are in the same place). At tables of more than two,
everybody meets everybody else there. The unit stays the deal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ramisim.analysis.clusters import Clusters
from ramisim.analysis.deals import Deals, win_units, with_line_up
from ramisim.analysis.estimates import Difference, difference
from ramisim.analysis.multiplicity import holm
from ramisim.analysis.runs import Run, reading

__all__ = ["Meetings", "SeatedGames", "meetings", "resampled", "seated_games"]

Quantity = Literal["points", "ahead"]

BLOCKS: Final = 1000
"""Blocks of neighbouring deals that are resampled; fewer deals are resampled one by one."""


@dataclass(frozen=True)
class SeatedGames:
    """Games as arrays, a row each and a column per seat, in the order of their keys.

    Parameters
    ----------
    labels : tuple of str
        The E strategies.
    deals : int
        G, the number of deals.
    deal : int[N]
        Place of each game's deal in the run, 0 to G - 1.
    key : int[N, 3]
        Deal, line-up and rotation.
    entry : int[N, S]
        Strategy in each seat.
    points, place, win : int[N, S]
        ``win`` in units of 1/840 game. All are as narrow as they can be: a run has millions.
    """

    labels: tuple[str, ...]
    deals: int
    deal: NDArray[np.integer]
    key: NDArray[np.integer]
    entry: NDArray[np.integer]
    points: NDArray[np.integer]
    place: NDArray[np.integer]
    win: NDArray[np.integer]

    @property
    def seats(self) -> int:
        """Seats at a table."""
        return int(self.entry.shape[1])


@dataclass(frozen=True)
class Meetings:
    """Sums over the meetings of each two strategies, deal by deal.

    Parameters
    ----------
    labels : tuple of str
        The E strategies.
    pairs : tuple of (int, int)
        The P pairs (a, b), a < b, that meet.
    n : int64[G, P]
        Meetings.
    points : int64[G, P]
        Points of a minus points of b.
    ahead : int64[G, P]
        Twice the meetings in which a comes out ahead, ties once.
    """

    labels: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    n: NDArray[np.int64]
    points: NDArray[np.int64]
    ahead: NDArray[np.int64]

    def matrix(self, quantity: Quantity = "points") -> NDArray[np.float64]:
        """Payoff of row against column, float64[E, E]; NaN where two never meet.

        ``points`` is the mean difference, 0 against itself; ``ahead`` the share of meetings in
        which the row comes out ahead, a half against itself.
        """
        sums = (self.points if quantity == "points" else self.ahead).sum(axis=0)
        return self._matrix(self.n.sum(axis=0), sums, quantity)

    def games(self) -> float:
        """Mean number of meetings of a pair."""
        return float(self.n.sum() / len(self.pairs))

    def differences(self, quantity: Quantity = "points", level: float = 0.95) -> list[Difference]:
        """Each pair "a minus b", in the order of the pairs; Holm over all of them.

        For ``ahead`` it is the share in which a comes out ahead minus that of b.
        """
        found = [self._difference(k, quantity, level) for k in range(len(self.pairs))]
        known = [d.p for d in found if d.p is not None]
        if len(known) < len(found):
            return found
        return [replace(d, p_holm=p) for d, p in zip(found, holm(known), strict=True)]

    def resampled_matrices(
        self, quantity: Quantity, draws: int, seed: int = 0
    ) -> NDArray[np.float64]:
        """Matrices of bootstrap samples of deals, float64[draws, E, E]."""
        sums = self.points if quantity == "points" else self.ahead
        both = resampled(np.concatenate([self.n, sums], axis=1), draws, seed)
        width = len(self.pairs)
        return np.array([self._matrix(row[:width], row[width:], quantity) for row in both])

    def _matrix(
        self, n: NDArray[np.number], sums: NDArray[np.number], quantity: Quantity
    ) -> NDArray[np.float64]:
        size = len(self.labels)
        out = np.full((size, size), np.nan)
        np.fill_diagonal(out, 0.0 if quantity == "points" else 0.5)
        a, b = np.array(self.pairs).T
        mean = sums / np.maximum(n, 1)
        if quantity == "points":
            out[a, b], out[b, a] = mean, -mean
        else:
            out[a, b], out[b, a] = mean / 2, 1 - mean / 2
        return out

    def _difference(self, k: int, quantity: Quantity, level: float) -> Difference:
        a, b = self.pairs[k]
        n = self.n[:, k]
        # Ahead: n of 2n half units is level, so 2 ahead - 2 n over 2 n is "a minus b".
        y = self.points[:, k] if quantity == "points" else self.ahead[:, k] - n
        # Against a column of zeros: the mean itself with its interval and test.
        columns = np.stack([y, np.zeros_like(y)], axis=1)
        clusters = Clusters((self.labels[a], self.labels[b]), np.stack([n, n], axis=1), columns)
        return difference(clusters, 0, 1, level)


def seated_games(run: Run, deals: Deals) -> SeatedGames:
    """The games of the analysed deals as arrays.

    Parameters
    ----------
    run : Run
        A run or a tournament; only ``games`` is read.
    deals : Deals
        From `ramisim.analysis.deals.collect_deals`.
    """
    first, stop = deals.coverage.first, deals.coverage.stop
    keys, players = _keys(run), deals.coverage.players
    parts: list[dict[str, NDArray[np.integer]]] = []
    with reading(run.path):
        for batch in run.game_batches():
            inside = batch.filter((pl.col("deal") >= first) & (pl.col("deal") < stop))
            rows = with_line_up(inside, run.manifest).select(
                *keys, "seat", "entry", "points", "place", win=win_units()
            )
            frame = rows.collect(engine="streaming").sort(*keys, "seat")
            if len(frame):
                parts.append(_arrays(frame, players))
    whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    key = whole["key"]
    if (np.diff(key[:, 0]) < 0).any():
        order = np.lexsort(key.T[::-1])
        whole = {name: values[order] for name, values in whole.items()}
    return SeatedGames(
        labels=deals.labels,
        deals=deals.coverage.used,
        deal=whole["key"][:, 0] - first,
        **whole,
    )


def _arrays(frame: pl.DataFrame, players: int) -> dict[str, NDArray[np.integer]]:
    """Rows of whole games, sorted, as the arrays of `SeatedGames`."""
    heads = frame.gather_every(players)
    key = np.zeros((len(heads), 3), dtype=np.int64)
    for column, name in enumerate(("deal", "line_up", "rotation")):
        if name in frame.columns:
            key[:, column] = heads[name].to_numpy()
    narrow = {"entry": np.uint8, "points": np.int32, "place": np.int8, "win": np.int16}
    wide: dict[str, NDArray[np.integer]] = {
        name: frame[name].to_numpy().astype(dtype).reshape(-1, players)
        for name, dtype in narrow.items()
    }
    return {"key": key, **wide}


def meetings(games: SeatedGames) -> Meetings:
    """Sum the meetings of each two strategies, deal by deal."""
    size = len(games.labels)
    sums = np.zeros((3, games.deals * size * size), dtype=np.int64)
    for s, t in combinations(range(games.seats), 2):
        a, b = (games.entry[:, seat].astype(np.int64) for seat in (s, t))
        gap = games.points[:, s] - games.points[:, t]
        ahead = 1 + np.sign(games.place[:, t] - games.place[:, s])
        turned = a > b
        gap, ahead = np.where(turned, -gap, gap), np.where(turned, 2 - ahead, ahead)
        at = (games.deal * size + np.minimum(a, b)) * size + np.maximum(a, b)
        at, gap, ahead = (x[a != b] for x in (at, gap, ahead))
        for row, values in enumerate((np.ones_like(at), gap, ahead)):
            # Sums of whole numbers stay exact in doubles.
            found = np.bincount(at, weights=values, minlength=sums.shape[1])
            sums[row] += found.astype(np.int64)
    table = sums.reshape(3, games.deals, size, size)
    met = table[0].any(axis=0)
    pairs = tuple((a, b) for a, b in combinations(range(size), 2) if met[a, b])
    where = [a * size + b for a, b in pairs]
    n, points, ahead = table.reshape(3, games.deals, -1)[:, :, where]
    return Meetings(games.labels, pairs, n, points, ahead)


def resampled(sums: NDArray[np.int64], draws: int, seed: int = 0) -> NDArray[np.float64]:
    """Totals of bootstrap samples of deals.

    Parameters
    ----------
    sums : int64[G, K]
        Sums of each deal; of many deals blocks of neighbours are drawn.
    draws, seed : int

    Returns
    -------
    float64[draws, K]
    """
    blocks = sums
    if len(sums) > BLOCKS:
        edges = np.linspace(0, len(sums), BLOCKS + 1).astype(np.int64)[:-1]
        blocks = np.add.reduceat(sums, edges, axis=0)
    rng = np.random.default_rng(seed)
    times = rng.multinomial(len(blocks), np.full(len(blocks), 1 / len(blocks)), size=draws)
    return np.asarray(times.astype(np.float64) @ blocks.astype(np.float64))


def _keys(run: Run) -> Sequence[str]:
    columns = run.games.collect_schema().names()
    return ["deal", *(name for name in ("line_up",) if name in columns), "rotation"]
