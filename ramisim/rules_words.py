"""A rule set in words, English or French, generated from its values.

Each sentence is written in both languages side by side, so that a change of one is seen beside
the other. A sentence about something that cannot happen (jokers in a deck without any) is left
out.
"""

from __future__ import annotations

from typing import TypeAlias

from ramisim import rules_words_score as late
from ramisim import rules_words_turn as early
from ramisim.cards import Lang
from ramisim.rules import Rules

__all__ = ["Section", "rules_in_words"]

Section: TypeAlias = tuple[str, list[str]]


def rules_in_words(rules: Rules, lang: Lang = "en") -> list[Section]:
    """The rules as a page: titles, and the sentences under each.

    Parameters
    ----------
    rules : Rules
        Any rule set, preset or not.
    lang : {"en", "fr"}
        Language of the sentences.

    Returns
    -------
    list of (str, list of str)
        Sections in the order of the game; none is empty.
    """
    at = 1 if lang == "fr" else 0
    parts = (
        (("Players and cards", "Joueurs et cartes"), early.cards(rules)),
        (("A turn", "Un tour"), early.turn(rules)),
        (("Melds", "Combinaisons"), early.melds(rules)),
        (("Laying on the table", "Poser"), early.laying(rules)),
        (("Jokers", "Jokers"), early.jokers(rules)),
        (("End of a round", "Fin d'une manche"), late.end(rules)),
        (("Values", "Valeurs"), late.values(rules)),
        (("Score", "Score"), late.score(rules)),
        (("Match", "Partie"), late.match(rules)),
    )
    page = [(title[at], [_spaced(pair[at]) for pair in sentences]) for title, sentences in parts]
    return [(title, sentences) for title, sentences in page if sentences]


def _spaced(sentence: str) -> str:
    # French sets a blank before these signs, and no line may break there.
    return sentence.replace(" ;", "\u00a0;").replace(" :", "\u00a0:")
