"""What a rule study found, in a sentence, remarks and a block to paste."""

from __future__ import annotations

from ramisim.analysis.report.frame import Verdict
from ramisim.analysis.report.metric_words import (
    change_text,
    levels_text,
    metric_name,
    metric_number,
    metric_short,
    span_text,
)
from ramisim.analysis.report.words import Words
from ramisim.analysis.study import EffectRow, StudyResult
from ramisim.analysis.study_plan import LineUp

__all__ = ["line_title", "study_block", "study_verdict"]

SHOWN = 3


def line_title(line_up: LineUp, words: Words) -> str:
    """Seats and strategies of a line-up."""
    if name := line_up.name.get(words.lang):
        return words("study.line", players=line_up.players, names=name)
    return words("study.line", players=line_up.players, names=", ".join(line_up.strategies))


def study_verdict(result: StudyResult, words: Words) -> Verdict:
    """Say what the declared effects show, and what one must know beside it."""
    family, one = words.count(result.family), result.family == 1
    ranked = _matter(result)
    if ranked:
        row, line_up = ranked[0]
        sentence = words(
            "study.answer",
            n=len(ranked),
            family=family,
            change=change_text(row.changes),
            metric=metric_name(row.metric, words),
            x=metric_number(row.metric, row.found.value, words, sign=True),
            low=metric_number(row.metric, row.found.low, words),
            high=metric_number(row.metric, row.found.high, words),
            level=words.level(result.level),
            line=line_title(line_up, words),
        )
    else:
        sentence = words("study.nothing", family=family)
    sure = sum(r.sure for line in result.lines for r in line.effects if r.declared)
    remarks = [
        words(
            "study.sure_one" if one else "study.sure",
            n=sure,
            family=family,
            m=words.count(result.screened),
        )
    ]
    if any(len(line.panels[0].standings) > 1 for line in result.lines):
        remarks.append(_flips(result, words))
    if len({v.deck for v in result.plan.variants}) > 1:
        remarks.append(words("study.unpaired"))
    return Verdict(sentence, tuple(remarks))


def study_block(result: StudyResult, words: Words) -> str:
    """Five lines to paste: study, verdict, remarks, strongest effects, Pareto fronts."""
    plan = result.plan
    said = study_verdict(result, words)
    first = words(
        "study.block",
        name=plan.name,
        base=plan.base,
        variants=len(plan.variants),
        lines=len(plan.line_ups),
        deals=words.count(plan.deals),
        seed=plan.seed,
        ramisim=result.ramisim,
        engine=result.engine,
    )
    matter = _matter(result)
    strongest = "; ".join(_shown(row, x, words) for row, x in (matter or _declared(result))[:SHOWN])
    fronts = "; ".join(
        f"{line_title(line.line_up, words)}: "
        + ", ".join(v.name for v, on in zip(plan.variants, line.pareto.front, strict=True) if on)
        for line in result.lines
        if line.pareto is not None
    )
    lines = [first, said.sentence, " ".join(said.remarks)]
    if strongest:
        key = "study.block_effects" if matter else "study.block_unclear"
        lines.append(words(key, list=strongest))
    if fronts:
        lines.append(words("study.block_front", list=fronts))
    return "\n".join(lines).replace("→", "->").replace("×", "x").replace("“", '"').replace("”", '"')


def _shown(row: EffectRow, line_up: LineUp, words: Words) -> str:
    """An effect with its interval, as short as it goes."""
    return words(
        "study.effect",
        change=change_text(row.changes),
        metric=metric_short(row.metric, words),
        x=metric_number(row.metric, row.found.value, words, sign=True),
        span=span_text(row.metric, row.found, words),
        line=line_title(line_up, words),
    )


def _matter(result: StudyResult) -> list[tuple[EffectRow, LineUp]]:
    """Declared effects that are sure and matter."""
    return [(row, line_up) for row, line_up in _declared(result) if row.matters]


def _declared(result: StudyResult) -> list[tuple[EffectRow, LineUp]]:
    """Declared main effects, clearest first; then interactions."""
    rows = [(row, line.line_up) for line in result.lines for row in line.effects if row.declared]
    return sorted(rows, key=lambda x: (len(x[0].changes), -_clear(x[0])))


def _clear(row: EffectRow) -> float:
    return abs(row.found.value / row.found.se) if row.found.se else float("inf")


def _flips(result: StudyResult, words: Words) -> str:
    found = [
        words(
            "study.flip",
            a=flip.a,
            b=flip.b,
            variant=levels_text(result.plan, result.plan.variants[flip.variant].levels),
            line=line_title(line.line_up, words),
        )
        for line in result.lines
        for flip in line.flips
        if flip.sure
    ]
    if not found:
        return words("study.no_flips")
    more = ", …" if len(found) > SHOWN else ""
    return words("study.flips", n=len(found), list="; ".join(found[:SHOWN]) + more)
