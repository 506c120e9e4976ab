"""Every exact value of the reference file, whose ``meta`` says where each comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ramisim.analysis import gsprt, intervals, planning
from ramisim.analysis.balance import seat_balance
from ramisim.analysis.bands import half_width, rho_for
from ramisim.analysis.brownian import estimate_after_stop
from ramisim.analysis.components import design_effect, intraclass
from ramisim.analysis.estimates import cluster_mean
from ramisim.analysis.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm
from ramisim.analysis.pairs import NELO, elo_student_t, elo_summary
from ramisim.analysis.ratings import ELO, bradley_terry, plackett_luce, winner_logit
from ramisim.analysis.sequential import sprt_bounds, t_sprt_llr
from ramisim.analysis.structure import alpha_rank, max_entropy_nash
from ramisim.analysis.table import chi_square
from ramisim.analysis.testing import mcnemar_chi2, mcnemar_exact

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "statistics.json").read_text(encoding="utf-8")
)


def cases(group: str) -> list[Any]:
    found = VECTORS[group]
    listed = found["cases"] if isinstance(found, dict) else found
    return [pytest.param(case, id=str(case.get("id", i))) for i, case in enumerate(listed)]


def same(ref: object, rel: float = 1e-9, absolute: float = 1e-11) -> object:
    """The file prints twelve figures."""
    return pytest.approx(ref, rel=rel, abs=absolute)


@pytest.mark.parametrize("case", cases("sprt_llr"))
def test_exact_sequential_tests(case: dict[str, Any]) -> None:
    told = case["counts"], case["elo0"], case["elo1"]
    llr = gsprt.gsprt_llr(*told, case["model"])
    assert llr == same(case["exact_llr"])
    if case["published_llr"] is not None:
        assert abs(llr - case["published_llr"]) <= case["published_tol"]
    approximations = {
        "norm_alt_llr": gsprt.normalized_approximate_llr,
        "alt_llr": gsprt.variance_ratio_llr,
        "alt2_llr": gsprt.gaussian_llr,
    }
    for name, function in approximations.items():
        if name in case:
            assert function(*told) == same(case[name])
    lower, upper = sprt_bounds(case["alpha"], case["beta"])
    assert (lower, upper) == same((case["lower"], case["upper"]))
    decision = "H0" if llr <= lower else "H1" if llr >= upper else "continue"
    assert decision == case["decision"]


@pytest.mark.parametrize("case", cases("sprt_llr_cutechess_legacy"))
def test_the_test_of_older_runners(case: dict[str, Any]) -> None:
    counts = case["losses"], case["draws"], case["wins"]
    assert gsprt.legacy_bayes_llr(*counts, case["elo0"], case["elo1"]) == same(case["exact_llr"])
    assert sprt_bounds(case["alpha"], case["beta"]) == same((case["lower"], case["upper"]))


@pytest.mark.parametrize("case", cases("sprt_bounds"))
def test_bounds(case: dict[str, Any]) -> None:
    assert sprt_bounds(case["alpha"], case["beta"]) == same((case["lower"], case["upper"]))


@pytest.mark.parametrize("case", cases("sprt_median_unbiased_estimate"))
def test_estimates_after_a_stop(case: dict[str, Any]) -> None:
    got = estimate_after_stop(
        case["input"]["pentanomial"], case["elo0"], case["elo1"], case["elo_model"]
    )
    assert [got.elo, got.low, got.high] == same([case["elo"], *case["ci95"]])
    assert (got.los, got.llr) == same((case["los"], case["llr"]))


@pytest.mark.parametrize("case", cases("elo_summary"))
def test_elo_summaries(case: dict[str, Any]) -> None:
    got, ref = elo_summary(case["counts"]), case["exact"]
    assert sum(got.counts) == ref["n_units"]
    assert got.score == same(ref["score"])
    assert got.variance == same(ref["variance_per_unit"])
    assert got.se == same(ref["se_score"])
    assert [got.low, got.high] == same(ref["score_ci95"])
    assert got.elo == same(ref["elo"])
    if ref["elo_error"] is None:
        assert got.elo_error is None
    else:
        assert got.elo_error == same(ref["elo_error"])
    assert got.nelo == same(ref["nelo"])
    assert got.nelo_error == same(ref["nelo_error"])
    assert got.los == same(ref["los"], rel=1e-6)
    assert got.draw_ratio == same(ref.get("draw_ratio", ref.get("draw_ratio_pairs")))
    if "pairs_ratio" in ref:
        assert got.pairs_ratio == same(ref["pairs_ratio"])


def test_a_summary_without_variance() -> None:
    (case,) = VECTORS["elo_summary_degenerate"]
    got = elo_summary(case["counts"])
    assert (got.elo, got.nelo, got.se, got.elo_error, got.los) == (0.0, None, 0.0, 0.0, 0.5)


def test_normalized_elo_of_a_standard_deviation() -> None:
    assert pytest.approx(347.43558552260146, rel=1e-15) == NELO


@pytest.mark.parametrize("case", cases("openbench_elo_student_t"))
def test_elo_with_students_t(case: dict[str, Any]) -> None:
    assert elo_student_t(case["counts"]) == same((case["lower"], case["elo"], case["upper"]))


@pytest.mark.parametrize("case", cases("t_sprt_streaming"))
def test_the_t_sprt(case: dict[str, Any]) -> None:
    told = (case[k] for k in ("n", "mean", "var", "t0", "t1"))
    assert t_sprt_llr(*told) == same(case["llr"])


def test_empirical_likelihood() -> None:
    group = VECTORS["empirical_likelihood_gsprt"]
    for case in group["cases"]:
        got = gsprt.empirical_llr(group["x"], case["mu0"], case["mu1"])
        assert got == same(case["llr"])
    check = group["identity_check"]
    counts = check["counts"]
    raw = np.repeat(np.linspace(0, 1, 5), counts)
    s0, s1 = (1 / (1 + 10 ** (-check[k] / 400)) for k in ("elo0", "elo1"))
    assert gsprt.empirical_llr(raw.tolist(), s0, s1) == same(check["el_on_raw"])
    binned = gsprt.gsprt_llr(counts, check["elo0"], check["elo1"], "logistic")
    assert binned == same(check["binned"])


@pytest.mark.parametrize("case", cases("proportion_ci"))
def test_intervals_of_rates(case: dict[str, Any]) -> None:
    k, n = case["k"], case["n"]
    assert intervals.wilson(k / n, n) == same(tuple(case["wilson"]))
    assert intervals.clopper_pearson(k, n) == same(tuple(case["beta"]))
    assert intervals.jeffreys(k, n) == same(tuple(case["jeffreys"]))
    assert intervals.agresti_coull(k, n) == same(tuple(case["agresti_coull"]))


@pytest.mark.parametrize("case", cases("proportion_diff_2indep"))
def test_intervals_of_unpaired_differences(case: dict[str, Any]) -> None:
    told = case["k1"], case["n1"], case["k2"], case["n2"]
    assert intervals.newcombe(*told) == same(tuple(case["newcomb"]))
    assert intervals.agresti_caffo(*told) == same(tuple(case["agresti-caffo"]))
    assert intervals.wald_difference(*told) == same(tuple(case["wald"]))


@pytest.mark.parametrize("case", cases("mcnemar"))
def test_paired_wins(case: dict[str, Any]) -> None:
    (_, only_a), (only_b, _) = case["table"]
    assert mcnemar_exact(only_a, only_b) == same(case["exact_p"])
    assert mcnemar_chi2(only_a, only_b) == same(case["chi2_cc_p"])


def test_goodman() -> None:
    group = VECTORS["multinomial_ci"]
    got = intervals.goodman(group["counts"])
    assert [list(pair) for pair in got] == [same(pair) for pair in group["ci"]]


def test_seats_by_chi_square() -> None:
    group = VECTORS["seat_chi2"]
    assert chi_square(group["counts"]) == same((group["chi2"], group["p"], group["cramers_w"]))


def test_clusters_of_one_size() -> None:
    group = VECTORS["cluster_mean_se"]
    deals = np.repeat(np.arange(group["G"]), group["K"]).tolist()
    got = cluster_mean(group["y"], deals)
    assert got.mean == same(group["mean"])
    assert got.se == same(group["se_cluster_deal_means"])
    assert got.se == same(group["se_statsmodels_cluster"])
    naive = np.std(group["y"], ddof=1) / np.sqrt(len(group["y"]))
    assert naive == same(group["se_naive"])
    assert intraclass(group["y"], deals) == same(group["icc_anova"])
    assert design_effect(group["y"], deals) == same(group["design_effect"])


def test_clusters_of_unequal_size() -> None:
    group = VECTORS["cluster_mean_se_unequal"]
    got = cluster_mean(group["y"], group["groups"])
    assert got.mean == same(group["mean"])
    assert got.se == same(group["se_ratio_linearised"])


def test_asymptotic_confidence_sequences() -> None:
    group = VECTORS["asymp_cs"]
    for case in group["rho"]:
        assert rho_for(case["n_opt"], case["alpha"]) == same(case["rho"])
    for case in group["half_width_unit_sd"]:
        rho = rho_for(case["n_opt"], case["alpha"])
        assert half_width(case["n"], 1.0, rho, case["alpha"]) == same(case["half_width"])


@pytest.mark.parametrize("case", cases("beta_binomial_cs"))
def test_confidence_sequences_of_rates(case: dict[str, Any]) -> None:
    got = intervals.beta_binomial_sequence(case["k"], case["n"], case["alpha"])
    assert got == same(tuple(case["ci"]))


def test_adjusted_p_values() -> None:
    group = VECTORS["multiple_testing"]
    assert holm(group["p"]) == same(group["holm"])
    assert benjamini_hochberg(group["p"]) == same(group["bh"])
    assert benjamini_yekutieli(group["p"]) == same(group["by"])
    assert sum(p <= 0.05 for p in holm(group["p"])) == group["holm_rejected_at_05"]
    rejected = sum(p <= 0.05 for p in benjamini_hochberg(group["p"]))
    assert rejected == group["bh_rejected_at_05"]
    mixed = group["p"][::-1]
    assert holm(mixed) == same(group["holm"][::-1])


def test_bradley_terry() -> None:
    group = VECTORS["bradley_terry"]
    theta = bradley_terry(group["W"])
    assert theta.tolist() == same(group["theta"], rel=1e-8)
    assert (ELO * theta).tolist() == same(group["elo_rel_mean"], rel=1e-8)


def test_plackett_luce() -> None:
    group = VECTORS["plackett_luce"]
    theta, log_likelihood = plackett_luce(
        [r["order"] for r in group["rankings"]], [r["weight"] for r in group["rankings"]]
    )
    assert theta.tolist() == same(group["theta"], rel=1e-8)
    assert log_likelihood == same(group["loglik"], rel=1e-8)


def test_winners_alone_rate_by_the_log_of_their_share() -> None:
    group = VECTORS["plackett_luce_top1"]
    theta, _ = winner_logit([[0, 1, 2, 3]], [group["wins"]], seats=False)
    assert theta.tolist() == same(group["closed_form"], rel=1e-8)
    assert theta.tolist() == same(group["theta"], rel=1e-8)


@pytest.mark.parametrize("case", cases("nash_averaging"))
def test_nash_of_greatest_entropy(case: dict[str, Any]) -> None:
    p = max_entropy_nash(case["A"])
    assert p.tolist() == same(case["p"], absolute=1e-8)
    if "value" in case:
        assert (np.array(case["A"]) @ p).tolist() == same(case["value"], absolute=1e-8)


@pytest.mark.parametrize("case", cases("alpha_rank"))
def test_alpha_rank(case: dict[str, Any]) -> None:
    got = alpha_rank(case["A"], case["alpha"], case["m"])
    assert got.tolist() == same(case["pi"], absolute=1e-10)


def test_planning() -> None:
    group = VECTORS["planning"]
    for case in [*group["mcse_proportion"]]:
        assert planning.rate_error(case["p"], case["n"]) == same(case["mcse"])
    for case in group["n_for_proportion_halfwidth"]:
        assert planning.games_for_rate(case["p"], case["half_width"]) == case["n"]
    for case in group["n_deals_for_paired_diff"]:
        got = planning.deals_for_difference(
            case["sd_pair"], case["delta"], case["alpha"], case["power"]
        )
        assert got == case["n"]
    case = group["morris_coverage_mcse"]
    assert planning.rate_error(case["cover"], case["nsim"]) == same(case["mcse"])


@pytest.mark.parametrize("case", cases("balance_metrics_examples"))
def test_balance_of_seats(case: dict[str, Any]) -> None:
    got = seat_balance(case["seat_win_rates"])
    assert got.discrepancy == same(case["max_discrepancy"])
    assert got.balance == same(case["ludii_balance"])
    assert got.entropy == same(case["entropy_norm"])


def test_measured_gin_rummy_is_consistent_with_our_formulas() -> None:
    """Its pentanomials give its scores, and 1/(1 + rho) its gains, to the figures printed."""
    for row in VECTORS["measured_gin_rummy"]["rows"][1:]:
        assert elo_summary(row["penta"]).score == pytest.approx(row["score"], abs=6e-5)
        assert 1 / (1 + row["rho_points"]) == pytest.approx(row["VRF_points"], rel=5e-3)
        assert 1 / (1 + row["rho_score"]) == pytest.approx(row["VRF_score"], rel=5e-3)


def test_no_group_is_left_out() -> None:
    """Groups of the file that this test does not name belong elsewhere, and are named here."""
    text = Path(__file__).read_text(encoding="utf-8")
    elsewhere = {"meta", "rng_kat"}
    assert {group for group in VECTORS if f'"{group}"' not in text} <= elsewhere
