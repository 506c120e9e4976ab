"""``ramisim strategies``: the strategies there are, and how each plays."""

from __future__ import annotations

from typing import Annotated

import typer

from ramisim.cli.console import console


def strategies(
    name: Annotated[str | None, typer.Argument(help="A strategy; without it all of them.")] = None,
) -> None:
    """Show the strategies, or how one of them plays and what can be tuned."""
    from rich.table import Table
    from rich.text import Text

    from ramisim.strategies import describe, strategy_names

    screen = console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    if name is None:
        table.add_column("strategy")
        table.add_column("how it plays")
        for known in strategy_names():
            table.add_row(known, describe(known).summary)
        screen.print(table)
        return
    page = describe(name)
    screen.print(Text(page.name, style="bold underline"))
    screen.print(Text(f"{page.summary}\n\n{page.text}".rstrip()))
    if page.parameters:
        table.add_column("parameter")
        table.add_column("value", justify="right")
        table.add_column("meaning")
        for parameter in page.parameters:
            table.add_row(parameter.name, f"{parameter.value:g}", parameter.about)
        screen.print()
        screen.print(table)
