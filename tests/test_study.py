"""Rule studies: their files, their variants, and small ones played to the end."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from fake_engine import FakeEngine
from ramisim.analysis.metrics import METRICS, measure
from ramisim.analysis.observed import observe
from ramisim.analysis.report.study_page import write_study_report
from ramisim.analysis.report.study_verdict import study_block
from ramisim.analysis.report.words import Words
from ramisim.analysis.runs import open_run
from ramisim.analysis.study import StudyResult, analyse_study
from ramisim.analysis.study_plan import read_plan
from ramisim.cli.app import app
from ramisim.errors import RulesError, StrategyError, StudyError
from ramisim.rules import Rules
from ramisim.study import Study, plan_study, play_study
from ramisim.study_file import StudyFile, read_study, study_names

GATES = """
base = "pool500"
deals = 12
seed = 3

[factors]
opening.gate = ["none", "until_first_hit"]
score.pool = [0, 30]

[[line_ups]]
players = 2
strategies = ["greedy", "careful"]

[metrics]
starter_points = { aim = "zero", smallest = 1.0 }
round_turns = { aim = "low" }
"""

Change = Callable[[dict[str, Any]], Any]


def tables(text: str = GATES) -> dict[str, Any]:
    return tomllib.loads(text)


def planned(text: str = GATES) -> Study:
    return plan_study(StudyFile("gates", tables(text)))


class Shifted(FakeEngine):
    """Points of seat 0 in a round are 10 more without a gate, nothing else depends on rules."""

    def _match(self, deal: int, rotation: int, seating: Any) -> tuple[Any, Any]:
        games, rounds = super()._match(deal, rotation, seating)
        rounds["first"] = rounds["seat"] == 0
        rounds["turns"] = 7
        if self.rules["opening.gate"] == "none":
            rounds["points"] += np.where(rounds["first"], 10, 0)
        return games, rounds


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_study(planned(), tmp_path_factory.mktemp("study") / "run", engine=Shifted)


@pytest.fixture(scope="module")
def result(folder: Path) -> StudyResult:
    return analyse_study(folder)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda t: t.update(deal=5), "unknown key deal: did you mean deals?"),
        (lambda t: t.pop("base"), "base is missing"),
        (lambda t: t["factors"]["opening"].update(gate=[]), "has no values"),
        (lambda t: t["factors"]["opening"].update(gate=["none"]), "has 1 value"),
        (lambda t: t["factors"]["score"].update(pool=[30, 30]), "names a value twice"),
        (lambda t: t["factors"]["score"].update(pool=30), "a list is needed"),
        (lambda t: t["factors"]["score"].update(pool={"from": 9, "to": 3}), "first must be less"),
        (lambda t: t["factors"]["score"].update(pool={"from": 9, "up": 3}), "unknown key up"),
        (lambda t: t.update(factors={}), "varies nothing"),
        (lambda t: t.update(metrics={"round_turn": {}}), "did you mean round_turns?"),
        (lambda t: t.update(metrics={}), "declares no metric"),
        (lambda t: t["metrics"]["round_turns"].update(aim="up"), "aim is 'up'"),
        (lambda t: t["metrics"]["round_turns"].update(smallest=-1), "smallest is -1"),
        (lambda t: t["metrics"]["round_turns"].update(smallest=float("nan")), "smallest is nan"),
        (lambda t: t["metrics"]["round_turns"].update(aim=float("inf")), "aim is inf"),
        (lambda t: t["metrics"]["round_turns"].update(goal=1), "unknown key goal"),
        (lambda t: t.update(line_ups=[]), "nobody who plays"),
        (lambda t: t["line_ups"][0].update(strategies=[]), "names no strategies"),
        (lambda t: t["line_ups"][0].update(player=2), "did you mean players?"),
        (lambda t: t["line_ups"][0].update(design="fixed"), "duplicate or permute"),
        (lambda t: t.update(deals=1), "a whole number from 2"),
        (lambda t: t.update(without=[{"draw.discard": "top"}]), "does not vary"),
        (lambda t: t.update(without=[{"score.pool": 31}]), "no such level"),
    ],
)  # fmt: skip
def test_a_bad_file_is_told_in_a_sentence(change: Change, told: str) -> None:
    bad = tables()
    change(bad)
    with pytest.raises(StudyError) as error:
        StudyFile("gates", bad)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda t: t["factors"]["opening"].update(gates=["none", "rotating"]), "opening.gates"),
        (lambda t: t["factors"]["score"].update(pool=[0, -1]), "score.pool = -1"),
        (lambda t: t["line_ups"][0].update(strategies=["gredy"]), "unknown strategy 'gredy'"),
        (lambda t: t.update(base="pool50"), "unknown rules pool50"),
        (lambda t: t["line_ups"][0].update(strategies=["greedy"] * 3), "3 strategies do not fit"),
        (
            lambda t: (
                t["line_ups"][0].update(strategies=["greedy"]), t["metrics"].update(signal={}),
            ),
            "metric signal needs two strategies",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_told_before(change: Change, told: str) -> None:
    bad = tables()
    change(bad)
    with pytest.raises((StudyError, RulesError, StrategyError, RuntimeError)) as error:
        plan_study(StudyFile("gates", bad))
    assert told in str(error.value)


def test_variants_that_cannot_be_dealt_are_told_in_one_sentence() -> None:
    bad = tables()
    bad["factors"] = {"deal.hand_size": [13, 30, 40], "deck.packs": [2, 1]}
    with pytest.raises(StudyError) as error:
        plan_study(StudyFile("gates", bad))
    assert str(error.value).startswith(
        "study gates: 4 of 6 variants cannot be played: deal.hand_size = 30, deck.packs = 2 ("
    )
    assert "and 3 more" in str(error.value)
    assert "\n" not in str(error.value)


def test_the_reference_level_is_that_of_the_base() -> None:
    plan = planned().plan
    assert plan.factors == {
        "opening.gate": ("until_first_hit", "none"), "score.pool": (30, 0),
    }  # fmt: skip
    assert [v.levels for v in plan.variants] == [
        ("until_first_hit", 30), ("until_first_hit", 0), ("none", 30), ("none", 0),
    ]  # fmt: skip
    assert plan.reference() == 0


def test_combinations_may_be_left_out() -> None:
    told = tables()
    told["without"] = [{"opening": {"gate": "none"}, "score": {"pool": 0}}]
    plan = plan_study(StudyFile("gates", told)).plan
    assert ("none", 0) not in [v.levels for v in plan.variants]
    assert len(plan.variants) == 3


def sampled(seed: int = 3) -> Study:
    told = tables()
    told["factors"] = {
        "score.pool": {"from": 0, "to": 60},
        "values.joker_hand": {"from": 10, "to": 30},
        "opening.gate": ["none", "rotating"],
    }
    told |= {"points": 8, "seed": seed}
    return plan_study(StudyFile("gates", told))


def test_ranges_are_sampled_the_same_every_time() -> None:
    one, two, other = sampled().plan, sampled().plan, sampled(4).plan
    assert one == two
    assert one.variants != other.variants
    assert one.design == "sobol"
    assert set(one.rows) == {"a", "b", "x score.pool", "x values.joker_hand", "x opening.gate"}
    assert all(len(row) == 8 for row in one.rows.values())
    pools = [v.levels[0] for v in one.variants]
    assert all(0 <= int(p) <= 60 for p in pools)
    assert len(set(pools)) > 8
    for place, key in enumerate(one.factors):
        for a, b, x in zip(one.rows["a"], one.rows["b"], one.rows[f"x {key}"], strict=True):
            mixed = list(one.variants[a].levels)
            mixed[place] = one.variants[b].levels[place]
            assert one.variants[x].levels == tuple(mixed)


def test_points_come_as_a_power_of_two() -> None:
    told = tables()
    told |= {"factors": {"score.pool": {"from": 0, "to": 60}}, "points": 12}
    with pytest.raises(StudyError, match="power of two"):
        StudyFile("gates", told)


def test_the_studies_that_ship_can_be_planned() -> None:
    assert study_names() == ["pool500-gates", "rami500-hand", "rami51-opening"]
    for name in study_names():
        study = plan_study(read_study(name))
        assert study.plan.reference() is not None
        assert study.plan.title.keys() == study.plan.question.keys() == {"en", "fr"}
        base = Rules.load(study.plan.base, study.plan.fixed)
        reference = study.plan.reference()
        assert reference is not None
        assert study.rules[reference] == base


def test_the_example_of_the_docs_can_be_planned() -> None:
    text = (Path(__file__).parents[1] / "docs" / "studies.md").read_text(encoding="utf-8")
    example = text.split("```toml\n")[1].split("```")[0]
    plan = plan_study(StudyFile("docs", tomllib.loads(example))).plan
    assert len(plan.variants) == 4
    assert plan.factors["opening.points"] == (51, 31)


def test_the_docs_list_the_metrics_that_are_accepted() -> None:
    text = (Path(__file__).parents[1] / "docs" / "studies.md").read_text(encoding="utf-8")
    section = text.split("## The metrics\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \|$", section, re.MULTILINE)
    assert [(name, unit) for name, unit, _ in rows] == [(m.name, m.unit) for m in METRICS.values()]


def test_the_plan_is_read_back_as_it_was(folder: Path) -> None:
    plan, told = read_plan(folder)
    assert plan == planned().plan
    assert told["complete"] is True


def test_a_known_effect_is_found_on_every_deal(result: StudyResult) -> None:
    (line,) = result.lines
    rows = {(r.metric, r.changes[-1].factor, len(r.changes)): r for r in line.effects}
    gate = rows["starter_points", "opening.gate", 1]
    # Variants see the same deals, so the 10 points stand out without any error at all.
    assert (gate.found.value, gate.found.low, gate.found.high) == (10, 10, 10)
    assert gate.declared
    assert gate.matters
    assert gate.cells == 2
    assert rows["starter_points", "score.pool", 1].found.value == 0
    assert not rows["starter_points", "score.pool", 1].sure
    assert rows["starter_points", "score.pool", 2].found.value == 0
    assert not rows["margin", "opening.gate", 1].declared
    # Declared: two main effects and an interaction on each of two metrics.
    assert result.family == 6
    assert [p.deals for p in line.panels] == [12] * 4


def test_effects_are_told_also_where_none_matters(result: StudyResult) -> None:
    assert "strongest: " in study_block(result, Words())
    lines = tuple(
        replace(line, effects=tuple(replace(row, smallest=1e9) for row in line.effects))
        for line in result.lines
    )
    told = study_block(replace(result, lines=lines), Words(plain=True))
    assert "None of" in told
    (clearest,) = [line for line in told.splitlines() if line.startswith("clearest: ")]
    assert re.search(r"clearest: .* -> .*: .* [+-]\d\S* \(\S+ to \S+; 2 seats", clearest)


def test_one_strategy_alone_has_no_order(tmp_path: Path) -> None:
    """The report said that no variant changes the order of the strategies, where one plays."""
    text = re.sub(r"strategies = .*", 'strategies = ["greedy"]', GATES)
    result = analyse_study(play_study(planned(text), tmp_path / "run", engine=Shifted))
    assert "order of the strategies" not in study_block(result, Words())


def test_the_front_holds_what_the_aims_prefer(result: StudyResult) -> None:
    view = result.lines[0].pareto
    assert view is not None
    assert view.metrics == ("starter_points", "round_turns")
    points = [p.metrics["starter_points"] for p in result.lines[0].panels]
    near = [abs(x.value) for x in points if x is not None]
    assert list(view.front) == [x == min(near) for x in near]


def test_a_study_goes_on_where_it_stopped(tmp_path: Path, folder: Path) -> None:
    calls = []

    class Stops(Shifted):
        def play(self, *args: Any, **kwargs: Any) -> Any:
            calls.append(args)
            if len(calls) == 4:
                raise KeyboardInterrupt
            return super().play(*args, **kwargs)

    out = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        play_study(planned(), out, engine=Stops, threads=1)
    with pytest.raises(StudyError, match="not finished"):
        analyse_study(out)
    with pytest.raises(StudyError, match="not empty"):
        play_study(planned(), out, engine=Shifted)
    play_study(planned(), out, engine=Shifted, resume=True)
    for v in range(4):
        name = f"v{v}-line0"
        one, two = (open_run(f / name).games.collect() for f in (out, folder))
        assert one.equals(two)


def test_another_study_is_not_played_into_the_folder(folder: Path) -> None:
    with pytest.raises(StudyError, match="its deals differs"):
        play_study(planned(GATES.replace("= 12", "= 13")), folder, engine=Shifted, resume=True)


class Sloped(FakeEngine):
    """The starter's points grow with the pool and not with the joker; a step with the gate."""

    def _match(self, deal: int, rotation: int, seating: Any) -> tuple[Any, Any]:
        games, rounds = super()._match(deal, rotation, seating)
        rounds["first"] = rounds["seat"] == 0
        step = 12 if self.rules["opening.gate"] == "rotating" else 0
        rounds["points"] += np.where(rounds["first"], self.rules.number("score.pool") + step, 0)
        return games, rounds


@pytest.mark.slow
class Counted:
    """Progress that notes how it began and how it stood."""

    def __init__(self) -> None:
        self.begun: tuple[int, int] = (0, 0)
        self.told: list[int] = []

    def start(self, total: int, already: int) -> None:
        self.begun = (total, already)

    def update(self, done: int, news: str = "") -> None:
        self.told.append(done)

    def stop(self) -> None:
        pass


def test_progress_of_a_study_counts_what_an_earlier_start_has_played(tmp_path: Path) -> None:
    out, first, again = tmp_path / "study", Counted(), Counted()
    play_study(planned(), out, engine=Shifted, progress=first)
    total = first.begun[0]
    assert first.begun == (total, 0)
    assert first.told[-1] == total
    lost = sorted(out.glob("*/games"))[0]
    games = len({(row["deal"], row["rotation"]) for row in pl.read_parquet(lost).to_dicts()})
    for table in (lost, lost.parent / "rounds"):
        for part in table.iterdir():
            part.unlink()
    play_study(planned(), out, engine=Shifted, resume=True, progress=again)
    assert again.begun == (total, total - games)
    assert again.told[-1] == total


def test_a_sampled_study_tells_which_factor_explains_what(tmp_path: Path) -> None:
    told = tables()
    told["factors"] = {
        "score.pool": {"from": 0, "to": 59},
        "values.joker_hand": {"from": 10, "to": 30},
        "opening.gate": ["none", "rotating"],
    }
    study = plan_study(StudyFile("gates", told | {"points": 32}))
    result = analyse_study(play_study(study, tmp_path / "run", engine=Sloped))
    (line,) = result.lines
    found = line.sensitivity["starter_points"]
    # Variance of 0..59 is 299.9, of a step of 12 it is 36.
    assert found.variance == pytest.approx(336, rel=0.25)
    index = {x.factor: x for x in found.indices}
    assert index["score.pool"].total == pytest.approx(0.89, abs=0.1)
    assert index["opening.gate"].first == pytest.approx(0.11, abs=0.06)
    assert index["values.joker_hand"].total == pytest.approx(0, abs=1e-9)
    rows = {r.changes[0].factor: r.found for r in line.effects if r.metric == "starter_points"}
    assert rows["score.pool"].value == pytest.approx(59)
    assert rows["opening.gate"].value == pytest.approx(12)
    assert rows["values.joker_hand"].value == pytest.approx(0, abs=1e-9)
    assert "sobol-starter-points" in write_study_report(result, tmp_path).html.read_text()


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_the_report_stands_alone_and_is_the_same_every_time(
    result: StudyResult, tmp_path: Path, lang: Any
) -> None:
    one = write_study_report(result, tmp_path / "one", lang)
    two = write_study_report(result, tmp_path / "two", lang)
    html = one.html.read_text(encoding="utf-8")
    assert html == two.html.read_text(encoding="utf-8")
    assert one.json.read_bytes() == two.json.read_bytes()
    assert "http" not in html.replace("http://www.w3.org", "").replace("https://www.w3.org", "")
    assert "opening.gate" in html
    assert "nan" not in one.json.read_text(encoding="utf-8").lower().replace("nance", "")
    assert one.text.startswith("ramisim study gates")
    told = json.loads(one.json.read_text(encoding="utf-8"))
    assert len(told["study"]["lines"][0]["panels"]) == 4


def test_every_metric_has_a_name_in_both_languages() -> None:
    from ramisim.analysis.report.words import Words

    for lang in ("en", "fr"):
        words = Words("fr" if lang == "fr" else "en")
        assert all(words(f"metric.{name}") for name in METRICS)


def test_every_metric_measures_the_fake_run(folder: Path) -> None:
    seen = observe(open_run(folder / "v0-line0"))
    found = {name: measure(name, seen) for name in METRICS}
    # Nobody goes out, lays or draws in the fake rounds: these have nothing to divide by.
    unknown = {name for name, v in found.items() if v is None}
    assert unknown == {"starter_out", "opening_turn", "discard_taken"}
    assert all(np.isfinite(v.value) for v in found.values() if v is not None)
    ends = sum(v.value for name, v in found.items() if v is not None and name.startswith("end_"))
    assert ends == pytest.approx(1.0)


def run(*args: str) -> Any:
    return CliRunner().invoke(app, ["study", *args])


def test_the_command_lists_and_shows_studies(tmp_path: Path) -> None:
    assert "pool500-gates" in run().output
    assert 'base = "rami51"' in run("rami51-opening", "--toml").output
    shown = run("rami500-hand", "--dry-run")
    assert shown.exit_code == 0
    assert "v15" in shown.output


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GATES.replace("deals", "deal"), "unknown key deal"),
        (GATES.replace('["none", "until_first_hit"]', "[]"), "has no values"),
        (GATES.replace("round_turns", "round_turnz"), "unknown metric round_turnz"),
        ("base = ", "is no TOML file"),
    ],
)
def test_the_command_refuses_with_code_2_and_one_line(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    got = run(str(file), "--out", str(tmp_path / "out"))
    assert got.exit_code == 2
    assert told in got.output
    assert len(got.output.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_report_reads_a_study_again(folder: Path, tmp_path: Path) -> None:
    got = CliRunner().invoke(app, ["report", str(folder), "--out", str(tmp_path), "--lang", "fr"])
    assert got.exit_code == 0
    assert got.output.startswith("ramisim study gates : pool500, 4 variantes")
    assert (tmp_path / "report.html").is_file()


def test_unknown_studies_are_told() -> None:
    got = run("pool500-gate")
    assert got.exit_code == 2
    assert "did you mean pool500-gates?" in got.output


@pytest.mark.slow
def test_a_real_study_from_file_to_page(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(GATES, encoding="utf-8")
    for name, threads in (("one", "1"), ("two", "3")):
        got = run(str(file), "--out", str(tmp_path / name), "--threads", threads)
        assert got.exit_code == 0, got.output
    one, two = (json.loads((tmp_path / n / "report.json").read_text()) for n in ("one", "two"))
    for told in (one, two):
        told["study"].pop("command")
    assert one == two
    assert "ramisim study mine" in got.output
