"""``ramisim gallery``: a page for each strategy, and the ladder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ramisim.cli.console import check_place

__all__ = ["gallery"]


def gallery(
    out: Annotated[Path, typer.Option("--out", help="Folder of the pages.")] = Path(
        "docs/strategies"
    ),
    runs: Annotated[
        Path, typer.Option("--runs", help="Folder of the runs; what is there is not played again.")
    ] = Path("gallery-runs"),
    deals: Annotated[
        int, typer.Option("--deals", min=2, help="Deals of each meeting at two seats.")
    ] = 400,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", help="A preset; may be given many times. All by default."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of every run.")] = 1,
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="Workers; one a core by default.")
    ] = None,
) -> None:
    """Play the built-in strategies against each other and write the gallery's pages.

    Each meeting is a duplicate run of its own. After a stop the same command goes on.
    """
    from ramisim.gallery import play_gallery, write_gallery
    from ramisim.progress import ConsoleProgress

    check_place("--out", out, folder=True)
    progress = ConsoleProgress(unit="meeting")
    begun = False

    def told(number: int, total: int, name: str) -> None:
        nonlocal begun
        if not begun:
            progress.start(total, 0)
            begun = True
        progress.update(number, name)

    try:
        found = play_gallery(runs, deals, seed, rules or (), (), threads, told)
    finally:
        if begun:
            progress.stop()
    for place in write_gallery(out, found):
        typer.echo(place)
