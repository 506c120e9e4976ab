"""The report on balance: a page, the numbers, and a Markdown page with figures for the docs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ramisim.analysis import study_figures as figures
from ramisim.analysis.balance import BalanceResult, CellResult
from ramisim.analysis.metrics import METRICS
from ramisim.analysis.multiplicity import holm
from ramisim.analysis.report import balance_tables as tables
from ramisim.analysis.report.drawn import Drawn, inline, markdown_table, save_png
from ramisim.analysis.report.frame import Table, Verdict, Written, render, write_report
from ramisim.analysis.report.metric_words import metric_name, metric_number
from ramisim.analysis.report.words import Language, Words
from ramisim.analysis.svg import style
from ramisim.errors import RunError

__all__ = ["write_balance_docs", "write_balance_report"]

STALLS = 0.01
ALPHA = 0.05


@dataclass(frozen=True)
class _Part:
    """A section: figures by name, a table, and a note."""

    title: str
    figures: list[str]
    table: Table | None
    note: str


def write_balance_report(result: BalanceResult, out: Path, lang: Language = "en") -> Written:
    """Write ``report.html`` and ``report.json``.

    Parameters
    ----------
    result : BalanceResult
    out : Path
        Folder, made if missing.
    lang : {"en", "fr"}
    """
    words, plain = Words(lang), Words(lang, plain=True)
    said, text = _verdict(result, words), _block(result, plain)
    with style():
        drawn = inline(_figures(result, words))
    html = render(
        "balance.html",
        lang,
        title=_title(result, words),
        verdict=said,
        played=_played(result, words),
        text=text,
        overview=tables.overview_table(result, words),
        parts=_parts(result, words),
        every=tables.every_table(result, words),
        figure=drawn,
    )
    return write_report(out, html, {"balance": result, "verdict": said}, text)


def write_balance_docs(result: BalanceResult, page: Path, lang: Language = "en") -> list[Path]:
    """Write a Markdown page, and its figures as PNG files in a folder of the same name beside it.

    Parameters
    ----------
    result : BalanceResult
    page : Path
        ``docs/balance.md``; the figures go to ``docs/balance/``.
    lang : {"en", "fr"}

    Returns
    -------
    list of Path
        Everything written.

    Raises
    ------
    RunError
        The page cannot be written.
    """
    words = Words(lang)
    said = _verdict(result, words)
    lines = [f"# {words('balance.kicker')}", "", said.sentence, ""]
    lines += [line for remark in said.remarks for line in (remark, "")]
    lines += [f"- {name}: {value}" for name, value in _played(result, words)]
    lines += ["", words("balance.made_by", command=result.command), ""]
    lines += [f"## {words('balance.head_overview')}", ""]
    lines += markdown_table(tables.overview_table(result, words))
    written = [page]
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        with style():
            drawn = _figures(result, words)
            for part in _parts(result, words):
                lines += ["", f"## {part.title}", ""]
                for name in part.figures:
                    file = page.with_suffix("") / f"{name}.png"
                    lines += [save_png(drawn[name], file), ""]
                    written.append(file)
                lines += [part.note, ""]
                lines += markdown_table(part.table) if part.table else []
        page.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise RunError(f"{page} cannot be written: {error.strerror or error}") from error
    return written


def _title(result: BalanceResult, words: Words) -> str:
    return f"{words('balance.kicker')} · " + words(
        "balance.title", n=len({c.cell.rules for c in result.cells}), cells=len(result.cells)
    )


def _played(result: BalanceResult, words: Words) -> list[tuple[str, str]]:
    cells = result.cells
    who = ", ".join(sorted({s.label for c in cells for s in c.panel.standings}))
    value = words(
        "balance.panels_value",
        tables=words.count(max(c.cell.deals for c in cells)),
        ladders=words.count(max(c.cell.ladder_deals for c in cells)),
        games=words.count(_matches(result)),
        who=who,
    )
    rows = [
        (words("balance.panels"), value),
        (words("balance.reference"), words("balance.reference_value", name=result.reference)),
        (words("played.seed"), str(result.seed)),
        (
            words("played.versions"),
            words("played.engine", ramisim=result.ramisim, engine=result.engine),
        ),
    ]
    if result.command:
        rows.append((words("played.command"), result.command))
    return rows


def _matches(result: BalanceResult) -> int:
    """Matches of all tables, ladders and pairs."""
    total = 0
    for c in result.cells:
        candidates = len(c.cell.strategies) + len(c.cell.options)
        total += c.panel.games + c.cell.ladder_deals * candidates * c.cell.players
        total += len(c.cell.pairs) * c.cell.ladder_deals * 2
    return total


def _verdict(result: BalanceResult, words: Words) -> Verdict:
    cells = result.cells
    stalled = [tables.cell_title(c, words) for c in cells if _value(c, "end_stall") > STALLS]
    stalls = (
        words("balance.stalls", list=", ".join(stalled)) if stalled else words("balance.no_stalls")
    )
    return Verdict(_sentence(cells, words), (_uneven(cells, words), stalls))


def _sentence(cells: Sequence[CellResult], words: Words) -> str:
    """Which panels stand out; of one rule set its numbers of seats; a single panel as it is."""

    def low(c: CellResult, name: str) -> float:
        found = c.panel.metrics[name]
        return 0.0 if found is None or found.low is None else found.low

    fair = min(cells, key=lambda c: abs(_value(c, "first_seat")))
    skill = max(cells, key=lambda c: _value(c, "skill_share"))
    # By the low end of the interval: where matches are of one round few have a half way.
    open_to = max(cells, key=lambda c: low(c, "comeback"))
    told = {
        "fair_x": words.pct(_value(fair, "first_seat"), 1, sign=True),
        "skill_x": words.pct(_value(skill, "skill_share")),
        "open_x": words.pct(_value(open_to, "comeback")),
    }
    best = {"fair": fair, "skill": skill, "open": open_to}
    rules, players = cells[0].cell.rules, cells[0].cell.players
    if len(cells) == 1:
        return words("balance.sentence_one", rules=rules, players=players, **told)
    if len({c.cell.rules for c in cells}) == 1:
        seats = {name: c.cell.players for name, c in best.items()}
        return words("balance.sentence_rules", rules=rules, **seats, **told)
    titles = {name: tables.cell_title(c, words) for name, c in best.items()}
    return words("balance.sentence", **titles, **told)


def _uneven(cells: Sequence[CellResult], words: Words) -> str:
    """Where the seats win surely unequally."""
    adjusted = holm([c.panel.seats.p_deals for c in cells])
    if len(cells) == 1:
        key = "uneven_one" if adjusted[0] < ALPHA else "even_one"
        return words(f"balance.{key}", p=words.p(adjusted[0]))
    uneven = [c for c, p in zip(cells, adjusted, strict=True) if p < ALPHA]
    named = ", ".join(tables.cell_title(c, words) for c in uneven)
    return words(
        "balance.uneven", n=len(uneven), cells=len(cells), list=f" ({named})" if named else ""
    )


def _value(c: CellResult, name: str) -> float:
    found = c.panel.metrics[name]
    return 0.0 if found is None else found.value


def _block(result: BalanceResult, words: Words) -> str:
    said = _verdict(result, words)
    first = words(
        "balance.block",
        n=len({c.cell.rules for c in result.cells}),
        cells=len(result.cells),
        games=words.count(_matches(result)),
        seed=result.seed,
        ramisim=result.ramisim,
        engine=result.engine,
    )
    return "\n".join([first, said.sentence, *said.remarks])


def _parts(result: BalanceResult, words: Words) -> list[_Part]:
    seats = words("balance.note_seats", level=words.level(result.level))
    name = result.reference
    parts = [
        ("seats", ["first-seat", "starter"], tables.seats_table, seats),
        ("skill", ["skill"], tables.skill_table, words("balance.note_skill")),
        ("length", ["length", "rounds"], tables.length_table, words("balance.note_length")),
        ("course", ["comeback", "decided"], tables.course_table, words("balance.note_course")),
        ("ladder", ["ladder"], tables.ladder_table, words("balance.note_ladder", name=name)),
        ("options", ["options"], tables.options_table, words("balance.note_options", name=name)),
        ("diversity", [], tables.diversity_table, words("balance.note_diversity")),
        ("ends", [], tables.ends_table, ""),
    ]  # fmt: skip
    drawn = set(_figure_names(result))
    return [
        _Part(
            words(f"balance.head_{key}"),
            [f for f in names if f in drawn],
            make(result, words),
            note,
        )
        for key, names, make, note in parts
    ]


def _figure_names(result: BalanceResult) -> list[str]:
    names = ["first-seat", "starter", "skill", "length", "rounds", "comeback", "decided", "ladder"]
    return names + (["options"] if any(c.restricted for c in result.cells) else [])


def _figures(result: BalanceResult, words: Words) -> dict[str, Drawn]:
    drawn = {
        "first-seat": _metric(result, "first_seat", words, zero=True),
        "starter": _metric(result, "starter_points", words, zero=True),
        "skill": _metric(result, "skill_share", words),
        "comeback": _metric(result, "comeback", words),
        "decided": _metric(result, "decided", words),
        "rounds": _metric(result, "match_rounds", words),
        "length": _length(result, words),
        "ladder": _ladder(result, words),
    }
    if "options" in _figure_names(result):
        drawn["options"] = _options(result, words)
    return drawn


def _grouped(
    result: BalanceResult, words: Words, span: Callable[[CellResult], figures.Span | None]
) -> list[tuple[str, list[figures.Span]]]:
    """Spans by rule set, named by their seats."""
    groups: dict[str, list[figures.Span]] = {}
    for c in result.cells:
        found = span(c)
        if found is not None:
            seats = words("balance.seats", players=c.cell.players)
            groups.setdefault(c.cell.rules, []).append((seats, *found[1:]))
    return list(groups.items())


def _metric(result: BalanceResult, name: str, words: Words, zero: bool = False) -> Drawn:
    def span(c: CellResult) -> figures.Span | None:
        found = c.panel.metrics[name]
        return None if found is None else ("", found.value, found.low, found.high)

    groups = _grouped(result, words, span)
    signed = zero or METRICS[name].unit == "signal"
    fig = figures.span_groups(
        groups, metric_name(name, words), lambda x: metric_number(name, x, words, signed), zero
    )
    return Drawn(fig, _alt(metric_name(name, words), groups, words, name))


def _alt(what: str, groups: list[tuple[str, list[figures.Span]]], words: Words, metric: str) -> str:
    rows = "; ".join(
        f"{rules} " + ", ".join(f"{s[0]} {metric_number(metric, s[1], words)}" for s in spans)
        for rules, spans in groups
    )
    return words("balance.alt_spans", what=what, rows=rows)


def _length(result: BalanceResult, words: Words) -> Drawn:
    def span(c: CellResult) -> figures.Span | None:
        low, middle, high = (c.panel.turns[q][0] for q in (0.05, 0.5, 0.95))
        return "", middle, low, high

    groups = _grouped(result, words, span)
    label = metric_name("round_turns", words)
    fig = figures.span_groups(groups, label, lambda x: words.num(x, 0))
    return Drawn(fig, _alt(label, groups, words, "round_turns"))


def _ladder(result: BalanceResult, words: Words) -> Drawn:
    """Rungs at the fewest seats of each rule set."""
    groups, told = [], []
    for rules in dict.fromkeys(c.cell.rules for c in result.cells):
        c = next(c for c in result.cells if c.cell.rules == rules)
        equal = 1 / c.cell.players
        spans: list[figures.Span] = []
        for name in c.cell.strategies:
            e = next(r.wins for r in c.ladder if r.label == name)
            low, high = (None if x is None else x - equal for x in (e.low, e.high))
            spans.append((name, e.mean - equal, low, high))
        groups.append((rules, spans))
        told.append(
            f"{rules} " + ", ".join(f"{r.label} {words.pct(r.wins.mean)}" for r in c.ladder)
        )
    fig = figures.span_groups(
        groups, words("balance.axis_wins"), lambda x: words.pct(x, 0, sign=True), zero=True
    )
    alt = words("balance.alt_spans", what=words("balance.head_ladder"), rows="; ".join(told))
    return Drawn(fig, alt)


def _options(result: BalanceResult, words: Words) -> Drawn:
    groups, told = [], []
    for c in result.cells:
        spans = [
            (words(f"balance.{option}"), d.mean, d.low, d.high)
            for option, d in c.restricted.items()
        ]
        if spans:
            title = tables.cell_title(c, words)
            groups.append((title, spans))
            told.append(f"{title} " + ", ".join(f"{s[0]} {words.num(s[1])}" for s in spans))
    fig = figures.span_groups(
        groups, words("balance.col_loses"), lambda x: words.num(x, 0, sign=True), zero=True
    )
    alt = words("balance.alt_spans", what=words("balance.head_options"), rows="; ".join(told))
    return Drawn(fig, alt)
