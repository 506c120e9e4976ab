"""``ramisim report``: what a run shows, as a page, as numbers and in five lines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ramisim.cli.console import LangOption
from ramisim.cli.reporting import tell

__all__ = ["report"]


def report(
    run: Annotated[
        Path, typer.Argument(help="Folder of a run, a tournament, a study or a balance.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder of the report; the run folder by default.")
    ] = None,
    lang: LangOption = "en",
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.9999, help="Level of the intervals.")
    ] = 0.95,
    smallest: Annotated[
        float,
        typer.Option(
            "--smallest",
            min=0.0,
            max=1e9,
            help="Smallest difference that matters, in points a game.",
        ),
    ] = 1.0,
    beside: Annotated[
        Path | None,
        typer.Option(
            "--beside", help="For knock-outs: a round robin of the same strategies to compare with."
        ),
    ] = None,
) -> None:
    """Analyse a run: report.html, report.json, and five lines to paste."""
    if (run / "study.json").is_file():
        from ramisim.cli.study import report_study

        report_study(run, out, None, lang, level)
        return
    if (run / "balance.json").is_file():
        from ramisim.cli.balance import report_balance

        report_balance(run, out, None, lang, level)
        return
    from ramisim.analysis.report import write_report
    from ramisim.analysis.runs import open_run

    other = None if beside is None else open_run(beside)
    written = write_report(open_run(run), out, lang, level, smallest, other)
    tell(written)
