"""Nanoseconds a hand: the best melds by class of hand, and the least deadwood beside C."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ramisim.benchmarks.figures import Report, checked
from ramisim.benchmarks.measure import alternate, rate, ratio
from ramisim.benchmarks.native import least_deadwood_in_c, why_no_c
from ramisim.rules import Rules

if TYPE_CHECKING:
    from ramisim.benchmarks.suite import Size

__all__ = ["CORPUS", "GIN", "HandClass", "gin_hands", "hand_classes", "hands", "times_of_hands"]

CORPUS: Final = Path(__file__).with_name("data") / "hands_corpus.json"
GIN: Final = {"meld.ace": "low", "values.ace_hand": 1, "values.ace_set": 1}
"""What makes the melds of ``rami`` those of gin."""
PASSES: Final = 5
"""Times each hand is timed; the least counts, which is the one that nobody disturbed."""

MEDIANS: Final = {"jokers10": 1000.0, "two_packs13": 5000.0, "worst14_20": 100_000.0}
"""Nanoseconds that the median hand of a class may take (goals, not assertions)."""


@dataclass(frozen=True)
class HandClass:
    """Hands of one kind with their optimum.

    Parameters
    ----------
    name, what : str
    rules : Rules
    texts : list of str
    masks : tuple of ndarray
        ``once``, ``twice`` (uint64[n]) and ``jokers`` (int64[n]).
    deadwood, points : int32[n]
        Of the melds that leave least in the hand.
    """

    name: str
    what: str
    rules: Rules
    texts: list[str]
    masks: tuple[Any, Any, Any]
    deadwood: Any
    points: Any

    def repeated(self, times: int) -> tuple[Any, Any, Any]:
        """The masks of all hands, so many times over."""
        once, twice, jokers = (np.tile(array, times) for array in self.masks)
        return once, twice, jokers


@cache
def hand_classes() -> tuple[HandClass, ...]:
    """The five classes of the corpus."""
    from ramisim.hands import hands_as_masks

    told = json.loads(CORPUS.read_text(encoding="utf-8"))["classes"]
    found = []
    for name, part in told.items():
        rules = Rules.load(part["rules"])
        masks = hands_as_masks(part["hands"], rules)
        optimum = (np.array(part[key], np.int32) for key in ("deadwood", "points"))
        found.append(HandClass(name, part["what"], rules, part["hands"], masks, *optimum))
    return tuple(found)


def hands(report: Report, size: Size) -> None:
    """Best melds by class of hand, all together and hand by hand; least deadwood beside C."""
    for group in hand_classes():
        _class(report, group, size)
    _gin(report, size)


def _class(report: Report, group: HandClass, size: Size) -> None:
    from ramisim.melding import best_melds_many, enumerate_melds_many

    times = 20 if group.name in ("random10", "clustered10") else 4
    masks = group.repeated(times)
    deadwood, points = np.tile(group.deadwood, times), np.tile(group.points, times)

    def best() -> float:
        found = best_melds_many(masks, group.rules, threads=1)
        assert (found["deadwood"] == deadwood).all()
        assert (found["points"] == points).all()
        return len(deadwood)

    n_melds = int(enumerate_melds_many(group.masks, group.rules, threads=1)[0].sum())

    def listed() -> float:
        counts, melds = enumerate_melds_many(group.masks, group.rules, threads=1)
        assert counts.sum() == len(melds) == n_melds
        return len(counts)

    with checked(f"best melds of {group.name}"):
        speed = rate(best, size.seconds)
    report.add("hands", group.name, 1e9 / speed.median, "ns a hand", f"best melds, {group.what}")
    with checked(f"all melds of {group.name}"):
        speed = rate(listed, size.seconds / 2)
    report.add(
        "hands", f"{group.name}, all melds", 1e9 / speed.median, "ns a hand",
        f"listed as masks, {n_melds / len(group.texts):.1f} a hand",
    )  # fmt: skip
    if group.name not in MEDIANS:
        return
    times_ns = times_of_hands(group, 1 if size.tiny else PASSES)
    worst = int(times_ns.argmax())
    report.add(
        "hands", f"{group.name}, median hand", float(np.median(times_ns)), "ns", group.what,
        goal=MEDIANS[group.name], better="less",
    )  # fmt: skip
    report.add("hands", f"{group.name}, slowest hand", times_ns[worst], "ns", group.texts[worst])


def times_of_hands(group: HandClass, passes: int) -> Any:
    """Nanoseconds of each hand alone, float64[n]; the cost of a call is taken off.

    A pass goes through all hands, so that no hand profits from having just been solved.
    """
    from ramisim.kernels.melding import UNFINISHED, best_melds_many
    from ramisim.melding import _TRIALS, _scratch, _tables
    from ramisim.melding import best_melds_many as friendly

    tables, work = _tables(group.rules, 0), _scratch()
    once, twice, jokers = group.masks
    left, laid = np.empty(1, np.int32), np.empty(1, np.int32)
    nothing = np.empty(0, np.int32)

    def timed(part: slice, left: Any, laid: Any) -> int:
        begun = perf_counter_ns()
        best_melds_many(
            once[part], twice[part], jokers[part], _TRIALS[0][0], tables, work, left, laid
        )
        return perf_counter_ns() - begun

    timed(slice(0, 1), left, laid)
    call = float(np.median([timed(slice(0, 0), nothing, nothing) for _ in range(1000)]))
    least = np.full(len(once), np.inf)
    with checked(f"hand by hand, {group.name}"):
        for _ in range(passes):
            for i in range(len(once)):
                part = slice(i, i + 1)
                taken = timed(part, left, laid) - call
                if left[0] == UNFINISHED:
                    held = (once[part], twice[part], jokers[part])
                    begun = perf_counter_ns()
                    left[0], laid[0] = friendly(held, group.rules)[0]
                    taken = perf_counter_ns() - begun
                assert (left[0], laid[0]) == (group.deadwood[i], group.points[i])
                least[i] = min(least[i], taken)
    return np.maximum(least, 1.0)


def gin_hands(size: int, n: int, seed: int, ranks: int = 13) -> tuple[Any, Any]:
    """Random gin hands of the lowest ranks: card ids int8[n, size] and masks uint64[n]."""
    from ramisim.kernels.bits import CARD_BIT

    order = np.argsort(np.random.default_rng(seed).random((n, 4 * ranks)), axis=1)[:, :size]
    cards = order // ranks * 13 + order % ranks
    return cards.astype(np.int8), np.bitwise_or.reduce(CARD_BIT[cards], axis=1)


def _gin(report: Report, size: Size) -> None:
    """Least deadwood of 10 and 11 random cards, one thread, beside the same in C."""
    from ramisim.kernels.melding import least_deadwood_many, scratch
    from ramisim.kernels.melding_tables import ACE_HAND, DEADWOOD, ENDS, FACE, new_tables

    tables, work = new_tables(Rules.load("rami", GIN).record(), DEADWOOD), scratch()
    reason = why_no_c()
    if reason is not None:
        report.missing.append(reason)
    for cards, discarding in ((10, False), (11, True)):
        once = gin_hands(cards, 20_000, cards)[1]
        got, twin = np.empty(len(once), np.int32), np.empty(len(once), np.int32)
        least_deadwood_many(once, discarding, tables, work, got)
        ref = got.copy()

        def numba(once: Any = once, got: Any = got, ref: Any = ref, d: bool = discarding) -> float:
            least_deadwood_many(once, d, tables, work, got)
            assert (got == ref).all()
            return len(once)

        def native(
            once: Any = once, out: Any = twin, ref: Any = ref, d: bool = discarding
        ) -> float:
            numbers = int(tables[FACE]), int(tables[ACE_HAND]), int(np.uint64(tables[ENDS]))
            least_deadwood_in_c(once, d, *numbers, out)
            # Where C would go on to search, a handful of hands in a million, there is nothing.
            assert ((out == ref) | (out < 0)).all()
            assert (out < 0).mean() < 1e-3
            return len(once)

        works = {"numba": numba} | ({} if reason else {"c": native})
        with checked(f"least deadwood of {cards} cards"):
            speeds = alternate(works, size.seconds)
        name = f"least deadwood, {cards} cards"
        report.add("hands", name, 1e9 / speeds["numba"].median, "ns a hand", "random, batch")
        if reason is None:
            report.add("hands", f"{name}, in C", 1e9 / speeds["c"].median, "ns a hand",
                       "gcc -O3 -march=native")  # fmt: skip
            report.add("hands", f"{name}, over C", ratio(speeds["c"], speeds["numba"]), "x",
                       "Numba's time over C's", goal=1.3, better="less")  # fmt: skip
