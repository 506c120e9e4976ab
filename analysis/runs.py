"""Run folders: the manifest, and the parts as LazyFrames."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl

from ramisim.analysis import schema
from ramisim.errors import RunError
from ramisim.version import SCHEMA_VERSION

__all__ = ["Entry", "Manifest", "Run", "open_run", "reading", "run_in_memory"]

ONE_GAME_DESIGNS: Final = ("rotate", "fixed")
"""Designs in which a deal is played once; in all others it is played in every seating."""

BATCH_BYTES: Final = 24_000_000
"""Compressed size of the parts read at one time: keeps a run of any length within memory."""


@dataclass(frozen=True)
class Entry:
    """One strategy of the line-up.

    Parameters
    ----------
    name, label : str
        Name in the registry, and what tables and figures call this entry: the name, with its
        parameters or a number where the line-up holds the name twice.
    params : mapping
    source : str
        Hash of its source.
    """

    name: str
    label: str
    params: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True)
class Manifest:
    """What ``run.json`` says; every key but the strategies and the players may be missing."""

    entries: tuple[Entry, ...]
    players: int
    rules: str = "?"
    base: str = ""
    override: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    design: str = "duplicate"
    seatings: tuple[tuple[int, ...], ...] = ()
    every: bool | None = None
    first_deal: int | None = None
    deals: int | None = None
    engine: str = "?"
    ramisim: str = "?"
    command: str = ""
    complete: bool = True
    libraries: Mapping[str, str] = field(default_factory=dict)
    stop: Mapping[str, Any] = field(default_factory=dict)
    luck: Mapping[str, Any] = field(default_factory=dict)
    tournament: Mapping[str, Any] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the line-up, each once."""
        return tuple(entry.label for entry in self.entries)

    @property
    def candidates(self) -> tuple[int, ...]:
        """Entries that a run sets side by side: in the design ``substitute`` not the opponents.

        Opponents sit at every table, so they meet each other and all candidates, where a
        candidate meets the opponents alone: what they score is no measure for its own.
        """
        everybody = tuple(range(len(self.entries)))
        if self.design != "substitute":
            return everybody
        some = tuple(k for k in everybody if not all(k in row for row in self.seatings))
        return some if len(some) > 1 else everybody

    @property
    def games_per_deal(self) -> int | None:
        """Number of games that make a deal complete; None where the manifest does not say."""
        if self.tournament:
            return int(self.tournament["games_per_deal"])
        every = self.design not in ONE_GAME_DESIGNS if self.every is None else self.every
        if not every:
            return 1
        return len(self.seatings) or None


@dataclass(frozen=True)
class Run:
    """A run folder.

    Parameters
    ----------
    manifest : Manifest
    games : LazyFrame
        Columns of ``schema.GAMES``.
    rounds : LazyFrame or None
        Columns of ``schema.ROUNDS``; None where the run kept no rounds.
    path : Path
        The folder as it was given.
    game_parts, round_parts : tuple of Path
        The files behind the frames, in order.
    luck : LazyFrame or None
        Columns of ``schema.LUCK``, where the luck of the cards was measured.
    """

    manifest: Manifest
    games: pl.LazyFrame
    rounds: pl.LazyFrame | None = None
    path: Path = Path()
    game_parts: tuple[Path, ...] = ()
    round_parts: tuple[Path, ...] = ()
    luck: pl.LazyFrame | None = None

    def game_batches(self) -> Iterator[pl.LazyFrame]:
        """The games, a few parts at a time; the whole frame at once without parts."""
        return _batches(self.games, self.game_parts)

    def round_batches(self) -> Iterator[pl.LazyFrame]:
        """The rounds, a few parts at a time; nothing where the run kept none."""
        return iter(()) if self.rounds is None else _batches(self.rounds, self.round_parts)


def open_run(path: str | Path) -> Run:
    """Open a run folder; nothing but the manifest and the ends of the parts is read.

    Parameters
    ----------
    path : str or Path
        Folder with ``run.json`` and ``games/part-*.parquet``.

    Returns
    -------
    Run

    Raises
    ------
    RunError
        One sentence: no such folder, no or bad manifest, no parts, or a part that is torn.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise RunError(f"{folder}: there is no such run folder")
    manifest = _read_manifest(folder / schema.MANIFEST)
    game_parts = _parts(folder / schema.GAMES_FOLDER, schema.GAMES)
    if not game_parts:
        raise RunError(
            f"{folder} holds no games: {schema.GAMES_FOLDER}/{schema.PARTS} is missing, "
            "the run has not finished its first part"
        )
    round_parts = _parts(folder / schema.ROUNDS_FOLDER, schema.ROUNDS)
    luck_parts = _parts(folder / schema.LUCK_FOLDER, schema.LUCK)
    return Run(
        manifest=manifest,
        games=_scan(game_parts),
        rounds=_scan(round_parts) if round_parts else None,
        path=folder,
        game_parts=game_parts,
        round_parts=round_parts,
        luck=_scan(luck_parts) if luck_parts else None,
    )


def run_in_memory(
    manifest: Mapping[str, Any],
    games: pl.LazyFrame | pl.DataFrame,
    rounds: pl.LazyFrame | pl.DataFrame | None = None,
    luck: pl.LazyFrame | pl.DataFrame | None = None,
) -> Run:
    """A run that is in no folder, as `ramisim.simulate` returns it without ``out``.

    Parameters
    ----------
    manifest : mapping
        What ``run.json`` would say.
    games, rounds, luck : LazyFrame or DataFrame
        Columns of ``schema.GAMES``, ``schema.ROUNDS`` and ``schema.LUCK``.
    """
    more = [None if frame is None else frame.lazy() for frame in (rounds, luck)]
    return Run(_manifest(manifest), games.lazy(), more[0], luck=more[1])


@contextmanager
def reading(what: str | Path = "the run") -> Iterator[None]:
    """Turn what Polars says of a damaged file into one sentence."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).strip().splitlines()
        raise RunError(f"{what} cannot be read: {reason[0] if reason else error!r}") from error


def _batches(whole: pl.LazyFrame, parts: Sequence[Path]) -> Iterator[pl.LazyFrame]:
    if not parts:
        yield whole
        return
    batch: list[Path] = []
    size = 0
    for part in parts:
        batch.append(part)
        size += part.stat().st_size
        if size >= BATCH_BYTES:
            yield _scan(batch)
            batch, size = [], 0
    if batch:
        yield _scan(batch)


def _scan(parts: Sequence[Path]) -> pl.LazyFrame:
    return pl.scan_parquet(list(parts), glob=False)


def _parts(folder: Path, columns: pl.Schema) -> tuple[Path, ...]:
    """Readable part files of a folder in order; the footer of each is looked at."""
    parts = tuple(sorted(folder.glob(schema.PARTS)))
    for part in parts:
        try:
            part.open("rb").close()
        except OSError as error:
            raise RunError(f"{part} cannot be read: {error.strerror or error}") from error
        try:
            found = pl.read_parquet_schema(part)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise RunError(
                f"{part} is torn: it is not a whole Parquet file; finish the run with "
                "`ramisim simulate --resume`"
            ) from error
        missing = [name for name in columns if name not in found]
        if missing:
            raise RunError(f"{part} lacks the column {missing[0]!r} of schema {SCHEMA_VERSION}")
    return parts


def _read_manifest(path: Path) -> Manifest:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RunError(
            f"{path.parent} is not a run folder: {path.name} is missing; "
            "`ramisim simulate --out FOLDER` makes one"
        ) from error
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise RunError(f"{path} is not readable as JSON: {error}") from error
    if not isinstance(raw, dict):
        raise RunError(f"{path} must hold one JSON object")
    found = raw.get("schema", SCHEMA_VERSION)
    if found != SCHEMA_VERSION:
        raise RunError(
            f"{path} has schema {found}; this version of ramisim reads schema {SCHEMA_VERSION}"
        )
    try:
        return _manifest(raw)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RunError(f"{path} is not a manifest of ramisim: {error!r}") from error


def _manifest(raw: Mapping[str, Any]) -> Manifest:
    told: Any = raw.get("rules")
    rules: dict[str, Any] = {"name": told} if isinstance(told, str) else dict(told or {})
    seatings = tuple(tuple(int(i) for i in row) for row in raw.get("seatings") or ())
    entries = _entries(raw["strategies"])
    if any(not 0 <= i < len(entries) for row in seatings for i in row):
        raise ValueError("seatings name a strategy that is not in the line-up")
    return Manifest(
        entries=entries,
        players=int(raw.get("players") or len(seatings[0])),
        rules=str(rules.get("name", "?")),
        base=str(rules.get("base") or ""),
        override=dict(rules.get("override") or {}),
        values=dict(rules.get("values") or {}),
        seed=int(raw.get("seed", 0)),
        design=str(raw.get("design", "duplicate")),
        seatings=seatings,
        every=None if raw.get("every") is None else bool(raw["every"]),
        first_deal=None if raw.get("first_deal") is None else int(raw["first_deal"]),
        deals=None if raw.get("deals") is None else int(raw["deals"]),
        engine=str(raw.get("engine", "?")),
        ramisim=str(raw.get("ramisim", "?")),
        command=str(raw.get("command", "")),
        complete=bool(raw.get("complete", True)),
        libraries={str(k): str(v) for k, v in dict(raw.get("libraries") or {}).items()},
        stop=dict(raw.get("stop") or {}),
        luck=dict(raw.get("luck") or {}),
        tournament=dict(raw.get("tournament") or {}),
    )


def _entries(strategies: Sequence[Any]) -> tuple[Entry, ...]:
    """Entries with labels that differ: by parameters where the name stands twice, else by number.

    ``greedy`` against ``greedy`` is a line-up of two entries: the self-test of duplicate deals.
    """
    plain: list[dict[str, Any]] = [
        {"name": s} if isinstance(s, str) else dict(s) for s in strategies
    ]
    names = [str(s["name"]) for s in plain]
    labels = [str(s.get("label") or s["name"]) for s in plain]
    twice = {label for label, count in Counter(labels).items() if count > 1}
    alike = {
        label: [s.get("params") or {} for other, s in zip(labels, plain, strict=True)
                if other == label]
        for label in twice
    }  # fmt: skip
    labels = [
        _with_params(label, s.get("params") or {}, alike[label]) if label in twice else label
        for label, s in zip(labels, plain, strict=True)
    ]
    twice = {label for label, count in Counter(labels).items() if count > 1}
    seen: Counter[str] = Counter()
    entries = []
    for name, label, s in zip(names, labels, plain, strict=True):
        seen[label] += 1
        entries.append(
            Entry(
                name=name,
                label=f"{label} #{seen[label]}" if label in twice else label,
                params=dict(s.get("params") or {}),
                source=str(s.get("source") or ""),
            )
        )
    return tuple(entries)


def _with_params(label: str, params: Mapping[str, Any], alike: Sequence[Mapping[str, Any]]) -> str:
    """The label with the parameters that are not the same in all that bear it."""
    inside = ", ".join(
        f"{key}={value}"
        for key, value in sorted(params.items())
        if any(key not in other or other[key] != value for other in alike)
    )
    return f"{label}({inside})" if inside else label
