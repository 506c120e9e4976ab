"""``ramisim rules``: the rule sets, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ramisim.cli.console import LangOption, SetOption, console, load_rules

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ramisim.cards import Lang
    from ramisim.rules import Rules

_WORDS = {
    "en": ("preset", "players", "cards", "hand", "first laying", "match", "key", "meaning",
           "{0} and {1} have the same rules.", "points", "rounds", "free", "changed"),
    "fr": ("préréglage", "joueurs", "cartes", "main", "première pose", "partie", "clé", "sens",
           "{0} et {1} ont les mêmes règles.", "points", "manches", "libre", "modifié"),
}  # fmt: skip


def rules(
    name: Annotated[
        str | None, typer.Argument(help="A preset or a TOML file; without it all presets.")
    ] = None,
    diff: Annotated[
        str | None, typer.Option("--diff", metavar="OTHER", help="Show what differs from OTHER.")
    ] = None,
    toml: Annotated[
        bool, typer.Option("--toml", help="Print the file, with the sentence behind each value.")
    ] = False,
    settings: SetOption = None,
    lang: LangOption = "en",
) -> None:
    """Show rule sets: all of them, one in words, or what differs between two."""
    if name is None:
        if diff or toml or settings:
            raise typer.BadParameter("--diff, --toml and --set need the name of a rule set")
        console().print(_presets(lang))
        return
    wanted = load_rules(name, settings)
    if toml:
        typer.echo(_file(name, wanted), nl=False)
    elif diff is not None:
        console().print(_differences(wanted, load_rules(diff), lang))
    else:
        console().print(_page(wanted, lang))


def _presets(lang: Lang) -> RenderableType:
    from rich.table import Table

    from ramisim.rules import Rules, preset_names

    words = _WORDS[lang]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for word in words[:6]:
        table.add_column(word, justify="right" if word in words[1:4] else "left")
    for name in preset_names():
        preset = Rules.load(name)
        low, high = preset["players.min"], preset["players.max"]
        points = preset["opening.points"]
        target, most = preset["match.target"], preset["match.max_rounds"]
        ends = [f"{target} {words[9]}"] if target else []
        ends += [f"{most} {words[10]}"] if most else []
        opening = f"{points} {words[9]}" if points else words[11]
        table.add_row(name, f"{low}-{high}", str(preset.deck_size), str(preset["deal.hand_size"]),
                      opening, ", ".join(ends))  # fmt: skip
    return table


def _file(name: str, wanted: Rules) -> str:
    from ramisim.rules import preset_names, preset_text

    untouched = name in preset_names() and not wanted.override
    return preset_text(name) if untouched else wanted.to_toml()


def _differences(one: Rules, other: Rules, lang: Lang) -> RenderableType:
    from rich.table import Table

    from ramisim.rules_keys import KEYS

    words = _WORDS[lang]
    found = one.differences(other)
    if not found:
        return words[8].format(one.name, other.name)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in (words[6], _title(one, lang), _title(other, lang), words[7]):
        table.add_column(header)
    for key, values in found.items():
        table.add_row(key, *map(_shown, values), KEYS[key].about[lang == "fr"])
    return table


def _shown(value: int | bool | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _title(wanted: Rules, lang: Lang) -> str:
    return f"{wanted.name} ({_WORDS[lang][12]})" if wanted.override else wanted.name


def _page(wanted: Rules, lang: Lang) -> RenderableType:
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from ramisim.rules_words import rules_in_words

    parts: list[RenderableType] = [Text(_title(wanted, lang), style="bold underline")]
    for title, sentences in rules_in_words(wanted, lang):
        block = Table.grid(padding=(0, 1, 0, 0))
        for sentence in sentences:
            block.add_row("·", sentence)
        parts += [Text(f"\n{title}", style="bold"), Padding(block, (0, 0, 0, 2))]
    return Group(*parts)
