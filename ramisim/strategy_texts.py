"""How the built-in strategies play, in words; what their parameters mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

STRATEGY_TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "random": (
        "uniform over the legal actions",
        """Draws, plays and throws at random, each legal action with the same chance; where the
rules ask for an opening, opening is one action more. Its chance is keyed by deal, round and
decision, so the same deal is played the same way in every seat. A baseline: whatever does not
beat it clearly has no skill in it.""",
    ),
    "first-legal": (
        "always the first action of the list",
        """Draws from the stock, lays the first meld of the list while there is one, throws the
lowest card. No chance and no thought: a baseline that shows what merely following the rules is
worth.""",
    ),
    "greedy": (
        "takes and lays whatever pays now",
        """Compares every legal take from the discard pile with the hand as it is, by the exact
best end of the turn, and takes the pile when that pays more at once than what can be laid
without. Lays the best end of the turn immediately: melds, lay-offs, swaps and the joker's new
use in one optimum. Throws the card that costs most in the hand, never a joker while there is
another card. It does not look at what a card may become, nor at what it gives to the others.""",
    ),
    "patient": (
        "holds back and lays much at once",
        """Keeps its melds in the hand until they are worth `hold` points together, until it can
go out, until somebody is down to `close` cards or the stock runs low; under rules with a bonus
for Rami it waits for the whole hand. What it keeps it chooses by what cards may become. It risks
being caught with its melds in hand, and gives the others nothing to lay off on.""",
    ),
    "careful": (
        "throws what the others can use least",
        """Lays like `greedy`, but chooses its discards: a card that fits the table, that goes
with what the next seat took, or with many cards still unseen is dangerous; one that goes with
what the next seat threw is safe. It also keeps cards that live cards can complete, and takes the
top discard for a hand that it improves.""",
    ),
}
"""Name to (one line, a page)."""

PARAMETER_TEXTS: Final[Mapping[str, str]] = {
    "stock": "points a take must be worth beyond the hand as it is (negative: take earlier)",
    "deep": "points each card taken beyond the top one must bring",
    "pair_taken": "points for each card of the hand that goes with the top discard",
    "hold": "points that must be laid at once before anything is laid (0: lay at once)",
    "rami": "the same while Rami (the whole hand at once) would earn a bonus",
    "close": "cards in an opponent's hand at which holding back ends",
    "late": "cards in the stock for each player at which holding back ends",
    "deadwood": "weight of what a card costs in the hand when it is thrown",
    "keep": "weight of what a card may still become",
    "live": "0 counts the cards that complete, 1 their unseen copies",
    "danger": "weight of what a thrown card gives to the others",
    "others": "how much seats beyond the next count for danger (next: 1)",
    "joker": "points a joker in the hand is worth keeping",
}
"""Parameter to meaning."""
