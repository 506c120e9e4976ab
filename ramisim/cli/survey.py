"""``ramisim survey``: one strategy against itself by many rule sets, as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ramisim.cli.console import SetOption, ThreadsOption, check_place, console

__all__ = ["survey"]

WIDTH = 150
"""Columns of the table in a file."""


def survey(
    out: Annotated[
        Path, typer.Option("--out", help="Folder for the runs; what is there is finished.")
    ],
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", help="A preset or a TOML file; may be given many times."),
    ] = None,
    settings: SetOption = None,
    players: Annotated[
        list[int] | None,
        typer.Option("--players", help="Seats; may be given many times. 2, 3 and 4 by default."),
    ] = None,
    strategy: Annotated[str, typer.Option(help="Who sits in every seat.")] = "greedy",
    rounds: Annotated[int, typer.Option(min=1, help="Rounds for each row, at least.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Seed of every run.")] = 0,
    threads: ThreadsOption = None,
    page: Annotated[
        Path | None,
        typer.Option("--page", help="Write the table into this Markdown page, between its marks."),
    ] = None,
) -> None:
    """Show how rounds go, rule set by rule set: ends, length, points, first seat's edge.

    Each row is a run of its own in the folder. After a stop the same command goes on.
    """
    from rich.table import Table

    from ramisim.analysis.runs import open_run
    from ramisim.analysis.survey import HEAD, into_page, markdown, survey_cell, texts
    from ramisim.progress import ConsoleProgress
    from ramisim.rules import parse_settings
    from ramisim.survey import play_table, tables

    check_place("--page", page)
    cells = []
    shown = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    for k, word in enumerate(HEAD):
        shown.add_column(word, justify="left" if k == 0 else "right", no_wrap=k > 0)
    for table in tables(rules or (), players or (), parse_settings(settings or [])):
        progress = ConsoleProgress()
        folder = play_table(table, strategy, rounds, seed, out, threads, progress)
        cells.append(survey_cell(open_run(folder)))
        shown.add_row(*texts(cells[-1]))
    screen = console()
    if not screen.is_terminal:
        screen.width = WIDTH
    screen.print(shown)
    if page is not None:
        before = page.read_text(encoding="utf-8") if page.exists() else ""
        page.write_text(into_page(before, markdown(cells)), encoding="utf-8")
        typer.echo(f"{page}")
