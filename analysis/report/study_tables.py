"""Tables of the report on a rule study."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ramisim.analysis.metrics import METRICS
from ramisim.analysis.panel import Panel
from ramisim.analysis.report.frame import Table
from ramisim.analysis.report.metric_words import (
    change_text,
    metric_name,
    metric_number,
    metric_short,
    plus_minus,
    span_text,
    tell_text,
)
from ramisim.analysis.report.words import Words
from ramisim.analysis.study import EffectRow, LineResult, StudyResult

__all__ = [
    "clearness",
    "effects_table",
    "explored_table",
    "panel_table",
    "pareto_table",
    "ranks_table",
    "strategy_labels",
]

EXPLORED = 12
"""Rows of the exploratory table."""


def effects_table(rows: Sequence[EffectRow], words: Words, p: str, level: float) -> Table:
    """Effects with intervals, adjusted p-values and what they say."""
    head = tuple(words(f"study.col_{name}") for name in ("effect", "metric", "value"))
    interval = words("column.interval", level=words.level(level))
    return Table(
        (*head, interval, words(p), words("study.col_says")),
        tuple(
            (
                change_text(r.changes),
                metric_short(r.metric, words),
                metric_number(r.metric, r.found.value, words, sign=True),
                span_text(r.metric, r.found, words, sign=True),
                words.p(r.p_adjusted),
                words(f"study.{_says(r)}"),
            )
            for r in rows
        ),
    )


def explored_table(line: LineResult, words: Words, level: float) -> Table | None:
    """The strongest effects on metrics that were not declared."""
    rows = sorted((r for r in line.effects if not r.declared and r.sure), key=clearness)
    return effects_table(rows[:EXPLORED], words, "study.col_bh", level) if rows else None


def pareto_table(result: StudyResult, line: LineResult, words: Words) -> Table | None:
    """Variants against the aims, and who is on the front."""
    view = line.pareto
    if view is None:
        return None
    head = [words("study.col_variant"), *(metric_short(m, words) for m in view.metrics)]
    rows = []
    for v, panel in enumerate(line.panels):
        cells = [plus_minus(m, panel.metrics[m], words) for m in view.metrics]
        on = words("study.yes" if view.front[v] else "study.no")
        rows.append((result.plan.variants[v].name, *cells, on, words.pct(view.shares[v], 0)))
    return Table((*head, words("study.col_front"), words("study.col_share")), tuple(rows))


def ranks_table(result: StudyResult, line: LineResult, words: Words) -> Table | None:
    """Points and ranks of the strategies, variant by variant."""
    labels = strategy_labels(line)
    if len(labels) < 2:
        return None
    head = (words("study.col_variant"), *labels, words("study.col_agree"),
            words("study.col_tell"))  # fmt: skip
    rows = []
    for v, panel in enumerate(line.panels):
        at = {s.label: s for s in panel.standings}
        cells = []
        for label in labels:
            s = at[label]
            best, worst = s.rank
            rank = str(best) if best == worst else f"{best}–{worst}"
            cells.append(f"{words.num(s.points.mean)} ({rank})")
        rows.append(
            (result.plan.variants[v].name, *cells, words.num(panel.agreement, 2),
             tell_text(panel.telling, words))
        )  # fmt: skip
    return Table(head, tuple(rows))


def panel_table(result: StudyResult, panels: Sequence[Panel], words: Words) -> Table:
    """Every metric of every variant."""
    names = [v.name for v in result.plan.variants]
    rows = []
    for metric in METRICS:
        found = [panel.metrics[metric] for panel in panels]
        if any(x is not None for x in found):
            rows.append(
                (metric_name(metric, words), *(plus_minus(metric, x, words) for x in found))
            )
    return Table((words("study.col_metric"), *names), tuple(rows))


def strategy_labels(line: LineResult) -> list[str]:
    """Strategies of a line-up, in the order of the alphabet."""
    return [s.label for s in sorted(line.panels[0].standings, key=lambda s: s.label)]


def clearness(r: EffectRow) -> float:
    """Order of effects: the largest in their own errors first."""
    if r.found.se:
        return -abs(r.found.value / r.found.se)
    return -math.inf if r.found.value else 0.0


def _says(r: EffectRow) -> str:
    low, high = r.found.low, r.found.high
    if r.matters:
        return "matters"
    if low is not None and high is not None and max(abs(low), abs(high)) <= r.smallest:
        return "negligible"
    return "is_sure" if r.sure else "open"
