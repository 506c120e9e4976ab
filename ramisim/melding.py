"""Every meld of a hand, and the best melds, exact for every rule set.

One hand by name, or many at once: as masks, card ids, texts or a Polars column.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ramisim.cards import JOKER, card_name, check_cards, parse_hand
from ramisim.errors import CardError, RamisimError
from ramisim.given import text, whole_number
from ramisim.hands import ManyHands, hands_as_masks
from ramisim.rules import Rules

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

__all__ = ["best_melds", "best_melds_many", "enumerate_melds", "enumerate_melds_many"]

Objective = Literal["deadwood", "points"]

_OBJECTIVES: Final = ("deadwood", "points")
_TYPES: Final = ("set", "run")
_FEW, _MANY = 4096, 65_536
"""Hands that one thread takes at a time: at least, at most."""
_TRIALS: Final = ((4_000, 1 << 13), (70_000, 1 << 16), (400_000, 1 << 20))
"""Steps of a search, four to a microsecond, and states of the sweep that follows it. Hands that
are hard for one are mostly easy for the other."""
_mine = threading.local()


def enumerate_melds(
    hand: str | Iterable[str], rules: Rules | str | Path = "rami500"
) -> list[dict[str, Any]]:
    """Every meld that a hand can lay, each once, jokers declared.

    Parameters
    ----------
    hand : str or iterable of str
        Cards as in ``7H 8H Jk``.
    rules : Rules, str or Path
        A rule set, or the name or path of one.

    Returns
    -------
    list of dict
        ``{"type": "set" | "run", "cards": [...]}``: sets by rank, then runs by suit, low card and
        length. Two melds differ in type, in cards, or in what a joker stands for.

    Raises
    ------
    RamisimError
        Unknown rules, an unknown card, or a hand that the packs do not hold.

    Examples
    --------
    >>> [meld["cards"] for meld in enumerate_melds("5S 6S 7S 7C", "rami500")]
    [['5S', '6S', '7S']]
    """
    from ramisim.kernels.melds import list_melds
    from ramisim.kernels.state import ROW

    rules = _rules(rules)
    once, twice, jokers = _one_hand(hand, rules)
    rows = np.zeros((1024, ROW), dtype=np.int16)
    n = list_melds(once, twice, jokers, rules.record(), rows, -1)
    if n > len(rows):
        rows = np.zeros((n, ROW), dtype=np.int16)
        list_melds(once, twice, jokers, rules.record(), rows, -1)
    return [_meld(row) for row in rows[:n]]


def best_melds(
    hand: str | Iterable[str],
    rules: Rules | str | Path = "rami500",
    objective: Objective = "deadwood",
) -> dict[str, Any]:
    """The best disjoint melds of a hand alone: no table, no discard, no opening requirement.

    Parameters
    ----------
    hand : str or iterable of str
        Cards as in ``7H 8H Jk``.
    rules : Rules, str or Path
        A rule set, or the name or path of one.
    objective : {"deadwood", "points"}
        ``deadwood``: the value left in hand is least, ties by more points; ``points``: the points
        laid are most, ties by less deadwood.

    Returns
    -------
    dict
        ``melds`` (as in `enumerate_melds`), ``deadwood`` and ``points``, both int.

    Raises
    ------
    RamisimError
        Unknown rules or objective, an unknown card, or a hand that the packs do not hold.

    Examples
    --------
    >>> best = best_melds("5S 6S 7S 7C 7D Jk KD", "rami500")
    >>> [meld["cards"] for meld in best["melds"]], best["deadwood"], best["points"]
    ([['7C', '7D', 'Jk=7H'], ['5S', '6S', '7S']], 10, 39)
    """
    from ramisim.kernels.melding import outcome
    from ramisim.kernels.melding_rows import rows_of_best
    from ramisim.kernels.state import ROW

    rules = _rules(rules)
    tables, work = _tables(rules, _checked(objective)), _scratch()
    once, twice, jokers = _one_hand(hand, rules)
    gain = _best_gain(once, twice, jokers, tables)
    deadwood, points = outcome(once, twice, jokers, gain, tables)
    rows = np.zeros((64, ROW), dtype=np.int16)
    n = rows_of_best(tables, work, rows)
    melds = [_meld(row) for row in sorted(rows[:n].tolist(), key=lambda row: row[1:])]
    return {"melds": melds, "deadwood": int(deadwood), "points": int(points)}


def best_melds_many(
    hands: ManyHands,
    rules: Rules | str | Path = "rami500",
    objective: Objective = "deadwood",
    threads: int | None = None,
) -> npt.NDArray[Any]:
    """`best_melds` of many hands, on all cores.

    Parameters
    ----------
    hands : array, list or Polars Series
        See `ramisim.hands.hands_as_masks`: masks, card ids, or texts.
    rules, objective
        As in `best_melds`.
    threads : int, optional
        Threads to work with; the number of cores by default.

    Returns
    -------
    ndarray, shape (n,)
        Fields ``deadwood`` and ``points``, int32, a record for each hand.

    Raises
    ------
    RamisimError
        As `best_melds`, with the number of the first hand that is refused.

    Examples
    --------
    >>> best_melds_many(["5S 6S 7S KD", "2C 2D 2H 2S"], "rami500")["deadwood"].tolist()
    [10, 0]
    """
    from ramisim.kernels.melding import UNFINISHED, best_melds_many, outcome

    rules = _rules(rules)
    tables = _tables(rules, _checked(objective))
    once, twice, jokers = hands_as_masks(hands, rules)
    found = np.zeros(len(once), dtype=[("deadwood", np.int32), ("points", np.int32)])
    deadwood, points = np.empty(len(once), np.int32), np.empty(len(once), np.int32)

    def work_on(part: slice) -> None:
        best_melds_many(
            once[part], twice[part], jokers[part], _TRIALS[0][0], tables, _scratch(),
            deadwood[part], points[part],
        )  # fmt: skip

    _in_threads(work_on, len(once), threads)
    for i in np.flatnonzero(deadwood == UNFINISHED):
        gain = _best_gain(once[i], twice[i], jokers[i], tables)
        deadwood[i], points[i] = outcome(once[i], twice[i], jokers[i], gain, tables)
    found["deadwood"], found["points"] = deadwood, points
    return found


def enumerate_melds_many(
    hands: ManyHands, rules: Rules | str | Path = "rami500", threads: int | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """`enumerate_melds` of many hands, as masks, on all cores.

    Parameters
    ----------
    hands : array, list or Polars Series
        See `ramisim.hands.hands_as_masks`: masks, card ids, or texts.
    rules : Rules, str or Path
        A rule set, or the name or path of one.
    threads : int, optional
        Threads to work with; the number of cores by default.

    Returns
    -------
    counts : ndarray of int64, shape (n,)
        Number of melds of each hand.
    melds : ndarray of `ramisim.kernels.hands.MELD`, shape (counts.sum(),)
        The melds hand by hand, in the order of `enumerate_melds`: ``hand``, ``type`` (0 set,
        1 run), ``once`` and ``twice`` (masks of the natural cards), ``jokers``, ``stands_for``
        (mask of the cards that jokers stand for), ``points``.

    Raises
    ------
    RamisimError
        Unknown rules, or a hand that is refused.

    Examples
    --------
    >>> enumerate_melds_many(["5S 6S 7S 8S", "2C 2D 2H 2S"], "rami500")[0].tolist()
    [3, 5]
    """
    from ramisim.kernels.hands import MELD, melds_many
    from ramisim.kernels.state import ROW

    rules = _rules(rules)
    record = rules.record()
    once, twice, jokers = hands_as_masks(hands, rules)
    counts = np.zeros(len(once), dtype=np.int64)

    def write(part: slice, n_rows: int, out: Any) -> None:
        rows = np.empty((n_rows, ROW), dtype=np.int16)
        melds_many(
            once[part], twice[part], jokers[part], record, rows, part.start, counts[part], out
        )

    _in_threads(lambda part: write(part, 0, np.empty(0, dtype=MELD)), len(once), threads)
    ends = np.cumsum(counts)
    melds = np.zeros(int(counts.sum()), dtype=MELD)

    def fill(part: slice) -> None:
        out = melds[ends[part.start] - counts[part.start] : ends[part.stop - 1]]
        write(part, int(counts[part].max()), out)

    _in_threads(fill, len(once), threads)
    return counts, melds


def _rules(rules: Rules | str | Path) -> Rules:
    return rules if isinstance(rules, Rules) else Rules.load(rules)


def _checked(objective: str) -> int:
    if text("objective", objective, "deadwood or points") not in _OBJECTIVES:
        raise RamisimError(f"unknown objective {objective!r}: deadwood or points")
    return _OBJECTIVES.index(objective)


@lru_cache(maxsize=16)
def _tables(rules: Rules, objective: int) -> Any:
    from ramisim.kernels.melding_tables import new_tables

    return new_tables(rules.record(), objective)


def _scratch() -> Any:
    """The scratch array of this thread."""
    if not hasattr(_mine, "scratch"):
        fresh_scratch()
    return _mine.scratch


def fresh_scratch() -> None:
    """Let this thread forget what it keeps from one hand to the next: for benchmarks."""
    from ramisim.kernels.melding import scratch

    _mine.scratch = scratch()


def _best_gain(once: Any, twice: Any, jokers: int, tables: Any) -> int:
    """Best gain of a hand, by the search or, where that gives up, by the sweep."""
    from ramisim.kernels.melding import NO_LIMIT, UNFINISHED, search

    work = _scratch()
    for bounds, room in _TRIALS:
        gain = search(once, twice, jokers, bounds, tables, work)
        if gain == UNFINISHED:
            from ramisim.kernels.melding_sweep import sweep

            gain = sweep(once, twice, jokers, room, tables, work)
        if gain != UNFINISHED:
            return int(gain)
    return int(search(once, twice, jokers, NO_LIMIT, tables, work))


def _one_hand(hand: str | Iterable[str], rules: Rules) -> tuple[Any, Any, int]:
    """A hand as ``once``, ``twice`` and number of jokers."""
    from ramisim.kernels.bits import CARD_BIT

    cards = parse_hand(hand)
    if len(cards) > rules.deck_size:
        raise CardError(f"the hand holds {len(cards)} cards, the deck only {rules.deck_size}")
    check_cards(cards, rules.number("deck.packs"), rules.number("deck.jokers"))
    once = twice = 0
    for card in cards:
        if card != JOKER:
            place = int(CARD_BIT[card])
            twice |= once & place
            once |= place
    return np.uint64(once), np.uint64(twice), cards.count(JOKER)


def _meld(row: Any) -> dict[str, Any]:
    """An action row as a meld of the contract."""
    return {"type": _TYPES[row[1]], "cards": [card_name(int(c)) for c in row[4 : 4 + row[3]]]}


def _in_threads(work_on: Callable[[slice], None], n: int, threads: int | None) -> None:
    """Call for every part of ``range(n)``; kernels hold no interpreter lock."""
    from concurrent.futures import ThreadPoolExecutor

    from ramisim.chunks import cpus

    most = cpus() if threads is None else whole_number("threads", threads, 1, 1024)
    workers = min(most, -(-n // _FEW))
    size = max(_FEW, min(_MANY, n // (8 * max(workers, 1))))
    parts = [slice(start, min(start + size, n)) for start in range(0, n, size)]
    if workers <= 1:
        for part in parts:
            work_on(part)
        return
    with ThreadPoolExecutor(workers) as executor:
        for _ in executor.map(work_on, parts):
            pass
