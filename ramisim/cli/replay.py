"""``ramisim replay``: show a recorded game turn by turn."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from ramisim.cli.console import LangOption, console


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A game record, .jsonl.")],
    game: Annotated[int, typer.Option(min=1, help="Which game of the file.")] = 1,
    lang: LangOption = "en",
) -> None:
    """Show a recorded game turn by turn."""
    from ramisim.cli.show import show_game
    from ramisim.errors import RecordError
    from ramisim.record import read_games

    lines = next(islice(read_games(file), game - 1, None), None)
    if lines is None:
        n_games = sum(1 for _ in read_games(file))
        holds = f"{n_games} game{'s' * (n_games != 1)}"
        raise RecordError(f"{file} holds {holds}: there is no game {game}")
    show_game(lines, console(), lang)
