"""What plays the tables of a tournament: any number of strategies, a few at each table.

A job is cut into chunks like every run: of deals where line-ups meet, of whole knock-outs where
the winners go on. Rows are a pure function of the numbers of those, so they are the same for any
chunk size and any number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ramisim.brackets import Bracket
from ramisim.chunks import ChunkEngine, EngineFactory, Job, Rows
from ramisim.designs import Seatings
from ramisim.line_ups import LineUps
from ramisim.rules import Rules

__all__ = ["KnockOutJob", "LineUpJob", "ManyEngine"]

AT_ONCE: Final = 8
"""Strategies that one engine holds."""

TABLES: Final = 16
"""What the random numbers of tables are for, the second half of their key (contracts 7)."""

SLOT: Final = 32
"""Deal of a match of a knock-out: the match's number in the bracket above these bits, the number
of the knock-out in them. So the deals of one slot are neighbours, and one call plays them."""


class ManyEngine:
    """An engine for any number of strategies, where every seating holds few of them.

    Parameters
    ----------
    factory : callable
        Makes an engine of a few strategies.
    rules : Rules
    strategies : sequence
        All of them.
    seed : int
    """

    def __init__(
        self, factory: EngineFactory, rules: Rules, strategies: Sequence[Any], seed: int
    ) -> None:
        self._strategies = tuple(strategies)

        @cache
        def engine_of(which: tuple[int, ...]) -> ChunkEngine:
            return factory(rules, [self._strategies[k] for k in which], seed)

        self._engine_of = engine_of

    def play(
        self,
        first_deal: int,
        n_deals: int,
        seatings: npt.NDArray[np.int8],
        every: bool = False,
        rounds: bool = False,
    ) -> Rows:
        """Play deal d in row d mod k, as engines do with ``every=False``."""
        if every:
            raise ValueError("tables play one seating a deal")
        wide = np.asarray(seatings, dtype=np.int64)
        if len(np.unique(wide)) <= AT_ONCE:
            return self._few(first_deal, n_deals, wide, rounds)
        rows = wide[(first_deal + np.arange(n_deals)) % len(wide)]
        parts = [
            self._few(
                first_deal + start,
                stop - start,
                _turned(rows[start:stop], first_deal + start),
                rounds,
            )
            for start, stop in _runs_of_few(rows)
        ]
        games, of_rounds = zip(*parts, strict=True)
        return np.concatenate(games), np.concatenate(of_rounds) if rounds else None

    def _few(
        self, first_deal: int, n_deals: int, seatings: npt.NDArray[np.int64], rounds: bool
    ) -> Rows:
        which, local = np.unique(seatings, return_inverse=True)
        engine = self._engine_of(tuple(which.tolist()))
        table = local.reshape(seatings.shape).astype(np.int8)
        games, of_rounds = engine.play(first_deal, n_deals, table, every=False, rounds=rounds)
        for rows in (games, of_rounds):
            if rows is not None:
                rows["strategy"] = which[rows["strategy"]]
        return games, of_rounds


@dataclass(frozen=True)
class LineUpJob(Job):
    """Every deal in all line-ups and all their rotations."""

    line_ups: LineUps = field(kw_only=True)

    def engine(self) -> ChunkEngine:
        """Make the engine of all strategies."""
        return _many(self)

    def play(self, engine: ChunkEngine, first_deal: int, n_deals: int) -> Rows:
        """Play some deals; rows sorted by deal, line-up, rotation, and as the engine does."""
        shape = (len(self.line_ups.table), self.line_ups.seats, n_deals, self.line_ups.seats)
        whole: npt.NDArray[Any] | None = None
        rounds: list[npt.NDArray[Any]] = []
        for line_up, rotation in np.ndindex(*shape[:2]):
            seatings = self.line_ups.seatings(line_up, rotation)
            games, found = engine.play(
                first_deal, n_deals, seatings, every=False, rounds=self.rounds
            )
            if found is not None:
                rounds.append(_of_line_up(found, line_up, rotation))
            if whole is None:
                whole = np.empty(shape, dtype=_with(games.dtype, [("line_up", np.uint16)]))
            part = whole[line_up, rotation]
            for name in games.dtype.names or ():
                part[name] = games[name].reshape(shape[2:])
            part["line_up"], part["rotation"] = line_up, rotation
        assert whole is not None
        games = np.ascontiguousarray(whole.transpose(2, 0, 1, 3)).reshape(-1)
        return games, _in_order(rounds) if self.rounds else None


def _of_line_up(found: npt.NDArray[Any], line_up: int, rotation: int) -> npt.NDArray[Any]:
    """Rows of rounds with the line-up and rotation that they belong to."""
    rows = np.empty(found.shape, dtype=_with(found.dtype, [("line_up", np.uint16)]))
    for name in found.dtype.names or ():
        rows[name] = found[name]
    rows["line_up"], rows["rotation"] = line_up, rotation
    return rows


def _in_order(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Rows of rounds by deal, line-up and rotation; inside a match they stay as they are."""
    rows = np.concatenate(parts)
    return rows[np.lexsort((rows["rotation"], rows["line_up"], rows["deal"]))]


@dataclass(frozen=True)
class KnockOutJob(Job):
    """Whole knock-outs; number d of the run takes the place of deal d."""

    bracket: Bracket = field(kw_only=True)

    def engine(self) -> ChunkEngine:
        """Make the engine of all strategies."""
        return _many(self)

    def play(self, engine: ChunkEngine, first_deal: int, n_deals: int) -> Rows:
        """Play some knock-outs; rows sorted by event, stage, table and seat."""
        events = np.arange(first_deal, first_deal + n_deals, dtype=np.uint64)
        left = np.tile(np.arange(self.bracket.entrants, dtype=np.uint8), (n_deals, 1))
        points = np.zeros(left.shape, dtype=np.int64)
        parts: list[npt.NDArray[Any]] = []
        slot = 0
        for number, stage in enumerate(self.bracket.stages):
            seated, lots = (_shuffled(self.seed, events, number, what, left) for what in range(2))
            going: list[npt.NDArray[np.uint8]] = []
            start = 0
            for table, size in enumerate(stage.sizes):
                players = seated[:, start : start + size]
                rows = self._match(engine, slot, first_deal, players)
                np.put_along_axis(
                    points,
                    players.astype(np.int64),
                    np.take_along_axis(points, players.astype(np.int64), 1) + rows["points"],
                    1,
                )
                ahead = _ahead(rows["place"], players, points, lots) < stage.going_on[table]
                rows["event"], rows["stage"], rows["table"] = events[:, None], number, table
                rows["entrant"], rows["went_on"] = players, ahead
                going.append(players[ahead].reshape(n_deals, stage.going_on[table]))
                parts.append(rows.reshape(-1))
                start, slot = start + size, slot + 1
            left = np.sort(np.concatenate([*going, seated[:, start:]], axis=1), axis=1)
        whole = np.concatenate(parts)
        order = np.lexsort((whole["seat"], whole["table"], whole["stage"], whole["event"]))
        return whole[order], None

    def _match(
        self, engine: ChunkEngine, slot: int, first: int, players: npt.NDArray[np.uint8]
    ) -> npt.NDArray[Any]:
        """The match of one slot in all knock-outs of a chunk: rows[n, size]."""
        deal = (slot << SLOT) + first
        seatings = (players % len(self.strategies)).astype(np.int8)
        games, _ = engine.play(deal, len(players), _turned(seatings, deal), every=False)
        more = [
            ("event", np.uint32), ("stage", np.uint8), ("table", np.uint8),
            ("entrant", np.uint8), ("went_on", np.bool_),
        ]  # fmt: skip
        rows = np.zeros(players.shape, dtype=_with(games.dtype, more))
        for name in games.dtype.names or ():
            rows[name] = games[name].reshape(players.shape)
        rows["rotation"] = 0
        return rows


def no_seatings(design: str, seats: int) -> Seatings:
    """The seatings of a job that makes its own."""
    return Seatings(design, np.zeros((0, seats), dtype=np.int8), every=False)


def _many(job: Job) -> ManyEngine:
    from ramisim.playing import resolved

    return ManyEngine(job.factory, job.rules, [resolved(s) for s in job.strategies], job.seed)


def _with(dtype: np.dtype[Any], more: list[tuple[str, Any]]) -> np.dtype[Any]:
    names = dtype.names or ()
    return np.dtype([(name, dtype[name]) for name in names] + more)


def _turned(rows: npt.NDArray[Any], first_deal: int) -> npt.NDArray[Any]:
    """Rows in the order in which row d mod k is that of deal d, the first one of `first_deal`."""
    return np.roll(rows, first_deal % len(rows), axis=0)


def _runs_of_few(rows: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Longest runs of neighbouring rows that one engine can hold."""
    start, held = 0, set[int]()
    for i, row in enumerate(rows.tolist()):
        more = held | set(row)
        if len(more) > AT_ONCE:
            yield start, i
            start, more = i, set(row)
        held = more
    yield start, len(rows)


def _shuffled(
    seed: int, events: npt.NDArray[np.uint64], stage: int, what: int, left: npt.NDArray[np.uint8]
) -> npt.NDArray[np.uint8]:
    """Each knock-out's players in an order of its own, keyed by its number and the stage."""
    from ramisim.kernels.random import shuffle

    out = left.copy()
    for row, event in zip(out, events, strict=True):
        shuffle(np.uint64(seed), TABLES, event, np.uint64(stage), np.uint64(what), row)
    return out


def _ahead(
    place: npt.NDArray[np.uint8],
    players: npt.NDArray[np.uint8],
    points: npt.NDArray[np.int64],
    lots: npt.NDArray[np.uint8],
) -> npt.NDArray[np.int64]:
    """How many of the table are ahead of each: by place, then all points so far, then by lot."""
    carried = np.take_along_axis(points, players.astype(np.int64), 1)
    lot = (lots[:, None, :] == players[:, :, None]).argmax(axis=2)
    order = np.lexsort((lot, -carried, place), axis=1)
    ahead = np.empty_like(order)
    np.put_along_axis(ahead, order, np.arange(order.shape[1])[None, :], axis=1)
    return ahead
