from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from ramisim.designs import DESIGNS, line_up, seatings
from ramisim.errors import RunError


def rows(design: str, *players: int, against: tuple[int, ...] = ()) -> list[list[int]]:
    table = seatings(design, players, against).table
    assert table.dtype == np.int8
    return table.tolist()  # type: ignore[no-any-return]


def test_fewer_strategies_than_seats_are_repeated() -> None:
    assert line_up(2, 4) == [0, 1, 0, 1]
    assert line_up(2, 3) == [0, 1, 0]
    assert line_up(3, 3) == [0, 1, 2]
    assert line_up(1, 2) == [0, 0]


@pytest.mark.parametrize("number", [0, 3])
def test_a_line_up_that_does_not_fit_is_refused(number: int) -> None:
    with pytest.raises(RunError, match=f"{number} strategies do not fit 2 seats"):
        line_up(number, 2)


def test_fixed_is_the_line_up() -> None:
    assert rows("fixed", 0, 1, 2) == [[0, 1, 2]]


@pytest.mark.parametrize("design", ["rotate", "duplicate"])
def test_rotations_are_cyclic(design: str) -> None:
    assert rows(design, 0, 1, 2) == [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
    assert rows(design, 0, 1) == [[0, 1], [1, 0]]


@pytest.mark.parametrize("n", range(2, 9))
def test_everybody_sits_everywhere_once(n: int) -> None:
    table = seatings("duplicate", range(n)).table
    for lines in (table, table.T):
        assert (np.sort(lines, axis=1) == np.arange(n)).all()


def test_rotations_of_a_repeated_line_up_are_all_kept() -> None:
    assert rows("duplicate", 0, 1, 0, 1) == [[0, 1, 0, 1], [1, 0, 1, 0]] * 2


def test_permute_has_all_orders() -> None:
    assert rows("permute", 0, 1, 2) == [list(order) for order in permutations(range(3))]
    assert len(rows("permute", *range(5))) == 120


def test_permutations_that_no_run_can_hold_are_refused() -> None:
    with pytest.raises(RunError, match="720 seatings here and a run holds at most 256"):
        seatings("permute", range(6))


def test_substitute_puts_each_candidate_in_every_seat_before_the_same_opponents() -> None:
    got = rows("substitute", 0, 1, against=(2, 3))
    assert got == [[0, 2, 3], [1, 2, 3], [3, 0, 2], [3, 1, 2], [2, 3, 0], [2, 3, 1]]
    candidates_away = [[-1 if who < 2 else who for who in row] for row in got]
    assert candidates_away[::2] == candidates_away[1::2]


def test_an_unknown_design_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(RunError, match=f"'round-robin': choose one of {', '.join(DESIGNS)}"):
        seatings("round-robin", [0, 1])


@pytest.mark.parametrize("design", ["rotate", "duplicate", "fixed", "permute"])
def test_keys_are_sorted_by_deal_rotation_and_seat(design: str) -> None:
    table = seatings(design, [0, 1, 2])
    ref = [
        (deal, rotation, seat)
        for deal in range(7, 12)
        for rotation in (range(len(table.table)) if table.every else [deal % 3])
        for seat in range(3)
    ]
    deal, rotation, seat = table.keys(7, 5)
    assert list(zip(deal.tolist(), rotation.tolist(), seat.tolist(), strict=True)) == ref
    assert [keys.dtype.str for keys in (deal, rotation, seat)] == ["<u8", "|u1", "|u1"]
    assert len(ref) == 5 * table.games_per_deal * table.seats
