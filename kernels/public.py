"""What a user's strategy may call: the services, with every argument checked.

A strategy of a user gets no scratch record, for it holds what the engine left there of other
hands, and no key of its chance, for the seed tells the deck: it gets their addresses as numbers,
``tools`` and ``chance``, that it hands on. Each service has one
signature, so that nothing of the engine is compiled anew for a caller, and raises where an
argument makes no sense: a kernel would look it up all the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from ramisim.kernels import bits, services
from ramisim.kernels.copies import copy_seen
from ramisim.kernels.finish import list_some_legal
from ramisim.kernels.kinds import BOX_TYPE, HAND_TYPE, ROWS_TYPE, RULES_TYPE, SEEN_TYPE
from ramisim.kernels.random import STRATEGY, uniform_below
from ramisim.kernels.state import NONE, PHASE_DRAW, PHASE_PLAY, ROW
from ramisim.kernels.values import hand_value as value_in_hand

TOOLS_TYPE = types.int64
OWN = STRATEGY | 1 << 40
"""What the words of a user's chance are for: not those of the built-in strategies."""
NUMBERS_TYPE = types.Array(types.int64, 1, "C")
_TABLE = (SEEN_TYPE, HAND_TYPE, RULES_TYPE)


def _address_of(typingctx: Any, box: Any) -> Any:
    """The address of a record, as a number."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ptrtoint(args[0], ir.IntType(64))

    return types.int64(box), codegen


def _box_at(typingctx: Any, address: Any) -> Any:
    """The scratch record at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(BOX_TYPE))

    return BOX_TYPE(types.int64), codegen


def _key_at(typingctx: Any, address: Any) -> Any:
    """The five words of a chance at an address, as a tuple."""
    words: Any = types.UniTuple(types.uint64, 5)  # type: ignore[no-untyped-call]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        first = builder.inttoptr(args[0], word.as_pointer())
        places = [builder.gep(first, [ir.Constant(word, k)]) for k in range(5)]
        return context.make_tuple(builder, words, [builder.load(place) for place in places])

    return words(types.int64), codegen


def _cleared(typingctx: Any, rows: Any) -> Any:
    """Fill an array with -1: what is not written is no action."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(rows)(context, builder, args[0])
        word, byte = ir.IntType(64), ir.IntType(8)
        size = builder.mul(array.nitems, ir.Constant(word, 2))
        start = builder.bitcast(array.data, byte.as_pointer())
        cgutils.memset(builder, start, size, 0xFF)  # type: ignore[no-untyped-call]
        return context.get_dummy_value()

    return types.none(rows), codegen


def _answer_of(typingctx: Any, answer: Any) -> Any:
    """The answer of a strategy as int64; what is no whole number is not compiled."""
    if not isinstance(answer, types.Integer | types.Boolean):
        raise TypingError(f"answers must be whole numbers, found {answer}")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.cast(builder, args[0], answer, types.int64)

    return types.int64(answer), codegen


address_of: Any = intrinsic(_address_of)
box_at: Any = intrinsic(_box_at)
key_at: Any = intrinsic(_key_at)
cleared: Any = intrinsic(_cleared)
answer_of: Any = intrinsic(_answer_of)


def _service(*signature: Any, gives: Any = types.int64) -> Any:
    return njit(gives(*signature), cache=True, nogil=True, error_model="numpy")


@njit(types.void(types.int64), cache=True, nogil=True)
def _check_card(card: Any) -> None:
    if card < 0 or card > bits.JOKER:
        raise ValueError("a card is 0..51, or 52 for a joker")


@njit(types.void(types.int64), cache=True, nogil=True)
def _check_natural(card: Any) -> None:
    if card < 0 or card >= bits.JOKER:
        raise ValueError("a natural card is 0..51")


@njit(types.void(types.int64), cache=True, nogil=True)
def _check_objective(objective: Any) -> None:
    if objective < 0 or objective > 3:
        raise ValueError("an objective is POINTS, SCORE, DEADWOOD or CARDS")


@_service(types.int64, types.int64, types.int64)
def pick(chance: Any, step: Any, n: Any) -> Any:
    """Chance: an integer 0 <= i < n, each as likely; ``step`` numbers the picks of a decision."""
    if n < 1:
        raise ValueError("pick: n is 1 or more")
    key = key_at(chance)
    at = (key[4] << np.uint64(32)) | np.uint64(step)
    return uniform_below(key[0], np.uint64(OWN), key[1], key[2], key[3], at, n)


@_service(HAND_TYPE, types.int64)
def copies_held(hand: Any, card: Any) -> Any:
    """How many copies of a card (0..51, 52 a joker) are in a hand."""
    _check_card(card)
    if card == bits.JOKER:
        return np.int64(hand.jokers)
    return np.int64(services.copies_held(hand, card))


@_service(RULES_TYPE, types.int64)
def hand_value(rules: Any, card: Any) -> Any:
    """What a card costs that is left in the hand."""
    _check_card(card)
    return np.int64(value_in_hand(rules, card))


@_service(HAND_TYPE, types.int64, gives=types.void)
def add_card(hand: Any, card: Any) -> None:
    """Put a card into the copy of your hand, to see what it would bring."""
    _check_card(card)
    if card != bits.JOKER and hand.twice & bits.CARD_BIT[card]:
        raise ValueError("add_card: there is no third copy of a card")
    services.add_card(hand, card)


@_service(HAND_TYPE, types.int64, gives=types.void)
def remove_card(hand: Any, card: Any) -> None:
    """Take a card out of the copy of your hand, to see what it would leave."""
    if copies_held(hand, card) == 0:
        raise ValueError("remove_card: the hand does not hold this card")
    hand.size -= 1
    if card == bits.JOKER:
        hand.jokers -= 1
        return
    b = bits.CARD_BIT[card]
    if hand.twice & b:
        hand.twice &= ~b
    else:
        hand.once &= ~b


@_service(*_TABLE, types.int64)
def unseen_copies(seen: Any, hand: Any, rules: Any, card: Any) -> Any:
    """Copies of a natural card that are in the stock or in another hand."""
    _check_natural(card)
    return np.int64(services.unseen_copies(seen, hand, rules, card))


@_service(*_TABLE, NUMBERS_TYPE, gives=types.void)
def live_cards(seen: Any, hand: Any, rules: Any, live: Any) -> None:
    """``unseen_copies`` of every natural card at once, into ``live`` (int64[52])."""
    if live.shape[0] < bits.JOKER:
        raise ValueError("live_cards: an array of 52 int64 is needed")
    services.count_live(seen, hand, rules, live)


@_service(SEEN_TYPE, RULES_TYPE, types.int64, gives=types.boolean)
def lays_off(seen: Any, rules: Any, card: Any) -> Any:
    """Whether a natural card fits a meld on the table at once, whoever holds it."""
    _check_natural(card)
    return services.lays_off_now(seen, rules, card)


@_service(*_TABLE, types.int64, gives=types.boolean)
def fits_table(seen: Any, hand: Any, rules: Any, card: Any) -> Any:
    """Whether a natural card may go to the table, at once or behind others of the hand."""
    _check_natural(card)
    return services.fits_table(seen, hand, rules, card)


@_service(*_TABLE, types.int64, TOOLS_TYPE)
def best_value(seen: Any, hand: Any, rules: Any, objective: Any, tools: Any) -> Any:
    """Value of the best way to end this turn, NOTHING where there is none; after the draw."""
    _check_objective(objective)
    if seen.phase != PHASE_PLAY:
        raise ValueError("best_value: ask after the draw, or take_values before it")
    return services.end_value(seen, hand, rules, objective, box_at(tools))


@_service(*_TABLE, types.int64, TOOLS_TYPE, ROWS_TYPE)
def best_play(seen: Any, hand: Any, rules: Any, objective: Any, tools: Any, rows: Any) -> Any:
    """Write the plays of the best way to end this turn into ``rows``; how many there are."""
    _check_objective(objective)
    if seen.phase != PHASE_PLAY:
        raise ValueError("best_play: there is nothing to play before the draw")
    if rows.shape[1] != ROW:
        raise ValueError("best_play: rows are those that plays was given")
    box = box_at(tools)
    n = services.end_rows(seen, hand, rules, objective, box)
    if n - 1 > rows.shape[0]:
        raise ValueError("best_play: there are more plays than rows")
    return np.int64(services.copy_plays(box, n, rows)) if n > 0 else np.int64(0)


@_service(*_TABLE, types.int64, TOOLS_TYPE)
def best_discard(seen: Any, hand: Any, rules: Any, objective: Any, tools: Any) -> Any:
    """The card that the best way to end this turn throws, NONE for no card."""
    _check_objective(objective)
    if seen.phase != PHASE_PLAY:
        raise ValueError("best_discard: there is nothing to throw before the draw")
    box = box_at(tools)
    n = services.end_rows(seen, hand, rules, objective, box)
    return np.int64(box.work[0].rows[n - 1, 4]) if n > 0 else np.int64(NONE)


@_service(*_TABLE, types.int64, TOOLS_TYPE, NUMBERS_TYPE)
def take_values(seen: Any, hand: Any, rules: Any, objective: Any, tools: Any, values: Any) -> Any:
    """``best_value`` after taking n discards, for every n, into ``values``; the largest n.

    ``values[0]`` is that of the hand as it is, one card thrown and none drawn; ``values[n]`` is
    NOTHING where that take is not allowed. An array too short ends the list.
    """
    _check_objective(objective)
    if seen.phase != PHASE_DRAW:
        raise ValueError("take_values: there is nothing to take after the draw")
    if values.shape[0] < 1:
        raise ValueError("take_values: an array of int64 is needed")
    return np.int64(services.take_values(seen, hand, rules, objective, box_at(tools), values))


@_service(*_TABLE, TOOLS_TYPE, ROWS_TYPE)
def legal_actions(seen: Any, hand: Any, rules: Any, tools: Any, rows: Any) -> Any:
    """Write every legal action but openings into ``rows`` (int16[many, 20]); how many there are.

    Where there are more than rows only the first are written.
    """
    if rows.shape[1] != ROW:
        raise ValueError("legal_actions: rows are int16[many, 20]")
    box = box_at(tools)
    copy_seen(seen, box.seen[2])
    mine = box.hidden[1]
    mine.once[seen.turn] = hand.once
    mine.twice[seen.turn] = hand.twice
    mine.jokers[seen.turn] = hand.jokers
    mine.stock_next = 0
    n = list_some_legal(box.seen[2], mine, rules, box.rows, box)
    for i in range(min(n, rows.shape[0])):
        services.copy_row(box.rows[i], rows[i])
    return np.int64(n)


@_service(HAND_TYPE, RULES_TYPE, types.int64, TOOLS_TYPE)
def best_melds(hand: Any, rules: Any, objective: Any, tools: Any) -> Any:
    """The best melds of a hand alone: points they lay (POINTS), or value left (DEADWOOD)."""
    if objective != services.POINTS and objective != services.DEADWOOD:
        raise ValueError("best_melds: POINTS or DEADWOOD")
    return np.int64(services.melds_alone(hand, rules, objective, box_at(tools)))
