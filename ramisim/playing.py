"""What every kind of run shares: strategies and engine, the manifest, the playing of chunks."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from ramisim.chunks import Chunk, ChunkEngine, Job, Player, Rows, executor_for, play_chunks
from ramisim.errors import RunError, StrategyError
from ramisim.given import flag, has_methods, path_of, text
from ramisim.progress import duration
from ramisim.rules import Rules
from ramisim.run_folder import read_manifest
from ramisim.strategies import as_strategy
from ramisim.version import ENGINE_VERSION, SCHEMA_VERSION, __version__
from ramisim.watching import InOrder

if TYPE_CHECKING:
    from ramisim.progress import Progress

__all__ = [
    "Keep",
    "Run",
    "check_means",
    "chunk_of",
    "default_engine",
    "manifest_of",
    "play_all",
    "resolved",
    "waiting_news",
    "with_record",
]

STALLED_AFTER: Final = 60.0
"""Seconds without a chunk, which takes about one, before a loop without an end is thought of."""
LIBRARIES = ("numpy", "polars", "numba")
Keep = Callable[[Chunk, Rows], None]


@dataclass(frozen=True)
class Run:
    """The result of `simulate`.

    Parameters
    ----------
    manifest : dict
        As in ``run.json`` (contracts 6).
    games : polars.LazyFrame
        A row per game and seat, sorted by deal, rotation and seat.
    rounds : polars.LazyFrame or None
        A row per round and seat, if they were asked for.
    folder : Path or None
        The run folder; None for a run in memory.
    """

    manifest: dict[str, Any]
    games: pl.LazyFrame
    rounds: pl.LazyFrame | None
    folder: Path | None


def manifest_of(
    job: Job,
    players: Sequence[Player],
    first_deal: int,
    deals: int,
    chunk: int,
    command: str,
) -> dict[str, Any]:
    """What ``run.json`` says of a run that has not been played yet (contracts 6)."""
    rules, table = job.rules, job.seatings
    return {
        "schema": SCHEMA_VERSION,
        "engine": ENGINE_VERSION,
        "ramisim": __version__,
        "rules": {
            "name": rules.name,
            "base": rules.base,
            "override": dict(rules.override),
            "values": dict(rules.values),
        },
        "strategies": [
            {"name": s.name, "params": dict(s.params), "source": s.source} for s in players
        ],
        "players": table.seats,
        "seed": job.seed,
        "design": table.design,
        "every": table.every,
        "seatings": table.table.tolist(),
        "first_deal": first_deal,
        "deals": deals,
        "chunk": chunk,
        "rounds": job.rounds,
        "libraries": _library_versions(),
        "command": command,
        "complete": False,
    }


def play_all(
    job: Job,
    todo: Sequence[Chunk],
    executor: Executor | str,
    workers: int,
    progress: Progress | None,
    each: int,
    total: int,
    keep: Keep,
    order: InOrder | None = None,
) -> None:
    """Play chunks of a job and tell how far it is; ``keep(chunk, rows)`` is called for each.

    Parameters
    ----------
    each, total : int
        Games of a deal, and of the whole run: those that are not to do have been played.
    order : InOrder, optional
        Is told every chunk, and may end the run.
    """
    done = total - each * sum(chunk.n_deals for chunk in todo)
    came = monotonic()

    def kept(chunk: Chunk, rows: Rows) -> None:
        nonlocal done, came
        keep(chunk, rows)
        done += chunk.n_deals * each
        came = monotonic()
        if order is not None:
            order.add(chunk.index, rows[0]["points"])

    def tick() -> None:
        if progress is not None:
            news = "" if order is None else order.news()
            progress.update(done, waiting_news(job.strategies, monotonic() - came) or news)

    with ExitStack() as stack:
        if progress is not None:
            progress.start(total, done)
            stack.callback(progress.stop)
        pool, play = stack.enter_context(executor_for(job, executor, workers))
        # One chunk a worker is played, one more waits: memory stays, no worker idles.
        wanted = todo if order is None else order.until_the_end(todo)
        play_chunks(wanted, pool, play, 2 * workers, kept, tick)


def waiting_news(strategies: Sequence[Any], waited: float) -> str:
    """What to say where nothing comes any more: a user's machine code cannot be stopped.

    Parameters
    ----------
    strategies : sequence of Strategy or str
        Who plays.
    waited : float
        Seconds since something came.

    Returns
    -------
    str
        Empty as long as all goes well.
    """
    own = [given.name for given in strategies if getattr(given, "own_functions", None)]
    if not own or waited < STALLED_AFTER:
        return ""
    checks = " or ".join(f"ramisim strategies --check {name}" for name in own)
    return f"no game for {duration(waited)}; whether one never ends, {checks} says"


def check_means(
    out: object,
    executor: object,
    resume: object,
    progress: object,
    command: object,
    engine: object,
    rounds: object = False,
) -> None:
    """Refuse what no run can be played with; numbers and names are checked where they are read.

    Raises
    ------
    RunError
        A path, flag, text or object that is none.
    """
    if out is not None:
        path_of("out", out)
    if executor is not None and not isinstance(executor, str):
        has_methods("executor", executor, ["submit"], "threads, processes or an Executor")
    if progress is not None:
        has_methods("progress", progress, ["start", "update", "stop"], "a Progress")
    if engine is not None:
        has_methods("engine", engine, ["__call__"], "a function of rules, strategies and seed")
    flag("resume", resume)
    flag("rounds", rounds)
    text("command", command)


def resolved(strategy: str | Player) -> Player:
    """A strategy by its name, or as it is."""
    if hasattr(strategy, "source") and hasattr(strategy, "compiled"):
        return strategy  # type: ignore[return-value]
    # Pyright takes no cached_property for the property of a protocol.
    player: Player = as_strategy(strategy)  # pyright: ignore[reportAssignmentType]
    return player


def default_engine(rules: Rules, strategies: Sequence[Any], seed: int) -> ChunkEngine:
    """The engine; it is imported when the first one is made."""
    from ramisim.engine import Engine

    engine: ChunkEngine = Engine(rules, strategies, seed)
    return engine


def chunk_of(out: Path) -> int | None:
    """The chunk size of a run that is to be finished: the one thing that has a free default."""
    try:
        return int(read_manifest(out)["chunk"])
    except RunError:
        return None  # no run there yet; a broken manifest is told when the folder is opened


def with_record(error: StrategyError, out: Path) -> StrategyError:
    """Keep the game so far of a refused action beside the parts, and say where."""
    if not error.record:
        return error
    file = out / "refused.jsonl"
    lines = "".join(json.dumps(line) + "\n" for line in error.record)
    try:
        file.write_text(lines, encoding="utf-8")
    except OSError:
        return error
    return StrategyError(f"{error} (the game so far: {file})", error.record)


def _library_versions() -> dict[str, str]:
    python = ".".join(map(str, sys.version_info[:3]))
    return {"python": python} | {name: metadata.version(name) for name in LIBRARIES}
