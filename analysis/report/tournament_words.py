"""The verdict of a round robin or a gauntlet in words, and its five lines to paste."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis.estimates import Difference
from ramisim.analysis.ratings import FREE
from ramisim.analysis.report.facts import bracketed
from ramisim.analysis.report.frame import Verdict
from ramisim.analysis.report.verdict import run_line
from ramisim.analysis.report.words import Words
from ramisim.analysis.standing import Lottery
from ramisim.analysis.tournament import Standing, Tournament

__all__ = [
    "clear_pairs",
    "elo_range",
    "five_lines",
    "head_of",
    "lottery_text",
    "mixture",
    "verdict",
]

SHOWN = 0.005


def verdict(t: Tournament, words: Words) -> Verdict:
    """Say in words who won, and what one must know beside it."""
    return Verdict(_sentence(t, words), tuple(_remarks(t, words)))


def five_lines(t: Tournament, words: Words) -> str:
    """Text block of five lines: run, verdict, strategies, structure, table."""
    run = run_line(t.manifest, t.coverage, words)
    said = verdict(t, words)
    seat = t.seats.wins[0]
    table = [
        words(
            "block.seat",
            rate=words.pct(seat.mean),
            low=words.pct(seat.low),
            high=words.pct(seat.high),
        )
    ]
    table += [_lottery(t, k, words) for k in sorted({0, len(t.lotteries) - 1}) if t.lotteries]
    lines = [
        run,
        " ".join([said.sentence, *said.remarks]),
        " | ".join(_row(t, k, words) for k in range(len(t.board))),
        " | ".join(_structure(t, words)),
        " | ".join(table),
    ]
    return "\n".join(lines)


def clear_pairs(t: Tournament) -> int:
    """Number of pairs that are clearly apart head to head."""
    return sum(_clear(d, t) for d in t.head_to_head)


def head_of(t: Tournament, a: str, b: str) -> Difference | None:
    """The head to head of two, seen as "a minus b"; None where they never meet."""
    for d in t.head_to_head:
        if (d.a, d.b) == (a, b):
            return d
        if (d.a, d.b) == (b, a):
            return d.reversed()
    return None


def mixture(order: tuple[str, ...], shares: NDArray[np.float64], words: Words) -> str:
    """Strategies with their shares, the largest first; tiny ones left out."""
    at = np.argsort(-shares, kind="stable")
    return ", ".join(
        f"{order[k]} {words.pct(float(shares[k]), 0)}" for k in at if shares[k] > SHOWN
    )


def _clear(d: Difference, t: Tournament) -> bool:
    return d.p_holm is not None and d.p_holm < 1 - t.level


def _sentence(t: Tournament, words: Words) -> str:
    first = t.board[0]
    told = {
        "a": first.label,
        "deals": words.count(t.coverage.used),
        "won": words.pct(first.wins.mean),
        "level": words.level(t.level),
        "mean": words.num(first.points.mean),
    }
    if not t.points:
        heads = [head_of(t, first.label, other) for other in t.field]
        known = [d for d in heads if d is not None]
        ahead = sum(_clear(d, t) and d.mean > 0 for d in known)
        behind = sum(_clear(d, t) and d.mean < 0 for d in known)
        return words("tour.against", k=len(t.field), ahead=ahead, behind=behind, **told)
    d = t.points[0]
    digits = words.digits(d.mean, d.se)
    told |= {"b": d.b, "x": words.num(d.mean, digits)}
    if d.low is None or d.high is None:
        return words("tour.single", **told)
    told |= {"low": words.num(d.low, digits), "high": words.num(d.high, digits)}
    if not _clear(d, t):
        key = "tour.unclear" if len(t.points) > 1 else "tour.unclear_pair"
        return words(key, pairs=len(t.points), **told)
    return words("tour.field_wins" if t.field else "tour.wins", **told)


def _remarks(t: Tournament, words: Words) -> list[str]:
    remarks = []
    players = t.coverage.players
    if players > 2:
        share = words.pct(1 / players)
        remarks.append(words("tour.equal_share", players=players, share=share))
    if t.wins:
        w = t.wins[0]
        if w.clear and w.mean < 0:
            turned = w.reversed()
            remarks.append(
                words(
                    "tour.leader_wins",
                    a=w.b,
                    b=w.a,
                    x=words.pct(turned.mean),
                    level=words.level(t.level),
                    low=words.pct(turned.low),
                    high=words.pct(turned.high),
                )
            )
    if len(t.head_to_head) > 1:
        pairs = len(t.head_to_head)
        remarks.append(words("tour.clear_pairs", clear=clear_pairs(t), pairs=pairs))
    remarks += _about_structure(t, words)
    if t.ratings.prior > FREE:
        remarks.append(words("tour.prior"))
    c = t.coverage
    if c.planned is not None and c.used < c.planned:
        used, planned = words.count(c.used), words.count(c.planned)
        remarks.append(words("tour.preliminary", used=used, planned=planned))
    return remarks


def _about_structure(t: Tournament, words: Words) -> list[str]:
    s = t.structure
    if s is None:
        return []
    key = "tour.cycles" if s.cyclic_p < 1 - t.level else "tour.no_cycles"
    remarks = [
        words(
            key,
            cyclic=words.pct(s.cyclic),
            low=words.pct(s.cyclic_low),
            high=words.pct(s.cyclic_high),
            noise=words.pct(s.cyclic_noise),
            p=words.num(s.cyclic_p, 3),
        )
    ]
    top = int(np.argmax(s.nash))
    if s.nash[top] > 1 - SHOWN:
        support = words.pct(float(s.nash_support[top]), 0)
        remarks.append(words("tour.nash_one", a=t.order[top], support=support))
    else:
        remarks.append(words("tour.nash_mix", rows=mixture(t.order, s.nash, words)))
    return remarks


def elo_range(row: Standing, words: Words) -> str:
    """The interval of a rating; nothing where one deal was played, which gives no interval."""
    if row.points.low is None:
        return ""
    low, high = (words.num(x, 0, sign=True) for x in (row.elo_low, row.elo_high))
    return words("verdict.range", low=low, high=high)


def _row(t: Tournament, k: int, words: Words) -> str:
    row = t.board[k]
    elo_span = elo_range(row, words)
    return words(
        "tour.block_row",
        name=row.label,
        mean=words.num(row.points.mean),
        span=bracketed(row.points, words),
        wins=words.pct(row.wins.mean),
        elo=words.num(row.elo, 0, sign=True),
        elo_span=f" ({elo_span})" if elo_span else "",
    )


def _structure(t: Tournament, words: Words) -> list[str]:
    pairs = len(t.head_to_head)
    parts = [words("tour.block_pairs", clear=clear_pairs(t), pairs=pairs)]
    s = t.structure
    if s is not None:
        cyclic, noise = words.pct(s.cyclic), words.pct(s.cyclic_noise)
        p = words.num(s.cyclic_p, 3)
        parts.append(words("tour.block_cyclic", cyclic=cyclic, noise=noise, p=p))
        parts.append(words("tour.block_nash", rows=mixture(t.order, s.nash, words)))
        parts.append(words("tour.block_alpha", rows=mixture(t.order, s.alpha, words)))
    return parts


def _lottery(t: Tournament, k: int, words: Words) -> str:
    event = t.lotteries[k]
    return lottery_text(event, t.board[0].label, words)


def lottery_text(event: Lottery, strongest: str, words: Words) -> str:
    """How often the strongest wins an event."""
    key = "tour.block_lottery_1" if event.games == 1 else "tour.block_lottery"
    return words(key, a=strongest, best=words.pct(event.best), games=words.count(event.games))
