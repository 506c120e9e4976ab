"""Means, differences, seats, rounds and the gain of a design, on tables made for the purpose."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ramisim.analysis.clusters import Clusters
from ramisim.analysis.crosstable import cross_table
from ramisim.analysis.deals import Deals, collect_deals
from ramisim.analysis.estimates import (
    difference,
    differences,
    estimate_mean,
    estimate_rate,
    rank_intervals,
)
from ramisim.analysis.pairs import elo_summary, pentanomial, trinomial
from ramisim.analysis.rounds import collect_rounds
from ramisim.analysis.runs import Run, open_run
from ramisim.analysis.summary import summarise
from ramisim.analysis.table import design_gain, seat_effect
from synthetic_runs import cyclic, duel, game_rows, round_rows, write_run

Made = Callable[..., tuple[Run, Deals]]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    def make(**options: float) -> tuple[Run, Deals]:
        run = open_run(duel(tmp_path / "run", **options))  # type: ignore[arg-type]
        return run, collect_deals(run)

    return make


def test_the_difference_is_that_of_the_deal_means(made: Made) -> None:
    run, deals = made(deals=80)
    table = (
        run.games.with_columns(pl.col("strategy").cast(pl.String))
        .group_by("deal", "strategy")
        .agg(pl.col("points").mean())
        .collect()
        .pivot("strategy", index="deal", values="points")
    )
    ref = (table["careful"] - table["greedy"]).to_numpy()
    got = difference(deals.clusters("points"), 0, 1)
    assert got.mean == pytest.approx(ref.mean(), rel=1e-12)
    assert got.se == pytest.approx(ref.std(ddof=1) / math.sqrt(len(ref)), rel=1e-12)
    assert got.label == "careful minus greedy"
    assert got.alike == pytest.approx((ref == 0).mean())


def test_games_of_a_deal_are_not_independent(made: Made) -> None:
    """Duplicate deals: the naive error of A minus B is much too large."""
    run, deals = made(deals=300)
    points = run.games.sort("deal", "rotation", "seat").collect()["points"].to_numpy()
    by_game = points.reshape(-1, 2) * np.array([1, -1])
    seating = np.tile([1, -1], 300)
    naive = (by_game.sum(axis=1) * seating).std(ddof=1) / math.sqrt(600)
    paired = difference(deals.clusters("points"), 0, 1).se
    assert paired is not None
    assert 1.8 < naive / paired < 3.0


def test_overlapping_error_bars_are_no_test(made: Made) -> None:
    _, deals = made(deals=300, gap=6.0, noise=5.0)
    left, right = (estimate_mean(deals.clusters("points").moments, k) for k in (0, 1))
    assert left.low is not None
    assert right.high is not None
    assert left.low < right.high
    assert difference(deals.clusters("points"), 0, 1).clear


def test_reversed_is_the_other_side(made: Made) -> None:
    _, deals = made(deals=50)
    points = deals.clusters("points")
    there, back = difference(points, 0, 1), difference(points, 1, 0)
    assert there.reversed() == back


def test_a_strategy_against_itself_differs_by_exactly_nothing(tmp_path: Path) -> None:
    games = game_rows({"greedy": 0.0}, [[0, 0], [0, 0]], 100, noise=0)
    run = open_run(write_run(tmp_path / "r", games, ["greedy", "greedy"], [[0, 1], [1, 0]]))
    deals = collect_deals(run)
    got = difference(deals.clusters("points"), 0, 1)
    assert (got.mean, got.se, got.low, got.high, got.p, got.alike) == (0, 0, 0, 0, 1.0, 1.0)
    assert pentanomial(deals, 0) == (0, 0, 100, 0, 0)
    gain = design_gain(run, deals, 0, 1)
    assert gain is not None
    assert (gain.factor, gain.alike) == (None, 1.0)
    assert gain.rho == pytest.approx(-1.0)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_one_sided_results_are_never_nan(share: float) -> None:
    n = np.full((50, 1), 2)
    moments = Clusters(("a",), n, (n * share).astype(np.int64)).moments
    got = estimate_rate(moments, 0)
    assert got.method == "wilson"
    assert got.low is not None
    assert got.high is not None
    assert 0 <= got.low <= share <= got.high <= 1
    assert got.high - got.low == pytest.approx(0.0713, abs=1e-3)


def test_a_constant_difference_has_no_error_and_no_nan() -> None:
    y = np.array([[3, 1]] * 20)
    got = difference(Clusters(("a", "b"), np.ones_like(y), y), 0, 1)
    assert (got.mean, got.se, got.low, got.high, got.p) == (2.0, 0.0, 2.0, 2.0, 0.0)


def test_one_deal_has_an_estimate_and_no_interval() -> None:
    y = np.array([[3, 1]])
    got = difference(Clusters(("a", "b"), np.ones_like(y), y), 0, 1)
    assert (got.mean, got.se, got.low, got.p) == (2.0, None, None, None)


def test_moments_add_up_like_their_deals() -> None:
    rng = np.random.default_rng(3)
    n, y = rng.integers(1, 4, (90, 3)), rng.integers(-500, 500, (90, 3))
    whole = Clusters(("a", "b", "c"), n, y).moments
    parts = [Clusters(("a", "b", "c"), n[s], y[s]).moments for s in (slice(40), slice(40, 90))]
    assert parts[0] + parts[1] == parts[1] + parts[0] == whole


def test_contrasts_use_the_full_covariance() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(-100, 100, (60, 3)) + rng.integers(-300, 300, (60, 1))
    moments = Clusters(("a", "b", "c"), np.ones_like(y), y).moments
    value, variance = moments.contrast([1, 1, -2])
    ref = y @ np.array([1, 1, -2])
    assert float(value) == pytest.approx(ref.mean())
    assert variance is not None
    assert float(variance) == pytest.approx(ref.var(ddof=1) / 60)


def test_pairs_of_counts(made: Made) -> None:
    run, deals = made(deals=120)
    wins = run.games.filter(pl.col("strategy").cast(pl.String) == "careful").collect()
    lost, drawn, won = trinomial(deals, 0)
    assert won == (wins["won"] == 1).sum()
    assert drawn == (wins["won"] == 0.5).sum()
    assert lost + drawn + won == 240
    cells = pentanomial(deals, 0)
    assert cells is not None
    assert sum(cells) == 120
    assert sum(i * c for i, c in enumerate(cells)) == 2 * won + drawn
    assert elo_summary(cells).score == pytest.approx((won + drawn / 2) / 240)


def test_gain_is_one_over_one_plus_rho(made: Made) -> None:
    run, deals = made(deals=300)
    got = design_gain(run, deals, 0, 1)
    assert got is not None
    assert got.factor is not None
    assert got.rho is not None
    table = run.games.sort("deal", "rotation", "seat").collect()["points"].to_numpy()
    x = table.reshape(-1, 2, 2)
    careful_minus_greedy = np.stack([x[:, 0, 0] - x[:, 0, 1], x[:, 1, 1] - x[:, 1, 0]], axis=1)
    v = careful_minus_greedy.var(axis=0, ddof=1)
    ref = v.sum() / careful_minus_greedy.sum(axis=1).var(ddof=1)
    assert got.factor == pytest.approx(ref, rel=1e-12)
    assert got.factor == pytest.approx(1 / (1 + got.rho), rel=1e-12)


def test_the_gain_of_substitutes_and_of_many_seats(tmp_path: Path) -> None:
    seatings = [[c if s == k else 2 for s in range(3)] for c in (0, 1) for k in range(3)]
    games = game_rows({"a": 3.0, "b": 0.0, "field": 0.0}, seatings, 150, design="substitute")
    run = open_run(
        write_run(tmp_path / "run", games, ["a", "b", "field"], seatings, design="substitute")
    )
    deals = collect_deals(run)
    got = design_gain(run, deals, 0, 1)
    assert got is not None
    assert got.factor is not None
    assert got.factor > 2.5
    table = cross_table(run, deals)
    assert (0, 1) not in table.pairs  # the candidates never meet
    assert math.isnan(table.matrix[0, 1])
    assert table.pairs[0, 2].games == 450


def test_a_design_that_plays_deals_once_has_no_gain(tmp_path: Path) -> None:
    games = game_rows({"a": 3.0, "b": 0.0}, cyclic(2), 40, design="rotate")
    run = open_run(write_run(tmp_path / "r", games, "ab", cyclic(2), design="rotate"))
    deals = collect_deals(run)
    assert deals.coverage.games == 40
    assert pentanomial(deals, 0) is None
    assert design_gain(run, deals, 0, 1) is None


def test_seats_are_held_against_an_equal_share_of_their_number(tmp_path: Path) -> None:
    """Four players: a quarter, not a half."""
    games = game_rows(dict.fromkeys("abcd", 0.0), cyclic(4), 150, seat_bonus=80.0)
    run = open_run(write_run(tmp_path / "run", games, "abcd", cyclic(4)))
    got = seat_effect(run, collect_deals(run))
    assert sum(e.mean for e in got.wins) == pytest.approx(1.0)
    assert got.wins[0].low is not None
    assert got.wins[0].low > 0.25
    assert got.p_deals < 1e-6
    assert got.w == pytest.approx(math.sqrt(got.chi2 / 600))
    assert got.balanced


def test_copies_of_a_game_do_not_count_twice_for_the_seats(tmp_path: Path) -> None:
    games = game_rows({"greedy": 0.0}, [[0, 0], [0, 0]], 200, noise=0)
    run = open_run(write_run(tmp_path / "r", games, ["greedy", "greedy"], [[0, 1], [1, 0]]))
    got = seat_effect(run, collect_deals(run))
    assert got.design_effect == pytest.approx(2.0, abs=0.1)
    assert got.p_deals > got.p


def test_a_fixed_seating_is_called_unbalanced(tmp_path: Path) -> None:
    games = game_rows({"a": 3.0, "b": 0.0}, [[0, 1]], 40, design="fixed")
    run = open_run(write_run(tmp_path / "r", games, "ab", [[0, 1]], design="fixed"))
    assert not seat_effect(run, collect_deals(run)).balanced


def test_rounds_end_and_last_as_counted(made: Made) -> None:
    run, deals = made(deals=60)
    got = collect_rounds(run, deals)
    assert got is not None
    assert run.rounds is not None
    rounds = run.rounds.filter(pl.col("seat") == 0).collect()
    shares = {e.label: e.mean for e in got.ends}
    assert shares["out"] == pytest.approx(
        (rounds["end"].cast(pl.String) == "out").mean(), rel=1e-12
    )
    assert sum(shares.values()) == pytest.approx(1.0)
    turns = (
        run.rounds.group_by("deal", "rotation", "round").agg(pl.col("turns").cast(pl.Int32).sum())
    ).collect()["turns"]
    assert got.rounds == len(turns) == len(rounds)
    assert got.length.mean.mean == pytest.approx(turns.mean(), rel=1e-12)
    assert got.length.sd == pytest.approx(turns.std(), rel=1e-9)
    assert got.length.quantiles[0.5] == turns.quantile(0.5, "lower")
    careful = run.rounds.filter(pl.col("strategy").cast(pl.String) == "careful").collect()
    assert got.habits["laid"][0].mean == pytest.approx(careful["laid"].mean(), rel=1e-12)


def test_capped_rounds_are_an_outcome_with_its_rate(tmp_path: Path) -> None:
    games = game_rows({"a": 3.0, "b": 0.0}, cyclic(2), 30)
    rounds = round_rows(games).with_columns(
        pl.when(pl.col("end").cast(pl.String) == "stock")
        .then(pl.lit("stall"))
        .otherwise(pl.col("end").cast(pl.String))
        .cast(pl.Categorical)
        .alias("end")
    )
    run = open_run(write_run(tmp_path / "run", games, "ab", cyclic(2), rounds=rounds))
    got = collect_rounds(run, collect_deals(run))
    assert got is not None
    assert [e.label for e in got.ends] == ["out", "stall"]
    assert got.rounds == rounds.filter(pl.col("seat") == 0).height


def test_rounds_that_are_not_all_there_shorten_the_rounds_alone(tmp_path: Path) -> None:
    folder = duel(tmp_path / "run", deals=120)
    (folder / "rounds" / "part-000002.parquet").unlink()
    run = open_run(folder)
    deals = collect_deals(run)
    got = collect_rounds(run, deals)
    assert got is not None
    assert (deals.coverage.used, got.deals) == (120, 100)


def test_points_and_wins_may_rank_differently() -> None:
    """Two strategies; a has more points, b more wins: both are shown, each with its sign."""
    points = np.array([[100, 0], [-10, 0], [-10, 0]] * 30)
    wins = np.array([[840, 0], [0, 840], [0, 840]] * 30)
    ones = np.ones_like(points)
    assert difference(Clusters(("a", "b"), ones, points), 0, 1).mean > 0
    assert difference(Clusters(("a", "b"), ones, wins, 840), 0, 1).mean < 0


def test_ranks_that_the_differences_leave_open() -> None:
    y = np.array([[40, 0, 1], [42, 2, 0], [41, 0, 2], [43, 1, 1]] * 25)
    found = differences(Clusters(("a", "b", "c"), np.ones_like(y), y))
    assert all(d.p_holm is not None and d.p is not None and d.p_holm >= d.p for d in found)
    assert rank_intervals(("a", "b", "c"), found) == {"a": (1, 1), "b": (2, 3), "c": (2, 3)}


def test_a_summary_of_every_kind_of_line_up(tmp_path: Path) -> None:
    for seats in (2, 3, 5, 8):
        names = {f"s{i}": 3.0 * i for i in range(seats)}
        games = game_rows(names, cyclic(seats), 12)
        run = open_run(write_run(tmp_path / f"{seats}", games, list(names), cyclic(seats)))
        got = summarise(run)
        assert len(got.board) == seats
        assert sum(r.wins.mean for r in got.board) == pytest.approx(1.0)
        assert len(got.points) == seats * (seats - 1) // 2
        assert (got.cross is None) == (seats == 2)
        assert (got.duel is None) == (seats > 2)


def test_two_against_two_seats_of_the_same_strategies(tmp_path: Path) -> None:
    """Line-up a, b, a, b: unequal seats, several seats of a strategy in one game."""
    seatings = [[0, 1, 0, 1], [1, 0, 1, 0]]
    games = game_rows({"a": 10.0, "b": 0.0}, seatings, 60)
    got = summarise(open_run(write_run(tmp_path / "run", games, "ab", seatings)))
    assert [row.points.games for row in got.board] == [240, 240]
    assert got.duel is None  # Elo belongs to two players
