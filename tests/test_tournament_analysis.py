"""Analysis of tournaments: payoffs by hand, reference values, ratings, cycles, lotteries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from ramisim.analysis.deals import collect_deals
from ramisim.analysis.knockouts import summarise_knock_outs
from ramisim.analysis.meetings import Meetings, SeatedGames, meetings, resampled, seated_games
from ramisim.analysis.multiplicity import holm
from ramisim.analysis.ratings import ELO, bradley_terry, rate_run, winner_logit
from ramisim.analysis.runs import Run, open_run, run_in_memory
from ramisim.analysis.schema import LINE_UP_GAMES, WIN_UNIT
from ramisim.analysis.standing import Lottery, cyclic_noise, effective_winners, lotteries, structure
from ramisim.analysis.structure import max_entropy_nash
from ramisim.analysis.table_ratings import rate_tables, slopes
from ramisim.analysis.tournament import summarise_tournament
from ramisim.errors import RunError
from ramisim.tournament import knock_out, tournament
from synthetic_runs import duel
from table_engine import factory, stubs

NAMES = ("anna", "bert", "cleo", "dora")
VECTORS = json.loads((Path(__file__).parent / "data" / "statistics.json").read_text())
BEATS = {("anna", "bert"): 60.0, ("bert", "cleo"): 60.0, ("cleo", "anna"): 60.0}


def played(names: Sequence[str] = NAMES, deals: int = 80, seed: int = 5, **options: Any) -> Run:
    engine = factory(
        options.pop("strength", None), options.pop("gains", None),
        options.pop("seats", (0.0,) * 8), options.pop("noise", 30.0),
    )  # fmt: skip
    run = tournament("rami500", stubs(*names), deals, seed, engine=engine, **options)
    return run_in_memory(run.manifest, run.games, None)


def games_of(rows: Sequence[Sequence[int]], names: Sequence[str], deals: int) -> SeatedGames:
    """Games of two seats: deal, entry and points of seat 0, entry and points of seat 1."""
    table = np.array(rows, dtype=np.int64)
    points = table[:, [2, 4]]
    best = points == points.max(axis=1, keepdims=True)
    return SeatedGames(
        labels=tuple(names),
        deals=deals,
        deal=table[:, 0],
        key=np.stack([table[:, 0], 0 * table[:, 0], 0 * table[:, 0]], axis=1),
        entry=table[:, [1, 3]],
        points=points,
        place=1 + (points < points.max(axis=1, keepdims=True)),
        win=WIN_UNIT * best // best.sum(axis=1, keepdims=True),
    )


def test_payoffs_by_hand() -> None:
    # Two deals: A and B meet twice on each, A and C once, B and C never.
    games = games_of(
        [
            (0, 0, 50, 1, 40), (0, 1, 30, 0, 50), (0, 0, 10, 2, 10),
            (1, 0, 20, 1, 50), (1, 1, 40, 0, 60), (1, 2, 80, 0, 30),
        ],
        "ABC", 2,
    )  # fmt: skip
    met = meetings(games)
    assert met.pairs == ((0, 1), (0, 2))
    assert met.n.tolist() == [[2, 1], [2, 1]]
    assert met.points.tolist() == [[30, 0], [-10, -50]]
    assert met.ahead.tolist() == [[4, 1], [2, 0]]
    np.testing.assert_allclose(
        met.matrix("points"), np.array([[0, 5, -25], [-5, 0, np.nan], [25, np.nan, 0]])
    )
    np.testing.assert_allclose(
        met.matrix("ahead"), np.array([[0.5, 0.75, 0.25], [0.25, 0.5, np.nan], [0.75, np.nan, 0.5]])
    )
    first = met.differences("points")[0]
    # Means of the deals are 15 and -5: 5 with a standard error of 10.
    assert (first.a, first.b, first.mean, first.deals) == ("A", "B", 5.0, 2)
    assert first.se == pytest.approx(10)
    assert structure(met) is None


def test_three_at_a_table_all_meet_each_other() -> None:
    run = played(NAMES[:3], deals=30, players=3)
    rows = run.games.collect()
    deals = collect_deals(run)
    met = meetings(seated_games(run, deals))
    assert met.n.tolist() == [[3, 3, 3]] * 30
    wide = rows.with_columns(pl.col("strategy").cast(pl.String)).pivot(
        "strategy", index=["deal", "rotation"], values=["points", "place"]
    )
    for k, (a, b) in enumerate(met.pairs):
        a, b = NAMES[a], NAMES[b]  # type: ignore[assignment]
        gap = (wide[f"points_{a}"] - wide[f"points_{b}"]).mean()
        i, j = met.pairs[k]
        assert met.matrix()[i, j] == pytest.approx(gap)
        ahead = wide.select(
            (pl.col(f"place_{a}") < pl.col(f"place_{b}")).mean()
            + (pl.col(f"place_{a}") == pl.col(f"place_{b}")).mean() / 2
        ).item()
        assert met.matrix("ahead")[i, j] == pytest.approx(ahead)


def test_tests_of_pairs_are_adjusted_by_holm() -> None:
    run = played(strength={"anna": 20, "bert": 8})
    t = summarise_tournament(run, draws=50)
    p = [d.p for d in t.head_to_head]
    assert len(p) == 6
    assert [d.p_holm for d in t.head_to_head] == holm([x for x in p if x is not None])
    order = [row.label for row in t.board]
    assert order[0] == "anna"
    pairs = [(d.a, d.b) for d in t.points]
    assert pairs == list(combinations(order, 2))


def test_alike_strategies_are_not_told_apart() -> None:
    run = played(("anna", "bert"), noise=0.0, deals=20)
    t = summarise_tournament(run, draws=50)
    assert t.points[0].mean == 0
    assert t.points[0].alike == 1
    assert t.points[0].p == 1


def test_bradley_terry_reference_values() -> None:
    vector = VECTORS["bradley_terry"]
    wins = np.array(vector["W"], dtype=np.int64)
    rows, deal = [], 0
    for i, j in combinations(range(len(wins)), 2):
        for winner, loser in ((i, j), (j, i)):
            # As often in one seat as in the other: no seat effect to fit.
            for _ in range(int(wins[winner, loser])):
                rows += [(deal, winner, 1, loser, 0), (deal, loser, 0, winner, 1)]
                deal += 1
    found = rate_tables(games_of(rows, "ABCD", deal), draws=20)
    np.testing.assert_allclose(found.elo / ELO, vector["theta"], atol=1e-6)
    np.testing.assert_allclose(found.elo / ELO, bradley_terry(wins.tolist()), atol=1e-9)
    np.testing.assert_allclose(found.seat, 0, atol=1e-9)


def test_winner_of_line_ups_as_the_plain_likelihood() -> None:
    run = played(deals=60, players=3, strength={"anna": 25}, seats=(30, 0, 0))
    games = seated_games(run, collect_deals(run))
    found = rate_tables(games, draws=20)
    theta, seat = winner_logit(games.entry.tolist(), (games.win / WIN_UNIT).tolist())
    np.testing.assert_allclose(found.elo, ELO * theta, atol=1e-6)
    np.testing.assert_allclose(found.seat, ELO * seat, atol=1e-6)


def test_slopes_vanish_at_the_top() -> None:
    run = played(deals=40, players=4, strength={"anna": 25}, seats=(30, 0, 0, -20))
    games = seated_games(run, collect_deals(run))
    theta, seat = winner_logit(games.entry.tolist(), (games.win / WIN_UNIT).tolist())
    found = slopes(games, np.concatenate([theta, seat]), 4)
    assert found.shape == (40, 8)
    np.testing.assert_allclose(found.sum(axis=0), 0, atol=1e-6)
    # Every game has one winner, whoever it is and wherever he sits.
    np.testing.assert_allclose(found[:, :4].sum(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(found[:, 4:].sum(axis=1), 0, atol=1e-9)
    assert np.abs(found[:, 4:]).max() > 0.1


def test_one_step_bootstrap_agrees_with_a_fit_for_every_sample(tmp_path: Path) -> None:
    run = open_run(duel(tmp_path / "run", deals=300))
    deals = collect_deals(run)
    full = rate_run(run, deals, draws=400)
    quick = rate_tables(seated_games(run, deals), draws=400)
    np.testing.assert_allclose(quick.elo, full.elo, atol=1e-6)
    np.testing.assert_allclose(quick.se, full.se, rtol=0.15)
    np.testing.assert_allclose(quick.low, full.low, atol=0.5 * full.se[0])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_seat_effects_and_strengths_are_recovered(players: int) -> None:
    bonus = (25.0, 0.0, 0.0, -25.0)
    strength = {"anna": 30.0, "bert": 10.0, "cleo": -10.0, "dora": -30.0}
    run = played(deals=150, players=players, strength=strength, seats=bonus)
    t = summarise_tournament(run, draws=100)
    assert [row.label for row in t.board] == list(NAMES)
    assert all(row.rank == (k + 1, k + 1) for k, row in enumerate(t.board))
    assert [row.elo for row in t.board] == sorted((row.elo for row in t.board), reverse=True)
    assert t.seats.balanced
    assert t.ratings.seat[0] > t.ratings.seat[1:].max() + 20
    if players == 4:
        assert t.ratings.seat.argmin() == 3
    # Everybody sat everywhere: the seat bonus is no part of a difference of means.
    assert t.points[0].mean == pytest.approx(20, abs=3 * (t.points[0].se or 0))


def test_somebody_who_never_wins_has_a_finite_rating() -> None:
    t = summarise_tournament(played(deals=20, strength={"dora": -900.0}), draws=50)
    assert t.board[-1].label == "dora"
    assert np.isfinite([row.elo for row in t.board]).all()
    assert t.ratings.prior > 0.01
    assert t.board[-1].wins.mean == 0
    assert (t.board[-1].wins.high or 0) > 0


def test_rock_paper_scissors_is_a_cycle() -> None:
    t = summarise_tournament(played(NAMES[:3], deals=120, gains=BEATS), draws=500)
    s = t.structure
    assert s is not None
    assert s.cyclic > 0.9
    assert s.cyclic_noise < 0.1
    assert s.cyclic_p < 0.02
    np.testing.assert_allclose(s.nash, 1 / 3, atol=0.1)
    assert s.nash_support.min() > 0.95
    assert s.alpha.max() < 0.9
    assert all(row.rank == (1, 3) or row.rank[1] > 1 for row in t.board)


def test_a_ladder_has_no_cycle() -> None:
    strength = {"anna": 60.0, "bert": 30.0, "cleo": 0.0}
    t = summarise_tournament(played(NAMES[:3], deals=120, strength=strength), draws=500)
    s = t.structure
    assert s is not None
    assert s.cyclic < 0.05
    np.testing.assert_allclose(s.nash, [1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(s.alpha, [1, 0, 0], atol=1e-6)
    assert t.order == NAMES[:3]


def test_structure_does_not_depend_on_the_order_of_strategies() -> None:
    # The board of the first is anna, bert, ...; the names come in another order.
    strength = {"anna": 40.0, "bert": 10.0, "cleo": 0.0, "dora": -20.0}
    one = summarise_tournament(played(NAMES, strength=strength), draws=100)
    other = summarise_tournament(played(NAMES[::-1], strength=strength), draws=100)
    assert one.order == other.order
    np.testing.assert_allclose(one.payoff_points, other.payoff_points)
    np.testing.assert_allclose(one.payoff_ahead, other.payoff_ahead)
    assert one.structure is not None
    assert other.structure is not None
    np.testing.assert_allclose(one.structure.nash, other.structure.nash, atol=1e-6)
    np.testing.assert_allclose(
        one.structure.nash, max_entropy_nash(one.payoff_ahead - 0.5), atol=1e-9
    )


def test_a_gauntlet_ranks_its_candidates_alone() -> None:
    strength = {"anna": 30.0, "dora": 20.0}
    run = played(NAMES[:2], deals=60, field=stubs("cleo", "dora"), strength=strength)
    t = summarise_tournament(run, draws=50)
    assert [row.label for row in t.board] == ["anna", "bert"]
    assert t.field == ("cleo", "dora")
    assert t.order == ("anna", "bert", "dora", "cleo")
    assert np.isnan(t.payoff_points[0, 1])
    assert t.payoff_points[0, 3] > t.payoff_points[0, 2]
    assert (len(t.points), t.structure, t.lotteries) == (1, None, ())
    assert t.watched == ("anna", "dora")
    single = summarise_tournament(
        played(NAMES[:1], deals=10, field=stubs("cleo", "dora")), draws=50
    )
    assert single.points == ()


def test_games_to_look_at_are_the_extremes() -> None:
    run = played(NAMES[:3], deals=40, strength={"anna": 10.0})
    t = summarise_tournament(run, draws=50)
    a, b = t.watched
    wide = (
        run.games.collect()
        .with_columns(pl.col("strategy").cast(pl.String))
        .pivot("strategy", index=["deal", "line_up", "rotation"], values="points")
        .drop_nulls([a, b])
    )
    gaps = (wide[a] - wide[b]).sort(descending=True).to_list()
    assert [x.a - x.b for x in t.most] == gaps[:5]
    assert [x.a - x.b for x in t.least] == gaps[::-1][:5]
    x = t.most[0]
    there = wide.filter(deal=x.deal, line_up=x.line_up, rotation=x.rotation)
    assert (there[a].item(), there[b].item()) == (x.a, x.b)


def test_only_whole_deals_up_to_the_first_gap_count(tmp_path: Path) -> None:
    out = tmp_path / "run"
    tournament("rami500", stubs(*NAMES), 40, 5, engine=factory(), out=out, chunk=10)
    (out / "games" / "part-000002.parquet").unlink()
    t = summarise_tournament(open_run(out), draws=50)
    assert (t.coverage.used, t.coverage.after_gap) == (20, 10)
    knock_out("rami500", stubs(*NAMES), 40, 5, engine=factory(), out=tmp_path / "cup", chunk=10)
    (tmp_path / "cup" / "games" / "part-000001.parquet").unlink()
    k = summarise_knock_outs(open_run(tmp_path / "cup"))
    assert (k.events, k.dropped) == (10, 20)


def test_resampled_sums_are_those_of_the_deals() -> None:
    sums = np.arange(6, dtype=np.int64).reshape(3, 2)
    draws = resampled(sums, 4000, seed=1)
    np.testing.assert_allclose(draws.mean(axis=0), sums.sum(axis=0), rtol=0.05)
    assert set(draws[:, 1] - draws[:, 0]) == {3.0}
    many = np.ones((5000, 1), dtype=np.int64)
    assert set(resampled(many, 10).ravel()) == {5000.0}


def test_lotteries() -> None:
    assert effective_winners([0.25] * 4) == pytest.approx(4)
    assert effective_winners([1.0, 0.0]) == 1

    def events(**options: Any) -> list[Lottery]:
        run = played(deals=80, **options)
        return lotteries(seated_games(run, collect_deals(run)), 0)

    level = events()
    assert [e.format for e in level[:3]] == ["rotation", "deals", "deals"]
    assert [e.deals for e in level] == [1, 1, 2, 3, 5, 10, 20]
    assert [e.games for e in level] == [6, *(12 * e.deals for e in level[1:])]
    assert all(e.shares.sum() == pytest.approx(1) for e in level)
    assert level[1].winners > 3.5
    sure = events(strength={"anna": 500.0})
    assert [e.best for e in sure] == [1.0] * len(sure)
    skill = events(strength={"anna": 25.0})
    assert skill[-1].best > skill[1].best > skill[0].best
    assert skill[-1].winners < skill[1].winners


def cup(times: int = 200, **options: Any) -> Run:
    strength = options.pop("strength", {"anna": 40.0})
    run = knock_out(
        "rami500", stubs(*NAMES), times, 5, engine=factory(strength), entrants=8, **options
    )
    return run_in_memory(run.manifest, run.games, None)


def test_knock_outs_are_counted() -> None:
    run = cup()
    k = summarise_knock_outs(run)
    rows = run.games.collect().with_columns(pl.col("strategy").cast(pl.String))
    last = rows["stage"].max()
    won = rows.filter(pl.col("went_on"), pl.col("stage") == last)["strategy"].value_counts()
    counted = dict(won.iter_rows())
    assert sum(counted.values()) == 200
    assert {row.label: round(200 * row.wins.mean) for row in k.board} == {
        name: counted.get(name, 0) for name in NAMES
    }
    assert k.board[0].label == k.strongest == "anna"
    finals = rows.filter(pl.col("stage") == 1).group_by("strategy").len()
    at_final = dict(finals.iter_rows())
    for row in k.board:
        assert row.finals.mean == pytest.approx(at_final[row.label] / 400)
        assert row.left[0] == 1
        assert (np.diff(row.left) <= 0).all()
        assert row.left[-1] == pytest.approx(row.wins.mean / 2)
    assert sum(row.wins.mean for row in k.board) == pytest.approx(1)
    assert sum(seat.mean for seat in k.seats) == pytest.approx(1)
    assert k.lottery.games == 2 + 3
    assert k.lottery.best == k.board[0].wins.mean


def test_formats_are_compared_on_the_same_strategies() -> None:
    ladder = {"anna": 40.0, "bert": 20.0}
    table = played(deals=80, strength=ladder)
    k = summarise_knock_outs(cup(strength=ladder), beside=table)
    assert k.strongest == "anna"
    assert [e.games for e in k.beside[:2]] == [6, 12]
    # More games, less of a lottery.
    assert k.beside[-1].best > k.lottery.best
    assert k.beside[-1].winners < k.lottery.winners
    with pytest.raises(RunError, match="no round robin of the same strategies"):
        summarise_knock_outs(cup(), beside=played(NAMES[:3]))


def test_the_wrong_kind_of_run_is_refused(tmp_path: Path) -> None:
    plain = open_run(duel(tmp_path / "run", deals=5))
    with pytest.raises(RunError, match="not a round robin or a gauntlet"):
        summarise_tournament(plain)
    with pytest.raises(RunError, match="not a series of knock-outs"):
        summarise_knock_outs(plain)


def _synthetic(rng: np.random.Generator, theta: np.ndarray[Any, Any], deals: int) -> SeatedGames:
    pairs = np.array([(i, j) for i, j in combinations(range(len(theta)), 2) for _ in range(2)])
    pairs[1::2] = pairs[1::2, ::-1]
    entry = np.tile(pairs, (deals, 1))
    chance = 1 / (1 + np.exp(theta[entry[:, 1]] - theta[entry[:, 0]]))
    won = rng.random(len(entry)) < chance
    win = WIN_UNIT * np.stack([won, ~won], axis=1)
    deal = np.repeat(np.arange(deals), len(pairs))
    key = np.stack([deal, 0 * deal, 0 * deal], axis=1)
    return SeatedGames(tuple("ABCD"), deals, deal, key, entry, win, 2 - win // WIN_UNIT, win)


@pytest.mark.slow
def test_intervals_of_ratings_cover_and_chance_shows_no_cycles() -> None:
    theta = np.array([0.6, 0.2, -0.2, -0.6])
    inside, alarms, n = 0, 0, 300
    for k in range(n):
        games = _synthetic(np.random.default_rng(k), theta, 60)
        found = rate_tables(games, draws=400, seed=k)
        truth = ELO * theta
        inside += int(((found.low <= truth) & (truth <= found.high)).sum())
        met = meetings(games)
        samples = met.resampled_matrices("ahead", 200, seed=k)
        alarms += cyclic_noise(met.matrix("ahead"), samples, met.games())[1] < 0.05
    assert 0.92 < inside / (4 * n) < 0.975
    assert alarms / n < 0.1


def test_meetings_of_a_plain_run(tmp_path: Path) -> None:
    run = open_run(duel(tmp_path / "run", deals=30))
    deals = collect_deals(run)
    met = meetings(seated_games(run, deals))
    assert isinstance(met, Meetings)
    assert met.pairs == ((0, 1),)
    mean = deals.clusters("points").moments
    assert met.matrix()[0, 1] == pytest.approx(float(mean.mean(0) - mean.mean(1)))


def test_every_row_of_a_tournament_has_its_schema() -> None:
    assert played(deals=3).games.collect_schema() == LINE_UP_GAMES


def test_few_deals_say_little_and_nothing_absurd() -> None:
    few = summarise_tournament(played(deals=3), draws=50)
    assert few.structure is None
    for row in few.board:
        assert 0 <= (row.wins.low or 0) <= row.wins.mean <= (row.wins.high or 1) <= 1
    duel_of_two = summarise_tournament(played(NAMES[:2], deals=3), draws=50)
    assert (duel_of_two.structure, duel_of_two.lotteries) == (None, ())
    k = summarise_knock_outs(cup(3))
    for rate in (*(row.wins for row in k.board), *(row.finals for row in k.board), *k.seats):
        assert 0 <= (rate.low or 0) <= rate.mean <= (rate.high or 1) <= 1
