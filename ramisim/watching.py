"""Runs that end when a rule says so: chunks in any order, looked at in the order of the deals.

Whatever the number of threads, the same deals count: chunks that come early wait for their turn,
and what was played behind the end is thrown away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ramisim.analysis.stopping import StopRule, Watch
from ramisim.chunks import Chunk
from ramisim.designs import Seatings
from ramisim.errors import RunError
from ramisim.plurals import counted

__all__ = ["InOrder", "Until", "contrasts", "deal_differences"]

Array: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Until:
    """When a run of comparisons ends, and what it compares.

    Parameters
    ----------
    rule : StopRule
    pairs : tuple of (int, int)
        Strategies compared, "first minus second".
    """

    rule: StopRule
    pairs: tuple[tuple[int, int], ...]

    def to_dict(self) -> dict[str, Any]:
        """For the manifest, key ``stop``."""
        return {"rule": self.rule.to_dict(), "pairs": [list(pair) for pair in self.pairs]}

    def check_same(self, manifest: Mapping[str, Any], where: Path) -> None:
        """Refuse to go on with a run that was to end otherwise.

        Raises
        ------
        RunError
            The rule or the pairs are others.
        """
        found, wanted = manifest.get("stop") or {}, self.to_dict()
        if any(found.get(key) != value for key, value in wanted.items()):
            raise RunError(
                f"{where} holds another run: it was to stop by the rule "
                f"{_words(found.get('rule'))}, not {_words(wanted['rule'])}"
            )


def _words(rule: Mapping[str, Any] | None) -> str:
    if not rule:
        return "of its deals alone"
    within = "" if rule["within"] is None else f" {rule['within']:g}"
    return f"{rule['kind']}{within}, at most {counted(rule['most'], 'deal')}"


class InOrder:
    """Feeds a watch with the differences of each chunk when its turn has come.

    Parameters
    ----------
    until : Until
    seatings : Seatings
        Of the run; every deal is played in all of them.
    labels : sequence of str
        Names of the strategies, for the news.
    """

    def __init__(self, until: Until, seatings: Seatings, labels: Sequence[str]) -> None:
        self.watch = Watch(until.rule)
        self._contrasts = contrasts(until.pairs, seatings)
        self._names = [f"{labels[a]} minus {labels[b]}" for a, b in until.pairs]
        self._early: dict[int, Array] = {}
        self._next = 0

    @property
    def ended(self) -> bool:
        """Whether the rule has ended the run."""
        return self.watch.ended is not None

    def add(self, index: int, points: npt.NDArray[np.integer[Any]]) -> None:
        """Take the points of a chunk, rows by deal, rotation and seat."""
        if index < self._next:
            return  # after Ctrl-C a chunk may come twice
        self._early[index] = deal_differences(points, self._contrasts)
        while self._next in self._early:
            self.watch.add(self._early.pop(self._next))
            self._next += 1

    def news(self) -> str:
        """What a watcher may be shown: the pair nearest to undecided, with its band."""
        watch = self.watch
        if not watch.n:
            return ""
        halves = watch.halves()
        at = int(np.argmin(np.abs(watch.means()) / np.maximum(halves, 1e-9)))
        text = f"{counted(watch.n, 'deal')}: {self._names[at]} {watch.means()[at]:+.2f}"
        if np.isfinite(halves[at]):
            text += f" ±{halves[at]:.2f}"
        tests = watch.outcomes()
        if tests:
            test = tests[at]
            text += f", LLR {test.llr:+.2f} of {test.lower:+.2f} to {test.upper:+.2f}"
        return text

    def until_the_end(self, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
        """The chunks, as long as the rule wants more."""
        for chunk in chunks:
            if self.ended:
                return
            yield chunk


def contrasts(
    pairs: Sequence[tuple[int, int]], seatings: Seatings
) -> list[tuple[npt.NDArray[np.int64], int]]:
    """For each pair whole weights of the rows of a deal, and what their sum is divided by."""
    seated = seatings.table.reshape(-1)
    found = []
    for a, b in pairs:
        n_a, n_b = int((seated == a).sum()), int((seated == b).sum())
        weights = np.where(seated == a, n_b, 0) - np.where(seated == b, n_a, 0)
        found.append((weights.astype(np.int64), n_a * n_b))
    return found


def deal_differences(
    points: npt.NDArray[np.integer[Any]], of: Sequence[tuple[npt.NDArray[np.int64], int]]
) -> Array:
    """Difference of the mean points of each pair on each deal, float64[pairs, deals].

    Whole numbers until the one division, so that equal play gives exactly 0.
    """
    by_deal = points.astype(np.int64).reshape(-1, len(of[0][0]))
    return np.stack([(by_deal @ weights).astype(np.float64) / below for weights, below in of])
