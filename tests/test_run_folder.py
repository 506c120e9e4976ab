from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from fake_engine import A, B, C, FakeEngine, Stub
from ramisim import simulate
from ramisim.errors import RunError
from ramisim.run_folder import RunFolder, first_difference, read_manifest


def play(out: Path, **changes: Any) -> Any:
    given: dict[str, Any] = {
        "rules": "rami500", "strategies": [A, B], "deals": 10, "seed": 7, "chunk": 3,
        "rounds": True, "threads": 1, "engine": FakeEngine, "out": out,
    }  # fmt: skip
    return simulate(**(given | changes))


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a run folder; the manifest counts too."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_the_folder_holds_the_manifest_and_a_part_a_chunk(tmp_path: Path) -> None:
    play(tmp_path / "a" / "run", command="ramisim simulate")
    assert sorted(contents(tmp_path / "a" / "run")) == [
        *[f"games/part-{i:06d}.parquet" for i in range(4)],
        *[f"rounds/part-{i:06d}.parquet" for i in range(4)],
        "run.json",
    ]
    manifest = json.loads((tmp_path / "a" / "run" / "run.json").read_text())
    assert list(manifest) == [
        "schema", "engine", "ramisim", "rules", "strategies", "players", "seed", "design",
        "every", "seatings", "first_deal", "deals", "chunk", "rounds", "libraries", "command",
        "complete",
    ]  # fmt: skip
    assert list(manifest["rules"]) == ["name", "base", "override", "values"]
    assert manifest["rules"]["values"]["deal.hand_size"] == 7
    assert manifest["strategies"][0] == {"name": "anna", "params": {}, "source": "0123"}
    assert manifest["seatings"] == [[0, 1], [1, 0]]
    assert list(manifest["libraries"]) == ["python", "numpy", "polars", "numba"]
    assert manifest["complete"] is True
    assert manifest["command"] == "ramisim simulate"


def test_parts_are_sorted(tmp_path: Path) -> None:
    play(tmp_path / "run", strategies=[A, B, C])
    part = pl.read_parquet(tmp_path / "run" / "rounds" / "part-000002.parquet")
    assert part.equals(part.sort("deal", "rotation", "seat", "round"))
    assert part["deal"].unique().to_list() == [6, 7, 8]


def test_a_folder_with_something_in_it_is_refused_without_resume(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match="is not empty: choose another folder, or add --resume"):
        play(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(RunError, match=r"holds no run: run\.json is missing"):
        play(tmp_path, resume=True)


def test_a_folder_without_a_run_is_started_by_resume(tmp_path: Path) -> None:
    play(tmp_path / "never", resume=True)
    # Killed while the manifest was being written: all there is is half a file.
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "run.json.tmp").write_text('{"sch')
    play(tmp_path / "half", resume=True)
    assert contents(tmp_path / "half") == contents(tmp_path / "never")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"seed": 8}, "seed is 7 there and 8 here"),
        ({"deals": 11}, "deals is 10 there and 11 here"),
        ({"first_deal": 5}, "first_deal is 0 there and 5 here"),
        ({"chunk": 5}, "chunk is 3 there and 5 here"),
        ({"rounds": False}, "rounds is true there and false here"),
        ({"design": "rotate"}, 'design is "duplicate" there and "rotate" here'),
        ({"players": 3}, "players is 2 there and 3 here"),
        ({"strategies": [A, C]}, "strategies is anna,bert there and anna,cleo here"),
        ({"strategies": [B, A]}, "strategies is anna,bert there and bert,anna here"),
        (
            {"strategies": [A, Stub("bert", {"wait": 2})]},
            'params of strategy bert is {} there and {"wait": 2} here',
        ),
        (
            {"strategies": [A, Stub("bert", source="beef")]},
            'source of strategy bert is "0123" there and "beef" here',
        ),
        ({"rules": "rami500-200"}, r"match\.target is 500 there and 200 here"),
    ],
)
def test_a_folder_of_another_run_is_refused(
    tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    play(tmp_path / "run")
    before = contents(tmp_path / "run")
    with pytest.raises(RunError, match=f"run holds another run: {sentence}"):
        play(tmp_path / "run", resume=True, **changes)
    assert contents(tmp_path / "run") == before


def test_versions_and_command_make_no_other_run(tmp_path: Path) -> None:
    play(tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    manifest = json.loads(file.read_text())
    manifest |= {"ramisim": "0.0", "libraries": {}, "command": "other"}
    manifest["rules"] |= {"name": "mine", "base": "rami"}
    assert first_difference(read_manifest(tmp_path / "run"), manifest) is None
    manifest["engine"] = "0"
    file.write_text(json.dumps(manifest))
    with pytest.raises(RunError, match='engine is "0" there and'):
        play(tmp_path / "run", resume=True)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "\xff"])
def test_a_broken_manifest_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text, encoding="latin-1")
    with pytest.raises(RunError, match=r"run\.json"):
        play(tmp_path, resume=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [("rules", []), ("rules", {"name": "rami500"}), ("strategies", "x"), ("strategies", ["x"])],
)
def test_a_manifest_of_wrong_shape_is_told(tmp_path: Path, name: str, value: Any) -> None:
    play(tmp_path / "run")
    told = read_manifest(tmp_path / "run")
    (tmp_path / "run" / "run.json").write_text(json.dumps(told | {name: value}))
    with pytest.raises(RunError, match=r"run\.json is no manifest of a run"):
        read_manifest(tmp_path / "run")


def _truncate(part: Path) -> None:
    part.write_bytes(part.read_bytes()[:-40])


def _empty(part: Path) -> None:
    part.write_bytes(b"")


def _drop_rows(part: Path) -> None:
    pl.read_parquet(part).head(-1).write_parquet(part)


def _other_deals(part: Path) -> None:
    pl.read_parquet(part).with_columns(pl.col("deal") + 1).write_parquet(part)


def _drop_column(part: Path) -> None:
    pl.read_parquet(part).drop("points").write_parquet(part)


def _noise(part: Path) -> None:
    whole = part.read_bytes()
    part.write_bytes(whole[:100] + bytes(200) + whole[300:])


@pytest.mark.parametrize("table", ["games", "rounds"])
@pytest.mark.parametrize(
    "tear", [Path.unlink, _truncate, _empty, _drop_rows, _other_deals, _drop_column, _noise]
)
def test_torn_parts_are_played_again(
    tmp_path: Path, table: str, tear: Callable[[Path], None]
) -> None:
    play(tmp_path / "run")
    before = contents(tmp_path / "run")
    tear(tmp_path / "run" / table / "part-000001.parquet")
    (tmp_path / "run" / table / "part-000009.parquet.tmp").write_bytes(b"half")
    assert contents(tmp_path / "run") != before
    play(tmp_path / "run", resume=True)
    assert contents(tmp_path / "run") == before


class NeverPlays(FakeEngine):
    def play(self, *args: Any, **named: Any) -> Any:
        raise AssertionError("nothing was left to play")


def test_whole_parts_are_not_played_again(tmp_path: Path) -> None:
    play(tmp_path / "run")
    before = contents(tmp_path / "run")
    run = play(tmp_path / "run", resume=True, engine=NeverPlays, chunk=None)
    assert contents(tmp_path / "run") == before
    assert run.games.collect().height == 40


@contextmanager
def full_disk(monkeypatch: pytest.MonkeyPatch, after: int) -> Iterator[None]:
    """A disk that is full once some files have been forced to it."""
    forced = iter(range(after))
    fsync = os.fsync

    def refuse(handle: int) -> None:
        if next(forced, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refuse)
        yield


@pytest.mark.parametrize("after", range(12))
def test_a_full_disk_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    play(tmp_path / "ref")
    with (
        full_disk(monkeypatch, after),
        pytest.raises(RunError, match=r"cannot write .*: no space left on device"),
    ):
        play(tmp_path / "run")
    assert not list((tmp_path / "run").rglob("*.tmp"))
    for name, content in contents(tmp_path / "run").items():
        if name != "run.json":
            assert content == contents(tmp_path / "ref")[name]
    play(tmp_path / "run", resume=True)
    assert contents(tmp_path / "run") == contents(tmp_path / "ref")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match=r"cannot make the run folder .*: not a directory"):
        play(tmp_path / "file" / "run")
    with pytest.raises(RunError, match="cannot make the run folder"):
        play(tmp_path / "file")


def test_a_read_only_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.open

    def refuse(path: Path, *args: Any, **named: Any) -> Any:
        if path.is_relative_to(tmp_path):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return opened(path, *args, **named)

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(RunError, match=r"cannot write .*run\.json: read-only file system"):
        play(tmp_path)
    assert contents(tmp_path) == {}


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    play(tmp_path / "run")
    with (
        RunFolder.open(tmp_path / "run", read_manifest(tmp_path / "run"), resume=True),
        pytest.raises(RunError, match="is in use: another ramisim writes into it"),
    ):
        play(tmp_path / "run", resume=True)
    play(tmp_path / "run", resume=True)
