"""``ramisim plan``: how many deals a comparison needs, and how long they take."""

from __future__ import annotations

from typing import Annotated

import typer

from ramisim.cli.console import (
    ComparedOption,
    OpponentsOption,
    RulesOption,
    SetOption,
    ThreadsOption,
    console,
    load_rules,
    split_strategies,
)
from ramisim.plurals import counted

__all__ = ["plan"]


def plan(
    strategies: Annotated[list[str], typer.Argument(metavar="A B", help="Two strategies.")],
    detect: Annotated[
        float, typer.Option("--detect", help="Difference to be found, in points a game.")
    ],
    power: Annotated[
        float,
        typer.Option("--power", min=0.01, max=0.9999, help="Chance of finding it if it is there."),
    ] = 0.9,
    alpha: Annotated[
        float,
        typer.Option("--alpha", min=0.0001, max=0.5, help="Chance of a false alarm, two-sided."),
    ] = 0.05,
    within: Annotated[
        float | None,
        typer.Option("--within", help="Also: deals until the difference is within ± so much."),
    ] = None,
    rules: RulesOption = "rami500",
    settings: SetOption = None,
    players: Annotated[
        int | None,
        typer.Option("--players", help="Seats; the strategies are repeated to fill them."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the run.")] = 0,
    design: ComparedOption = "duplicate",
    opponents: OpponentsOption = None,
    pilot: Annotated[
        int, typer.Option("--pilot", min=20, help="Deals of the pilot; none is evaluated later.")
    ] = 200,
    threads: ThreadsOption = None,
) -> None:
    """Play a pilot, and say how many deals a comparison needs and how long they take."""
    from rich.table import Table

    from ramisim.planning import plan as play
    from ramisim.progress import duration

    found = play(
        load_rules(rules, settings),
        strategies,
        detect=detect,
        power=power,
        alpha=alpha,
        within=within,
        players=players,
        seed=seed,
        design=design,
        opponents=() if opponents is None else split_strategies(opponents, "--opponents"),
        pilot=pilot,
        threads=threads,
    )
    out = console()
    out.print(
        f"Pilot: {counted(found.pilot, 'deal')}, {counted(found.games_per_deal, 'game')} each; "
        f"{found.a} minus {found.b} has a standard deviation of {found.sd:.1f} points a deal "
        f"({found.sd_low:.1f} to {found.sd_high:.1f}), {counted(round(found.rate), 'game')}/s."
    )
    table = Table("to do", "deals", "games", "time", "option")
    for column in table.columns[1:4]:
        column.justify = "right"
    for need in found.needs:
        games = need.deals * found.games_per_deal
        table.add_row(
            need.what, f"{need.deals:,}", f"{games:,}", duration(games / found.rate), need.option
        )
    out.print(table)
    out.print(
        f"If the standard deviation is as high as {found.sd_high:.1f}, "
        f"{found.factor_high:.2f} times as many."
    )
