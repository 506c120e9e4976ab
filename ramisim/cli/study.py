"""``ramisim study``: rule variants on common deals, with the metrics declared first."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ramisim.cli.console import LangOption, ThreadsOption, console
from ramisim.cli.interrupts import resumable
from ramisim.cli.reporting import analysed, tell
from ramisim.plurals import counted

if TYPE_CHECKING:
    from ramisim.study import Study

__all__ = ["report_study", "study"]


def study(
    name: Annotated[
        str | None,
        typer.Argument(help="A study that ships, or a TOML file; without it they are listed."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Study folder; runs/NAME by default.")
    ] = None,
    deals: Annotated[
        int | None, typer.Option("--deals", min=2, help="Deals a variant, instead of the file's.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Another seed.")] = None,
    threads: ThreadsOption = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Finish the study that is in the folder.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be played, and play nothing.")
    ] = False,
    toml: Annotated[
        bool, typer.Option("--toml", help="Print the file of a study that ships.")
    ] = False,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="Also write the figures as PNG files here.")
    ] = None,
    lang: LangOption = "en",
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.9999, help="Level of the intervals.")
    ] = 0.95,
) -> None:
    """Study rules: play variants on common deals, and report what each factor does."""
    from ramisim.study_file import read_study, study_text

    if name is None:
        _list_studies(lang)
        return
    if toml:
        typer.echo(study_text(name), nl=False)
        return
    from ramisim.study import plan_study

    planned = plan_study(read_study(name), deals, seed)
    if dry_run:
        _show(planned)
        return
    folder = out or Path("runs") / planned.plan.name
    _play(planned, folder, threads, resume)
    report_study(folder, None, figures, lang, level)


def _list_studies(lang: str) -> None:
    from rich.table import Table

    from ramisim.study_file import read_study, study_names

    table = Table("study", "base", "factors", "", box=None, pad_edge=False)
    for name in study_names():
        told = read_study(name)
        table.add_row(name, told.base, "\n".join(told.factors), told.question.get(lang, ""))
    console().print(table)


def _show(planned: Study) -> None:
    from rich.table import Table

    plan = planned.plan
    table = Table("variant", *plan.factors, box=None, pad_edge=False)
    for variant in plan.variants:
        table.add_row(variant.name, *(str(level) for level in variant.levels))
    console().print(table)
    for line_up in plan.line_ups:
        typer.echo(f"{line_up.players} seats, {line_up.design}: {', '.join(line_up.strategies)}")
    declared = ", ".join(d.metric for d in plan.declared)
    typer.echo(f"{counted(plan.deals, 'deal')} each, seed {plan.seed}; declared: {declared}")


def _play(planned: Study, folder: Path, threads: int | None, resume: bool) -> None:
    from ramisim.progress import ConsoleProgress
    from ramisim.study import play_study

    command = shlex.join(["ramisim", *sys.argv[1:]])
    with resumable(command, folder, resume):
        play_study(
            planned,
            folder,
            threads=threads,
            resume=resume,
            progress=ConsoleProgress(),
            command=command,
        )


def report_study(
    folder: Path, out: Path | None, figures: Path | None, lang: LangOption, level: float
) -> None:
    """Analyse a study folder and write its report, by default into it."""
    from ramisim.analysis.report.study_page import write_study_figures, write_study_report
    from ramisim.analysis.study import analyse_study

    result = analysed(analyse_study, folder, level, "run")
    written = write_study_report(result, out or folder, lang)
    if figures is not None:
        write_study_figures(result, figures, lang)
    tell(written, figures)
