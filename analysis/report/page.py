"""From a summary to one self-contained page: tables, figures and the words around them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ramisim.analysis import figures
from ramisim.analysis.bands import FROM_DEALS
from ramisim.analysis.comparing import Extreme
from ramisim.analysis.estimates import Estimate
from ramisim.analysis.quantiles import quantiles_of_counts
from ramisim.analysis.report.decision import as_estimated, compared, llr_alt, stop_words
from ramisim.analysis.report.facts import bracketed, interval, listed, rank_text, ranked
from ramisim.analysis.report.frame import Table, drawing, headings, render
from ramisim.analysis.report.seats import seats_figure, seats_table, seats_text
from ramisim.analysis.report.verdict import verdict
from ramisim.analysis.report.words import Words
from ramisim.analysis.summary import Summary
from ramisim.analysis.svg import style

__all__ = ["page"]


def page(summary: Summary, words: Words, text: str) -> str:
    """Render the report of a summary as HTML.

    Parameters
    ----------
    summary : Summary
    words : Words
    text : str
        The block to paste.
    """
    said = verdict(summary, words)
    with style():
        drawn = _figures(summary, words)
    comparison = summary.comparison
    return render(
        "page.html" if comparison is None else "compare.html",
        words.lang,
        **({} if comparison is None else compared(comparison, summary.level, words)),
        s=summary,
        title=_title(summary, words),
        verdict=said,
        played=_played(summary, words),
        board=_board(summary, words),
        differences=_differences(summary, words),
        seats=seats_table(summary.seats.wins, summary.level, words, summary.seats.points),
        seats_text=seats_text(summary.seats, summary.coverage.players, words),
        rounds_text=_rounds_text(summary, words),
        habits=_habits(summary, words),
        gain=_gain(summary, words),
        duel=_duel(summary, words),
        most=_extremes(summary, words, summary.watched.most) if summary.watched else None,
        least=_extremes(summary, words, summary.watched.least) if summary.watched else None,
        sums=_sums(summary, words),
        start=FROM_DEALS,
        text=text,
        figure=drawn,
    )


def _title(s: Summary, words: Words) -> str:
    names = ", ".join(row.label for row in s.board)
    return words("head.title", names=names, rules=s.manifest.rules)


def _played(s: Summary, words: Words) -> list[tuple[str, str]]:
    m, c = s.manifest, s.coverage
    rules = m.rules + (f" ({m.base})" if m.base and m.base != m.rules else "")
    rows = [("rules", rules)]
    if m.override:
        rows.append(("override", ", ".join(f"{k} = {v}" for k, v in sorted(m.override.items()))))
    rows.append(
        ("line_up", "; ".join(_line_up([(e.label, e.params, e.source) for e in m.entries])))
    )
    design = f"design.{m.design}"
    rows.append(("design", words(design, k=c.games_per_deal) if words.known(design) else m.design))
    rows.append(
        (
            "deals",
            words(
                "played.deals_value",
                deals=words.count(c.used),
                first=words.count(c.first),
                last=words.count(c.stop - 1),
                games=words.count(c.games),
                players=c.players,
            ),
        )
    )
    rows.append(("stop", _stop(s, words)))
    rows.append(("seed", str(m.seed)))
    versions = [words("played.engine", ramisim=m.ramisim, engine=m.engine)]
    versions += [f"{name} {version}" for name, version in sorted(m.libraries.items())]
    rows.append(("versions", ", ".join(versions)))
    if m.command:
        rows.append(("command", m.command))
    return [(words(f"played.{key}"), value) for key, value in rows]


def _line_up(entries: Sequence[tuple[str, Mapping[str, Any], str]]) -> list[str]:
    """Each strategy with the parameters by which it differs from another one, and its source."""
    lines = []
    for label, params, source in entries:
        telling = {
            key: value
            for key, value in sorted(params.items())
            if any(other.get(key) != value for _, other, _ in entries) or len(entries) == 1
        }
        inside = ", ".join(f"{key}={_plain(value)}" for key, value in telling.items())
        text = f"{label} ({inside})" if inside and "(" not in label else label
        lines.append(f"{text} [{source[:8]}]" if source else text)
    return lines


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _stop(s: Summary, words: Words) -> str:
    if s.comparison is not None:
        return stop_words(s.comparison, words)
    reason = s.manifest.stop.get("reason")
    if reason:
        return str(reason)
    done = s.coverage.planned is None or s.coverage.used >= s.coverage.planned
    return words("played.stop_deals" if done else "played.stop_not")


def _board(s: Summary, words: Words) -> Table:
    level = words("column.interval", level=words.level(s.level))
    head = ("strategy", "rank", "points", level, "half", "wins", level)
    rows = tuple(
        (
            row.label,
            rank_text(row.rank),
            words.num(row.points.mean),
            interval(row.points, words),
            words(
                "verdict.range",
                low=words.num(row.quantiles[0.25], 0),
                high=words.num(row.quantiles[0.75], 0),
            ),
            words.pct(row.wins.mean),
            interval(row.wins, words, per_cent=True),
        )
        for row in s.board
    )
    return ranked(Table(headings(head, words), rows))


def _differences(s: Summary, words: Words) -> Table | None:
    if not s.points:
        return None
    level = words("column.interval", level=words.level(s.level))
    head = ("pair", "difference", level, "p_holm", "alike", "wins", level)
    rows = []
    for d, w in zip(s.points, s.wins, strict=True):
        digits = words.digits(d.mean, d.se)
        gap = Estimate(d.label, d.mean, d.se, d.low, d.high, d.deals, 0)
        won = Estimate(w.label, w.mean, w.se, w.low, w.high, w.deals, 0)
        rows.append(
            (
                words("axis.minus", a=d.a, b=d.b),
                words.num(d.mean, digits, sign=True),
                interval(gap, words, digits=digits),
                words.p(d.p_holm),
                words.pct(d.alike),
                words.pct(w.mean, 1, sign=True),
                interval(won, words, per_cent=True),
            )
        )
    return Table(headings(head, words), tuple(rows))


def _rounds_text(s: Summary, words: Words) -> list[str]:
    match = quantiles_of_counts(s.match_rounds, (0.05, 0.5, 0.95))
    told = {"m5": match[0.05], "match": match[0.5], "m95": match[0.95]}
    if s.rounds is not None:
        r = s.rounds.length
        text = words(
            "text.rounds",
            rounds=words.count(s.rounds.rounds),
            mean=words.num(r.mean.mean),
            span=bracketed(r.mean, words),
            sd=words.num(r.sd),
            q5=r.quantiles[0.05],
            q50=r.quantiles[0.5],
            q95=r.quantiles[0.95],
            **told,
        )
        return [text]
    texts = [words("text.no_rounds", **told)]
    if s.went_out is not None:
        out = s.went_out
        span = bracketed(out, words, per_cent=True)
        texts.insert(0, words("text.went_out", rate=words.pct(out.mean), span=span))
    return texts


def _habits(s: Summary, words: Words) -> Table | None:
    if s.rounds is None:
        return None
    at = [s.manifest.labels.index(row.label) for row in s.board]
    rows = []
    for habit, estimates in s.rounds.habits.items():
        form = words.pct if habit == "went_out" else words.num
        cells = (form(estimates[k].mean, 1 if habit == "went_out" else 2) for k in at)
        rows.append((words(f"habit.{habit}"), *cells))
    head = (words("column.per_round"), *(row.label for row in s.board))
    return Table(head, tuple(rows))


def _gain(s: Summary, words: Words) -> str:
    gain = s.watched.gain if s.watched else None
    if gain is None:
        return words("text.gain_none") if s.coverage.games_per_deal == 1 else ""
    if gain.factor is None:
        return words("text.gain_exact", a=gain.a, b=gain.b)
    return words(
        "text.gain",
        rho=words.num(gain.rho, 2),
        k=gain.seatings,
        factor=words.num(gain.factor),
        a=gain.a,
        b=gain.b,
        alike=words.pct(gain.alike),
    )


def _duel(s: Summary, words: Words) -> list[str]:
    duel = s.duel
    if duel is None:
        return []
    lost, drawn, won = (words.count(n) for n in duel.trinomial)
    texts = [words("text.counts", a=duel.a, l=lost, d=drawn, w=won)]
    if duel.pentanomial:
        ll, ld, mid, wd, ww = (words.count(n) for n in duel.pentanomial)
        texts.append(words("text.pairs", ll=ll, ld=ld, mid=mid, wd=wd, ww=ww))
    if duel.elo is None:
        texts.append(words("text.elo_none"))
    else:
        texts.append(
            words(
                "text.elo",
                elo=words.num(duel.elo, 1, sign=True),
                low=words.num(duel.elo_low),
                high=words.num(duel.elo_high),
                nelo=words.num(duel.summary.nelo),
                los=words.pct(duel.summary.los),
            )
        )
    return texts


def _extremes(s: Summary, words: Words, found: Sequence[Extreme]) -> Table | None:
    watched = s.watched
    if watched is None or not found:
        return None
    run = shlex.quote(s.place)
    head = (words("column.deal"), watched.a, watched.b, words("column.difference"))
    rows = tuple(
        (
            str(x.deal),
            words.num(x.a),
            words.num(x.b),
            words.num(x.difference, 1, sign=True),
            f"ramisim replay {run} --deal {x.deal} --rotation {x.rotation}",
        )
        for x in found
    )
    return Table((*head, words("column.replay")), rows)


def _sums(s: Summary, words: Words) -> list[tuple[str, Table]]:
    out = []
    for quantity, m in s.moments.items():
        head = ("strategy", "games", "sum", "squares")
        pairs = [words("column.products", b=b) for b in m.labels] if len(m.labels) < 5 else []
        rows = []
        for a, label in enumerate(m.labels):
            exact = [m.n[a], m.y[a], m.yy[a][a], *(m.yy[a] if pairs else ())]
            rows.append((label, *(words.count(n) for n in exact)))
        out.append(
            (words(f"column.{quantity}"), Table((*headings(head, words), *pairs), tuple(rows)))
        )
    return out


def _figures(s: Summary, words: Words) -> dict[str, Markup]:
    drawn = {
        "board": drawing(
            "board",
            figures.dot_plot([r.points for r in s.board], words, words("axis.points")),
            words("alt.board", rows=listed([r.points for r in s.board], words)),
        ),
        "spread": drawing(
            "spread",
            figures.ecdf(s.spread, words),
            words(
                "alt.spread",
                rows=", ".join(f"{r.label} {words.num(r.quantiles[0.5], 0)}" for r in s.board),
            ),
        ),
        "seats": seats_figure(s.seats.wins, words),
        "length": _length_figure(s, words),
    }
    tests = [] if s.comparison is None else [(p, p.outcome) for p in s.comparison.pairs]
    paths = [(words("axis.minus", a=p.a, b=p.b), o) for p, o in tests if o is not None and o.path]
    if paths:
        drawn["llr"] = drawing("llr", figures.llr_paths(paths, words), llr_alt(paths, words))
    if s.rounds is not None:
        rows = ", ".join(f"{words(f'end.{e.label}')} {words.pct(e.mean)}" for e in s.rounds.ends)
        drawn["ends"] = drawing(
            "ends", figures.end_bars(s.rounds.ends, words), words("alt.ends", rows=rows)
        )
    drawn.update(_comparison_figures(s, words))
    return drawn


def _comparison_figures(s: Summary, words: Words) -> dict[str, Markup]:
    if s.watched is None:
        return {}
    w, running = s.watched, s.watched.running
    last, half = float(running.mean[-1]), float(running.half[-1])
    points = s.points if s.comparison is None else as_estimated(s.comparison)
    rows = ", ".join(f"{d.label} {words.num(d.mean, 1, sign=True)}" for d in points)
    drawn = {
        "forest": drawing(
            "forest",
            figures.forest(points, s.smallest, words),
            words("alt.forest", rows=rows),
        ),
        "convergence": drawing(
            "convergence",
            figures.running_difference(running, w.a, w.b, s.smallest, words),
            words(
                "alt.convergence",
                a=w.a,
                b=w.b,
                last=words.num(last),
                n=words.count(int(running.n[-1])),
                low=words.num(last - half),
                high=words.num(last + half),
            ),
        ),
    }
    if s.cross is not None:
        best = max(s.points, key=lambda d: abs(d.mean))
        drawn["cross"] = drawing(
            "cross",
            figures.cross_map(s.cross, [r.label for r in s.board], words),
            words("alt.cross", best=f"{best.label} {words.num(best.mean, 1, sign=True)}"),
        )
    return drawn


def _length_figure(s: Summary, words: Words) -> Markup:
    what = "match" if s.rounds is None else "turns"
    counts = s.match_rounds if s.rounds is None else s.rounds.length.counts
    share = "axis.share" if s.rounds is None else "axis.rounds_share"
    q = quantiles_of_counts(counts, (0.05, 0.5, 0.95))
    alt = words(
        "alt.match" if s.rounds is None else "alt.length", low=q[0.05], median=q[0.5], high=q[0.95]
    )
    return drawing(
        "length", figures.histogram(counts, words, words(f"axis.{what}"), words(share)), alt
    )
