"""Every key of a rule set: its type, what it may be, and what it means, in one table.

The order of the words of a choice is part of the contract: the kernels hold a word as its place
in this list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from ramisim.errors import RulesError
from ramisim.whole import whole

__all__ = ["KEYS", "Key", "Value", "known_key"]

Value: TypeAlias = int | bool | str

MANY: Final = 10_000
"""Cap of a number that has no natural one; it keeps every sum far inside 32 bits."""


@dataclass(frozen=True)
class Key:
    """One key of a rule set.

    Parameters
    ----------
    name : str
        Dotted name, ``table.key``.
    low, high : int
        Range of the integers allowed; unused for a flag or a word.
    words : tuple of str
        The words allowed: with a range beside them the key takes either.
    is_flag : bool
        True or false, nothing else.
    about : tuple of str
        What the key means, in English and in French.
    """

    name: str
    about: tuple[str, str]
    low: int = 0
    high: int = -1
    words: tuple[str, ...] = ()
    is_flag: bool = False

    @property
    def field(self) -> str:
        """Name of the key in the kernels' record."""
        return self.name.replace(".", "_")

    @property
    def takes_int(self) -> bool:
        """Whether an integer may be a value."""
        return self.low <= self.high

    def allowed(self) -> str:
        """What may stand there, for a message."""
        if self.is_flag:
            return "true or false"
        parts = [f'"{word}"' for word in self.words]
        if self.takes_int:
            parts.append(f"a whole number from {self.low} to {self.high}")
        return " or ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)

    def check(self, value: object) -> Value:
        """Give the value back, or refuse it.

        Raises
        ------
        RulesError
            Wrong type, out of range, or an unknown word.
        """
        if isinstance(value, bool):
            if self.is_flag:
                return value
        elif (number := whole(value)) is not None:
            if self.takes_int and self.low <= number <= self.high:
                return number
        elif isinstance(value, str) and value in self.words:
            return value
        raise RulesError(f"{self.name} = {_shown(value)}: allowed is {self.allowed()}")

    def code(self, value: Value) -> int:
        """The number that the kernels hold for a value; the only word of a number key is -1."""
        if isinstance(value, str):
            return -1 if self.takes_int else self.words.index(value)
        return int(value)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _int(name: str, low: int, high: int, en: str, fr: str) -> Key:
    return Key(name, (en, fr), low=low, high=high)


def _flag(name: str, en: str, fr: str) -> Key:
    return Key(name, (en, fr), is_flag=True)


def _word(name: str, words: str, en: str, fr: str) -> Key:
    return Key(name, (en, fr), words=tuple(words.split()))


_TABLE: Final = (
    _int("players.min", 2, 8, "fewest players", "joueurs au moins"),
    _int("players.max", 2, 8, "most players", "joueurs au plus"),
    _int("deck.packs", 1, 2, "packs of 52 cards", "jeux de 52 cartes"),
    _int("deck.jokers", 0, 8, "jokers in all", "jokers en tout"),
    _int("deal.hand_size", 1, 55, "cards dealt to each", "cartes données à chacun"),
    _flag("deal.upcard", "a card is turned up", "une carte est retournée"),
    _word("deal.first_tour_draw", "single ascending", "draws in tour 1", "pioche du 1er tour"),
    _word("draw.discard", "none top any_depth", "taking discards", "reprise de la défausse"),
    _word("draw.must_use", "never deep always", "the deepest card taken must be used",
          "la carte prise doit servir"),
    _flag("meld.set_distinct_suits", "suits of a set differ", "couleurs distinctes d'un brelan"),
    _int("meld.set_max", 3, 16, "most cards of a set", "cartes au plus d'un brelan"),
    _int("meld.run_max", 3, 14, "most cards of a run", "cartes au plus d'une suite"),
    _word("meld.ace", "low high both wrap", "the ace in runs", "l'as dans les suites"),
    _int("meld.min_naturals", 0, 14, "natural cards of a meld, at least",
         "cartes naturelles d'une combinaison, au moins"),
    _int("meld.max_jokers", 0, 8, "jokers of a meld, at most (0: no cap)",
         "jokers d'une combinaison, au plus (0 : libre)"),
    _flag("meld.adjacent_jokers", "jokers side by side in a run", "jokers voisins dans une suite"),
    _int("opening.points", 0, MANY, "points of a player's first laying",
         "points de la première pose"),
    _flag("opening.needs_run", "the first laying holds a run", "première pose avec une suite"),
    _flag("opening.pure_run", "that run holds no joker", "cette suite est sans joker"),
    _word("opening.gate", "none first_tour until_first_hit rotating", "who may lay first",
          "qui peut poser d'abord"),
    _word("lay_off.on", "none own anyone", "melds that may be added to",
          "combinaisons à compléter"),
    _flag("lay_off.needs_opening", "adding only after opening", "compléter après l'ouverture"),
    _flag("joker.swap", "a table joker may be swapped out", "échange d'un joker posé"),
    _flag("joker.swap_needs_opening", "swapping only after opening", "échange après l'ouverture"),
    _word("joker.recovered", "free replay_same_turn", "what becomes of a recovered joker",
          "sort du joker récupéré"),
    _word("joker.set_swap", "declared any_missing complete_only never",
          "what frees a joker in a set", "ce qui libère le joker d'un brelan"),
    _word("discard.policy", "mandatory optional", "the discard of a turn", "défausse du tour"),
    _word("discard.final", "required optional", "the discard of the last turn",
          "défausse pour sortir"),
    _flag("discard.rethrow_taken", "the discard just taken may be thrown back",
          "la carte prise peut être rejetée"),
    _word("round.stock_end", "finish_turn recycle", "when the stock is empty",
          "pioche épuisée"),
    _word("round.recycle", "shuffle flip", "how discards become a stock",
          "retour de la défausse"),
    _int("round.max_recycles", 0, MANY, "recyclings, at most (0: no limit)",
         "retours, au plus (0 : libre)"),
    _int("round.max_tours", 0, MANY, "tours of a round (0: no limit)",
         "tours d'une manche (0 : libre)"),
    _int("round.max_turns_per_player", 1, MANY, "stall guard: turns of a player",
         "garde-fou : tours d'un joueur"),
    _int("values.ace_low", 0, 100, "ace below the two", "as sous le deux"),
    _int("values.ace_high", 0, 100, "ace above the king", "as sur le roi"),
    _int("values.ace_set", 0, 100, "ace in a set", "as dans un brelan"),
    _int("values.ace_hand", 0, 100, "ace left in hand", "as en main"),
    _int("values.face", 0, 100, "jack, queen, king", "valet, dame, roi"),
    _int("values.joker_hand", 0, 100, "joker left in hand", "joker en main"),
    Key("values.joker_meld", ("joker on the table", "joker posé"), 0, 100, ("replaced",)),
    _flag("values.set_as_one", "the first three cards of a set count as one card",
          "les trois premières cartes d'un brelan comptent pour une"),
    _word("score.method", "laid_minus_hand winner_takes zero_sum", "score of a round",
          "score d'une manche"),
    _word("score.swap_credit", "both swapper owner", "points of a swapped place",
          "points d'une place échangée"),
    _int("score.rami_bonus", 0, MANY, "bonus for Rami", "bonus de Rami"),
    _int("score.go_out_bonus", 0, MANY, "bonus for going out", "bonus de sortie"),
    _int("score.unopened_penalty", 0, MANY, "penalty of who has not opened (0: his hand)",
         "pénalité sans ouverture (0 : sa main)"),
    _int("score.pool", 0, MANY, "points put in the pool each deal",
         "points mis à la poule par donne"),
    _flag("score.only_winner", "only the winner of a deal scores", "seul le gagnant marque"),
    _word("score.blocked", "lowest_hand void", "a round that nobody ends",
          "manche que personne ne finit"),
    _word("score.multi_out", "first_out_ends lowest_discard", "several players out",
          "plusieurs joueurs sortis"),
    _int("match.target", 0, 1_000_000, "points that end a match (0: none)",
         "points qui finissent la partie (0 : aucun)"),
    _int("match.max_rounds", 0, MANY, "rounds of a match (0: no limit)",
         "manches d'une partie (0 : libre)"),
    _word("match.tie_break", "shared extra_round", "equal totals at the end",
          "égalité finale"),
)  # fmt: skip

KEYS: Final[Mapping[str, Key]] = MappingProxyType({key.name: key for key in _TABLE})
"""The keys in the order of the contract, by dotted name."""


def known_key(name: str, *value: object) -> Key:
    """The key of that name; the value that was found with it is told where there is none.

    Raises
    ------
    RulesError
        No such key; the message names the nearest one.
    """
    if not isinstance(name, str):
        raise RulesError(f"rule key {name!r:.40}: a text like opening.points is needed")
    if name in KEYS:
        return KEYS[name]
    from difflib import get_close_matches

    near = get_close_matches(name, KEYS, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else "`ramisim rules rami500 --toml` shows them all"
    found = "".join(f" = {_shown(given)}" for given in value)
    raise RulesError(f"unknown rule key {name}{found}: {hint}")
