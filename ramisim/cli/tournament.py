"""``ramisim tournament``: everybody against everybody, against a field, or until one is left."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ramisim.cli.console import (
    LangOption,
    RulesOption,
    SetOption,
    ThreadsOption,
    console,
    load_rules,
    split_strategies,
)
from ramisim.cli.interrupts import resumable
from ramisim.errors import RunError
from ramisim.plurals import counted

if TYPE_CHECKING:
    from rich.table import Table

    from ramisim.analysis.knockouts import KnockOuts
    from ramisim.analysis.tournament import Tournament

__all__ = ["tournament"]

DEALS = 200


def tournament(
    strategies: Annotated[
        list[str] | None,
        typer.Argument(metavar="[A B ...]", help="Who plays; all built-in strategies by default."),
    ] = None,
    rules: RulesOption = "rami500",
    settings: SetOption = None,
    players: Annotated[
        int | None,
        typer.Option(
            "--players",
            help="Seats at a table: by default the fewest that the rules seat, "
            "for knock-outs the most.",
        ),
    ] = None,
    deals: Annotated[
        int | None, typer.Option("--deals", help=f"Deals for everybody ({DEALS} by default).")
    ] = None,
    field: Annotated[
        str | None,
        typer.Option("--field", help="A gauntlet: everybody meets these, and not each other."),
    ] = None,
    line_ups: Annotated[
        Literal["auto", "all", "blocks"],
        typer.Option(
            "--line-ups", help="More strategies than seats: all line-ups, or balanced blocks."
        ),
    ] = "auto",
    rounds: Annotated[
        bool, typer.Option("--rounds", help="Keep a table of the rounds too.")
    ] = False,
    knock_outs: Annotated[
        int | None,
        typer.Option("--knock-outs", help="So many knock-outs instead: the last one left wins."),
    ] = None,
    entrants: Annotated[
        int | None,
        typer.Option("--entrants", help="Players of a knock-out, a multiple of the strategies."),
    ] = None,
    advance: Annotated[
        int | None,
        typer.Option("--advance", help="How many of a table go on; half of them by default."),
    ] = None,
    final: Annotated[
        Literal["last-one", "single"] | None,
        typer.Option(
            "--final", help="Final table: the last of each match leaves, or one match decides."
        ),
    ] = None,
    beside: Annotated[
        Path | None,
        typer.Option("--beside", help="For knock-outs: a round robin to compare the formats with."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the run.")] = 0,
    first: Annotated[
        int, typer.Option("--first-deal", min=0, help="Number of the first deal or knock-out.")
    ] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Run folder, with the report: new or empty, unless --resume."),
    ] = None,
    threads: ThreadsOption = None,
    chunk: Annotated[int | None, typer.Option("--chunk", min=1, help="Deals in a part.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Finish the tournament that is in the folder.")
    ] = False,
    lang: LangOption = "en",
) -> None:
    """Let many strategies play each other: round robin, gauntlet, or knock-outs.

    Everybody plays the same deals in every seat. With --field it is a gauntlet, with
    --knock-outs the best of each table go on until one is left.
    """
    from ramisim import tournament as play
    from ramisim.analysis.knockouts import check_beside
    from ramisim.analysis.runs import open_run
    from ramisim.progress import ConsoleProgress

    command = shlex.join(["ramisim", *sys.argv[1:]])
    begun = monotonic()
    progress = ConsoleProgress()
    _check_options(
        knock_outs is not None,
        {"--deals": deals, "--field": field, "--rounds": rounds or None},
        {"--entrants": entrants, "--advance": advance, "--final": final, "--beside": beside},
    )
    other = None if beside is None else open_run(beside)
    shared: dict[str, Any] = {
        "players": players, "out": out, "threads": threads, "chunk": chunk, "resume": resume,
        "progress": progress, "command": command,
    }  # fmt: skip
    names = _names(strategies, field)
    if other is not None:
        check_beside(other, names)  # before anything is played
    with resumable(command, out, resume):
        if knock_outs is not None:
            run = play.knock_out(
                load_rules(rules, settings), names, knock_outs, seed, entrants=entrants,
                advance=advance, final=final or "last-one", first_event=first, **shared,
            )  # fmt: skip
        else:
            run = play.tournament(
                load_rules(rules, settings), names, DEALS if deals is None else deals, seed,
                field=() if field is None else split_strategies(field, "--field"),
                line_ups=line_ups,
                rounds=rounds, first_deal=first, **shared,
            )  # fmt: skip
    played = progress.done - progress.already
    _tell(run, other, out, lang, played, monotonic() - begun)


def _check_options(knock_out: bool, round_robin: dict[str, Any], cup: dict[str, Any]) -> None:
    wrong = round_robin if knock_out else cup
    for name, value in wrong.items():
        if value is not None:
            what = "has no place with" if knock_out else "needs"
            raise RunError(f"{name} {what} --knock-outs")


def _names(strategies: list[str] | None, field: str | None) -> list[str]:
    """The strategies that are named, or all but those of the field."""
    from ramisim.strategies import strategy_names

    if strategies and strategies != ["all"]:
        return [name for text in strategies for name in split_strategies(text)]
    return [name for name in strategy_names() if name not in (field or "").split(",")]


def _tell(run: Any, beside: Any, out: Path | None, lang: Any, played: int, seconds: float) -> None:
    """A table, the text block, what it cost, and where the report lies."""
    from ramisim.analysis.knockouts import KnockOuts
    from ramisim.analysis.report.tournament_report import (
        analyse,
        tournament_text,
        write_tournament_report,
    )
    from ramisim.analysis.report.words import Words
    from ramisim.analysis.runs import open_run, run_in_memory
    from ramisim.progress import duration

    found = run_in_memory(run.manifest, run.games, None) if out is None else open_run(out)
    summary = analyse(found, beside=beside)
    words = Words(lang)
    cup = isinstance(summary, KnockOuts)
    screen = console()
    board = _cup_table(summary, words) if cup else _board_table(summary, words)  # type: ignore[arg-type]
    screen.print(_rich(board, screen.width))
    typer.echo(tournament_text(summary, lang))
    pace = counted(round(played / seconds), "game") + "/s"
    cost = f"{counted(played, 'game')} played in {duration(seconds)}, {pace}"
    typer.echo(cost if played else "nothing was left to play")
    if out is not None:
        typer.echo(f"{write_tournament_report(summary, out, lang).html}")


def _board_table(summary: Tournament, words: Any) -> Any:
    from ramisim.analysis.report.tournament_page import board_table

    return board_table(summary, words)


def _cup_table(summary: KnockOuts, words: Any) -> Any:
    from ramisim.analysis.report.knockout_page import board_table

    return board_table(summary, words)


def _rich(table: Any, width: int) -> Table:
    """As many columns of a table as fit, from the left: the report has them all."""
    from rich.table import Table

    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    room, fit = width + 2, 0
    for k, name in enumerate(table.head):
        # Headings may take two lines, numbers may not.
        least = max(len(row[k]) for row in table.rows)
        room -= max(least, *map(len, name.split())) + 2
        if room < 0 and k > 1:
            break
        fit = k + 1
        shown.add_column(
            name,
            justify="right" if k else "left",
            min_width=least if k else None,
            overflow="fold",
        )
    for row in table.rows:
        shown.add_row(*row[:fit])
    return shown
