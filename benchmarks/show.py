"""The report as a table, and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ramisim.benchmarks.figures import Figure, Report, machine

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.table import Table

__all__ = ["figure", "table", "write"]


def number(value: float) -> str:
    """Three significant digits, thousands apart."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def goal(figure: Figure) -> str:
    """What it should reach, and whether it does."""
    if figure.goal is None:
        return ""
    sign = ">=" if figure.better == "more" else "<="
    return f"{sign} {number(figure.goal)} {'yes' if figure.met else 'NO'}"


def note(figure: Figure) -> str:
    """The note, and the figure in its other units."""
    also = [f"{number(value)} {unit}" for unit, value in figure.also.items()]
    return "; ".join([*also, *([figure.note] if figure.note else [])])


def table(report: Report) -> Table:
    """All figures, a line each, as a table of Rich."""
    from rich.table import Table

    told = machine()
    found = Table(
        title=f"{told['processor']}, {told['cores']} cores, Python {told['python']}, "
        f"Numba {told['numba']}, ramisim {told['ramisim']} (engine {told['engine']})",
        title_justify="left", title_style="dim", box=None, pad_edge=False, header_style="bold",
    )  # fmt: skip
    for name, justify in (("", "left"), ("figure", "right"), ("unit", "left"), ("goal", "left")):
        found.add_column(name, justify=justify, no_wrap=name in ("figure", "goal"))  # type: ignore[arg-type]
    found.add_column("what", style="dim", ratio=1)
    group = ""
    for f in report.figures:
        if f.group != group:
            group = f.group
            found.add_row(f"[bold]{group}[/bold]")
        style = "red" if f.met is False else ""
        found.add_row(f"  {f.name}", number(f.value), f.unit, goal(f), note(f), style=style)
    return found


def write(report: Report, folder: Path) -> list[Path]:
    """Write ``bench.json`` and ``bench.svg``; where they lie."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "bench.json", folder / "bench.svg"]
    files[0].write_text(report.as_json(), encoding="utf-8")
    figure(report, files[1])
    return files


PANELS = (
    ("hands", "ns a hand", "Best melds, nanoseconds a hand"),
    ("games", "rounds/s", "Self-play, rounds a second and core"),
    ("peers", "x", "Times as fast as the peer"),
)


def figure(report: Report, file: Path) -> None:
    """Draw what was measured: dots on logarithmic axes, a line where the goal is."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    panels = [
        (title, found)
        for group, unit, title in PANELS
        if (found := [f for f in report.figures if (f.group, f.unit) == (group, unit)])
    ]
    rows = [max(len(found), 1) for _, found in panels] or [1]
    canvas = Canvas(figsize=(9, 1.0 + 0.24 * sum(rows) + 0.8 * len(rows)), layout="constrained")
    FigureCanvasSVG(canvas)
    axes = canvas.subplots(len(rows), 1, squeeze=False, height_ratios=rows)[:, 0]
    for ax, (title, found) in zip(axes, panels, strict=False):
        _dots(ax, title, found)
    if not panels:
        axes[0].set_axis_off()
    canvas.savefig(file, metadata={"Date": None})


def _dots(ax: Axes, title: str, found: Sequence[Figure]) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    ax.set_yticks(range(len(found)), [f.name for f in found])
    ax.scatter([f.value for f in found], range(len(found)), color="#4878a8", s=36, zorder=3)
    ax.grid(axis="y", color="#dddddd")
    for i, f in enumerate(found):
        ax.annotate(number(f.value), (f.value, i), xytext=(7, 0), textcoords="offset points",
                    va="center", fontsize=8)  # fmt: skip
        if f.goal is not None:
            ax.plot([f.goal, f.goal], [i - 0.45, i + 0.45], color="#b03030", linewidth=2)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.margins(x=0.15)
    ax.set_ylim(len(found) - 0.5, -0.5)
    ax.tick_params(labelsize=8)
    ax.set_title(title, loc="left", fontsize=10)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
