"""Who meets whom in a tournament, and the brackets of knock-outs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import factorial

import numpy as np
import pytest

from ramisim.brackets import bracket
from ramisim.errors import RunError
from ramisim.line_ups import balanced_blocks, circular_orders, field_line_ups, round_robin


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("strategies", [3, 5, 8, 10, 13])
def test_everybody_meets_everybody_equally_often(strategies: int, seats: int) -> None:
    table = round_robin(strategies, seats)
    if strategies > seats:
        meetings = table.meetings()
        assert len(meetings) == strategies * (strategies - 1) // 2
        assert len(set(meetings.values())) == 1
        assert all(len(set(row)) == seats for row in table.table)
    times = Counter(k for row in table.table for k in row)
    assert set(times) == set(range(strategies))
    assert len(set(times.values())) == 1
    assert len(set(table.table)) == len(table.table)


@pytest.mark.parametrize(("strategies", "seats"), [(2, 4), (3, 4), (4, 4), (6, 3), (9, 4)])
def test_every_strategy_sits_in_every_seat_on_every_deal(strategies: int, seats: int) -> None:
    table = round_robin(strategies, seats)
    for deal in range(7):
        sat: list[Counter[int]] = [Counter() for _ in range(seats)]
        for line_up in range(len(table.table)):
            for rotation in range(seats):
                rows = table.seatings(line_up, rotation)
                for seat, k in enumerate(rows[deal % len(rows)]):
                    sat[seat][int(k)] += 1
        assert len(sat[0]) == strategies
        assert all(seat == sat[0] for seat in sat)


def test_blocks_are_fewer_than_all_line_ups_where_a_design_exists() -> None:
    # Two well-known designs: the Fano plane, and the Steiner quadruple system of 8.
    fano = balanced_blocks(7, 3)
    assert len(fano) == 7
    assert all(len(set(a) & set(b)) == 1 for a, b in combinations(fano, 2))
    assert len(round_robin(8, 4).table) == 14
    assert len(round_robin(8, 4, "all").table) == 70
    assert round_robin(6, 3, "all").kind == "all"


@pytest.mark.parametrize("seats", range(2, 7))
def test_circular_orders_are_all_there_once(seats: int) -> None:
    orders = circular_orders(seats)
    assert len(orders) == factorial(seats - 1)
    assert len({tuple(row) for row in orders}) == len(orders)
    assert (orders[:, 0] == 0).all()
    assert (np.sort(orders, axis=1) == np.arange(seats)).all()
    after = Counter(
        (int(a), int(b)) for row in orders for a, b in zip(row, np.roll(row, -1), strict=True)
    )
    assert len(after) == seats * (seats - 1)
    assert len(set(after.values())) == 1


def test_a_gauntlet_gives_every_candidate_the_same_opponents() -> None:
    table = field_line_ups(3, 4, 3)
    others = [{row[1:] for row in table.table if row[0] == k} for k in range(3)]
    assert others[0] == others[1] == others[2] == set(combinations(range(3, 7), 2))
    assert field_line_ups(1, 1, 4).table == ((0, 1, 1, 1),)
    many = field_line_ups(2, 11, 5)
    assert len(many.table) < 2 * 330
    assert len({n for pair, n in many.meetings().items() if pair[0] >= 2}) == 1


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: round_robin(1, 2), "two strategies"),
        (lambda: round_robin(5, 2, "some"), "unknown line-ups 'some'"),
        (lambda: round_robin(20, 8, "all"), "at most 4096"),
        (lambda: field_line_ups(0, 3, 2), "a candidate"),
        (lambda: bracket(1, 4), "1 entrants"),
        (lambda: bracket(8, 4, advance=4), "1 to 3 go on"),
        (lambda: bracket(8, 4, final="both"), "last-one or single"),
        (lambda: bracket(10, 8, fewest=5, advance=2), "too few for a final table when 2 go on"),
    ],
)
def test_what_cannot_be_arranged_is_said(call: object, told: str) -> None:
    assert callable(call)
    with pytest.raises(RunError, match=told):
        call()


@pytest.mark.parametrize("final", ["last-one", "single"])
@pytest.mark.parametrize("seats", [2, 3, 4, 8])
@pytest.mark.parametrize("entrants", [2, 3, 5, 9, 16, 37, 255])
def test_brackets_lose_players_until_one_is_left(entrants: int, seats: int, final: str) -> None:
    tree = bracket(entrants, seats, final=final)
    players = entrants
    for stage in tree.stages:
        assert stage.players == players
        assert all(2 <= size <= seats for size in stage.sizes)
        assert max(stage.sizes) - min(stage.sizes) <= 1
        assert stage.byes == 0 or seats == 2
        assert all(1 <= n < size for n, size in zip(stage.going_on, stage.sizes, strict=True))
        assert stage.final == (players <= seats)
        players = stage.left
    assert players == 1
    finals = [stage for stage in tree.stages if stage.final]
    assert all(len(stage.sizes) == 1 for stage in finals)
    expected = 1 if final == "single" else finals[0].players - 1
    assert len(finals) == expected


def test_awkward_numbers_of_players() -> None:
    assert [s.sizes for s in bracket(5, 4).stages] == [(3, 2), (3,), (2,)]
    assert [s.sizes for s in bracket(6, 4, advance=1).stages] == [(3, 3), (2,)]
    assert [(s.sizes, s.byes) for s in bracket(5, 2).stages] == [
        ((2, 2), 1), ((2,), 1), ((2,), 0),
    ]  # fmt: skip
    # Rules for five and more: one of nine sits out where two tables of five cannot be.
    tree = bracket(9, 8, fewest=5)
    assert (tree.stages[0].sizes, tree.stages[0].byes) == ((8,), 1)
    assert tree.stages[-1].sizes == (5,)
    assert tree.matches == sum(len(stage.sizes) for stage in tree.stages)
