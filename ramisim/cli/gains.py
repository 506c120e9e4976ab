"""``ramisim gains``: what duplicate deals and the luck of the cards save."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ramisim.cli.console import (
    StrategiesOption,
    ThreadsOption,
    check_place,
    console,
    split_strategies,
)
from ramisim.errors import RamisimError, StrategyError
from ramisim.plurals import filled

if TYPE_CHECKING:
    from ramisim.gains import Gain

__all__ = ["gains"]

HEAD = ("rules", "seats", "deals", "A minus B", "alike", "duplicate", "luck", "both")


def gains(
    strategies: StrategiesOption = "careful,greedy",
    rules: Annotated[
        str | None,
        typer.Option("--rules", help="Rule sets, separated by commas; all presets by default."),
    ] = None,
    seats: Annotated[
        str, typer.Option("--seats", help="Numbers of seats; the fewest where none fits.")
    ] = "2,4",
    deals: Annotated[
        int,
        typer.Option("--deals", min=20, help="Deals of a cell; its pilot takes half as many."),
    ] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the runs.")] = 0,
    threads: ThreadsOption = None,
    docs: Annotated[
        Path | None, typer.Option("--docs", help="Also write this Markdown page.")
    ] = None,
) -> None:
    """Measure the games that duplicate deals save, and those that the luck of the cards saves."""
    from rich.table import Table

    from ramisim.gains import measure_gains, tables_of
    from ramisim.progress import ConsoleProgress
    from ramisim.rules import preset_names

    named = split_strategies(strategies or "careful,greedy")
    if len(named) != 2:
        raise RamisimError(
            "gains are measured between two strategies, "
            + filled("{0:# is|# are} named", "en", len(named))
        )
    check_place("--docs", docs)
    table = Table(*HEAD)
    for column in table.columns[1:]:
        column.justify = "right"
    found: list[Gain] = []
    refused: list[str] = []
    sets = preset_names() if rules is None else split_strategies(rules, "--rules")
    sizes = _sizes(seats)
    progress = ConsoleProgress(unit="table")
    progress.start(len(tables_of(sets, sizes)), 0)
    try:
        for gain in measure_gains(sets, sizes, (named[0], named[1]), deals, seed, threads):
            if isinstance(gain, StrategyError):
                refused.append(str(gain))
            else:
                found.append(gain)
                table.add_row(*_cells(gain))
            done = len(found) + len(refused)
            progress.update(
                done, "" if not found else f"{found[-1].rules}, {found[-1].seats} seats"
            )
    finally:
        progress.stop()
        if found:
            console().print(table)
    for text in refused:
        typer.echo(f"ramisim: left out: {text}", err=True)
    if docs is not None and found:
        docs.write_text(_page(found, (named[0], named[1]), seed), encoding="utf-8")


def _sizes(text: str) -> list[int]:
    sizes = [part.strip() for part in text.split(",")]
    if not all(size.isdecimal() and 2 <= int(size) <= 8 for size in sizes):
        raise RamisimError(f"seats {text!r}: numbers from 2 to 8 with commas between, as in 2,4")
    return [int(size) for size in sizes]


def _cells(gain: Gain) -> tuple[str, ...]:
    def times(x: float | None) -> str:
        return "–" if x is None else f"{x:.2f} ×"

    return (
        gain.rules,
        str(gain.seats),
        f"{gain.deals:,}",
        f"{gain.mean:+.1f} ± {1.96 * gain.se:.1f}",
        f"{100 * gain.alike:.1f} %",
        times(gain.duplicate),
        times(gain.luck),
        times(gain.both),
    )


def _page(found: list[Gain], strategies: tuple[str, str], seed: int) -> str:
    a, b = strategies
    first = found[0]
    lines = [
        "# What the design saves",
        "",
        f"Made by `ramisim gains --strategies {a},{b} --deals {first.deals} --seed {seed}`: deals "
        f"of `{a}` against `{b}`, each in all seatings that differ; the coefficients come from "
        "half as many pilot deals of their own.",
        "",
        "- **duplicate**: games saved for the same error by playing each deal in all its",
        "  seatings, against as many independent games.",
        "- **luck**: deals saved on top of that by taking the luck of the dealt hands and of the",
        "  draws out (control variates). Measuring it takes several times as long as",
        "  playing, so it pays where deals are dear or already played, not where they are cheap.",
        "- **both**: the two together. **alike**: deals on which both get exactly the same.",
        "",
        f"| rules | seats | deals | {a} minus {b} | alike | duplicate | luck | both |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [f"| {' | '.join(_cells(gain))} |" for gain in found]
    return "\n".join(lines) + "\n"
