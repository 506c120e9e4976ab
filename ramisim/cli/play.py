"""``ramisim play``: games between strategies, shown turn by turn or written to a record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ramisim.cli.console import (
    LangOption,
    RulesOption,
    SetOption,
    StrategiesOption,
    StrategyOption,
    check_place,
    chosen_strategies,
    console,
    load_rules,
    seat_strategies,
)
from ramisim.plurals import counted

if TYPE_CHECKING:
    from ramisim.cards import Lang
    from ramisim.rules import Rules

_DEFAULT = "greedy,careful"


def play(
    rules: RulesOption = "rami500",
    strategies: StrategiesOption = None,
    strategy: StrategyOption = None,
    players: Annotated[
        int | None, typer.Option(help="Seats; the strategies are repeated to fill them.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the decks and of every chance.")] = 0,
    games: Annotated[int, typer.Option(min=1, help="Number of games, one a deal.")] = 1,
    deal: Annotated[int, typer.Option(min=0, help="Number of the first deal.")] = 0,
    record: Annotated[
        Path | None, typer.Option(help="Write the games to this file, one after another.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Of a single game: show the values of each option.")
    ] = False,
    settings: SetOption = None,
    lang: LangOption = "en",
) -> None:
    """Play games; a single one is shown turn by turn, of more the result."""
    wanted = load_rules(rules, settings)
    seats = seat_strategies(chosen_strategies(strategies, strategy, _DEFAULT), wanted, players)

    from ramisim.cli.show import Tally, show_game
    from ramisim.errors import RamisimError
    from ramisim.record import play_games, write_games

    if explain and games != 1:
        raise RamisimError(f"--explain shows one game, not {games}")
    check_place("--record", record)
    screen = console()
    tally = Tally(wanted.name, seats, seed)
    played: Iterator[list[dict[str, Any]]] = tally.counting(
        play_games(wanted, seats, len(seats), seed, games, first_deal=deal)
    )
    if games == 1:
        if explain:
            lines = _explained(wanted, seats, seed, deal, lang)
        else:
            lines = next(played)
            show_game(lines, screen, lang)
        played = iter([lines])
    if record is not None:
        write_games(record, played)
    else:
        for _ in played:
            pass
    if games > 1:
        screen.print(tally.table(lang))
    if record is not None:
        typer.echo(f"{record}: {counted(games, 'game')}")


def _explained(
    rules: Rules, seats: list[str], seed: int, deal: int, lang: Lang
) -> list[dict[str, Any]]:
    """Play one game and show it with the values of the options; its record."""
    from ramisim.cli.show import show_game
    from ramisim.engine import Engine
    from ramisim.explain import explain_match
    from ramisim.record import play_match, record_of
    from ramisim.strategies import resolve

    engine = Engine(rules, [resolve(name) for name in seats], seed)
    played = play_match(engine, deal, list(range(len(seats))))
    lines = record_of(played)
    show_game(lines, console(), lang, explain_match(played, lang))
    return lines
