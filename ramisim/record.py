"""Game records (contracts 5): written, read, replayed and verified."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ramisim.actions import actions_of_rows
from ramisim.cards import card_name
from ramisim.errors import RecordError, RunError
from ramisim.kernels import asking, match, scoring, state
from ramisim.position_dict import hand_names
from ramisim.rules import Rules
from ramisim.verify import verify_game
from ramisim.version import ENGINE_VERSION

if TYPE_CHECKING:
    from ramisim.engine import Engine

__all__ = [
    "play_games",
    "read_games",
    "record_until_fault",
    "replay_deal",
    "verify_file",
    "verify_game",
    "write_games",
]

Line = dict[str, Any]
_ENDS: Final = ("out", "stock", "blocked", "tours", "stall")


def play_games(
    rules: Rules,
    strategies: Sequence[str],
    players: int,
    seed: int,
    n_games: int,
    first_deal: int = 0,
) -> Iterator[list[Line]]:
    """Play games seat by seat and give the record lines of each.

    Parameters
    ----------
    rules : Rules
    strategies : sequence of str
        One for each seat, seat 0 first.
    players : int
        Number of seats.
    seed, first_deal, n_games : int
        Deals ``first_deal`` and on of this seed, the same as in a batch.
    """
    from ramisim.engine import Engine
    from ramisim.strategies import resolve

    rules.check_players(players)
    engine = Engine(rules, [resolve(name) for name in strategies], seed)
    for deal in range(first_deal, first_deal + n_games):
        yield _play(engine, deal, 0, list(range(players)), stop_at_fault=False)


def replay_deal(folder: str | Path, deal: int, rotation: int = 0) -> list[Line]:
    """Play one deal of a run again, in one of its seatings.

    Parameters
    ----------
    folder : str or Path
        A run folder: its manifest says rules, strategies, seed and seatings.
    deal, rotation : int
        As in the tables of the run.

    Raises
    ------
    RunError
        The folder holds no run, or the run has no such deal or seating.
    """
    from ramisim.engine import Engine
    from ramisim.run_folder import read_manifest
    from ramisim.strategies import resolve

    manifest = read_manifest(Path(folder))
    first, seatings = int(manifest["first_deal"]), manifest["seatings"]
    last = first + int(manifest["deals"]) - 1
    if not first <= deal <= last:
        raise RunError(f"deal {deal}: the run has deals {first} to {last}")
    if not 0 <= rotation < len(seatings):
        raise RunError(f"rotation {rotation}: the run has seatings 0 to {len(seatings) - 1}")
    rules = Rules.load(manifest["rules"]["base"], manifest["rules"]["override"] or None)
    names = [strategy["name"] for strategy in manifest["strategies"]]
    engine = Engine(rules, [resolve(name) for name in names], int(manifest["seed"]))
    return _play(engine, deal, rotation, seatings[rotation], stop_at_fault=False)


def record_until_fault(
    engine: Engine, deal: int, rotation: int, seating: Sequence[int]
) -> list[Line]:
    """The record of a game up to the action that was refused."""
    return _play(engine, deal, rotation, seating, stop_at_fault=True)


def _play(
    engine: Engine, deal: int, rotation: int, seating: Sequence[int], stop_at_fault: bool
) -> list[Line]:
    from ramisim.engine import Workspace

    work = Workspace()
    n = len(seating)
    rules, record = engine.rules, engine.rules.record()
    lines: list[Line] = [
        {
            "record": 1,
            "engine": ENGINE_VERSION,
            "rules": rules.base,
            "override": dict(rules.override),
            "players": n,
            "seed": int(engine.seed),
            "deal": deal,
            "rotation": rotation,
            "strategies": [engine.strategies[k].name for k in seating],
        }
    ]
    seen, hidden = work.seens[0], work.hiddens[0]
    pool = rules.number("score.pool")
    played = 0
    while True:
        match.start_round(
            seen, hidden, record, engine.seed, np.uint64(deal), played, work.deck, n, played % n,
            pool,
        )  # fmt: skip
        line = _play_round(engine, work, deal, seating, played)
        if line["end"] is None:
            if not stop_at_fault:
                raise engine.refusal(work.faults[0], deal, rotation, list(seating), [*lines, line])
            return [*lines, line]
        lines.append(line)
        pool = int(scoring.next_pool(seen, record))
        played += 1
        if match.match_is_over(seen, record, played):
            break
    totals = line["totals"]
    winners = [seat for seat in range(n) if totals[seat] == max(totals)]
    lines.append({"end": "game", "totals": totals, "winners": winners})
    return lines


def _play_round(engine: Engine, work: Any, deal: int, seating: Sequence[int], number: int) -> Line:
    seen, hidden, record = work.seens[0], work.hiddens[0], engine.rules.record()
    n = len(seating)
    line: Line = {
        "round": number,
        "first_seat": int(seen["first_seat"]),
        "hands": [hand_names(hidden, seat) for seat in range(n)],
        "discard": [card_name(int(c)) for c in seen["discard"][: seen["n_discard"]]],
        "stock": [card_name(int(c)) for c in hidden["stock"][: seen["n_stock"]]],
        "turns": [],
        "end": None,
    }
    asking.clear_tally(work.tallies[0], hidden, n)
    work.key[:3] = (int(engine.seed), deal, number)
    while seen["phase"] != state.PHASE_OVER:
        turns: list[Line] = line["turns"]
        seat = int(seen["turn"])
        k = seating[seat]
        work.key[3] = engine.idents[k]
        recycles = int(seen["recycles"])
        before_seen, before_hidden = work.seens.copy(), work.hiddens.copy()
        played = asking.play_turn(
            seen, hidden, record, engine.asks, k, engine.params[k], work.key, work.box,
            work.tallies[0], work.faults[0], work.rows,
        )  # fmt: skip
        if played < 0:
            work.faults[0]["deal"], work.faults[0]["round"] = deal, number
            work.faults[0]["strategy"] = k
            return line
        rows = work.rows[:played].copy()
        turns.append({"seat": seat, "actions": _actions(before_seen, before_hidden, record, rows)})
        if match.shuffle_recycled(seen, hidden, record, engine.seed, np.uint64(deal), recycles):
            begin = int(hidden["stock_next"])
            stock = hidden["stock"][begin : begin + int(seen["n_stock"])]
            turns.append({"recycle": [card_name(int(c)) for c in stock]})
    return _close_round(line, seen, hidden, record, work.numbers)


def _actions(seens: Any, hiddens: Any, record: Any, rows: Any) -> list[Line]:
    """The dicts of a turn's rows, replayed from the position before it."""
    from ramisim.kernels import turn

    tables = []
    for row in rows:
        tables.append(seens[0].copy())
        turn.apply(seens[0], hiddens[0], record, row)
    return actions_of_rows(rows, tables)


def _close_round(line: Line, seen: Any, hidden: Any, record: Any, numbers: Any) -> Line:
    n = int(seen["n_seats"])
    scoring.score_round(seen, hidden, record, numbers[0], numbers[1], numbers[2])
    points = [int(x) for x in numbers[2, :n]]
    for seat in range(n):
        seen["totals"][seat] = points[seat] + (seen["totals"][seat] if line["round"] else 0)
    n_out = int(seen["n_out"])
    line["end"] = _ENDS[int(seen["end"])]
    line["out"] = [int(s) for s in seen["out_seat"][:n_out]]
    line["rami"] = bool(np.any(seen["out_rami"][:n_out]))
    line["points"] = points
    line["totals"] = [int(x) for x in seen["totals"][:n]]
    return line


def write_games(path: str | Path, games: Iterable[list[Line]]) -> int:
    """Write games to one record file, whole or not at all; the number written."""
    target = Path(path)
    part = target.with_name(target.name + ".part")
    n = 0
    try:
        with part.open("w", encoding="utf-8") as file:
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
    with Path(path).open(encoding="utf-8", errors="replace") as file:
        for n, text in enumerate(file, 1):
            if not text.strip():
                continue
            try:
                line = json.loads(text)
            except ValueError:
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
