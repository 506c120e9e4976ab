"""Reports: one self-contained page, the same numbers as JSON, and a text block."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ramisim.analysis.report.words import Language, Words
from ramisim.errors import RunError

if TYPE_CHECKING:
    from ramisim.analysis.runs import Run
    from ramisim.analysis.summary import Summary

__all__ = ["Written", "text_block", "write_report"]


@dataclass(frozen=True)
class Written:
    """Where a report lies, and its five lines."""

    html: Path
    json: Path
    text: str


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
    from ramisim.analysis.report.numbers import report_json
    from ramisim.analysis.report.page import page
    from ramisim.analysis.summary import summarise

    summary = summarise(run, level, smallest)
    words, plain = Words(lang), Words(lang, plain=True)
    folder = run.path if out is None else out
    html, numbers = folder / "report.html", folder / "report.json"
    _write(html, page(summary, words, plain))
    _write(numbers, report_json(summary, plain))
    return Written(html, numbers, text_block(summary, lang))


def _write(path: Path, text: str) -> None:
    """Write under another name first: a reader never meets half a file."""
    half = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(text, encoding="utf-8", newline="\n")
        half.replace(path)
    except OSError as error:
        with suppress(OSError):
            half.unlink(missing_ok=True)
        raise RunError(f"{path} cannot be written: {error.strerror or error}") from error
