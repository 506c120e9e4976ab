"""``ramisim compare``: which strategy is better, and by how much."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, Literal

import typer

from ramisim.cli.console import (
    ComparedOption,
    LangOption,
    OpponentsOption,
    RulesOption,
    SetOption,
    ThreadsOption,
    load_rules,
    split_strategies,
)
from ramisim.cli.interrupts import resumable
from ramisim.errors import RamisimError
from ramisim.plurals import counted

__all__ = ["compare"]


def compare(
    strategies: Annotated[
        list[str], typer.Argument(metavar="A B [C ...]", help="Two strategies, or more.")
    ],
    rules: RulesOption = "rami500",
    settings: SetOption = None,
    players: Annotated[
        int | None,
        typer.Option("--players", help="Seats; the strategies are repeated to fill them."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the run.")] = 0,
    deals: Annotated[
        int | None,
        typer.Option(
            "--deals", min=1, help="Stop after so many deals (1,000 if nothing else is asked for)."
        ),
    ] = None,
    within: Annotated[
        float | None,
        typer.Option("--within", help="Stop when the difference is known within ± so many points."),
    ] = None,
    test: Annotated[
        Literal["gain", "non-regression"] | None,
        typer.Option("--test", help="Stop when this sequential test has decided."),
    ] = None,
    design: ComparedOption = "duplicate",
    opponents: OpponentsOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Run folder, with the report: new or empty, unless --resume."),
    ] = None,
    first_deal: Annotated[
        int, typer.Option("--first-deal", min=0, help="Number of the first deal.")
    ] = 0,
    threads: ThreadsOption = None,
    rounds: Annotated[
        bool, typer.Option("--rounds", help="Keep a table of the rounds too.")
    ] = False,
    luck: Annotated[
        bool,
        typer.Option("--luck", help="Take the luck of the cards out, too; as long as playing."),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the comparison that is in the folder.")
    ] = False,
    smallest: Annotated[
        float,
        typer.Option(
            "--smallest", min=0.0, max=1e9, help="Smallest difference that matters, in points."
        ),
    ] = 1.0,
    lang: LangOption = "en",
) -> None:
    """Play strategies on the same deals until it is known which is better.

    The decision and the estimate are printed apart; the same seed gives the same decision for
    any number of threads.
    """
    from ramisim.compare import compare as play
    from ramisim.luck import add_luck
    from ramisim.progress import ConsoleProgress

    if luck and out is None:
        raise RamisimError("--luck is kept beside the games: name a folder with --out")
    command = shlex.join(["ramisim", *sys.argv[1:]])
    begun = monotonic()
    progress = ConsoleProgress()
    with resumable(command, out, resume):
        run = play(
            load_rules(rules, settings),
            strategies,
            deals=deals,
            within=within,
            test=test,
            seed=seed,
            design=design,
            players=players,
            opponents=() if opponents is None else split_strategies(opponents, "--opponents"),
            out=out,
            resume=resume,
            threads=threads,
            rounds=rounds,
            progress=progress,
            first_deal=first_deal,
            command=command,
        )
        played, seconds = progress.done - progress.already, monotonic() - begun
        if luck and out is not None:
            add_luck(out, threads=threads, progress=ConsoleProgress())
    _tell(run, out, lang, smallest, played, seconds)


def _tell(run: Any, out: Path | None, lang: Any, smallest: float, played: int, s: float) -> None:
    """The text block, what it cost, and where the report lies."""
    from ramisim.analysis.report import text_block, write_report
    from ramisim.analysis.runs import open_run, run_in_memory
    from ramisim.analysis.summary import summarise
    from ramisim.progress import duration

    cost = (
        f"{counted(played, 'game')} played in {duration(s)}"
        if played
        else "nothing was left to play"
    )
    if out is None:
        found = run_in_memory(run.manifest, run.games, run.rounds)
        typer.echo(text_block(summarise(found, smallest=smallest), lang))
        typer.echo(cost)
        return
    written = write_report(open_run(out), None, lang, smallest=smallest)
    typer.echo(written.text)
    typer.echo(cost)
    typer.echo(f"{written.html}")
