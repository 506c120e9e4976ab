"""From a round robin or a gauntlet to one self-contained page."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from ramisim.analysis import figures, tournament_figures
from ramisim.analysis.estimates import Difference, Estimate
from ramisim.analysis.report.facts import interval, listed, played_facts, rank_text, ranked
from ramisim.analysis.report.frame import Table, drawing, headings, render
from ramisim.analysis.report.seats import seats_figure, seats_table, seats_text
from ramisim.analysis.report.tournament_words import elo_range, head_of, verdict
from ramisim.analysis.report.words import Words
from ramisim.analysis.standing import ALPHA, POPULATION, Lottery
from ramisim.analysis.svg import style
from ramisim.analysis.tournament import Extreme, Tournament

__all__ = [
    "board_table",
    "clear_cells",
    "lottery_table",
    "pairs_table",
    "tournament_page",
]


def tournament_page(t: Tournament, words: Words, text: str) -> str:
    """Render the report of a round robin or a gauntlet as HTML.

    Parameters
    ----------
    t : Tournament
    words : Words
    text : str
        The block to paste.
    """
    with style():
        drawn = _figures(t, words)
    return render(
        "tournament.html",
        words.lang,
        t=t,
        title=words(
            "tour.title",
            name=words(f"tour.{t.manifest.design}"),
            k=len(t.order),
            rules=t.manifest.rules,
        ),
        verdict=verdict(t, words),
        played=_played(t, words),
        board=board_table(t, words),
        ratings_text=_ratings_text(t, words),
        structure=_structure(t, words),
        cyclic_text=_cyclic_text(t, words),
        structure_text=_structure_text(t, words),
        pairs=_pairs(t, words),
        seats=seats_table(t.seats.wins, t.level, words, t.seats.points),
        seats_text=seats_text(t.seats, t.coverage.players, words),
        lottery=lottery_table(t.lotteries, t.board[0].label, words) if t.lotteries else None,
        most=_extremes(t, t.most, words),
        least=_extremes(t, t.least, words),
        text=text,
        figure=drawn,
    )


def pairs_table(rows: Sequence[Difference], level: float, words: Words, per_cent: bool) -> Table:
    """Paired differences with intervals and Holm's p, "first minus second"."""
    form = words.pct if per_cent else words.num
    difference = words("cup.column_difference") if per_cent else words("column.difference")
    head = ("pair", difference, words("column.interval", level=words.level(level)), "p_holm")
    cells = []
    for d in rows:
        digits = 1 if per_cent else words.digits(d.mean, d.se)
        cells.append(
            (
                words("axis.minus", a=d.a, b=d.b),
                form(d.mean, digits, sign=True),
                interval(d, words, per_cent, digits),
                words.p(d.p_holm),
            )
        )
    return Table(headings(head, words), tuple(cells))


def lottery_table(events: Sequence[Lottery], best: str, words: Words) -> Table:
    """Events of a format: games, how often the strongest wins, effective winners."""
    head = (
        words("tour.column_event"),
        words("column.games"),
        words("tour.column_best", a=best),
        words("tour.column_winners"),
    )
    rows = []
    for event in events:
        key = event.format + ("_1" if event.deals == 1 and event.format == "deals" else "")
        rows.append(
            (
                words(f"tour.event_{key}", deals=event.deals),
                words.count(event.games),
                words.pct(event.best),
                words.num(event.winners, 2),
            )
        )
    return Table(head, tuple(rows))


def _played(t: Tournament, words: Words) -> list[tuple[str, str]]:
    c = t.coverage
    value = words(
        "played.deals_value",
        deals=words.count(c.used),
        first=words.count(c.first),
        last=words.count(c.stop - 1),
        games=words.count(c.games),
        players=c.players,
    )
    whole = c.planned is None or c.used >= c.planned
    return played_facts(t.manifest, words, (words("played.deals"), value), whole)


def board_table(t: Tournament, words: Words) -> Table:
    """The board: rank, points, wins and rating of each, with intervals."""
    level = words("column.interval", level=words.level(t.level))
    head = ("strategy", "rank", "points", level, "wins", level, words("tour.column_elo"), level)
    rows = tuple(
        (
            row.label,
            rank_text(row.rank),
            words.num(row.points.mean),
            interval(row.points, words),
            words.pct(row.wins.mean),
            interval(row.wins, words, per_cent=True),
            words.num(row.elo, 0, sign=True),
            elo_range(row, words) or words.num(None),
        )
        for row in t.board
    )
    return ranked(Table(headings(head, words), rows))


def _ratings_text(t: Tournament, words: Words) -> str:
    seats = ", ".join(
        f"{seat}: {words.num(float(x), 0, sign=True)}" for seat, x in enumerate(t.ratings.seat)
    )
    return words("tour.text_ratings", level=words.level(t.level), seats=seats)


def _structure(t: Tournament, words: Words) -> Table | None:
    s = t.structure
    if s is None:
        return None
    head = (
        words("column.strategy"),
        words("tour.column_nash"),
        words("tour.column_support"),
        words("tour.column_alpha"),
        words("column.interval", level=words.level(t.level)),
    )
    rows = tuple(
        (
            name,
            words.pct(float(s.nash[k])),
            words.pct(float(s.nash_support[k]), 0),
            words.pct(float(s.alpha[k])),
            words(
                "verdict.range",
                low=words.pct(float(s.alpha_low[k]), 0),
                high=words.pct(float(s.alpha_high[k]), 0),
            ),
        )
        for k, name in enumerate(t.order)
    )
    return Table(head, rows)


def _cyclic_text(t: Tournament, words: Words) -> str:
    s = t.structure
    if s is None:
        return ""
    return words(
        "tour.text_cyclic",
        cyclic=words.pct(s.cyclic),
        level=words.level(t.level),
        low=words.pct(s.cyclic_low),
        high=words.pct(s.cyclic_high),
        noise=words.pct(s.cyclic_noise),
        p=words.num(s.cyclic_p, 3),
    )


def _structure_text(t: Tournament, words: Words) -> str:
    if t.structure is None:
        return ""
    alpha = words.num(ALPHA, 0)
    return words("tour.text_structure", draws=t.structure.draws, alpha=alpha, m=POPULATION)


def _pairs(t: Tournament, words: Words) -> Table:
    """Head to head, the one higher in the order first."""
    rows = [
        found
        for i, a in enumerate(t.order)
        for b in t.order[i + 1 :]
        if (found := head_of(t, a, b)) is not None
    ]
    return pairs_table(rows, t.level, words, per_cent=False)


def _extremes(t: Tournament, found: Sequence[Extreme], words: Words) -> Table | None:
    if not found:
        return None
    run = shlex.quote(t.place)
    head = (
        words("column.deal"),
        words("tour.column_line_up"),
        *t.watched,
        words("column.replay"),
    )
    rows = tuple(
        (
            str(x.deal),
            str(x.line_up),
            words.num(x.a, 0),
            words.num(x.b, 0),
            f"ramisim replay {run} --deal {x.deal} --line-up {x.line_up} --rotation {x.rotation}",
        )
        for x in found
    )
    return Table(head, rows)


def clear_cells(t: Tournament) -> NDArray[np.bool_]:
    """Which two are clearly apart head to head, in the order of ``t.order``."""
    at = {name: k for k, name in enumerate(t.order)}
    clear = np.zeros((len(at), len(at)), dtype=np.bool_)
    for d in t.head_to_head:
        sure = d.p_holm is not None and d.p_holm < 1 - t.level
        clear[at[d.a], at[d.b]] = clear[at[d.b], at[d.a]] = sure
    return clear


def _figures(t: Tournament, words: Words) -> dict[str, Markup]:
    rated = [
        Estimate(row.label, row.elo, None, row.elo_low, row.elo_high, t.coverage.used, 0)
        for row in t.board
    ]
    points = [row.points for row in t.board]
    drawn = {
        "board": drawing(
            "board",
            figures.dot_plot(points, words, words("axis.points")),
            words("alt.board", rows=listed(points, words)),
        ),
        "ratings": drawing(
            "ratings",
            figures.dot_plot(rated, words, words("tour.axis_elo")),
            words("tour.alt_ratings", rows=listed(rated, words)),
        ),
        "seats": seats_figure(t.seats.wins, words),
    }
    drawn.update(_payoffs(t, words))
    s = t.structure
    if s is not None:
        shares = (
            f"{name} {words.pct(float(s.nash[k]), 0)}, {words.pct(float(s.alpha[k]), 0)}"
            for k, name in enumerate(t.order)
        )
        drawn["structure"] = drawing(
            "structure",
            tournament_figures.structure_bars(t.order, s.nash, s.alpha, words),
            words("tour.alt_nash", rows="; ".join(shares)),
        )
    if t.lotteries:
        rows = ", ".join(f"{words.count(e.games)}: {words.pct(e.best)}" for e in t.lotteries)
        drawn["lottery"] = drawing(
            "lottery",
            tournament_figures.lottery_curve(t.lotteries, None, words),
            words("tour.alt_lottery", rows=rows),
        )
    return drawn


def _payoffs(t: Tournament, words: Words) -> dict[str, Markup]:
    # In a gauntlet only candidates against the field: the rest is empty or beside the point.
    rows = len(t.board)
    columns = slice(rows, None) if t.field else slice(None)
    clear = clear_cells(t)[:rows, columns]
    told = ", ".join(
        f"{a} {'−'} {b} {words.num(d.mean, 0, sign=True)}"
        for i, a in enumerate(t.order)
        for b in t.order[i + 1 :]
        if (d := head_of(t, a, b)) is not None
    )
    alt = words("tour.alt_payoff", rows=told)
    out = {}
    for name, matrix, per_cent in (
        ("payoff", t.payoff_points, False),
        ("ahead", t.payoff_ahead, True),
    ):
        drawn = tournament_figures.payoff_map(
            matrix[:rows, columns], t.order, clear, words, per_cent
        )
        out[name] = drawing(name, drawn, alt)
    return out
