"""Any number of rounds of random variants in one run that tells how far it is and may be stopped.

What has been played stands in a file after every few variants; a run that finds it goes on there.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter, deque
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path

from ramisim.kernels import source_digest
from ramisim.progress import ConsoleProgress
from variants import Played, play_variant

SLOW = 10.0
"""Seconds from which on a variant is told."""
SAVE_EVERY = 5.0


@dataclass
class Outcome:
    """What playing one variant came to."""

    seed: int
    rounds: int
    turns: int
    actions: int
    ends: dict[str, int]
    seconds: float
    fault: str = ""


@dataclass
class Totals:
    """What a run has come to so far: every variant from ``first`` up to ``next``."""

    kernels: str
    most_cards: int
    among: list[str]
    first: int
    next: int
    rounds: int = 0
    turns: int = 0
    actions: int = 0
    seconds: float = 0.0
    ends: dict[str, int] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Count the next variant in."""
        assert outcome.seed == self.next
        self.next += 1
        self.rounds += outcome.rounds
        self.turns += outcome.turns
        self.actions += outcome.actions
        self.ends = dict(Counter(self.ends) + Counter(outcome.ends))
        if outcome.fault:
            self.failed.append(outcome.fault)
        if outcome.seconds > SLOW:
            self.slow.append(f"variant {outcome.seed} took {outcome.seconds:.0f} s")

    def text(self) -> str:
        """The totals, by end reason."""
        ends = ", ".join(f"{self.ends[end]:,} {end}" for end in sorted(self.ends))
        return (
            f"variants {self.first} to {self.next - 1}: {self.rounds:,} rounds ({ends}), "
            f"{self.turns:,} turns, {self.actions:,} actions in {self.seconds:,.0f} s, "
            f"{len(self.failed)} failures, {len(self.slow)} slower than {SLOW:.0f} s"
        )


def play_one(seed: int, most_cards: int, among: Sequence[str] = ()) -> Outcome:
    """Play a seed's variant; whatever goes wrong is told, not raised."""
    played, start, fault = Played(), time.perf_counter(), ""
    try:
        play_variant(seed, played, most_cards, among)
    except AssertionError as error:
        fault = str(error)
    except Exception as error:
        fault = f"variant {seed}: {error!r}"
    seconds = time.perf_counter() - start
    return Outcome(
        seed, played.rounds, played.turns, played.actions, dict(played.ends), seconds, fault
    )


def outcomes(
    first: int, most_cards: int, jobs: int, among: Sequence[str] = ()
) -> Generator[Outcome | None, None, None]:
    """Outcomes of the variants from a seed on, in order; None when the next one takes long.

    Never ends by itself.
    """
    waiting: deque[Future[Outcome]] = deque()
    with ProcessPoolExecutor(jobs) as pool:
        try:
            for seed in count(first):
                waiting.append(pool.submit(play_one, seed, most_cards, among))
                # The others go on while the oldest takes long.
                while len(waiting) == 64 * jobs:
                    try:
                        outcome = waiting[0].result(SAVE_EVERY)
                    except TimeoutError:
                        yield None
                        continue
                    waiting.popleft()
                    yield outcome
        except BrokenProcessPool:
            last = first + len(waiting)
            raise SystemExit(
                f"a process died while variants {first} to {last} were played"
            ) from None
        finally:
            for future in waiting:
                future.cancel()


def load(path: Path, first: int, most_cards: int, among: Sequence[str] = ()) -> Totals:
    """The totals of a run that was stopped, if the file is of the same kernels and players."""
    fresh = Totals(source_digest(), most_cards, list(among), first, first)
    if not path.exists():
        return fresh
    data = json.loads(path.read_text(encoding="utf-8"))
    found = Totals(**data)
    keys = ("kernels", "most_cards", "among", "first")
    return found if all(getattr(found, key) == getattr(fresh, key) for key in keys) else fresh


def save(path: Path, totals: Totals) -> None:
    """Write the totals whole."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(asdict(totals), indent=1) + "\n", encoding="utf-8")
    new.replace(path)


def count_in(totals: Totals, outcome: Outcome) -> None:
    """Count an outcome in, and tell what is wrong with it."""
    slow = len(totals.slow)
    totals.add(outcome)
    for line in (outcome.fault, *totals.slow[slow:]):
        if line:
            print(line, flush=True)


def run(
    rounds: int, first: int, most_cards: int, jobs: int, path: Path, among: Sequence[str] = ()
) -> Totals:
    """Play until so many rounds are played, or go on with what the file says is done."""
    totals = load(path, first, most_cards, among)
    before, began, saved = totals.seconds, time.perf_counter(), 0.0
    progress = ConsoleProgress(unit="round")
    progress.start(rounds, totals.rounds)
    following = outcomes(totals.next, most_cards, jobs, among)
    try:
        while totals.rounds < rounds:
            outcome = next(following)
            if outcome is not None:
                count_in(totals, outcome)
            totals.seconds = before + time.perf_counter() - began
            news = f"variant {totals.next}, {len(totals.failed)} failed"
            progress.update(totals.rounds, news)
            if time.perf_counter() - saved > SAVE_EVERY:
                saved = time.perf_counter()
                save(path, totals)
    finally:
        save(path, totals)
        progress.stop()
        following.close()
    return totals


def main() -> int:
    """The command; 1 where a variant failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", type=int)
    parser.add_argument("first", type=int, nargs="?", default=0, help="seed of the first variant")
    parser.add_argument("--most-cards", type=int, default=55, help="largest hand dealt")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--file", type=Path, default=Path("variants.json"), help="what is done")
    parser.add_argument(
        "--strategies", default="", help="who plays, with commas between; all by default"
    )
    given = parser.parse_args()
    among = given.strategies.split(",") if given.strategies else ()
    totals = run(given.rounds, given.first, given.most_cards, given.jobs, given.file, among)
    print(totals.text())
    return int(bool(totals.failed))
