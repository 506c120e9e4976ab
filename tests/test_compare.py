"""Comparisons: one decision for one seed, whatever the threads, the chunks and the stops."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from fake_engine import A, B, C, FakeEngine
from ramisim.analysis.comparing import Comparison, compare_runs
from ramisim.analysis.deals import collect_deals
from ramisim.analysis.report import text_block, write_report
from ramisim.analysis.runs import open_run, run_in_memory
from ramisim.analysis.sequential import PRESETS
from ramisim.analysis.stopping import StopRule, Watch
from ramisim.analysis.summary import summarise
from ramisim.compare import PILOT_FIRST, compare
from ramisim.errors import RunError, StrategyError
from ramisim.runner import Run


class Uneven(FakeEngine):
    """Anna is better; the same cards help whoever has them, and equal strategies play alike."""

    edge = 12.0

    def _match(
        self, deal: int, rotation: int, seating: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        games, rounds = super()._match(deal, rotation, seating)
        names = [self.strategies[k].name for k in seating]
        luck = np.random.default_rng([self.seed, deal]).normal(0, 60, len(names))
        chance = np.random.default_rng([self.seed, deal, *map(ord, "".join(names))])
        edge = np.array([self.edge * (name == "anna") for name in names])
        points = luck + edge + chance.normal(0, 30, len(names))
        games["points"] = np.round(points)
        best = games["points"] == games["points"].max()
        games["won"] = best / best.sum()
        games["went_out"] = np.minimum(games["went_out"], games["rounds"])
        return games, rounds


class Even(Uneven):
    edge = 0.0


def play(*strategies: Any, engine: Any = Uneven, **options: Any) -> Run:
    given: dict[str, Any] = {"seed": 7, "engine": engine, "threads": 1}
    return compare("rami500", strategies or (A, B), **(given | options))


def compared(run: Run) -> Comparison:
    whole = run_in_memory(run.manifest, run.games, run.rounds)
    found = compare_runs(whole, collect_deals(whole))
    assert found is not None
    return found


def test_a_number_of_deals() -> None:
    run = play(deals=230)
    assert run.manifest["deals"] == 230
    assert run.games.select(pl.col("deal").n_unique()).collect().item() == 230
    got = compared(run)
    assert got.reached
    assert got.pairs[0].verdict == "none"
    assert (got.pairs[0].a, got.pairs[0].b) == ("anna", "bert")
    assert got.pairs[0].better + got.pairs[0].worse <= 230


def test_a_clear_gain_ends_early() -> None:
    run = play(test="gain")
    pair = compared(run).pairs[0]
    assert pair.verdict == "better"
    assert pair.outcome is not None
    assert pair.outcome.n == run.manifest["deals"] < 1000
    assert run.manifest["stop"]["ended"] == pair.outcome.n
    assert pair.after_stop is not None
    assert pair.after_stop.plain == pytest.approx(pair.points.mean)


def test_an_end_at_a_precision() -> None:
    run = play(within=3.0)
    got = compared(run)
    pair = got.pairs[0]
    assert got.reached
    assert pair.verdict == "better"
    assert pair.band_low is not None
    assert pair.band_high is not None
    assert pair.band_high - pair.band_low <= 6.0
    # One deal less would not have been enough.
    fewer = compared(play(deals=run.manifest["deals"] - 1)).pairs[0].band
    assert got.rule.planned >= 100
    assert float(fewer.half[-1]) > 0


def test_a_cap_ends_without_a_decision() -> None:
    run = play(test="gain", engine=Even, deals=210)
    got = compared(run)
    assert run.manifest["deals"] == 210
    assert not got.reached
    assert got.pairs[0].verdict == "undecided"
    assert got.pairs[0].outcome is not None
    assert got.pairs[0].outcome.decision == "inconclusive"


@pytest.mark.parametrize("rule", [{"test": "gain"}, {"test": "non-regression"}, {"within": 4.0}])
def test_threads_and_chunks_decide_nothing(rule: dict[str, Any]) -> None:
    ref = play(**rule)
    for changes in ({"threads": 4}, {"threads": 3, "chunk": 7}, {"chunk": 1000}):
        got = play(**rule, **changes)
        assert got.manifest["stop"] == ref.manifest["stop"]
        assert_frame_equal(got.games.collect(), ref.games.collect())


class Late(Uneven):
    """The first chunk comes last: an order of arrival that must not matter."""

    def play(self, first_deal: int, *args: Any, **named: Any) -> Any:
        import time

        if first_deal == 0:
            time.sleep(0.3)
        return super().play(first_deal, *args, **named)


def test_arrival_order_decides_nothing(tmp_path: Path) -> None:
    ref = play(test="gain", out=tmp_path / "a", threads=1)
    got = play(test="gain", out=tmp_path / "b", threads=4, engine=Late)
    assert got.manifest["stop"] == ref.manifest["stop"]
    parts = [sorted(p.name for p in (tmp_path / x / "games").iterdir()) for x in "ab"]
    assert parts[0] == parts[1]
    for name in parts[0]:
        one, two = ((tmp_path / x / "games" / name).read_bytes() for x in "ab")
        assert one == two


class Fragile(Uneven):
    """Stops once on deal 500, as a machine may."""

    broken = True

    def play(self, first_deal: int, n_deals: int, *args: Any, **named: Any) -> Any:
        if Fragile.broken and first_deal <= 150 < first_deal + n_deals:
            raise StrategyError("anna stumbles", [])
        return super().play(first_deal, n_deals, *args, **named)


def test_a_stopped_comparison_goes_on_to_the_same_end(tmp_path: Path) -> None:
    ref = play(test="gain", out=tmp_path / "ref")
    Fragile.broken = True
    with pytest.raises(StrategyError, match="stumbles"):
        play(test="gain", out=tmp_path / "run", engine=Fragile)
    half_way = json.loads((tmp_path / "run" / "run.json").read_text())
    assert not half_way["complete"]
    Fragile.broken = False
    got = play(test="gain", out=tmp_path / "run", engine=Fragile, resume=True)
    assert got.manifest["stop"] == ref.manifest["stop"]
    assert_frame_equal(got.games.collect(), ref.games.collect())
    # Once more there is nothing to play.
    again = play(test="gain", out=tmp_path / "run", engine=FakeEngine, resume=True)
    assert_frame_equal(again.games.collect(), ref.games.collect())


def test_a_killed_end_is_finished(tmp_path: Path) -> None:
    """The manifest says where the run ended, its surplus parts are still there."""
    play(test="gain", out=tmp_path / "ref")
    play(test="gain", out=tmp_path / "run")
    ended = json.loads((tmp_path / "run" / "run.json").read_text())
    (tmp_path / "run" / "run.json").write_text(json.dumps(ended | {"complete": False}))
    games = tmp_path / "run" / "games"
    last = sorted(games.iterdir())[-1]
    (games / "part-000099.parquet").write_bytes(last.read_bytes())
    last.unlink()
    play(test="gain", out=tmp_path / "run", resume=True)
    names = [sorted(p.name for p in (tmp_path / x / "games").iterdir()) for x in ("ref", "run")]
    assert names[0] == names[1]
    one, two = (open_run(tmp_path / x).games.collect() for x in ("ref", "run"))
    assert_frame_equal(one, two)


def test_another_rule_is_another_run(tmp_path: Path) -> None:
    play(test="gain", deals=210, engine=Even, out=tmp_path)
    with pytest.raises(RunError, match="stop by the rule gain, at most 210 deals"):
        play(test="non-regression", deals=210, engine=Even, out=tmp_path, resume=True)
    with pytest.raises(RunError, match="stop by the rule"):
        play(deals=210, engine=Even, out=tmp_path, resume=True)


def test_one_deal_is_told_without_an_interval() -> None:
    run = play(A, B, deals=1)
    estimate = text_block(run_in_memory(run.manifest, run.games)).splitlines()[2]
    assert estimate.endswith("points a game; one deal gives no interval.")


@pytest.mark.parametrize("design", ["duplicate", "substitute"])
def test_a_strategy_against_itself_differs_by_exactly_0(design: str) -> None:
    run = play(A, A, design=design, deals=150)
    pair = compared(run).pairs[0]
    assert (pair.better, pair.worse) == (0, 0)
    assert pair.points.mean == 0
    assert pair.points.se == 0
    assert pair.points.alike == 1
    assert pair.verdict == "none"


def test_substitute_compares_candidates_and_not_opponents() -> None:
    run = play(A, B, design="substitute", opponents=[C], players=3, deals=120)
    names = [s["name"] for s in run.manifest["strategies"]]
    assert names == ["anna", "bert", "cleo"]
    got = compared(run)
    assert [(p.a, p.b) for p in got.pairs] == [("anna", "bert")]
    assert len(run.manifest["seatings"]) == 6
    assert got.pairs[0].points.mean > 0


def test_all_pairs_with_holm() -> None:
    got = compared(play(A, B, C, players=3, deals=150))
    assert [(p.a, p.b) for p in got.pairs] == [("anna", "bert"), ("anna", "cleo"), ("bert", "cleo")]
    p, holm = zip(*((x.points.p, x.points.p_holm) for x in got.pairs), strict=True)
    least = min(range(3), key=lambda i: p[i])
    assert holm[least] == pytest.approx(min(1.0, 3 * p[least]))


def test_a_family_of_tests_shares_its_errors() -> None:
    run = play(A, B, C, players=3, test="gain")
    got = compared(run)
    assert got.rule.pairs == 3
    assert [p.verdict for p in got.pairs[:2]] == ["better", "better"]
    outcome = got.pairs[0].outcome
    assert outcome is not None
    assert outcome.upper == pytest.approx(np.log((1 - 0.05 / 3) / (0.05 / 3)))
    assert run.manifest["deals"] == max(p.outcome.n for p in got.pairs if p.outcome is not None)


def test_the_pilot_is_not_evaluated() -> None:
    asked: list[int] = []

    class Noting(Uneven):
        def play(self, first_deal: int, *args: Any, **named: Any) -> Any:
            asked.append(first_deal)
            return super().play(first_deal, *args, **named)

    run = play(within=5.0, engine=Noting)
    assert min(asked) == 0
    assert max(asked) >= PILOT_FIRST
    assert run.games.select(pl.col("deal").max()).collect().item() < PILOT_FIRST


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"design": "rotate"}, "does not play the same deals for both"),
        ({"within": 1.0, "test": "gain"}, "not by both"),
        ({"within": 0.0}, "above 0"),
        ({"test": "loss"}, "choose gain or non-regression"),
        ({"deals": 0}, "deals is 0: 1 to"),
    ],
)
def test_what_cannot_be_compared(options: dict[str, Any], says: str) -> None:
    with pytest.raises(RunError, match=says):
        play(**options)


def test_one_strategy_is_no_comparison() -> None:
    with pytest.raises(RunError, match="two strategies at least"):
        play(A)


def watched(rule: StopRule, pieces: Sequence[int], values: npt.NDArray[np.float64]) -> Watch:
    watch = Watch(rule)
    at = 0
    for piece in pieces:
        watch.add(values[:, at : at + piece])
        at += piece
    watch.add(values[:, at:])
    return watch


@pytest.mark.parametrize(
    "rule",
    [
        StopRule.after(700, 2),
        StopRule.precise(5.0, 30.0, 2),
        StopRule.tested("gain", 2),
        StopRule.tested("non-regression", 2, 900),
    ],
)
def test_pieces_change_nothing(rule: StopRule) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal([[3.0], [1.5]], 30.0, (2, 5000)).round()
    ref = watched(rule, [], values)
    assert ref.ended is not None
    for pieces in ([1] * 400, [25, 7, 500, 3], [4999]):
        got = watched(rule, pieces, values)
        assert got.ended == ref.ended
        assert got.outcomes() == ref.outcomes()
        assert got.means().tolist() == ref.means().tolist()
    tests = [PRESETS[rule.kind].run(v) for v in values] if rule.kind in PRESETS else []
    assert all(test.n <= ref.ended for test in tests)
    assert StopRule.from_dict(json.loads(json.dumps(rule.to_dict()))) == rule


@pytest.mark.parametrize(
    ("options", "decision", "estimate"),
    [
        ({"test": "gain"}, "anna is better than bert: the test for a gain says", "one look only"),
        ({"test": "non-regression"}, "anna is not worse than bert", "one look only"),
        ({"within": 3.0}, "anna beats bert by", ""),
        ({"test": "gain", "engine": Even, "deals": 205}, "gave up after 205 deals", "unbiased"),
    ],
)
def test_decision_and_estimate_are_told_apart(
    options: dict[str, Any], decision: str, estimate: str, tmp_path: Path
) -> None:
    play(**options, out=tmp_path / "run")
    run = open_run(tmp_path / "run")
    lines = text_block(run).splitlines()
    assert len(lines) == 5
    assert lines[1].startswith("Decision: ")
    assert decision in lines[1]
    assert lines[2].startswith("Estimate: anna minus bert ")
    assert estimate in lines[2]
    assert "games lost" in lines[3]
    assert "anna more than bert on" in lines[3]
    for lang in ("en", "fr"):
        written = write_report(run, tmp_path / lang, lang)
        html = written.html.read_text(encoding="utf-8")
        assert html.count("<svg") == (7 if "test" in options else 6)
        told = json.loads(written.json.read_text(encoding="utf-8"))
        pair = told["comparison"]["pairs"][0]
        assert pair["points"]["mean"] == summarise(run).comparison.pairs[0].points.mean  # type: ignore[union-attr]
        assert told["comparison"]["rule"]["kind"] == (
            "within" if "within" in options else options["test"]
        )


def test_extreme_deals_come_with_their_seating(tmp_path: Path) -> None:
    play(deals=200, out=tmp_path / "run")
    run = open_run(tmp_path / "run")
    found = summarise(run).comparison
    assert found is not None
    games = run.games.collect()
    for x, sign in ((found.pairs[0].most[0], 1), (found.pairs[0].least[0], -1)):
        of_deal = games.filter(pl.col("deal") == x.deal)
        gaps = {
            rotation: sign
            * int(
                of_deal.filter(rotation=rotation, strategy="anna")["points"][0]
                - of_deal.filter(rotation=rotation, strategy="bert")["points"][0]
            )
            for rotation in (0, 1)
        }
        assert gaps[x.rotation] == max(gaps.values())
        html = write_report(run, tmp_path).html.read_text(encoding="utf-8")
        assert f"--deal {x.deal} --rotation {x.rotation}" in html
