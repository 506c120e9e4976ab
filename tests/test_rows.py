"""The real engine's rows: the same for any threads and chunks, and after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ramisim
from ramisim.runner import Run

RULES, LINE_UP, SEED = "rami500-quick", "greedy,random", 12
DEALS = 1010  # a chunk of 1000 and a short one
GAMES = ["deal", "rotation", "seat"]
ROUNDS = ["deal", "rotation", "round", "seat"]


def play(threads: int, chunk: int, deals: int = DEALS) -> Run:
    return ramisim.simulate(RULES, LINE_UP, deals, SEED, threads=threads, chunk=chunk, rounds=True)


def rows(run: Run) -> tuple[pl.DataFrame, pl.DataFrame]:
    assert run.rounds is not None
    return run.games.collect(), run.rounds.collect()


@pytest.fixture(scope="module")
def reference() -> tuple[pl.DataFrame, pl.DataFrame]:
    return rows(play(threads=1, chunk=1000))


@pytest.mark.parametrize(
    ("threads", "chunk"), [(1, 10), (2, 10), (7, 10), (2, 1000), (7, 1000), (7, 1)]
)
def test_rows_do_not_depend_on_threads_and_chunks(
    threads: int, chunk: int, reference: tuple[pl.DataFrame, pl.DataFrame]
) -> None:
    for got, ref in zip(rows(play(threads, chunk)), reference, strict=True):
        assert_frame_equal(got, ref)


def test_another_seed_and_another_strategy_give_other_rows(
    reference: tuple[pl.DataFrame, pl.DataFrame],
) -> None:
    """Else the comparisons here could not fail."""
    for line_up, seed in ((LINE_UP, SEED + 1), ("greedy,careful", SEED)):
        run = ramisim.simulate(RULES, line_up, DEALS, seed, rounds=True)
        for got, ref in zip(rows(run), reference, strict=True):
            assert not got.drop("strategy").equals(ref.drop("strategy"))


def command(out: Path, threads: int, *more: str) -> list[str]:
    words = ["--rules", RULES, "--strategies", LINE_UP, "--seed", str(SEED), "--rounds"]
    words += ["--deals", "4000", "--chunk", "10", "--threads", str(threads), "--out", str(out)]
    return [sys.executable, "-m", "ramisim", "simulate", *words, *more]


def parts(out: Path) -> list[Path]:
    return sorted(out.glob("games/part-*.parquet"))


def table(out: Path, name: str, keys: list[str]) -> pl.DataFrame:
    return pl.read_parquet(out / name / "part-*.parquet").sort(keys)


def test_a_killed_run_is_resumed_to_the_same_rows(tmp_path: Path) -> None:
    out = tmp_path / "run"
    env = os.environ | {"PYTHONPATH": str(Path(ramisim.__file__).parents[1])}
    with subprocess.Popen(command(out, 2), env=env, stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 500
        while len(parts(out)) < 5:
            assert process.poll() is None, "the run ended before it could be killed"
            assert time.monotonic() < deadline, "the run does not get on"
            time.sleep(0.005)
        process.kill()
        assert process.wait() == -signal.SIGKILL
    assert 5 <= len(parts(out)) < 400
    subprocess.run(command(out, 7, "--resume"), env=env, check=True, stdout=subprocess.DEVNULL)
    assert len(parts(out)) == 400
    games, rounds = rows(play(threads=1, chunk=1000, deals=4000))
    names = pl.col("strategy").cast(pl.String), pl.col("end").cast(pl.String)
    assert_frame_equal(
        table(out, "games", GAMES).with_columns(names[0]),
        games.sort(GAMES).with_columns(names[0]),
    )
    assert_frame_equal(
        table(out, "rounds", ROUNDS).with_columns(names), rounds.sort(ROUNDS).with_columns(names)
    )
