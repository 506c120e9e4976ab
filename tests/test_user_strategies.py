"""Strategies of a user: compiled or not the same games; what is wrong stops in one sentence."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import user_strategies
from ramisim import Rules, StrategyError, simulate
from ramisim.engine import Engine
from ramisim.kernels import CACHE_FOLDER
from ramisim.kernels.bits import CARD_BIT
from ramisim.record import play_games, read_games, verify_game
from ramisim.strategies import Strategy, as_strategy, describe, registered, resolve
from ramisim.strategy.user import PlainStrategy, UserStrategy
from test_cli import ran, refused

FILE = str(Path(user_strategies.__file__))
SEATINGS = np.array([[0, 1], [1, 0]], np.int8)
QUICK = Rules.load("rami500-quick")


def user(name: str) -> str:
    return f"{FILE}:{name}"


def rows(rules: Rules, *strategies: Any, deals: int = 2) -> tuple[Any, Any]:
    return Engine(rules, [as_strategy(s) for s in strategies], 5).play(
        0, deals, SEATINGS, rounds=True
    )


@pytest.mark.parametrize("preset", ["rami500-quick", "pool500", "rami51"])
def test_a_compiled_strategy_plays_the_same_games_uncompiled(preset: str) -> None:
    rules = Rules.load(preset, {"match.max_rounds": 2})
    strategy = resolve(user("gambler"))
    assert isinstance(strategy, UserStrategy)
    assert strategy.compiled
    plain = strategy.uncompiled()
    assert not plain.compiled
    assert (plain.source, plain.ident) == (strategy.source, strategy.ident)
    games, rounds = rows(rules, strategy, "careful")
    again, rounds_again = rows(rules, plain, "careful")
    assert np.array_equal(games, again)
    assert np.array_equal(rounds, rounds_again)
    assert rounds["discard_draws"].sum() > 0 or preset != "rami500-quick"


def test_services_are_what_the_built_in_strategies_decide_by() -> None:
    rules = Rules.load("rami500", {"match.max_rounds": 4})
    games, rounds = rows(rules, resolve(user("echo")), "careful", deals=10)
    ref_games, ref_rounds = rows(rules, "greedy", "careful", deals=10)
    assert np.array_equal(games, ref_games)
    assert np.array_equal(rounds, ref_rounds)


def test_chance_is_keyed_by_the_strategy_and_not_by_its_seat() -> None:
    one = resolve(user("gambler"))
    games, _ = rows(QUICK, one, one, deals=10)
    for deal in range(10):
        of_deal = games[games["deal"] == deal]
        first, second = (of_deal[of_deal["strategy"] == k]["points"].sum() for k in (0, 1))
        assert first == second
    other, _ = rows(QUICK, one, resolve(user("gambler:odds=2")), deals=10)
    assert not np.array_equal(games["points"], other["points"])


def test_what_is_left_out_falls_back_to_the_base() -> None:
    import ramisim.strategy

    bare = ramisim.strategy.strategy(base="careful:danger=2")
    games, _ = rows(QUICK, as_strategy(bare), "greedy")
    assert np.array_equal(games, rows(QUICK, "careful:danger=2", "greedy")[0])


def test_parameters_of_the_user_and_of_the_base() -> None:
    strategy = resolve(user("gambler:odds=7"))
    assert strategy.params == {"odds": 7.0}  # the base answers nothing
    assert strategy.vector()[-1] == 7.0
    bare = resolve(user("index:stock=4"))
    assert bare.vector()[0] == 4.0
    page = describe(user("gambler:odds=7"))
    assert [(p.name, p.value, p.about) for p in page.parameters] == [
        ("odds", 7.0, "one in so many")
    ]
    assert resolve(user("gambler")).source != strategy.source


FAULTS = {
    "index": "draw raised IndexError: index 4 is out of bounds",
    "divides": "discard raised ZeroDivisionError",
    "raises": "plays raised ValueError: lost the thread",
    "service": "discard raised ValueError: a card is 0..51, or 52 for a joker",
    "negative": "draw_discard of -1 refused, not that many cards",
    "unheld": "is not in the hand",
    "no_card": "discard answered 99: a card is 0 to 52",
    "unwritten": "row 0 of plays is no action",
    "many": "plays answered 4000: 0 to 148 rows",
    "beyond": "plays raised IndexError",
    "nonsense": "row 0 of plays is no action",
    "Lost": "plays answered 'nothing': a whole number is needed",
    "Crash": "plays raised IndexError: list index out of range",
}


@pytest.mark.parametrize("name", list(FAULTS))
def test_a_wrong_strategy_stops_the_run_with_the_game_so_far(name: str, tmp_path: Path) -> None:
    engine = Engine(QUICK, [resolve("greedy"), resolve(user(name))], 5)
    with pytest.raises(StrategyError) as stopped:
        engine.play(3, 1, SEATINGS)
    said = str(stopped.value)
    assert f"strategy {user(name)} in seat " in said
    assert "deal 3, rotation 0, round 0: " in said
    assert FAULTS[name] in said
    if "raised" in said:
        assert Path(FILE).name in said
    record = stopped.value.record
    verify_game(record)
    assert record[-1]["end"] == "refused"
    assert str(record[-1]["reason"]) in said


def test_the_record_of_a_stopped_game_is_kept_and_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    line = ("--rules", "rami500-quick", "--strategies", f"greedy,{user('raises')}")
    said = refused("simulate", *line, "--deals", "2", "--out", str(out))
    file = out / "refused.jsonl"
    assert f"(the game so far: {file})" in said
    assert "1 game" in ran("verify", str(file))
    assert "Stopped: 1" in ran("replay", str(file))
    monkeypatch.chdir(tmp_path)
    assert "(the game so far: refused.jsonl)" in refused("play", *line)
    (game,) = read_games(tmp_path / "refused.jsonl")
    assert game[1]["turns"][-1]["seat"] == game[-1]["seat"]
    game[1]["turns"][0]["actions"] = [{"op": "discard", "card": "7H"}]
    with pytest.raises(Exception, match="draw first"):
        verify_game(game)


REFUSED = {
    "hidden": "seen has no field 'stock' (there are n_seats",
    "peeks": "there is no 'work' in int64",
    "half": "its answer must be a whole number, found float64",
    "silent": "its answer must be a whole number, found none",
    "calls": "decorate functions that you call with helper",
    "short": "a service is called with arguments of another number or kind",
    "Few": "draw takes 6 arguments, (seen, hand, rules, params, chance, tools)",
    "Unmade": "cannot be made without arguments",
    "not_a_strategy": "is no strategy: a int without methods draw, plays, discard",
    "nobody": "has no strategy 'nobody' (there are gambler",
    "gambler:color=1": "unknown parameter 'color' (there are odds)",
    "gambler:odds=x": "odds=x is no number",
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_what_is_no_strategy_is_refused_before_the_first_game(name: str, tmp_path: Path) -> None:
    said = refused("play", "--rules", "rami500-quick", "--strategies", f"greedy,{user(name)}")
    assert REFUSED[name] in said
    assert said.count("\n") <= 1


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def f(:\n", "line 1: invalid syntax"),
        ("\n1 / 0\n", "line 2: ZeroDivisionError"),
        ("import no_such_module\n", "ModuleNotFoundError"),
        ("from ramisim.strategy import strategy\na = strategy(base=3)\n", "line 2: base 3"),
        ("from ramisim.strategy import strategy\na = strategy(base='gredy')\n", "unknown strategy"),
        ("from ramisim.strategy import strategy\na = strategy(x='y')\n", "'y' is no number"),
        (
            "from ramisim.strategy import strategy\na = strategy()\n"
            "@a.draw\ndef f(seen): return 0\n",
            "draw takes 6 arguments",
        ),
        ("x = 3\n", "name one as"),
        ("class A:\n  def draw(self): 0\nclass B(A): pass\n", "there are A, B"),
    ],
)
def test_a_file_that_cannot_be_loaded(code: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(code, encoding="utf-8")
    said = refused("play", "--strategies", f"greedy,{file}")
    assert reason in said
    assert str(file) in said


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for name in ("mine.py", "mine.toml"):
        said = refused("play", "--strategies", f"greedy,{tmp_path / name}")
        assert "no" in said
        assert str(tmp_path / name) in said


def test_a_strategy_of_plain_python_plays_and_is_recorded() -> None:
    strategy = resolve(user("Dear"))
    assert isinstance(strategy, PlainStrategy)
    assert describe(user("Dear")).summary == "throws the dearest card"
    (game,) = play_games(QUICK, ["greedy", user("Dear")], 2, 3, 1)
    verify_game(game)
    assert game[0]["strategies"][1] == user("Dear")
    by_object, _ = rows(QUICK, "greedy", user_strategies.Dear())
    assert np.array_equal(by_object, rows(QUICK, "greedy", user("Dear"))[0])


def test_what_plain_python_changes_is_thrown_away() -> None:
    class Vandal(user_strategies.Dear):
        def plays(self, seen: Any, hand: Any, *rest: Any) -> int:
            seen.n_stock, seen.turn, hand.once, hand.size = 0, 1, np.uint64(0), 0
            seen.discard[:] = 5
            return 0

    class Idle(user_strategies.Dear):
        def plays(self, *given: Any) -> int:
            return 0

    one, _ = rows(QUICK, Vandal(), "greedy")
    assert np.array_equal(one["points"], rows(QUICK, Idle(), "greedy")[0]["points"])


@pytest.mark.slow
def test_plain_python_runs_in_processes(tmp_path: Path) -> None:
    run = simulate(QUICK, ["greedy", user("Dear")], 4, seed=5, threads=2, chunk=2)
    here, _ = rows(QUICK, "greedy", user("Dear"), deals=4)
    assert run.games.collect()["points"].to_list() == here["points"].tolist()


def test_what_a_strategy_is_given_holds_no_hidden_card() -> None:
    """No number that it is given tells the deck: not the seed, not what the engine computed."""
    given: list[tuple[Any, ...]] = []

    class Looks(user_strategies.Dear):
        def draw(self, *what: Any) -> Any:
            given.append(what)
            return super().draw(*what)

    rows(QUICK, Looks(), "greedy", deals=1)
    seen, hand, _, params, chance, tools = given[5]
    assert set(seen.dtype.names).isdisjoint({"stock", "once", "twice", "jokers"})
    assert isinstance(seen.round, int)
    assert hand.size == sum(bin(int(mask)).count("1") for mask in (hand.once, hand.twice)) + (
        hand.jokers
    )
    assert (type(chance), type(tools), len(params)) == (int, int, 0)


def snapshot() -> dict[str, tuple[int, int]]:
    return {
        str(file): (file.stat().st_mtime_ns, file.stat().st_size)
        for file in CACHE_FOLDER.rglob("*.nb?")
        if "user" not in file.relative_to(CACHE_FOLDER).parts
    }


PLAYED = """
import sys, numpy as np
from ramisim.engine import Engine
from ramisim.rules import Rules
from ramisim.strategies import resolve
engine = Engine(Rules.load("rami500-quick"), [resolve("greedy"), resolve(sys.argv[1])], 1)
engine.play(0, 1, np.array([[0, 1]], np.int8))
"""


def play_in_a_new_process(strategy: str) -> float:
    begun = time.process_time()
    subprocess.run([sys.executable, "-c", PLAYED, strategy], check=True, capture_output=True)
    return time.process_time() - begun


@pytest.mark.slow
def test_a_new_strategy_does_not_recompile_the_engine(tmp_path: Path) -> None:
    file = tmp_path / "fresh.py"
    text = Path(FILE).read_text(encoding="utf-8")
    # Another text is another strategy: never compiled before.
    file.write_text(f"{text}\n# {time.time_ns()}\n", encoding="utf-8")
    play_in_a_new_process("greedy")
    before, users = snapshot(), set((CACHE_FOLDER / "user").glob("*"))
    play_in_a_new_process(f"{file}:gambler")
    assert before
    assert snapshot() == before
    (folder,) = set((CACHE_FOLDER / "user").glob("*")) - users
    compiled = {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}
    assert len(compiled) == 3
    play_in_a_new_process(f"{file}:gambler")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")} == compiled


def test_an_edit_of_the_file_or_of_its_neighbour_is_another_strategy(tmp_path: Path) -> None:
    file, beside = tmp_path / "mine.py", tmp_path / "beside_mine.py"
    beside.write_text("DEEP = 2.0\n", encoding="utf-8")
    file.write_text(
        "from beside_mine import DEEP\nimport beside_mine\n"
        "from ramisim.strategy import strategy\nfox = strategy(deep=DEEP)\n",
        encoding="utf-8",
    )
    first = resolve(str(file))
    assert first.params["deep"] == 2.0
    assert resolve(str(file)).source == first.source
    beside.write_text("DEEP = 2.0  # two\n", encoding="utf-8")
    assert resolve(str(file)).source != first.source
    second = resolve(str(file)).source
    file.write_text(file.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    assert resolve(str(file)).source not in {first.source, second}


@pytest.mark.slow
def test_the_same_file_in_another_folder_is_compiled_for_itself(tmp_path: Path) -> None:
    # What is kept of a file names its module, which another program does not have.
    for folder in ("one", "two"):
        file = tmp_path / folder / "mine.py"
        file.parent.mkdir()
        file.write_text(Path(FILE).read_text(encoding="utf-8"), encoding="utf-8")
        play_in_a_new_process(f"{file}:gambler")


def test_a_toml_file_goes_where_a_name_goes(tmp_path: Path) -> None:
    mild = tmp_path / "mild.toml"
    mild.write_text('base = "careful"\ndanger = 0.25\nkeep = 2\n', encoding="utf-8")
    strategy = resolve(str(mild))
    assert (strategy.name, strategy.family) == (str(mild), "heuristic")
    same = resolve("careful:danger=0.25,keep=2")
    assert strategy.params == same.params
    assert (strategy.ident, strategy.source) == (same.ident, same.source)
    assert resolve(f"{mild}:danger=3").params["danger"] == 3.0
    wild = tmp_path / "wild.toml"
    wild.write_text('base = "mild.toml"\nkeep = 5\n', encoding="utf-8")
    assert resolve(str(wild)).params == {**strategy.params, "keep": 5.0}
    assert "like careful" in ran("strategies", str(mild))
    games, _ = rows(QUICK, str(mild), "greedy")
    assert np.array_equal(games, rows(QUICK, same, "greedy")[0])
    own = tmp_path / "own.toml"
    own.write_text(f'base = "{user("gambler")}"\nodds = 9\n', encoding="utf-8")
    assert resolve(str(own)).params == {"odds": 9.0}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("danger = 1\n", 'a line base = "..."'),
        ('base = "careful"\ncolor = 1\n', "unknown parameter 'color'"),
        ('base = "careful"\ndanger = "much"\n', "a number is needed"),
        ('base = "carefull"\n', "did you mean careful?"),
        ('base = "bad.toml"\n', "in a circle"),
        ("base = \n", "Invalid value"),
        ('base = "random"\nx = 1\n', "unknown parameter 'x'"),
    ],
)
def test_toml_files_that_are_refused(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text, encoding="utf-8")
    assert reason in refused("play", "--strategies", f"greedy,{file}")


def test_strategies_one_by_one_on_the_command_line() -> None:
    line = ("--rules", "rami500-quick", "--games", "2")
    single = ran("play", *line, "--strategy", "careful:danger=0.7,keep=2", "--strategy", "greedy")
    assert single == ran("play", *line, "--strategies", "careful:danger=0.7,keep=2,greedy")
    assert "careful:danger=0.7,keep=2" in single
    assert "name the strategies" in refused("simulate", "--deals", "1", "--out", "x")


def test_a_run_keeps_parameters_with_their_strategy(tmp_path: Path) -> None:
    run = simulate(QUICK, "greedy,careful:danger=0.7,keep=2", 1, threads=1)
    names = [strategy["name"] for strategy in run.manifest["strategies"]]
    assert names == ["greedy", "careful:danger=0.7,keep=2"]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution, installed as far as the path is concerned."""
    info = tmp_path / "foxes-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: foxes\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[ramisim.strategies]\nfoxy = foxes:fox\ngreedy = foxes:fox\nlost = foxes:nobody\n"
    )
    (tmp_path / "foxes.py").write_text(
        "from ramisim.strategy import strategy\n"
        "fox = strategy(base='careful', about='sly', danger=2.0)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "foxes", raising=False)
    return tmp_path


def test_packages_register_strategies(package: Path) -> None:
    assert list(registered()) == ["foxy", "lost"]
    strategy = resolve("foxy:danger=3")
    assert (strategy.name, strategy.params["danger"]) == ("foxy:danger=3", 3.0)
    assert resolve("greedy").family == "heuristic"
    listed = ran("strategies")
    assert "sly (from foxes)" in listed
    assert "has no attribute 'nobody'" in refused("play", "--strategies", "greedy,lost")
    games, _ = rows(QUICK, "foxy", "greedy")
    assert isinstance(resolve("foxy"), Strategy)
    assert len(games) == 8


def test_a_new_file_runs_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "fox.py:hunter" in ran("strategies", "--new", "fox.py")
    text = (tmp_path / "fox.py").read_text(encoding="utf-8")
    assert "mine.py" not in text
    assert ran("play", "--rules", "rami500-quick", "--strategies", "fox.py:hunter,greedy")
    assert "is there already" in refused("strategies", "--new", "fox.py")
    assert (tmp_path / "fox.py").read_text(encoding="utf-8") == text
    assert "eager" in ran("strategies", "fox.py")
    assert "a .py file" in refused("strategies", "--new", "fox.toml")


def test_masks_of_cards_are_what_the_page_says() -> None:
    assert [int(CARD_BIT[c]) for c in (0, 12, 13, 51)] == [1, 1 << 12, 1 << 16, 1 << 60]


def test_a_strategy_that_changed_since_its_run_is_not_replayed(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    text = "from ramisim.strategy import strategy\nfox = strategy(base='careful')\n"
    file.write_text(text, encoding="utf-8")
    simulate(QUICK, ["greedy", str(file)], 1, out=tmp_path / "run", threads=1)
    ran("replay", str(tmp_path / "run"), "--deal", "0")
    file.write_text(text.replace("careful", "patient"), encoding="utf-8")
    said = refused("replay", str(tmp_path / "run"), "--deal", "0")
    assert "has been changed since this run" in said
