"""Comparisons on the command line and with the real engine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

from ramisim.analysis.comparing import compare_runs
from ramisim.analysis.deals import collect_deals
from ramisim.analysis.runs import open_run, run_in_memory
from ramisim.cli.app import app
from ramisim.compare import compare
from ramisim.rules import Rules, preset_names

QUICK = ("--rules", "rami500-quick", "--seed", "3")


def command(*words: str, code: int = 0) -> str:
    got = CliRunner().invoke(app, list(words))
    assert got.exit_code == code, got.output
    return got.stdout  # progress goes to the other stream, on a slow machine


def test_compare_tells_its_decision_and_writes_its_report(tmp_path: Path) -> None:
    out = tmp_path / "run"
    said = command(
        "compare", "careful", "random", *QUICK, "--test", "gain", "--out", str(out), "--rounds"
    )
    lines = said.splitlines()
    assert lines[1].startswith("Decision: careful is better than random")
    assert lines[2].startswith("Estimate: careful minus random +")
    assert lines[-1] == str(out / "report.html")
    told = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert told["comparison"]["pairs"][0]["verdict"] == "better"
    assert told["comparison"]["reached"]
    again = command(
        "compare", "careful", "random", *QUICK, "--test", "gain", "--out", str(out), "--rounds",
        "--resume",
    )  # fmt: skip
    assert again.splitlines()[:5] == lines[:5]
    assert "nothing was left to play" in again


def test_without_a_folder_the_lines_are_told_alone() -> None:
    said = command("compare", "careful", "greedy", *QUICK, "--deals", "20", "--lang", "fr")
    assert "20 donnes" in said
    assert "Estimation : careful moins greedy" in said
    assert "report.html" not in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("compare", "greedy"), "two strategies at least"),
        (("compare", "greedy", "careful", "--within", "1", "--test", "gain"), "not by both"),
        (("compare", "greedy", "nobody"), "nobody"),
        (("compare", "greedy", "careful", "--luck"), "name a folder with --out"),
        (("compare", "greedy", "careful", "--players", "9"), "9"),
        (("plan", "greedy", "--detect", "2"), "two strategies"),
        (("plan", "greedy", "careful", "--detect", "0"), "above 0"),
        (("gains", "--strategies", "greedy"), "between two strategies"),
        (("gains", "--seats", "two"), "numbers from 2 to 8"),
        (("gains", "--seats", "2,9"), "numbers from 2 to 8"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(words: tuple[str, ...], says: str) -> None:
    got = CliRunner().invoke(app, list(words))
    assert got.exit_code == 2
    assert says in got.output
    assert "Traceback" not in got.output


def test_plan_tells_deals_and_time() -> None:
    said = command("plan", "careful", "greedy", *QUICK, "--detect", "5", "--pilot", "40")
    assert "find 5 points with power 90%" in said
    assert "--test gain" in said
    assert "games/s" in said


def test_gains_write_a_page(tmp_path: Path) -> None:
    page = tmp_path / "gains.md"
    command(
        "gains", "--rules", "rami500-quick", "--seats", "2", "--deals", "40", "--docs", str(page)
    )
    row = page.read_text(encoding="utf-8").splitlines()[-1]
    assert row.startswith("| rami500-quick | 2 |")
    assert row.count("×") == 3


SCRIPT = """
    import sys, time
    from ramisim.compare import compare
    from fake_engine import A, B
    from test_compare import Even

    class Slow(Even):
        def play(self, *args, **named):
            time.sleep(0.05)
            return super().play(*args, **named)

    if __name__ == "__main__":
        compare("rami500", [A, B], test="gain", deals=400, seed=7, out=sys.argv[1], chunk=4,
                threads=2, engine=Slow)
"""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_comparison_is_resumed_to_the_same_decision(
    tmp_path: Path, stop: signal.Signals
) -> None:
    from fake_engine import A, B
    from test_compare import Even

    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    paths = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[1])])
    process = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "run")],
        env=os.environ | {"PYTHONPATH": paths},
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 60
    while len(list((tmp_path / "run").glob("games/part-*.parquet"))) < 5:
        assert time.monotonic() < deadline, "the run does not get on"
        time.sleep(0.01)
    process.send_signal(stop)
    process.communicate(timeout=60)
    assert not json.loads((tmp_path / "run" / "run.json").read_text())["complete"]

    given: dict[str, Any] = {"test": "gain", "deals": 400, "seed": 7, "engine": Even, "chunk": 4}
    ref = compare("rami500", [A, B], **given)
    got = compare("rami500", [A, B], **given, out=tmp_path / "run", resume=True, threads=3)
    assert got.manifest["stop"] == ref.manifest["stop"]
    assert_frame_equal(got.games.collect(), ref.games.collect())


@pytest.mark.slow
@pytest.mark.parametrize("name", preset_names())
def test_a_strategy_against_itself_is_exactly_0_on_every_deal(name: str) -> None:
    """The real engine: two at a table, and the same candidate twice among others."""
    fewest = Rules.load(name).number("players.min")
    tables = [("duplicate", 2, ()), ("substitute", 3, ("careful",))] if fewest == 2 else []
    for design, players, opponents in tables or [("substitute", fewest, ("careful",))]:
        run = compare(
            name, ["greedy", "greedy"], deals=25, seed=5, design=design, players=players,
            opponents=opponents,
        )  # fmt: skip
        whole = run_in_memory(run.manifest, run.games)
        deals = collect_deals(whole)
        assert not deals.clusters("points").difference(0, 1).any()
        assert not deals.clusters("win").difference(0, 1).any()
        found = compare_runs(whole, deals)
        assert found is not None
        assert (found.pairs[0].better, found.pairs[0].worse) == (0, 0)


@pytest.mark.slow
def test_threads_decide_nothing_with_the_real_engine(tmp_path: Path) -> None:
    runs = []
    for threads, chunk in ((1, None), (2, None), (5, 30)):
        out = tmp_path / f"{threads}"
        compare(
            "rami500-quick", ["careful", "greedy"], test="non-regression", deals=600, seed=9,
            threads=threads, chunk=chunk, out=out,
        )  # fmt: skip
        runs.append(open_run(out))
    found = [compare_runs(run, collect_deals(run)) for run in runs]
    ref = found[0]
    assert ref is not None
    for run, got in zip(runs[1:], found[1:], strict=True):
        assert got is not None
        assert run.manifest.stop == runs[0].manifest.stop
        assert got.pairs[0].outcome == ref.pairs[0].outcome
        assert_frame_equal(run.games.collect(), runs[0].games.collect())
