"""``ramisim bench``: what this machine does with it, and with the peers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ramisim.cli.console import check_place, console

__all__ = ["bench"]


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BENCHMARK]...",
            help="hands, worst, games, parts, threads, chunks, tables, starts, peers; all but the"
            " peers by default.",
        ),
    ] = None,
    peers: Annotated[
        bool,
        typer.Option(
            "--peers", envvar="RAMISIM_PEERS", help="OpenSpiel and RLCard too, in turns with it."
        ),
    ] = False,
    signature: Annotated[
        bool,
        typer.Option("--signature", help="Only print the number of how everything is played."),
    ] = False,
    hold: Annotated[
        bool, typer.Option("--hold", help="With --signature: let the tests hold it from now on.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for bench.json and bench.svg.")
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.001, help="Seconds for each rate.")
    ] = 1.0,
    long: Annotated[
        bool,
        typer.Option("--long", help="Ten million matches, a million hands, and a cold compile."),
    ] = False,
    tiny: Annotated[bool, typer.Option("--tiny", help="Only try the suite, in seconds.")] = False,
) -> None:
    """Measure hands, games, threads, results, starts; every benchmark checks what it computed.

    Rates are of processor time of one core, and what is compared takes turns.
    """
    from dataclasses import replace

    from ramisim.benchmarks.show import table, write
    from ramisim.benchmarks.suite import BENCHMARKS, FULL, LONG, TINY, run
    from ramisim.progress import ConsoleProgress

    if signature:
        _signature(hold)
        return
    size = TINY if tiny else replace(LONG if long else FULL, seconds=seconds)
    chosen = list(names or [])
    if peers and "peers" not in chosen:
        chosen = [*(chosen or [name for name in BENCHMARKS if name != "peers"]), "peers"]
    check_place("--out", out, folder=True)
    report = run(chosen, size, ConsoleProgress())
    screen = console()
    screen.print(table(report))
    for line in (*report.remarks, *report.missing):
        screen.print(line, style="bold", soft_wrap=True)
    if out is not None:
        for file in write(report, out):
            typer.echo(str(file))


def _signature(hold_it: bool) -> None:
    from ramisim.benchmarks.signature import differences, hold, parts, total
    from ramisim.progress import ConsoleProgress

    found = parts(ConsoleProgress())
    for line in differences(found):
        typer.echo(line, err=True)
    if hold_it:
        hold(found)
    typer.echo(f"Signature: {total(found)}")
