"""``ramisim replay``: show a recorded game, or a deal of a run, turn by turn."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from ramisim.cli.console import LangOption, console
from ramisim.plurals import counted


def replay(
    file: Annotated[
        Path, typer.Argument(metavar="FILE|RUN", help="A game record, .jsonl, or a run folder.")
    ],
    game: Annotated[int, typer.Option(min=1, help="Which game of the file.")] = 1,
    deal: Annotated[int | None, typer.Option(min=0, help="Of a run: which deal.")] = None,
    rotation: Annotated[int, typer.Option(min=0, help="Of a run: which of its seatings.")] = 0,
    line_up: Annotated[
        int, typer.Option("--line-up", min=0, help="Of a tournament: which of its line-ups.")
    ] = 0,
    explain: Annotated[
        bool, typer.Option("--explain", help="Of a run: show the values of each option.")
    ] = False,
    lang: LangOption = "en",
) -> None:
    """Show a recorded game, or a deal of a run, turn by turn."""
    from ramisim.cli.show import show_game
    from ramisim.errors import RamisimError, RecordError
    from ramisim.record import engine_of_run, play_match, read_games, record_of, verify_game

    if deal is not None:
        engine, seating = engine_of_run(file, deal, rotation, line_up)
        played = play_match(engine, deal, seating, rotation)
        notes = None
        if explain:
            from ramisim.explain import explain_match

            notes = explain_match(played, lang)
        show_game(record_of(played), console(), lang, notes)
        return
    if explain:
        raise RecordError("a record does not hold its strategies: --explain needs a run and --deal")
    if file.is_dir():
        raise RecordError(f"{file} is a run folder: name a deal of it with --deal")
    lines = next(islice(read_games(file), game - 1, None), None)
    if lines is None:
        n_games = sum(1 for _ in read_games(file))
        holds = f"{counted(n_games, 'game')}"
        raise RecordError(f"{file} holds {holds}: there is no game {game}")
    try:
        show_game(lines, console(), lang)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, RamisimError):
            raise
        try:
            verify_game(lines)
        except RecordError as wrong:
            raise RecordError(f"{file}, game {game}: {wrong}") from None
        raise
