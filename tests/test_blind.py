"""No strategy sees a hidden card: whatever lies where it cannot look, it answers the same."""

from __future__ import annotations

import contextlib
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ramisim import Rules
from ramisim.driver import Match
from ramisim.engine import Engine, Workspace
from ramisim.rules import preset_names
from ramisim.strategies import as_strategy, resolve, strategy_names
from ramisim.strategy.blind import Blind, permute_hidden
from ramisim.strategy.check import check_strategy
from test_cli import ran
from test_user_strategies import QUICK, user

DOC = Path(__file__).resolve().parent.parent / "docs" / "adding-a-strategy.md"
TURNS = 16


class Enough(BaseException):
    """The turns that were to be looked at have been."""


def differences(rules: Rules, names: list[Any], deal: int, seed: int, turns: int) -> list[str]:
    """What changes with the hidden cards in the first turns of a match."""
    engine = Engine(rules, [as_strategy(name) for name in names], seed)
    blind = Blind(engine, np.random.default_rng(seed))
    found: list[str] = []
    looked = 0

    def watch(played: Match) -> None:
        nonlocal looked
        found.extend(blind.differences(played))
        looked += 1
        if looked == turns or found:
            raise Enough

    with contextlib.suppress(Enough):
        Match(engine, Workspace(), deal, list(range(len(names)))).play(watch)
    assert blind.asked >= 2 * looked
    return found


SLOW_BY_NATURE = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@pytest.mark.parametrize("preset", preset_names())
@settings(max_examples=2, deadline=None, suppress_health_check=SLOW_BY_NATURE)
@given(data=st.data())
def test_built_in_strategies_are_blind(preset: str, data: st.DataObject) -> None:
    rules = Rules.load(preset)
    names = strategy_names()
    first = data.draw(st.integers(0, len(names) - 1))
    seats = data.draw(st.integers(rules.number("players.min"), min(rules.number("players.max"), 5)))
    line_up = [names[(first + seat) % len(names)] for seat in range(seats)]
    deal, seed = data.draw(st.integers(0, 10**6)), data.draw(st.integers(0, 2**63))
    assert differences(rules, line_up, deal, seed, TURNS) == []


@pytest.mark.slow
@pytest.mark.parametrize("preset", preset_names())
@pytest.mark.parametrize("name", strategy_names())
@settings(max_examples=5, deadline=None, suppress_health_check=SLOW_BY_NATURE)
@given(deal=st.integers(0, 10**6), seed=st.integers(0, 2**63))
def test_every_built_in_strategy_is_blind(preset: str, name: str, deal: int, seed: int) -> None:
    rules = Rules.load(preset)
    line_up: list[Any] = [name, *["greedy"] * (rules.number("players.min") - 1)]
    assert differences(rules, line_up, deal, seed, 60) == []


def test_user_strategies_are_blind() -> None:
    strategy = resolve(user("gambler"))
    assert differences(QUICK, [strategy, strategy.uncompiled()], 1, 2, 30) == []  # type: ignore[attr-defined]


def test_a_strategy_that_peeks_is_found() -> None:
    """What the engine leaves in its scratch is another hand: a built-in strategy could look."""

    class Peeks:
        """Plain Python looks up its frames, as nothing can keep it from doing."""

        base = "greedy"

        def discard(self, seen: Any, hand: Any, *rest: Any) -> int:
            import sys

            work = sys._getframe(1).f_locals["work"]
            other = work.hiddens[0]["once"][1 - seen.turn]
            cards = [c for c in range(52) if int(hand.once) >> (16 * (c // 13) + c % 13) & 1]
            return cards[int(other) % len(cards)] if cards else 52

    found = differences(QUICK, [Peeks(), "greedy"], 1, 2, 40)
    assert found
    assert "discard answered" in found[0]


def test_permuted_cards_are_those_that_nobody_knows() -> None:
    engine = Engine(Rules.load("rami500-5p"), [resolve("collector")] * 5, 3)
    work, random = Workspace(), np.random.default_rng(1)
    moved = 0

    def watch(played: Match) -> None:
        nonlocal moved
        seen, hidden = work.seens.copy()[0], work.hiddens.copy()[0]
        before = work.hiddens[0]
        permute_hidden(seen, hidden, random)
        turn = int(seen["turn"])
        assert hidden["once"][turn] == before["once"][turn]
        for seat in range(5):
            known = seen["known_once"][seat]
            assert hidden["once"][seat] & known == known
            size = sum(bin(int(hidden[mask][seat])).count("1") for mask in ("once", "twice"))
            assert size + hidden["jokers"][seat] == seen["hand_size"][seat]
        moved += int(not np.array_equal(hidden["once"], before["once"]))
        if played.seen["tour"] > 5:
            raise Enough

    with pytest.raises(Enough):
        Match(engine, work, 0, list(range(5))).play(watch)
    assert moved > 10


@pytest.mark.slow
def test_the_check_finds_what_is_wrong() -> None:
    (verdict,) = check_strategy(user("gambler"), presets=["rami500-quick"])
    assert verdict.problem == ""
    assert verdict.asked > 20
    assert verdict.games == 80
    (bad,) = check_strategy(user("raises"), presets=["rami500-quick"])
    assert "lost the thread" in bad.problem

    class Fickle:
        base = "greedy"

        def discard(self, seen: Any, hand: Any, *rest: Any) -> int:
            cards = [c for c in range(52) if int(hand.once) >> (16 * (c // 13) + c % 13) & 1]
            free = [c for c in cards if c != seen.no_rethrow]
            return int(np.random.default_rng().choice(free)) if free else 52

    (fickle,) = check_strategy(Fickle(), presets=["rami500-quick"])
    assert "not deterministic" in fickle.problem


def blocks(language: str) -> list[str]:
    return re.findall(f"```{language}\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.slow
def test_a_stranger_can_follow_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in [*blocks("python"), *blocks("toml")]:
        name = block.split("\n", 1)[0].removeprefix("# ")
        more = name.startswith("more of ")
        with (tmp_path / name.removeprefix("more of ")).open("a" if more else "w") as file:
            file.write(block)
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(commands) > 8
    for command in commands:
        program, *words = shlex.split(command)
        assert program == "ramisim"
        said = ran(*words)
        if "--explain" in words:
            assert "(aces -5)" in said


def test_every_field_is_on_the_page() -> None:
    import ramisim.strategy
    from ramisim.kernels import state

    text = DOC.read_text(encoding="utf-8")
    names = [*(state.SEEN.names or ()), *(state.HAND.names or ()), *ramisim.strategy.__all__]
    words = set(re.findall(r"\w+", text))
    assert set(names) - words - {"Declared"} == set()


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_a_game_is_explained(lang: str) -> None:
    line = ("--rules", "rami500-quick", "--strategies", "patient,random", "--seed", "3")
    plain = ran("play", *line, "--lang", lang)
    told = ran("play", *line, "--lang", lang, "--explain")
    word = {"en": "throw", "fr": "rejet"}[lang]
    lines = [text for text in told.splitlines() if text.split()[:1] == [word]]
    turns = [text for text in plain.splitlines() if re.match(r"  \d \w+ +\w+ ", text)]
    assert len(lines) > 10
    assert len(turns) > 10
    # What is chosen by its value stands first where the heuristic chose it.
    assert any(f"{word}  *" in text for text in lines)
    assert "*" in told


def test_a_deal_of_a_run_is_explained(tmp_path: Path) -> None:
    from ramisim import simulate

    simulate(QUICK, "careful,greedy", 2, out=tmp_path / "run", threads=1)
    told = ran("replay", str(tmp_path / "run"), "--deal", "1", "--explain")
    assert "danger" in told
    assert "best end: points" in told
