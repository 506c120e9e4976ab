"""Games on the command line: played, written, verified, and shown turn by turn."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ramisim.cli.app import app
from ramisim.cli.show import Tally, game_view
from ramisim.rules import preset_names
from test_cli import RUNNER, ran, refused

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "examples.json").read_text(encoding="utf-8")
)
RECORDS = {case["id"]: case["record"] for case in CASES if case["kind"] == "record"}
BAD = {case["id"]: case["bad_record"] for case in CASES if case["kind"] == "record"}


@pytest.mark.parametrize(
    ("line", "key", "value", "told"),
    [
        (0, "override", [1], "the first line: 'override' is [1]: an object, values by key,"),
        (0, "strategies", 5, "the first line: 'strategies' is 5: a list of names is needed"),
        (1, "round", "x", "round 0: 'round' is \"x\": a whole number is needed"),
        (1, "turns", None, "round 0: 'turns' is null: a list of objects is needed"),
    ],
)
def test_a_record_of_wrong_shape_is_shown_as_far_as_it_goes(
    tmp_path: Path, line: int, key: str, value: Any, told: str
) -> None:
    lines = json.loads(json.dumps(next(iter(RECORDS.values()))))
    lines[line][key] = value
    file = tmp_path / "games.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in lines))
    result = RUNNER.invoke(app, ["replay", str(file)])
    assert result.exit_code == 2
    assert f"{file}, game 1: {told}" in result.stderr


def page(lines: list[dict[str, Any]], lang: Any = "en") -> str:
    console = Console(width=100, force_terminal=False)
    with console.capture() as got:
        for part in game_view(lines, lang):
            console.print(part)
    return got.get()


def written(path: Path, *games: list[dict[str, Any]]) -> Path:
    lines = [json.dumps(line) for game in games for line in game]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", list(RECORDS))
def test_every_turn_of_a_record_is_shown(name: str) -> None:
    lines = RECORDS[name]
    text = page(lines)
    turns = [turn for line in lines[1:-1] for turn in line["turns"] if "seat" in turn]
    actions = [action["op"] for turn in turns for action in turn["actions"]]
    for verb, op in (("takes", "draw_discard"), ("opens with", "open"), ("swaps", "swap")):
        assert len(re.findall(rf"\b{verb} ", text)) == actions.count(op)
    assert text.count("Round ") == 2 * len(lines[1:-1])
    for seat, total in enumerate(lines[-1]["totals"]):
        assert f"{seat} {lines[0]['strategies'][seat]} {total}" in text.splitlines()[-1]


def test_hands_and_table_after_a_turn() -> None:
    text = page(RECORDS["R08"])
    assert "1 random   draws Jk; throws A♠" in text
    assert "hand  5♣ 9♦ 5♥ 7♥ Q♥ 5♠ Jk" in text
    assert "lays run 5♥ Jk=6♥ 7♥ 8♥; throws A♠  +26" in text
    assert "table  M1 5♥ Jk=6♥ 7♥ 8♥   M2 3♠ 4♠ 5♠" in text
    assert "swaps 6♥ for Jk=6♥" in text


def test_a_game_in_french() -> None:
    text = page(RECORDS["R08"], "fr")
    assert "échange 6♥ contre Jk=6♥" in text
    assert "V♦" in text
    assert "J♦" not in text


def test_replay_chooses_the_game(tmp_path: Path) -> None:
    file = written(tmp_path / "two.jsonl", RECORDS["R08"], RECORDS["R03"])
    assert ran("replay", str(file)) == ran("replay", str(file), "--game", "1")
    assert ran("replay", str(file), "--game", "2").startswith("rami51")
    assert "holds 2 games: there is no game 3" in refused("replay", str(file), "--game", "3")


@pytest.mark.parametrize("name", list(RECORDS))
def test_verify_accepts_and_refuses(name: str, tmp_path: Path) -> None:
    good = written(tmp_path / "good.jsonl", RECORDS[name])
    assert ran("verify", str(good)) == f"{good}: 1 game, every action legal\n"
    bad = written(tmp_path / "bad.jsonl", RECORDS[name], BAD[name])
    assert f"{bad}, game 2: " in refused("verify", str(bad))


def test_files_that_are_no_records(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert "holds no game" in refused("verify", str(empty))
    assert "No such file" in refused("verify", str(tmp_path / "none.jsonl"))
    assert "No such file" in refused("replay", str(tmp_path / "none.jsonl"))
    torn = tmp_path / "torn.jsonl"
    torn.write_text(json.dumps(RECORDS["R08"][0])[:40])
    refused("verify", str(torn))
    (tmp_path / "noise.jsonl").write_bytes(b"\xff\xfe{}")
    refused("verify", str(tmp_path / "noise.jsonl"))


@pytest.mark.parametrize("rules", preset_names())
def test_games_are_played_written_and_verified(rules: str, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    options = ("--rules", rules, "--strategies", "greedy,careful", "--seed", "7")
    text = ran("play", *options, "--games", "3", "--record", str(file))
    assert text.endswith(f"{file}: 3 games\n")
    assert ran("verify", str(file)).endswith("3 games, every action legal\n")
    single = ran("play", *options)
    assert single == ran("replay", str(file), "--game", "1")


def test_a_record_cannot_be_written(tmp_path: Path) -> None:
    assert "there is no folder" in refused(
        "play", "--games", "2", "--record", str(tmp_path / "a" / "b")
    )


def test_strategies_are_listed_and_described() -> None:
    names = [line.split()[0] for line in ran("strategies").splitlines()[1:]]
    assert {"greedy", "careful", "patient", "random"} <= set(names)
    for name in names:
        assert ran("strategies", name).startswith(name)
    assert "greedy" in refused("strategies", "greddy")


def test_the_best_melds_as_a_table() -> None:
    text = ran("melds", "5S 6S 7S 7C 7D Jk KD")
    assert "deadwood" in text.splitlines()[-1]
    assert "in hand" in text
    assert ran("melds", "5S", "6S", "7S") == ran("melds", "5s 6♠ 7S", "--objective", "points")


def test_tally_counts_shares_and_means() -> None:
    tally = Tally("rami500", ["a", "b"], 7)
    ends: list[dict[str, Any]] = [
        {"end": "game", "totals": [500, 100], "winners": [0]},
        {"end": "game", "totals": [500, 500], "winners": [0, 1]},
    ]
    assert len(list(tally.counting([[end] for end in ends]))) == 2
    assert (tally.n_games, tally.won, tally.points) == (2, [1.5, 0.5], [1000, 600])
