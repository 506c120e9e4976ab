"""A game record as a page: turn by turn, with hands, table, points and totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ramisim.cards import Lang, cards_text, parse_card, sort_hand, suits_text
from ramisim.plurals import filled

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from ramisim.position import Position

__all__ = ["Tally", "game_view", "show_game"]

Line: TypeAlias = dict[str, Any]

_WORDS: Final = {
    "en": {
        "seed": "seed", "deal": "deal", "engine": "engine", "changed": "changed",
        "round": "Round", "begins": "begins", "upcard": "turned up", "tour": "Tour",
        "draws": "draws", "takes": "takes", "set": "set", "run": "run", "lays": "lays",
        "opens": "opens with", "adds": "adds", "to": "to", "swaps": "swaps", "for": "for",
        "throws": "throws", "nothing": "throws nothing", "hand": "hand", "table": "table",
        "empty": "empty", "recycle": "The discards become a stock of {0:# card|# cards}.",
        "seat": "seat", "strategy": "strategy", "laid": "laid", "points": "points",
        "total": "total", "won": "won", "mean": "mean points", "games": "{0:# game|# games}",
        "rami": "Rami", "wins": "wins", "share": "share",
        "stopped": "Stopped", "out": "{0} goes out",
        "stock": "the stock is empty", "blocked": "the round is blocked",
        "tours": "the last tour is over", "stall": "stopped by the stall guard", "colon": ":",
    },
    "fr": {
        "seed": "graine", "deal": "donne", "engine": "moteur", "changed": "modifié",
        "round": "Manche", "begins": "commence", "upcard": "retournée", "tour": "Tour",
        "draws": "pioche", "takes": "prend", "set": "brelan", "run": "suite", "lays": "pose",
        "opens": "ouvre avec", "adds": "ajoute", "to": "à", "swaps": "échange", "for": "contre",
        "throws": "rejette", "nothing": "ne rejette rien", "hand": "main", "table": "table",
        "empty": "vide", "recycle": "La défausse devient un talon de {0:# carte|# cartes}.",
        "seat": "siège", "strategy": "stratégie", "laid": "posé", "points": "points",
        "total": "total", "won": "gagné", "mean": "points en moyenne",
        "games": "{0:# partie|# parties}",
        "rami": "Rami", "wins": "gagne", "share": "se partagent la partie",
        "stopped": "Arrêtée", "out": "{0} sort",
        "stock": "le talon est vide", "blocked": "la manche est bloquée",
        "tours": "le dernier tour est joué", "stall": "arrêtée par le garde-fou",
        "colon": "\u00a0:",
    },
}  # fmt: skip


Notes: TypeAlias = list[list[list[str]]]
"""For each round, for each turn: lines that say why (`ramisim.explain`)."""


def show_game(
    lines: list[Line], screen: Console, lang: Lang = "en", notes: Notes | None = None
) -> None:
    """Print a game turn by turn.

    Parameters
    ----------
    lines : list of dict
        The record of one game: header, rounds, end.
    screen : rich.console.Console
        Where to; plain text unless it is a terminal.
    lang : {"en", "fr"}
        Language of words and ranks.
    notes : list of list of list of str, optional
        Why each turn was played as it was, to be shown below it.

    Raises
    ------
    RamisimError
        The record does not replay.
    """
    for part in game_view(lines, lang, notes):
        screen.print(part)


def game_view(
    lines: list[Line], lang: Lang = "en", notes: Notes | None = None
) -> Iterator[RenderableType]:
    """The parts of the page of `show_game`, from the top."""
    header, *rounds, end = lines
    view = _View(header, lang)
    yield view.heading()
    if lang == "fr":
        yield suits_text()
    for number, line in enumerate(rounds):
        yield from view.round(line, notes[number] if notes else [])
    yield view.closing(end)


@dataclass
class _View:
    """What a page needs to know of its game: names of the seats, rules, words."""

    header: Line
    lang: Lang

    @property
    def names(self) -> list[str]:
        return list(self.header["strategies"])

    def word(self, key: str) -> str:
        return _WORDS[self.lang][key]

    def who(self, seat: int) -> str:
        return f"{seat} {self.names[seat]}"

    def cards(self, names: Iterable[str]) -> Text:
        return cards_text([parse_card(name) for name in names], self.lang)

    def hand(self, names: Iterable[str]) -> Text:
        codes = sort_hand(parse_card(name) for name in names)
        return cards_text(codes, self.lang) if codes else Text(self.word("empty"), style="dim")

    def block(self, rows: Iterable[tuple[str, Text]]) -> RenderableType:
        grid = Table.grid(padding=(0, 2, 0, 0))
        labels = [self.word("upcard"), *map(self.who, range(len(self.names)))]
        grid.add_column(width=max(map(len, labels)))
        grid.add_column()
        for label, text in rows:
            grid.add_row(label, text)
        return Padding(grid, (0, 0, 0, 2))

    def heading(self) -> Text:
        head = self.header
        parts = [str(head["rules"]), " - ".join(map(self.who, range(len(self.names))))]
        parts += [f"{self.word(key)} {head[key]}" for key in ("seed", "deal", "engine")]
        if head["override"]:
            changes = ", ".join(f"{key} = {value}" for key, value in head["override"].items())
            parts[0] += f" ({self.word('changed')}: {changes})"
        return Text(" · ".join(parts), style="bold")

    def round(self, line: Line, notes: list[list[str]]) -> Iterator[RenderableType]:
        position = self.start(line)
        title = f"\n{self.word('round')} {line['round'] + 1}"
        begins = f" · {self.who(line['first_seat'])} {self.word('begins')}"
        yield Text(title, style="bold").append(begins, style="not bold")
        rows = [(self.who(seat), self.hand(hand)) for seat, hand in enumerate(line["hands"])]
        if line["discard"]:
            rows.append((self.word("upcard"), self.cards(line["discard"])))
        yield self.block(rows)
        played, tour, n_seats = 0, 0, len(self.names)
        for entry in line["turns"]:
            if "recycle" in entry:
                position = _with_stock(position, entry["recycle"])
                yield Text(
                    "  " + filled(self.word("recycle"), self.lang, len(entry["recycle"])),
                    style="dim",
                )
                continue
            if played // n_seats == tour:
                tour += 1
                yield Text(f"{self.word('tour')} {tour}", style="dim")
            rows, position = self.turn(entry, position)
            rows += [("", Text(note, "dim")) for note in notes[played]] if notes else []
            played += 1
            yield self.block(rows)
        if line["end"] is not None:
            yield self.result(line, position)

    def start(self, line: Line) -> Position:
        from ramisim.position import Position

        given = {key: line[key] for key in ("hands", "discard", "stock", "first_seat")}
        head = {key: self.header[key] for key in ("rules", "override")}
        return Position.from_dict({**head, **given, "turn": line["first_seat"]})

    def turn(self, entry: Line, position: Position) -> tuple[list[tuple[str, Text]], Position]:
        seat, before = entry["seat"], position.to_dict()
        laid = position.points()[seat]
        said = []
        for action in entry["actions"]:
            held = Counter(position.to_dict()["hands"][seat]) if _is_draw(action) else Counter()
            position = position.apply(action)
            drawn: list[str] = []
            if _is_draw(action):
                drawn = list((Counter(position.to_dict()["hands"][seat]) - held).elements())
            said.append(self.action(action, drawn))
        after = position.to_dict()
        text = Text("; ").join(said)
        gained = position.points()[seat] - laid
        if gained:
            text.append(f"  {gained:+d}", style="bold green")
        rows = [(self.who(seat), text)]
        rows.append(("", Text(f"{self.word('hand')}  ", "dim") + self.hand(after["hands"][seat])))
        if after["table"] != before["table"]:
            rows.append(("", Text(f"{self.word('table')}  ", "dim") + self.table(after["table"])))
        return rows, position

    def action(self, action: Line, drawn: list[str]) -> Text:
        op = action["op"]
        if op == "draw_stock":
            return self.say("draws", self.hand(drawn))
        if op == "draw_discard":
            return self.say("takes", self.hand(drawn))
        if op == "lay":
            return self.say("lays", self.meld(action))
        if op == "open":
            return self.say("opens", Text(" + ").join(map(self.meld, action["melds"])))
        if op == "lay_off":
            target = Text(f" {self.word('to')} {action['meld']}")
            return self.say("adds", self.cards(action["cards"]) + target)
        if op == "swap":
            joker = Text(f" {self.word('for')} ") + self.cards([action["joker"]])
            return self.say("swaps", self.cards([action["card"]]) + joker)
        if action["card"] is None:
            return Text(self.word("nothing"), style="dim")
        return self.say("throws", self.cards([action["card"]]))

    def say(self, verb: str, what: Text) -> Text:
        return Text(f"{self.word(verb)} ") + what

    def meld(self, meld: Line) -> Text:
        return Text(f"{self.word(meld['type'])} ") + self.cards(meld["cards"])

    def table(self, melds: list[Line]) -> Text:
        shown = [
            Text(f"{meld['id']} ", style="dim") + self.cards(card for card, _ in meld["cards"])
            for meld in melds
        ]
        return Text("   ").join(shown)

    def result(self, line: Line, position: Position) -> RenderableType:
        outs = " & ".join(self.who(seat) for seat in line["out"])
        why = self.word(line["end"]).format(outs)
        title = f"{self.word('round')} {line['round'] + 1}{self.word('colon')} {why}"
        if line["rami"]:
            title += f", {self.word('rami')}!"
        table = Table(box=None, title=title, title_justify="left", title_style="bold",
                      header_style="dim", pad_edge=False)  # fmt: skip
        table.add_column(self.word("strategy"))
        table.add_column(self.word("hand"))
        for key in ("laid", "points", "total"):
            table.add_column(self.word(key), justify="right")
        hands, laid = position.to_dict()["hands"], position.points()
        for seat in range(len(self.names)):
            table.add_row(self.who(seat), self.hand(hands[seat]), str(laid[seat]),
                          str(line["points"][seat]), str(line["totals"][seat]))  # fmt: skip
        return Padding(table, (0, 0, 0, 2))

    def closing(self, end: Line) -> Text:
        if end["end"] == "refused":
            said = f"\n{self.word('stopped')}{self.word('colon')} {self.who(end['seat'])}, "
            return Text(said + str(end["reason"]), style="bold")
        winners = " & ".join(self.who(seat) for seat in end["winners"])
        verb = self.word("wins" if len(end["winners"]) == 1 else "share")
        totals = ", ".join(f"{self.who(seat)} {total}" for seat, total in enumerate(end["totals"]))
        return Text(f"\n{winners} {verb}{self.word('colon')} {totals}", style="bold")


def _is_draw(action: Line) -> bool:
    return str(action["op"]).startswith("draw")


def _with_stock(position: Position, stock: list[str]) -> Position:
    from ramisim.position import Position

    return Position.from_dict({**position.to_dict(), "stock": stock})


@dataclass
class Tally:
    """Counts games as they pass, for a table of results by seat.

    Parameters
    ----------
    rules : str
        Name of the rules.
    strategies : list of str
        One a seat.
    seed : int
        Seed of the games.
    """

    rules: str
    strategies: list[str]
    seed: int
    n_games: int = 0
    won: list[float] = field(default_factory=list)
    points: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.won = [0.0] * len(self.strategies)
        self.points = [0] * len(self.strategies)

    def counting(self, games: Iterable[list[Line]]) -> Iterator[list[Line]]:
        """The games as they come, counted on their way."""
        for lines in games:
            end = lines[-1]
            self.n_games += 1
            for seat in end["winners"]:
                self.won[seat] += 1 / len(end["winners"])
            for seat, total in enumerate(end["totals"]):
                self.points[seat] += total
            yield lines

    def table(self, lang: Lang = "en") -> Table:
        """Share won and mean points of each seat."""
        words = _WORDS[lang]
        games = filled(words["games"], lang, self.n_games)
        title = f"{self.rules} · {words['seed']} {self.seed} · {games}"
        table = Table(box=None, title=title, title_justify="left", title_style="bold",
                      header_style="dim", pad_edge=False)  # fmt: skip
        table.add_column(words["seat"], justify="right")
        table.add_column(words["strategy"])
        table.add_column(words["won"], justify="right")
        table.add_column(words["mean"], justify="right")
        for seat, name in enumerate(self.strategies):
            table.add_row(str(seat), name, f"{self.won[seat] / self.n_games:.1%}",
                          f"{self.points[seat] / self.n_games:.1f}")  # fmt: skip
        return table
