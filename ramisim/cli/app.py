"""The entry point: one table of commands, and errors as one sentence.

A command is a function of the same name in a module of the same name in this package, so that a
new one is one line in `COMMANDS`. Modules are imported when a command runs or its help is
shown; what is heavy (kernels, Polars, Rich) they import inside the function.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup

from ramisim.cli.interrupts import INTERRUPTED, end_on_second_interrupt, interrupted
from ramisim.errors import RamisimError
from ramisim.version import ENGINE_VERSION, __version__

if TYPE_CHECKING:
    from io import TextIOWrapper

__all__ = ["COMMANDS", "app", "main"]

_MANY: Final = "Many games"
_ONE: Final = "Single games and hands"
_WORDS: Final = "Rules and strategies"
_SPEED: Final = "Speed"

COMMANDS: Final = {
    "simulate": _MANY,
    "compare": _MANY,
    "plan": _MANY,
    "tournament": _MANY,
    "gains": _MANY,
    "report": _MANY,
    "study": _MANY,
    "balance": _MANY,
    "survey": _MANY,
    "play": _ONE,
    "replay": _ONE,
    "verify": _ONE,
    "melds": _ONE,
    "rules": _WORDS,
    "strategies": _WORDS,
    "gallery": _WORDS,
    "bench": _SPEED,
}
"""The panel of the help page for each command, in the order of that page."""

USER_ERROR: Final = 2
_UsageError: Final[Any] = typer.BadParameter.__mro__[1]
"""What Typer raises for a command line that is none; it has no public name."""


class _Commands(TyperGroup):
    """The commands of `COMMANDS`, each imported when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            function = getattr(import_module(f"ramisim.cli.{cmd_name}"), cmd_name)
            single = typer.Typer(add_completion=False)
            single.command(cmd_name, rich_help_panel=COMMANDS[cmd_name])(function)
            self.commands[cmd_name] = typer.main.get_command(single)
        return super().get_command(ctx, cmd_name)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        nothing = not args  # the help page; what is parsed leaves the list
        try:
            return super().parse_args(ctx, args)
        except _UsageError as error:
            if nothing:
                raise
            _complain(f"{error.format_message().rstrip('.')} (see ramisim --help)")
            raise typer.Exit(USER_ERROR) from None

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except RamisimError as error:
            _complain(_with_game(error))
        except _UsageError as error:
            said = error.format_message().rstrip(".").replace("Value error, ", "")
            _complain(f"{said} (see ramisim {ctx.invoked_subcommand or ''} --help)")
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _complain(where + (error.strerror or str(error)))
        except KeyboardInterrupt:
            _complain("stopped by Ctrl-C")
            raise typer.Exit(INTERRUPTED) from None
        except RuntimeError as error:
            # Where Ctrl-C meets the compiler, that raises what it likes; typer.Exit is one, too.
            if not interrupted() or hasattr(error, "exit_code"):
                raise
            _complain("stopped by Ctrl-C")
            raise typer.Exit(INTERRUPTED) from None
        raise typer.Exit(USER_ERROR)


def _with_game(error: RamisimError) -> str:
    """The sentence of an error; of a refused strategy the game so far is kept, if it is not yet."""
    record = getattr(error, "record", None)
    if not record or "(the game so far: " in str(error):
        return str(error)
    import json

    file = Path("refused.jsonl")
    try:
        file.write_text("".join(json.dumps(line) + "\n" for line in record), encoding="utf-8")
    except OSError:
        return str(error)
    return f"{error} (the game so far: {file})"


def _complain(sentence: str) -> None:
    typer.echo(f"ramisim: {' '.join(sentence.split())}", err=True)


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"ramisim {__version__}, engine {ENGINE_VERSION}")
        raise typer.Exit


@app.callback(invoke_without_command=False, no_args_is_help=True)
def ramisim(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Play rami (rummy) games by the million and say which strategy is better, by how much."""


def main() -> None:
    """Run the command line of this process."""
    stream: TextIOWrapper
    for stream in (sys.stdout, sys.stderr):  # type: ignore[assignment]
        # A terminal without suit signs gets question marks instead of a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    end_on_second_interrupt()
    app()
