"""Which variants are best in some mixture of aims: those that no other beats in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ramisim.analysis.values import Values, in_blocks

__all__ = ["Aim", "loss", "pareto_front", "pareto_shares"]

Array = NDArray[np.float64]
Aim: TypeAlias = Literal["low", "high", "zero"] | float
"""Less is better, more is better, nearer to 0 is better, or nearer to a number."""

DRAWS: Final = 1000


def loss(x: Array | float, aim: Aim) -> Array:
    """What is to be small.

    Examples
    --------
    >>> float(loss(-2.0, "zero")), float(loss(3.0, 5)), float(loss(3.0, "high"))
    (2.0, 2.0, -3.0)
    """
    values = np.asarray(x, dtype=np.float64)
    if aim == "low":
        return values
    if aim == "high":
        return -values
    return np.abs(values - (0.0 if aim == "zero" else float(aim)))


def pareto_front(losses: Array) -> NDArray[np.bool_]:
    """Rows that no other row beats: nowhere worse, somewhere better.

    Parameters
    ----------
    losses : float64[V, M]
        Small is good.

    Examples
    --------
    >>> import numpy as np
    >>> pareto_front(np.array([[1.0, 3.0], [2.0, 2.0], [2.0, 3.0]])).tolist()
    [True, True, False]
    """
    other, this = losses[None, :, :], losses[:, None, :]
    worse = np.all(other <= this, axis=2) & np.any(other < this, axis=2)
    return np.asarray(~np.any(worse, axis=1))


def pareto_shares(
    table: Sequence[Sequence[Values]], aims: Sequence[Aim], draws: int = DRAWS, seed: int = 0
) -> list[float]:
    """Share of resampled sets of deals in which each variant is on the front.

    Parameters
    ----------
    table : V x M Values
        A row per variant, a column per aim.
    aims : sequence of M aims
    draws, seed : int
    """
    blocks = [[in_blocks(v) for v in row] for row in table]
    n = len(blocks[0][0])
    rng = np.random.default_rng(seed)
    times = np.zeros(len(table))
    for _ in range(draws):
        rows = rng.integers(0, n, n)
        means = np.array([[units[rows].mean() for units in row] for row in blocks])
        columns = [loss(means[:, k], aim) for k, aim in enumerate(aims)]
        times += pareto_front(np.column_stack(columns))
    return [float(t) / draws for t in times]
