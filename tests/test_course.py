"""Lead changes, comebacks and deciding rounds of matches written by hand."""

from __future__ import annotations

import polars as pl
import pytest

from ramisim.analysis.course import courses, totals_by_round
from ramisim.analysis.schema import ROUNDS


def rounds_of(*matches: list[tuple[int, ...]]) -> pl.LazyFrame:
    """Matches as lists of the points of each round, seat by seat."""
    rows = [
        {"deal": deal, "rotation": 0, "seat": seat, "round": n, "points": points}
        for deal, match in enumerate(matches)
        for n, of_round in enumerate(match)
        for seat, points in enumerate(of_round)
    ]
    names = ("deal", "rotation", "seat", "round", "points")
    return pl.LazyFrame(rows, schema={n: ROUNDS[n] for n in names})


def course_of(match: list[tuple[int, ...]]) -> dict[str, int]:
    return courses(rounds_of(match)).drop("deal", "rotation").collect().row(0, named=True)


@pytest.mark.parametrize(
    ("match", "ref"),
    [
        # Leads from the first round to the last.
        ([(10, 0), (0, 5), (3, 0)], {"lead_changes": 0, "comeback": 0, "decided": 1}),
        # Totals 10:0, 10:20, 30:20, 30:50: three changes, behind after two of four? No: ahead.
        ([(10, 0), (0, 20), (20, 0), (0, 30)], {"lead_changes": 3, "comeback": 0, "decided": 4}),
        # Behind at half way, in front after the third round and to the end.
        ([(9, 0), (1, 0), (0, 30), (0, 1)], {"lead_changes": 1, "comeback": 1, "decided": 3}),
        # A tie at the top changes no leader: 5:0, 5:5, 10:5.
        ([(5, 0), (0, 5), (5, 0)], {"lead_changes": 0, "comeback": 0, "decided": 3}),
        # A tie, then the other: one change; level at half way is not behind.
        ([(5, 0), (0, 5), (0, 1), (0, 1)], {"lead_changes": 1, "comeback": 0, "decided": 3}),
        # Level from the start: the first to stand alone has changed nothing.
        ([(4, 4), (4, 4), (1, 0)], {"lead_changes": 0, "comeback": 0, "decided": 3}),
        # Three players, the last one comes from behind.
        ([(9, 5, 0), (1, 9, 0), (0, 0, 40)], {"lead_changes": 2, "comeback": 1, "decided": 3}),
        # Points may be lost.
        ([(30, 0), (-40, -5)], {"lead_changes": 1, "comeback": 1, "decided": 2}),
    ],
)
def test_a_match_by_hand(match: list[tuple[int, ...]], ref: dict[str, int]) -> None:
    got = course_of(match)
    assert {name: got[name] for name in ref} == ref
    assert (got["rounds"], got["sole"], got["long"]) == (len(match), 1, 1)


def test_a_shared_win_has_no_comeback_and_no_deciding_round() -> None:
    got = course_of([(5, 0), (0, 5)])
    assert (got["sole"], got["long"], got["comeback"], got["decided"]) == (0, 0, 0, 0)


def test_a_match_of_one_round_has_no_half_way() -> None:
    got = course_of([(5, 9)])
    assert (got["sole"], got["long"], got["comeback"], got["decided"]) == (1, 0, 0, 1)


def test_matches_do_not_mix_and_the_order_of_the_rows_means_nothing() -> None:
    rows = rounds_of([(5, 0), (0, 9)], [(7, 0), (7, 0)])
    shuffled = rows.collect().sample(fraction=1, shuffle=True, seed=1).lazy()
    assert courses(shuffled).collect().equals(courses(rows).collect())
    assert totals_by_round(shuffled).collect()["leader"].to_list() == [0, 1, 0, 0]
