"""``ramisim strategies``: the strategies there are, how each plays, and those of your own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ramisim.cli.console import console
from ramisim.errors import StrategyError
from ramisim.plurals import counted

if TYPE_CHECKING:
    from ramisim.strategy.check import Verdict


def strategies(
    name: Annotated[
        str | None,
        typer.Argument(help="A strategy, or a file of one; without it all that have a name."),
    ] = None,
    new: Annotated[
        Path | None, typer.Option("--new", metavar="FILE", help="Write a strategy to change.")
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            "--check",
            metavar="STRATEGY",
            help="Play it through every preset: legal, deterministic, blind, how fast.",
        ),
    ] = None,
) -> None:
    """Show the strategies, or how one of them plays and what can be tuned."""
    if sum(given is not None for given in (name, new, check)) > 1:
        raise typer.BadParameter("NAME, --new and --check are three questions: ask one")
    if new is not None:
        _write_new(new)
    elif check is not None:
        _check(check)
    elif name is not None:
        _show(name)
    else:
        _list()


def _list() -> None:
    from rich.table import Table

    from ramisim.strategies import describe, registered, strategy_names

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("strategy")
    table.add_column("how it plays")
    for known in strategy_names():
        table.add_row(known, describe(known).summary)
    for known, point in registered().items():
        try:
            summary = describe(known).summary
        except StrategyError as error:
            summary = str(error)
        where = point.dist.name if point.dist is not None else point.module
        table.add_row(known, f"{summary} (from {where})")
    console().print(table)


def _show(name: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from ramisim.strategies import describe

    screen = console()
    page = describe(name)
    screen.print(Text(page.name, style="bold underline"))
    screen.print(Text(f"{page.summary}\n\n{page.text}".rstrip()))
    if page.parameters:
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("parameter")
        table.add_column("value", justify="right")
        table.add_column("meaning")
        for parameter in page.parameters:
            table.add_row(parameter.name, f"{parameter.value:g}", parameter.about)
        screen.print()
        screen.print(table)


def _write_new(path: Path) -> None:
    from ramisim.strategy import loading

    source = Path(loading.__file__).with_name("template.py").read_text(encoding="utf-8")
    if path.suffix != ".py":
        raise StrategyError(f"--new {path}: a strategy is a .py file")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(source.replace("mine.py", path.name))
    except FileExistsError:
        raise StrategyError(f"{path} is there already: nothing was written") from None
    typer.echo(f"{path}: play it with ramisim play --strategies {path}:hunter,greedy")


def _check(name: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from ramisim.progress import ConsoleProgress
    from ramisim.rules import preset_names
    from ramisim.strategy.check import check_strategy

    progress = ConsoleProgress()

    def told(done: int, total: int) -> None:
        if not progress.total:
            progress.start(total, 0)
        progress.update(done)

    try:
        verdicts = check_strategy(name, told)
    finally:
        progress.stop()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("rules")
    for title in ("seats", "games", "games/s", "time", "asked twice"):
        table.add_column(title, justify="right")
    table.add_column("legal, deterministic, blind")
    for verdict in verdicts:
        table.add_row(*_row(verdict), Text(verdict.problem or "yes"))
    screen = console()
    screen.print(table)
    screen.print("time: of a game against greedy, 1 for greedy itself", style="dim")
    left = len(preset_names()) - len(verdicts)
    if left:
        screen.print(f"not played any more: {counted(left, 'more preset')}", style="dim")
    wrong = [verdict for verdict in verdicts if verdict.problem]
    if wrong:
        raise StrategyError(f"{wrong[0].preset}: {wrong[0].problem}")


def _row(verdict: Verdict) -> list[str]:
    rate = f"{verdict.games / verdict.seconds:,.0f}" if verdict.seconds else "-"
    share = f"{verdict.seconds / verdict.own_seconds:.2f}" if verdict.seconds else "-"
    counts = [str(verdict.seats), str(verdict.games)]
    return [verdict.preset, *counts, rate, share, f"{verdict.asked:,}"]
