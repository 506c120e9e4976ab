"""Reading run folders: what is refused, and with which sentence."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from ramisim.analysis.deals import collect_deals, joined
from ramisim.analysis.runs import Run, open_run
from ramisim.analysis.schema import GAMES, ROUNDS, WIN_UNIT
from ramisim.errors import RamisimError, RunError
from synthetic_runs import cyclic, duel, game_rows, round_rows, write_run


def test_a_run_is_scanned_with_its_manifest(tmp_path: Path) -> None:
    run = open_run(duel(tmp_path / "run", deals=120))
    assert run.manifest.labels == ("careful", "greedy")
    assert run.manifest.games_per_deal == 2
    assert run.games.collect_schema() == GAMES
    assert run.rounds is not None
    assert run.rounds.collect_schema() == ROUNDS
    assert len(run.game_parts) == 3


def test_only_strategies_and_players_are_needed(tmp_path: Path) -> None:
    folder = duel(tmp_path / "run", deals=10)
    (folder / "run.json").write_text('{"strategies": ["greedy", "careful"], "players": 2}')
    run = open_run(folder)
    assert run.manifest.games_per_deal is None
    assert collect_deals(run).coverage.games_per_deal == 2
    assert collect_deals(run).coverage.used == 10


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "run.json is missing"),
        ("{", "not readable as JSON"),
        ("[]", "one JSON object"),
        ('{"schema": 2, "strategies": [], "players": 2}', "schema 2"),
        ('{"players": 2}', "not a manifest"),
        ('{"strategies": ["a"], "seatings": [[0, 3]]}', "not in the line-up"),
    ],
)
def test_a_bad_manifest_is_one_sentence(tmp_path: Path, text: str | None, said: str) -> None:
    folder = duel(tmp_path / "run", deals=4)
    if text is None:
        (folder / "run.json").unlink()
    else:
        (folder / "run.json").write_text(text)
    with pytest.raises(RunError, match=said) as caught:
        open_run(folder)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_not_there_and_one_without_games(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no such run folder"):
        open_run(tmp_path / "nowhere")
    folder = duel(tmp_path / "run", deals=4)
    for part in (folder / "games").iterdir():
        part.unlink()
    with pytest.raises(RunError, match="holds no games"):
        open_run(folder)


@pytest.mark.parametrize("name", ["run.json", "games/part-000001.parquet"])
def test_what_cannot_be_opened_is_not_called_torn(tmp_path: Path, name: str) -> None:
    """Of a part without leave to read it was said to resume the run."""
    folder = duel(tmp_path / "run", deals=120)
    (folder / name).unlink()
    (folder / name).mkdir()
    with pytest.raises(RunError, match=rf"{name} cannot be read: Is a directory"):
        open_run(folder)


def test_a_torn_part_is_named(tmp_path: Path) -> None:
    folder = duel(tmp_path / "run", deals=120)
    part = folder / "games" / "part-000001.parquet"
    part.write_bytes(part.read_bytes()[:-40])
    with pytest.raises(RunError, match=r"part-000001\.parquet is torn"):
        open_run(folder)


def test_a_part_damaged_inside_is_one_sentence(tmp_path: Path) -> None:
    folder = duel(tmp_path / "run", deals=120)
    part = folder / "games" / "part-000001.parquet"
    whole = bytearray(part.read_bytes())
    whole[8:200] = bytes(192)
    part.write_bytes(whole)
    with pytest.raises(RamisimError) as caught:
        collect_deals(open_run(folder))
    assert "\n" not in str(caught.value)


def test_a_part_of_another_table_is_refused(tmp_path: Path) -> None:
    folder = duel(tmp_path / "run", deals=4)
    pl.DataFrame({"deal": [1]}).write_parquet(folder / "games" / "part-000009.parquet")
    with pytest.raises(RunError, match="lacks the column 'rotation'"):
        open_run(folder)


def test_a_strategy_that_nobody_seated_is_refused(tmp_path: Path) -> None:
    games = game_rows({"careful": 1.0, "greedy": 0.0}, cyclic(2), 4)
    folder = write_run(tmp_path / "run", games, ["careful", "patient"], cyclic(2))
    with pytest.raises(RunError, match="'greedy' where the manifest seats 'patient'"):
        collect_deals(open_run(folder))


def test_the_same_deals_twice_are_refused(tmp_path: Path) -> None:
    folder = duel(tmp_path / "run", deals=60)
    part = folder / "games" / "part-000000.parquet"
    (folder / "games" / "part-000007.parquet").write_bytes(part.read_bytes())
    with pytest.raises(RunError, match="the parts overlap"):
        collect_deals(open_run(folder))


def test_unfinished_seatings_are_never_averaged_in(tmp_path: Path) -> None:
    games = game_rows({"careful": 10.0, "greedy": 0.0}, cyclic(2), 40)
    torn = games.filter(~((pl.col("deal") == 30) & (pl.col("rotation") == 1)))
    folder = write_run(
        tmp_path / "run", torn, ["careful", "greedy"], cyclic(2), rounds=round_rows(torn)
    )
    found = collect_deals(open_run(folder))
    assert found.coverage.used == 30
    assert found.coverage.incomplete == 1
    assert found.coverage.after_gap == 9
    whole = write_run(
        tmp_path / "whole", games.filter(pl.col("deal") < 30), ["careful", "greedy"], cyclic(2)
    )
    assert (
        found.clusters("points").moments
        == collect_deals(open_run(whole)).clusters("points").moments
    )


def test_deals_are_analysed_in_order_up_to_the_first_gap(tmp_path: Path) -> None:
    """Short games finish first: taking what arrived first would favour them."""
    games = game_rows({"careful": 10.0, "greedy": 0.0}, cyclic(2), 40, first_deal=100)
    late = games.filter(pl.col("deal") != 105)
    folder = write_run(
        tmp_path / "run", late, ["careful", "greedy"], cyclic(2), first_deal=100, deals=40
    )
    found = collect_deals(open_run(folder)).coverage
    assert (found.first, found.used, found.after_gap, found.planned) == (100, 5, 34, 40)


def test_without_the_first_deal_there_is_nothing_to_analyse(tmp_path: Path) -> None:
    games = game_rows({"careful": 10.0, "greedy": 0.0}, cyclic(2), 10).filter(pl.col("deal") > 0)
    folder = write_run(tmp_path / "run", games, ["careful", "greedy"], cyclic(2), deals=10)
    with pytest.raises(RunError, match="no whole deal from deal 0 on"):
        collect_deals(open_run(folder))


def test_the_order_and_the_cut_of_the_parts_change_nothing(tmp_path: Path) -> None:
    games = game_rows({"a": 5.0, "b": 3.0, "c": 0.0}, cyclic(3), 60)
    one = write_run(tmp_path / "one", games, "abc", cyclic(3), chunk=60)
    many = write_run(tmp_path / "many", games, "abc", cyclic(3), chunk=7)
    parts = sorted((many / "games").iterdir())
    for i, part in enumerate(parts):  # other names, so the deals are read in another order
        part.rename(many / "games" / f"part-9{(i * 5) % len(parts):05d}.parquet")
    for quantity in ("points", "win", "place"):
        left, right = (collect_deals(open_run(f)).clusters(quantity) for f in (one, many))
        assert left.moments == right.moments


def test_library_takes_lazy_frames(tmp_path: Path) -> None:
    """A notebook can go on from any frame, without a folder."""
    run = open_run(duel(tmp_path / "run", deals=30))
    games = run.games.collect()
    again = collect_deals(Run(run.manifest, games.lazy()))
    assert again.clusters("points").moments == collect_deals(run).clusters("points").moments


def test_shared_wins_are_whole_units(tmp_path: Path) -> None:
    """1/3 as float32 would not add up; 280/840 does."""
    games = game_rows({"a": 0.0, "b": 0.0, "c": 0.0}, cyclic(3), 50, luck=0, noise=4, grain=10)
    found = collect_deals(open_run(write_run(tmp_path / "run", games, "abc", cyclic(3))))
    assert (found.sums["win"].sum(axis=1) == 3 * WIN_UNIT).all()
    assert found.sums["shared_wins"].sum() > 0


def test_the_same_strategy_twice_keeps_two_entries(tmp_path: Path) -> None:
    games = game_rows({"greedy": 0.0}, [[0, 0], [0, 0]], 20, noise=0)
    folder = write_run(tmp_path / "run", games, ["greedy", "greedy"], [[0, 1], [1, 0]])
    run = open_run(folder)
    assert run.manifest.labels == ("greedy #1", "greedy #2")
    told = json.loads((folder / "run.json").read_text())
    told["strategies"][1]["params"] = {"depth": 2}
    (folder / "run.json").write_text(json.dumps(told))
    assert open_run(folder).manifest.labels == ("greedy", "greedy(depth=2)")


@pytest.mark.parametrize("column", ["points", "won", "deal"])
def test_a_null_is_no_zero(tmp_path: Path, column: str) -> None:
    run = open_run(duel(tmp_path / "run", deals=30))
    hole = pl.when(pl.col("deal") == 3).then(None).otherwise(pl.col(column)).alias(column)
    games = run.games.with_columns(hole)
    with pytest.raises(RunError, match=f"the games lack values: 4 of column {column} are null"):
        collect_deals(Run(run.manifest, games))


def test_the_label_of_a_strategy_does_not_list_what_is_alike(tmp_path: Path) -> None:
    games = game_rows({"greedy": 0.0}, [[0, 0], [0, 0]], 20, noise=0)
    folder = write_run(tmp_path / "run", games, ["greedy", "greedy"], [[0, 1], [1, 0]])
    told = json.loads((folder / "run.json").read_text())

    def labels(*params: dict[str, float]) -> tuple[str, ...]:
        for strategy, numbers in zip(told["strategies"], params, strict=True):
            strategy["params"] = numbers
        (folder / "run.json").write_text(json.dumps(told))
        return open_run(folder).manifest.labels

    same = {"hold": 1.0, "keep": 2.0}
    assert labels(same, same) == ("greedy #1", "greedy #2")
    assert labels(same, same | {"keep": 3.0}) == ("greedy(keep=2.0)", "greedy(keep=3.0)")


def test_sums_of_parts_do_not_depend_on_where_they_are_cut() -> None:
    rows = pl.DataFrame(
        {"deal": [5, 5, 1, 2, 2, 9], "entry": [0, 1, 0, 1, 0, 0], "points": [3, 4, 5, 6, 7, 8]}
    )
    whole = rows.sort("deal", "entry")
    for cuts in ([(0, 6)], [(0, 2), (2, 5), (5, 6)], [(0, 1), (1, 2), (2, 6)], [(3, 6), (0, 3)]):
        parts = [rows[start:stop] for start, stop in cuts]
        assert joined(parts, ("deal", "entry")).equals(whole)
    twice = joined([whole, whole], ("deal", "entry"))
    assert twice.equals(whole.with_columns(pl.col("points") * 2))
    assert joined([rows[:0], rows[:0]], ("deal",)).equals(rows[:0])
