from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ramisim
from fake_engine import A, B, C, FakeEngine, Stub
from ramisim.analysis.schema import GAMES, ROUNDS
from ramisim.chunks import Chunk, cut, default_chunk
from ramisim.errors import RamisimError, RunError, StrategyError
from ramisim.runner import Run
from test_run_folder import contents


def simulate(*strategies: Any, deals: int = 23, **changes: Any) -> Run:
    given: dict[str, Any] = {"seed": 7, "rounds": True, "engine": FakeEngine, "threads": 1}
    return ramisim.simulate("rami500", strategies or (A, B), deals, **(given | changes))


def rows(run: Run) -> tuple[pl.DataFrame, pl.DataFrame]:
    assert run.rounds is not None
    return run.games.collect(), run.rounds.collect()


def assert_same_rows(got: Run, ref: Run) -> None:
    for table, ref_table in zip(rows(got), rows(ref), strict=True):
        assert_frame_equal(table, ref_table)


def test_rows_have_the_schema_and_the_order_of_the_contract() -> None:
    games, rounds = rows(simulate(A, B, C))
    assert games.schema == GAMES
    assert rounds.schema == ROUNDS
    assert games.height == 23 * 3 * 3
    assert games.equals(games.sort("deal", "rotation", "seat"))
    assert rounds.equals(rounds.sort("deal", "rotation", "seat", "round"))


def test_names_stand_where_the_seatings_say() -> None:
    games, _ = rows(simulate(A, B, players=3))
    names = games.filter(deal=0).group_by("rotation", maintain_order=True).agg("strategy")
    assert names["strategy"].cast(pl.List(pl.String)).to_list() == [
        ["anna", "bert", "anna"],
        ["anna", "anna", "bert"],
        ["bert", "anna", "anna"],
    ]


def test_a_strategy_may_be_named_twice() -> None:
    run = simulate(A, A)
    assert [s["name"] for s in run.manifest["strategies"]] == ["anna", "anna"]
    assert run.manifest["seatings"] == [[0, 1], [1, 0]]
    assert rows(run)[0]["strategy"].cast(str).unique().to_list() == ["anna"]


def test_one_strategy_fills_the_seats_that_the_rules_need() -> None:
    assert simulate(A).manifest["seatings"] == [[0, 0], [0, 0]]


@pytest.mark.parametrize("design", ["rotate", "duplicate", "fixed", "permute"])
@pytest.mark.parametrize("rounds", [True, False])
def test_rows_in_a_folder_are_those_in_memory(tmp_path: Path, design: str, rounds: bool) -> None:
    ref = simulate(A, B, C, design=design, rounds=rounds)
    got = simulate(A, B, C, design=design, rounds=rounds, out=tmp_path / "run", chunk=4)
    assert_frame_equal(got.games.collect(), ref.games.collect())
    assert (got.rounds is not None) == (ref.rounds is not None) == rounds
    assert got.folder == tmp_path / "run"
    assert got.manifest == ref.manifest | {"chunk": 4}


@pytest.mark.parametrize("chunk", [1, 10, 1000])
def test_rows_do_not_depend_on_threads_or_chunks(tmp_path: Path, chunk: int) -> None:
    ref = simulate()
    for threads in (1, 2, 7):
        folder = tmp_path / f"{threads}"
        assert_same_rows(simulate(threads=threads, chunk=chunk, out=folder), ref)
        assert contents(folder) == contents(tmp_path / "1")


def test_rows_do_not_depend_on_where_a_run_begins() -> None:
    games, rounds = rows(simulate(deals=23))
    late_games, late_rounds = rows(simulate(deals=13, first_deal=10, chunk=4))
    assert_frame_equal(late_games, games.filter(pl.col("deal") >= 10))
    assert_frame_equal(late_rounds, rounds.filter(pl.col("deal") >= 10))


class NoFrills(Executor):
    """The least that an executor may be: it plays when it is asked, and gives futures."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_any_executor_gives_the_same_rows(tmp_path: Path) -> None:
    ref = simulate(out=tmp_path / "ref", chunk=5)
    with ThreadPoolExecutor(2) as threads:
        for name, executor in (("threads", threads), ("plain", NoFrills())):
            simulate(out=tmp_path / name, chunk=5, executor=executor)
            assert contents(tmp_path / name) == contents(tmp_path / "ref")
        assert threads.submit(int).result() == 0, "the caller's executor stays open"
    assert_same_rows(simulate(chunk=5, executor=NoFrills()), ref)


class TellsProcess(FakeEngine):
    def play(self, *args: Any, **named: Any) -> Any:
        games, rounds = super().play(*args, **named)
        games["turns"] = os.getpid()
        return games, rounds


def test_plain_python_strategies_are_played_in_processes(tmp_path: Path) -> None:
    slow = Stub("slow", compiled=False)
    got = simulate(A, slow, chunk=5, threads=2, out=tmp_path / "processes")
    simulate(A, slow, chunk=5, executor="threads", out=tmp_path / "threads")
    assert contents(tmp_path / "processes") == contents(tmp_path / "threads")
    assert got.manifest["chunk"] == 5
    elsewhere = simulate(A, slow, engine=TellsProcess, deals=2, rounds=False)
    assert os.getpid() not in elsewhere.games.collect()["turns"]


def test_a_strategy_that_cannot_travel_is_told() -> None:
    stuck = Stub("stuck", {"f": lambda: 0}, compiled=False)  # type: ignore[dict-item]
    with pytest.raises(RunError, match="cannot be sent to other processes"):
        simulate(A, stuck)


class Dies(FakeEngine):
    def play(self, *args: Any, **named: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_dies_is_told() -> None:
    with pytest.raises(RunError, match="a worker process died"):
        simulate(executor="processes", engine=Dies)


def test_chunks_in_flight_are_bounded() -> None:
    class Counting(ThreadPoolExecutor):
        waiting = most = 0

        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            self.waiting += 1
            self.most = max(self.most, self.waiting)
            future = super().submit(fn, *args, **kwargs)
            take = future.result

            def taken(timeout: float | None = None) -> Any:
                self.waiting -= 1
                return take(timeout)

            future.result = taken  # type: ignore[method-assign]
            return future

    with Counting(2) as executor:
        simulate(deals=60, chunk=1, threads=2, executor=executor)
        assert executor.waiting == 0
        assert executor.most == 4


class Refused(FakeEngine):
    bad_deals = frozenset({14, 17, 20})


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_first_refused_action_is_told_with_its_game(tmp_path: Path, threads: int) -> None:
    with pytest.raises(StrategyError, match="on deal 14 ") as caught:
        simulate(engine=Refused, threads=threads, chunk=2, out=tmp_path / "run")
    assert caught.value.record == [{"record": 1}]
    assert str(tmp_path / "run" / "refused.jsonl") in str(caught.value)
    assert (tmp_path / "run" / "refused.jsonl").read_text() == '{"record": 1}\n'


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"deals": 0}, "deals is 0: 1 to"),
        ({"deals": -5}, "deals is -5: 1 to"),
        ({"seed": -1}, "seed is -1: 0 to"),
        ({"seed": 2**64}, "seed is 18446744073709551616: 0 to 18446744073709551615 is allowed"),
        ({"first_deal": -1}, "first_deal is -1: 0 to"),
        ({"first_deal": 2**63}, "first_deal is 9223372036854775808: 0 to"),
        ({"threads": 0}, "threads is 0: 1 to"),
        ({"seed": 1.5}, "seed is 1.5: a whole number from 0 to"),
        ({"deals": "10"}, "deals is '10': a whole number from 1 to"),
        ({"deals": True}, "deals is True: a whole number"),
        ({"players": 2.5}, "rami500 is played by 2 to 4 players, not by 2.5"),
        ({"chunk": 0}, "chunk is 0: 1 to"),
        ({"design": "swiss"}, "unknown design 'swiss': choose one of rotate, duplicate"),
        ({"players": 9}, "rami500 is played by 2 to 4 players, not by 9"),
        ({"players": 1}, "rami500 is played by 2 to 4 players, not by 1"),
        ({"opponents": [C]}, "opponents belong to the design substitute, not to duplicate"),
        ({"executor": "magic"}, "unknown executor 'magic': give threads, processes"),
        ({"resume": True}, "there is nothing to resume without a run folder"),
    ],
)
def test_what_is_out_of_place_is_told(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RamisimError) as caught:
        simulate(**changes)
    assert sentence in str(caught.value)


def test_numbers_may_be_those_of_numpy() -> None:
    five: Any = np.int64(5)
    given = simulate(deals=five, seed=np.uint64(3), first_deal=np.int8(2))
    plain = simulate(deals=5, seed=3, first_deal=2)
    assert rows(given)[0].equals(rows(plain)[0])
    assert json.dumps(given.manifest) == json.dumps(plain.manifest)


def test_too_many_strategies_are_refused() -> None:
    with pytest.raises(RunError, match="3 strategies do not fit 2 seats"):
        simulate(A, B, C, players=2)
    with pytest.raises(RunError, match="0 strategies do not fit 2 seats"):
        ramisim.simulate("rami500", [], 1)


def test_substitute_takes_the_last_strategy_as_opponent_or_those_named() -> None:
    run = simulate(A, B, C, design="substitute")
    assert run.manifest["seatings"] == [[0, 2], [1, 2], [2, 0], [2, 1]]
    run = simulate(A, B, design="substitute", opponents=[C], players=3)
    assert run.manifest["seatings"] == [
        [0, 2, 2], [1, 2, 2], [2, 0, 2], [2, 1, 2], [2, 2, 0], [2, 2, 1],
    ]  # fmt: skip
    assert rows(run)[0].height == 23 * 6 * 3
    with pytest.raises(RunError, match="needs a candidate and an opponent"):
        simulate(A, design="substitute")
    with pytest.raises(RunError, match=r"the 1 other seat$"):
        simulate(A, design="substitute", opponents=[B, C], players=2)


def test_chunks_cover_the_deals_once() -> None:
    assert cut(10, 7, 3) == [Chunk(0, 10, 3), Chunk(1, 13, 3), Chunk(2, 16, 1)]


@pytest.mark.parametrize("each", [1, 2, 24])
@pytest.mark.parametrize("deals", [1, 10, 5_000, 500_000, 10_000_000])
def test_the_default_chunk_is_neither_tiny_nor_huge(deals: int, each: int) -> None:
    size = default_chunk(deals, each, compiled=True)
    assert size >= 1
    assert size * each <= max(2_000, deals * each // 1_000)
    assert deals / size <= 1_100 or size * each >= 2_000 - each
    assert default_chunk(deals, each, compiled=False) * each <= 100


class Heard:
    def __init__(self) -> None:
        self.news: list[Any] = []

    def start(self, total: int, already: int) -> None:
        self.news.append((total, already))

    def update(self, done: int, news: str = "") -> None:
        self.news.append(done)

    def stop(self) -> None:
        self.news.append("stop")


def test_progress_is_told_in_games(tmp_path: Path) -> None:
    heard = Heard()
    simulate(deals=6, chunk=2, progress=heard, out=tmp_path / "run", executor=NoFrills())
    assert heard.news[0] == (12, 0)
    assert heard.news[-2:] == [12, "stop"]
    (tmp_path / "run" / "games" / "part-000001.parquet").unlink()
    heard = Heard()
    simulate(deals=6, chunk=2, progress=heard, out=tmp_path / "run", resume=True)
    assert heard.news[0] == (12, 8)
    assert heard.news[-2:] == [12, "stop"]
    heard = Heard()
    simulate(deals=6, chunk=2, progress=heard, out=tmp_path / "run", resume=True)
    assert heard.news == []
