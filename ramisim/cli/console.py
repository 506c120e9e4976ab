"""What commands share: options of the same name mean the same everywhere, and the console."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from ramisim.errors import RamisimError
from ramisim.plurals import counted

if TYPE_CHECKING:
    from rich.console import Console

    from ramisim.rules import Rules

__all__ = [
    "ComparedOption",
    "LangOption",
    "OpponentsOption",
    "RulesOption",
    "SetOption",
    "StrategiesOption",
    "StrategyOption",
    "ThreadsOption",
    "check_place",
    "chosen_strategies",
    "console",
    "load_rules",
    "seat_strategies",
    "split_strategies",
]

PLAIN_WIDTH = 100
"""Columns where the output is no terminal: fixed, so that files of it can be compared."""

ComparedOption: TypeAlias = Annotated[
    Literal["duplicate", "permute", "substitute"],
    typer.Option("--design", help="Who sits where on the same deals."),
]
OpponentsOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--opponents", help="For substitute: who fills the other seats."),
]
ThreadsOption: TypeAlias = Annotated[
    int | None, typer.Option("--threads", min=1, help="Workers; one a core by default.")
]
LangOption: TypeAlias = Annotated[
    Literal["en", "fr"], typer.Option("--lang", help="Language of the output.")
]
RulesOption: TypeAlias = Annotated[
    str, typer.Option("--rules", help="Rule set: a preset's name, or a TOML file of your own.")
]
SetOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change one rule; may be given many times."),
]
StrategiesOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--strategies",
        help="Strategies seat by seat, separated by commas: names, mine.py:hunter, mine.toml.",
    ),
]
StrategyOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--strategy",
        metavar="NAME:KEY=VALUE",
        help="One strategy of the list; may be given many times.",
    ),
]


def console() -> Console:
    """Rich's console on standard output: colours on a terminal, plain text elsewhere."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PLAIN_WIDTH
    return Console(width=width, highlight=False, emoji=False)


def load_rules(name: str, settings: list[str] | None = None) -> Rules:
    """The rules that ``--rules`` and ``--set`` ask for."""
    from ramisim.rules import Rules, parse_settings

    return Rules.load(name, parse_settings(settings or []))


def chosen_strategies(listed: str | None, single: list[str] | None, default: str = "") -> str:
    """The line-up of ``--strategies`` and ``--strategy``, as one list.

    Raises
    ------
    RamisimError
        Neither is given, and there is no default.
    """
    texts = [text for text in (listed, *(single or ())) if text is not None]
    if not texts and not default:
        raise RamisimError("name the strategies: --strategies greedy,careful")
    return ",".join(texts) if texts else default


def split_strategies(text: str, option: str = "--strategies") -> list[str]:
    """Names at the commas; ``careful:danger=0.7,keep=2`` stays one strategy.

    Raises
    ------
    RamisimError
        Nothing stands between two commas.
    """
    from ramisim.strategies import split_names

    if not all(part.strip() for part in text.split(",")):
        raise RamisimError(f"{option} {text!r} holds an empty name")
    return split_names(text)


def check_place(option: str, path: Path | None, folder: bool = False, made: bool = False) -> None:
    """Refuse, before anything is played, a file or folder that cannot be written afterwards.

    Parameters
    ----------
    option : str
        Whose value it is.
    path : Path or None
        None where nothing is to be written.
    folder : bool
        A folder is meant, not a file.
    made : bool
        The folder of the file is made where it is missing.

    Raises
    ------
    RamisimError
        A folder where a file is meant, a file where a folder is, or no leave to write.
    """
    if path is None:
        return
    if not folder and (path.is_dir() or not path.name):
        raise RamisimError(f"{option} {path} is a folder: the name of a file is needed")
    home = path if folder else path.parent
    if not (folder or made or home.exists()):
        raise RamisimError(f"{option} {path} cannot be written: there is no folder {home}")
    while not home.exists() and home != home.parent:
        home = home.parent
    if not home.is_dir():
        raise RamisimError(f"{option} {path} cannot be written: {home} is a file")
    if not os.access(home, os.W_OK | os.X_OK) or (path.is_file() and not os.access(path, os.W_OK)):
        raise RamisimError(f"{option} {path} cannot be written: permission denied")


def seat_strategies(text: str, rules: Rules, players: int | None) -> list[str]:
    """One strategy a seat: the list is repeated until every seat has one.

    Parameters
    ----------
    text : str
        The value of ``--strategies``.
    rules : Rules
        They say how many seats there may be.
    players : int or None
        Number of seats; None takes one a strategy, and at least as many as the rules need.

    Raises
    ------
    RulesError
        The rules do not seat that many.
    RamisimError
        More strategies than seats.
    """
    names = split_strategies(text)
    seats = max(len(names), rules.number("players.min")) if players is None else players
    rules.check_players(seats)
    if len(names) > seats:
        raise RamisimError(
            f"--strategies names {len(names)}, but --players gives {counted(seats, 'seat')}"
        )
    return [names[seat % len(names)] for seat in range(seats)]
