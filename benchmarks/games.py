"""Turns, rounds and matches a second of one core, by preset, seats and strategy; many threads."""

from __future__ import annotations

import os
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ramisim.benchmarks.figures import Report, checked
from ramisim.benchmarks.measure import alternate, rate, ratio
from ramisim.chunks import cpus
from ramisim.plurals import counted
from ramisim.rules import Rules, preset_names
from ramisim.strategies import resolve, strategy_names

if TYPE_CHECKING:
    from ramisim.benchmarks.measure import Work
    from ramisim.benchmarks.suite import Size

__all__ = ["SelfPlay", "chunks", "games", "threads"]

SEED: Final = 4
SHORT: Final = {"match.target": 0, "match.max_rounds": 10}
"""Matches of ten rounds: between players that never reach a target, they would last a thousand."""
BASELINES: Final = ("random", "first-legal")


class SelfPlay:
    """One strategy in every seat, deal after deal; what a call plays is counted in ``played``.

    Parameters
    ----------
    rules : Rules
    strategy : str
    seats : int
    """

    def __init__(self, rules: Rules, strategy: str, seats: int) -> None:
        from ramisim.engine import Engine

        self.engine = Engine(rules, [resolve(strategy)], SEED)
        self.seatings = np.zeros((1, seats), np.int8)
        self.deal, self.n_deals = 0, 1
        self.played = {"matches/s": 0, "rounds/s": 0, "turns/s": 0}
        first = self.play()
        # So many deals that what a call costs by itself does not count.
        begun = thread_time()
        for _ in range(3):
            self.play()
        self.n_deals = max(1, min(2000, int(0.6 / (thread_time() - begun + 1e-9))))
        self.deal = 0
        assert (first == self.play()[: len(first)]).all(), "the same deals were played otherwise"
        self.played = dict.fromkeys(self.played, 0)

    def play(self) -> Any:
        """Play the next deals; the rows of the games."""
        rows, _ = self.engine.play(self.deal, self.n_deals, self.seatings)
        seats = self.seatings.shape[1]
        won = rows["won"].reshape(-1, seats).sum(axis=1)
        assert np.allclose(won, 1.0), "the wins of a game are not one"
        assert (rows["turns"].reshape(-1, seats).max(axis=1) > 0).all(), "nobody had a turn"
        self.deal += self.n_deals
        self.played["matches/s"] += len(rows) // seats
        self.played["rounds/s"] += int(rows["rounds"][::seats].sum())
        self.played["turns/s"] += int(rows["turns"].sum())
        return rows

    def rounds(self) -> float:
        """Play the next deals; the number of rounds."""
        before = self.played["rounds/s"]
        self.play()
        return self.played["rounds/s"] - before


def games(report: Report, size: Size) -> None:
    """Self-play by preset and number of seats, and by strategy."""
    for preset in preset_names():
        rules = Rules.load(preset)
        for seats in sorted({rules.number("players.min"), rules.number("players.max")}):
            _self_play(report, size, preset, "greedy", seats)
            if size.tiny:
                break
    for name in strategy_names():
        if name != "greedy":
            _self_play(report, size, "rami500", name, 2)


def _self_play(report: Report, size: Size, preset: str, strategy: str, seats: int) -> None:
    what = f"{preset}, {seats} seats, {strategy}"
    with checked(what):
        short = strategy in BASELINES
        table = SelfPlay(Rules.load(preset, SHORT if short else {}), strategy, seats)
        speed = rate(table.rounds, size.seconds).median
        rounds = table.played["rounds/s"]
        also = {unit: speed * n / rounds for unit, n in table.played.items() if unit != "rounds/s"}
    report.add(
        "games", what, speed, "rounds/s", "matches of ten rounds" if short else "", also=also
    )


def threads(report: Report, size: Size) -> None:
    """How much faster more threads play, and solve hands; time on the wall."""
    for many in sorted({2, cpus()}):
        _scaling(report, size, many, "matches", _matches)
        _scaling(report, size, many, "hands", _many_hands)


def _scaling(report: Report, size: Size, many: int, what: str, make: Any) -> None:
    with checked(f"{what} in {counted(many, 'thread')}"):
        works: dict[str, Work] = {"one": make(1, size), "many": make(many, size)}
        speeds = alternate(works, 2 * size.seconds, perf_counter)
    threads = counted(many, "thread")
    note = f"time on the wall; {os.cpu_count()} cores, shared with whatever else runs"
    report.add("threads", f"{what}, {threads}", ratio(speeds["many"], speeds["one"]), "x",
               note, goal=1.9 if many == 2 else None)  # fmt: skip
    report.add("threads", f"{what}, {threads}, best slices",
               speeds["many"].best / speeds["one"].best, "x", "fastest slice of each")  # fmt: skip


def _matches(workers: int, size: Size) -> Work:
    from ramisim.runner import simulate

    # A run of a second: what a run costs at its beginning and end is not what is asked here.
    deals = 16 if size.tiny else 4_000
    ref: list[Any] = []

    def play() -> float:
        run = simulate("rami500", "greedy,greedy", deals, SEED, threads=workers, chunk=deals // 8)
        found = run.games.collect()
        ref.append(found["points"].sum())
        assert ref[0] == ref[-1], "other points than before"
        return len(found) / 2

    return play


def _many_hands(workers: int, size: Size) -> Work:
    from ramisim.benchmarks.hands import hand_classes
    from ramisim.melding import best_melds_many

    group = next(g for g in hand_classes() if g.name == "two_packs13")
    times = 10 if size.tiny else 100
    masks = group.repeated(times)
    deadwood = np.tile(group.deadwood, times)

    def solve() -> float:
        found = best_melds_many(masks, group.rules, threads=workers)
        assert (found["deadwood"] == deadwood).all()
        return len(deadwood)

    return solve


def chunks(report: Report, size: Size) -> None:
    """What a chunk costs by itself: the call into the kernels, and the runner around it."""
    from ramisim.engine import Engine
    from ramisim.runner import simulate

    rules, n = Rules.load("rami500"), 40
    engine = Engine(rules, [resolve("greedy")], SEED)
    seatings = np.zeros((1, 2), np.int8)
    ref = engine.play(0, n, seatings)[0]

    def whole() -> float:
        assert (engine.play(0, n, seatings)[0] == ref).all()
        return 1

    def single() -> float:
        rows = [engine.play(deal, 1, seatings)[0] for deal in range(n)]
        assert (np.concatenate(rows) == ref).all()
        return 1

    with checked("a chunk"):
        speeds = alternate({"whole": whole, "single": single}, size.seconds)
    extra = (1 / speeds["single"].median - 1 / speeds["whole"].median) / (n - 1)
    play = 1 / speeds["whole"].median / n
    report.add("chunks", "call of a chunk", max(extra, 0.0) * 1e6, "us",
               f"beside {play * 1e6:,.0f} us for each match in it")  # fmt: skip

    def run(chunk: int) -> Work:
        def work() -> float:
            found = simulate(
                rules, "greedy,greedy", n, SEED, threads=1, chunk=chunk, design="fixed"
            )
            assert (found.games.collect()["points"].to_numpy() == ref["points"]).all()
            return 1

        return work

    with checked("chunks of the runner"):
        speeds = alternate({"one": run(n), "many": run(1)}, size.seconds, perf_counter)
    extra = (1 / speeds["many"].median - 1 / speeds["one"].median) / (n - 1)
    report.add("chunks", "chunk of the runner", max(extra, 0.0) * 1e6, "us",
               "submitting, waiting, a frame; a chunk is about a second of play")  # fmt: skip
