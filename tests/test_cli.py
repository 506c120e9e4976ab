"""The command line: words in, words out, and one sentence when something is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter

import pytest
from typer.testing import CliRunner

from ramisim.cli.app import COMMANDS, app
from ramisim.cli.console import seat_strategies, split_strategies
from ramisim.errors import RamisimError, RulesError
from ramisim.rules import Rules, preset_names, preset_text

RUNNER = CliRunner()


def ran(*args: str) -> str:
    """Output of a command that goes well."""
    result = RUNNER.invoke(app, args)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*args: str) -> str:
    """The sentence of a command that is refused: one line, code 2."""
    result = RUNNER.invoke(app, args)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("ramisim: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("ramisim: ").strip()


def test_help_lists_every_command() -> None:
    text = ran("--help")
    assert [name for name in COMMANDS if f" {name} " not in text] == []


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_help(name: str) -> None:
    assert f"ramisim {name}" in ran(name, "--help").replace("root", "ramisim")


def test_version() -> None:
    assert ran("--version") == "ramisim 0.1.0, engine 1\n"


def test_rules_lists_the_presets() -> None:
    lines = ran("rules").splitlines()
    assert [line.split()[0] for line in lines[1:]] == preset_names()


def test_rules_in_words() -> None:
    english, french = ran("rules", "rami51"), ran("rules", "rami51", "--lang", "fr")
    assert "at least 51 points, with at least one run" in english
    assert "au moins 51 points, dont au moins une suite" in french


def test_rules_with_settings_say_so() -> None:
    text = ran("rules", "rami51", "--set", "opening.points=40")
    assert text.startswith("rami51 (changed)")
    assert "at least 40 points" in text


def test_differences_between_rules() -> None:
    lines = ran("rules", "rami500", "--diff", "rami500-quick").splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [
        ["match.target", "500", "0"],
        ["match.max_rounds", "0", "3"],
    ]
    assert "same rules" in ran("rules", "rami", "--diff", "rami")


def test_the_file_of_a_preset() -> None:
    assert ran("rules", "pool500", "--toml") == preset_text("pool500")
    changed = ran("rules", "pool500", "--toml", "--set", "score.pool=50")
    assert Rules.from_toml(changed)["score.pool"] == 50


def test_a_users_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('base = "rami"\n[match]\ntarget = 50\n')
    assert "50 points" in ran("rules", str(path))


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("rules", "rami52"), "did you mean rami51?"),
        (("rules", "rami", "--set", "deck.packs=3"), "deck.packs = 3: allowed is a whole number"),
        (("rules", "rami", "--set", "deck.packs"), "write key=value"),
        (("rules", "nowhere.toml"), "cannot read the rules in nowhere.toml"),
        (("rules", "rami", "--diff", "whist"), "unknown rules whist"),
        (("melds", "5S 6S 5S"), "the hand holds 5S twice"),
        (("melds", "5S 7X"), "unknown card '7X'"),
        (("melds", " "), "the hand is empty"),
        (("melds", " ".join(["5S"] * 55)), "holds 55 cards, the deck only 54"),
        (("melds", "Jk Jk Jk"), "holds Jk 3 times"),
        (("play", "--players", "9"), "played by 2 to 4 players, not by 9"),
        (("play", "--rules", "rami500-5p", "--players", "2"), "played by 5 to 8 players"),
        (("play", "--strategies", "greedy,,careful"), "holds an empty name"),
        (("play", "--strategies", ""), "holds an empty name"),
        (("compare", "greedy", "careful", "--smallest", "inf"), "less than or equal to"),
        (("play", "--strategies", "a,b,c", "--players", "2"), "names 3, but --players gives 2"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(args: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused(*args)


def test_wrong_usage_has_code_2() -> None:
    for args in (["rules", "--toml"], ["rules", "rami", "--lang", "de"], ["no-such-command"]):
        assert RUNNER.invoke(app, args).exit_code == 2


def test_ctrl_c_says_so_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ramisim.cli.rules.load_rules", interrupted)
    result = RUNNER.invoke(app, ["rules", "rami"])
    assert (result.exit_code, result.stderr) == (130, "ramisim: stopped by Ctrl-C\n")


def test_what_the_compiler_makes_of_ctrl_c_is_told_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("no compiled object yet")

    monkeypatch.setattr("ramisim.cli.rules.load_rules", broken)
    result = RUNNER.invoke(app, ["rules", "rami"])
    assert isinstance(result.exception, RuntimeError)
    monkeypatch.setattr("ramisim.cli.app.interrupted", lambda: True)
    result = RUNNER.invoke(app, ["rules", "rami"])
    assert (result.exit_code, result.stderr) == (130, "ramisim: stopped by Ctrl-C\n")


def test_a_full_disk_is_said_in_one_sentence() -> None:
    if not Path("/dev/full").exists():
        return
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ramisim", "rules", "rami", "--toml"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "ramisim: No space left on device\n"


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = f"{sys.executable} -m ramisim rules rami500 --toml | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (preset_text("rami500").splitlines()[0] + "\n", "")


def test_strategies_at_commas() -> None:
    assert split_strategies("greedy, careful") == ["greedy", "careful"]
    tuned = "careful:danger=0.7,keep=2"
    assert split_strategies(f"{tuned},mine.py:hunter") == [tuned, "mine.py:hunter"]


def test_strategies_fill_the_seats() -> None:
    rules = Rules.load("rami500")
    assert seat_strategies("greedy", rules, None) == ["greedy", "greedy"]
    assert seat_strategies("a,b", rules, 3) == ["a", "b", "a"]
    assert len(seat_strategies("a", Rules.load("rami500-5p"), None)) == 5
    with pytest.raises(RulesError):
        seat_strategies("a,b,c,d,e", rules, None)
    with pytest.raises(RamisimError):
        seat_strategies("a,b,c", rules, 2)


def test_help_comes_within_a_third_of_a_second() -> None:
    times = []
    for _ in range(5):
        begun = perf_counter()
        subprocess.run([sys.executable, "-m", "ramisim", "--help"], capture_output=True, check=True)
        times.append(perf_counter() - begun)
    assert min(times) <= 0.35


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("compare a b --deals 0", "'--deals'"),
        ("study x --lang de", "'de' is not one of 'en', 'fr'"),
        ("plan a b", "Missing option '--detect' (see ramisim plan --help)"),
        ("play --foo", "No such option: --foo (see ramisim play --help)"),
        ("nosuch", "No such command 'nosuch'"),
        ("--nosuch", "No such option: --nosuch (see ramisim --help)"),
        ("rules rami51 more", "unexpected extra argument"),
    ],
)
def test_a_line_that_is_no_command_is_one_sentence(line: str, sentence: str) -> None:
    assert sentence in refused(*line.split())


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("play --strategies greedy --record HERE", "--record HERE is a folder"),
        ("play --strategies greedy --record HERE/a/b", "there is no folder HERE/a"),
        ("survey --out HERE/out --page HERE", "--page HERE is a folder"),
        ("survey --out HERE/out --players 99", "none of these rules is played at 99 seats"),
        ("gains --docs HERE", "--docs HERE is a folder"),
        ("gains --strategies greedy", "between two strategies, 1 is named"),
        ("gains --rules ,", "--rules ',' holds an empty name"),
        ("balance --docs HERE/file/a.md", "HERE/file is a file"),
        ("balance --rules rami51 --seats 9", "rami51 is not played at 9 seats"),
        ("balance --rules rami51,rami51", "rami51 is named twice"),
        ("gallery --out HERE/file", "HERE/file is a file"),
        ("gallery --seed -1 --runs HERE/runs --out HERE/out", "seed is -1"),
        ("bench --out HERE/file", "HERE/file is a file"),
        ("plan greedy --detect 2", "a plan is for two strategies, 1 is named"),
        ("simulate --out HERE/out --deals 1 --strategies HERE/bin.toml", "it is not UTF-8 text"),
        ("replay HERE/file --deal 0", "cannot read HERE/file/run.json: Not a directory"),
    ],
)
def test_places_and_numbers_that_make_no_sense_are_told_before_anything_is_played(
    tmp_path: Path, line: str, sentence: str
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "bin.toml").write_bytes(b"\xff\xfe")
    here = str(tmp_path)
    args = [word.replace("HERE", here) for word in line.split()]
    assert sentence.replace("HERE", here) in refused(*args)


def test_a_field_of_nobody_is_refused() -> None:
    assert "--field '' holds" in refused("tournament", "greedy,careful", "--field", "")


def test_a_record_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    from ramisim.record import write_games

    with pytest.raises(RamisimError, match=r"games\.jsonl cannot be written"):
        write_games(tmp_path / "nowhere" / "games.jsonl", [])
