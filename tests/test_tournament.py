"""Tournaments as runs: who plays what on which deal, resuming, knock-outs, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from fake_engine import Stub
from ramisim.analysis.runs import open_run
from ramisim.analysis.schema import EVENT_GAMES, LINE_UP_GAMES, LINE_UP_ROUNDS
from ramisim.errors import RamisimError, RunError
from ramisim.tournament import knock_out, tournament
from table_engine import factory, stubs

FIVE = stubs("anna", "bert", "cleo", "dora", "emil")
TEN = stubs(*(f"player{k}" for k in range(10)))


def meet(strategies: list[Stub] = FIVE, deals: int = 6, **options: Any) -> pl.DataFrame:
    run = tournament("rami500", strategies, deals, 3, engine=factory(), **options)
    return run.games.collect()


def knock(strategies: list[Stub] = FIVE, times: int = 20, **options: Any) -> pl.DataFrame:
    options.setdefault("engine", factory())
    return knock_out("rami500", strategies, times, 3, **options).games.collect()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_line_up_plays_every_deal_in_every_rotation(players: int) -> None:
    games = meet(players=players)
    assert games.schema == LINE_UP_GAMES
    line_ups = 10 if players in (2, 3) else 5
    keys = games.select("deal", "line_up", "rotation", "seat")
    assert keys.is_duplicated().sum() == 0
    assert keys.equals(keys.sort(pl.all()))
    assert games.height == 6 * line_ups * players * players
    per_seat = games.group_by("deal", "seat", "strategy").len()
    assert per_seat["len"].n_unique() == 1
    assert per_seat.height == 6 * players * 5


@pytest.mark.parametrize("strategies", [FIVE, TEN])
def test_rounds_are_kept_beside_the_games(strategies: list[Stub], tmp_path: Path) -> None:
    options: dict[str, Any] = {"rounds": True, "players": 3, "engine": factory()}
    run = tournament("rami500", strategies, 4, 3, **options)
    assert run.rounds is not None
    rounds, games = run.rounds.collect(), run.games.collect()
    assert rounds.schema == LINE_UP_ROUNDS
    keys = ["deal", "line_up", "rotation", "seat"]
    assert rounds.select(keys[:3]).equals(rounds.select(keys[:3]).sort(pl.all()))
    summed = rounds.group_by(keys, maintain_order=True).agg(
        pl.col("strategy").first(), pl.col("points").sum(), pl.len().cast(pl.UInt16).alias("rounds")
    )
    assert summed.sort(keys).equals(games.select(summed.columns).sort(keys))
    # The same from a folder, in other chunks, and after a part has been lost.
    out = tmp_path / "run"
    kept = tournament("rami500", strategies, 4, 3, out=out, chunk=1, threads=2, **options)
    (out / "rounds" / "part-000002.parquet").unlink()
    assert kept.manifest["rounds"]
    again = tournament("rami500", strategies, 4, 3, out=out, resume=True, **options)
    assert again.rounds is not None
    assert again.rounds.collect().equals(rounds)
    assert open_run(out).rounds is not None
    with pytest.raises(RunError, match="rounds is true there and false here"):
        tournament("rami500", strategies, 4, 3, out=out, resume=True, players=3, engine=factory())


def test_neighbours_change_from_deal_to_deal() -> None:
    games = meet(players=3, deals=2).filter(pl.col("line_up") == 0, pl.col("rotation") == 0)
    first, second = (games.filter(pl.col("deal") == d)["strategy"].to_list() for d in (0, 1))
    assert first == ["anna", "bert", "cleo"]
    assert second == ["anna", "cleo", "bert"]


def test_the_same_seating_of_the_same_deal_is_the_same_game() -> None:
    wide = meet(players=2)
    narrow = meet([FIVE[3], FIVE[1]], players=2)
    both = ["bert", "dora"]
    games = wide.with_columns(pl.col("strategy").cast(pl.String))
    met = games.filter(
        pl.col("strategy").is_in(both).all().over("deal", "line_up", "rotation")
    ).sort("deal", "seat", "strategy")
    alone = narrow.with_columns(pl.col("strategy").cast(pl.String)).sort("deal", "seat", "strategy")
    assert met.select("deal", "seat", "strategy", "points").equals(
        alone.select("deal", "seat", "strategy", "points")
    )


def test_more_strategies_than_an_engine_holds() -> None:
    games = meet(TEN, deals=2, players=4)
    assert games["strategy"].n_unique() == 10
    assert games.height == 2 * 30 * 4 * 4
    assert knock(TEN, 30).equals(knock(TEN, 30, chunk=4))


def test_a_gauntlet_seats_one_candidate_at_every_table() -> None:
    games = meet(FIVE[:2], field=FIVE[2:], players=3)
    candidates = pl.col("strategy").cast(pl.String).is_in(["anna", "bert"])
    per_game = games.group_by("deal", "line_up", "rotation").agg(candidates.sum().alias("n"))
    assert per_game["n"].to_list() == [1] * per_game.height
    seats = games.filter(candidates).group_by("strategy", "seat").len()
    assert seats["len"].to_list() == [6 * 3] * 6


@pytest.mark.parametrize("kind", ["round-robin", "knock-out"])
def test_rows_do_not_depend_on_chunks_threads_or_stops(kind: str, tmp_path: Path) -> None:
    def play(**options: Any) -> pl.DataFrame:
        if kind == "knock-out":
            return knock(times=20, **options)
        return meet(deals=20, players=3, **options)

    whole = play()
    for threads, chunk in ((1, 1), (2, 7), (3, 20)):
        assert play(threads=threads, chunk=chunk).equals(whole)
    out = tmp_path / "run"
    assert play(out=out, chunk=3).equals(whole)
    (out / "games" / "part-000002.parquet").unlink()
    (out / "games" / "part-000004.parquet").write_bytes(b"half a file")
    assert play(out=out, resume=True).equals(whole)
    assert json.loads((out / "run.json").read_text())["complete"] is True


def test_a_resumed_tournament_must_be_the_same_one(tmp_path: Path) -> None:
    out = tmp_path / "run"
    meet(players=3, out=out)
    with pytest.raises(RunError, match="holds another run: design is"):
        knock(out=out, resume=True, chunk=6, players=3)
    with pytest.raises(RunError, match="is not empty"):
        meet(players=3, out=out)
    knock(out=tmp_path / "cup")
    with pytest.raises(RunError, match="another run: advance is 2 there and 1 here"):
        knock(out=tmp_path / "cup", resume=True, advance=1)


def test_the_manifest_names_the_tournament(tmp_path: Path) -> None:
    meet(FIVE[:3], players=2, out=tmp_path / "run")
    manifest = open_run(tmp_path / "run").manifest
    assert manifest.design == "round-robin"
    assert manifest.tournament["line_ups"] == [[0, 1], [0, 2], [1, 2]]
    assert manifest.games_per_deal == 6


def test_everybody_plays_a_knock_out_and_one_is_left() -> None:
    games = knock(times=50)
    assert games.schema == EVENT_GAMES
    for _, event in games.group_by("event"):
        left = set(range(5))
        for stage in range(3):
            rows = event.filter(pl.col("stage") == stage)
            assert set(rows["entrant"].to_list()) == left
            assert rows.height == len(left)
            left = set(rows.filter(pl.col("went_on"))["entrant"].to_list())
        assert len(left) == 1
    assert games.group_by("event", "stage", "table").agg(pl.col("deal").n_unique())[
        "deal"
    ].unique().to_list() == [1]
    assert games["deal"].n_unique() == 50 * 4


def test_the_best_of_each_table_go_on() -> None:
    games = knock(stubs("anna", "bert", "cleo", "dora"), times=60, entrants=12)
    table = ("event", "stage", "table")
    worst_in = pl.col("place").filter(pl.col("went_on")).max().over(table)
    best_out = pl.col("place").filter(~pl.col("went_on")).min().over(table)
    assert games.select((worst_in <= best_out).all()).item()
    tied = games.filter(worst_in == best_out)
    # Equal places: the points of all matches of the knock-out decide.
    carried = games.sort("event", "entrant", "stage").with_columns(
        so_far=pl.col("points").cum_sum().over("event", "entrant")
    )
    at_tie = carried.join(tied, on=["event", "stage", "table", "seat"], how="semi")
    assert (tied.height == 0) == (at_tie.height == 0)
    for _, rows in at_tie.group_by(table):
        edge = rows.filter(pl.col("went_on"))["place"].max()
        last_in = rows.filter(pl.col("went_on"), pl.col("place") == edge)["so_far"].min()
        first_out = rows.filter(~pl.col("went_on"), pl.col("place") == edge)["so_far"].max()
        if last_in is not None and first_out is not None:
            assert last_in >= first_out  # type: ignore[operator]


def test_ties_are_settled_by_lot_without_favour() -> None:
    games = knock(stubs("anna", "bert"), 400, engine=_always_tied)
    won = games.filter(pl.col("went_on"))
    assert won.height == 400
    for column in ("strategy", "seat"):
        assert all(150 < n < 250 for n in won.group_by(column).len()["len"].to_list())


def test_tables_are_drawn_anew_and_by_seed() -> None:
    games = knock(times=200)
    first = games.filter(pl.col("stage") == 0, pl.col("table") == 0, pl.col("seat") == 0)
    counts = first.group_by("entrant").len()["len"].to_list()
    assert len(counts) == 5
    assert all(20 < n < 64 for n in counts)
    other = knock_out("rami500", FIVE, 200, 4, engine=factory()).games.collect()
    assert not other.select("event", "entrant").equals(games.select("event", "entrant"))


def _always_tied(rules: Any, strategies: Any, seed: int) -> Any:
    inner = factory(noise=0.0)(rules, strategies, seed)

    class Tied:
        def play(self, *args: Any, **options: Any) -> Any:
            games, rounds = inner.play(*args, **options)
            games["points"], games["place"], games["won"] = 100, 1, 0.5
            return games, rounds

    return Tied()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: meet(FIVE[:1]), "two strategies at least"),
        (lambda: knock(FIVE[:1]), "two strategies at least"),
        (lambda: meet([FIVE[0], FIVE[0]]), "anna is named twice"),
        (lambda: meet(FIVE[:2], field=FIVE[1:3]), "bert is named twice"),
        (lambda: meet(players=5), "2 to 4 players, not by 5"),
        (lambda: meet(deals=0), "deals is 0"),
        (lambda: knock(entrants=7), "multiple of the 5 strategies"),
        (lambda: knock(players=9), "not by 9"),
        (lambda: knock(times=0), "knock-outs is 0"),
        (lambda: meet(resume=True), "nothing to resume"),
    ],
)
def test_bad_input_is_told_in_a_sentence(call: Any, told: str) -> None:
    with pytest.raises(RamisimError, match=told):
        call()


@pytest.mark.slow
def test_real_strategies_in_a_tournament() -> None:
    names = "random,first-legal,greedy"
    small = tournament("rami500-200", names, 3, 5, players=2, threads=1).games.collect()
    again = tournament("rami500-200", names, 3, 5, players=2, threads=2, chunk=1).games.collect()
    assert small.equals(again)
    cup = knock_out("rami500-200", names, 6, 5, entrants=6, chunk=4).games.collect()
    assert cup.equals(knock_out("rami500-200", names, 6, 5, entrants=6).games.collect())
    assert cup.filter(pl.col("went_on")).group_by("event").len()["len"].n_unique() == 1
