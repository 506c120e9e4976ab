"""The gallery: figures of a meeting, tables, and pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import synthetic_runs
from ramisim import gallery
from ramisim.analysis.gallery import (
    HABITS,
    Meeting,
    best_against,
    habits_table,
    ladder_table,
    meeting,
    record_table,
)
from ramisim.analysis.runs import Run, open_run
from ramisim.strategies import strategy_names


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return open_run(synthetic_runs.duel(tmp_path_factory.mktemp("gallery") / "run", 60, 30.0))


@pytest.fixture(scope="module")
def met(run: Run) -> Meeting:
    return meeting(run)


def test_a_meeting_is_paired_and_seen_from_its_first_strategy(run: Run, met: Meeting) -> None:
    games = run.games.collect()
    means = [
        games.filter(pl.col("strategy") == name)["points"].to_numpy().mean()
        for name in ("careful", "greedy")
    ]
    assert (met.a, met.b, met.seats) == ("careful", "greedy", 2)
    assert met.points.mean == pytest.approx(means[0] - means[1])
    assert met.scale == pytest.approx(means[1])
    assert met.share == met.wins.mean


def test_habits_are_means_of_the_rounds(run: Run, met: Meeting) -> None:
    assert run.rounds is not None
    rows = run.rounds.filter(pl.col("strategy") == "greedy").collect()
    assert list(met.habits["greedy"]) == list(HABITS)
    assert met.habits["greedy"]["laid"] == pytest.approx(rows["laid"].to_numpy().mean())
    takes = rows["discard_draws"].to_numpy().sum() / rows["turns"].to_numpy().sum()
    assert met.habits["greedy"]["takes"] == pytest.approx(takes)
    opened = rows.filter(pl.col("opened_turn") > 0)["opened_turn"].to_numpy()
    assert met.habits["greedy"]["first"] == pytest.approx(opened.mean())


def test_tables_say_who_is_ahead(met: Meeting) -> None:
    assert best_against([met], "greedy") is met
    assert best_against([met], "careful") is None
    ladder = ladder_table([met], "careful", "greedy").splitlines()
    assert ladder[2].startswith("| `rami500`, 2 seats | 60 |")
    cells = [
        record_table([met], name, ["careful", "greedy"]).splitlines()[2].split("|")[2].strip()
        for name in ("careful", "greedy")
    ]
    assert cells[0].startswith("**+")
    assert cells[1].startswith("**-")
    assert cells[0][3:] == cells[1][3:]
    assert habits_table([met], "careful").count("\n") == 3


def test_every_strategy_meets_greedy_and_nobody_meets_a_pair_twice() -> None:
    wanted = gallery.meetings((), strategy_names())
    pairs = [(rules, seats, frozenset((a, b))) for rules, seats, a, b in wanted]
    assert len(pairs) == len(set(pairs))
    for rules in gallery.MAIN:
        for seats in gallery.SEATS:
            against = {a for r, s, a, b in wanted if (r, s, b) == (rules, seats, gallery.MIDDLE)}
            assert against == set(strategy_names()) - {gallery.MIDDLE}
    assert ("rami500-5p", 5, "random", "greedy") in wanted


def test_pages_hold_words_numbers_and_the_record(met: Meeting, tmp_path: Path) -> None:
    ladder = [met, replace(met, a=gallery.LOW, habits={})]
    places = gallery.write_gallery(tmp_path, ladder, ["random", "careful", "greedy"])
    assert [place.name for place in places] == [
        "README.md", "random.md", "careful.md", "greedy.md",
    ]  # fmt: skip
    page = (tmp_path / "careful.md").read_text(encoding="utf-8")
    assert "| `danger` | 2 |" in page
    assert "**Weak side.**" in page
    assert "## Its record" in page
    assert "[careful](careful.md)" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_the_pages_in_the_documentation_have_the_numbers_of_today() -> None:
    """Parameters of the pages are those that are played: else run ``ramisim gallery`` again."""
    folder = Path(__file__).parent.parent / "docs" / "strategies"
    for name in strategy_names():
        head = gallery.strategy_page(name, []).rpartition("*Written by")[0].strip()
        assert (folder / f"{name}.md").read_text(encoding="utf-8").startswith(head), name
