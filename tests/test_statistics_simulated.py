"""Promises of the statistics, kept in simulated runs: coverage and false alarms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from ramisim.analysis.after_stop import difference_after_stop
from ramisim.analysis.bands import FROM_DEALS, half_width, rho_for
from ramisim.analysis.clusters import Clusters
from ramisim.analysis.estimates import difference, estimate_rate
from ramisim.analysis.sequential import PRESETS, TSprt
from ramisim.analysis.stopping import StopRule, Watch

pytestmark = pytest.mark.slow

RUNS = 2000


def deal_differences(rng: np.random.Generator, n: int, mean: float = 0.0) -> NDArray[np.float64]:
    """Like rummy: most deals of near-equal players cancel, the others differ by a lot."""
    differs = rng.random(n) < 0.3
    return np.where(differs, rng.normal(0, 60, n).round(), 0.0) + mean


@pytest.mark.parametrize("preset", ["gain", "non-regression"])
def test_false_alarms_of_the_sequential_test(preset: str) -> None:
    test = PRESETS[preset]
    rng = np.random.default_rng(17)
    sd = 60 * math.sqrt(0.3)
    alarms = {"H0": 0, "H1": 0}
    for truth, wrong in ((test.t0, "H1"), (test.t1, "H0")):
        for _ in range(RUNS):
            got = test.run(deal_differences(rng, 12_000, truth * sd))
            alarms[wrong] += got.decision == wrong
    assert alarms["H1"] / RUNS <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / RUNS)
    assert alarms["H0"] / RUNS <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / RUNS)


def test_a_planned_length_is_about_right() -> None:
    """5.3/t1² deals at a bound."""
    rng = np.random.default_rng(23)
    test = TSprt()
    n = [test.run(rng.normal(0.05, 1, 20_000)).n for _ in range(600)]
    assert np.mean(n) == pytest.approx(5.3 / 0.05**2, rel=0.1)


def test_a_watched_band_misses_seldom_and_a_watched_interval_half_the_time() -> None:
    rng = np.random.default_rng(29)
    n_max, looks = 5000, np.unique(np.geomspace(FROM_DEALS, 5000, 150).astype(int))
    rho = rho_for(n_max)
    missed = {"band": 0, "interval": 0}
    for _ in range(RUNS):
        x = deal_differences(rng, n_max)
        mean = np.cumsum(x)[looks - 1] / looks
        sd = np.sqrt(np.cumsum(x**2)[looks - 1] / looks - mean**2)
        half = np.array([half_width(n, s, rho) for n, s in zip(looks, sd, strict=True)])
        missed["band"] += bool((np.abs(mean) > half).any())
        missed["interval"] += bool((np.abs(mean) > 1.96 * sd / np.sqrt(looks)).any())
    assert missed["band"] / RUNS <= 0.05
    assert missed["interval"] / RUNS > 0.25


def test_intervals_of_differences_cover() -> None:
    rng = np.random.default_rng(31)
    inside = 0
    for _ in range(RUNS):
        y = np.stack([deal_differences(rng, 400, 5.0), np.zeros(400)], axis=1).astype(np.int64)
        got = difference(Clusters(("a", "b"), np.ones_like(y), y), 0, 1)
        assert got.low is not None
        assert got.high is not None
        inside += got.low <= 5.0 <= got.high
    assert 0.94 <= inside / RUNS <= 0.96


def test_intervals_of_clustered_rates_cover() -> None:
    """Two games of a deal that go the same way 60 % of the time."""
    rng = np.random.default_rng(37)
    inside = 0
    for _ in range(RUNS):
        first = rng.random(500) < 0.3
        second = np.where(rng.random(500) < 0.6, first, rng.random(500) < 0.3)
        wins = (first.astype(np.int64) + second).reshape(-1, 1)
        got = estimate_rate(Clusters(("a",), np.full_like(wins, 2), wins).moments, 0)
        assert got.low is not None
        assert got.high is not None
        inside += got.low <= 0.3 <= got.high
    assert 0.94 <= inside / RUNS <= 0.96


@pytest.mark.parametrize("effect", [0.0, 0.05, 0.1, 0.2, 0.8])
def test_estimates_after_a_stop_cover_and_the_plain_mean_leans(effect: float) -> None:
    rng = np.random.default_rng(41)
    test, truth = PRESETS["gain"], 30.0 * effect
    inside = above = 0
    passed: list[float] = []
    for _ in range(RUNS):
        outcome = test.run(rng.normal(truth, 30.0, 9_000))
        got = difference_after_stop(outcome, test)
        assert got is not None
        inside += got.low <= truth <= got.high
        above += got.median > truth
        if outcome.decision == "H1":
            passed.append(got.plain)
    # The first look and the steps of 25 deals make it a little wide, never narrow.
    assert inside / RUNS >= 0.94
    assert abs(above / RUNS - 0.5) < 0.08
    # Those that passed look better than they are, but where all do: the plain mean is no estimate.
    assert np.mean(passed) > truth + 0.2 or effect > 0.1


def test_a_run_stopped_by_its_precision_is_covered_by_its_band() -> None:
    rng = np.random.default_rng(43)
    missed = late = 0
    for _ in range(RUNS):
        watch = Watch(StopRule.precise(2.0, 33.0, most=20_000))
        while watch.ended is None:
            watch.add(deal_differences(rng, 500, 1.0).reshape(1, -1))
        missed += abs(float(watch.means()[0]) - 1.0) > float(watch.halves()[0])
        late += watch.ended >= 20_000
    assert missed / RUNS <= 0.05
    assert late == 0


def test_the_best_of_many_is_a_winner_only_on_its_own_deals() -> None:
    """Twenty equal strategies: the best of them is judged on deals it was not chosen on."""
    rng = np.random.default_rng(47)
    same = fresh = 0
    for _ in range(RUNS):
        chosen_on = rng.normal(0, 30, (20, 200))
        best = int(chosen_on.mean(axis=1).argmax())
        for deals, fooled in ((chosen_on[best], "same"), (rng.normal(0, 30, 200), "fresh")):
            y = np.stack([deals.round(), np.zeros(200)], axis=1).astype(np.int64)
            clear = difference(Clusters(("a", "b"), np.ones_like(y), y), 0, 1).clear
            same += clear and fooled == "same"
            fresh += clear and fooled == "fresh"
    assert same / RUNS > 0.3
    assert fresh / RUNS <= 0.06
