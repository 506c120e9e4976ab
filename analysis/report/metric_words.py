"""Metrics, levels and changes in words and numbers of a language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ramisim.analysis.effects import Change, Level
from ramisim.analysis.metrics import METRICS
from ramisim.analysis.panel import Telling
from ramisim.analysis.report.words import Words
from ramisim.analysis.study_plan import StudyPlan
from ramisim.analysis.values import Interval

__all__ = [
    "change_text",
    "level_text",
    "levels_text",
    "metric_name",
    "metric_number",
    "metric_short",
    "plus_minus",
    "span_text",
    "tell_text",
]


def metric_name(name: str, words: Words) -> str:
    """What a metric is, in a few words."""
    return words(f"metric.{name}")


def metric_short(name: str, words: Words) -> str:
    """The same for a heading."""
    return words(f"short.{name}") if words.known(f"short.{name}") else metric_name(name, words)


def metric_number(
    name: str, x: float | None, words: Words, sign: bool = False, more: int = 0
) -> str:
    """A value of a metric as it is written: shares as per cent, signals with three decimals."""
    unit = METRICS[name].unit
    if unit == "share":
        return words.pct(x, 1 + more, sign)
    digits = {"points": 1, "number": 2, "signal": 3}[unit]
    return words.num(x, digits, sign)


def span_text(name: str, found: Interval, words: Words, sign: bool = False) -> str:
    """An interval, "low to high"."""
    if found.low is None or found.high is None:
        return words.num(None)
    low, high = (metric_number(name, x, words, sign) for x in (found.low, found.high))
    return words("verdict.range", low=low, high=high)


def plus_minus(name: str, found: Interval | None, words: Words) -> str:
    """A value and half of its interval."""
    if found is None:
        return words.num(None)
    value = metric_number(name, found.value, words)
    if found.low is None or found.high is None:
        return value
    half = metric_number(name, (found.high - found.low) / 2, words)
    return f"{value} ± {half}"


def level_text(level: Level) -> str:
    """A level as a rules file writes it."""
    return str(level).lower() if isinstance(level, bool) else str(level)


def change_text(changes: Sequence[Change], broken: bool = False) -> str:
    """One or two changes: ``opening.gate: none → rotating``."""
    parts = [f"{c.factor}: {level_text(c.old)} → {level_text(c.new)}" for c in changes]
    if broken:
        parts = [part.replace(": ", ":\n", 1) if len(part) > 30 else part for part in parts]
    return ("\n× " if broken else " × ").join(parts)


def levels_text(plan: StudyPlan, levels: Sequence[Level]) -> str:
    """The rules of a variant: every factor with its level."""
    named: Mapping[str, Level] = dict(zip(plan.factors, levels, strict=True))
    return ", ".join(f"{key} = {level_text(value)}" for key, value in named.items())


def tell_text(found: Telling | None, words: Words) -> str:
    """Games to tell two strategies apart, with the interval."""
    if found is None or found.games is None:
        return words.num(None)
    high = words("study.never") if found.high is None else words.num(found.high, 0)
    span = words("verdict.range", low=words.num(found.low, 0), high=high)
    return f"{words.num(found.games, 0)} ({span})"
