"""The folder of a run: a manifest, and one Parquet part a chunk (contracts 6).

Every file is written whole under a temporary name, forced to the disk and renamed, so that a
reader, and a run that goes on after a kill, never meets half a file. The manifest stands first.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeGuard

import numpy as np
import numpy.typing as npt
import polars as pl

from ramisim.analysis.schema import (
    GAMES,
    GAMES_FOLDER,
    LUCK_FOLDER,
    MANIFEST,
    PARTS,
    ROUNDS,
    ROUNDS_FOLDER,
)
from ramisim.errors import RunError

if TYPE_CHECKING:
    from ramisim.designs import Seatings

__all__ = ["RunFolder", "first_difference", "read_manifest", "write_whole"]

TEMPORARY: Final = ".tmp"
TABLES: Final = (GAMES_FOLDER, ROUNDS_FOLDER, LUCK_FOLDER)
KEYS: Final = ("deal", "rotation", "seat")
SAME: Final = (
    "schema", "engine", "rules", "strategies", "players", "seed", "design", "every", "seatings",
    "first_deal", "deals", "chunk", "rounds",
)  # fmt: skip
"""What makes two runs the same; versions of libraries and the command change no row."""


class RunFolder:
    """A run folder that is being written; a context that nobody else can enter meanwhile.

    Parameters
    ----------
    path : Path
        The folder.
    manifest : dict
        The manifest as it stands in the folder.
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest

    @classmethod
    @contextmanager
    def open(cls, path: Path, manifest: Mapping[str, Any], resume: bool) -> Iterator[RunFolder]:
        """Start a run in a new or empty folder, or go on with the run that is there.

        Parameters
        ----------
        path : Path
            The folder; it is made where it is missing.
        manifest : mapping
            What is to be run, ``complete`` false.
        resume : bool
            Go on with the same run; its manifest stays as it is, and what a killed run left
            half written is removed. A folder without a run is started as usual.

        Raises
        ------
        RunError
            The folder holds something, or another run, is in use, or cannot be written.
        """
        with _told(path, "make the run folder"):
            path.mkdir(parents=True, exist_ok=True)
        with _locked(path):
            yield cls(path, _enter(path, manifest, resume))

    def part(self, table: str, index: int) -> Path:
        """Path of the part of a chunk: ``games/part-000000.parquet``."""
        return self.path / table / f"part-{index:06d}.parquet"

    def write(self, table: str, index: int, frame: pl.DataFrame) -> None:
        """Write the part of a chunk.

        Raises
        ------
        RunError
            The disk is full or refuses; no half part is left.
        """
        # In memory first: a part is small, and errors of the disk come as plain OSError.
        buffer = io.BytesIO()
        frame.write_parquet(buffer, compression="zstd")
        write_whole(self.part(table, index), buffer.getvalue())

    def is_whole(self, index: int, seatings: Seatings, first_deal: int, n_deals: int) -> bool:
        """Whether the parts of a chunk are there, readable, and hold the rows they should.

        Parameters
        ----------
        index : int
            Number of the chunk.
        seatings : Seatings
            Of the run.
        first_deal, n_deals : int
            Deals of the chunk.
        """
        games = _read(self.part(GAMES_FOLDER, index), GAMES)
        if games is None:
            return False
        keys = pl.DataFrame(dict(zip(KEYS, seatings.keys(first_deal, n_deals), strict=True)))
        if not games.select(KEYS).equals(keys):
            return False
        return self._rounds_are_whole(index, ROUNDS, keys, games)

    def _rounds_are_whole(
        self, index: int, schema: pl.Schema, keys: pl.DataFrame, games: pl.DataFrame
    ) -> bool:
        """Whether the rounds of a chunk are there, where the run keeps them."""
        if not self.manifest["rounds"]:
            return True
        rounds = _read(self.part(ROUNDS_FOLDER, index), schema)
        # A match of r rounds has r rows a seat.
        ref = keys.with_columns(games["rounds"].alias("n"))
        return rounds is not None and rounds.group_by(keys.columns, maintain_order=True).agg(
            pl.len().cast(pl.UInt16).alias("n")
        ).equals(ref)

    def holds(
        self, index: int, schema: pl.Schema, keys: pl.DataFrame, rounds: pl.Schema = ROUNDS
    ) -> bool:
        """Whether the games of a chunk are there, readable, and have just these keys.

        So with its rounds, of the schema `rounds`, where the run keeps them.
        """
        games = _read(self.part(GAMES_FOLDER, index), schema)
        if games is None or not games.select(keys.columns).equals(keys):
            return False
        return self._rounds_are_whole(index, rounds, keys, games)

    def points(self, index: int) -> npt.NDArray[np.int32]:
        """Points of the games part of a chunk, in the order of its rows."""
        with _told(self.part(GAMES_FOLDER, index), "read"):
            frame = pl.read_parquet(self.part(GAMES_FOLDER, index), columns=["points"])
        return frame["points"].to_numpy()

    def end(self, deals: int, parts: int) -> None:
        """Cut the run off behind so many deals: a rule has ended it before its time.

        Parameters
        ----------
        deals, parts : int
            Deals that count, and the parts that hold them.
        """
        # The manifest first: a run that is killed now is cut off when it is resumed.
        self.manifest["deals"] = deals
        self.manifest["stop"] = {**self.manifest["stop"], "ended": deals}
        _write_manifest(self.path, self.manifest)
        self.cut(parts)
        stop = int(self.manifest["first_deal"]) + deals
        for table in TABLES:
            file = self.part(table, parts - 1)
            if file.exists():
                with _told(file, "read"):
                    frame = pl.read_parquet(file)
                inside = frame.filter(pl.col("deal") < stop)
                if len(inside) < len(frame):
                    self.write(table, parts - 1, inside)

    def note(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep something more in the manifest."""
        self.manifest[key] = dict(value)
        _write_manifest(self.path, self.manifest)

    def cut(self, parts: int) -> None:
        """Remove parts behind the last one that counts."""
        last = self.part(GAMES_FOLDER, parts - 1).name
        for table in TABLES:
            for file in (self.path / table).glob(PARTS):
                if file.name > last:
                    with _told(file, "remove"):
                        file.unlink()

    def set_complete(self, complete: bool) -> None:
        """Say in the manifest whether all parts are there."""
        if self.manifest["complete"] != complete:
            self.manifest["complete"] = complete
            _write_manifest(self.path, self.manifest)


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a run folder.

    Raises
    ------
    RunError
        There is none, or it cannot be read.
    """
    file = path / MANIFEST
    try:
        manifest = json.loads(file.read_bytes())
    except FileNotFoundError as error:
        raise RunError(f"{path} holds no run: {MANIFEST} is missing") from error
    except OSError as error:
        raise RunError(f"cannot read {file}: {error.strerror or error}") from error
    except ValueError as error:
        raise RunError(f"cannot read {file}: {error}") from error
    if not _is_manifest(manifest):
        raise RunError(f"{file} is no manifest of a run")
    return manifest


def _is_manifest(told: Any) -> TypeGuard[dict[str, Any]]:
    """Whether what JSON holds has the parts that are read without asking."""
    if not isinstance(told, dict) or not {*SAME, "complete"} <= told.keys():
        return False
    rules, strategies = told["rules"], told["strategies"]
    if not isinstance(rules, dict) or not {"base", "override", "values"} <= rules.keys():
        return False
    return isinstance(strategies, list) and all(
        isinstance(s, dict) and {"name", "source"} <= s.keys() for s in strategies
    )


def first_difference(here: Mapping[str, Any], wanted: Mapping[str, Any]) -> str | None:
    """The first thing that makes two manifests different runs, in words; None if they are one."""
    for name in (*SAME, "tournament"):
        # Only tournaments have the last one.
        old: Any = here.get(name)
        new: Any = wanted.get(name)
        if name == "rules":
            # Two names of the same values are the same rules.
            old, new = old["values"], new["values"]
        if old == new:
            continue
        if name == "strategies":
            return _strategy_difference(old, new)
        if name == "rules" or (name == "tournament" and old and new):
            name = next(key for key in [*old, *new] if old.get(key) != new.get(key))
            old, new = old.get(name), new.get(name)
        return f"{name} is {_short(old)} there and {_short(new)} here"
    return None


def _strategy_difference(old: list[Any], new: list[Any]) -> str:
    names = [s["name"] for s in old], [s["name"] for s in new]
    if names[0] != names[1]:
        return f"strategies is {','.join(names[0])} there and {','.join(names[1])} here"
    for there, here in zip(old, new, strict=True):
        for field in ("params", "source"):
            if there[field] != here[field]:
                return (
                    f"{field} of strategy {there['name']} is {_short(there[field])} there "
                    f"and {_short(here[field])} here"
                )
    return "strategies"


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _enter(path: Path, manifest: Mapping[str, Any], resume: bool) -> dict[str, Any]:
    """Clean and check the folder, write the manifest of a new run; the manifest that holds."""
    with _told(path, "read the run folder"):
        if any(path.iterdir()) and not resume:
            raise RunError(
                f"{path} is not empty: choose another folder, or add --resume to finish its run"
            )
        for left in [*path.glob(f"*{TEMPORARY}"), *path.glob(f"*/*{TEMPORARY}")]:
            left.unlink()
        started = any(path.iterdir())
    if started:
        found = read_manifest(path)
        differs = first_difference(found, manifest)
        if differs is not None:
            raise RunError(f"{path} holds another run: {differs}")
        return found
    fresh = dict(manifest)
    _write_manifest(path, fresh)
    return fresh


def _write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    write_whole(path / MANIFEST, text.encode())


def write_whole(file: Path, content: bytes) -> None:
    """Put a file in its place, whole or not at all."""
    half = file.with_name(file.name + TEMPORARY)
    with _told(file, "write"):
        try:
            file.parent.mkdir(exist_ok=True)
            with half.open("wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            half.replace(file)
            _sync_folder(file.parent)
        except OSError:
            with suppress(OSError):
                half.unlink(missing_ok=True)
            raise


def _sync_folder(path: Path) -> None:
    """Make renames in a folder last through a loss of power, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read(file: Path, schema: pl.Schema) -> pl.DataFrame | None:
    """A part, or None where it is missing, torn or of another shape."""
    try:
        frame = pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    return frame if frame.schema == schema else None


@contextmanager
def _told(path: Path, doing: str) -> Iterator[None]:
    """Turn an error of the disk into one sentence."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RunError(f"cannot {doing} {path}: {reason}") from error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep other runs out of a folder; the lock dies with the process, even a killed one."""
    if os.name != "posix":
        yield
        return
    import fcntl

    with _told(path, "open the run folder"):
        handle = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunError(f"{path} is in use: another ramisim writes into it now") from error
        except OSError:
            pass  # some network file systems know no locks; the run does not need one
        yield
    finally:
        os.close(handle)
