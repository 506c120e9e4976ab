"""Several runs that belong together: a folder each, one manifest, one progress bar."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ramisim.errors import RunError, StudyError
from ramisim.rules import Rules
from ramisim.run_folder import write_whole

if TYPE_CHECKING:
    from ramisim.chunks import EngineFactory
    from ramisim.progress import Progress

__all__ = ["Cell", "enter_folder", "play_cells", "play_folder"]


@dataclass(frozen=True)
class Cell:
    """One run of several.

    Parameters
    ----------
    folder : str
        Name of its run folder.
    rules : Rules
    strategies : tuple of str
    players, deals, seed : int
    design : str
    opponents : tuple of str
        For the design ``substitute``.
    """

    folder: str
    rules: Rules
    strategies: tuple[str, ...]
    players: int
    deals: int
    seed: int
    design: str = "duplicate"
    opponents: tuple[str, ...] = ()

    @property
    def games(self) -> int:
        """Matches that are to be played."""
        each = {
            "permute": factorial(self.players),
            "substitute": len(self.strategies) * self.players,
            "fixed": 1,
            "rotate": 1,
        }
        return self.deals * each.get(self.design, self.players)


def enter_folder(out: Path, name: str, manifest: Mapping[str, Any], resume: bool) -> None:
    """Start a folder of runs with its manifest, or check that it holds the same ones.

    Parameters
    ----------
    out : Path
    name : str
        Of the manifest, ``study.json``.
    manifest : mapping
        Its ``plan`` and ``engine`` decide whether two are the same.
    resume : bool

    Raises
    ------
    StudyError
        The folder holds something else.
    """
    file = out / name
    try:
        out.mkdir(parents=True, exist_ok=True)
        held = any(out.iterdir())
    except OSError as error:
        raise StudyError(f"cannot make the folder {out}: {error.strerror}") from error
    if held and not resume:
        raise StudyError(f"{out} is not empty: choose another folder, or add --resume")
    if held:
        _check_same(file, manifest)
        return
    write_whole(file, _json(manifest))


def _check_same(file: Path, manifest: Mapping[str, Any]) -> None:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StudyError(f"{file.parent} holds something else: no {file.name} in it") from error
    wanted = json.loads(_json(manifest))
    for part in ("engine", "plan"):
        old, new = found.get(part), wanted[part]
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            part = next(key for key in {**new, **old} if old.get(key) != new.get(key))
        raise StudyError(f"{file.parent} holds another one: its {part} differs")


def play_cells(
    cells: Sequence[Cell],
    out: Path,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    command: str = "",
    engine: EngineFactory | None = None,
) -> None:
    """Play runs one after another, each into its folder; what is there already is kept.

    Raises
    ------
    RunError, StrategyError
        As `ramisim.runner.simulate`.
    """
    from ramisim.runner import simulate

    total, done = sum(cell.games for cell in cells), 0
    if progress is not None:
        progress.start(total, sum(_played(cell, out) for cell in cells))
    try:
        for cell in cells:
            simulate(
                cell.rules,
                cell.strategies,
                cell.deals,
                cell.seed,
                cell.design,
                players=cell.players,
                opponents=cell.opponents,
                out=out / cell.folder,
                threads=threads,
                rounds=True,
                resume=True,
                progress=None if progress is None else _Part(progress, done),
                command=command,
                engine=engine,
            )
            done += cell.games
            if progress is not None:
                progress.update(done)
    finally:
        if progress is not None:
            progress.stop()


def _played(cell: Cell, out: Path) -> int:
    """Matches of a run that an earlier start has played, by its parts."""
    from ramisim.analysis.schema import GAMES_FOLDER, PARTS
    from ramisim.run_folder import read_manifest

    folder = out / cell.folder
    try:
        chunk = int(read_manifest(folder)["chunk"])
    except RunError:
        return 0  # nothing there, or what is told when the folder is opened
    parts = sum(1 for _ in (folder / GAMES_FOLDER).glob(PARTS))
    return min(parts * chunk, cell.deals) * (cell.games // cell.deals)


def play_folder(
    out: Path,
    name: str,
    manifest: Mapping[str, Any],
    cells: Sequence[Cell],
    *,
    resume: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    engine: EngineFactory | None = None,
) -> None:
    """Play all cells into a folder with a manifest, or finish what was begun there.

    Parameters
    ----------
    out : Path
        New or empty, unless `resume`.
    name : str
        Of the manifest, ``study.json``.
    manifest : mapping
        With ``plan``, ``engine`` and ``command``; gets ``complete``.
    cells : sequence of Cell
    resume, threads, progress, engine
        As in `ramisim.runner.simulate`.

    Raises
    ------
    StudyError
        The folder holds something else.
    """
    enter_folder(out, name, {**manifest, "complete": False}, resume)
    command = str(manifest.get("command", ""))
    play_cells(cells, out, threads=threads, progress=progress, command=command, engine=engine)
    file = out / name
    found = json.loads(file.read_text(encoding="utf-8"))
    if not found["complete"]:
        write_whole(file, _json({**found, "complete": True}))


class _Part:
    """Progress of one run, told as progress of all."""

    def __init__(self, whole: Progress, before: int) -> None:
        self._whole, self._before = whole, before

    def start(self, total: int, already: int) -> None:
        """The whole has begun before."""
        self._whole.update(self._before + already)

    def update(self, done: int, news: str = "") -> None:
        """Matches of this run, on top of those before."""
        self._whole.update(self._before + done, news)

    def stop(self) -> None:
        """The whole goes on."""


def _json(manifest: Mapping[str, Any]) -> bytes:
    return (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode()
