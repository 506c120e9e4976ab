"""Tables of the balance report, the same for its page and for its Markdown."""

from __future__ import annotations

from ramisim.analysis.balance import BalanceResult, CellResult
from ramisim.analysis.estimates import Difference
from ramisim.analysis.metrics import METRICS
from ramisim.analysis.report.frame import Table
from ramisim.analysis.report.metric_words import (
    metric_name,
    metric_short,
    plus_minus,
    tell_text,
)
from ramisim.analysis.report.words import Words
from ramisim.analysis.values import Interval

__all__ = [
    "cell_title",
    "course_table",
    "diversity_table",
    "ends_table",
    "every_table",
    "ladder_table",
    "length_table",
    "options_table",
    "overview_table",
    "seats_table",
    "skill_table",
]

OVERVIEW = ("first_seat", "starter_points", "skill_share", "comeback", "lead_changes", "decided")
ENDS = ("end_out", "end_stock", "end_blocked", "end_tours", "end_stall", "rami", "never_laid",
        "opening_turn")  # fmt: skip


def cell_title(c: CellResult, words: Words) -> str:
    """Rule set and seats."""
    return words("balance.cell", rules=c.cell.rules, players=c.cell.players)


def overview_table(result: BalanceResult, words: Words) -> Table:
    """The panel in one row a cell."""
    head = (
        words("balance.col_cell"), words("balance.col_deals"),
        *(metric_short(m, words) for m in OVERVIEW),
        words("short.match_rounds"), words("short.round_turns"), words("study.col_tell"),
    )  # fmt: skip
    rows = []
    for c in result.cells:
        cells = [plus_minus(m, c.panel.metrics[m], words) for m in OVERVIEW]
        lengths = (plus_minus(m, _m(c, m), words) for m in ("match_rounds", "round_turns"))
        deals = words.count(c.panel.deals)
        rows.append(
            (cell_title(c, words), deals, *cells, *lengths, tell_text(c.panel.telling, words))
        )
    return Table(head, tuple(rows))


def seats_table(result: BalanceResult, words: Words) -> Table:
    """Win share of every seat."""
    most = max(c.cell.players for c in result.cells)
    seats = [words("axis.seat", seat=s) for s in range(most)]
    head = (words("balance.col_cell"), *seats, words("balance.col_spread"), words("balance.col_p"))
    rows = []
    for c in result.cells:
        shares = [words.pct(e.mean) for e in c.panel.seats.wins]
        shares += [""] * (most - len(shares))
        rows.append(
            (cell_title(c, words), *shares, words.pct(c.seats.discrepancy),
             words.p(c.panel.seats.p_deals))
        )  # fmt: skip
    return Table(head, tuple(rows))


def skill_table(result: BalanceResult, words: Words) -> Table:
    """Skill, luck, games to tell, and where the strategies stand."""
    head = (
        words("balance.col_cell"), words("short.skill_share"), words("short.luck_share"),
        metric_name("points_sd", words), words("study.col_tell"), words("column.rank"),
        words("study.col_agree"),
    )  # fmt: skip
    rows = []
    for c in result.cells:
        names = ("skill_share", "luck_share", "points_sd")
        order = " > ".join(s.label for s in c.panel.standings)
        rows.append(
            (
                cell_title(c, words), *(plus_minus(n, _m(c, n), words) for n in names),
                tell_text(c.panel.telling, words), order, words.num(c.panel.agreement, 2),
            )
        )  # fmt: skip
    return Table(head, tuple(rows))


def length_table(result: BalanceResult, words: Words) -> Table:
    """Lengths with quantiles."""
    head = (
        words("balance.col_cell"), words("short.round_turns"), "sd", words("balance.col_turns"),
        words("short.match_rounds"), words("balance.col_rounds"), words("short.match_turns"),
    )  # fmt: skip
    rows = []
    for c in result.cells:
        turns, rounds = (
            ", ".join(words.num(q[0], 0) for q in table.values())
            for table in (c.panel.turns, c.panel.rounds)
        )
        rows.append(
            (
                cell_title(c, words),
                plus_minus("round_turns", _m(c, "round_turns"), words),
                plus_minus("round_turns_sd", _m(c, "round_turns_sd"), words),
                turns,
                plus_minus("match_rounds", _m(c, "match_rounds"), words),
                rounds,
                plus_minus("match_turns", _m(c, "match_turns"), words),
            )
        )
    return Table(head, tuple(rows))


def course_table(result: BalanceResult, words: Words) -> Table:
    """Comebacks, lead changes, deciding moment."""
    names = ("comeback", "lead_changes", "decided", "margin", "shared_wins")
    return _metrics(result, names, words)


def ends_table(result: BalanceResult, words: Words) -> Table:
    """How rounds end, Rami, and first layings."""
    return _metrics(result, ENDS, words)


def ladder_table(result: BalanceResult, words: Words) -> Table:
    """Rungs from the weakest to the best."""
    head = (
        words("balance.col_cell"), words("balance.col_rung"), words("balance.col_wins"),
        words("column.points"), words("balance.col_over"),
    )  # fmt: skip
    rows = (
        (
            cell_title(c, words), rung.label, words.pct(rung.wins.mean),
            words.num(rung.points.mean), _difference(rung.over, words),
        )
        for c in result.cells
        for rung in c.ladder
    )  # fmt: skip
    return Table(head, tuple(rows))


def options_table(result: BalanceResult, words: Words) -> Table | None:
    """What the reference loses without an option."""
    head = tuple(words(f"balance.col_{name}") for name in ("cell", "option", "loses"))
    rows = tuple(
        (cell_title(c, words), words(f"balance.{option}"), _difference(loss, words))
        for c in result.cells
        for option, loss in c.restricted.items()
    )
    return Table(head, rows) if rows else None


def diversity_table(result: BalanceResult, words: Words) -> Table | None:
    """Nash mixtures at two seats."""
    head = tuple(words(f"balance.col_{n}") for n in ("cell", "nash", "effective", "cyclic"))
    rows = []
    for c in result.cells:
        d = c.diversity
        if d is None:
            continue
        mixture = ", ".join(
            f"{name} {words.pct(p, 0)} ({words.pct(share, 0)})"
            for name, p, share in zip(d.strategies, d.nash, d.support, strict=True)
            if p > 0.005 or share > 0.05
        )
        rows.append(
            (cell_title(c, words), mixture, words.num(d.effective, 2), words.pct(d.cyclic, 0))
        )
    return Table(head, tuple(rows)) if rows else None


def every_table(result: BalanceResult, words: Words) -> Table:
    """Every metric of every cell."""
    names = [cell_title(c, words) for c in result.cells]
    rows = tuple(
        (metric_name(m, words), *(plus_minus(m, c.panel.metrics[m], words) for c in result.cells))
        for m in METRICS
    )
    return Table((words("study.col_metric"), *names), rows)


def _metrics(result: BalanceResult, names: tuple[str, ...], words: Words) -> Table:
    head = (words("balance.col_cell"), *(metric_short(n, words) for n in names))
    rows = tuple(
        (cell_title(c, words), *(plus_minus(n, _m(c, n), words) for n in names))
        for c in result.cells
    )
    return Table(head, rows)


def _m(c: CellResult, name: str) -> Interval | None:
    return c.panel.metrics[name]


def _difference(d: Difference | None, words: Words) -> str:
    if d is None:
        return words.num(None)
    value = words.num(d.mean, 1, sign=True)
    if d.low is None or d.high is None:
        return value
    span = words("verdict.range", low=words.num(d.low, 1), high=words.num(d.high, 1))
    return f"{value} ({span})"
