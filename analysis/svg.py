"""Matplotlib figures without pyplot, and their SVG as text that is the same every time.

Text stays text in the SVG (selectable, and readable aloud), ids carry the name of the figure so
that several can stand in one page.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure

__all__ = [
    "BLUE",
    "COLOURS",
    "GREY",
    "INK",
    "LINES",
    "ORANGE",
    "WIDTH",
    "columns",
    "figure",
    "style",
    "svg",
]

COLOURS: Final = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#8a6d00",
    "#56b4e9",
    "#000000",
    "#7a52a1",
)
"""Okabe and Ito's colours, distinct for colour-blind eyes; the yellow is darkened for white paper,
and an eighth is added."""

LINES: Final = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))
"""A second sign beside the colour, for print without colour."""

BLUE, ORANGE = COLOURS[0], COLOURS[1]
INK: Final = "#222222"
GREY: Final = "#8c8c8c"

_NO_METADATA: Final = ("Date", "Creator", "Format", "Type")

WIDTH: Final = 4.7
"""Inches: a phone shows the figure at about its own size, so its text stays readable there."""

ROOM: Final = 61
"""Letters of a legend that stand side by side in it; a line and its space count for eight."""

_STYLE: Final[Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 9.5,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "figure.facecolor": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.8,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "svg.fonttype": "none",
    "svg.hashsalt": "ramisim",
    "text.color": INK,
    "xtick.color": INK,
    "xtick.labelsize": 9,
    "ytick.color": INK,
    "ytick.labelsize": 9,
}


@contextmanager
def style() -> Iterator[None]:
    """Matplotlib's settings of a report; the caller's come back afterwards."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def figure(height: float) -> Figure:
    """Return an empty figure of the report's width; use it inside `style`."""
    return Figure(figsize=(WIDTH, height), layout="constrained")


def columns(names: Iterable[str], most: int = 5) -> int:
    """Columns of a legend below or above the axes: as many as the figure is wide enough for."""
    longest = max(map(len, names), default=0)
    return max(1, min(most, ROOM // (longest + 8)))


def svg(fig: Figure, name: str, alt: str) -> str:
    """Return a figure as an ``<svg>`` element for a page.

    Parameters
    ----------
    fig : Figure
    name : str
        Unique in the page; prefixes every id.
    alt : str
        What the figure shows, in one sentence.
    """
    out = io.StringIO()
    with style():
        fig.savefig(out, format="svg", metadata=dict.fromkeys(_NO_METADATA))
    text = out.getvalue()
    text = text[text.index("<svg") :].strip()
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r"url\(#", f"url(#{name}-", text)
    text = re.sub(r'xlink:href="#', f'xlink:href="#{name}-', text)
    text = text.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    head = f'<svg role="img" aria-label="{escape(alt)}"'
    return text.replace("<svg", head, 1).replace(">", f"><title>{escape(alt)}</title>", 1)
