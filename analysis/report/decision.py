"""Sentences and tables of a comparison: the decision, and apart from it the estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ramisim.analysis.comparing import Comparison, Counts, Pair
from ramisim.analysis.estimates import Difference
from ramisim.analysis.report.frame import Table
from ramisim.analysis.report.words import Words
from ramisim.analysis.sequential import Outcome

__all__ = ["as_estimated", "compared", "counts_line", "decide", "estimate", "llr_alt", "stop_words"]

MANY = 6
"""Pairs that a headline names."""


def compared(c: Comparison, level: float, words: Words) -> dict[str, Any]:
    """What the template asks for beside the summary."""
    note = "note_fixed" if c.rule.test is None else "note_stopped"
    luck = next((pair.luck for pair in c.pairs if pair.luck is not None), None)
    return {
        "pairs_table": pairs_table(c, level, words),
        "pairs_note": words(f"pairs.{note}", level=words.level(1 - c.rule.alpha)),
        "counts_tables": counts_tables(c, words),
        "luck_note": ""
        if luck is None
        else words(
            "pairs.note_luck",
            first=luck.pilot_first,
            last=luck.pilot_first + luck.pilot_deals - 1,
        ),
    }


def llr_alt(paths: Sequence[tuple[str, Outcome]], words: Words) -> str:
    """The path of each test in words."""
    rows = [
        words("pairs.llr_row", pair=name, llr=words.num(o.llr, 2), n=words.count(o.n))
        for name, o in paths
    ]
    lower, upper = (words.num(x, 2) for x in (paths[0][1].lower, paths[0][1].upper))
    return words("pairs.llr_alt", lower=lower, upper=upper, rows=", ".join(rows))


def decide(c: Comparison, words: Words) -> str | None:
    """The decision in one sentence; None where nothing was to be decided."""
    if c.rule.kind == "deals":
        return None
    if len(c.pairs) == 1:
        return _decided(c, c.pairs[0], words)
    named = [words(f"decision.short_{_key(pair.verdict)}", a=pair.a, b=pair.b) for pair in c.pairs]
    shown = "; ".join(named[:MANY]) + ("; …" if len(named) > MANY else "")
    strategies = {name for pair in c.pairs for name in (pair.a, pair.b)}
    return words("decision.many", k=len(strategies), pairs=len(c.pairs), list=shown)


def estimate(c: Comparison, pair: Pair, level: float, words: Words) -> str:
    """The estimate in one or two sentences."""
    x, low, high = estimated(c, pair)
    digits = words.digits(x, None if low is None or high is None else (high - low) / 4)
    told = {
        "a": pair.a,
        "b": pair.b,
        "x": words.num(x, digits, sign=True),
        "level": words.level(level),
        "low": words.num(low, digits),
        "high": words.num(high, digits),
    }
    if pair.after_stop is None:
        text = words("estimate.bare" if low is None else "estimate.plain", **told)
    elif pair.after_stop.median == pair.after_stop.plain:
        text = words("estimate.one_look", **told)
    else:
        plain = words.num(pair.after_stop.plain, digits, sign=True)
        text = words("estimate.stopped", plain=plain, **told)
    luck = pair.luck
    if luck is None or luck.factor is None:
        return text
    removed = words(
        "estimate.luck",
        x=words.num(luck.mean, digits, sign=True),
        low=words.num(luck.low, digits),
        high=words.num(luck.high, digits),
        factor=words.num(luck.factor, 2),
        pilot=words.count(luck.pilot_deals),
    )
    return f"{text} {removed}"


def estimated(c: Comparison, pair: Pair) -> tuple[float, float | None, float | None]:
    """The figure to read, and its ends: by the test, by the band, or for a fixed number."""
    if pair.after_stop is not None:
        return pair.after_stop.median, pair.after_stop.low, pair.after_stop.high
    if c.rule.kind == "within":
        return pair.points.mean, pair.band_low, pair.band_high
    return pair.points.mean, pair.points.low, pair.points.high


def stop_words(c: Comparison, words: Words) -> str:
    """By which rule the run was to stop, and when it did."""
    rule, test = c.rule, c.rule.test
    text = words(
        f"rule.{rule.kind}",
        n=words.count(rule.most),
        most=words.count(rule.most),
        within=words.num(rule.within, words.digits(rule.within)),
        t0=words.num(None if test is None else test.t0, 2),
        t1=words.num(None if test is None else test.t1, 2),
        alpha=words.pct(rule.alpha, 0),
        beta=words.pct(rule.beta, 0),
    )
    if rule.kind == "deals":
        return text
    if rule.pairs > 1:
        text = words("rule.family", rule=text, pairs=rule.pairs)
    return words("rule.ended", rule=text, n=words.count(c.deals))


def pairs_table(c: Comparison, level: float, words: Words) -> Table:
    """A row for each pair: decision, estimate, band."""
    test, luck = c.rule.test is not None, any(pair.luck for pair in c.pairs)
    interval = words("pairs.interval", level=words.level(level))
    head = [words("pairs.pair")]
    if c.rule.kind != "deals":
        head += [words("pairs.decision"), words("pairs.deals")]
    head += [words("pairs.llr")] if test else []
    head += [words("pairs.estimate"), interval]
    head += [words("pairs.plain")] if test else [words("pairs.p")] * (c.rule.kind == "deals")
    head += [words("pairs.band")]
    if luck:
        head += [words("pairs.luck"), interval, words("pairs.factor")]
    return Table(tuple(head), tuple(_row(c, pair, luck, words) for pair in c.pairs))


def counts_tables(c: Comparison, words: Words) -> list[Table]:
    """Raw counts: games lost, shared and won, and deals on which each got more."""
    games = Table(
        tuple(words(key) for key in ("column.strategy", "pairs.lost", "pairs.shared", "pairs.won")),
        tuple(
            (counts.label, *(words.count(n) for n in (counts.lost, counts.shared, counts.won)))
            for counts in _each_once(c)
        ),
    )
    rows = []
    for pair in c.pairs:
        alike = c.deals - pair.better - pair.worse
        text = words.pct(pair.wins.mean, 1, sign=True)
        if pair.wins.low is not None and pair.wins.high is not None:
            low, high = words.pct(pair.wins.low), words.pct(pair.wins.high)
            text += f" ({words('verdict.range', low=low, high=high)})"
        numbers = (words.count(n) for n in (pair.better, pair.worse, alike))
        rows.append((words("axis.minus", a=pair.a, b=pair.b), *numbers, text))
    head = ("pair", "more", "less", "alike", "wins")
    return [games, Table(tuple(words(f"pairs.{key}") for key in head), tuple(rows))]


def _each_once(c: Comparison) -> list[Counts]:
    """Games as each strategy saw them, the one of a duel first."""
    return list({counts.label: counts for pair in c.pairs for counts in pair.counts}.values())


def as_estimated(c: Comparison) -> list[Difference]:
    """The differences with the figures to read, for the forest plot."""
    found = []
    for pair in c.pairs:
        x, low, high = estimated(c, pair)
        found.append(replace(pair.points, mean=x, low=low, high=high))
    return found


def counts_line(c: Comparison, words: Words) -> list[str]:
    """Raw counts of all strategies, and of the deals of the first pair, for the text block."""
    pair = c.pairs[0]
    parts = [
        words(
            "paste.counts",
            name=counts.label,
            l=words.count(counts.lost),
            d=words.count(counts.shared),
            w=words.count(counts.won),
        )
        for counts in _each_once(c)
    ]
    for counts in pair.counts:
        if counts.pairs is not None:
            ll, ld, mid, wd, ww = (words.count(n) for n in counts.pairs)
            parts.append(words("block.pairs", ll=ll, ld=ld, mid=mid, wd=wd, ww=ww))
    alike = c.deals - pair.better - pair.worse
    parts.append(
        words(
            "paste.deals",
            a=pair.a,
            b=pair.b,
            more=words.count(pair.better),
            less=words.count(pair.worse),
            alike=words.count(alike),
        )
    )
    return parts


def _decided(c: Comparison, pair: Pair, words: Words) -> str:
    if pair.outcome is not None:
        decision = pair.outcome.decision
        key = f"{c.rule.kind}_{decision}" if decision in ("H0", "H1") else decision
        return words(f"decision.{key}", a=pair.a, b=pair.b, n=words.count(pair.outcome.n))
    low, high = pair.band_low, pair.band_high
    half = None if low is None or high is None else (high - low) / 2
    digits = max(1, words.digits(pair.points.mean, half))
    text = words(
        f"decision.within_{_key(pair.verdict)}",
        a=pair.a,
        b=pair.b,
        x=words.num(pair.points.mean, digits, sign=pair.verdict != "better"),
        half=words.num(half, digits),
        low=words.num(low, digits),
        high=words.num(high, digits),
        n=words.count(c.deals),
    )
    if c.reached:
        return text
    return f"{text} {words('decision.not_reached', most=words.count(c.rule.most))}"


def _row(c: Comparison, pair: Pair, luck: bool, words: Words) -> tuple[str, ...]:
    x, low, high = estimated(c, pair)
    digits = words.digits(x, pair.points.se)

    def ends(low: float | None, high: float | None) -> str:
        if low is None or high is None:
            return words.num(None)
        return words("verdict.range", low=words.num(low, digits), high=words.num(high, digits))

    cells = [words("axis.minus", a=pair.a, b=pair.b)]
    if c.rule.kind != "deals":
        n = c.deals if pair.outcome is None else pair.outcome.n
        cells += [words(f"pairs.{_key(pair.verdict)}"), words.count(n)]
    if pair.outcome is not None:
        cells.append(words.num(pair.outcome.llr, 2, sign=True))
    cells += [words.num(x, digits, sign=True), ends(low, high)]
    if pair.outcome is not None:
        cells.append(words.num(pair.outcome.mean, digits, sign=True))
    elif c.rule.kind == "deals":
        cells.append(words.p(pair.points.p_holm))
    cells.append(ends(pair.band_low, pair.band_high))
    if luck:
        removed = pair.luck
        if removed is None:
            cells += [words.num(None)] * 3
        else:
            cells += [
                words.num(removed.mean, digits, sign=True),
                ends(removed.low, removed.high),
                words.num(removed.factor, 2),
            ]
    return tuple(cells)


def _key(verdict: str) -> str:
    return verdict.replace(" ", "-")
