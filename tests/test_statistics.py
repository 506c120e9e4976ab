"""Sequential tests, ratings, structure, components and controls: properties and traps."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ramisim.analysis import gsprt, intervals, planning
from ramisim.analysis.after_stop import difference_after_stop
from ramisim.analysis.bands import FROM_DEALS, running_mean
from ramisim.analysis.brownian import estimate_after_stop, worse_outcome
from ramisim.analysis.clusters import Clusters
from ramisim.analysis.components import variance_components
from ramisim.analysis.controls import fit_control
from ramisim.analysis.deals import collect_deals
from ramisim.analysis.estimates import Difference, difference
from ramisim.analysis.multiplicity import benjamini_hochberg, holm
from ramisim.analysis.pairs import elo_of_score, elo_summary
from ramisim.analysis.quantiles import ecdf_of_counts, quantile_intervals, quantiles_of_counts
from ramisim.analysis.ratings import ELO, WEAK, bradley_terry, rate_run, winner_logit
from ramisim.analysis.runs import open_run
from ramisim.analysis.sequential import PRESETS, TSprt, deals_for_precision, t_sprt_llr
from ramisim.analysis.special import normal_cdf
from ramisim.analysis.structure import (
    alpha_rank,
    cyclic_share,
    max_entropy_nash,
    win_logit,
)
from ramisim.analysis.testing import equivalence
from synthetic_runs import cyclic, game_rows, write_run

Array = NDArray[np.float64]


def noise(mean: float, n: int, seed: int = 0, sd: float = 1.0) -> Array:
    return np.random.default_rng(seed).normal(mean, sd, n)


# Sequential tests


def test_a_clear_gain_passes_and_a_clear_loss_fails() -> None:
    test = PRESETS["gain"]
    won = test.run(noise(0.3, 5000))
    lost = test.run(noise(-0.3, 5000))
    assert (won.decision, lost.decision) == ("H1", "H0")
    assert won.n >= test.least
    assert won.n % test.batch == 0
    assert won.llr >= won.upper
    assert won.biased
    assert won.path[-1] == (won.n, won.llr)


def test_decision_and_path_do_not_look_ahead() -> None:
    """Deals behind the stop change nothing: the analysis is in deal order."""
    values = noise(0.12, 6000, seed=3)
    whole = TSprt().run(values)
    assert whole.decision == "H1"
    assert TSprt().run(values[: whole.n]) == whole
    assert TSprt().run(np.concatenate([values[: whole.n], noise(-9, 500)])) == whole


def test_too_few_deals_decide_nothing() -> None:
    assert TSprt().run(noise(5.0, 199)).path == ()
    assert TSprt().run(noise(5.0, 199)).decision == "continue"
    assert TSprt().run(np.array([])).decision == "continue"


@pytest.mark.parametrize("value", [0.0, 2.5, -2.5])
def test_a_constant_difference_ends_and_is_never_nan(value: float) -> None:
    """Zero variance: identical strategies are no gain, a constant gap is one at once."""
    got = TSprt().run(np.full(20_000, value))
    assert got.decision == ("H1" if value > 0 else "H0")
    assert math.isfinite(got.llr)
    assert got.n < 2500
    assert got.sd == 0


@given(t=st.floats(-1e6, 1e6), larger=st.floats(0, 1e6), t1=st.floats(0.01, 0.5))
def test_more_effect_is_never_less_evidence(t: float, larger: float, t1: float) -> None:
    assert t_sprt_llr(100, t + larger, 1.0, 0.0, t1) >= t_sprt_llr(100, t, 1.0, 0.0, t1) - 1e-12


def test_at_the_cap_the_test_is_inconclusive() -> None:
    test = TSprt(t0=0.0, t1=0.5, batch=1000)
    assert test.cap == 424
    values = np.tile([1.25, -0.75], 300)  # t = 0.25, right between the two hypotheses
    got = test.run(values)
    assert (got.decision, got.n) == ("inconclusive", 424)
    assert not got.biased
    assert TSprt().cap == 42_400


def test_non_regression_is_satisfied_by_equal_strategies() -> None:
    assert PRESETS["non-regression"].run(noise(0.0, 42_000, seed=1)).decision == "H1"
    assert PRESETS["gain"].run(noise(0.0, 42_000, seed=1)).decision == "H0"


def test_counts_on_one_side_have_a_finite_ratio() -> None:
    for counts in ([0, 0, 500], [500, 0, 0], [0, 0, 0, 0, 300], [0, 0, 300, 0, 0]):
        assert math.isfinite(gsprt.gsprt_llr(counts, 0, 5, "logistic"))
        assert math.isfinite(gsprt.gsprt_llr(counts, 0, 5, "normalized"))
    assert gsprt.gsprt_llr([0, 0, 500], 0, 5, "logistic") > 0
    assert gsprt.gsprt_llr([0, 0, 0, 0, 500], 0, 5, "logistic") > 0


def test_the_ratio_turns_its_sign_with_the_point_of_view() -> None:
    counts = [13, 37, 50, 25, 3]
    there = gsprt.gsprt_llr(counts, -2, 2, "logistic")
    back = gsprt.gsprt_llr(counts[::-1], -2, 2, "logistic")
    assert there == pytest.approx(-back, rel=1e-9)


def test_a_mean_outside_the_values_is_refused() -> None:
    with pytest.raises(ValueError, match="not inside the range"):
        gsprt.empirical_llr([0.0, 1.0, 2.0], 0.5, 3.0)


def test_bayes_elo_is_for_games() -> None:
    with pytest.raises(ValueError, match="three counts"):
        gsprt.gsprt_llr([1, 2, 3, 4, 5], 0, 5, "bayesian")


def test_the_estimate_after_a_stop_is_pulled_back() -> None:
    """Right after a stop the plain estimate is biased outward; this one is not."""
    counts = [10, 60, 180, 100, 25]  # over the upper bound
    assert gsprt.gsprt_llr(counts, 0, 10, "logistic") > 2.944
    got = estimate_after_stop(counts, 0, 10)
    plain = elo_summary(counts)
    assert got.elo is not None
    assert got.low is not None
    assert got.high is not None
    assert plain.elo is not None
    assert got.low < got.elo < plain.elo
    assert got.elo < got.high
    assert got.los > 0.99


def test_outcomes_of_a_brownian_motion_add_up() -> None:
    """Without drift half fail; what is below the top and what has failed is all but the passes."""
    for time in (0.5, 3.0, 40.0):
        ended = worse_outcome(time, -2.0, -2.0, 2.0, 0.0, 1.0)
        middle = worse_outcome(time, 0.0, -2.0, 2.0, 0.0, 1.0)
        nearly = worse_outcome(time, 2.0 - 1e-9, -2.0, 2.0, 0.0, 1.0)
        assert 0 <= ended <= 0.5
        assert middle == pytest.approx(0.5, abs=1e-6)
        assert nearly == pytest.approx(1 - ended, abs=1e-6)
    drift = worse_outcome(500.0, -2.0, -2.0, 2.0, 0.1, 1.0)
    assert drift == pytest.approx(1 / (1 + math.exp(0.2 * 2)), rel=1e-6)


def test_a_strong_drift_meets_the_near_bound_as_if_there_were_no_other() -> None:
    """Waves of e^30 cancelled here: an estimate fell out of its own interval."""
    drift, variance, bound = -0.05 * 0.825, 0.0025, 4.08
    for time in (10.0, 80.0, 99.0, 150.0):
        spread = math.sqrt(variance * time)
        one_bound = normal_cdf((-drift * time - bound) / spread) + math.exp(
            -2 * drift * bound / variance
        ) * normal_cdf((drift * time - bound) / spread)
        got = worse_outcome(time, -bound, -bound, bound, drift, 0.05)
        assert got == pytest.approx(one_bound, rel=1e-9, abs=1e-30)


@pytest.mark.parametrize("effect", [-2.0, -0.8, -0.3, 0.2, 0.9, 3.0])
@pytest.mark.parametrize("least", [25, 200])
def test_a_clear_difference_is_estimated_within_its_interval(effect: float, least: int) -> None:
    test = replace(PRESETS["gain"], least=least)
    values = noise(effect, 3000)
    outcome = test.run(values)
    got = difference_after_stop(outcome, test)
    assert got is not None
    assert got.low < got.median < got.high
    assert got.low < effect < got.high
    if len(outcome.path) == 1:
        assert got.median == got.plain
    else:
        assert abs(got.median) < abs(got.plain)


# Bands


def test_the_band_starts_late_and_narrows() -> None:
    got = running_mean(noise(1.0, 5000), planned=5000)
    assert not got.banded[got.n < FROM_DEALS].any()
    assert got.banded[got.n >= FROM_DEALS].all()
    half = got.half[got.banded]
    assert half[-1] < half[0] / 4
    assert got.mean[-1] == pytest.approx(noise(1.0, 5000).mean())
    assert got.n[-1] == 5000


def test_a_precision_is_reached_by_the_band_not_by_the_interval() -> None:
    values = noise(1.0, 20_000, sd=10.0)
    n = deals_for_precision(values, 0.5, planned=5000)
    assert n is not None
    fixed = 1.96 * 10 / 0.5
    assert n > 2 * fixed**2 / 1.6  # the price of looking all the time
    assert deals_for_precision(values[: n - 1], 0.5, planned=5000) is None
    assert deals_for_precision(np.zeros(150), 0.5, planned=150) == FROM_DEALS


# Intervals and multiplicity


@given(k=st.integers(0, 60), n=st.integers(1, 60))
def test_intervals_of_rates_stay_inside_and_around(k: int, n: int) -> None:
    k = min(k, n)
    for low, high in (
        intervals.wilson(k / n, n),
        intervals.clopper_pearson(k, n),
        intervals.jeffreys(k, n),
        intervals.beta_binomial_sequence(k, n),
    ):
        assert 0 <= low <= high <= 1
        assert not math.isnan(low + high)
    low, high = intervals.wilson(k / n, n)
    assert low <= k / n <= high


def test_rates_of_nothing() -> None:
    assert intervals.wilson(0.0, 0) == (0.0, 1.0)
    assert intervals.goodman([0, 0, 0]) == [(0.0, 1.0)] * 3
    assert intervals.beta_binomial_sequence(0, 0) == (0.0, 1.0)


def test_the_effective_number_of_games() -> None:
    """Two copies of every game are one game."""
    assert intervals.effective_n(0.5, math.sqrt(0.25 / 100), 100) == pytest.approx(100)
    assert intervals.effective_n(1.0, 0.0, 40) == 40


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_adjusting_keeps_order_and_never_helps(p: list[float]) -> None:
    for adjusted in (holm(p), benjamini_hochberg(p)):
        assert all(0 <= a <= 1 and a >= b - 1e-12 for a, b in zip(adjusted, p, strict=True))
        order = np.argsort(p, kind="stable")
        assert (np.diff(np.array(adjusted)[order]) >= -1e-12).all()
    assert all(h >= b - 1e-12 for h, b in zip(holm(p), benjamini_hochberg(p), strict=True))


def test_no_p_values() -> None:
    assert holm([]) == []
    assert benjamini_hochberg([]) == []


# Equivalence and planning


def of(values: Array) -> Difference:
    y = np.stack([(1000 * values).round().astype(np.int64), np.zeros(len(values), np.int64)], 1)
    return difference(Clusters(("a", "b"), np.ones_like(y), y, 1000), 0, 1)


def test_equivalence_needs_a_margin_and_deals() -> None:
    d = of(noise(0.1, 400))
    with pytest.raises(ValueError, match="margin"):
        equivalence(d, 0.0)
    with pytest.raises(ValueError, match="one deal"):
        equivalence(of(np.array([1.0])), 1.0)
    assert equivalence(d, 1.0).equivalent
    assert not equivalence(d, 0.11).equivalent
    wide = equivalence(d, 0.5)
    assert wide.equivalent == (wide.low > -0.5 and wide.high < 0.5)


def test_equal_strategies_are_equivalent_without_variance() -> None:
    got = equivalence(of(np.zeros(10)), 0.5)
    assert (got.p, got.low, got.high, got.equivalent) == (0.0, 0.0, 0.0, True)
    assert not equivalence(of(np.full(10, 2.0)), 0.5).equivalent


def test_planning_says_what_cannot_be_told() -> None:
    assert planning.games_to_tell(10.0, 0.0) is None
    assert planning.games_to_tell(10.0, 1.0) == 271
    with pytest.raises(ValueError, match="smallest one of interest"):
        planning.deals_for_difference(7.0, 0.0)
    length = planning.t_sprt_length(0.0, 0.05)
    assert (length.at_bound, length.between) == (2120, 3480)


# Ratings


def test_a_rating_predicts_its_own_data() -> None:
    theta = np.array([0.8, 0.1, -0.9])
    p = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
    assert bradley_terry((1000 * p).tolist()) == pytest.approx(theta, abs=1e-7)


def test_nobody_is_rated_infinitely() -> None:
    """A player who never wins gets a weak prior; the others keep their order."""
    theta = bradley_terry([[0, 6, 9], [4, 0, 9], [0, 0, 0]])
    assert np.isfinite(theta).all()
    assert theta[0] > theta[1] > theta[2]
    free, _ = winner_logit([[0, 1]], [[7, 3]], seats=False)
    held, _ = winner_logit([[0, 1]], [[7, 3]], seats=False, prior=WEAK)
    assert abs(held[0]) < abs(free[0])


def test_seat_effects_do_not_leak_into_ratings() -> None:
    """Seat 0 wins most; who sits there more often must not look better for it."""
    theta, seat = np.array([0.4, 0.0, -0.4]), np.array([0.6, 0.0, -0.6])
    line_ups = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1]]
    games = np.array([900, 100, 300, 500])
    score = np.exp(theta[np.array(line_ups)] + seat)
    wins = games[:, None] * score / score.sum(axis=1, keepdims=True)
    got, effect = winner_logit(line_ups, wins.tolist())
    assert got == pytest.approx(theta, abs=1e-6)
    assert effect == pytest.approx(seat, abs=1e-6)


def test_the_ratings_of_a_run_with_their_errors(tmp_path: Path) -> None:
    names = {"a": 40.0, "b": 20.0, "c": 0.0}
    games = game_rows(names, cyclic(3), 300, seat_bonus=20.0)
    run = open_run(write_run(tmp_path / "run", games, list(names), cyclic(3)))
    deals = collect_deals(run)
    got = rate_run(run, deals, draws=200)
    assert got.elo.sum() == pytest.approx(0, abs=1e-8)
    assert got.elo[0] > got.elo[1] > got.elo[2]
    assert ((got.low < got.elo) & (got.elo < got.high)).all()
    assert got.seat[0] == max(got.seat)
    again = rate_run(run, deals, draws=200)
    assert (again.se == got.se).all()
    shares = deals.clusters("win").moments
    rough = math.log(float(shares.mean(0)) / float(shares.mean(2))) * ELO
    assert got.elo[0] - got.elo[2] == pytest.approx(rough, rel=0.25)


def test_elo_is_not_made_of_impossible_scores() -> None:
    assert elo_of_score(0.0) is None
    assert elo_of_score(1.0) is None
    assert elo_of_score(0.5) == 0


# Structure


def test_a_rating_explains_a_ladder_and_nothing_of_a_cycle() -> None:
    r = np.array([3.0, 1.0, -4.0])
    ladder = r[:, None] - r[None, :]
    cycle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], dtype=float)
    assert cyclic_share(ladder) == pytest.approx(0, abs=1e-15)
    assert cyclic_share(cycle) == pytest.approx(1)
    assert 0 < cyclic_share(ladder + 2 * cycle) < 1
    assert cyclic_share(np.zeros((3, 3))) == 0


def test_win_rates_become_an_antisymmetric_logit() -> None:
    a = win_logit(np.array([[0.5, 1.0], [0.0, 0.5]]), 100)
    assert np.isfinite(a).all()
    assert a[0, 1] == -a[1, 0] > 0


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10_000))
def test_nothing_gains_from_a_nash_mixture(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.integers(-3, 4, (size, size)).astype(float)
    a = a - a.T
    p = max_entropy_nash(a)
    assert p.sum() == pytest.approx(1)
    assert (p >= 0).all()
    assert (a @ p).max() < 1e-6 * max(1.0, float(np.abs(a).max()))


def test_copies_share_a_place_in_nash() -> None:
    """Of many equal mixtures the most even one: three copies of the winner get a third each."""
    a = np.array([[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1], [-1, -1, -1, 0]], dtype=float)
    assert max_entropy_nash(a) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-7)
    rps = np.array([[0, -1, 1, 0], [1, 0, -1, 1], [-1, 1, 0, -1], [0, -1, 1, 0]], dtype=float)
    p = max_entropy_nash(rps)  # rock stands there twice
    assert p == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 6], abs=1e-6)


def test_alpha_rank_of_one_and_under_any_selection() -> None:
    assert alpha_rank([[0.0]]).tolist() == [1.0]
    for alpha in (1e-9, 1.0, 100.0, 1e4):
        got = alpha_rank([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]], alpha)
        assert got.sum() == pytest.approx(1)
        assert np.isfinite(got).all()
    assert got[0] == pytest.approx(1)


# Components, controls, quantiles


def test_components_come_back(tmp_path: Path) -> None:
    games = game_rows(
        {"a": 50.0, "b": 0.0}, cyclic(2), 1500, luck=40.0, noise=20.0, seat_bonus=20.0, grain=1
    )
    run = open_run(write_run(tmp_path / "run", games, "ab", cyclic(2), chunk=1500))
    got = variance_components(run, collect_deals(run))
    assert got is not None
    assert got.strategy == pytest.approx(25**2, rel=0.1)
    assert got.seat == pytest.approx(10**2, rel=0.3)
    assert got.deal == pytest.approx(40**2, rel=0.1)
    assert got.rest == pytest.approx(20**2, rel=0.1)
    assert 0.2 < got.skill_share < 0.3


def test_components_of_deals_played_once_are_not_made_up(tmp_path: Path) -> None:
    games = game_rows({"a": 5.0, "b": 0.0}, cyclic(2), 20, design="rotate")
    run = open_run(write_run(tmp_path / "run", games, "ab", cyclic(2), design="rotate"))
    assert variance_components(run, collect_deals(run)) is None


def test_a_control_takes_luck_out_and_no_bias_in() -> None:
    rng = np.random.default_rng(5)
    luck = rng.normal(0, 10, 6000)
    gap = 2.0 + 1.5 * luck + rng.normal(0, 5, 6000)
    deals = np.arange(6000, dtype=np.uint64)
    control = fit_control(deals[:1500], gap[:1500], luck[:1500])
    got = control.apply(deals[1500:], gap[1500:], luck[1500:])
    assert control.beta[0] == pytest.approx(1.5, abs=0.05)
    assert got.factor == pytest.approx(10, rel=0.15)
    assert abs(got.mean - 2.0) < 4 * 5 / math.sqrt(4500)
    assert got.raw_mean == gap[1500:].mean()


def test_a_control_is_never_evaluated_on_its_pilot() -> None:
    """Tuned and reported on the same deals, the best of many always looks good."""
    deals = np.arange(100, dtype=np.uint64)
    control = fit_control(deals[:50], noise(0, 50), noise(0, 50, seed=1))
    with pytest.raises(ValueError, match="deal 49 is in the pilot"):
        control.apply(deals[49:], noise(0, 51), noise(0, 51))


def test_a_control_without_spread_does_nothing() -> None:
    deals = np.arange(100, dtype=np.uint64)
    control = fit_control(deals[:50], noise(0, 50), np.zeros(50))
    got = control.apply(deals[50:], np.ones(50), np.zeros(50))
    assert control.beta[0] == 0
    assert got.factor is None
    assert (got.values == 1).all()


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=40))
def test_quantiles_of_counts_are_those_of_the_values(values: list[int]) -> None:
    counts = [(v, values.count(v)) for v in set(values)]
    for q in (0.05, 0.25, 0.5, 0.75, 0.95):
        ref = int(np.quantile(values, q, method="inverted_cdf"))
        assert quantiles_of_counts(counts, [q])[q] == ref
    x, y = ecdf_of_counts(counts)
    assert y[-1] == 1
    assert (np.diff(x) > 0).all()


def test_quantile_intervals_resample_deals() -> None:
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(200), 4)
    values = rng.normal(0, 10, 200)[groups] + rng.normal(0, 1, 800)
    median, low, high = quantile_intervals(values, groups, [0.5], draws=300)[0.5]
    assert low < median < high
    single = quantile_intervals(values, np.arange(800), [0.5], draws=300)[0.5]
    assert high - low > 1.4 * (single[2] - single[1])


def test_sums_do_not_depend_on_the_order_of_parts() -> None:
    """0.1 + 0.2 + 0.3 added in another order is another float; integers are not."""
    rng = np.random.default_rng(11)
    y, n = rng.integers(-900, 900, (500, 2)), rng.integers(1, 5, (500, 2))
    order = rng.permutation(500)
    one, other = (Clusters(("a", "b"), m, v).moments for m, v in ((n, y), (n[order], y[order])))
    assert one == other
    assert one.contrast([1, -1]) == other.contrast([1, -1])


def test_win_rates_of_many_players_are_not_held_against_a_half(tmp_path: Path) -> None:
    games = game_rows(dict.fromkeys("abcd", 0.0), cyclic(4), 200)
    run = open_run(write_run(tmp_path / "run", games, "abcd", cyclic(4)))
    got = rate_run(run, collect_deals(run), draws=100)
    assert (np.abs(got.elo) < 4 * got.se).all()  # near 0, though everybody wins only a quarter
    assert pl.DataFrame({"elo": got.elo})["elo"].is_finite().all()
