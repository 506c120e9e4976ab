"""Reports: what the page says and holds, the numbers beside it, and the command."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from ramisim.analysis import figures, svg
from ramisim.analysis.report import text_block, write_report
from ramisim.analysis.report.verdict import verdict
from ramisim.analysis.report.words import Words, _texts
from ramisim.analysis.runs import open_run
from ramisim.analysis.summary import Summary, summarise
from ramisim.cli.app import app
from ramisim.errors import RunError
from synthetic_runs import cyclic, duel, game_rows, round_rows, write_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return duel(tmp_path_factory.mktemp("runs") / "duel", deals=200)


@pytest.fixture(scope="module")
def summary(folder: Path) -> Summary:
    return summarise(open_run(folder))


def summary_of(path: Path, strengths: dict[str, float], deals: int, **options: float) -> Summary:
    seats = len(strengths)
    games = game_rows(strengths, cyclic(seats), deals, **options)  # type: ignore[arg-type]
    return summarise(open_run(write_run(path / "run", games, list(strengths), cyclic(seats))))


class Page(HTMLParser):
    """Collects what a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id" and value]


def test_the_page_stands_alone(folder: Path, tmp_path: Path) -> None:
    html = write_report(open_run(folder), tmp_path).html.read_text(encoding="utf-8")
    page = Page(html)
    tags = [tag for tag, _ in page.tags]
    assert tags.count("svg") == 7
    assert not {"script", "img", "link", "iframe"} & set(tags)
    assert not re.search(r"""(src|href)=["'](?!#)""", html)
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html)
    assert len(page.ids) == len(set(page.ids))
    used = set(re.findall(r"url\(#([^)]+)\)", html)) | set(re.findall(r'href="#([^"]+)"', html))
    assert used <= set(page.ids)


def test_every_figure_has_words_in_its_place(folder: Path, tmp_path: Path) -> None:
    html = write_report(open_run(folder), tmp_path).html.read_text(encoding="utf-8")
    figures = [attrs for tag, attrs in Page(html).tags if tag == "svg"]
    assert all(a["role"] == "img" and len(a["aria-label"] or "") > 20 for a in figures)


def test_the_verdict_comes_first(folder: Path, tmp_path: Path) -> None:
    html = write_report(open_run(folder), tmp_path).html.read_text(encoding="utf-8")
    body = html[html.index("<body") :]
    heading = re.search(r"<h1>(.*?)</h1>", body)
    assert heading is not None
    assert heading.start() < body.index("<h2>")
    said = heading[1].replace("\N{NO-BREAK SPACE}", " ")
    assert re.fullmatch(
        r"careful beats greedy by \d+\.\d points a game "
        r"\(95 % interval \d+\.\d to \d+\.\d, 200 deals\); it wins 5\d\.\d % of games\.",
        said,
    )


def test_the_page_is_the_same_to_the_byte(folder: Path, tmp_path: Path) -> None:
    one = write_report(open_run(folder), tmp_path / "a")
    two = write_report(open_run(folder), tmp_path / "b")
    assert one.html.read_bytes() == two.html.read_bytes()
    assert one.json.read_bytes() == two.json.read_bytes()


def test_json_holds_the_numbers_of_the_page(folder: Path, tmp_path: Path, summary: Summary) -> None:
    written = write_report(open_run(folder), tmp_path)
    told = json.loads(written.json.read_text(encoding="utf-8"))
    gap = told["points"][0]
    assert (gap["a"], gap["b"]) == ("careful", "greedy")
    assert gap["mean"] == summary.points[0].mean
    assert f"{gap['low']:.1f} to {gap['high']:.1f}" in told["verdict"]["sentence"]
    assert (
        told["duel"]["pentanomial"] == list(summary.duel.pentanomial or ()) if summary.duel else 0
    )
    assert told["moments"]["points"]["y"] == list(summary.moments["points"].y)
    assert told["coverage"]["used"] == 200
    assert "NaN" not in written.json.read_text(encoding="utf-8")


def test_the_sufficient_statistics_are_sufficient(folder: Path, tmp_path: Path) -> None:
    told = json.loads(write_report(open_run(folder), tmp_path).json.read_text(encoding="utf-8"))
    m, gap = told["moments"]["points"], told["points"][0]
    g, n = m["clusters"], m["n"][0]
    mean = (m["y"][0] - m["y"][1]) / n
    squares = m["yy"][0][0] - 2 * m["yy"][0][1] + m["yy"][1][1]
    each = n / g
    variance = (squares / each**2 - g * mean**2) / (g - 1)
    assert gap["mean"] == pytest.approx(mean)
    assert gap["se"] == pytest.approx((variance / g) ** 0.5)


def test_the_text_block_has_five_lines(folder: Path, summary: Summary) -> None:
    for lang in ("en", "fr"):
        lines = text_block(summary, lang).splitlines()
        assert len(lines) == 5
        assert all(lines)
    assert text_block(open_run(folder)) == text_block(summary)
    lines = text_block(summary).splitlines()
    assert lines[0].startswith("rami500 | 2 players, duplicate | 200 deals (0-199), 400 games")
    assert "LL" in lines[3]
    assert text_block(summary).isascii()


def test_both_languages_say_everything(folder: Path, tmp_path: Path) -> None:
    for table in _texts().values():
        for name, text in table.items():
            assert set(text) == {"en", "fr"}, name
            gaps = [set(re.findall(r"{(\w+)[:}]", text[lang])) for lang in ("en", "fr")]
            assert gaps[0] == gaps[1], name
    html = write_report(open_run(folder), tmp_path, "fr").html.read_text(encoding="utf-8")
    assert '<html lang="fr">' in html
    assert "careful bat greedy de " in html
    assert "points par partie" in html
    assert not re.search(r"\d\.\d\N{NO-BREAK SPACE}%", html)


def test_numbers_in_words() -> None:
    en, fr, plain = Words("en"), Words("fr"), Words("en", plain=True)
    assert en.num(1234.56) == "1,234.6"
    assert fr.num(1234.56) == "1\N{NARROW NO-BREAK SPACE}234,6"
    assert plain.num(-0.04) == "0.0"
    assert plain.num(-12.34, sign=True) == "-12.3"
    assert plain.pct(0.5, 0) == "50 %"
    assert plain.num(None) == "-"
    assert plain.num(float("inf")) == "-"
    assert plain.p(1e-9) == "< 0.0001"
    assert plain.level(0.95) == "95 %"
    assert plain.level(0.999) == "99.9 %"
    assert en.digits(0.02, 0.004) == 3
    with pytest.raises(ValueError, match="'de' is not one of en, fr"):
        Words("de")  # type: ignore[arg-type]


def test_no_difference_is_called_no_difference(tmp_path: Path) -> None:
    got = verdict(summary_of(tmp_path, {"a": 0.5, "b": 0.0}, 40), Words(plain=True))
    assert got.sentence.startswith("No clear difference between")


def test_a_strategy_against_itself_is_exactly_alike(tmp_path: Path) -> None:
    games = game_rows({"greedy": 0.0}, [[0, 0], [0, 0]], 120, noise=0)
    run = open_run(write_run(tmp_path / "run", games, ["greedy", "greedy"], [[0, 1], [1, 0]]))
    got = summarise(run)
    said = verdict(got, Words(plain=True)).sentence
    assert said == "greedy #1 and greedy #2 come out exactly alike on each of 120 deals."
    assert "Elo 0.0 (0.0 to 0.0)" in text_block(got)
    written = write_report(run)
    assert "cancel exactly" in written.html.read_text(encoding="utf-8")


def test_significant_is_not_yet_important(tmp_path: Path) -> None:
    """A small effect on many deals: real, and below what was declared to matter."""
    games = game_rows({"a": 3.0, "b": 0.0}, cyclic(2), 400, luck=1, noise=1, grain=1, seat_bonus=0)
    run = open_run(write_run(tmp_path / "run", games, "ab", cyclic(2)))
    assert verdict(summarise(run), Words()).remarks == ()
    said = verdict(summarise(run, smallest=5.0), Words(plain=True))
    assert "is ahead of b by only" in said.sentence
    assert "smaller than the 5.0 points" in said.remarks[0]


def test_wins_and_points_that_disagree_are_both_told(tmp_path: Path) -> None:
    games = game_rows({"a": 0.0, "b": 0.0}, cyclic(2), 200, luck=0, noise=0, seat_bonus=0)
    is_a = pl.col("strategy").cast(pl.String) == "a"
    rare = pl.col("deal") % 4 == 0
    skewed = games.with_columns(
        points=pl.when(is_a).then(pl.when(rare).then(900).otherwise(190)).otherwise(200),
        won=pl.when(rare == is_a).then(1.0).otherwise(0.0).cast(pl.Float32),
    ).with_columns(pl.col("points").cast(pl.Int32))
    run = open_run(write_run(tmp_path / "run", skewed, "ab", cyclic(2)))
    said = verdict(summarise(run), Words(plain=True))
    assert said.sentence.startswith("a beats b")
    assert "By wins the order is the other way round: b wins 50.0 %" in said.remarks[0]


def test_an_unfinished_run_is_preliminary(tmp_path: Path) -> None:
    games = game_rows({"a": 9.0, "b": 0.0}, cyclic(2), 60).filter(pl.col("deal") != 50)
    run = open_run(write_run(tmp_path / "run", games, "ab", cyclic(2), deals=1000))
    said = verdict(summarise(run), Words(plain=True)).remarks
    assert said[0] == "Preliminary: 50 of 1,000 deals."
    assert said[1].startswith("9 deals are left out")


def test_four_players_are_not_held_against_a_half(tmp_path: Path) -> None:
    got = summary_of(tmp_path, {"a": 40.0, "b": 9.0, "c": 4.0, "d": 0.0}, 80)
    said = verdict(got, Words(plain=True))
    assert said.sentence.startswith("a leads the field of 4")
    assert "Of 4 players an equal share would be 25.0 %." in said.remarks
    assert got.duel is None


def test_elo_belongs_to_two_strategies_at_a_table_of_two(tmp_path: Path) -> None:
    """A pooled score against a field is no Elo, nor is a score at a table of more than two."""
    three = summary_of(tmp_path / "three", {"a": 20.0, "b": 0.0, "c": 0.0}, 40)
    assert three.duel is None
    pairs = [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]
    games = game_rows({"a": 20.0, "b": 0.0, "c": 0.0}, pairs, 40)
    field = summarise(open_run(write_run(tmp_path / "field", games, ["a", "b", "c"], pairs)))
    assert field.duel is None
    assert "Elo" not in text_block(three) + text_block(field)


def test_opponents_of_a_substitute_design_are_named_and_not_ranked(tmp_path: Path) -> None:
    """The opponent meets both candidates, they only it: its points are of other games."""
    rows = [[0, 2, 2], [1, 2, 2], [2, 0, 2], [2, 1, 2], [2, 2, 0], [2, 2, 1]]
    names = ["a", "b", "host"]
    games = game_rows({"a": 5.0, "b": 0.0, "host": 40.0}, rows, 60, design="substitute")
    folder = write_run(tmp_path / "run", games, names, rows, design="substitute")
    got = summarise(open_run(folder))
    assert [row.label for row in got.board] == ["a", "b"]
    assert [(d.a, d.b) for d in got.points] == [("a", "b")]
    assert got.cross is None
    assert got.duel is None
    said = verdict(got, Words(plain=True))
    assert "host" not in said.sentence
    assert said.remarks[0] == "In the other seats: host."
    assert "host" in text_block(got, "fr")
    write_report(open_run(folder), tmp_path / "page")


def test_one_candidate_is_compared_with_its_opponent(tmp_path: Path) -> None:
    rows = [[0, 1], [1, 0]]
    games = game_rows({"a": 5.0, "host": 0.0}, rows, 60, design="substitute")
    folder = write_run(tmp_path / "run", games, ["a", "host"], rows, design="substitute")
    assert {row.label for row in summarise(open_run(folder)).board} == {"a", "host"}


def test_a_fixed_seating_carries_a_caution(tmp_path: Path) -> None:
    games = game_rows({"a": 30.0, "b": 0.0}, [[0, 1]], 60, design="fixed")
    run = open_run(write_run(tmp_path / "run", games, "ab", [[0, 1]], design="fixed"))
    assert "did not sit equally often" in verdict(summarise(run), Words()).remarks[-1]


def test_deals_to_look_at_come_with_their_command(folder: Path, summary: Summary) -> None:
    assert summary.watched is not None
    most, least = summary.watched.most, summary.watched.least
    assert [x.difference for x in most] == sorted((x.difference for x in most), reverse=True)
    assert least[0].difference == min(x.difference for x in least) < 0
    html = write_report(open_run(folder)).html.read_text(encoding="utf-8")
    assert f"ramisim replay {folder} --deal {most[0].deal}" in html
    assert f"ramisim replay {folder} --deal {least[0].deal}" in html


@pytest.mark.parametrize("deals", [1, 2])
def test_a_run_of_a_deal_or_two_still_has_a_page(tmp_path: Path, deals: int) -> None:
    games = game_rows({"a": 9.0, "b": 0.0}, cyclic(2), deals)
    run = open_run(write_run(tmp_path / "run", games, "ab", cyclic(2), rounds=round_rows(games)))
    written = write_report(run)
    assert "nan" not in written.html.read_text(encoding="utf-8").lower()
    assert len(written.text.splitlines()) == 5


def test_one_strategy_alone_has_a_page(tmp_path: Path) -> None:
    games = game_rows({"greedy": 0.0}, [[0, 0]], 30, design="fixed")
    run = open_run(write_run(tmp_path / "run", games, ["greedy"], [[0, 0]], design="fixed"))
    written = write_report(run)
    assert "greedy against itself" in written.text
    html = written.html.read_text(encoding="utf-8")
    assert "Leader board" not in html
    assert "Rank" not in html


@pytest.mark.parametrize("rounds", [False, True])
def test_lengths_and_goings_out_of_one_deal_have_no_brackets(tmp_path: Path, rounds: bool) -> None:
    games = game_rows({"a": 5.0, "b": 0.0}, cyclic(2), 1)
    kept = round_rows(games) if rounds else None
    run = open_run(write_run(tmp_path / "run", games, ["a", "b"], cyclic(2), rounds=kept))
    html = write_report(run).html.read_text(encoding="utf-8")
    said = "turns of all players together, sd" if rounds else "% of rounds; the others"
    assert said in html.replace("\xa0", " ")


def test_one_deal_of_one_strategy_has_no_interval(tmp_path: Path) -> None:
    """`95 % interval - to -` stood there."""
    games = game_rows({"greedy": 0.0}, [[0, 0]], 1, design="fixed")
    run = open_run(write_run(tmp_path / "run", games, ["greedy"], [[0, 0]], design="fixed"))
    assert "points a game on one deal, which gives no interval." in write_report(run).text


def test_names_are_escaped(tmp_path: Path) -> None:
    games = game_rows({"<b>": 9.0, "a&b": 0.0}, cyclic(2), 20)
    run = open_run(write_run(tmp_path / "run", games, ["<b>", "a&b"], cyclic(2)))
    html = write_report(run).html.read_text(encoding="utf-8")
    assert "<b>" not in html


def test_a_folder_that_cannot_be_written_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        write_report(open_run(folder), tmp_path / "file" / "below")


def test_the_command_writes_and_prints(folder: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["report", str(folder), "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(text_block(open_run(folder)))
    assert (tmp_path / "report.html").exists()
    assert (tmp_path / "report.json").exists()
    assert not list(tmp_path.glob("*.tmp"))


def test_the_command_refuses_in_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["report", str(tmp_path / "nowhere")])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "there is no such run folder" in result.stderr


def test_neither_numba_nor_the_engine_is_imported(folder: Path, tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "import ramisim.cli.report\n"
        "heavy = {'polars', 'scipy', 'matplotlib', 'numba'}\n"
        "assert not heavy & set(sys.modules), 'the command is to start cheaply'\n"
        "from ramisim.analysis.runs import open_run\n"
        "assert 'matplotlib' not in sys.modules\n"
        "assert 'scipy' not in sys.modules\n"
        "from ramisim.analysis.report import write_report\n"
        "from pathlib import Path\n"
        "write_report(open_run(sys.argv[1]), Path(sys.argv[2]))\n"
        "bad = {'numba', 'ramisim.engine', 'ramisim.kernels', 'matplotlib.pyplot'}\n"
        "assert not bad & set(sys.modules), bad & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(folder), str(tmp_path)], check=True)


def test_a_line_up_says_by_what_its_strategies_differ() -> None:
    from ramisim.analysis.report.page import _line_up

    common = {"keep": 1.0, "close": 2.0}
    lines = _line_up([("a", common | {"danger": 0.7}, "0123456789"), ("b", common, "")])
    assert lines == ["a (danger=0.7) [01234567]", "b"]
    lines = _line_up([("a", {"keep": 1.0}, ""), ("b", {"keep": 0.5}, ""), ("c", {}, "")])
    assert lines == ["a (keep=1)", "b (keep=0.5)", "c"]
    assert _line_up([("alone", {"keep": 1.0}, "")]) == ["alone (keep=1)"]


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_matches_of_one_length_are_one_bar_with_one_mark() -> None:
    (axes,) = figures.histogram([(3, 40)], Words("en"), "rounds", "share").axes
    assert [plain(text.get_text()) for text in axes.texts] == ["5 %, 50 %, 95 %"]
    assert axes.get_xlim() == (1.0, 5.0)
    (axes,) = figures.histogram([(3, 1), (4, 8), (5, 1)], Words("en"), "rounds", "share").axes
    assert [plain(text.get_text()) for text in axes.texts] == ["5 %", "50 %", "95 %"]


def test_a_legend_has_as_many_columns_as_fit() -> None:
    assert svg.columns(["2 seats", "4 seats"]) == 4
    assert svg.columns(["random", "first-legal", "greedy", "careful", "balanced"]) == 3
    assert svg.columns(["careful:danger=0.7,keep=2 minus greedy:keep=3"]) == 1
    assert svg.columns(["a", "b"], 1) == 1
    assert svg.columns([]) >= 1
