"""From a series of knock-outs to one self-contained page, and to five lines."""

from __future__ import annotations

from markupsafe import Markup

from ramisim.analysis import figures, tournament_figures
from ramisim.analysis.estimates import Estimate
from ramisim.analysis.knockouts import KnockOuts
from ramisim.analysis.report.facts import bracketed, interval, listed, played_facts, rank_text
from ramisim.analysis.report.frame import Table, Verdict, drawing, headings, render
from ramisim.analysis.report.seats import seats_figure, seats_table
from ramisim.analysis.report.tournament_page import lottery_table, pairs_table
from ramisim.analysis.report.tournament_words import lottery_text
from ramisim.analysis.report.words import Words
from ramisim.analysis.svg import style

__all__ = ["board_table", "five_lines", "knock_out_page", "verdict"]


def knock_out_page(k: KnockOuts, words: Words, text: str) -> str:
    """Render the report of a series of knock-outs as HTML.

    Parameters
    ----------
    k : KnockOuts
    words : Words
    text : str
        The block to paste.
    """
    with style():
        drawn = _figures(k, words)
    return render(
        "knockout.html",
        words.lang,
        k=k,
        title=words("cup.title", k=len(k.board), rules=k.manifest.rules),
        verdict=verdict(k, words),
        played=_played(k, words),
        board=board_table(k, words),
        left=_left(k, words),
        lottery=lottery_table([k.lottery, *k.beside], k.strongest, words),
        pairs=pairs_table(k.wins, k.level, words, per_cent=True),
        seats=seats_table(k.seats, k.level, words),
        beside=bool(k.beside),
        text=text,
        figure=drawn,
    )


def _span(wins: Estimate, level: float, words: Words) -> str:
    if wins.low is None or wins.high is None:
        return ""
    low, high = words.pct(wins.low), words.pct(wins.high)
    return words("cup.span", level=words.level(level), low=low, high=high)


def verdict(k: KnockOuts, words: Words) -> Verdict:
    """Say in words who wins, how surely, and how much of a lottery that is."""
    first, second = k.board[:2]
    d = k.wins[0]
    clear = d.p_holm is not None and d.p_holm < 1 - k.level
    sentence = words(
        "cup.wins" if clear else "cup.unclear",
        a=first.label,
        b=second.label,
        won=words.pct(first.wins.mean),
        bwon=words.pct(second.wins.mean),
        events=words.count(k.events),
        span=_span(first.wins, k.level, words),
    )
    remarks = [
        words("cup.equal_share", share=words.pct(1 / len(k.board))),
        words("cup.lottery", winners=words.num(k.lottery.winners)),
        *_beside(k, words),
    ]
    planned = k.manifest.deals
    if planned is not None and k.events < planned:
        used, all_of_them = words.count(k.events), words.count(planned)
        remarks.append(words("cup.preliminary", used=used, planned=all_of_them))
    return Verdict(sentence, tuple(remarks))


def five_lines(k: KnockOuts, words: Words) -> str:
    """Text block of five lines: run, verdict, strategies, lottery, table."""
    m, told = k.manifest, k.manifest.tournament
    said = verdict(k, words)
    run = words(
        "cup.block_run",
        rules=m.rules,
        entrants=told["entrants"],
        players=m.players,
        events=words.count(k.events),
        first=k.first,
        last=k.first + k.events - 1,
        games=words.count(k.events * k.lottery.games),
        seed=m.seed,
        ramisim=m.ramisim,
        engine=m.engine,
    )
    rows = [
        words(
            "cup.block_row",
            name=row.label,
            wins=words.pct(row.wins.mean),
            span=bracketed(row.wins, words, per_cent=True),
            finals=words.pct(row.finals.mean),
        )
        for row in k.board
    ]
    winners = words.num(k.lottery.winners, 2)
    lottery = [words("cup.block_lottery", winners=winners, k=len(k.board))]
    lottery += [
        lottery_text(event, k.strongest, words)
        for event in (k.lottery, *k.beside[:1], *k.beside[1:][-1:])
    ]
    seat = k.seats[0]
    table = words(
        "cup.block_seat",
        rate=words.pct(seat.mean),
        span=bracketed(seat, words, per_cent=True),
    )
    lines = [
        run,
        " ".join([said.sentence, *said.remarks]),
        " | ".join(rows),
        " | ".join(lottery),
        table,
    ]
    return "\n".join(lines)


def _beside(k: KnockOuts, words: Words) -> list[str]:
    enough = [event for event in k.beside if event.best >= k.lottery.best]
    if not enough:
        return []
    event = enough[0]
    key = "cup.beside_less" if event is k.beside[0] else "cup.beside"
    games, matches = words.count(event.games), words.count(k.lottery.games)
    return [words(key, games=games, matches=matches, best=words.pct(event.best))]


def _played(k: KnockOuts, words: Words) -> list[tuple[str, str]]:
    value = words(
        "cup.events_value",
        events=words.count(k.events),
        first=words.count(k.first),
        last=words.count(k.first + k.events - 1),
        matches=k.lottery.games,
    )
    whole = k.manifest.deals is None or k.events >= k.manifest.deals
    return played_facts(k.manifest, words, (words("cup.events"), value), whole)


def board_table(k: KnockOuts, words: Words) -> Table:
    """The board: knock-outs won, final tables and points of each, with intervals."""
    level = words("column.interval", level=words.level(k.level))
    head = (
        "strategy", "rank", words("cup.column_wins"), level, words("cup.column_finals"), level,
        words("cup.column_points"),
    )  # fmt: skip
    rows = tuple(
        (
            row.label,
            rank_text(row.rank),
            words.pct(row.wins.mean),
            interval(row.wins, words, per_cent=True),
            words.pct(row.finals.mean),
            interval(row.finals, words, per_cent=True),
            words.num(row.points.mean),
        )
        for row in k.board
    )
    return Table(headings(head, words), rows)


def _left(k: KnockOuts, words: Words) -> Table:
    stages = len(k.board[0].left) - 1
    head = (words("column.strategy"), *map(str, range(1, stages + 1)), words("cup.end"))
    rows = tuple(
        (row.label, *(words.pct(float(share), 0) for share in row.left)) for row in k.board
    )
    return Table(head, rows)


def _figures(k: KnockOuts, words: Words) -> dict[str, Markup]:
    wins = [row.wins for row in k.board]
    stages = k.manifest.tournament["stages"]
    final_from = next(i for i, stage in enumerate(stages) if stage["final"])
    names = [row.label for row in k.board]
    at_final = ", ".join(f"{row.label} {words.pct(row.finals.mean)}" for row in k.board)
    events = ", ".join(
        f"{words.count(e.games)}: {words.pct(e.best)}" for e in (k.lottery, *k.beside)
    )
    return {
        "board": drawing(
            "board",
            figures.share_plot(wins, words, words("cup.axis_wins")),
            words("cup.alt_board", rows=listed(wins, words, per_cent=True)),
        ),
        "left": drawing(
            "left",
            tournament_figures.still_in(names, [row.left for row in k.board], final_from, words),
            words("cup.alt_left", rows=at_final),
        ),
        "lottery": drawing(
            "lottery",
            tournament_figures.lottery_curve(k.beside, k.lottery, words),
            words("tour.alt_lottery", rows=events),
        ),
        "seats": seats_figure(k.seats, words),
    }
