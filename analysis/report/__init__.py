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

    summary = run if isinstance(run, Summary) else summarise(run)
    return five_lines(summary, Words(lang, plain=True))


def write_report(
    run: Run,
    out: Path | None = None,
    lang: Language = "en",
    level: float = 0.95,
    smallest: float = 1.0,
) -> Written:
    """Analyse a run and write ``report.html`` and ``report.json``.

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

    Raises
    ------
    RunError
        Nothing to analyse, or a folder that cannot be written.
    """
    from ramisim.analysis.report import frame
    from ramisim.analysis.report.page import page
    from ramisim.analysis.report.plain import as_plain
    from ramisim.analysis.report.verdict import verdict
    from ramisim.analysis.summary import summarise

    summary = summarise(run, level, smallest)
    text = text_block(summary, lang)
    numbers = {**as_plain(summary), "verdict": verdict(summary, Words(lang, plain=True))}
    html = page(summary, Words(lang), text)
    return frame.write_report(run.path if out is None else out, html, numbers, text)
