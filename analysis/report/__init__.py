"""Reports: one self-contained page, the same numbers as JSON, and a text block."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ramisim.analysis.report.words import Language, Words

if TYPE_CHECKING:
    from ramisim.analysis.report.frame import Written
    from ramisim.analysis.runs import Run
    from ramisim.analysis.summary import Summary

__all__ = ["text_block", "write_report"]


def text_block(run: Run | Summary, lang: Language = "en") -> str:
    """Five lines to paste: run, verdict, strategies, counts, table.

    Parameters
    ----------
    run : Run or Summary
        A summary saves the analysis where it is there already.
    lang : {"en", "fr"}
    """
    from ramisim.analysis.report.verdict import five_lines
    from ramisim.analysis.summary import Summary, summarise

    if not isinstance(run, Summary) and run.manifest.tournament:
        from ramisim.analysis.report.tournament_report import analyse, tournament_text

        return tournament_text(analyse(run), lang)
    summary = run if isinstance(run, Summary) else summarise(run)
    return five_lines(summary, Words(lang, plain=True))


def write_report(
    run: Run,
    out: Path | None = None,
    lang: Language = "en",
    level: float = 0.95,
    smallest: float = 1.0,
    beside: Run | None = None,
) -> Written:
    """Analyse a run or a tournament and write ``report.html`` and ``report.json``.

    Parameters
    ----------
    run : Run
    out : Path, optional
        Folder, made if missing; the run folder by default.
    lang : {"en", "fr"}
    level : float
        Level of all intervals.
    smallest : float
        Smallest difference of interest, in points a game.
    beside : Run, optional
        For knock-outs: a round robin of the same strategies, to compare the formats.

    Raises
    ------
    RunError
        Nothing to analyse, or a folder that cannot be written.
    """
    folder = run.path if out is None else out
    if run.manifest.tournament or beside is not None:
        from ramisim.analysis.report.tournament_report import analyse, write_tournament_report

        return write_tournament_report(analyse(run, level, beside), folder, lang)
    from ramisim.analysis.report import frame
    from ramisim.analysis.report.page import page
    from ramisim.analysis.report.plain import as_plain
    from ramisim.analysis.report.verdict import verdict
    from ramisim.analysis.summary import summarise

    summary = summarise(run, level, smallest)
    text = text_block(summary, lang)
    numbers = {**as_plain(summary), "verdict": verdict(summary, Words(lang, plain=True))}
    html = page(summary, Words(lang), text)
    return frame.write_report(folder, html, numbers, text)
