"""The luck of the cards in a run, beside its games: for the control variates of a comparison.

The matches are gone through again and each card from the stock is compared with those that could
have come. That costs about as much as playing them, so it is done when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from ramisim.analysis.controls import fit_luck
from ramisim.analysis.runs import Run as AnalysisRun
from ramisim.analysis.runs import run_in_memory
from ramisim.analysis.schema import LUCK, LUCK_FOLDER, LUCK_UNIT
from ramisim.chunks import Chunk, cpus, cut
from ramisim.compare import PILOT_FIRST
from ramisim.errors import RunError
from ramisim.run_folder import RunFolder, read_manifest

if TYPE_CHECKING:
    from ramisim.engine import Engine
    from ramisim.progress import Progress

__all__ = ["LUCK_PILOT", "add_luck", "luck_frame", "measure_luck"]

LUCK_PILOT: Final = 400
"""Deals of the pilot that the coefficients come from."""


def measure_luck(
    engine: Engine,
    first_deal: int,
    n_deals: int,
    seatings: npt.NDArray[np.int8],
) -> npt.NDArray[np.void]:
    """The luck of every seat in all seatings of some deals: a pure function, safe in threads.

    Parameters
    ----------
    engine : Engine
    first_deal, n_deals : int
    seatings : int8[k, seats]
        As in `Engine.play`, each deal in all of them.

    Returns
    -------
    LUCK_ROW[n_deals * k * seats]
        Sorted by (deal, rotation, seat), in points and jokers.

    Raises
    ------
    RunError
        A strategy is not compiled, or does something illegal.
    """
    from ramisim.engine import Workspace
    from ramisim.kernels import luck, melding, melding_tables, state

    if not all(strategy.compiled for strategy in engine.strategies):
        raise RunError("luck is measured for compiled strategies, not for plain Python")
    rules = engine.rules.record()
    tables, scratch = melding_tables.new_tables(rules, melding_tables.DEADWOOD), melding.scratch()
    before, hand = np.zeros(1, state.SEEN)[0], np.zeros(1, state.HAND)[0]
    stock, counts = np.zeros(state.MAX_DECK, np.uint8), np.zeros(53, np.int64)
    work, seated = Workspace(seatings.shape[1]), np.ascontiguousarray(seatings, np.int64)
    n_seats = seated.shape[1]
    out = np.zeros(n_deals * len(seated) * n_seats, luck.LUCK_ROW)
    at = 0
    for deal in range(first_deal, first_deal + n_deals):
        for rotation, seating in enumerate(seated):
            rows = out[at : at + n_seats]
            rows["deal"], rows["rotation"], rows["seat"] = deal, rotation, np.arange(n_seats)
            if not luck.luck_of_match(
                work.seens[0], work.hiddens[0], rules, engine.asks, engine.params, engine.idents,
                seating, engine.seed, np.uint64(deal), work.boxes, work.tallies[0], work.faults[0],
                work.rows, work.deck, work.key, work.numbers, before, hand, stock, counts, tables,
                scratch, out, at,
            ):  # fmt: skip
                raise RunError(f"deal {deal}, seating {rotation}: a strategy was refused")
            at += n_seats
    return out


def luck_frame(rows: npt.NDArray[np.void]) -> pl.DataFrame:
    """Rows of `measure_luck` as a table of schema ``LUCK``, in whole units."""
    columns = {}
    for name, dtype in LUCK.items():
        values = rows[name]
        if dtype == pl.Int64:
            values = np.rint(values * LUCK_UNIT).astype(np.int64)
        columns[name] = pl.Series(name, np.ascontiguousarray(values), dtype=dtype)
    return pl.DataFrame(columns)


def add_luck(
    out: str | Path,
    *,
    threads: int | None = None,
    pilot: int = LUCK_PILOT,
    progress: Progress | None = None,
) -> None:
    """Measure the luck of a finished comparison and of a pilot, into its run folder.

    Parameters
    ----------
    out : str or Path
        A run folder that `compare` finished. Parts of luck that are there are kept.
    threads : int, optional
    pilot : int
        Deals of the pilot, which no run evaluates.
    progress : Progress, optional

    Raises
    ------
    RunError
        No such run, one that is not finished, or one that compares nothing.
    """
    folder = Path(out)
    manifest = read_manifest(folder)
    if not manifest["complete"] or "stop" not in manifest:
        raise RunError(f"{folder} holds no finished comparison: luck is measured after its end")
    play = _Luck(manifest, cpus() if threads is None else threads, progress)
    with RunFolder.open(folder, manifest, resume=True) as run:
        chunks = cut(int(manifest["first_deal"]), int(manifest["deals"]), int(manifest["chunk"]))
        todo = [chunk for chunk in chunks if not run.part(LUCK_FOLDER, chunk.index).exists()]
        fitted = manifest.get("luck")
        n_pilot = 0 if fitted else pilot
        play.begin(sum(chunk.n_deals for chunk in todo) + 2 * n_pilot)
        try:
            if not fitted:
                run.note("luck", play.fit(pilot))
            play.run(todo, lambda chunk, frame: run.write(LUCK_FOLDER, chunk.index, frame))
        finally:
            play.end()


class _Luck:
    """The matches of a manifest and the means to go through them."""

    def __init__(self, manifest: dict[str, Any], workers: int, progress: Progress | None) -> None:
        self.manifest = manifest
        self.workers = workers
        self.progress = progress
        self.seatings = np.array(manifest["seatings"], dtype=np.int8)
        self.done = 0

    def begin(self, deals: int) -> None:
        if self.progress is not None:
            self.progress.start(deals * len(self.seatings), 0)

    def end(self) -> None:
        if self.progress is not None:
            self.progress.stop()

    def run(self, chunks: Sequence[Chunk], keep: Any) -> None:
        """Measure chunks; ``keep(chunk, frame)`` is called for each, as it comes."""
        from ramisim.chunks import play_chunks

        engine = _engine(self.manifest)

        def play(first_deal: int, n_deals: int) -> Any:
            return measure_luck(engine, first_deal, n_deals, self.seatings), None

        def kept(chunk: Chunk, rows: Any) -> None:
            keep(chunk, luck_frame(rows[0]))
            self.done += chunk.n_deals * len(self.seatings)

        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self.workers, thread_name_prefix="ramisim") as threads:
            play_chunks(chunks, threads, play, 2 * self.workers, kept, self._tick)

    def fit(self, deals: int) -> dict[str, Any]:
        """Play a pilot, and fit the coefficients of every pair on it: for the manifest."""
        from ramisim.frames import games_frame

        frames: dict[int, pl.DataFrame] = {}
        chunks = cut(PILOT_FIRST, deals, max(1, -(-deals // (4 * self.workers))))
        self.run(chunks, lambda chunk, frame: frames.update({chunk.index: frame}))
        engine = _engine(self.manifest)
        names = [s["name"] for s in self.manifest["strategies"]]
        games = games_frame(engine.play(PILOT_FIRST, deals, self.seatings)[0], names)
        told = {**self.manifest, "first_deal": PILOT_FIRST, "deals": deals}
        luck = pl.concat([frames[index] for index in sorted(frames)]).lazy()
        whole: AnalysisRun = run_in_memory(told, games.lazy(), luck=luck)
        return fit_luck(whole, [(int(a), int(b)) for a, b in self.manifest["stop"]["pairs"]])

    def _tick(self) -> None:
        if self.progress is not None:
            self.progress.update(self.done)


def _engine(manifest: dict[str, Any]) -> Engine:
    from ramisim.engine import Engine
    from ramisim.rules import Rules
    from ramisim.strategies import resolve

    rules = Rules.load(manifest["rules"]["base"], manifest["rules"]["override"] or None)
    strategies = [resolve(strategy["name"]) for strategy in manifest["strategies"]]
    return Engine(rules, strategies, int(manifest["seed"]))
