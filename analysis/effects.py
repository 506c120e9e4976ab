"""Effects of the factors of a designed experiment, paired on the deals that variants share.

A point of the design is a tuple of levels, one a factor; a table gives the number of each point.
An effect is a weighted sum of points, so its error comes from the deals themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis.values import Interval, Values, combined, interval

__all__ = [
    "Change",
    "Effect",
    "Factors",
    "Level",
    "Point",
    "interactions",
    "main_effects",
    "trends",
]

Level: TypeAlias = int | float | str
Point: TypeAlias = tuple[Level, ...]
Factors: TypeAlias = Mapping[str, Sequence[Level]]


@dataclass(frozen=True)
class Change:
    """One factor taken from one level to another."""

    factor: str
    old: Level
    new: Level


@dataclass(frozen=True)
class Effect:
    """What changes when one factor is changed, or two at once beyond what each does alone.

    Parameters
    ----------
    changes : tuple of Change
        One for a main effect, two for an interaction.
    found : Interval
        New minus old; for two, the difference of the differences.
    cells : int
        Combinations of the other factors that it is the mean of.
    """

    changes: tuple[Change, ...]
    found: Interval
    cells: int


def main_effects(
    table: Mapping[Point, Values], factors: Factors, level: float = 0.95
) -> list[Effect]:
    """Each level of each factor minus its first level, mean over the other factors.

    Parameters
    ----------
    table : mapping of tuple to Values
        The points that were played; combinations may be missing.
    factors : mapping of str to sequence
        Levels by factor, the level to compare with first; in the order of the tuples.
    level : float

    Returns
    -------
    list of Effect
        A level without a partner at the first level is left out.

    Examples
    --------
    >>> import numpy as np
    >>> from ramisim.analysis.values import Values
    >>> table = {(x,): Values(x, np.array([x - 1.0, x + 1.0]), 2) for x in (1.0, 4.0)}
    >>> main_effects(table, {"size": (1.0, 4.0)})[0].found.value
    3.0
    """
    found = []
    for place, (factor, levels) in enumerate(factors.items()):
        for new in levels[1:]:
            pairs = [
                (point, _with(point, place, levels[0])) for point in table if point[place] == new
            ]
            whole = [pair for pair in pairs if pair[1] in table]
            terms = [(p, s) for pair in whole for p, s in zip(pair, (1, -1), strict=True)]
            found += _effect(table, terms, (Change(factor, levels[0], new),), len(whole), level)
    return found


def interactions(
    table: Mapping[Point, Values], factors: Factors, level: float = 0.95
) -> list[Effect]:
    """Difference of differences of each pair of factors, against their first levels.

    Parameters
    ----------
    table, factors, level
        As in `main_effects`.
    """
    found = []
    for (i, (a, in_a)), (j, (b, in_b)) in combinations(enumerate(factors.items()), 2):
        for new_a in in_a[1:]:
            for new_b in in_b[1:]:
                corners = [
                    _square(point, (i, in_a[0]), (j, in_b[0]))
                    for point in table
                    if point[i] == new_a and point[j] == new_b
                ]
                whole = [c for c in corners if all(p in table for p in c)]
                terms = [(p, s) for c in whole for p, s in zip(c, (1, -1, -1, 1), strict=True)]
                changes = (Change(a, in_a[0], new_a), Change(b, in_b[0], new_b))
                found += _effect(table, terms, changes, len(whole), level)
    return found


def trends(table: Mapping[Point, Values], factors: Factors, level: float = 0.95) -> list[Effect]:
    """Effects from a sampled design by least squares: a factor of numbers from least to most.

    Parameters
    ----------
    table : mapping of tuple to Values
    factors : mapping of str to sequence
        For a factor of numbers its two ends, for one of words or flags its levels.
    level : float

    Returns
    -------
    list of Effect
        Straight lines through everything that was sampled; what bends shows in the indices.
        Empty where the points do not tell the factors apart.
    """
    points = list(table)
    columns, changes = [np.ones(len(points))], []
    for place, (factor, levels) in enumerate(factors.items()):
        values = [point[place] for point in points]
        for column, change in _columns(factor, levels, values):
            columns.append(column)
            changes.append(change)
    design = np.column_stack(columns)
    if np.linalg.matrix_rank(design) < design.shape[1]:
        return []
    weights = np.linalg.pinv(design)
    parts = [table[point] for point in points]
    return [
        Effect((change,), interval(combined(weights[k + 1], parts), level), len(points))
        for k, change in enumerate(changes)
    ]


def _columns(
    factor: str, levels: Sequence[Level], values: Sequence[Level]
) -> list[tuple[NDArray[np.float64], Change]]:
    numbers = [x for x in levels if not isinstance(x, bool | str)]
    if len(numbers) == len(levels):
        low, high = numbers[0], numbers[-1]
        scaled = (np.array(values, dtype=np.float64) - low) / (high - low)
        return [(scaled, Change(factor, levels[0], levels[-1]))]
    return [
        (np.array([float(x == new) for x in values]), Change(factor, levels[0], new))
        for new in levels[1:]
    ]


def _effect(
    table: Mapping[Point, Values],
    terms: Sequence[tuple[Point, int]],
    changes: tuple[Change, ...],
    cells: int,
    level: float,
) -> list[Effect]:
    if not cells:
        return []
    weights = np.array([sign for _, sign in terms]) / cells
    found = interval(combined(weights, [table[p] for p, _ in terms]), level)
    return [Effect(changes, found, cells)]


def _with(point: Point, place: int, value: Level) -> Point:
    return (*point[:place], value, *point[place + 1 :])


def _square(point: Point, a: tuple[int, Level], b: tuple[int, Level]) -> tuple[Point, ...]:
    """The four corners: both new, a old, b old, both old."""
    a_old, b_old = _with(point, *a), _with(point, *b)
    return point, a_old, b_old, _with(a_old, *b)
