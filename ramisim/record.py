"""Game records (contracts 5): written, read, replayed and verified."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import numpy as np

from ramisim.actions import actions_of_rows
from ramisim.cards import card_name
from ramisim.driver import LoggedRound, Match, Refused
from ramisim.errors import RecordError, RunError, StrategyError
from ramisim.given import MOST_DEALS, listed, path_of, whole_number
from ramisim.kernels import turn
from ramisim.plurals import counted
from ramisim.position_dict import hand_names
from ramisim.rules import Rules
from ramisim.strategies import as_strategy
from ramisim.verifying import verify_game
from ramisim.version import ENGINE_VERSION

if TYPE_CHECKING:
    from ramisim.engine import Engine

__all__ = [
    "engine_of_run",
    "play_games",
    "play_match",
    "read_games",
    "record_of",
    "replay_deal",
    "verify_file",
    "verify_game",
    "write_games",
]

Line = dict[str, Any]
_ENDS: Final = ("out", "stock", "blocked", "tours", "stall")


def play_games(
    rules: Rules | str | Path,
    strategies: str | Sequence[Any],
    players: int,
    seed: int,
    n_games: int,
    first_deal: int = 0,
) -> Iterator[list[Line]]:
    """Play games seat by seat and give the record lines of each.

    Parameters
    ----------
    rules : Rules, str or Path
    strategies : str or sequence of str or Strategy
        One for each seat, seat 0 first; texts, or what `ramisim.strategies.as_strategy` takes.
    players : int
        Number of seats.
    seed, first_deal, n_games : int
        Deals ``first_deal`` and on of this seed, the same as in a batch.
    """
    from ramisim.engine import Engine

    rules = rules if isinstance(rules, Rules) else Rules.load(rules)
    rules.check_players(players)
    first_deal = whole_number("first_deal", first_deal, 0, MOST_DEALS)
    n_games = whole_number("n_games", n_games, 0, MOST_DEALS - first_deal)
    chosen = [as_strategy(given) for given in listed(strategies)]
    if len(chosen) != players:
        raise StrategyError(f"{counted(players, 'seat')}: as many strategies, not {len(chosen)}")
    engine = Engine(rules, chosen, seed)
    for deal in range(first_deal, first_deal + n_games):
        yield record_of(play_match(engine, deal, list(range(players))))


def play_match(
    engine: Engine,
    deal: int,
    seating: Sequence[int],
    rotation: int = 0,
    watch: Callable[[Match], None] | None = None,
) -> Match:
    """Play one match of an engine, keeping what happens.

    Raises
    ------
    StrategyError
        A strategy raised, or its answer was refused; ``record`` holds the game so far.
    """
    from ramisim.engine import Workspace

    played = Match(engine, Workspace(), deal, seating, rotation)
    if watch is None and all(engine.strategies[k].compiled for k in seating):
        # Played as in a batch and then gone through: ten times as fast as turn by turn.
        log = engine.actions(deal, seating)
        if log is not None:
            played.follow(log)
            return played
    try:
        played.play(watch)
    except Refused as refused:
        raise engine.blame(played, refused) from None
    return played


def replay_deal(folder: str | Path, deal: int, rotation: int = 0, line_up: int = 0) -> list[Line]:
    """Play one deal of a run again, in one of its seatings.

    Parameters
    ----------
    folder : str or Path
        A run folder: its manifest says rules, strategies, seed and seatings.
    deal, rotation, line_up : int
        As in the tables of the run; only tournaments have line-ups.

    Raises
    ------
    RunError
        The folder holds no run, or the run has no such deal or seating.
    """
    engine, seating = engine_of_run(folder, deal, rotation, line_up)
    return record_of(play_match(engine, deal, seating, rotation))


def engine_of_run(
    folder: str | Path, deal: int, rotation: int, line_up: int = 0
) -> tuple[Engine, list[int]]:
    """The engine of a run folder, and one of its seatings.

    Raises
    ------
    RunError
        The folder holds no run, or the run has no such deal or seating, or a strategy is no
        longer what the run played.
    """
    from ramisim.engine import Engine
    from ramisim.run_folder import read_manifest

    manifest = read_manifest(Path(folder))
    played = manifest["strategies"]
    if manifest.get("tournament"):
        names = _names_at_table(Path(folder), deal, rotation, line_up)
        played = [told for told in played if told["name"] in names]
        places = {told["name"]: k for k, told in enumerate(played)}
        seating = [places[name] for name in names]
    elif line_up:
        raise RunError(f"line-up {line_up}: only the deals of a tournament have line-ups")
    else:
        seating = _seating(manifest, deal, rotation)
    rules = Rules.load(manifest["rules"]["base"], manifest["rules"]["override"] or None)
    strategies = []
    for told in played:
        strategies.append(as_strategy(told["name"]))
        if strategies[-1].source != told["source"]:
            raise RunError(f"strategy {told['name']} has been changed since this run was played")
    return Engine(rules, strategies, int(manifest["seed"])), seating


def _seating(manifest: dict[str, Any], deal: int, rotation: int) -> list[int]:
    first, seatings = int(manifest["first_deal"]), manifest["seatings"]
    last = first + int(manifest["deals"]) - 1
    if not first <= deal <= last:
        raise RunError(f"deal {deal}: the run has deals {first} to {last}")
    if not 0 <= rotation < len(seatings):
        raise RunError(f"rotation {rotation}: the run has seatings 0 to {len(seatings) - 1}")
    return [int(k) for k in seatings[rotation]]


def _names_at_table(folder: Path, deal: int, rotation: int, line_up: int) -> list[str]:
    """Who sat where in a game of a tournament: its rows say it."""
    import polars as pl

    from ramisim.analysis.runs import open_run

    games = open_run(folder).games
    wanted = (pl.col("deal") == deal) & (pl.col("rotation") == rotation)
    if "line_up" in games.collect_schema():
        wanted &= pl.col("line_up") == line_up
    rows = games.filter(wanted).select("seat", pl.col("strategy").cast(pl.String)).collect()
    if not len(rows):
        raise RunError(
            f"the tournament has no deal {deal} with line-up {line_up} in rotation {rotation}"
        )
    return [str(name) for name in rows.sort("seat")["strategy"]]


def record_of(played: Match, refused: Refused | None = None) -> list[Line]:
    """The record lines of a match; of one that was stopped, as far as it went.

    The last line of a match that was stopped is ``{"end": "refused", "seat": ..., "reason": ...}``,
    and its last round and turn are not complete.
    """
    engine, n = played.engine, len(played.seating)
    lines: list[Line] = [
        {
            "record": 1,
            "engine": ENGINE_VERSION,
            "rules": engine.rules.base,
            "override": dict(engine.rules.override),
            "players": n,
            "seed": int(engine.seed),
            "deal": int(played.deal),
            "rotation": played.rotation,
            "strategies": engine.names(played.seating),
        }
    ]
    lines += [_round_line(logged, n, engine.rules.record()) for logged in played.log]
    if refused is not None:
        lines.append({"end": "refused", "seat": refused.seat, "reason": refused.reason})
        return lines
    totals = lines[-1]["totals"]
    winners = [seat for seat in range(n) if totals[seat] == max(totals)]
    lines.append({"end": "game", "totals": totals, "winners": winners})
    return lines


def _round_line(logged: LoggedRound, n: int, record: Any) -> Line:
    seens, hiddens = logged.seen.copy(), logged.hidden.copy()
    seen, hidden = seens[0], hiddens[0]
    line: Line = {
        "round": logged.number,
        "first_seat": int(seen["first_seat"]),
        "hands": [hand_names(hidden, seat) for seat in range(n)],
        "discard": [card_name(int(c)) for c in seen["discard"][: seen["n_discard"]]],
        "stock": [card_name(int(c)) for c in hidden["stock"][: seen["n_stock"]]],
        "turns": [],
        "end": None,
    }
    for played in logged.turns:
        actions = _actions(seens, hiddens, record, played.rows)
        line["turns"].append({"seat": played.seat, "actions": actions})
        if played.recycled is not None:
            line["turns"].append({"recycle": [card_name(int(c)) for c in played.recycled]})
            begin = int(hidden["stock_next"])
            hidden["stock"][begin : begin + len(played.recycled)] = played.recycled
    if logged.last_seen is not None:
        last = logged.last_seen[0]
        n_out = int(last["n_out"])
        line["end"] = _ENDS[int(last["end"])]
        line["out"] = [int(s) for s in last["out_seat"][:n_out]]
        line["rami"] = bool(np.any(last["out_rami"][:n_out]))
        line["points"] = logged.points
        line["totals"] = logged.totals
    return line


def _actions(seens: Any, hiddens: Any, record: Any, rows: Any) -> list[Line]:
    """The dicts of a turn's rows, replayed from the position before it."""
    tables = []
    for row in rows:
        tables.append(seens[0].copy())
        turn.apply_row(seens[0], hiddens[0], record, row)
    return actions_of_rows(rows, tables)


def write_games(path: str | Path, games: Iterable[list[Line]]) -> int:
    """Write games to one record file, whole or not at all; the number written."""
    target = path_of("path", path, RecordError)
    if target.is_dir():
        raise RecordError(f"{target} cannot be written: it is a folder")
    part = target.with_name(f"{target.name}.{os.getpid()}.part")  # two may write at once
    n = 0
    try:
        file = part.open("w", encoding="utf-8")
    except OSError as error:
        raise RecordError(f"{target} cannot be written: {error.strerror}") from error
    try:
        with file:
            for game in games:
                for line in game:
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")
                n += 1
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return n


def read_games(path: str | Path) -> Iterator[list[Line]]:
    """The games of a record file, each as its lines.

    Raises
    ------
    RecordError
        A line that is no JSON object, or a file that does not begin with a game's first line.
    """
    game: list[Line] = []
    n = 0
    path = path_of("path", path, RecordError)
    with _opened(path) as file:
        for n, text in enumerate(file, 1):
            if not text.strip():
                continue
            try:
                line = json.loads(text)
            except (ValueError, RecursionError):
                raise RecordError(f"{path}, line {n}: not a line of JSON") from None
            if not isinstance(line, dict):
                raise RecordError(f"{path}, line {n}: a record line is a JSON object")
            if "record" in line and game:
                yield game
                game = []
            if not game and "record" not in line:
                raise RecordError(f"{path}, line {n}: a game begins with its 'record' line")
            game.append(line)
    if not game:
        raise RecordError(f"{path} holds no game")
    yield game


def _opened(path: Path) -> TextIO:
    try:
        return path.open(encoding="utf-8", errors="replace")
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror or error}") from error


def verify_file(path: str | Path) -> int:
    """Verify every game of a record file; how many there are.

    Raises
    ------
    RecordError
        With the game's number and what does not hold.
    """
    n = 0
    for n, game in enumerate(read_games(path), 1):
        try:
            verify_game(game)
        except RecordError as error:
            raise RecordError(f"{path}, game {n}: {error}") from None
    return n
