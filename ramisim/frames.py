"""Arrays of the engine become the frames of the result tables (contracts 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ramisim.analysis.schema import END_REASONS, GAMES, ROUNDS

__all__ = ["empty_frame", "games_frame", "rounds_frame", "tournament_frame"]


def games_frame(rows: npt.NDArray[Any], strategies: Sequence[str]) -> pl.DataFrame:
    """The games table of some rows.

    Parameters
    ----------
    rows : numpy.ndarray
        Structured array with the columns of ``GAMES``; ``strategy`` is an index.
    strategies : sequence of str
        Name of each strategy.

    Returns
    -------
    polars.DataFrame
        Schema ``GAMES``, rows in the order given.
    """
    return _frame(rows, GAMES, {"strategy": strategies})


def rounds_frame(rows: npt.NDArray[Any], strategies: Sequence[str]) -> pl.DataFrame:
    """The rounds table of some rows, like `games_frame`; ``end`` is an index of ``END_REASONS``."""
    return _frame(rows, ROUNDS, {"strategy": strategies, "end": END_REASONS})


def tournament_frame(
    rows: npt.NDArray[Any], strategies: Sequence[str], schema: pl.Schema
) -> pl.DataFrame:
    """A table of a tournament, ``LINE_UP_GAMES``, ``LINE_UP_ROUNDS`` or ``EVENT_GAMES``."""
    return _frame(rows, schema, {"strategy": strategies, "end": END_REASONS})


def empty_frame(table: str) -> pl.DataFrame:
    """A frame of ``games`` or ``rounds`` without rows."""
    return pl.DataFrame(schema=GAMES if table == "games" else ROUNDS)


def _frame(
    rows: npt.NDArray[Any], schema: pl.Schema, words: dict[str, Sequence[str]]
) -> pl.DataFrame:
    columns = []
    for name, dtype in schema.items():
        values = np.ascontiguousarray(rows[name])
        if name in words:
            columns.append(pl.Series(name, words[name], dtype=dtype).gather(values))
        else:
            columns.append(pl.Series(name, values).cast(dtype))
    return pl.DataFrame(columns)
