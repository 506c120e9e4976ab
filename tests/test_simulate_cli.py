from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from fake_engine import FakeEngine, Stub
from ramisim import runner
from ramisim.cli.app import app
from ramisim.run_folder import read_manifest
from test_run_folder import contents


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "resolved", Stub)
    monkeypatch.setattr(runner, "default_engine", FakeEngine)


def ramisim(monkeypatch: pytest.MonkeyPatch, *words: object) -> Any:
    arguments = ["simulate", *map(str, words)]
    monkeypatch.setattr(sys, "argv", ["/somewhere/bin/ramisim", *arguments])
    return CliRunner().invoke(app, arguments)


def test_the_command_makes_a_run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "a run"
    words = (
        "--rules", "rami500", "--strategies", "greedy,careful:danger=0.7,keep=2", "--deals", 50,
        "--design", "duplicate", "--seed", 7, "--threads", 2, "--out", out, "--rounds",
        "--set", "values.ace_hand=11",
    )  # fmt: skip
    got = ramisim(monkeypatch, *words)
    assert got.exit_code == 0, got.stderr
    first, second, third = got.stdout.splitlines()
    assert first == "rami500, 2 seats, duplicate, seed 7, engine 1: 50 deals"
    assert second.startswith("100 games played in ")
    assert third == f"rows in {out}; read them with: ramisim report '{out}'"
    manifest = read_manifest(out)
    assert manifest["command"].startswith("ramisim simulate --rules rami500 --strategies greedy,")
    assert manifest["rules"]["override"] == {"values.ace_hand": 11}
    names = [strategy["name"] for strategy in manifest["strategies"]]
    assert names == ["greedy", "careful:danger=0.7,keep=2"]
    assert pl.read_parquet(out / "games" / "*.parquet").height == 50 * 2 * 2
    before = contents(out)
    again = ramisim(monkeypatch, *words)
    assert (again.exit_code, again.stdout) == (2, "")
    assert again.stderr.startswith(f"ramisim: {out} is not empty")
    (out / "games" / "part-000003.parquet").unlink()
    assert ramisim(monkeypatch, *words, "--resume").exit_code == 0
    assert contents(out) == before
    done = ramisim(monkeypatch, *words, "--resume")
    assert "nothing was left to play" in done.stdout


def test_ctrl_c_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(FakeEngine):
        def play(self, *args: Any, **named: Any) -> Any:
            if args[0] > 0:
                signal.raise_signal(signal.SIGINT)
            return super().play(*args, **named)

    monkeypatch.setattr(runner, "default_engine", Interrupted)
    words = ("--strategies", "a,b", "--deals", 40, "--chunk", 10, "--out", tmp_path / "run")
    got = ramisim(monkeypatch, *words)
    assert got.exit_code == 130
    command = " ".join(map(str, ("ramisim simulate", *words)))
    assert got.stderr == f"stopped; go on with: {command} --resume\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--players", "9"], "rami500 is played by 2 to 4 players, not by 9"),
        (["--rules", "rami5000"], "unknown rules rami5000"),
        (["--set", "opening.pints=3"], "opening.pints"),
        (["--design", "swiss"], "unknown design 'swiss'"),
        (["--seed", "-1"], "seed is -1"),
        (["--out", "/dev/null/run"], "cannot make the run folder /dev/null/run"),
    ],
)
def test_what_is_out_of_place_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str
) -> None:
    given = ("--strategies", "a,b", "--deals", 5, "--out", tmp_path / "run", *words)
    got = ramisim(monkeypatch, *given)
    assert got.exit_code == 2
    assert len(got.stderr.splitlines()) == 1
    assert sentence in got.stderr
    assert not (tmp_path / "run").exists()


def test_ctrl_c_while_a_chunk_is_kept_does_not_break_off_in_the_middle_of_it() -> None:
    """Once it came inside Polars, which made an error of its own out of it."""
    from concurrent.futures import ThreadPoolExecutor

    from ramisim.chunks import Chunk, play_chunks

    kept: list[int] = []

    def keep(chunk: Chunk, rows: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        kept.append(chunk.index)

    chunks = [Chunk(index, index * 10, 10) for index in range(6)]
    with ThreadPoolExecutor(1) as pool, pytest.raises(KeyboardInterrupt):
        play_chunks(chunks, pool, lambda first, n: (first, n), 2, keep, lambda: None)  # type: ignore[arg-type, return-value]
    assert kept
    assert kept == list(range(len(kept)))
    assert len(kept) < 6
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
