"""Surveys: the table of how rounds go, against sums taken row by row."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ramisim.analysis.runs import open_run
from ramisim.analysis.survey import HEAD, Cell, into_page, markdown, survey_cell, survey_frame
from ramisim.cli.app import app
from ramisim.errors import RunError
from ramisim.rules import Rules
from ramisim.runner import simulate
from ramisim.survey import Table, play_table, tables


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("survey")
    table = Table(Rules.load("rami", {"round.max_turns_per_player": 12}), 3)
    return play_table(table, "greedy", 150, 3, out, threads=1)


@pytest.fixture(scope="module")
def cell(folder: Path) -> Cell:
    return survey_cell(open_run(folder))


def test_the_figures_are_those_of_the_rows(folder: Path, cell: Cell) -> None:
    run = open_run(folder)
    assert run.rounds is not None
    rows = run.rounds.collect().to_dicts()
    rounds = [row for row in rows if row["seat"] == 0]
    assert (cell.rules, cell.players, cell.strategy) == ("rami", 3, "greedy")
    assert cell.rounds == len(rounds) >= 150
    assert cell.matches == len({row["deal"] for row in rows})
    ends = Counter(row["end"] for row in rounds)
    assert {"out", "stall"} <= set(ends)
    for end, estimate in cell.ends.items():
        assert estimate.mean == pytest.approx(ends[end] / len(rounds))
    assert cell.turns.mean == pytest.approx(sum(row["turns"] for row in rows) / len(rows))
    assert cell.points.mean == pytest.approx(sum(row["points"] for row in rows) / len(rows))
    assert cell.laid.mean == pytest.approx(sum(row["laid"] for row in rows) / len(rows))
    assert cell.match_length.mean == pytest.approx(len(rounds) / cell.matches)
    assert cell.ramis.mean == pytest.approx(sum(row["rami"] for row in rows) / len(rounds))
    opened = sum(row["opened_turn"] > 0 for row in rows)
    assert cell.opened.mean == pytest.approx(opened / len(rows))
    first = [row["points"] for row in rows if row["first"]]
    others = [row["points"] for row in rows if not row["first"]]
    edge = sum(first) / len(first) - sum(others) / len(others)
    assert cell.first.mean == pytest.approx(edge)
    assert cell.first.low is not None
    assert cell.first.low < edge


def test_a_survey_needs_one_strategy_and_rounds(tmp_path: Path) -> None:
    for k, (names, rounds) in enumerate([("greedy,random", True), ("greedy", False)]):
        out = tmp_path / str(k)
        simulate("rami500-quick", names, 2, design="fixed", players=2, out=out, rounds=rounds)
        with pytest.raises(RunError, match="one strategy"):
            survey_cell(open_run(out))


def test_the_tables_of_a_survey() -> None:
    names = {table.name for table in tables()}
    assert {"rami500-2", "rami500-3", "rami500-4", "rami500-5p-5", "rami500-5p-8"} <= names
    assert "rami500-5p-2" not in names
    assert len(names) == 8 * 3 + 2
    assert [table.name for table in tables(["rami51"], [5, 6])] == ["rami51-5"]
    assert tables(["rami"], [2], {"deck.jokers": 2})[0].rules["deck.jokers"] == 2


def test_rows_of_the_table(cell: Cell) -> None:
    frame = survey_frame([cell, cell])
    assert frame.height == 2
    assert frame["stall"][0] == cell.ends["stall"].mean
    head, line, first, second, end = markdown([cell, cell]).split("\n")
    assert (end, first) == ("", second)
    assert len(HEAD) == head.count("|") - 1 == line.count("|") - 1 == first.count("|") - 1


def test_the_table_goes_between_the_marks_of_a_page() -> None:
    page = "a\n<!-- survey -->\nold\n<!-- end of survey -->\nb\n"
    assert into_page(page, "new\n") == page.replace("old", "new")
    assert into_page("no marks", "new\n") == "new\n"


def test_the_command_makes_the_page_and_plays_nothing_twice(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    words = ["survey", "--out", str(tmp_path / "runs"), "--rules", "rami500-quick"]
    words += ["--players", "2", "--players", "3", "--rounds", "30", "--page", str(page)]
    first = CliRunner().invoke(app, words)
    assert first.exit_code == 0, first.output
    parts = {part: part.stat().st_mtime_ns for part in tmp_path.rglob("part-*.parquet")}
    text = page.read_text()
    assert text.count("rami500-quick") == 2
    page.write_text(f"before\n<!-- survey -->\n<!-- end of survey -->\nafter {len(text)}\n")
    again = CliRunner().invoke(app, words)
    assert again.exit_code == 0
    assert again.stdout == first.stdout
    assert text in page.read_text()
    assert page.read_text().startswith("before\n")
    assert parts == {part: part.stat().st_mtime_ns for part in tmp_path.rglob("part-*.parquet")}
