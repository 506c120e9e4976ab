"""Seat effects in a report: the same table, figure and sentence for every kind of run."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ramisim.analysis import figures
from ramisim.analysis.estimates import Estimate
from ramisim.analysis.report.facts import interval, listed
from ramisim.analysis.report.frame import Table, drawing, headings
from ramisim.analysis.report.words import Words
from ramisim.analysis.table import SeatEffect

__all__ = ["seats_figure", "seats_table", "seats_text"]


def seats_table(
    wins: Sequence[Estimate], level: float, words: Words, points: Sequence[Estimate] = ()
) -> Table:
    """Share of wins by seat, and mean points where they are given."""
    head = ["seat", "wins", words("column.interval", level=words.level(level))]
    rows = [(w.label, words.pct(w.mean), interval(w, words, per_cent=True)) for w in wins]
    if not points:
        return Table(headings(head, words), tuple(rows))
    more = tuple((*row, words.num(p.mean)) for row, p in zip(rows, points, strict=True))
    return Table(headings([*head, "points"], words), more)


def seats_text(effects: SeatEffect, players: int, words: Words) -> str:
    """Whether the seats win alike, all strategies together."""
    return words(
        "text.seats",
        share=words.pct(1 / players),
        chi2=words.num(effects.chi2, 2),
        w=words.num(effects.w, 3),
        p=words.p(effects.p_deals),
        effect=words.num(effects.design_effect, 2),
    )


def seats_figure(wins: Sequence[Estimate], words: Words) -> Markup:
    """Share of wins by seat, against an equal share; inside `svg.style`."""
    alt = words("alt.seats", rows=listed(wins, words, per_cent=True))
    return drawing("seats", figures.seat_plot(wins, words), alt)
