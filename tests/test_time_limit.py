"""What never ends is stopped, or at least told: plain Python, machine code, and the program."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ramisim import Rules, StrategyError, playing
from ramisim.engine import Engine
from ramisim.strategies import as_strategy
from ramisim.strategy.check import check_strategy
from ramisim.time_limit import TooLong, limited

QUICK = Rules.load("rami500-quick")

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarms here")


def endless() -> None:
    while True:
        try:
            while True:
                pass
        except Exception:
            continue


def test_a_loop_is_left_and_the_alarm_put_away() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(TooLong), limited(0.05):
        endless()
    with limited(0.05):
        pass
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_there_is_no_limit_in_a_thread_nor_over_an_alarm_of_somebody_else() -> None:
    seen = []

    def look() -> None:
        with limited(0.05):
            seen.append(signal.getitimer(signal.ITIMER_REAL)[0])

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [0.0]
    signal.setitimer(signal.ITIMER_REAL, 1000.0)
    try:
        look()
        assert seen[1] > 500.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


class Loop:
    time_limit = 0.1

    def draw(self, seen: Any, *given: Any) -> int:
        if seen.tour > 1:
            endless()
        return 0


class Quits:
    def plays(self, *given: Any) -> int:
        raise SystemExit


def played(strategy: Any) -> StrategyError:
    engine = Engine(QUICK, [as_strategy("greedy"), as_strategy(strategy)], 5)
    with pytest.raises(StrategyError) as stopped:
        engine.play(3, 1, np.array([[0, 1]], np.int8))
    return stopped.value


def test_an_answer_that_does_not_come_stops_the_run_with_the_game_so_far() -> None:
    error = played(Loop)
    said = (
        "strategy Loop in seat 1, deal 3, rotation 0, round 0: draw has not answered within 0.1 s"
    )
    assert str(error).startswith(f"{said} (line ")
    assert Path(__file__).name in str(error)
    assert error.record[-1]["end"] == "refused"
    assert "plays raised SystemExit (line " in str(played(Quits))


@pytest.mark.parametrize("limit", [0, "long", float("inf")])
def test_a_time_limit_is_a_number_of_seconds(limit: Any) -> None:
    with pytest.raises(StrategyError, match=r"Odd: time_limit .* seconds, more than 0"):
        as_strategy(type("Odd", (Loop,), {"time_limit": limit}))


LOOP = """
from ramisim.strategy import strategy

loop = strategy(base="careful")


@loop.draw
def draw(seen, hand, rules, params, chance, tools):
    n = 0
    while seen.tour > 3 and seen.hand_size[seen.turn] > 0:
        n += 1
    return seen.n_stock == 0


quits = strategy()


@quits.draw
def stop(seen, hand, rules, params, chance, tools):
    return 1 // seen.n_out if seen.tour > 2 else 0
"""


@pytest.mark.slow
def test_the_check_ends_what_does_not_end(tmp_path: Path) -> None:
    file = tmp_path / "loop.py"
    file.write_text(LOOP, encoding="utf-8")
    presets = ["rami500-quick", "rami51"]
    (verdict,) = check_strategy(f"{file}:loop", presets=presets, patience=3.0)
    assert verdict.preset == "rami500-quick"
    assert verdict.problem.startswith("deal 39 was not over in 3 s: strategy ")
    assert "in seat 0, deal 39, rotation 0, round 0: draw has not answered" in verdict.problem
    assert re.search(rf"\(line 1[01] of {re.escape(str(file))}\)", verdict.problem)
    verdicts = check_strategy(f"{file}:quits", presets=presets, patience=30.0)
    assert ["draw raised ZeroDivisionError" in v.problem for v in verdicts] == [True, True]


def test_a_run_that_waits_for_a_users_code_says_how_to_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(playing, "STALLED_AFTER", 0.0)
    own = SimpleNamespace(name="mine.py:hunter", own_functions={"draw": None})
    built_in = SimpleNamespace(name="greedy")
    news = playing.waiting_news([built_in, own, "careful"], 75.0)
    assert news == (
        "no game for 1 min 15 s; whether one never ends, "
        "ramisim strategies --check mine.py:hunter says"
    )
    assert playing.waiting_news([built_in], 75.0) == ""
    monkeypatch.undo()
    assert playing.waiting_news([own], 5.0) == ""


BUSY = """
import hashlib, signal
from ramisim.cli.interrupts import end_on_second_interrupt
signal.signal(signal.SIGINT, lambda number, frame: None)
end_on_second_interrupt()
print("ready", flush=True)
hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)  # minutes without a step of Python
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_a_second_interrupt_ends_machine_code() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", BUSY], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(2.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(60.0) == 130
        assert process.stderr is not None
        assert "Ctrl-C again stops at once" in process.stderr.read()
