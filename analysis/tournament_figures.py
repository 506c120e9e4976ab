"""Figures of tournaments: payoff map, structure, who is still in, and how much of a lottery.

As in `figures`: no pyplot, draw inside `svg.style`, and no colour carries meaning alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from numpy.typing import NDArray

from ramisim.analysis.figures import ROW
from ramisim.analysis.report.words import Words
from ramisim.analysis.standing import Lottery
from ramisim.analysis.svg import BLUE, COLOURS, INK, LINES, ORANGE, columns, figure

__all__ = ["lottery_curve", "payoff_map", "still_in", "structure_bars"]

MARKERS = "osD^v<>P*X"


def payoff_map(
    matrix: NDArray[np.float64],
    order: Sequence[str],
    clear: NDArray[np.bool_],
    words: Words,
    per_cent: bool = False,
) -> Figure:
    """Heat map of row against column with the numbers in the cells.

    Parameters
    ----------
    matrix : float64[E, F]
        NaN where two never meet.
    order : sequence of str
        Names of the rows; the columns are the last F of them.
    clear : bool[E, F]
        Where the two are clearly apart: in bold.
    words : Words
    per_cent : bool
        Whether a half is level, else 0.
    """
    rows, columns = matrix.shape
    fig = figure(1.1 + 0.4 * rows)
    ax = fig.add_subplot()
    centre = 0.5 if per_cent else 0.0
    reach = max(float(np.nanmax(np.abs(matrix - centre), initial=0.0)), 1e-9)
    ax.imshow(
        matrix,
        cmap="PuOr_r",
        vmin=centre - 1.8 * reach,
        vmax=centre + 1.8 * reach,
        aspect="auto",
    )
    digits = 0 if per_cent or reach >= 20 else 1
    across, down = order[:rows], order[len(order) - columns :]
    size = 9 if columns < 7 else 7.5 if columns < 11 else 6
    for i in range(rows):
        for j in range(columns):
            value = float(matrix[i, j])
            level = across[i] == down[j]
            if level or not math.isfinite(value):
                text = "·"
            else:
                text = (
                    words.num(100 * value, 0) if per_cent else words.num(value, digits, sign=True)
                )
            weight = "bold" if clear[i, j] and not level else "normal"
            ax.text(j, i, text, ha="center", va="center", fontsize=size, fontweight=weight)
    _name_axes(ax, across, down)
    return fig


def structure_bars(
    order: Sequence[str],
    nash: NDArray[np.float64],
    alpha: NDArray[np.float64],
    words: Words,
) -> Figure:
    """Share in the Nash mixture and mass under alpha-rank, two bars a strategy."""
    fig = figure(0.9 + 1.15 * ROW * len(order))
    ax = fig.add_subplot()
    places = np.arange(len(order), dtype=np.float64)
    for shift, values, colour, hatch, key in (
        (-0.19, nash, BLUE, "", "nash"),
        (0.19, alpha, ORANGE, "///", "alpha"),
    ):
        ax.barh(
            places + shift, values, height=0.34, color=colour, hatch=hatch, edgecolor="white",
            lw=0, label=words(f"tour.column_{key}"),
        )  # fmt: skip
        for place, value in zip(places, values, strict=True):
            ax.annotate(
                words.pct(float(value), 0), (float(value), place + shift), xytext=(4, 0),
                textcoords="offset points", va="center", fontsize=8,
            )  # fmt: skip
    ax.set_yticks(places, [_short(name) for name in order])
    ax.invert_yaxis()
    ax.set_xlim(0, 1.12 * max(1e-9, float(np.max([nash, alpha]))))
    ax.grid(visible=False, axis="y")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: words.pct(x, 0)))
    ax.legend(loc="lower right")
    return fig


def still_in(
    names: Sequence[str], left: Sequence[NDArray[np.float64]], final_from: int, words: Words
) -> Figure:
    """Share of each strategy's players still in, by stage; the final table begins at a line."""
    fig = figure(2.9 + 0.22 * -(-len(names) // 3))
    ax = fig.add_subplot()
    stages = len(left[0])
    ax.axvline(final_from, color=INK, lw=1, ls=(0, (4, 2)))
    for i, (name, share) in enumerate(zip(names, left, strict=True)):
        # The second time round the colours come with another stroke.
        stroke = LINES[(i + i // len(COLOURS)) % len(LINES)]
        ax.plot(
            range(stages), share, color=COLOURS[i % len(COLOURS)], ls=stroke,
            marker=MARKERS[i % len(MARKERS)], ms=4.5, label=_short(name),
        )  # fmt: skip
    ax.set_ylim(0, 1.03)
    labels = [str(k + 1) for k in range(stages - 1)] + [words("cup.end")]
    ax.set_xticks(range(stages), labels)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: words.pct(y, 0)))
    ax.set_xlabel(words("cup.axis_stage"))
    ax.set_ylabel(words("cup.axis_left"))
    fig.legend(loc="outside lower center", ncols=columns(map(_short, names), 3), handlelength=3)
    return fig


def lottery_curve(round_robin: Sequence[Lottery], cup: Lottery | None, words: Words) -> Figure:
    """Share of events that the strongest wins, by the games of an event."""
    fig = figure(2.7)
    ax = fig.add_subplot()
    games = [event.games for event in round_robin]
    if games:
        ax.plot(
            games, [event.best for event in round_robin], "-o", color=BLUE, ms=5,
            label=words("tour.axis_round_robin"),
        )  # fmt: skip
    if cup is not None:
        ax.plot(
            [cup.games], [cup.best], "D", color=ORANGE, ms=8, label=words("tour.axis_knock_out")
        )
        games = [*games, cup.games]
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator(_apart(sorted(set(games)))))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: words.count(round(x))))
    ax.set_ylim(0, 1.04)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: words.pct(y, 0)))
    ax.set_xlabel(words("tour.axis_games"))
    ax.set_ylabel(words("tour.axis_best"))
    if cup is not None:
        ax.legend(loc="lower right")
    return fig


def _apart(numbers: Sequence[int]) -> list[int]:
    """Numbers of which each is at least 1.6 times the one before: their labels do not touch."""
    kept: list[int] = []
    for number in numbers:
        if not kept or number >= 1.6 * kept[-1]:
            kept.append(number)
    return kept


def _name_axes(ax: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    names = [_short(name, 14) for name in columns]
    slanted = len(names) > 4 or max(map(len, names)) > 9
    turn, side = (30, "right") if slanted else (0, "center")
    ax.set_xticks(range(len(names)), names, rotation=turn, ha=side)
    ax.set_yticks(range(len(rows)), [_short(name, 14) for name in rows])
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _short(name: str, most: int = 18) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
