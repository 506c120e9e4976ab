"""Why an action is refused, in words."""

from __future__ import annotations

from typing import Any, Final

from ramisim.cards import card_name
from ramisim.rules import Rules

CANNOT_COMPLETE: Final = "the turn could not be completed after this"

# Numbers of ``kernels.shape`` and ``kernels.legal``; a test holds both sides together.
_WORDS: Final = {
    1: "not a run (one suit, consecutive, low to high)",
    2: "run too long",
    3: "not a set (one rank)",
    4: "the suits of a set differ",
    5: "set too large",
    6: "too few natural cards",
    7: "too many jokers",
    8: "adjacent jokers",
    9: "a meld has at least three cards",
    20: "draw first",
    21: "already drawn",
    22: "the round is over",
    23: "the stock is empty",
    24: "the discard pile is closed",
    25: "not that many cards in the discard pile",
    26: "only the top card of the discard pile may be taken",
    27: "nobody has hit yet and it is not this player's right",
    28: "{card} is not in the hand",
    29: "the first laying is an opening",
    30: "already opened",
    31: "these rules know no opening: lay the melds",
    32: "opening of {number}, {needed} needed",
    33: "the opening needs a run",
    34: "the opening needs a run without joker",
    35: "no lay-offs in these rules",
    36: "lay-offs only on own melds",
    37: "no lay-off before the player's own opening",
    38: "no such meld on the table",
    39: "no swaps in these rules",
    40: "no swap before the player's own opening",
    41: "no such joker in that meld",
    42: "not the card the joker stands for",
    43: "not a missing card of that set",
    44: "the joker of that set may not be freed",
    45: "{card} must be used this turn",
    46: "a recovered joker must be replayed this turn",
    47: "the discard just taken may not be thrown back",
    48: "a discard is mandatory",
    49: "the last card must be a discard",
    50: "the table holds no more melds",
}


def reason_text(reason: int, about: int, rules: Rules) -> str:
    """The sentence of a reason number.

    Parameters
    ----------
    reason : int
        Number from the kernels.
    about : int
        Card id (52 joker) or number of points that the sentence speaks of, -1 for none.
    rules : Rules
        For what would have been needed.
    """
    card = card_name(about) if 0 <= about <= 52 else "a card"
    return _WORDS[reason].format(card=card, number=about, needed=rules["opening.points"])


def refusal_text(fault: Any, rows: Any, rules: Rules) -> str:
    """What a strategy did that is refused, in words.

    Parameters
    ----------
    fault : FAULT record
        As the kernels left it.
    rows : int16[..., ROW]
        Rows of the turn; the one refused stands behind those that were played.
    rules : Rules
        For what would have been allowed.
    """
    from ramisim.kernels import asking, finish

    ops = ("draw_stock", "draw_discard", "lay", "open", "lay_off", "swap", "discard")
    code, about = int(fault["code"]), int(fault["about"])
    op = ops[int(fault["op"])] if 0 <= int(fault["op"]) < len(ops) else f"op {fault['op']}"
    if code == asking.TOO_MANY_PLAYS:
        return f"plays answered {about}: 0 to {asking.MAX_PLAYS - 2} rows can be played"
    if code == asking.NOT_A_CARD:
        return f"discard answered {about}: a card is 0 to 52, and -1 is none"
    row = rows[int(fault["played"])]
    if code == asking.NOT_A_PLAY:
        return f"row {about} of plays is no action that can be played: {row.tolist()}"
    if op == "draw_discard":
        op = f"draw_discard of {int(row[3])}"
    if code == finish.CANNOT_COMPLETE:
        return f"{op} refused, {CANNOT_COMPLETE}"
    return f"{op} refused, {reason_text(code, about, rules)}"
