"""A strategy of a user's own says what its options were worth; what cannot be shown is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from ramisim import Rules, StrategyError
from ramisim.engine import Engine
from ramisim.explain import explain_match
from ramisim.record import play_match
from ramisim.strategies import as_strategy
from ramisim.strategy import JOKER, STOCK, copies_held, hand_value, pick, strategy
from test_cli import ran

QUICK = Rules.load("rami500-quick", {"match.max_rounds": 1, "match.tie_break": "shared"})


def lines_of(given: Any, question: str, foe: str = "greedy", seed: int = 4) -> list[str]:
    """The lines of one question, of seat 0."""
    engine = Engine(QUICK, [as_strategy(given), as_strategy(foe)], seed)
    played = play_match(engine, 0, [0, 1])
    (told,) = explain_match(played)
    (log,) = played.log
    own = [notes for notes, turn in zip(told, log.turns, strict=True) if turn.seat == 0]
    return [line for notes in own for line in notes if line.startswith(question)]


class Dearest:
    """Throws the dearest card, and says so."""

    params: ClassVar = {"aces": 5.0}

    def draw(self, seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any) -> int:
        return STOCK if seen.n_stock else 1

    def discard(
        self, seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any
    ) -> int:
        worths = self.worths(seen, hand, rules, params, chance)
        return max(worths, key=lambda card: worths[card])

    def worths(
        self, seen: Any, hand: Any, rules: Any, params: Any, chance: Any
    ) -> dict[int, float]:
        return {
            card: hand_value(rules, card)
            - params[0] * (card % 13 == 0)
            + pick(chance, card, 7) / 10
            for card in range(JOKER + 1)
            if copies_held(hand, card) > (card == seen.no_rethrow)
        }

    def explain(
        self,
        seen: Any,
        hand: Any,
        rules: Any,
        params: Any,
        chance: Any,
        tools: Any,
        question: str,
    ) -> Any:
        if question == "draw":
            return {STOCK: (1.5, "always"), 1: 0}
        worths = self.worths(seen, hand, rules, params, chance)
        return {card: (worth, "dear") for card, worth in worths.items()}


def test_a_strategy_says_what_its_options_are_worth() -> None:
    draws = lines_of(Dearest(), "draw")
    assert draws
    assert all(line.startswith("draw  *stock (always) 1.5 · ") for line in draws)
    # With the chance that it had in the game, what it threw comes out best each time.
    throws = lines_of(Dearest(), "throw")
    assert len(throws) == len(draws)
    assert all(line.startswith("throw  *") and "(dear)" in line for line in throws)


def test_a_question_that_the_base_answers_is_explained_by_the_base() -> None:
    mine = strategy(base="careful")

    @mine.explain
    def explain(
        seen: Any, hand: Any, rules: Any, params: Any, chance: Any, tools: Any, question: str
    ) -> Any:
        raise AssertionError("it answers nothing of its own")

    assert lines_of(mine, "throw") == lines_of("careful", "throw")


def told(answer: Any) -> str:
    """The first line about the discard of a strategy whose ``explain`` answers so."""

    class Says:
        def discard(self, *given: Any) -> Any:
            seen, hand = given[:2]
            cards = (card for card in range(JOKER + 1) if copies_held(hand, card))
            return next(card for card in cards if card != seen.no_rethrow)

        def explain(self, *given: Any) -> Any:
            return answer(given) if callable(answer) else answer

    return lines_of(Says(), "throw")[0]


def test_what_may_be_said() -> None:
    assert told("by the moon") == "throw  by the moon"
    assert told({"KH": 2, "Jk": np.float64(3.25)}).startswith("throw  Jk 3.2 · K♥ 2 · *")
    assert told({None: 1.0}).startswith("throw  nothing 1 · *")
    assert told({}).startswith("throw  *")
    assert "(as the services see it)" in told(None)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (7, "explain of discard answered 7: a dict of cards and numbers, a text, or None"),
        ({"KH": "dear"}, "answered {'KH': 'dear'}: a dict of cards"),
        ({"KH": float("nan")}, "answered {'KH': nan}: a dict of cards"),
        ({"king": 1.0}, "answered {'king': 1.0}: a dict of cards"),
        ({77: 1.0}, "answered {77: 1.0}: a dict of cards"),
        (lambda given: given[7], "explain raised IndexError: tuple index out of range (line "),
    ],
)
def test_what_may_not_be_said(answer: Any, reason: str) -> None:
    with pytest.raises(StrategyError) as stopped:
        told(answer)
    assert str(stopped.value).startswith("strategy Says: ")
    assert reason in str(stopped.value)


def test_an_explain_of_other_arguments_is_refused() -> None:
    mine = strategy()
    with pytest.raises(StrategyError, match=r"few: explain takes 7 arguments, \(seen, .*question"):

        @mine.explain
        def few(seen: Any) -> Any:
            return None

    class Few(Dearest):
        def explain(self, seen: Any) -> Any:  # type: ignore[override]
            return None

    with pytest.raises(StrategyError, match="explain takes 7 arguments"):
        as_strategy(Few())


def test_the_file_to_begin_with_explains_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran("strategies", "--new", "mine.py")
    line = ("--rules", "rami500-quick", "--strategies", "mine.py:hunter,greedy", "--seed", "7")
    throws: dict[str, list[list[str]]] = {"0": [], "1": []}
    seat = ""
    for text in ran("play", *line, "--explain").splitlines():
        words = text.split()
        if words[2:3] in (["draws"], ["takes"]):
            seat = words[0]
        if words[:1] == ["throw"]:
            throws[seat].append(words)
    own, others = throws["0"], throws["1"]
    assert len(own) > 10
    assert not any("(cost" in words for words in own)
    assert all("(cost" in words for words in others)
    assert sum(words[1].startswith("*") for words in own) > len(own) // 2
