"""Many hands in one of many forms, as the masks of the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, Union

import numpy as np

from ramisim.cards import check_cards, parse_hand
from ramisim.errors import CardError
from ramisim.rules import Rules

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars as pl

__all__ = ["ManyHands", "Masks", "hands_as_masks"]

Masks: TypeAlias = "tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.int64]]"
ManyHands: TypeAlias = Union[
    "npt.NDArray[Any]", "tuple[Any, Any, Any]", "pl.Series", Sequence[str], Sequence[Sequence[Any]]
]

_FORMS = (
    "hands are masks (uint64), card ids (integers, a row a hand), texts, or a Polars Series of one"
    " of these"
)


def hands_as_masks(hands: ManyHands, rules: Rules) -> Masks:
    """Hands as masks, checked against the packs of a rule set.

    Parameters
    ----------
    hands : array, tuple, list or Polars Series
        One of: masks, uint64[n] with bit ``16 * suit + rank`` for each card (suits C D H S, ranks
        A to K); a tuple of three arrays, masks of the cards held at least once, of those held
        twice, and numbers of jokers; card ids, an integer array (n, size), 52 for a joker and -1
        for no card; a list of hands, each a text or a list of names or ids; or a Series of
        masks (UInt64), texts, or lists of ids or names.
    rules : Rules
        Gives the packs and jokers.

    Returns
    -------
    tuple of ndarray
        ``once`` and ``twice``, uint64[n], and ``jokers``, int64[n].

    Raises
    ------
    CardError
        None of these forms, an unknown card, or a hand that the packs do not hold, with its
        number counted from 0.
    """
    if isinstance(hands, tuple) and len(hands) == 3 and hasattr(hands[0], "dtype"):
        return _checked_masks(hands[0], hands[1], hands[2], rules)
    if isinstance(hands, np.ndarray):
        if hands.dtype == np.uint64 and hands.ndim == 1:
            none = np.zeros(len(hands), dtype=np.uint64)
            return _checked_masks(hands, none, none, rules)
        if hands.ndim == 2 and np.issubdtype(hands.dtype, np.integer):
            starts = np.arange(len(hands) + 1, dtype=np.int64) * hands.shape[1]
            return _from_cards(hands.ravel(), starts, rules)
        raise CardError(f"an array of {hands.dtype} and {hands.ndim} dimensions: {_FORMS}")
    return _from_series(hands, rules)


def _checked_masks(once: Any, twice: Any, jokers: Any, rules: Rules) -> Masks:
    from ramisim.kernels.hands import check_masks

    given = [np.asarray(array) for array in (once, twice, jokers)]
    if len({array.shape for array in given}) > 1 or given[0].ndim != 1:
        raise CardError("masks once, masks twice and numbers of jokers are arrays of one length")
    if not all(np.issubdtype(array.dtype, np.integer) for array in given):
        raise CardError("masks once, masks twice and numbers of jokers are arrays of integers")
    one = np.ascontiguousarray(given[0], dtype=np.uint64)
    two = np.ascontiguousarray(given[1], dtype=np.uint64)
    wild = np.ascontiguousarray(given[2], dtype=np.int64)
    packs, most = rules.number("deck.packs"), rules.number("deck.jokers")
    bad = check_masks(one, two, wild, packs, most)
    if bad >= 0:
        _refuse_masks(int(one[bad]), int(two[bad]), int(wild[bad]), bad, rules)
    return one, two, wild


def _refuse_masks(once: int, twice: int, jokers: int, number: int, rules: Rules) -> NoReturn:
    from ramisim.kernels.bits import ALL_CARDS, CARD_BIT

    if once & ~int(ALL_CARDS) or twice & ~once:
        raise CardError(
            f"hand {number}: a mask has bits 16 * suit + rank, and a card held twice is also"
            " held once"
        )
    if jokers < 0:
        raise CardError(f"hand {number} has a negative number of jokers")
    held = [card for mask in (once, twice) for card in range(52) if mask & int(CARD_BIT[card])]
    _refuse(held + [52] * jokers, number, rules)


def _refuse(cards: list[int], number: int, rules: Rules) -> NoReturn:
    packs, jokers = rules.number("deck.packs"), rules.number("deck.jokers")
    check_cards(cards, packs, jokers, f"hand {number}")
    raise AssertionError(f"hand {number} was refused and is none to refuse")


def _from_cards(cards: Any, starts: Any, rules: Rules) -> Masks:
    """Hands from card ids end to end."""
    from ramisim.kernels.hands import masks_of

    if cards.size and (cards.min() < -1 or cards.max() > 52):
        wrong = int(np.flatnonzero((cards < -1) | (cards > 52))[0])
        number = int(np.searchsorted(starts, wrong, side="right")) - 1
        raise CardError(
            f"hand {number}: {cards[wrong]} is no card, ids are 0 to 51, 52 is the joker and -1 no"
            " card"
        )
    n = len(starts) - 1
    once, twice = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64)
    jokers = np.zeros(n, dtype=np.int64)
    cards = np.ascontiguousarray(cards, dtype=np.int8)
    packs, most = rules.number("deck.packs"), rules.number("deck.jokers")
    bad = masks_of(cards, starts, packs, most, once, twice, jokers)
    if bad >= 0:
        of_hand = cards[starts[bad] : starts[bad + 1]]
        _refuse([int(card) for card in of_hand if card >= 0], bad, rules)
    return once, twice, jokers


def _from_series(hands: Any, rules: Rules) -> Masks:
    """Hands from a Polars Series or what makes one; names are read once each, not once a hand."""
    import polars as pl

    if isinstance(hands, str) or not isinstance(hands, Sequence | pl.Series):
        raise CardError(f"{hands!r:.40} is not many hands: {_FORMS}")
    try:
        series = hands if isinstance(hands, pl.Series) else pl.Series("hands", hands, strict=True)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise CardError(f"hands of different kinds in one list: {_FORMS}") from error
    if series.null_count():
        raise CardError(f"hand {int(series.is_null().arg_max() or 0)} is null: {_FORMS}")
    if series.dtype == pl.UInt64:
        return hands_as_masks(series.to_numpy(), rules)
    if series.is_empty():
        return _from_cards(np.zeros(0, dtype=np.int8), np.zeros(1, dtype=np.int64), rules)
    if series.dtype == pl.String:
        series = series.str.extract_all(r"\S+")
    if isinstance(series.dtype, pl.Array):
        series = series.arr.to_list()
    if not isinstance(series.dtype, pl.List):
        raise CardError(f"a Series of {series.dtype}: {_FORMS}")
    starts = np.zeros(len(series) + 1, dtype=np.int64)
    np.cumsum(series.list.len().to_numpy(), out=starts[1:])
    cards = series.filter(series.list.len() > 0).list.explode()
    if cards.null_count():
        raise CardError(f"a card of a hand is null: {_FORMS}")
    if cards.dtype == pl.String:
        names = cards.unique()
        ids = [parse_hand([name])[0] for name in names]
        cards = cards.replace_strict(names, ids, return_dtype=pl.Int8)
    elif not cards.dtype.is_integer() and len(cards):
        raise CardError(f"a Series of lists of {cards.dtype}: {_FORMS}")
    return _from_cards(cards.to_numpy(), starts, rules)
