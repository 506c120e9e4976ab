"""Tournaments: round robin, gauntlet, and the knock-out of seed 000.

They are runs like those of `simulate`: parts in a folder, finished after any stop, the same rows
for any number of workers. The manifest says under ``tournament`` who met whom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl

from ramisim.analysis.schema import (
    EVENT_GAMES,
    GAMES_FOLDER,
    LINE_UP_GAMES,
    LINE_UP_ROUNDS,
    PARTS,
    ROUNDS_FOLDER,
)
from ramisim.brackets import MOST_ENTRANTS, Bracket, bracket
from ramisim.chunks import Chunk, EngineFactory, Job, Player, Rows, cpus, cut, default_chunk
from ramisim.errors import RunError, StrategyError
from ramisim.frames import tournament_frame
from ramisim.given import MOST_DEALS, listed, text, whole_number
from ramisim.line_ups import LineUps, field_line_ups, round_robin
from ramisim.playing import (
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
from ramisim.run_folder import RunFolder
from ramisim.tables import KnockOutJob, LineUpJob, no_seatings

if TYPE_CHECKING:
    from ramisim.progress import Progress

__all__ = ["knock_out", "tournament"]

MOST_STRATEGIES: Final = 120
"""Seatings hold the number of a strategy in seven bits."""
MOST_EVENTS: Final = 2**32
MOST_AT_ONCE: Final = 250
"""Knock-outs in a chunk."""

Strategies = str | Sequence[str | Player]


def tournament(
    rules: str | Path | Rules,
    strategies: Strategies,
    deals: int,
    seed: int = 0,
    *,
    field: Strategies = (),
    players: int | None = None,
    line_ups: str = "auto",
    rounds: bool = False,
    first_deal: int = 0,
    out: str | Path | None = None,
    threads: int | None = None,
    chunk: int | None = None,
    executor: Executor | str | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    command: str = "",
    engine: EngineFactory | None = None,
) -> Run:
    """Play a round robin, or a gauntlet where a field is given.

    Every deal is played by all line-ups, in all rotations, so that everybody has the same cards
    in every seat; the circular order at the tables changes from deal to deal.

    Parameters
    ----------
    rules : str, Path or Rules
        Name of a preset, path of a TOML file, or rules.
    strategies : str or sequence of str or Strategy
        Who plays, each once; for a gauntlet the candidates.
    deals : int
        Number of deals.
    seed : int
        Seed of the run, 0 to 2**64 - 1.
    field : str or sequence
        Each of `strategies` meets these, and not each other.
    players : int, optional
        Seats at a table, by default the fewest that the rules seat.
    line_ups : {"auto", "all", "blocks"}
        Of a round robin with more strategies than seats: all line-ups, or blocks in which each
        two meet equally often; by default all where they are few.
    rounds : bool
        Keep a row per round and seat as well.
    first_deal : int
        Number of the first deal.
    out : str or Path, optional
        A new or empty run folder. Without it the rows stay in memory.
    threads, chunk, executor, resume, progress, command, engine
        As in `ramisim.runner.simulate`.

    Returns
    -------
    Run
        Games with the schema ``LINE_UP_GAMES``, rounds with ``LINE_UP_ROUNDS``.

    Raises
    ------
    RunError
        A number or name out of place, a strategy twice, or a folder that cannot be used.
    RulesError
        The rules do not seat so many players.
    StrategyError
        A strategy did something illegal.
    """
    check_means(out, executor, resume, progress, command, engine, rounds)
    text("line_ups", line_ups)
    deals = whole_number("deals", deals, 1, MOST_DEALS)
    first_deal = whole_number("first_deal", first_deal, 0, MOST_DEALS - deals)
    rules = rules if isinstance(rules, Rules) else Rules.load(rules)
    named, others = listed(strategies), listed(field)
    chosen = _chosen([*named, *others])
    seats = _seats(rules, players)
    table = (
        field_line_ups(len(named), len(others), seats)
        if others
        else round_robin(len(named), seats, line_ups)
    )
    design = "gauntlet" if others else "round-robin"
    job = LineUpJob(
        engine or default_engine, rules, (*named, *others), seed, no_seatings(design, seats),
        rounds, line_ups=table,
    )  # fmt: skip
    told: dict[str, Any] = {
        "format": design,
        "line_ups": [list(row) for row in table.table],
        "choice": table.kind,
        "games_per_deal": table.games_per_deal,
    }
    if others:
        told["field"] = [strategy.name for strategy in chosen[len(named) :]]
    plan = _Plan(
        job, chosen, first_deal, deals, table.games_per_deal, told, LINE_UP_GAMES,
        lambda part: _line_up_keys(table, part),
    )  # fmt: skip
    return _play(plan, out, threads, chunk, executor, resume, progress, command)


def knock_out(
    rules: str | Path | Rules,
    strategies: Strategies,
    times: int,
    seed: int = 0,
    *,
    entrants: int | None = None,
    players: int | None = None,
    advance: int | None = None,
    final: str = "last-one",
    first_event: int = 0,
    out: str | Path | None = None,
    threads: int | None = None,
    chunk: int | None = None,
    executor: Executor | str | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    command: str = "",
    engine: EngineFactory | None = None,
) -> Run:
    """Play many knock-outs: tables of one match, the best go on, the last one left wins.

    The tables are drawn anew for every knock-out and stage, and every match has a deal of its
    own. Points are added up over the rounds of a match; between players in the same place those
    of all their matches decide, then the lot.

    Parameters
    ----------
    rules : str, Path or Rules
    strategies : str or sequence of str or Strategy
        Who plays, each once.
    times : int
        Number of knock-outs.
    seed : int
    entrants : int, optional
        Players, a multiple of the strategies, which all have as many; by default one each.
    players : int, optional
        Most seats at a table, by default the most that the rules seat.
    advance : int, optional
        How many of a table go on, see `ramisim.brackets.bracket`.
    final : {"last-one", "single"}
        At the final table the last of each match leaves, or one match decides.
    first_event : int
        Number of the first knock-out.
    out, threads, chunk, executor, resume, progress, command, engine
        As in `ramisim.runner.simulate`.

    Returns
    -------
    Run
        Games with the schema ``EVENT_GAMES``.

    Raises
    ------
    RunError, RulesError, StrategyError
        As in `tournament`.
    """
    check_means(out, executor, resume, progress, command, engine)
    text("final", final)
    times = whole_number("knock-outs", times, 1, MOST_EVENTS)
    first_event = whole_number("first_event", first_event, 0, MOST_EVENTS - times)
    rules = rules if isinstance(rules, Rules) else Rules.load(rules)
    named = listed(strategies)
    chosen = _chosen(named)
    if len(named) < 2:
        raise RunError("a tournament needs two strategies at least")
    entrants = len(named) if entrants is None else entrants
    n_entrants = whole_number("entrants", entrants, 2, MOST_ENTRANTS)
    if n_entrants % len(named):
        raise RunError(
            f"{counted(n_entrants, 'entrant')}: give a multiple of the {len(named)} strategies, "
            "so that all have as many players"
        )
    seats = int(rules["players.max"]) if players is None else players
    rules.check_players(seats)
    tree = bracket(n_entrants, seats, int(rules["players.min"]), advance, final)
    job = KnockOutJob(
        engine or default_engine, rules, named, seed, no_seatings("knock-out", seats),
        False, bracket=tree,
    )  # fmt: skip
    told = {
        "format": "knock-out",
        "entrants": n_entrants,
        "advance": tree.advance,
        "final": tree.final,
        "stages": [
            {
                "tables": list(s.sizes),
                "going_on": list(s.going_on),
                "byes": s.byes,
                "final": s.final,
            }
            for s in tree.stages
        ],
        "games_per_deal": tree.matches,
    }
    plan = _Plan(
        job, chosen, first_event, times, tree.matches, told, EVENT_GAMES,
        lambda part: _event_keys(tree, part),
    )  # fmt: skip
    return _play(plan, out, threads, chunk, executor, resume, progress, command)


@dataclass(frozen=True)
class _Plan:
    """A tournament before it is played; a knock-out counts as a deal."""

    job: Job
    players: tuple[Player, ...]
    first: int
    number: int
    each: int
    told: Mapping[str, Any]
    schema: pl.Schema
    keys: Callable[[Chunk], pl.DataFrame]

    def frames(self, rows: Rows) -> dict[str, pl.DataFrame]:
        """The tables of a chunk by their folder, games last: with them the chunk is whole."""
        names = [player.name for player in self.players]
        found = {}
        if rows[1] is not None:
            found[ROUNDS_FOLDER] = tournament_frame(rows[1], names, LINE_UP_ROUNDS)
        found[GAMES_FOLDER] = tournament_frame(rows[0], names, self.schema)
        return found

    def manifest(self, chunk: int, command: str) -> dict[str, Any]:
        return {
            **manifest_of(self.job, self.players, self.first, self.number, chunk, command),
            "tournament": dict(self.told),
        }


def _play(
    plan: _Plan,
    out: str | Path | None,
    threads: int | None,
    chunk: int | None,
    executor: Executor | str | None,
    resume: bool,
    progress: Progress | None,
    command: str,
) -> Run:
    whole_number("seed", plan.job.seed, 0, 2**64 - 1)
    compiled = all(player.compiled for player in plan.players)
    if chunk is None and resume and out is not None:
        chunk = chunk_of(Path(out))
    if chunk is None:
        chunk = min(default_chunk(plan.number, plan.each, compiled), MOST_AT_ONCE)
    chunk = whole_number("chunk", chunk, 1, MOST_DEALS)
    workers = whole_number("threads", cpus() if threads is None else threads, 1, 1024)
    if executor is None:
        executor = "threads" if compiled else "processes"
    if executor == "threads":
        plan = replace(plan, job=replace(plan.job, strategies=plan.players))

    def play(todo: Sequence[Chunk], keep: Callable[[Chunk, Rows], None]) -> None:
        total = plan.each * plan.number
        play_all(plan.job, todo, executor, workers, progress, plan.each, total, keep)

    chunks, manifest = cut(plan.first, plan.number, chunk), plan.manifest(chunk, command)
    if out is None:
        if resume:
            raise RunError("there is nothing to resume without a run folder")
        frames: dict[int, dict[str, pl.DataFrame]] = {}
        play(chunks, lambda part, rows: frames.update({part.index: plan.frames(rows)}))
        tables = {
            table: pl.concat([frames[index][table] for index in sorted(frames)]).lazy()
            for table in next(iter(frames.values()))
        }
        found = tables[GAMES_FOLDER], tables.get(ROUNDS_FOLDER)
        return Run({**manifest, "complete": True}, *found, None)
    path = Path(out)
    with RunFolder.open(path, manifest, resume) as folder:

        def keep(chunk: Chunk, rows: Rows) -> None:
            for table, frame in plan.frames(rows).items():
                folder.write(table, chunk.index, frame)

        todo = [
            chunk
            for chunk in chunks
            if not folder.holds(chunk.index, plan.schema, plan.keys(chunk), LINE_UP_ROUNDS)
        ]
        if todo:
            folder.set_complete(False)
            try:
                play(todo, keep)
            except StrategyError as error:
                raise with_record(error, path) from error
        folder.set_complete(True)
        games = pl.scan_parquet(path / GAMES_FOLDER / PARTS)
        kept = plan.job.rounds
        of_rounds = pl.scan_parquet(path / ROUNDS_FOLDER / PARTS) if kept else None
        return Run(folder.manifest, games, of_rounds, path)


def _chosen(strategies: Sequence[str | Player]) -> tuple[Player, ...]:
    """The strategies, no two of the same name."""
    if len(strategies) > MOST_STRATEGIES:
        raise RunError(f"{len(strategies)} strategies: a tournament takes {MOST_STRATEGIES}")
    chosen = tuple(resolved(strategy) for strategy in strategies)
    twice = [name for name, n in Counter(player.name for player in chosen).items() if n > 1]
    if twice:
        raise RunError(f"{twice[0]} is named twice: every strategy of a tournament plays once")
    return chosen


def _seats(rules: Rules, players: int | None) -> int:
    seats = int(rules["players.min"]) if players is None else players
    rules.check_players(seats)
    return seats


def _line_up_keys(table: LineUps, chunk: Chunk) -> pl.DataFrame:
    """Keys of the rows of some deals, in their order."""
    shape = (chunk.n_deals, len(table.table), table.seats, table.seats)
    deal, line_up, rotation, seat = np.indices(shape).reshape(4, -1)
    return pl.DataFrame(
        {
            "deal": deal.astype(np.uint64) + np.uint64(chunk.first_deal),
            "line_up": line_up.astype(np.uint16),
            "rotation": rotation.astype(np.uint8),
            "seat": seat.astype(np.uint8),
        }
    )


def _event_keys(tree: Bracket, chunk: Chunk) -> pl.DataFrame:
    """Keys of the rows of some knock-outs, in their order."""
    one = np.array(
        [(stage, table, seat) for _, stage, table, size in tree.slots() for seat in range(size)],
        dtype=np.uint8,
    )
    events = np.arange(chunk.first_deal, chunk.first_deal + chunk.n_deals, dtype=np.uint32)
    many = np.tile(one, (chunk.n_deals, 1))
    return pl.DataFrame(
        {
            "event": np.repeat(events, len(one)),
            "stage": many[:, 0].copy(),
            "table": many[:, 1].copy(),
            "seat": many[:, 2].copy(),
        }
    )
