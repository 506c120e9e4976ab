"""Figures of a report, each from the numbers of a summary to a Matplotlib figure.

No pyplot and no global state: draw inside `svg.style`. Colours go with a second sign (line
style, marker, text), so none carries meaning alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from ramisim.analysis.bands import Running
from ramisim.analysis.crosstable import CrossTable
from ramisim.analysis.estimates import Difference, Estimate
from ramisim.analysis.quantiles import ecdf_of_counts, quantiles_of_counts
from ramisim.analysis.report.words import Words
from ramisim.analysis.sequential import Outcome
from ramisim.analysis.svg import BLUE, COLOURS, GREY, INK, LINES, ORANGE, columns, figure

__all__ = [
    "cross_map",
    "dot_plot",
    "ecdf",
    "end_bars",
    "forest",
    "histogram",
    "llr_paths",
    "running_difference",
    "seat_plot",
    "share_plot",
]

ROW = 0.36
"""Inches a row of a dot plot takes."""

MOST_ROWS = 10
"""Rows of a forest plot."""


def dot_plot(rows: Sequence[Estimate], words: Words, label: str) -> Figure:
    """Means with intervals, one row each, best on top."""
    fig = figure(0.75 + ROW * len(rows))
    ax = fig.add_subplot()
    _intervals(ax, [(_short(r.label, 28), r.mean, r.low, r.high) for r in rows], words)
    ax.set_xlabel(label)
    return fig


def share_plot(rows: Sequence[Estimate], words: Words, label: str) -> Figure:
    """Shares with intervals, one row each, and an equal share of all rows as a line."""
    fig = figure(0.75 + ROW * len(rows))
    ax = fig.add_subplot()
    ax.axvline(1 / len(rows), color=INK, lw=1, ls=(0, (4, 2)))
    found = [(_short(r.label, 28), r.mean, r.low, r.high) for r in rows]
    _intervals(ax, found, words, per_cent=True)
    ax.set_xlabel(label)
    return fig


def forest(rows: Sequence[Difference], smallest: float, words: Words) -> Figure:
    """Paired differences with intervals, zero, and the band too small to matter.

    Of more than `MOST_ROWS` pairs only those with the leader are drawn.
    """
    if len(rows) > MOST_ROWS:
        rows = [d for d in rows if d.a == rows[0].a]
    names = [_pair(d.a, d.b) for d in rows]
    tall = 1.4 if any("\n" in name for name in names) else 1.1
    fig = figure(0.8 + ROW * tall * len(rows))
    ax = fig.add_subplot()
    ax.axvspan(-smallest, smallest, color="#ececec", lw=0)
    ax.axvline(0, color=INK, lw=1)
    _intervals(
        ax,
        [(name, d.mean, d.low, d.high) for name, d in zip(names, rows, strict=True)],
        words,
        sign=True,
    )
    ax.set_xlabel(words("axis.difference"))
    return fig


def seat_plot(rows: Sequence[Estimate], words: Words) -> Figure:
    """Share of wins by seat with intervals, against an equal share."""
    fig = figure(0.75 + ROW * len(rows))
    ax = fig.add_subplot()
    equal = 1 / len(rows)
    ax.axvline(equal, color=INK, lw=1, ls=(0, (4, 2)))
    _intervals(
        ax,
        [(words("axis.seat", seat=r.label), r.mean, r.low, r.high) for r in rows],
        words,
        per_cent=True,
    )
    ax.set_xlabel(words("axis.wins"))
    return fig


def running_difference(running: Running, a: str, b: str, smallest: float, words: Words) -> Figure:
    """Running mean difference with the band that may be watched."""
    fig = figure(2.9)
    ax = fig.add_subplot()
    n, mean = running.n, running.mean
    ax.axhspan(-smallest, smallest, color="#ececec", lw=0)
    ax.axhline(0, color=INK, lw=1)
    at = running.banded
    if at.any():
        low, high = mean - running.half, mean + running.half
        ax.fill_between(n[at], low[at], high[at], color=BLUE, alpha=0.18, lw=0)
        ax.plot(n[at], low[at], color=BLUE, lw=0.8)
        ax.plot(n[at], high[at], color=BLUE, lw=0.8)
        # The first looks swing far outside the band and would flatten everything behind them.
        wide = max(1.35 * float(running.half[at][0]), 2 * smallest, 0.1)
        centre = float(mean[at][0])
        ax.set_ylim(min(centre - wide, -wide / 4), max(centre + wide, wide / 4))
    ax.plot(n, mean, color=INK, lw=1.6)
    if n[-1] > n[0]:
        ax.set_xscale("log")
        ax.set_xlim(n[0], n[-1])
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: words.count(round(x))))
        ax.xaxis.set_minor_formatter(FuncFormatter(lambda _x, _: ""))
    ax.yaxis.set_major_formatter(
        FuncFormatter(lambda y, _: words.num(y, _decimals(ax.get_yticks(), 1)))
    )
    ax.set_xlabel(words("axis.deals"))
    ax.set_ylabel(words("axis.running", a=_short(a), b=_short(b)))
    return fig


def llr_paths(outcomes: Sequence[tuple[str, Outcome]], words: Words) -> Figure:
    """Log likelihood ratios of sequential tests by number of deals, between their bounds."""
    names = [name for name, _ in outcomes]
    across = columns(names, 2)
    legend = -(-len(names) // across) if len(names) > 1 else 0
    fig = figure(2.9 + 0.19 * legend)
    ax = fig.add_subplot()
    lower, upper = outcomes[0][1].lower, outcomes[0][1].upper
    ax.axhline(0, color=GREY, lw=0.8)
    for bound in (lower, upper):
        ax.axhline(bound, color=ORANGE, lw=1.4, ls=(0, (4, 2)))
        ax.annotate(
            words.num(bound, 2, sign=True), (0, bound), xycoords=("axes fraction", "data"),
            xytext=(4, 3), textcoords="offset points", va="bottom", fontsize=8.5,
        )  # fmt: skip
    for i, (name, outcome) in enumerate(outcomes):
        n, llr = zip(*outcome.path, strict=True)
        ax.plot(n, llr, color=COLOURS[i % len(COLOURS)], ls=LINES[i % len(LINES)], label=name)
        ax.plot(n[-1:], llr[-1:], "o", color=COLOURS[i % len(COLOURS)], ms=5)
    ax.set_ylim(1.35 * lower, 1.35 * upper)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: words.count(round(x))))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: words.num(y, 0)))
    ax.set_xlabel(words("axis.deals"))
    ax.set_ylabel(words("pairs.llr_axis"))
    if len(outcomes) > 1:
        fig.legend(loc="outside lower center", ncols=across, handlelength=2.6)
    return fig


def ecdf(spread: dict[str, tuple[tuple[int, int], ...]], words: Words) -> Figure:
    """Distribution functions of the points of a game, one line each."""
    fig = figure(2.9)
    ax = fig.add_subplot()
    for i, (name, counts) in enumerate(spread.items()):
        x, y = ecdf_of_counts(counts)
        ax.plot(
            np.concatenate([x[:1], x]),
            np.concatenate([[0.0], y]),
            drawstyle="steps-post",
            color=COLOURS[i % len(COLOURS)],
            ls=LINES[i % len(LINES)],
            label=name,
        )
    ax.set_ylim(0, 1)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: words.pct(y, 0)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: words.num(x, 0)))
    ax.set_xlabel(words("axis.points"))
    ax.set_ylabel(words("axis.share"))
    ax.legend(loc="upper left", handlelength=2.6)
    return fig


def end_bars(rows: Sequence[Estimate], words: Words) -> Figure:
    """How rounds end, as bars with their share."""
    fig = figure(0.75 + ROW * len(rows))
    ax = fig.add_subplot()
    places = range(len(rows))
    ax.barh(places, [r.mean for r in rows], color=BLUE, height=0.6)
    for y, row in zip(places, rows, strict=True):
        ax.annotate(
            words.pct(row.mean), (row.mean, y), xytext=(5, 0), textcoords="offset points",
            va="center",
        )  # fmt: skip
    names = [words(f"end.{r.label}") if words.known(f"end.{r.label}") else r.label for r in rows]
    ax.set_yticks(places, names)
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
    ax.set_xlim(0, 1.18 * max(r.mean for r in rows))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: words.pct(x, 0)))
    ax.set_xlabel(words("axis.rounds_share"))
    return fig


def histogram(counts: Iterable[tuple[int, int]], words: Words, label: str, share: str) -> Figure:
    """Histogram of small whole numbers with its 5, 50 and 95 % quantiles."""
    table = sorted(counts)
    fig = figure(2.4)
    ax = fig.add_subplot()
    total = sum(times for _, times in table)
    ax.bar(
        [value for value, _ in table],
        [times / total for _, times in table],
        width=0.9,
        color=BLUE,
    )
    at: dict[float, list[float]] = {}
    for level, value in quantiles_of_counts(table, (0.05, 0.5, 0.95)).items():
        at.setdefault(value, []).append(level)
    top = max(times for _, times in table) / total
    for place, levels in at.items():
        ls = "-" if 0.5 in levels else (0, (3, 2))
        ax.vlines(place, 0, 1.04 * top, color=ORANGE, lw=1.6, ls=ls)
        told = ", ".join(words.pct(level, 0) for level in levels)
        ax.text(place, 1.06 * top, told, ha="center", va="bottom", fontsize=8.5)
    ax.set_xlim(min(table[0][0] - 0.7, table[-1][0] - 2), max(table[-1][0] + 0.7, table[0][0] + 2))
    ax.set_ylim(0, 1.2 * top)
    ax.set_yticks([y for y in ax.get_yticks() if y <= 1])
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: words.pct(y, 0 if top >= 0.05 else 1)))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(visible=False, axis="x")
    ax.set_xlabel(label)
    ax.set_ylabel(share)
    return fig


def cross_map(table: CrossTable, order: Sequence[str], words: Words) -> Figure:
    """Heat map, row minus column, with the numbers in the cells."""
    at = [table.labels.index(name) for name in order]
    matrix = table.matrix[np.ix_(at, at)]
    size = len(order)
    fig = figure(1.0 + 0.46 * size)
    ax = fig.add_subplot()
    reach = max(float(np.nanmax(np.abs(matrix))), 1e-9)
    ax.imshow(matrix, cmap="PuOr_r", vmin=-2 * reach, vmax=2 * reach, aspect="auto")
    for i in range(size):
        for j in range(size):
            known = bool(np.isfinite(matrix[i, j]))
            text = "·" if i == j or not known else words.num(matrix[i, j], 1, sign=True)
            ax.text(j, i, text, ha="center", va="center", fontsize=9 if size < 6 else 7.5)
    names = [_short(name) for name in order]
    slanted = size > 4 or max(map(len, names)) > 9
    turn, side = (30, "right") if slanted else (0, "center")
    ax.set_xticks(range(size), names, rotation=turn, ha=side)
    ax.set_yticks(range(size), names)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return fig


def _intervals(
    ax: Axes,
    rows: Sequence[tuple[str, float, float | None, float | None]],
    words: Words,
    per_cent: bool = False,
    sign: bool = False,
) -> None:
    """Rows of dot, interval and the number above the dot; best on top."""
    form = words.pct if per_cent else words.num
    for y, (_, mean, low, high) in enumerate(rows):
        if low is not None and high is not None:
            ax.plot([low, high], [y, y], color=BLUE, lw=2.4, solid_capstyle="butt")
        ax.plot([mean], [y], "o", color=BLUE, ms=6)
        ax.annotate(
            form(mean, 1, sign), (mean, y), xytext=(0, 6), textcoords="offset points",
            ha="center", va="bottom", fontsize=8.5,
        )  # fmt: skip
    ax.set_yticks(range(len(rows)), [name for name, *_ in rows])
    ax.set_ylim(len(rows) - 0.5, -0.75)
    ax.margins(x=0.12)
    ax.grid(visible=False, axis="y")
    ax.xaxis.set_major_locator(MaxNLocator(6))
    unit = 100 if per_cent else 1
    ax.xaxis.set_major_formatter(
        FuncFormatter(lambda x, _: form(x, _decimals(ax.get_xticks(), unit)))
    )


def _decimals(ticks: Sequence[float] | NDArray[np.float64], unit: int) -> int:
    """Decimals of tick labels: as many as the distance of the ticks needs."""
    step = unit * abs(float(ticks[1] - ticks[0])) if len(ticks) > 1 else 1.0
    return next((d for d in (0, 1, 2) if math.isclose(step, round(step, d), rel_tol=1e-6)), 2)


def _pair(a: str, b: str) -> str:
    """Return "a minus b", on two lines where it is long."""
    between = " − " if len(a) + len(b) < 24 else "\n− "
    return f"{_short(a, 26)}{between}{_short(b, 26)}"


def _short(name: str, most: int = 18) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
