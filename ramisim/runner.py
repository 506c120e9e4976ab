"""`simulate`: many games of some strategies, in memory or into a run folder.

A plan (rules, strategies, seed, seatings, deals) is cut into chunks of deals; chunks are played
by an executor, each becomes one frame and one Parquet part. Rows are the same for any number
of workers, any chunk size, and after any number of stops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from ramisim.analysis.schema import GAMES_FOLDER, PARTS, ROUNDS_FOLDER
from ramisim.chunks import Chunk, EngineFactory, Job, Player, Rows, cpus, cut, default_chunk
from ramisim.designs import Seatings, line_up, seatings
from ramisim.errors import RunError, StrategyError
from ramisim.frames import empty_frame, games_frame, rounds_frame
from ramisim.given import MOST_DEALS, listed, shown, text, whole_number
from ramisim.playing import (
    Keep,
    Run,
    check_means,
    chunk_of,
    default_engine,
    manifest_of,
    play_all,
    resolved,
    with_record,
)
from ramisim.plurals import counted
from ramisim.rules import Rules
from ramisim.run_folder import RunFolder, read_manifest
from ramisim.watching import InOrder, Until

if TYPE_CHECKING:
    from ramisim.progress import Progress

__all__ = ["Run", "simulate"]


@dataclass(frozen=True)
class _Plan:
    """A run before it is played."""

    job: Job
    players: tuple[Player, ...]
    first_deal: int
    deals: int
    chunk: int
    until: Until | None = None

    def names(self) -> list[str]:
        return [player.name for player in self.players]

    def chunks(self) -> list[Chunk]:
        return cut(self.first_deal, self.deals, self.chunk)

    def manifest(self, command: str) -> dict[str, Any]:
        told = manifest_of(self.job, self.players, self.first_deal, self.deals, self.chunk, command)
        return told if self.until is None else {**told, "stop": self.until.to_dict()}

    def order(self) -> InOrder | None:
        """What looks at the deals in their order; None where nothing ends the run early."""
        if self.until is None:
            return None
        return InOrder(self.until, self.job.seatings, self.names())

    def as_ended(self, manifest: Mapping[str, Any]) -> _Plan:
        """The plan of a run that its rule has ended already: so many deals and no more."""
        ended = (manifest.get("stop") or {}).get("ended")
        return self if ended is None else replace(self, deals=int(ended), until=None)


def simulate(
    rules: str | Path | Rules,
    strategies: str | Sequence[str | Player],
    deals: int,
    seed: int = 0,
    design: str = "duplicate",
    *,
    players: int | None = None,
    opponents: str | Sequence[str | Player] = (),
    out: str | Path | None = None,
    threads: int | None = None,
    chunk: int | None = None,
    rounds: bool = False,
    executor: Executor | str | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    first_deal: int = 0,
    command: str = "",
    engine: EngineFactory | None = None,
    until: Until | None = None,
) -> Run:
    """Play deals in all their seatings.

    Parameters
    ----------
    rules : str, Path or Rules
        Name of a preset, path of a TOML file, or rules.
    strategies : str or sequence of str or Strategy
        The line-up by seat, names or strategy objects; a text is split at its commas. Fewer
        strategies than seats are repeated in order: two at four seats sit A, B, A, B. For the
        design ``substitute`` the candidates.
    deals : int
        Number of deals, each played in all its seatings: ``duplicate`` at two seats plays two
        matches a deal.
    seed : int
        Seed of the run, 0 to 2**64 - 1.
    design : {"duplicate", "rotate", "fixed", "permute", "substitute"}
        Who sits where, see `ramisim.designs.seatings`.
    players : int, optional
        Seats; by default as many as strategies, or the fewest that the rules allow.
    opponents : str or sequence, optional
        For ``substitute`` only: who fills the other seats, repeated in order like `strategies`.
        By default the last of the strategies is the opponent, and the others are candidates.
    out : str or Path, optional
        A new or empty run folder. Without it the rows stay in memory.
    threads : int, optional
        Number of workers, by default the cores at hand. No row depends on it.
    chunk : int, optional
        Deals in a chunk, and so in a part. No row depends on it.
    rounds : bool
        Keep a row per round and seat as well.
    executor : {"threads", "processes"} or Executor, optional
        What plays the chunks: by default threads, or processes where a strategy is plain
        Python. Any object with ``submit`` that gives futures of `concurrent.futures` will do.
    resume : bool
        Finish the run that is in `out`; a folder without a run is started as usual.
    progress : Progress, optional
        Is told how far the run is, see `ramisim.progress`.
    first_deal : int
        Number of the first deal.
    command : str
        For the manifest: the command line that asked for the run.
    engine : callable, optional
        Makes the engine from (rules, strategies, seed), instead of `ramisim.engine.Engine`.
    until : Until, optional
        Ends the run early; `deals` is then the most that are played. Which deals count depends
        on no number of workers.

    Returns
    -------
    Run
        Lazy frames of the games and rounds.

    Raises
    ------
    RunError
        A number or name out of place, a folder that is not empty or holds another run, or a
        disk that is full or read-only.
    StrategyError
        A strategy did something illegal; of several the one on the first deal is told.
    KeyboardInterrupt
        Ctrl-C, after the chunks that were being played have been kept.
    """
    check_means(out, executor, resume, progress, command, engine, rounds)
    if until is not None and not isinstance(until, Until):
        raise RunError(f"until is {shown(until)}: a ramisim.watching.Until is needed")
    text("design", design)
    deals = whole_number("deals", deals, 1, MOST_DEALS)
    first_deal = whole_number("first_deal", first_deal, 0, MOST_DEALS - deals)
    seed = whole_number("seed", seed, 0, 2**64 - 1)
    if not isinstance(rules, Rules):
        rules = Rules.load(rules)
    named, others = listed(strategies), listed(opponents)
    table = _seatings(rules, design, len(named), len(others), players)
    texts = (*named, *others)
    chosen = tuple(resolved(text) for text in texts)
    if chunk is None and resume and out is not None:
        chunk = chunk_of(Path(out))
    if chunk is None:
        chunk = default_chunk(deals, table.games_per_deal, all(s.compiled for s in chosen))
    chunk = whole_number("chunk", chunk, 1, MOST_DEALS)
    workers = cpus() if threads is None else threads
    workers = whole_number("threads", workers, 1, 1024)
    if executor is None:
        executor = "threads" if all(s.compiled for s in chosen) else "processes"
    # Texts travel to other processes where objects with compiled functions might not.
    job = Job(engine or default_engine, rules, texts, seed, table, rounds)
    if executor == "threads":
        job = replace(job, strategies=chosen)
    plan = _Plan(job, chosen, first_deal, deals, chunk, until)
    play = _Playing(plan, executor, workers, progress)
    if out is None:
        if resume:
            raise RunError("there is nothing to resume without a run folder")
        return _in_memory(play, command)
    return _in_folder(play, Path(out), command, resume)


@dataclass(frozen=True)
class _Playing:
    """A plan and the means to play it."""

    plan: _Plan
    executor: Executor | str
    workers: int
    progress: Progress | None

    def run(self, todo: Sequence[Chunk], keep: Keep, order: InOrder | None) -> None:
        """Play some chunks of the plan; ``keep(chunk, rows)`` is called for each."""
        plan, each = self.plan, self.plan.job.seatings.games_per_deal
        play_all(
            plan.job,
            todo,
            self.executor,
            self.workers,
            self.progress,
            each,
            plan.deals * each,
            keep,
            order,
        )


def _in_memory(playing: _Playing, command: str) -> Run:
    plan = playing.plan
    games: dict[int, pl.DataFrame] = {}
    rounds: dict[int, pl.DataFrame] = {}

    def keep(chunk: Chunk, rows: Rows) -> None:
        games[chunk.index] = games_frame(rows[0], plan.names())
        if rows[1] is not None:
            rounds[chunk.index] = rounds_frame(rows[1], plan.names())

    order = plan.order()
    playing.run(plan.chunks(), keep, order)
    manifest = {**plan.manifest(command), "complete": True}
    inside = pl.lit(value=True)
    if order is not None and order.watch.ended is not None:
        ended = order.watch.ended
        manifest |= {"deals": ended, "stop": {**manifest["stop"], "ended": ended}}
        inside = pl.col("deal") < plan.first_deal + ended
    return Run(
        manifest=manifest,
        games=_in_order(games, GAMES_FOLDER).filter(inside),
        rounds=_in_order(rounds, ROUNDS_FOLDER).filter(inside) if plan.job.rounds else None,
        folder=None,
    )


def _in_folder(playing: _Playing, out: Path, command: str, resume: bool) -> Run:
    if resume:
        playing = _resumed(playing, out)
    plan = playing.plan
    with RunFolder.open(out, plan.manifest(command), resume) as folder:
        todo: list[Chunk] = []
        order = plan.order()
        if resume:
            folder.cut(len(plan.chunks()))
        for chunk in plan.chunks():
            seated = plan.job.seatings
            if not folder.is_whole(chunk.index, seated, chunk.first_deal, chunk.n_deals):
                todo.append(chunk)
            elif order is not None:
                order.add(chunk.index, folder.points(chunk.index))

        def keep(chunk: Chunk, rows: Rows) -> None:
            if rows[1] is not None:
                frame = rounds_frame(rows[1], plan.names())
                folder.write(ROUNDS_FOLDER, chunk.index, frame)
            folder.write(GAMES_FOLDER, chunk.index, games_frame(rows[0], plan.names()))

        if todo:
            folder.set_complete(False)
            try:
                playing.run(todo, keep, order)
            except StrategyError as error:
                raise with_record(error, out) from error
        if order is not None and order.watch.ended is not None:
            ended = order.watch.ended
            folder.end(ended, len(replace(plan, deals=ended).chunks()))
        folder.set_complete(True)
        return Run(
            manifest=folder.manifest,
            games=pl.scan_parquet(out / GAMES_FOLDER / PARTS),
            rounds=pl.scan_parquet(out / ROUNDS_FOLDER / PARTS) if plan.job.rounds else None,
            folder=out,
        )


def _resumed(playing: _Playing, out: Path) -> _Playing:
    """A run that has a rule goes on by that rule; one that it has ended stays as long as it is."""
    plan = playing.plan
    try:
        found = read_manifest(out)
    except RunError:
        return playing  # nothing there yet, or what `RunFolder.open` tells
    if plan.until is not None:
        plan.until.check_same(found, out)
    return replace(playing, plan=plan.as_ended(found))


def _in_order(frames: Mapping[int, pl.DataFrame], table: str) -> pl.LazyFrame:
    ordered = [frames[index] for index in sorted(frames)]
    return pl.concat([empty_frame(table), *ordered]).lazy()


def _seatings(
    rules: Rules, design: str, n_named: int, n_others: int, players: int | None
) -> Seatings:
    """The seatings of a design for strategies numbered in the order they are given."""
    fewest = int(rules["players.min"])
    everybody = list(range(n_named + n_others))
    if design != "substitute":
        if n_others:
            raise RunError(f"opponents belong to the design substitute, not to {design}")
        seats = players if players is not None else max(n_named, fewest)
        rules.check_players(seats)
        return seatings(design, line_up(n_named, seats))
    if n_others == 0:
        n_named, n_others = n_named - 1, 1
    if n_named < 1:
        raise RunError("the design substitute needs a candidate and an opponent at least")
    seats = players if players is not None else max(n_others + 1, fewest)
    rules.check_players(seats)
    if n_others >= seats:
        raise RunError(f"{n_others} opponents do not fit the {counted(seats - 1, 'other seat')}")
    field = [n_named + index for index in line_up(n_others, seats - 1)]
    return seatings(design, everybody[:n_named], field)
