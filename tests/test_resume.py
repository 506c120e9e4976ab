"""Stops: a run with a slow engine is interrupted or killed, and finished afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from fake_engine import FakeEngine
from test_run_folder import contents
from test_simulate import simulate

SCRIPT = """
    import sys, time
    import ramisim
    from fake_engine import A, B, FakeEngine

    class Slow(FakeEngine):
        def play(self, *args, **named):
            time.sleep(0.05)
            return super().play(*args, **named)

    if __name__ == "__main__":
        ramisim.simulate("rami500", [A, B], 200, 7, out=sys.argv[1], chunk=2, rounds=True,
                         threads=2, executor=sys.argv[2], engine=Slow)
"""


def start(tmp_path: Path, executor: str) -> subprocess.Popen[str]:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    paths = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[1])])
    return subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "run"), executor],
        env=os.environ | {"PYTHONPATH": paths},
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_parts(tmp_path: Path, number: int) -> None:
    deadline = time.monotonic() + 30
    while len(list((tmp_path / "run").glob("games/part-*.parquet"))) < number:
        assert time.monotonic() < deadline, "the run does not get on"
        time.sleep(0.01)


@pytest.mark.parametrize("executor", ["threads", "processes"])
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_run_is_finished_to_the_same_bytes(
    tmp_path: Path, stop: signal.Signals, executor: str
) -> None:
    with start(tmp_path, executor) as process:
        wait_for_parts(tmp_path, 3)
        process.send_signal(stop)
        _, errors = process.communicate(timeout=30)
    # Python itself leaves with the signal after an uncaught KeyboardInterrupt.
    assert process.returncode == -stop
    if stop == signal.SIGINT:
        assert errors.rstrip().endswith("KeyboardInterrupt")
        assert not list((tmp_path / "run").rglob("*.tmp"))
    halfway = contents(tmp_path / "run")
    assert b'"complete": false' in halfway["run.json"]
    assert 3 <= len([name for name in halfway if name.startswith("games")]) < 100
    options: dict[str, Any] = {"chunk": 2, "threads": 2}
    simulate(deals=200, out=tmp_path / "ref", **options)
    simulate(deals=200, out=tmp_path / "run", resume=True, **options)
    assert contents(tmp_path / "run") == contents(tmp_path / "ref")


def test_ctrl_c_keeps_the_chunks_that_were_being_played(tmp_path: Path) -> None:
    begun, go_on = threading.Barrier(3), threading.Event()

    class Blocked(FakeEngine):
        def play(self, *args: Any, **named: Any) -> Any:
            begun.wait(timeout=10)
            go_on.wait(timeout=10)
            return super().play(*args, **named)

    def interrupt() -> None:
        begun.wait(timeout=10)
        time.sleep(0.3)  # until the runner waits for them
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.3)
        go_on.set()

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        simulate(engine=Blocked, threads=2, chunk=2, out=tmp_path / "run")
    thread.join()
    assert [name for name in contents(tmp_path / "run") if "games" in name] == [
        "games/part-000000.parquet",
        "games/part-000001.parquet",
    ]
