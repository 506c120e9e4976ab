"""``ramisim balance``: the balance panel of rule sets."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from ramisim.cli.console import LangOption, ThreadsOption, check_place
from ramisim.cli.interrupts import resumable
from ramisim.cli.reporting import analysed, tell

__all__ = ["balance", "report_balance"]


def balance(
    rules: Annotated[
        str | None,
        typer.Option("--rules", help="Rule sets, separated by commas; all presets by default."),
    ] = None,
    seats: Annotated[
        str, typer.Option("--seats", help="Numbers of seats (5 and 8 for rules of many).")
    ] = "2,3,4",
    deals: Annotated[
        int, typer.Option("--deals", min=20, help="Deals of a panel, each in all rotations.")
    ] = 1000,
    ladder: Annotated[
        int | None,
        typer.Option("--ladder", min=20, help="Deals of a skill ladder; a tenth by default."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder of the runs and the report.")] = Path(
        "runs/balance"
    ),
    docs: Annotated[
        Path | None, typer.Option("--docs", help="Also write this Markdown page, with figures.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the runs.")] = 0,
    threads: ThreadsOption = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Finish the runs that are in the folder.")
    ] = False,
    lang: LangOption = "en",
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.9999, help="Level of the intervals.")
    ] = 0.95,
) -> None:
    """Show how fair, skilful, long and open rule sets are: seats, ladder, length, comebacks."""
    from ramisim.balance import plan_balance, play_balance
    from ramisim.progress import ConsoleProgress
    from ramisim.rules import preset_names

    names = preset_names() if rules is None else [name.strip() for name in rules.split(",")]
    check_place("--docs", docs, made=True)
    plan, cells = plan_balance(names, deals, seed, _numbers(seats), ladder)
    command = shlex.join(["ramisim", *sys.argv[1:]])
    with resumable(command, out, resume):
        play_balance(
            plan,
            cells,
            out,
            threads=threads,
            resume=resume,
            progress=ConsoleProgress(),
            command=command,
        )
    report_balance(out, None, docs, lang, level)


def _numbers(text: str) -> list[int]:
    from ramisim.errors import StudyError

    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise StudyError(f"--seats {text!r} is no list of numbers like 2,3,4") from error


def report_balance(
    folder: Path, out: Path | None, docs: Path | None, lang: LangOption, level: float
) -> None:
    """Analyse a folder of panels and write its report, by default into it."""
    from ramisim.analysis.balance import analyse_balance
    from ramisim.analysis.report.balance_page import write_balance_docs, write_balance_report

    result = analysed(analyse_balance, folder, level, "panel")
    written = write_balance_report(result, out or folder, lang)
    if docs is not None:
        write_balance_docs(result, docs, lang)
    tell(written, docs)
