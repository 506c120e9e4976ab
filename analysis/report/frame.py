"""The frame of every report: one template to extend, one call to render, one to write.

A report of its own kind brings a template, words, numbers and a text block::

    {% extends "base.html" %}
    {% from "macros.html" import table, replays, figure_of %}
    {% block sections %}
    <section>
    <h2>{{ w("ladder.head") }}</h2>
    {{ figure_of(figure, "ladder") }}
    {{ table(ladder) }}
    </section>
    {% endblock %}

The template lies beside this file, its sentences in a ``words-<report>.toml`` beside it
(`Words` reads all of those), its look comes from ``page.css``. `base.html` writes the head, the
verdict, what was played, the text block and the footer, and asks for

``title``
    Of the page, one line.
``verdict``
    A `Verdict`: the answer in one sentence with its numbers, and remarks.
``played``
    Pairs of a name and a value: rules, line-up, deals, seed, versions, command.
``text``
    The block to paste, in plain characters.

Then ``frame.write_report(folder, frame.render("ladder.html", lang, ...), numbers, text)``.
Nothing in a page may depend on the clock or the machine: the same run gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from ramisim.analysis.report.plain import as_plain
from ramisim.analysis.report.words import Language, Words
from ramisim.analysis.svg import svg
from ramisim.errors import RunError

__all__ = ["Table", "Verdict", "Written", "drawing", "headings", "render", "write_report"]


@dataclass(frozen=True)
class Verdict:
    """One sentence with the answer, and what one must know beside it."""

    sentence: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Rows of text under headings; the first column is a name, the others are numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Written:
    """Where a report lies, and its text block."""

    html: Path
    json: Path
    text: str


def render(template: str, lang: Language, **content: Any) -> str:
    """Render a page.

    Parameters
    ----------
    template : str
        File beside this one that extends ``base.html``.
    lang : {"en", "fr"}
        Language of the words; the template calls them as ``w("table.key", gap=value)``.
    **content
        What the template and the base ask for. A name that is missing is an error, text is
        escaped, ``{{ text | code }}`` turns what stands in back ticks into code.
    """
    return _environment().get_template(template).render(w=Words(lang), **content)


def drawing(name: str, fig: Figure, alt: str) -> Markup:
    """Return a figure as inline SVG for a page.

    Parameters
    ----------
    name : str
        Unique in the page.
    fig : Figure
        Drawn inside `ramisim.analysis.svg.style`.
    alt : str
        What it shows, in one sentence with numbers.
    """
    # Safe: drawn by Matplotlib, which escapes the text it writes.
    return Markup(svg(fig, name, alt))


def headings(names: Sequence[str], words: Words) -> tuple[str, ...]:
    """Headings of a table: the words of ``column.<name>``, or the name where there are none."""
    return tuple(
        words(f"column.{name}") if words.known(f"column.{name}") else name for name in names
    )


def write_report(folder: Path, html: str, numbers: Any, text: str) -> Written:
    """Write ``report.html`` and ``report.json``.

    Parameters
    ----------
    folder : Path
        Made if missing.
    html : str
    numbers : dataclass or mapping
        Everything the page shows, see `as_plain`: sorted keys, no NaN.
    text : str
        The block to paste, handed through.

    Raises
    ------
    RunError
        The folder cannot be written.
    """
    plain = as_plain(numbers)
    if not isinstance(plain, Mapping):
        raise TypeError("the numbers of a report are one JSON object")
    told = json.dumps(plain, indent=1, sort_keys=True, allow_nan=False, ensure_ascii=False)
    written = Written(folder / "report.html", folder / "report.json", text)
    _write(written.html, html)
    _write(written.json, told + "\n")
    return written


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("ramisim.analysis.report", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["code"] = _code
    return environment


def _code(text: str) -> Markup:
    """Turn `commands` in back ticks into code; everything else is escaped."""
    parts = (escape(part) for part in text.split("`"))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else part for i, part in enumerate(parts)
    )


def _write(path: Path, text: str) -> None:
    """Write under another name first: a reader never meets half a file."""
    half = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(text, encoding="utf-8", newline="\n")
        half.replace(path)
    except OSError as error:
        with suppress(OSError):
            half.unlink(missing_ok=True)
        raise RunError(f"{path} cannot be written: {error.strerror or error}") from error
