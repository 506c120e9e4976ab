"""Writing results, and scanning them to the leader board."""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import process_time, thread_time
from typing import TYPE_CHECKING, Any, Final

from ramisim.benchmarks.figures import Report, checked
from ramisim.benchmarks.fresh import fresh
from ramisim.benchmarks.synthetic import manifest, write_run

if TYPE_CHECKING:
    from ramisim.benchmarks.suite import Size

__all__ = ["tables"]

_SCAN: Final = """
from time import perf_counter, process_time
from ramisim.analysis.runs import open_run
from ramisim.analysis.summary import summarise
begun, used = perf_counter(), process_time()
found = summarise(open_run({folder!r}))
told = dict(seconds=perf_counter() - begun, processor=process_time() - used,
            matches=found.coverage.games,
            points={{r.label: [r.points.mean, r.points.games] for r in found.board}})
"""
_SECONDS, _GIGABYTES = 20.0, 2000.0
_WHOLE: Final = 10_000_000
"""Matches that the goals speak of; shorter runs are held to their share of the time."""


def tables(report: Report, size: Size) -> None:
    """Cost of writing beside playing; seconds and memory of a leader board."""
    with tempfile.TemporaryDirectory() as folder:
        _writing(report, size, Path(folder))
        _scanning(report, size.matches, Path(folder))


def _writing(report: Report, size: Size, folder: Path) -> None:
    """Processor time of making frames and writing parts, over that of playing the chunk."""
    import polars as pl

    from ramisim.chunks import default_chunk
    from ramisim.designs import seatings
    from ramisim.engine import Engine
    from ramisim.frames import games_frame, rounds_frame
    from ramisim.rules import Rules
    from ramisim.run_folder import RunFolder
    from ramisim.strategies import resolve

    names = ["greedy", "careful"]
    engine = Engine(Rules.load("rami500"), [resolve(name) for name in names], 4)
    deals = 20 if size.tiny else default_chunk(100_000, 2, True)
    table = seatings("duplicate", [0, 1]).table
    shares: dict[str, list[float]] = {"games": [], "games and rounds": []}
    per_match: dict[str, list[float]] = {"games": [], "games and rounds": []}
    opened = RunFolder.open(folder / "written", manifest(4 * deals, deals), False)
    with checked("writing"), opened as run:
        for i in range(1 if size.tiny else 3):
            begun = thread_time()
            games, rounds = engine.play(i * deals, deals, table, rounds=True)
            playing = thread_time() - begun
            begun = process_time()
            run.write("games", i, games_frame(games, names))
            first = process_time() - begun
            assert rounds is not None
            run.write("rounds", i, rounds_frame(rounds, names))
            both = process_time() - begun
            for what, taken in zip(shares, (first, both), strict=True):
                shares[what].append(100 * taken / playing)
                per_match[what].append(1e6 * taken / (2 * deals))
            back = pl.read_parquet(run.part("games", i))
            assert back["points"].to_list() == games["points"].tolist()
            assert len(pl.read_parquet(run.part("rounds", i))) == len(rounds)
    for what, share in shares.items():
        goal: dict[str, Any] = {"goal": 5.0, "better": "less"} if what == "games" else {}
        report.add(
            "tables", f"writing {what}", sorted(share)[len(share) // 2], "% of playing",
            f"parts of {2 * deals:,} matches with fsync, {min(per_match[what]):.1f} us a match;"
            " rami500, greedy and careful", **goal,
        )  # fmt: skip


def _scanning(report: Report, matches: int, folder: Path) -> None:
    run = folder / "long"
    points = write_run(run, matches)
    found = fresh(_SCAN.format(folder=str(run)))
    with checked("the leader board"):
        assert found.told["matches"] == matches
        for label, (mean, games) in found.told["points"].items():
            assert games == matches
            assert abs(mean - points[label] / matches) < 1e-9
    share = matches / _WHOLE
    megabytes = sum(file.stat().st_size for file in run.rglob("*.parquet")) / 1e6
    parts = len(list((run / "games").iterdir()))
    what = f"{matches:,} matches"
    report.add("tables", f"leader board of {what}", found.told["seconds"], "s",
               f"{found.told['processor']:.1f} s of processor time; whole summary, {parts} parts,"
               f" {megabytes:,.0f} MB, a fresh process",
               goal=_SECONDS * max(share, 0.1), better="less")  # fmt: skip
    report.add("tables", f"memory of {what}", found.megabytes, "MB", "most at any time",
               goal=_GIGABYTES, better="less")  # fmt: skip
