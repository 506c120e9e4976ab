"""Figures of rule studies and of the balance panel. Draw inside `svg.style`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from ramisim.analysis.report.words import Words
from ramisim.analysis.svg import BLUE, COLOURS, GREY, INK, LINES, ORANGE, columns, figure

__all__ = ["MARKS", "effect_forest", "index_bars", "pareto_plot", "rank_lines", "span_groups"]

FEW = 8
"""Variants that are all named in a plane; of more only those on the front."""

MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""A second sign beside the colour."""

Form = Callable[[float], str]
Span = tuple[str, float, float | None, float | None]


def effect_forest(
    rows: Sequence[Span], sure: Sequence[bool], smallest: float, label: str, form: Form
) -> Figure:
    """Effects with intervals, zero, and the band too small to matter; filled dots are sure.

    Parameters
    ----------
    rows : sequence of (name, value, low, high)
    sure : sequence of bool
    smallest : float
    label : str
        Of the axis.
    form : callable
        A number of the metric as text.
    """
    lines = sum(1 + name.count("\n") for name, *_ in rows)
    fig = figure(0.75 + 0.1 * len(rows) + 0.24 * lines)
    ax = fig.add_subplot()
    if smallest:
        ax.axvspan(-smallest, smallest, color="#ececec", lw=0)
    ax.axvline(0, color=INK, lw=1)
    for y, ((_, value, low, high), is_sure) in enumerate(zip(rows, sure, strict=True)):
        if low is not None and high is not None:
            ax.plot([low, high], [y, y], color=BLUE, lw=2.2, solid_capstyle="butt", zorder=2)
        inside = BLUE if is_sure else "white"
        ax.plot([value], [y], "o", color=BLUE, mfc=inside, ms=6, zorder=3)
    ax.set_yticks(range(len(rows)), [name for name, *_ in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.margins(x=0.08)
    ax.grid(visible=False, axis="y")
    _numbers(ax, "x", form)
    ax.set_xlabel(fill(label, 34))
    return fig


def pareto_plot(
    points: Sequence[tuple[str, Span, Span]],
    front: Sequence[bool],
    labels: tuple[str, str],
    forms: tuple[Form, Form],
    best: tuple[float | None, float | None],
) -> Figure:
    """Variants in the plane of two aims, with the intervals of both.

    Parameters
    ----------
    points : sequence of (name, span of x, span of y)
    front : sequence of bool
    labels, forms : of the axes
    best : pair of float or None
        Where an aim is a number, drawn as a line.
    """
    fig = figure(3.4)
    ax = fig.add_subplot()
    for at, line in zip(best, (ax.axvline, ax.axhline), strict=True):
        if at is not None:
            line(at, color=INK, lw=1, ls=(0, (4, 2)))
    named: list[tuple[str, float, float, bool]] = []
    for (name, x, y), on in zip(points, front, strict=True):
        colour = ORANGE if on else GREY
        for (_, _, low, high), across in ((x, True), (y, False)):
            if low is None or high is None:
                continue
            xs, ys = ([low, high], [y[1]] * 2) if across else ([x[1]] * 2, [low, high])
            ax.plot(xs, ys, color=colour, lw=1, alpha=0.6, zorder=2)
        ax.plot([x[1]], [y[1]], "D" if on else "o", color=colour, ms=6, zorder=3)
        if not on and len(points) > FEW:
            continue
        named.append((name, x[1], y[1], on))
    ax.margins(0.12)
    _name_points(ax, named, [(x[1], y[1]) for _, x, y in points])
    _numbers(ax, "x", forms[0])
    _numbers(ax, "y", forms[1])
    ax.set_xlabel(labels[0])
    ax.set_ylabel(fill(labels[1], 36))
    return fig


def _name_points(
    ax: Axes, named: Sequence[tuple[str, float, float, bool]], points: Sequence[tuple[float, float]]
) -> None:
    """Write names beside their points, in the corner that is farthest from all that is there."""
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()

    def place(x: float, y: float) -> NDArray[np.float64]:
        # About the size of the axes, in points of type.
        return np.array([(x - x0) / (x1 - x0) * 280, (y - y0) / (y1 - y0) * 180])

    taken = [place(*point) for point in points]
    for name, x, y, bold in named:
        corners = [(1, 1), (-1, 1), (1, -1), (-1, -1)]
        centres = [place(x, y) + np.array([a * (6 + 2.5 * len(name)), b * 9]) for a, b in corners]
        rooms = [min(float(np.hypot(*(c - other))) for other in taken) for c in centres]
        # The first corner that is free enough: names stand to the right above where they can.
        best = next((i for i, room in enumerate(rooms) if room > 9), int(np.argmax(rooms)))
        (a, b), room = corners[best], centres[best]
        taken.append(room)
        ax.annotate(
            name, (x, y), xytext=(6 * a, 5 * b), textcoords="offset points", fontsize=8,
            ha="left" if a > 0 else "right", va="bottom" if b > 0 else "top",
            weight="bold" if bold else "normal",
        )  # fmt: skip


def rank_lines(
    variants: Sequence[str],
    strategies: Sequence[str],
    spans: Sequence[Sequence[Span]],
    words: Words,
) -> Figure:
    """Strategies against variants, each a line with its mark and intervals.

    Parameters
    ----------
    variants, strategies : sequence of str
    spans : one sequence a strategy, one span a variant
        Points above the mean of all strategies.
    words : Words
    """
    fig = figure(3.0)
    ax = fig.add_subplot()
    ax.axhline(0, color=GREY, lw=0.8)
    places = np.arange(len(variants))
    for k, (name, row) in enumerate(zip(strategies, spans, strict=True)):
        colour, offset = COLOURS[k % len(COLOURS)], 0.06 * (k - (len(strategies) - 1) / 2)
        at = places + offset
        for x, (_, _, low, high) in zip(at, row, strict=True):
            if low is not None and high is not None:
                ax.plot([x, x], [low, high], color=colour, lw=1.2, alpha=0.7)
        ax.plot(
            at, [value for _, value, *_ in row], color=colour, ls=LINES[k % len(LINES)],
            marker=MARKS[k % len(MARKS)], ms=5, lw=1.4, label=name,
        )  # fmt: skip
    ax.set_xticks(places, variants, rotation=0 if len(variants) < 9 else 60)
    ax.set_ylabel(words("study.axis_relative"))
    ax.yaxis.set_major_locator(MaxNLocator(6))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: words.num(y, 0)))
    ax.grid(visible=False, axis="x")
    fig.legend(loc="outside upper left", ncols=columns(strategies, 3))
    return fig


def index_bars(rows: Sequence[tuple[str, Span, Span]], words: Words) -> Figure:
    """First and total Sobol indices with intervals, a pair of bars a factor."""
    fig = figure(0.9 + 0.62 * len(rows))
    ax = fig.add_subplot()
    for y, (_, first, total) in enumerate(rows):
        for (_, value, low, high), dy, colour, hatch in (
            (first, -0.18, BLUE, ""), (total, 0.18, ORANGE, "//"),
        ):  # fmt: skip
            ax.barh([y + dy], [max(0.0, value)], height=0.3, color=colour, hatch=hatch, alpha=0.85)
            if low is not None and high is not None:
                ax.plot([max(0.0, low), max(0.0, high)], [y + dy] * 2, color=INK, lw=1.2)
    ax.set_yticks(range(len(rows)), [name for name, *_ in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: words.pct(x, 0)))
    ax.set_xlabel(words("study.axis_index"))
    handles = [
        Patch(facecolor=colour, hatch=hatch, label=words(f"study.col_{name}"))
        for colour, hatch, name in ((BLUE, "", "first"), (ORANGE, "//", "total"))
    ]
    fig.legend(handles=handles, loc="outside upper right", ncols=2)
    return fig


def _numbers(ax: Axes, which: str, form: Form) -> None:
    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_major_locator(MaxNLocator(4 if which == "x" else 5))
    axis.set_major_formatter(FuncFormatter(lambda value, _: form(value)))


def span_groups(
    groups: Sequence[tuple[str, Sequence[Span]]],
    label: str,
    form: Form,
    zero: bool = False,
    names: Sequence[str] = (),
) -> Figure:
    """Rows of rule sets, a dot with its interval for each number of seats (or strategy).

    Parameters
    ----------
    groups : sequence of (name, spans)
        One row each; the name of a span says which mark it gets.
    label : str
        Of the axis.
    form : callable
        A number as text.
    zero : bool
        Draw a line at 0.
    names : sequence of str
        Marks in the order of the legend; by default as they come.
    """
    kinds = list(names) or list(dict.fromkeys(s[0] for _, spans in groups for s in spans))
    heights = [max(1, len(spans)) for _, spans in groups]
    fig = figure(1.0 + 0.17 * sum(heights) + 0.1 * len(groups))
    ax = fig.add_subplot()
    if zero:
        ax.axvline(0, color=INK, lw=1)
    y, ticks = 0.0, []
    for i, (_, spans) in enumerate(groups):
        if i % 2 == 0:
            ax.axhspan(y - 0.75, y + heights[i] - 0.25, color="#f4f5f7", lw=0, zorder=0)
        for k, (kind, value, low, high) in enumerate(spans):
            colour = COLOURS[kinds.index(kind) % len(COLOURS)]
            if low is not None and high is not None:
                ax.plot([low, high], [y + k] * 2, color=colour, lw=2, solid_capstyle="butt")
            ax.plot([value], [y + k], MARKS[kinds.index(kind) % len(MARKS)], color=colour, ms=5.5)
        ticks.append(y + (heights[i] - 1) / 2)
        y += heights[i] + 0.5
    ax.set_yticks(ticks, [name for name, _ in groups])
    ax.set_ylim(y - 0.75, -0.75)
    ax.grid(visible=False, axis="y")
    ax.margins(x=0.06)
    _numbers(ax, "x", form)
    ax.set_xlabel(fill(label, 44))
    handles = [
        ax.plot([], [], MARKS[k % len(MARKS)], color=COLOURS[k % len(COLOURS)], label=kind)[0]
        for k, kind in enumerate(kinds)
    ]
    if len(kinds) > 1:
        fig.legend(handles=handles, loc="outside upper right", ncols=columns(kinds))
    return fig
