"""Surveys: how rounds of a rule set go when the same strategy sits in every seat.

A survey run is a line-up of one strategy with its rounds kept; each gives one `Cell`, and cells of
many rule sets make a table. The deal is the cluster, as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ramisim.analysis import schema
from ramisim.analysis.clusters import Clusters
from ramisim.analysis.deals import joined
from ramisim.analysis.estimates import (
    Difference,
    Estimate,
    difference,
    estimate_mean,
    estimate_rate,
)
from ramisim.analysis.runs import Run, reading
from ramisim.errors import RunError

__all__ = ["HEAD", "Cell", "into_page", "markdown", "survey_cell", "survey_frame", "texts"]

_SUMS: Final = ("rounds", "seats", "turns", "points", "first_points", "laid", "opened", "ramis")


@dataclass(frozen=True)
class Cell:
    """Rounds of one rule set at one number of seats, all seats played by one strategy.

    Parameters
    ----------
    rules, strategy : str
    players, matches, rounds : int
        Seats, and how many matches and rounds were played.
    ends : dict of str to Estimate
        Share of rounds by end reason (``schema.END_REASONS``), all of them.
    match_length : Estimate
        Rounds a match.
    turns : Estimate
        Turns of one player in a round.
    points, laid : Estimate
        Points of one player in a round, and those laid on the table.
    opened : Estimate
        Share of players who laid a meld in the round.
    ramis : Estimate
        Players who went out in one turn, a round.
    first : Difference
        Points of the seat that begins a round minus the mean of the other seats.
    """

    rules: str
    strategy: str
    players: int
    matches: int
    rounds: int
    ends: dict[str, Estimate]
    match_length: Estimate
    turns: Estimate
    points: Estimate
    laid: Estimate
    opened: Estimate
    ramis: Estimate
    first: Difference


def survey_cell(run: Run, level: float = 0.95) -> Cell:
    """The figures of a survey run.

    Parameters
    ----------
    run : Run
        One strategy in every seat, rounds kept.
    level : float
        Of the intervals.

    Raises
    ------
    RunError
        The run kept no rounds, has several strategies, or its parts cannot be read.
    """
    names = {entry.name for entry in run.manifest.entries}
    if run.rounds is None or len(names) != 1:
        raise RunError(f"{run.path}: a survey needs one strategy in every seat and kept rounds")
    with reading(run.path):
        sums = joined([_by_deal(batch) for batch in run.round_batches()], ("deal",))
    return _cell(run, names.pop(), sums, level)


def _by_deal(rounds: pl.LazyFrame) -> pl.DataFrame:
    """Integer sums per deal: the columns of ``_SUMS`` and the ends."""
    rows = rounds.with_columns(end=pl.col("end").cast(pl.String))
    one = pl.col("seat") == 0
    ends = [(one & (pl.col("end") == end)).sum().alias(end) for end in schema.END_REASONS]
    sums = (
        rows.group_by("deal")
        .agg(
            one.sum().alias("rounds"),
            pl.len().alias("seats"),
            pl.col("turns").cast(pl.Int64).sum(),
            pl.col("points").cast(pl.Int64).sum(),
            pl.col("points").filter(pl.col("first")).cast(pl.Int64).sum().alias("first_points"),
            pl.col("laid").cast(pl.Int64).sum(),
            (pl.col("opened_turn") > 0).sum().alias("opened"),
            pl.col("rami").sum().alias("ramis"),
            *ends,
        )
        .collect(engine="streaming")
    )
    return sums.with_columns(pl.exclude("deal").cast(pl.Int64))


def _cell(run: Run, strategy: str, sums: pl.DataFrame, level: float) -> Cell:
    column: dict[str, NDArray[np.int64]] = {
        name: sums[name].to_numpy() for name in (*_SUMS, *schema.END_REASONS)
    }
    matches = len(sums)
    rounds, seats = column["rounds"], column["seats"]
    ends = np.stack([column[end] for end in schema.END_REASONS], axis=1)
    by_end = _clusters(schema.END_REASONS, np.repeat(rounds[:, None], ends.shape[1], 1), ends)
    first = np.stack([rounds, seats - rounds], axis=1)
    rest = column["points"] - column["first_points"]
    by_seat = _clusters(
        ("first seat", "other seats"), first, np.stack([column["first_points"], rest], axis=1)
    )

    def mean(label: str, of: NDArray[np.int64]) -> Estimate:
        return estimate_mean(_one(label, of, column[label]), 0, level)

    return Cell(
        rules=run.manifest.rules,
        strategy=strategy,
        players=run.manifest.players,
        matches=matches,
        rounds=int(rounds.sum()),
        ends={
            end: estimate_rate(by_end.moments, k, level) for k, end in enumerate(schema.END_REASONS)
        },
        match_length=mean("rounds", np.ones(matches, np.int64)),
        turns=mean("turns", seats),
        points=mean("points", seats),
        laid=mean("laid", seats),
        opened=estimate_rate(_one("opened", seats, column["opened"]), 0, level),
        ramis=mean("ramis", rounds),
        first=difference(by_seat, 0, 1, level),
    )


def _clusters(labels: Sequence[str], n: NDArray[Any], y: NDArray[Any]) -> Clusters:
    return Clusters(tuple(labels), n, y)


def _one(label: str, n: NDArray[Any], y: NDArray[Any]) -> Any:
    return _clusters((label,), n[:, None], y[:, None]).moments


def survey_frame(cells: Sequence[Cell]) -> pl.DataFrame:
    """One row a cell: shares, means, and the first seat's edge with its interval."""
    return pl.DataFrame([_row(cell) for cell in cells])


def _row(cell: Cell) -> dict[str, Any]:
    return {
        "rules": cell.rules,
        "seats": cell.players,
        "rounds": cell.rounds,
        "rounds_a_match": cell.match_length.mean,
        **{end: estimate.mean for end, estimate in cell.ends.items()},
        "turns": cell.turns.mean,
        "points": cell.points.mean,
        "laid": cell.laid.mean,
        "opened": cell.opened.mean,
        "ramis": cell.ramis.mean,
        "first": cell.first.mean,
        "first_low": cell.first.low,
        "first_high": cell.first.high,
    }


BEGIN: Final = "<!-- survey -->"
END: Final = "<!-- end of survey -->"

HEAD: Final = (
    "rules", "seats", "rounds", "a match", *(f"{end} %" for end in schema.END_REASONS), "turns",
    "points", "laid", "opened %", "Rami %", "first seat",
)  # fmt: skip


def texts(cell: Cell) -> list[str]:
    """The row of a cell as it is shown, in the order of the head of the table."""
    first = f"{cell.first.mean:+.2f}"
    if cell.first.high is not None:
        first += f" ± {cell.first.high - cell.first.mean:.2f}"
    return [
        cell.rules,
        str(cell.players),
        f"{cell.rounds:,}",
        f"{cell.match_length.mean:.1f}",
        *(_percent(estimate.mean) for estimate in cell.ends.values()),
        f"{cell.turns.mean:.1f}",
        f"{round(cell.points.mean, 1) + 0.0:+.1f}",  # shares rounded down: -0.02 is +0.0
        f"{cell.laid.mean:.1f}",
        _percent(cell.opened.mean),
        _percent(cell.ramis.mean),
        first,
    ]


def _percent(share: float) -> str:
    """A share in percent; nothing at all is told from next to nothing."""
    if share == 0:
        return "-"
    return "<0.01" if share < 0.0001 else f"{100 * share:.{2 if share < 0.01 else 1}f}"


def markdown(cells: Sequence[Cell]) -> str:
    """The cells as a table of a page."""
    lines = [_line(HEAD), _line(["---"] + ["---:"] * (len(HEAD) - 1))]
    return "\n".join([*lines, *(_line(texts(cell)) for cell in cells)]) + "\n"


def _line(words: Sequence[str]) -> str:
    return "| " + " | ".join(words) + " |"


def into_page(page: str, table: str) -> str:
    r"""The page with the table between its two marks; a page without them is the table alone.

    Examples
    --------
    >>> into_page("a\n<!-- survey -->\nold\n<!-- end of survey -->\nb", "new\n")
    'a\n<!-- survey -->\nnew\n<!-- end of survey -->\nb'
    """
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    return f"{head}{begin}\n{table}{end}{tail}" if begin and end else table
