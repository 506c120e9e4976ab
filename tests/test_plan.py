"""Planning: the deals follow from the spread of a pilot that no comparison evaluates."""

from __future__ import annotations

import math
from typing import Any

import pytest

from fake_engine import A, B, C
from ramisim.analysis.planning import deals_for_difference, sd_interval
from ramisim.compare import PILOT_FIRST
from ramisim.errors import RunError
from ramisim.planning import Plan, plan
from test_compare import Even, Uneven


def planned(engine: Any = Uneven, **options: Any) -> Plan:
    return plan("rami500", [A, B], **({"detect": 5.0, "seed": 7, "engine": engine} | options))


def test_deals_follow_from_the_pilot() -> None:
    got = planned(power=0.9, within=4.0)
    assert got.games_per_deal == 2
    assert got.sd_low < got.sd < got.sd_high
    fixed, gain, guard, band = got.needs
    z = 1.959963985 + 1.281551566
    assert fixed.deals == math.ceil((z * got.sd / 5.0) ** 2)
    assert fixed.deals == deals_for_difference(got.sd, 5.0, 0.05, 0.9)
    assert (gain.option, guard.option) == ("--test gain", "--test non-regression")
    # Tuned for its own end, the band takes about 9.1 / 3.84 times the deals of an interval.
    assert band.deals == pytest.approx((1.96 * got.sd / 4.0) ** 2 * 2.33, rel=0.05)


def test_twice_as_fine_takes_four_times_as_long() -> None:
    coarse, fine = planned(detect=4.0).needs[0], planned(detect=2.0).needs[0]
    assert fine.deals == pytest.approx(4 * coarse.deals, abs=4)


def test_the_pilot_lies_apart() -> None:
    asked: list[int] = []

    class Noting(Uneven):
        def play(self, first_deal: int, *args: Any, **named: Any) -> Any:
            asked.append(first_deal)
            return super().play(first_deal, *args, **named)

    planned(Noting)
    assert min(asked) >= PILOT_FIRST


def test_strategies_that_play_alike_need_no_deals() -> None:
    got = plan("rami500", [A, A], detect=1.0, engine=Even)
    assert got.sd == 0
    assert got.needs[0].deals == 2
    assert got.factor_high == 1


def test_the_interval_of_a_standard_deviation() -> None:
    low, high = sd_interval(10.0, 200)
    assert (low, high) == pytest.approx((9.107, 11.089), abs=0.002)


@pytest.mark.parametrize(
    ("strategies", "options", "says"),
    [
        ([A, B, C], {}, "two strategies, 3"),
        ([A, B], {"detect": 0.0}, "above 0"),
        ([A, B], {"within": -1.0}, "above 0"),
    ],
)
def test_what_cannot_be_planned(strategies: list[Any], options: Any, says: str) -> None:
    with pytest.raises(RunError, match=says):
        plan("rami500", strategies, **({"detect": 2.0, "engine": Uneven} | options))
