"""Chunks of deals and the executors that play them.

A chunk is a pure function of (rules, strategies, seed, first deal, number of deals) to arrays,
so it may be played anywhere, in any order, and again. The runner knows only the interface of
`concurrent.futures.Executor`: threads, processes, or the executor of a cluster.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from ramisim.errors import RunError

if TYPE_CHECKING:
    from types import FrameType

    from ramisim.designs import Seatings
    from ramisim.rules import Rules

__all__ = [
    "Chunk",
    "ChunkEngine",
    "EngineFactory",
    "Job",
    "Player",
    "Rows",
    "begin_worker",
    "cpus",
    "cut",
    "default_chunk",
    "executor_for",
    "play_chunks",
]

Rows = tuple[npt.NDArray[Any], npt.NDArray[Any] | None]
"""Structured arrays of a chunk: games, and rounds where they were asked for."""

TICK = 0.25
"""Seconds between two looks at the clock (progress, Ctrl-C) while chunks are being played."""


class Player(Protocol):
    """What the runner asks of a strategy object."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def params(self) -> dict[str, float]: ...  # noqa: D102
    @property
    def source(self) -> str: ...  # noqa: D102
    @property
    def compiled(self) -> bool: ...  # noqa: D102


class ChunkEngine(Protocol):
    """What plays a chunk; a pure function of its arguments, safe in threads."""

    def play(  # noqa: D102
        self,
        first_deal: int,
        n_deals: int,
        seatings: npt.NDArray[np.int8],
        every: bool = True,
        rounds: bool = False,
    ) -> Rows: ...


EngineFactory = Callable[["Rules", Sequence[Any], int], ChunkEngine]
"""(rules, strategies, seed) to an engine."""


@dataclass(frozen=True)
class Chunk:
    """Some deals in a row: number of the chunk, its first deal, how many deals."""

    index: int
    first_deal: int
    n_deals: int


@dataclass(frozen=True)
class Job:
    """Everything that the rows of a run depend on, but the deals.

    Parameters
    ----------
    factory : callable
        Makes the engine.
    rules : Rules
        The rules.
    strategies : tuple
        The strategies, or texts that `ramisim.strategies.resolve` reads: a text can be sent to
        any process.
    seed : int
        Seed of the run.
    seatings : Seatings
        Who sits where.
    rounds : bool
        Rows of rounds too.
    """

    factory: EngineFactory
    rules: Rules
    strategies: tuple[Any, ...]
    seed: int
    seatings: Seatings
    rounds: bool

    def engine(self) -> ChunkEngine:
        """Make the engine of this run."""
        return self.factory(self.rules, [_resolved(s) for s in self.strategies], self.seed)

    def play(self, engine: ChunkEngine, first_deal: int, n_deals: int) -> Rows:
        """Play some deals; rows sorted by deal, rotation, seat and round."""
        table, every = self.seatings.table, self.seatings.every
        return engine.play(first_deal, n_deals, table, every=every, rounds=self.rounds)


def cut(first_deal: int, deals: int, size: int) -> list[Chunk]:
    """Cut the deals of a run into chunks of `size` deals; the last one may be smaller."""
    starts = range(0, deals, size)
    return [Chunk(i, first_deal + s, min(size, deals - s)) for i, s in enumerate(starts)]


def default_chunk(deals: int, games_per_deal: int, compiled: bool) -> int:
    """Number of deals in a chunk, from the length of the run alone.

    About a second of play (2,000 matches of two compiled strategies), less where the run is so
    short that some cores would go without, more where it is so long that it would have over a
    thousand parts. It never depends on the number of threads: neither should the files.
    """
    games = deals * games_per_deal
    largest = max(2_000, games // 1_000) if compiled else 100
    return max(1, min(max(games // 64, 20), largest) // games_per_deal)


def cpus() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def executor_for(
    job: Job, executor: Executor | str, workers: int
) -> Iterator[tuple[Executor, Callable[[int, int], Rows]]]:
    """An executor, and the function of (first deal, number of deals) to submit to it.

    Parameters
    ----------
    job : Job
        What to play.
    executor : {"threads", "processes"} or Executor
        A pool made and closed here, or one of the caller's that stays open.
    workers : int
        Size of a pool made here.

    Raises
    ------
    RunError
        A name that is no executor, or a strategy that cannot be sent to another process.
    """
    if executor == "threads" or isinstance(executor, ThreadPoolExecutor):
        engine = job.engine()

        def play(first_deal: int, n_deals: int) -> Rows:
            return job.play(engine, first_deal, n_deals)

        if isinstance(executor, Executor):
            yield executor, play
            return
        with ThreadPoolExecutor(workers, thread_name_prefix="ramisim") as threads:
            yield threads, play
        return
    remote = _Remote(_pickled(job))
    if executor == "processes":
        # Spawned, not forked: compiled code and running threads do not survive a fork.
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, spawn, begin_worker) as processes:
            yield processes, remote
    elif isinstance(executor, str) or not hasattr(executor, "submit"):
        raise RunError(
            f"unknown executor {executor!r}: give threads, processes, or an object with submit()"
        )
    else:
        yield executor, remote


def play_chunks(
    chunks: Iterable[Chunk],
    executor: Executor,
    play: Callable[[int, int], Rows],
    in_flight: int,
    keep: Callable[[Chunk, Rows], None],
    tick: Callable[[], None],
) -> None:
    """Play chunks, never more than `in_flight` at a time, and keep each as it comes.

    Ctrl-C lets the chunks that are being played end and keeps them. Where chunks fail, the
    error of the first deal is raised, whatever the number of workers.

    Parameters
    ----------
    chunks : iterable of Chunk
        What to play, in the order of the deals.
    executor, play
        From `executor_for`.
    in_flight : int
        Bound of chunks that are played, or played and not kept yet.
    keep : callable
        Is given each chunk and its rows, in the order in which they come; after Ctrl-C perhaps
        one of them a second time.
    tick : callable
        Called every quarter of a second, or sooner.
    """
    with held_interrupts() as check:
        _play_chunks(chunks, executor, play, in_flight, keep, tick, check)


@contextmanager
def held_interrupts() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back; the function given raises it where it is called.

    Python raises it between any two instructions of the main thread, inside a library call as
    well: Polars turned one that came while it made a column into an error of its own. Left alone
    are other threads, where there is no such signal, and handlers that somebody else has set.
    """
    came = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True

    def check() -> None:
        if came:
            raise KeyboardInterrupt

    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield check
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _play_chunks(
    chunks: Iterable[Chunk],
    executor: Executor,
    play: Callable[[int, int], Rows],
    in_flight: int,
    keep: Callable[[Chunk, Rows], None],
    tick: Callable[[], None],
    check: Callable[[], None],
) -> None:
    waiting = iter(chunks)
    running: dict[Future[Rows], Chunk] = {}
    try:
        while True:
            check()
            for chunk in islice(waiting, in_flight - len(running)):
                running[executor.submit(play, chunk.first_deal, chunk.n_deals)] = chunk
            if not running:
                return
            ready, _ = wait(running, timeout=TICK, return_when=FIRST_COMPLETED)
            if any(future.exception() for future in ready):
                _raise_first(running)
            for future in ready:
                # Forgotten only when it is kept: Ctrl-C may come in between.
                keep(running[future], future.result())
                del running[future]
                check()
            tick()
    except KeyboardInterrupt:
        for future in _ended(running):
            if future.exception() is None:
                keep(running[future], future.result())
        raise
    except BrokenExecutor as error:
        raise RunError("a worker process died (out of memory?)") from error
    finally:
        _ended(running)


def _raise_first(running: dict[Future[Rows], Chunk]) -> None:
    """Raise the error of the chunk that comes first; chunks before it have all been started."""
    failed = [future for future in _ended(running) if future.exception()]
    error = min(failed, key=lambda future: running[future].index).exception()
    assert error is not None
    raise error


def _ended(running: dict[Future[Rows], Chunk]) -> list[Future[Rows]]:
    """Cancel what has not begun, and wait for what has."""
    begun = [future for future in running if not future.cancel()]
    wait(begun)
    return begun


@dataclass(frozen=True)
class _Remote:
    """A job on its way to other processes; each of them unpacks it once."""

    packed: bytes

    def __call__(self, first_deal: int, n_deals: int) -> Rows:
        job, engine = _unpacked(self.packed)
        return job.play(engine, first_deal, n_deals)


@lru_cache(maxsize=2)
def _unpacked(packed: bytes) -> tuple[Job, ChunkEngine]:
    job: Job = pickle.loads(packed)
    return job, job.engine()


def _pickled(job: Job) -> bytes:
    try:
        return pickle.dumps(job)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise RunError(
            f"the strategies cannot be sent to other processes ({error}): "
            "name them by text, or play in threads"
        ) from error


def _resolved(strategy: Any) -> Any:
    from ramisim.strategies import as_strategy

    return as_strategy(strategy) if isinstance(strategy, str) else strategy


def begin_worker() -> None:
    """Leave Ctrl-C to the parent, and do not outlive it: a killed one cannot close its pool."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
