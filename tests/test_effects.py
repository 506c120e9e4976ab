"""Known effects, interactions and indices put into synthetic numbers come out again."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from ramisim.analysis.effects import Factors, Point, interactions, main_effects, trends
from ramisim.analysis.pareto import loss, pareto_front, pareto_shares
from ramisim.analysis.sensitivity import sobol_indices
from ramisim.analysis.values import Values, combined, interval, jackknifed, ratio

Array = NDArray[np.float64]
FACTORS: Factors = {"gate": ("none", "first"), "ace": (1, 11, 15)}


FLAGGED: Factors = {"size": (0, 20), "swap": (False, True)}


def luck(deals: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(0, 30, deals)


def values(units: Array) -> Values:
    return Values(float(units.mean()), units, len(units))


def crossed(deals: int = 400, noise: float = 2.0) -> dict[Point, Values]:
    """gate: +5; ace: +2 at 11, +3 at 15; both at once (first, 15): 4 more. Shared luck of 30."""
    shared = luck(deals)
    out: dict[Point, Values] = {}
    for k, point in enumerate(itertools.product(*FACTORS.values())):
        gate, ace = point
        mean = 5 * (gate == "first") + {1: 0, 11: 2, 15: 3}[int(ace)]
        mean += 4 * (gate == "first" and ace == 15)
        own = np.random.default_rng(100 + k).normal(0, noise, deals)
        out[point] = values(mean + shared + own)
    return out


def test_ratio_is_the_sum_over_the_sum_with_its_linearised_error() -> None:
    y, n = np.array([3, 0, 5, 8]), np.array([2, 1, 2, 3])
    got = ratio(y, n)
    assert got is not None
    assert got.value == pytest.approx(2.0)
    assert got.units.mean() == pytest.approx(2.0)
    e = y - 2.0 * n
    ref = math.sqrt(4 / 3 * float(e @ e)) / 8
    assert interval(got).se == pytest.approx(ref)
    assert ratio(np.zeros(3), np.zeros(3)) is None


def test_leaving_blocks_out_of_a_mean_gives_the_error_of_the_mean() -> None:
    x = luck(80)
    got = jackknifed(lambda keep: float(x[keep].mean()), 80, 80)
    assert got is not None
    assert got.value == pytest.approx(x.mean())
    blocks = x.reshape(40, 2).mean(axis=1)
    assert interval(got).se == pytest.approx(blocks.std(ddof=1) / math.sqrt(40))


def test_numbers_that_cancel_on_every_deal_differ_by_exactly_nothing() -> None:
    one = values(luck(50) / 3)
    got = interval(combined([1, -1], [one, one]))
    assert (got.value, got.se, got.low, got.high, got.p) == (0, 0, 0, 0, 1)


def test_other_deals_are_not_combined() -> None:
    with pytest.raises(ValueError, match="different deals"):
        combined([1, -1], [values(luck(5)), values(luck(6))])


def test_main_effects_and_their_interaction_are_recovered() -> None:
    table = crossed()
    got = {tuple((c.factor, c.new) for c in e.changes): e for e in main_effects(table, FACTORS)}
    gate = got[("gate", "first"),].found
    # Mean over the aces: 5, 5 and 9.
    assert gate.low is not None
    assert gate.high is not None
    assert gate.se is not None
    assert gate.low < 19 / 3 < gate.high
    assert got[("ace", 11),].found.value == pytest.approx(2.0, abs=0.4)
    assert got[("ace", 15),].found.value == pytest.approx(5.0, abs=0.4)
    assert got[("gate", "first"),].cells == 3
    # Paired on deals: the shared luck of 30 points does not enter the error.
    assert gate.se < 0.15
    both = interactions(table, FACTORS)
    assert [e.cells for e in both] == [1, 1]
    assert both[0].found.value == pytest.approx(0.0, abs=0.6)
    assert not both[0].found.clear
    assert both[1].found.value == pytest.approx(4.0, abs=0.6)
    assert both[1].found.clear


def test_an_effect_takes_the_combinations_that_exist() -> None:
    table = crossed(noise=0.0)
    del table["none", 15]
    got = {e.changes[0].new: e for e in main_effects(table, FACTORS)}
    assert got["first"].cells == 2
    assert got["first"].found.value == pytest.approx(5.0)
    assert got[15].found.value == pytest.approx(7.0)  # first: 5 + 3 + 4 against 5
    assert [e.changes[1].new for e in interactions(table, FACTORS)] == [11]


def test_trends_of_a_sampled_design_run_from_least_to_most() -> None:
    shared = luck(300)
    table: dict[Point, Values] = {
        (x, flag): values(shared + 0.5 * x + 3 * flag)
        for x, flag in [(0, False), (4, True), (7, False), (10, True), (20, False)]
    }
    size, swap = trends(table, FLAGGED)
    assert size.found.value == pytest.approx(10.0)
    assert swap.found.value == pytest.approx(3.0)
    assert size.found.se == pytest.approx(0.0, abs=1e-9)
    assert trends({k: table[k] for k in [(0, False), (4, True)]}, FLAGGED) == []


def ishigami(x: Array) -> Array:
    """A function with indices known in closed form, on [-pi, pi]^3."""
    return np.asarray(
        np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])
    )


def test_sobol_indices_are_those_of_the_closed_form_and_the_noise_is_taken_off() -> None:
    from scipy.stats import qmc

    n, deals = 1024, 40
    both = qmc.Sobol(6, rng=np.random.default_rng(3)).random(n) * 2 * np.pi - np.pi
    a, b = both[:, :3], both[:, 3:]
    rng = np.random.default_rng(8)
    # Noise of a variant's own with variance 2 of the mean, beside luck that is shared.
    shared = rng.normal(0, 20, deals)

    def rows(x: Array) -> list[Values]:
        own = rng.normal(0, math.sqrt(2 * deals), (len(x), deals))
        return [values(f + shared + o) for f, o in zip(ishigami(x), own, strict=True)]

    mixed = {}
    for i, name in enumerate("xyz"):
        other = a.copy()
        other[:, i] = b[:, i]
        mixed[name] = rows(other)
    got = sobol_indices(rows(a), rows(b), mixed)
    assert got.variance == pytest.approx(13.8446, rel=0.1)
    assert got.noise == pytest.approx(2.0, rel=0.15)
    ref = {"x": (0.3139, 0.5576), "y": (0.4424, 0.4424), "z": (0.0, 0.2437)}
    for index in got.indices:
        assert index.first == pytest.approx(ref[index.factor][0], abs=0.06)
        assert index.total == pytest.approx(ref[index.factor][1], abs=0.06)
        assert index.first_low < index.first < index.first_high


def test_nothing_but_noise_has_no_indices() -> None:
    same = [values(np.ones(40)) for _ in range(8)]
    got = sobol_indices(same, same, {"x": same})
    assert (got.variance, got.indices) == (0.0, ())


def test_the_front_is_what_no_other_beats() -> None:
    points = np.array([[1.0, 5.0], [2.0, 2.0], [5.0, 1.0], [3.0, 3.0], [2.0, 2.0], [1.0, 6.0]])
    assert pareto_front(points).tolist() == [True, True, True, False, True, False]


def test_aims_say_which_way_is_good() -> None:
    assert loss(np.array([-3.0, 1.0]), "zero").tolist() == [3, 1]
    assert loss(np.array([-3.0, 1.0]), "high").tolist() == [3, -1]
    assert loss(np.array([38.0, 41.0]), 40).tolist() == [2, 1]


def test_how_often_a_variant_is_on_the_front_is_told_by_the_deals() -> None:
    noise = luck(40) / 30
    better, worse = values(1 + noise), values(9 + noise)
    coin = values(1 + luck(40, seed=1) / 30)
    shares = pareto_shares([[better, better], [worse, worse], [coin, coin]], ["low", "low"])
    assert shares[1] == 0
    assert 0 < shares[0] < 1
    assert 0 < shares[2] < 1
    assert pareto_shares([[better], [worse]], ["low"]) == [1.0, 0.0]


RUNS = 2000


@pytest.mark.slow
def test_intervals_of_a_signal_cover_what_they_say() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(RUNS):
        x = rng.normal(0.2, 1.0, 120)

        def signal(keep: NDArray[np.bool_], x: Array = x) -> float:
            return float(x[keep].mean() / x[keep].std(ddof=1))

        found = jackknifed(signal, len(x), len(x))
        assert found is not None
        got = interval(found)
        assert got.low is not None
        assert got.high is not None
        covered += got.low < 0.2 < got.high
    assert 0.94 <= covered / RUNS <= 0.96


@pytest.mark.slow
def test_effects_that_do_not_exist_are_found_as_rarely_as_they_may() -> None:
    from ramisim.analysis.multiplicity import holm

    alarms, covered = 0, 0
    for run in range(RUNS):
        rng = np.random.default_rng([7, run])
        shared = rng.normal(0, 30, 100)
        table: dict[Point, Values] = {
            point: values(shared + rng.normal(0, 5, 100))
            for point in itertools.product(*FACTORS.values())
        }
        found = main_effects(table, FACTORS) + interactions(table, FACTORS)
        alarms += min(holm([e.found.p or 0.0 for e in found])) < 0.05
        first = found[0].found
        covered += (first.low or 0.0) < 0 < (first.high or 0.0)
    assert alarms / RUNS <= 0.06
    assert 0.94 <= covered / RUNS <= 0.96
