"""``ramisim simulate``: many games into a run folder."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from ramisim.cli.console import (
    OpponentsOption,
    RulesOption,
    SetOption,
    StrategiesOption,
    StrategyOption,
    ThreadsOption,
    chosen_strategies,
    load_rules,
    split_strategies,
)
from ramisim.cli.interrupts import resumable
from ramisim.plurals import counted

__all__ = ["simulate"]


def simulate(
    deals: Annotated[
        int, typer.Option("--deals", min=1, help="Deals, each played in all its seatings.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Run folder: new or empty, unless --resume.")],
    strategies: StrategiesOption = None,
    strategy: StrategyOption = None,
    rules: RulesOption = "rami500",
    settings: SetOption = None,
    players: Annotated[
        int | None,
        typer.Option("--players", help="Seats; the strategies are repeated to fill them."),
    ] = None,
    design: Annotated[
        str,
        typer.Option("--design", help="duplicate, rotate, fixed, permute or substitute."),
    ] = "duplicate",
    opponents: OpponentsOption = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the run.")] = 0,
    first_deal: Annotated[
        int, typer.Option("--first-deal", min=0, help="Number of the first deal.")
    ] = 0,
    threads: ThreadsOption = None,
    chunk: Annotated[int | None, typer.Option("--chunk", min=1, help="Deals in a part.")] = None,
    rounds: Annotated[
        bool, typer.Option("--rounds", help="Keep a table of the rounds too.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Finish the run that is in the folder.")
    ] = False,
) -> None:
    """Play many deals and keep every result, for `ramisim report` and for analysis.

    The rows are the same for any number of threads, and after any number of stops.
    """
    from ramisim.progress import ConsoleProgress, duration
    from ramisim.runner import simulate as play
    from ramisim.version import ENGINE_VERSION

    command = shlex.join(["ramisim", *sys.argv[1:]])
    begun = monotonic()
    chosen = load_rules(rules, settings)
    progress = ConsoleProgress()
    with resumable(command, out, resume):
        run = play(
            chosen,
            split_strategies(chosen_strategies(strategies, strategy)),
            deals,
            seed,
            design,
            players=players,
            opponents=() if opponents is None else split_strategies(opponents, "--opponents"),
            out=out,
            threads=threads,
            chunk=chunk,
            rounds=rounds,
            resume=resume,
            progress=progress,
            first_deal=first_deal,
            command=command,
        )
    played, seconds = progress.done - progress.already, monotonic() - begun
    typer.echo(
        f"{chosen.name}, {run.manifest['players']} seats, {design}, seed {seed}, "
        f"engine {ENGINE_VERSION}: {counted(deals, 'deal')}"
    )
    if played:
        rate = f"{counted(round(played / seconds), 'game')}/s"
        typer.echo(f"{counted(played, 'game')} played in {duration(seconds)}, {rate}")
    else:
        typer.echo("nothing was left to play")
    typer.echo(f"rows in {out}; read them with: ramisim report {shlex.quote(str(out))}")
