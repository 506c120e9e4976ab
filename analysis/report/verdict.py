"""The verdict in words, and the five lines to paste."""

from __future__ import annotations

from ramisim.analysis.comparing import Comparison
from ramisim.analysis.deals import Coverage
from ramisim.analysis.estimates import Difference, Estimate
from ramisim.analysis.report.decision import counts_line, decide, estimate
from ramisim.analysis.report.frame import Verdict
from ramisim.analysis.report.words import Words
from ramisim.analysis.runs import Manifest
from ramisim.analysis.summary import Summary

__all__ = ["five_lines", "verdict"]

SEAT_ALPHA = 0.01
"""The verdict speaks of seats only where chance is an unlikely reason."""


def verdict(s: Summary, words: Words) -> Verdict:
    """Say in words what a run shows."""
    if len(s.board) == 1:
        return Verdict(_itself(s, words), tuple(_cautions(s, words)))
    first = s.points[0]
    if s.comparison is not None and s.comparison.rule.kind != "deals":
        return _of_a_rule(s, s.comparison, words)
    sentence = _sentence(s, first, words)
    return Verdict(sentence, (*_about_points(s, first, words), *_cautions(s, words)))


def _of_a_rule(s: Summary, c: Comparison, words: Words) -> Verdict:
    """A decision first; then, apart from it, the estimate."""
    sentence = decide(c, words) or ""
    shown = c.pairs if len(c.pairs) <= 3 and c.rule.test is not None else c.pairs[:1]
    remarks = [estimate(c, pair, s.level, words) for pair in shown if pair.verdict != "none"]
    remarks += _table(s, words)
    return Verdict(sentence, (*remarks, *_cautions(s, words)))


def _table(s: Summary, words: Words) -> list[str]:
    """Who else sat at the table, and what an equal share of it would be."""
    remarks = []
    m = s.manifest
    opponents = [name for k, name in enumerate(m.labels) if k not in m.candidates]
    if opponents:
        remarks.append(words("remark.opponents", names=", ".join(opponents)))
    players = s.coverage.players
    if players > 2:
        share = words.pct(1 / players)
        remarks.append(words("remark.equal_share", players=players, share=share))
    return remarks


def run_line(m: Manifest, c: Coverage, words: Words) -> str:
    """First line of a text block: what was played."""
    return words(
        "block.run",
        rules=m.rules,
        players=c.players,
        design=m.design,
        deals=words.count(c.used),
        first=c.first,
        last=c.stop - 1,
        games=words.count(c.games),
        seed=m.seed,
        ramisim=m.ramisim,
        engine=m.engine,
    )


def five_lines(s: Summary, words: Words) -> str:
    """Text block of five lines: run, verdict, strategies, counts, table."""
    run = run_line(s.manifest, s.coverage, words)
    said = verdict(s, words)
    if s.comparison is not None:
        return "\n".join([run, *_comparison_lines(s, s.comparison, said, words)])
    lines = [
        run,
        " ".join([said.sentence, *said.remarks]),
        " | ".join(_board_line(s, words)),
        " | ".join(_counts_line(s, words)),
        " | ".join(_table_line(s, words)),
    ]
    return "\n".join(lines)


def _comparison_lines(s: Summary, c: Comparison, said: Verdict, words: Words) -> list[str]:
    """Decision, estimate, raw counts, table: one line each."""
    if c.rule.kind == "deals":
        decision = " ".join([said.sentence, *said.remarks])
    else:
        decision = words("paste.decision", text=" ".join([said.sentence, *_cautions(s, words)]))
    return [
        decision,
        " | ".join(estimate(c, pair, s.level, words) for pair in c.pairs),
        " | ".join(counts_line(c, words)),
        " | ".join([*_board_line(s, words), *_table_line(s, words)]),
    ]


def _itself(s: Summary, words: Words) -> str:
    points = s.board[0].points
    return words(
        "verdict.itself_once" if points.low is None else "verdict.itself",
        a=points.label,
        mean=words.num(points.mean),
        level=words.level(s.level),
        low=words.num(points.low),
        high=words.num(points.high),
        deals=words.count(points.deals),
    )


def _sentence(s: Summary, d: Difference, words: Words) -> str:
    if d.alike == 1 and d.mean == 0:
        return words("verdict.alike", a=d.a, b=d.b, deals=words.count(d.deals))
    digits = words.digits(d.mean, d.se)
    leader, field = s.board[0], len(s.board)
    if d.low is None or d.high is None:
        return words("verdict.single", a=d.a, b=d.b, x=words.num(d.mean, digits))
    if field > 2:
        key = "leads" if _surely(d, s) else "leads_unclear"
    elif not d.clear:
        key = "unclear"
    else:
        key = "beats" if d.mean >= s.smallest else "small"
    return words(
        f"verdict.{key}",
        a=d.a,
        b=d.b,
        k=field,
        pairs=len(s.points),
        mean=words.num(leader.points.mean),
        x=words.num(d.mean, digits),
        level=words.level(s.level),
        low=words.num(d.low, digits),
        high=words.num(d.high, digits),
        deals=words.count(d.deals),
        wins=words.pct(leader.wins.mean),
    )


def _surely(d: Difference, s: Summary) -> bool:
    return d.p_holm is not None and d.p_holm < 1 - s.level


def _about_points(s: Summary, d: Difference, words: Words) -> list[str]:
    remarks = _table(s, words)
    if d.low is not None and d.high is not None and d.alike != 1:
        smallest = words.num(s.smallest)
        if d.clear and abs(d.mean) < s.smallest:
            remarks.append(words("remark.below_smallest", smallest=smallest))
        elif max(-d.low, d.high) < s.smallest:
            remarks.append(words("remark.equivalent", smallest=smallest))
    wins = s.wins[0]
    if wins.clear and wins.mean < 0:
        turned = wins.reversed()
        remarks.append(
            words(
                "remark.wins_disagree",
                a=d.a,
                b=d.b,
                x=words.pct(turned.mean),
                level=words.level(s.level),
                low=words.pct(turned.low),
                high=words.pct(turned.high),
            )
        )
    if len(s.board) > 2:
        clear = sum(_surely(pair, s) for pair in s.points)
        remarks.append(words("remark.clear_pairs", clear=clear, pairs=len(s.points)))
    return remarks


def _cautions(s: Summary, words: Words) -> list[str]:
    remarks = []
    c = s.coverage
    if c.planned is not None and c.used < c.planned:
        remarks.append(
            words("remark.preliminary", used=words.count(c.used), planned=words.count(c.planned))
        )
    if c.dropped:
        remarks.append(words("remark.dropped", dropped=words.count(c.dropped)))
    if len(s.board) > 1 and not s.seats.balanced:
        remarks.append(words("remark.unbalanced"))
    elif s.seats.p_deals < SEAT_ALPHA:
        remarks.append(_seat_remark(s, words))
    return remarks


def _seat_remark(s: Summary, words: Words) -> str:
    best = max(s.seats.wins, key=lambda e: e.mean)
    return words(
        "remark.seat",
        seat=best.label,
        rate=words.pct(best.mean),
        low=words.pct(best.low),
        high=words.pct(best.high),
        share=words.pct(1 / s.coverage.players),
    )


def _board_line(s: Summary, words: Words) -> list[str]:
    def ends(e: Estimate, share: bool) -> tuple[str, str]:
        form = words.pct if share else words.num
        return form(e.low), form(e.high)

    parts = []
    for row in s.board:
        low, high = ends(row.points, False)
        wlow, whigh = ends(row.wins, True)
        key = "block.row" if row.points.low is not None else "block.row_plain"
        parts.append(
            words(
                key,
                name=row.label,
                mean=words.num(row.points.mean),
                low=low,
                high=high,
                wins=words.pct(row.wins.mean),
                wlow=wlow,
                whigh=whigh,
            )
        )
    return parts


def _counts_line(s: Summary, words: Words) -> list[str]:
    duel = s.duel
    if duel is None:
        if len(s.board) == 1:
            return [words("block.alone")]
        clear = sum(_surely(pair, s) for pair in s.points)
        return [words("block.field", clear=clear, pairs=len(s.points))]
    lost, drawn, won = (words.count(n) for n in duel.trinomial)
    parts = [words("block.games", a=duel.a, l=lost, d=drawn, w=won)]
    if duel.pentanomial:
        ll, ld, mid, wd, ww = (words.count(n) for n in duel.pentanomial)
        parts.append(words("block.pairs", ll=ll, ld=ld, mid=mid, wd=wd, ww=ww))
    if duel.elo is not None:
        parts.append(
            words(
                "block.elo",
                elo=words.num(duel.elo, 1, sign=True),
                low=words.num(duel.elo_low, 1),
                high=words.num(duel.elo_high, 1),
            )
        )
    return parts


def _table_line(s: Summary, words: Words) -> list[str]:
    seat = s.seats.wins[0]
    parts = [
        words(
            "block.seat",
            rate=words.pct(seat.mean),
            low=words.pct(seat.low),
            high=words.pct(seat.high),
        )
    ]
    if s.rounds is not None:
        ends = [f"{words(f'end.{e.label}')} {words.pct(e.mean)}" for e in s.rounds.ends]
        parts.append(words("block.ends", rows=", ".join(ends)))
    elif s.went_out is not None:
        row = f"{words('end.out')} {words.pct(s.went_out.mean)}"
        parts.append(words("block.ends", rows=row))
    gain = s.watched.gain if s.watched else None
    if gain is not None and gain.factor is not None:
        parts.append(words("block.gain", k=gain.seatings, factor=words.num(gain.factor)))
    return parts
