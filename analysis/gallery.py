"""The gallery of strategies: how each plays, and its record against the others, as tables.

A meeting is a duplicate run of two strategies by one rule set at one number of seats. From its
games come the paired difference and the share of matches won, from its rounds the habits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from ramisim.analysis.deals import collect_deals, with_line_up
from ramisim.analysis.estimates import Difference, Estimate, difference, estimate_rate
from ramisim.analysis.runs import Run

__all__ = [
    "HABITS",
    "LEVEL",
    "Habits",
    "Meeting",
    "best_against",
    "habits_table",
    "ladder_table",
    "meeting",
    "record_table",
]

LEVEL: Final = 0.999
"""Of all intervals here: a ladder has many rungs."""

HABITS: Final[Mapping[str, str]] = {
    "turns": "turns a round",
    "out": "goes out",
    "rami": "Rami",
    "laid": "points laid",
    "left": "left in hand",
    "melds": "melds",
    "lay_offs": "laid off",
    "takes": "takes from the pile",
    "depth": "cards below the top",
    "first": "first lays in turn",
}
"""Habit to its words: means of a player and round; ``takes`` a share of the turns, ``first`` a
mean of the rounds in which it lays."""
_SHARES: Final = ("out", "rami", "takes")

Habits = dict[str, float]


@dataclass(frozen=True)
class Meeting:
    """Two strategies at one table.

    Parameters
    ----------
    rules : str
    seats : int
    a, b : str
        The strategies; at more than two seats they sit in turn.
    points : Difference
        Points of a match, a minus b, paired by deal.
    wins : Estimate
        Share of matches that a wins, per seat held; 1/seats is even.
    scale : float
        Mean points of a match of b: what the difference is to be seen beside.
    habits : dict of str to Habits
        By strategy; empty where the run kept no rounds.
    """

    rules: str
    seats: int
    a: str
    b: str
    points: Difference
    wins: Estimate
    scale: float
    habits: dict[str, Habits]

    @property
    def share(self) -> float:
        """Share of all matches that a side wins: at four seats two of them are a's."""
        return self.wins.mean * self.seats / 2


def meeting(run: Run, level: float = LEVEL) -> Meeting:
    """What a run of two strategies says.

    Parameters
    ----------
    run : Run
        Of two strategies, in a design that plays the same deals for both.
    level : float
        Of the intervals.
    """
    deals = collect_deals(run)
    points = deals.clusters("points")
    return Meeting(
        rules=run.manifest.rules,
        seats=run.manifest.players,
        a=deals.labels[0],
        b=deals.labels[1],
        points=difference(points, 0, 1, level),
        wins=estimate_rate(deals.clusters("win").moments, 0, level),
        scale=float(points.moments.mean(1)),
        habits=_habits(run, deals.labels),
    )


def _habits(run: Run, labels: Sequence[str]) -> dict[str, Habits]:
    if run.rounds is None:
        return {}
    opened = pl.col("opened_turn").cast(pl.Float64)
    turns = pl.col("turns").cast(pl.Float64)
    means = (
        with_line_up(run.rounds, run.manifest)
        .group_by("entry")
        .agg(
            turns=turns.mean(),
            out=pl.col("went_out").cast(pl.Float64).mean(),
            rami=pl.col("rami").cast(pl.Float64).mean(),
            laid=pl.col("laid").cast(pl.Float64).mean(),
            left=pl.col("deadwood").cast(pl.Float64).mean(),
            melds=pl.col("melds").cast(pl.Float64).mean(),
            lay_offs=pl.col("lay_offs").cast(pl.Float64).mean(),
            takes=pl.col("discard_draws").cast(pl.Float64).sum() / turns.sum(),
            depth=pl.col("deep_cards").cast(pl.Float64).mean(),
            first=opened.filter(opened > 0).mean().fill_null(0.0),
        )
        .sort("entry")
        .collect(engine="streaming")
    )
    return {
        labels[int(row["entry"])]: {name: row[name] for name in HABITS}
        for row in means.iter_rows(named=True)
    }


def best_against(meetings: Iterable[Meeting], other: str) -> Meeting | None:
    """The meeting with the largest difference over one strategy, baselines included."""
    found = [m for m in meetings if m.b == other]
    return max(found, key=lambda m: m.points.mean, default=None)


def _signed(value: float) -> str:
    return f"{value:+,.1f}"


def _interval(points: Difference) -> str:
    if points.low is None or points.high is None:
        return _signed(points.mean)
    return f"{_signed(points.mean)} ({_signed(points.low)} to {_signed(points.high)})"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *("--:" for _ in head[1:])], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def ladder_table(meetings: Sequence[Meeting], low: str, middle: str) -> str:
    """Markdown: for each table the step from ``low`` to ``middle``, and on to the best.

    Parameters
    ----------
    meetings : sequence of Meeting
        Each of some strategy (a) against ``middle`` (b).
    low, middle : str
        Names of strategies.
    """
    rows = []
    for rules, seats in dict.fromkeys((m.rules, m.seats) for m in meetings):
        here = [m for m in meetings if (m.rules, m.seats) == (rules, seats)]
        first = next(m for m in here if m.a == low)
        best = best_against(here, middle)
        assert best is not None  # `first` is one of them
        gain = f"{best.points.mean / best.scale:.0%}" if best.scale > 0 else "-"
        rows.append(
            [
                f"`{rules}`, {seats} seats",
                f"{best.points.deals:,}",
                _interval(first.points.reversed()),
                best.a,
                _interval(best.points),
                gain,
                f"{best.share:.1%}",
            ]
        )
    head = [
        "table", "deals", f"{middle} minus {low}", "best", f"best minus {middle}",
        f"of {middle}'s points", "the best's side wins",
    ]  # fmt: skip
    return _table(head, rows)


def habits_table(meetings: Sequence[Meeting], of: str) -> str:
    """Markdown: the habits of one strategy at each table, and of the other one in brackets."""
    rows = []
    for m in meetings:
        own, other = m.habits[of], m.habits[m.b if of == m.a else m.a]
        cells = [f"{_habit(k, own[k])} ({_habit(k, other[k])})" for k in HABITS]
        rows.append([f"`{m.rules}`, {m.seats} seats", *cells])
    return _table(["table", *HABITS.values()], rows)


def _habit(name: str, value: float) -> str:
    return f"{value:.0%}" if name in _SHARES else f"{value:.1f}"


def record_table(meetings: Sequence[Meeting], of: str, names: Sequence[str]) -> str:
    """Markdown: points a match of one strategy over each other one, a row for each table.

    In bold where the interval leaves 0 out.
    """
    others = [name for name in names if name != of]
    rows = []
    for rules, seats in dict.fromkeys((m.rules, m.seats) for m in meetings):
        cells = {}
        for m in meetings:
            if (m.rules, m.seats) == (rules, seats) and of in (m.a, m.b):
                points = m.points if m.a == of else m.points.reversed()
                text = _signed(points.mean)
                cells[points.b] = f"**{text}**" if points.clear else text
        rows.append([f"`{rules}`, {seats} seats", *(cells.get(name, "") for name in others)])
    return _table(["table", *others], rows)
