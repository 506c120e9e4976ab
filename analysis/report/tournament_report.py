"""Reports of tournaments: analyse, then write the page, the numbers and the five lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ramisim.analysis.knockouts import KnockOuts, summarise_knock_outs
from ramisim.analysis.report import frame, knockout_page, tournament_words
from ramisim.analysis.report.plain import as_plain
from ramisim.analysis.report.words import Language, Words
from ramisim.analysis.tournament import Tournament, summarise_tournament
from ramisim.errors import RunError

if TYPE_CHECKING:
    from ramisim.analysis.report.frame import Written
    from ramisim.analysis.runs import Run

__all__ = ["analyse", "tournament_text", "write_tournament_report"]


def analyse(run: Run, level: float = 0.95, beside: Run | None = None) -> Tournament | KnockOuts:
    """Analyse a tournament of any kind.

    Parameters
    ----------
    run : Run
    level : float
        Of all intervals.
    beside : Run, optional
        For knock-outs: a round robin of the same strategies, to compare the formats.

    Raises
    ------
    RunError
        Nothing to analyse, or `beside` with a tournament that is no knock-out.
    """
    if run.manifest.design == "knock-out":
        return summarise_knock_outs(run, level, beside)
    if beside is not None:
        raise RunError(f"{run.path} is no run of knock-outs: only those are set beside a run")
    return summarise_tournament(run, level)


def tournament_text(summary: Tournament | KnockOuts, lang: Language = "en") -> str:
    """Five lines to paste."""
    words = Words(lang, plain=True)
    if isinstance(summary, KnockOuts):
        return knockout_page.five_lines(summary, words)
    return tournament_words.five_lines(summary, words)


def write_tournament_report(
    summary: Tournament | KnockOuts, folder: Path, lang: Language = "en"
) -> Written:
    """Write ``report.html`` and ``report.json`` of a tournament.

    Parameters
    ----------
    summary : Tournament or KnockOuts
        From `analyse`.
    folder : Path
    lang : {"en", "fr"}

    Raises
    ------
    RunError
        The folder cannot be written.
    """
    words, plain = Words(lang), Words(lang, plain=True)
    text = tournament_text(summary, lang)
    if isinstance(summary, KnockOuts):
        said = knockout_page.verdict(summary, plain)
        html = knockout_page.knock_out_page(summary, words, text)
    else:
        from ramisim.analysis.report.tournament_page import tournament_page

        said = tournament_words.verdict(summary, plain)
        html = tournament_page(summary, words, text)
    return frame.write_report(folder, html, {**as_plain(summary), "verdict": said}, text)
