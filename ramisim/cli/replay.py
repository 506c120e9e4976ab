"""``ramisim replay``: show a recorded game, or a deal of a run, turn by turn."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from ramisim.cli.console import LangOption, console


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
    lang: LangOption = "en",
) -> None:
    """Show a recorded game, or a deal of a run, turn by turn."""
    from ramisim.cli.show import show_game
    from ramisim.errors import RecordError
    from ramisim.record import read_games, replay_deal

    if deal is not None:
        show_game(replay_deal(file, deal, rotation, line_up), console(), lang)
        return
    if file.is_dir():
        raise RecordError(f"{file} is a run folder: name a deal of it with --deal")
    lines = next(islice(read_games(file), game - 1, None), None)
    if lines is None:
        n_games = sum(1 for _ in read_games(file))
        holds = f"{n_games} game{'s' * (n_games != 1)}"
        raise RecordError(f"{file} holds {holds}: there is no game {game}")
    show_game(lines, console(), lang)
