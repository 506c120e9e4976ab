"""``ramisim melds``: the best melds of a hand."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ramisim.cli.console import LangOption, RulesOption, SetOption, console, load_rules

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ramisim.cards import Lang
    from ramisim.rules import Rules

_WORDS = {
    "en": ("meld", "cards", "set", "run", "in hand", "deadwood {0}, points {1}"),
    "fr": ("combinaison", "cartes", "brelan", "suite", "en main", "main {0}, points {1}"),
}


def melds(
    cards: Annotated[
        list[str], typer.Argument(help='The hand, like "5S 6S 7S 7C 7D Jk KD".', metavar="CARDS...")
    ],
    rules: RulesOption = "rami500",
    objective: Annotated[
        Literal["deadwood", "points"],
        typer.Option(help="Leave the least value in hand, or lay the most points."),
    ] = "deadwood",
    settings: SetOption = None,
    lang: LangOption = "en",
) -> None:
    """Show the best melds of a hand."""
    from ramisim.cards import card_name, check_cards, parse_hand, suits_text
    from ramisim.errors import CardError

    wanted = load_rules(rules, settings)
    hand = parse_hand(" ".join(cards))
    if not hand:
        raise CardError("the hand is empty: give at least one card, like 7H")
    if len(hand) > wanted.deck_size:
        raise CardError(f"the hand holds {len(hand)} cards, the deck only {wanted.deck_size}")
    check_cards(hand, wanted.number("deck.packs"), wanted.number("deck.jokers"))

    from ramisim.melding import best_melds

    best = best_melds([card_name(card) for card in hand], wanted, objective)
    console().print(_table(hand, best, wanted, lang))
    if lang == "fr":
        console().print(suits_text())


def _table(hand: list[int], best: dict[str, Any], wanted: Rules, lang: Lang) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    from ramisim.cards import JOKER, JOKER_AS, cards_text, parse_card, sort_hand

    words = _WORDS[lang]
    table = Table(box=None, pad_edge=False, header_style="bold", show_footer=True)
    table.add_column(words[0], footer=wanted.name)
    totals = words[5].format(best["deadwood"], best["points"])
    table.add_column(words[1], footer=Text(totals, style="bold"))
    left = Counter(hand)
    for meld in best["melds"]:
        codes = [parse_card(card) for card in meld["cards"]]
        left -= Counter(JOKER if code >= JOKER_AS else code for code in codes)
        table.add_row(words[2] if meld["type"] == "set" else words[3], cards_text(codes, lang))
    table.add_row(words[4], cards_text(sort_hand(left.elements()), lang))
    return table
