"""A figure with what it shows in words: inline in a page, or as a file beside a Markdown page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup
from matplotlib.figure import Figure

from ramisim.analysis.report.frame import Table, drawing

__all__ = ["Drawn", "inline", "markdown_table", "save_png"]

DPI = 110


@dataclass(frozen=True)
class Drawn:
    """A figure, drawn inside `svg.style`, and its text alternative."""

    figure: Figure
    alt: str


def inline(drawn: dict[str, Drawn]) -> dict[str, Markup]:
    """Return figures as SVG for a page, by name."""
    return {name: drawing(name, d.figure, d.alt) for name, d in drawn.items()}


def save_png(drawn: Drawn, file: Path) -> str:
    """Write a figure as a PNG file; returns the line of Markdown that shows it.

    Call it inside `svg.style`. The link goes from beside the file's folder.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    # Without the version of Matplotlib in it the same figure has the same bytes.
    drawn.figure.savefig(file, dpi=DPI, facecolor="white", metadata={"Software": None})
    return f"![{drawn.alt}]({file.parent.name}/{file.name})"


def markdown_table(table: Table) -> list[str]:
    """Return the lines of a table in Markdown."""
    rows = [table.head, ("---", *["---:"] * (len(table.head) - 1)), *table.rows]
    return ["| " + " | ".join(row) + " |" for row in rows]
