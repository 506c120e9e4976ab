"""``ramisim verify``: replay records action by action, against the rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ramisim.plurals import counted


def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Game records, .jsonl.")],
) -> None:
    """Check game records: every action legal, every card, point and total as written."""
    from ramisim.errors import RecordError
    from ramisim.record import read_games, verify_game

    for file in files:
        n_games = 0
        for lines in read_games(file):
            n_games += 1
            try:
                verify_game(lines)
            except RecordError as error:
                raise RecordError(f"{file}, game {n_games}: {error}") from error
        if not n_games:
            raise RecordError(f"{file} holds no game")
        typer.echo(f"{file}: {counted(n_games, 'game')}, every action legal")
