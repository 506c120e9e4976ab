"""The report of a tournament and the command: pages, numbers, text, both languages, errors."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from ramisim.analysis.report import text_block, write_report
from ramisim.analysis.report.tournament_page import board_table
from ramisim.analysis.report.tournament_report import analyse
from ramisim.analysis.report.words import Language, Words
from ramisim.analysis.runs import open_run
from ramisim.analysis.tournament_figures import payoff_map
from ramisim.cli.app import app
from ramisim.cli.tournament import _rich
from table_engine import factory

NAMES = ["random", "first-legal", "greedy", "careful"]
STRENGTH = {"careful": 60.0, "greedy": 30.0, "random": -40.0}


@pytest.fixture(autouse=True)
def no_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are played without cards, so that nothing is compiled."""
    monkeypatch.setattr("ramisim.tournament.default_engine", factory(STRENGTH))


def test_a_map_leaves_out_those_who_meet_themselves_and_nobody_else() -> None:
    matrix = np.array([[10.0, 20.0], [-30.0, np.nan]])
    nobody = np.zeros((2, 2), bool)

    def cells(order: list[str]) -> list[str]:
        (axes,) = payoff_map(matrix, order, nobody, Words("en")).axes
        return [text.get_text() for text in axes.texts]

    assert cells(["a", "b"]) == ["·", "+20", "−30", "·"]
    # Candidates against a field, as many of the one as of the other.
    assert cells(["a", "b", "c", "d"]) == ["+10", "+20", "−30", "·"]


def ramisim(*args: Any) -> Any:
    return CliRunner().invoke(app, ["tournament", *map(str, args)])


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One run of each kind, its report written by the command."""
    home = tmp_path_factory.mktemp("tournaments")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ramisim.tournament.default_engine", factory(STRENGTH))
        kinds: dict[str, list[Any]] = {
            "two": [*NAMES, "--deals", 40],
            "four": [*NAMES, "--deals", 20, "--players", 4],
            "gauntlet": ["careful", "greedy", "--deals", 20, "--field", "random,first-legal"],
            "cup": [*NAMES, "--knock-outs", 60, "--entrants", 8, "--beside", home / "two"],
        }
        for name, args in kinds.items():
            found = ramisim(*args, "--out", home / name, "--seed", 3)
            assert found.exit_code == 0, found.output
    return {name: home / name for name in kinds}


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("kind", ["two", "four", "gauntlet", "cup"])
def test_pages_stand_alone_and_are_the_same_every_time(
    folders: dict[str, Path], tmp_path: Path, kind: str, lang: Any
) -> None:
    run = open_run(folders[kind])
    beside = open_run(folders["two"]) if kind == "cup" else None
    once = write_report(run, tmp_path / "a", lang, beside=beside)
    html = once.html.read_text()
    if lang == "en":
        # The command has written it before.
        assert html == (folders[kind] / "report.html").read_text()
        assert once.json.read_text() == (folders[kind] / "report.json").read_text()
    assert not re.search(r"(src|href)=\"https?:|<script|<link|@import", html)
    assert f'<html lang="{lang}">' in html
    assert html.count("<svg") == html.count('role="img"') == html.count("<title>") - 1
    assert "nan" not in re.sub(r"<[^>]*>", " ", html).lower().split()
    for name in NAMES:
        assert name in html
    assert len(once.text.splitlines()) == 5
    assert all(line.isascii() or lang == "fr" for line in once.text.splitlines())
    numbers = json.loads(once.json.read_text())
    assert numbers["verdict"]["sentence"].split()[0] in NAMES
    assert numbers["manifest"]["tournament"]["format"] == run.manifest.design


def test_one_candidate_is_not_ranked(tmp_path: Path) -> None:
    found = ramisim("careful", "--deals", 2, "--field", "greedy,random", "--out", tmp_path / "run")
    assert found.exit_code == 0, found.output
    html = (tmp_path / "run" / "report.html").read_text()
    assert "Rank" not in found.output + html
    assert "Leader board" not in html


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("kind", ["deal", "knock-out"])
def test_where_there_is_no_interval_there_are_no_brackets(
    tmp_path: Path, kind: str, lang: Language
) -> None:
    """Of one deal, or one knock-out."""
    one = ["--deals", 1] if kind == "deal" else ["--knock-outs", 1, "--entrants", 8]
    found = ramisim(*NAMES, *one, "--out", tmp_path / "run", "--lang", lang)
    assert found.exit_code == 0, found.output
    html = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    empty = re.compile(r"[-–]\s*(%\s)?\s*(to|à)\s*[-–]\s?(%|\)|,)|\(\s*\)")
    for text in (text_block(open_run(tmp_path / "run"), lang), html):
        assert "careful" in text
        assert not empty.search(text)
    assert not re.search(r"(0|\+\d+) \(", text_block(open_run(tmp_path / "run"), lang))


def test_the_page_says_what_the_numbers_say(folders: dict[str, Path]) -> None:
    numbers = json.loads((folders["two"] / "report.json").read_text())
    html = (folders["two"] / "report.html").read_text()
    board = numbers["board"]
    assert [row["label"] for row in board] == ["careful", "greedy", "first-legal", "random"]
    assert f"<h1>careful wins the round robin: {board[0]['points']['mean']:.1f} points" in html
    for row in board:
        assert f"{100 * row['wins']['mean']:.1f}" in html
    assert len(numbers["head_to_head"]) == 6
    assert 'id="payoff' in html
    assert 'id="ahead' in html
    first = numbers["most"][0]
    assert f"--deal {first['deal']} --line-up {first['line_up']}" in html


def test_knock_outs_beside_a_round_robin(folders: dict[str, Path]) -> None:
    numbers = json.loads((folders["cup"] / "report.json").read_text())
    assert numbers["strongest"] == "careful"
    assert [e["games"] for e in numbers["beside"]] == [6, 12, 24, 36, 60, 120]
    html = (folders["cup"] / "report.html").read_text()
    assert "the last of each match leaves" in html
    assert "round robin, 5 deals" in html


def test_text_and_words_of_the_other_language(folders: dict[str, Path]) -> None:
    text = text_block(open_run(folders["gauntlet"]), "fr")
    assert "careful s'en tire le mieux contre le groupe" in text
    assert "Holm sur" in text
    assert text_block(open_run(folders["cup"])).startswith("rami500 | knock-out of 8")
    assert "of events of one game |" in text_block(open_run(folders["four"]))


def test_the_command_shows_a_table_and_goes_on_with_a_run(tmp_path: Path) -> None:
    args = (*NAMES[:3], "--deals", 10, "--out", tmp_path / "run", "--chunk", 3)
    first = ramisim(*args)
    assert first.exit_code == 0
    assert "Points a game" in first.output
    assert "60 games played" in first.output
    (tmp_path / "run" / "games" / "part-000001.parquet").unlink()
    again = ramisim(*args, "--resume")
    assert "18 games played" in again.output
    assert "nothing was left to play" in ramisim(*args, "--resume").output


def test_all_strategies_by_default_and_none_twice() -> None:
    found = ramisim("--deals", 2, "--field", "greedy")
    assert found.exit_code == 0
    assert "careful" in found.output
    assert "random" in found.output
    assert "gauntlet" in found.output


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["greedy"], "two strategies at least"),
        (["greedy", "careful", "greedy"], "greedy is named twice"),
        (["greedy", "careful", "--field", "careful"], "careful is named twice"),
        (["greedy", "careful", "--players", 5], "rami500 is played by 2 to 4 players, not by 5"),
        (["greedy", "careful", "--advance", 1], "--advance needs --knock-outs"),
        (["greedy", "careful", "--knock-outs", 3, "--deals", 5], "--deals has no place with"),
        (["greedy", "careful", "--knock-outs", 3, "--entrants", 3], "multiple of the 2"),
        (["greedy", "gredy"], "did you mean greedy"),
        (["greedy", "careful", "--deals", 0], "deals is 0"),
        (["greedy", "careful", "--knock-outs", 3, "--beside", "/nowhere"], "no such run folder"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(args: list[Any], told: str) -> None:
    found = ramisim(*args)
    assert found.exit_code == 2
    assert told in found.output
    assert len(found.output.strip().splitlines()) == 1
    assert "Traceback" not in found.output


def test_a_report_beside_something_that_is_no_knock_out(folders: dict[str, Path]) -> None:
    found = CliRunner().invoke(
        app, ["report", str(folders["two"]), "--beside", str(folders["four"])]
    )
    assert found.exit_code == 2
    assert "no run of knock-outs" in found.output


def test_what_stands_beside_is_looked_at_before_anything_is_played(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    line = ["greedy", "careful", "--knock-outs", 3, "--beside", folders["two"]]
    found = ramisim(*line, "--out", tmp_path / "cup")
    assert found.exit_code == 2
    assert "no round robin of the same strategies: greedy, careful" in found.output
    assert not (tmp_path / "cup").exists()


def test_the_code_of_the_docs_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).parents[1] / "docs" / "tournaments.md"
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, str(page), "exec"), {})
    told = capsys.readouterr().out
    assert told.startswith("(3, 2)\n('random', 'greedy', 'careful')")
    assert "cyclic share" in told


@pytest.mark.slow
def test_a_game_of_a_tournament_replays_as_its_rows_say(tmp_path: Path) -> None:
    import polars as pl

    from ramisim.engine import Engine
    from ramisim.record import replay_deal
    from ramisim.tournament import knock_out, tournament

    names = ["random", "greedy", "careful"]
    runs = {
        "run": tournament(
            "rami500-200", names, 2, 5, players=3, out=tmp_path / "run", engine=Engine
        ),
        "cup": knock_out("rami500-200", names, 2, 5, out=tmp_path / "cup", engine=Engine),
    }
    for name, run in runs.items():
        games = run.games.collect().with_columns(pl.col("strategy").cast(pl.String))
        keys = ["deal", *(["line_up"] if name == "run" else []), "rotation"]
        for key, rows in games.sort("seat").group_by(keys, maintain_order=True):
            told = dict(zip(keys, key, strict=True))
            lines = replay_deal(tmp_path / name, **told)
            assert lines[0]["strategies"] == rows["strategy"].to_list()
            assert lines[-1]["totals"] == rows["points"].to_list()


@pytest.mark.parametrize("width", [20, 60, 80, 120])
def test_a_board_in_the_terminal_has_the_columns_that_fit(
    folders: dict[str, Path], width: int
) -> None:
    board = board_table(analyse(open_run(folders["two"])), Words("en"))  # type: ignore[arg-type]
    screen = Console(width=width, record=True, file=io.StringIO())
    screen.print(_rich(board, width))
    lines = screen.export_text().splitlines()
    assert max(len(line.rstrip()) for line in lines) <= width
    assert "…" not in "".join(lines)
    shown = next(line for line in lines if "first-legal" in line)
    first, rank, points, *rest = next(row for row in board.rows if row[0] == "first-legal")
    assert shown.split()[:2] == [first, rank]
    if width >= 60:
        assert points in shown
    assert (rest[-1] in shown) == (width == 120)
