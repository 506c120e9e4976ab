"""The report of a rule study: tables and figures from its results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ramisim.analysis import study_figures as figures
from ramisim.analysis.report.drawn import Drawn, inline, save_png
from ramisim.analysis.report.frame import Table, Verdict, Written, render, write_report
from ramisim.analysis.report.metric_words import (
    change_text,
    levels_text,
    metric_name,
    metric_number,
)
from ramisim.analysis.report.study_tables import (
    clearness,
    effects_table,
    explored_table,
    panel_table,
    pareto_table,
    ranks_table,
    strategy_labels,
)
from ramisim.analysis.report.study_verdict import line_title, study_block, study_verdict
from ramisim.analysis.report.words import Language, Words
from ramisim.analysis.study import LineResult, StudyResult
from ramisim.analysis.study_plan import Declared
from ramisim.analysis.svg import style
from ramisim.analysis.values import Interval
from ramisim.errors import RunError

__all__ = ["write_study_figures", "write_study_report"]

MOST_ROWS = 9
"""Effects that a forest shows at most: the clearest ones."""


@dataclass(frozen=True)
class _Line:
    """What the page shows of a line-up."""

    title: str
    forests: list[str]
    sobol: list[str]
    sobol_notes: list[str]
    effects: Table
    pareto: Table | None
    pareto_figure: str
    ranks: Table | None
    ranks_figure: str
    explored: Table | None
    panel: Table


def write_study_report(result: StudyResult, out: Path, lang: Language = "en") -> Written:
    """Write ``report.html`` and ``report.json`` of a study.

    Parameters
    ----------
    result : StudyResult
    out : Path
        Folder, made if missing.
    lang : {"en", "fr"}

    Raises
    ------
    RunError
        The folder cannot be written.
    """
    words, plain = Words(lang), Words(lang, plain=True)
    said = study_verdict(result, words)
    text = study_block(result, plain)
    drawn: dict[str, Drawn] = {}
    with style():
        lines = [_line(result, i, words, drawn) for i in range(len(result.lines))]
        inlined = inline(drawn)
    html = render(
        "study.html",
        lang,
        title=_title(result, words),
        verdict=said,
        played=_played(result, words),
        text=text,
        variants=_variants(result, words),
        lines=lines,
        figure=inlined,
        level=words.level(result.level),
        screened=words.count(result.screened),
    )
    return write_report(out, html, _numbers(result, said), text)


def write_study_figures(result: StudyResult, folder: Path, lang: Language = "en") -> list[Path]:
    """Write every figure of the report as a PNG file, named as in the page.

    Parameters
    ----------
    result : StudyResult
    folder : Path
        Made if missing.
    lang : {"en", "fr"}

    Raises
    ------
    RunError
        The folder cannot be written.
    """
    words = Words(lang)
    drawn: dict[str, Drawn] = {}
    try:
        with style():
            for i in range(len(result.lines)):
                _line(result, i, words, drawn)
            for name, figure in drawn.items():
                save_png(figure, folder / f"{result.plan.name}-{name}.png")
    except OSError as error:
        raise RunError(f"{folder} cannot be written: {error.strerror or error}") from error
    return [folder / f"{result.plan.name}-{name}.png" for name in drawn]


def _numbers(result: StudyResult, said: Verdict) -> dict[str, object]:
    return {"study": result, "verdict": said}


def _title(result: StudyResult, words: Words) -> str:
    title = result.plan.title.get(words.lang) or result.plan.name
    return f"{words('study.kicker')} · {title}"


def _played(result: StudyResult, words: Words) -> list[tuple[str, str]]:
    plan = result.plan
    rows = []
    if question := plan.question.get(words.lang):
        rows.append((words("study.question"), question))
    fixed = "".join(f", {key} = {value}" for key, value in plan.fixed.items())
    rows.append((words("study.base"), plan.base + fixed))
    for key, levels in plan.factors.items():
        shown = ", ".join(str(x).lower() if isinstance(x, bool) else str(x) for x in levels)
        if key in plan.ranges:
            n = words.count(len(plan.rows["a"]))
            shown = words("study.range", low=levels[0], high=levels[-1], n=n)
        rows.append((words("study.factor", name=key), shown))
    games = sum(panel.games for line in result.lines for panel in line.panels)
    rows.append(
        (
            words("study.variants"),
            words(
                "study.variants_value",
                n=words.count(len(plan.variants)),
                deals=words.count(plan.deals),
                games=words.count(games),
            ),
        )
    )
    declared = "; ".join(_declared(d, words) for d in plan.declared)
    rows.append((words("study.declared"), declared))
    rows.append((words("played.seed"), str(plan.seed)))
    engine = words("played.engine", ramisim=result.ramisim, engine=result.engine)
    rows.append((words("played.versions"), engine))
    if result.command:
        rows.append((words("played.command"), result.command))
    return rows


def _declared(d: Declared, words: Words) -> str:
    smallest = metric_number(d.metric, d.smallest, words)
    name = metric_name(d.metric, words)
    if d.aim is None:
        return words("study.no_aim", metric=name, smallest=smallest)
    aim = words(f"study.aim_{d.aim}") if isinstance(d.aim, str) else words.num(d.aim, 1)
    return words("study.aim", metric=name, aim=aim, smallest=smallest)


def _variants(result: StudyResult, words: Words) -> Table:
    plan = result.plan
    reference = plan.reference()
    rows = []
    for i, variant in enumerate(plan.variants):
        mark = f" ({words('study.reference')})" if i == reference else ""
        rows.append((variant.name, levels_text(plan, variant.levels) + mark))
    return Table((words("study.col_variant"), words("study.col_levels")), tuple(rows))


def _line(result: StudyResult, i: int, words: Words, drawn: dict[str, Drawn]) -> _Line:
    line = result.lines[i]
    forests = []
    for d in result.plan.declared:
        name = f"line{i}-{d.metric}".replace("_", "-")
        if figure := _forest(line, d, name, words):
            drawn[name] = figure
            forests.append(name)
    sobol, notes = _sobol(line, i, words, drawn)
    declared = [r for r in line.effects if r.declared]
    pareto, ranks = f"line{i}-pareto", f"line{i}-ranks"
    drawn |= _pareto_figure(result, line, pareto, words)
    drawn |= _ranks_figure(result, line, ranks, words)
    return _Line(
        title=line_title(line.line_up, words),
        forests=forests,
        sobol=sobol,
        sobol_notes=notes,
        effects=effects_table(declared, words, "study.col_p", result.level),
        pareto=pareto_table(result, line, words),
        pareto_figure=pareto,
        ranks=ranks_table(result, line, words),
        ranks_figure=ranks,
        explored=explored_table(line, words, result.level),
        panel=panel_table(result, line.panels, words),
    )


def _forest(line: LineResult, d: Declared, name: str, words: Words) -> Drawn | None:
    rows = [r for r in line.effects if r.metric == d.metric and len(r.changes) == 1]
    if len(rows) > MOST_ROWS:
        rows = sorted(rows, key=clearness)[:MOST_ROWS]
    if not rows:
        return None
    fig = figures.effect_forest(
        [(change_text(r.changes, True), r.found.value, r.found.low, r.found.high) for r in rows],
        [r.sure for r in rows],
        d.smallest,
        metric_name(d.metric, words),
        lambda x: metric_number(d.metric, x, words, sign=True),
    )
    told = "; ".join(
        f"{change_text(r.changes)} {metric_number(d.metric, r.found.value, words, True)}"
        for r in rows
    )
    alt = words("study.alt_effects", metric=metric_name(d.metric, words), rows=told)
    return Drawn(fig, alt)


def _sobol(
    line: LineResult, i: int, words: Words, drawn: dict[str, Drawn]
) -> tuple[list[str], list[str]]:
    names, notes = [], []
    for metric, found in line.sensitivity.items():
        if not found.indices:
            continue
        name = f"line{i}-sobol-{metric}".replace("_", "-")
        rows = [
            (
                x.factor,
                (x.factor, x.first, x.first_low, x.first_high),
                (x.factor, x.total, x.total_low, x.total_high),
            )
            for x in found.indices
        ]
        told = ", ".join(f"{x.factor} {words.pct(x.total, 0)}" for x in found.indices)
        alt = words("study.alt_sobol", metric=metric_name(metric, words), rows=told)
        drawn[name] = Drawn(figures.index_bars(rows, words), alt)
        names.append(name)
        noise = words.pct(found.noise / (found.noise + found.variance), 0)
        note = words("study.note_sobol", noise=noise)
        notes.append(f"{metric_name(metric, words)}: {note}")
    return names, notes


def _pareto_figure(
    result: StudyResult, line: LineResult, name: str, words: Words
) -> dict[str, Drawn]:
    view = line.pareto
    if view is None:
        return {}
    x, y = sorted(view.metrics, key=lambda m: -_spread(line, m))[:2]
    names = [v.name for v in result.plan.variants]
    points = [
        (name, _span(name, panel.metrics[x]), _span(name, panel.metrics[y]))
        for name, panel in zip(names, line.panels, strict=True)
    ]
    aims = dict(zip(view.metrics, view.aims, strict=True))
    best = [0.0 if a == "zero" else None if isinstance(a, str) else a for a in (aims[x], aims[y])]
    fig = figures.pareto_plot(
        points,
        view.front,
        (metric_name(x, words), metric_name(y, words)),
        (lambda v: metric_number(x, v, words), lambda v: metric_number(y, v, words)),
        (best[0], best[1]),
    )
    on = ", ".join(n for n, front in zip(names, view.front, strict=True) if front)
    alt = words("study.alt_pareto", x=metric_name(x, words), y=metric_name(y, words), front=on)
    return {name: Drawn(fig, alt)}


def _spread(line: LineResult, metric: str) -> float:
    """How far a metric spreads the variants, in its own errors."""
    found = [x for panel in line.panels if (x := panel.metrics[metric]) is not None]
    values = [x.value for x in found]
    error = sum(x.se or 0.0 for x in found) / len(found)
    return (max(values) - min(values)) / error if error else 0.0


def _span(name: str, found: Interval | None) -> figures.Span:
    if found is None:
        return name, float("nan"), None, None
    return name, found.value, found.low, found.high


def _ranks_figure(
    result: StudyResult, line: LineResult, name: str, words: Words
) -> dict[str, Drawn]:
    labels = strategy_labels(line)
    if len(labels) < 2:
        return {}
    spans = []
    for label in labels:
        row: list[figures.Span] = []
        for panel in line.panels:
            middle = sum(s.points.mean for s in panel.standings) / len(panel.standings)
            e = next(s.points for s in panel.standings if s.label == label)
            low, high = (None if x is None else x - middle for x in (e.low, e.high))
            row.append((label, e.mean - middle, low, high))
        spans.append(row)
    names = [v.name for v in result.plan.variants]
    fig = figures.rank_lines(names, labels, spans, words)
    told = "; ".join(
        f"{n}: {', '.join(s.label for s in panel.standings)}"
        for n, panel in zip(names, line.panels, strict=True)
    )
    return {name: Drawn(fig, words("study.alt_ranks", rows=told))}
