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
go out, until somebody is down to a few cards or the stock or the last tour runs out; under rules
with a bonus for Rami it waits for the whole hand. What it keeps it chooses by what cards may
become, and it never breaks a meld that it holds. It gives the others nothing to lay off on, and
no joker to swap out.""",
    ),
    "careful": (
        "throws what the others can use least",
        """Lays like `greedy`, but chooses its discards: for each card it asks how likely the
next seat (and, counting less, the others) holds two cards that go with it, from the cards still
unseen, from what that seat took and what it threw, and what the meld or the lay-off would be
worth to it. It also keeps cards that live cards can complete.""",
    ),
    "counter": (
        "counts the live cards",
        """Keeps what is most likely to become a meld: for every pair and gap of its hand it
counts the copies of the completing cards that it has not seen yet, on the table, in the pile or
in its own hand, and weighs them by the points of the meld. It compares takes in the same way, by
what the cards left in hand may still become. It lays at once, like `greedy`.""",
    ),
    "sprinter": (
        "goes out fast",
        """Counts cards, not points: takes a discard when that leaves fewer cards in the hand,
never digs, lays whatever gets rid of most cards, and keeps pairs and gaps so that the next draw
does the same. Its rounds are short and it goes out more often than anybody it lays at once
against.""",
    ),
    "collector": (
        "digs deep into the pile for points",
        """Counts every card that comes with a take from the pile as a gain, so it takes as deep
as a legal use of the deepest card allows, keeps high cards, and lays what it has at once. Where
only the top card may be taken it takes whatever goes with its hand.""",
    ),
    "opener": (
        "builds the opening quickly",
        """Before it has opened it plays for the points that the opening asks: takes what makes
melds in the hand although they cannot be laid yet, keeps high cards and what goes with them, and
breaks no meld. From its opening on, and where no opening is asked for, it lays at once and keeps
what live cards can complete.""",
    ),
    "balanced": (
        "the best over all rule sets",
        """Everything that pays, in measure: digs deep where the pile is open, keeps high cards
where laid points are scored, never breaks a meld, and lays all at once: when it can go out, when
the melds are worth `hold` points, when somebody is down to a few cards, or in the last tour. How
close an opponent may come depends on what the rules pay: `close` where laid points score,
`guard` where only the hands count, `chase` while Rami would earn a bonus. Where throwing is
optional it is `thin` that decides what is thrown.""",
    ),
}
"""Name to (one line, a paragraph)."""

WEAK_SIDES: Final[Mapping[str, str]] = {
    "random": (
        "Everything: it throws jokers, breaks melds, and draws as if the pile meant nothing."
    ),
    "first-legal": (
        "It never takes from the pile and keeps its high cards to the end; where an "
        "opening is asked for it never opens but by accident."
    ),
    "greedy": (
        "Throws the pictures that would have made its dearest melds, gives the others "
        "melds to lay off on, and is left with a few cards that fit nowhere."
    ),
    "patient": (
        "It is caught with its melds in hand by whoever goes out in one turn: other "
        "patient players."
    ),
    "careful": (
        "Where the pile is open to any depth nothing stays out of reach for long, and "
        "where discards are out of the game its care is wasted."
    ),
    "counter": (
        "It looks at its own hand only: what it throws, and what it lays, serves the others too."
    ),
    "sprinter": ("Where points are scored for what is laid it goes out poor."),
    "collector": (
        "It is left with many cards when somebody goes out, and where nothing can be "
        "taken from the pile it is no more than a player who keeps what fits."
    ),
    "opener": ("The high cards it waits with cost most when somebody goes out before it opens."),
    "balanced": (
        "Two of them at a table wait for each other, and the one who is dealt the better "
        "hand takes it all."
    ),
}
"""Name to where it loses."""

PARAMETER_TEXTS: Final[Mapping[str, str]] = {
    "stock": "points a take must be worth beyond the hand as it is (negative: take earlier)",
    "deep": "points each card taken beyond the top one must bring (negative: each is a gain)",
    "pair_taken": "points for each card of the hand that goes with the top discard",
    "future": "weight of what the hand left over after a take may become",
    "build": "weight of melds that cannot be laid before the opening, when takes are compared",
    "hold": "points that must be laid at once before anything is laid (0: lay at once)",
    "rami": "the same while Rami (the whole hand at once) would earn a bonus",
    "gate": "the same while only the first player may put anything on the table",
    "offer": "points asked beyond that for each ten that others may lay off on it, by live cards",
    "close": "cards in an opponent's hand at which holding back ends, where laid points score",
    "guard": "the same where only the hands left over count",
    "chase": "the same while `rami` waits for a bonus",
    "late": "cards in the stock for each player at which holding back ends",
    "patience": "tour in which holding back ends (0: the last one, if there is one)",
    "fast": "1 plays for cards got rid of, ten points each, instead of points",
    "deadwood": "weight of what a card costs in the hand when it is thrown (negative: keep high)",
    "caught": "the same when an opponent is close or the round about to end",
    "unopened": "the same before the opening that the rules ask for",
    "thin": "the same where throwing is optional",
    "keep": "weight of what a card may still become",
    "live": "0 counts the cards that complete, 1 their unseen copies",
    "worth": "0 counts the melds a card may become, 1 weighs them by points (20 points: 1)",
    "meld": "points a card of a meld held back is worth keeping",
    "danger": "weight of the points that a thrown card is expected to give to the others",
    "others": "how much seats beyond the next count for danger (next: 1)",
    "joker": "points a joker in the hand is worth keeping",
}
"""Parameter to meaning."""
