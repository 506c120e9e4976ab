"""The benchmark suite itself: its shape, its checks, and the signature. No time is asserted."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from ramisim.benchmarks import native, peers, signature
from ramisim.benchmarks.figures import Figure, Report, WrongResultError
from ramisim.benchmarks.fresh import fresh
from ramisim.benchmarks.measure import Rates, alternate, ratio
from ramisim.benchmarks.show import write
from ramisim.benchmarks.suite import BENCHMARKS, TINY, run
from ramisim.cli.app import app
from ramisim.errors import RamisimError

FIGURE = {"group", "name", "value", "unit", "note", "goal", "better", "also", "met"}


def check_report(told: dict[str, Any]) -> None:
    assert set(told) == {"format", "mode", "machine", "figures", "missing", "remarks"}
    names = [(figure["group"], figure["name"]) for figure in told["figures"]]
    assert len(set(names)) == len(names) > 0
    for figure in told["figures"]:
        assert set(figure) == FIGURE
        assert math.isfinite(figure["value"])
        assert (figure["met"] is None) == (figure["goal"] is None)


QUICK = ("hands", "chunks", "games", "parts")


@pytest.mark.parametrize("name", QUICK)
def test_a_benchmark_in_tiny(name: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["bench", name, "--tiny", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    told = json.loads((tmp_path / "bench.json").read_text())
    check_report(told)
    assert {figure["group"] for figure in told["figures"]} == {name}
    assert (tmp_path / "bench.svg").read_text().rstrip().endswith("</svg>")
    assert told["figures"][0]["name"] in done.output


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in BENCHMARKS if n not in QUICK])
def test_the_other_benchmarks_in_tiny(name: str) -> None:
    report = run([name], TINY)
    if name != "peers":
        check_report(json.loads(report.as_json()))
    else:
        assert bool(report.missing) == bool(peers.missing_peers())


def test_missing_peers_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda name: None)
    report = run(["peers"], TINY)
    assert report.figures == []
    assert [line.split()[0] for line in report.missing] == ["OpenSpiel", "RLCard"]
    assert all("ramisim[peers]" in line for line in report.missing)
    done = CliRunner().invoke(app, ["bench", "peers", "--tiny"])
    assert done.exit_code == 0
    assert "OpenSpiel is not installed" in done.output


def test_a_missing_compiler_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_compiler", lambda: None)
    assert "no C compiler" in str(native.why_no_c())


def test_an_unknown_benchmark_is_refused() -> None:
    with pytest.raises(RamisimError, match="unknown benchmark 'hand'"):
        run(["hand"], TINY)
    assert CliRunner().invoke(app, ["bench", "hand"]).exit_code == 2


def test_a_wrong_result_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    import ramisim.melding

    true = ramisim.melding.best_melds_many

    def wrong(*args: Any, **named: Any) -> Any:
        found = true(*args, **named)
        found["deadwood"][7] += 1
        return found

    monkeypatch.setattr(ramisim.melding, "best_melds_many", wrong)
    with pytest.raises(WrongResultError, match="best melds of random10"):
        run(["hands"], TINY)


def test_rates_of_works_in_turns() -> None:
    clock = iter(range(10_000))
    speeds = alternate({"two": lambda: 2, "one": lambda: 1}, 4, clock=lambda: float(next(clock)))
    assert {name: rates.slices[0] for name, rates in speeds.items()} == {"two": 2.0, "one": 1.0}
    assert len(speeds["two"].slices) == len(speeds["one"].slices) >= 3
    assert ratio(speeds["two"], speeds["one"]) == 2.0
    rates = Rates((1.0, 5.0, 2.0))
    assert (rates.median, rates.best) == (2.0, 5.0)


def test_goals() -> None:
    assert Figure("g", "n", 2, "x", goal=1.9).met
    assert not Figure("g", "n", 1, "x", goal=1.9).met
    assert Figure("g", "n", 1, "s", goal=2, better="less").met
    assert Figure("g", "n", 1, "s").met is None


def test_a_report_without_figures_is_drawn(tmp_path: Path) -> None:
    for file in write(Report("tiny"), tmp_path):
        assert file.stat().st_size


def test_a_fresh_process() -> None:
    found = fresh("told = [1, 2]")
    assert found.told == [1, 2]
    assert found.seconds > 0
    if sys.platform == "linux":
        assert 1 < found.megabytes < 1000
    with pytest.raises(WrongResultError, match="ZeroDivisionError"):
        fresh("1 / 0")


def test_the_signature_is_held() -> None:
    """Speed work changes no game. Where a change is meant: ``ramisim bench --signature --hold``.

    The message names each preset and strategy that plays otherwise.
    """
    found = signature.parts()
    assert signature.differences(found) == []
    assert signature.total(found) == signature.total(signature.held())


def test_the_signature_sees_one_other_game(monkeypatch: pytest.MonkeyPatch) -> None:
    from ramisim.rules import Rules

    rules = Rules.load("rami500-quick")
    before = signature._part(rules, "careful")
    assert before == signature._part(rules, "careful") == signature.held()["rami500-quick/careful"]
    monkeypatch.setattr(signature, "SEED", signature.SEED + 1)
    assert signature._part(rules, "careful") != before


def test_the_c_twin_is_the_kernel() -> None:
    from ramisim.benchmarks.hands import GIN, gin_hands
    from ramisim.kernels.melding import least_deadwood_many, scratch
    from ramisim.kernels.melding_tables import ACE_HAND, DEADWOOD, ENDS, FACE, new_tables
    from ramisim.rules import Rules

    if native.why_no_c():
        pytest.skip(str(native.why_no_c()))
    for override in (GIN, {"values.face": 11}, {"meld.ace": "high"}):
        tables = new_tables(Rules.load("rami", override).record(), DEADWOOD)
        numbers = int(tables[FACE]), int(tables[ACE_HAND]), int(np.uint64(tables[ENDS]))
        for cards, discarding in ((10, False), (11, True)):
            once = gin_hands(cards, 5000, 1)[1]
            ref, got = np.empty(len(once), np.int32), np.empty(len(once), np.int32)
            least_deadwood_many(once, discarding, tables, scratch(), ref)
            native.least_deadwood_in_c(once, discarding, *numbers, got)
            assert ((got == ref) | (got < 0)).all()
            assert (got < 0).mean() < 0.01


def test_the_worst_hands_are_what_they_say() -> None:
    from ramisim.benchmarks.worst import KINDS, WORST
    from ramisim.cards import JOKER, parse_hand
    from ramisim.melding import best_melds

    known = json.loads(WORST.read_text())
    assert set(known) == set(KINDS)
    for name, kind in KINDS.items():
        hand = parse_hand(known[name]["hand"])
        assert len(hand) <= kind.cards
        assert hand.count(JOKER) <= kind.jokers
        assert best_melds(known[name]["hand"], kind.rules)["deadwood"] == known[name]["deadwood"]


def test_a_look_for_worse_hands_stays_within_its_kind() -> None:
    from ramisim.benchmarks.worst import KINDS, look_for_worse
    from ramisim.cards import JOKER

    for kind in KINDS.values():
        hand, taken = look_for_worse(kind, 0.05, 1)
        assert taken > 0
        assert len(hand) <= kind.cards
        assert hand.count(JOKER) <= kind.jokers
        assert max(hand.count(card) for card in hand if card != JOKER) <= 2
