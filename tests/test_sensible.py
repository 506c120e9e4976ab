"""The strategies play every preset sensibly: they lay, open, respect gates, and beat chance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ramisim.engine import Engine
from ramisim.rules import Rules, preset_names
from ramisim.strategies import resolve

HEURISTICS = ["greedy", "patient", "careful"]


def seats_of(rules: Rules) -> int:
    return rules.number("players.min")


def rounds_of(name: str, strategies: list[str], deals: int, **changes: Any) -> Any:
    """Rows of rounds of matches of three rounds, in all rotations."""
    override = {"match.max_rounds": 3, "match.target": 0}
    override |= {key.replace("__", "."): value for key, value in changes.items()}
    rules = Rules.load(name, override)
    n = seats_of(rules)
    line_up = [s % len(strategies) for s in range(n)]
    seatings = np.array([line_up[r:] + line_up[:r] for r in range(len(strategies))], np.int8)
    engine = Engine(rules, [resolve(text) for text in strategies], 21)
    _, rounds = engine.play(0, deals, seatings, True, True)
    return rounds


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("strategy", HEURISTICS)
def test_a_strategy_beats_chance(name: str, strategy: str) -> None:
    rows = rounds_of(name, [strategy, "random"], 10)
    own, chance = rows[rows["strategy"] == 0], rows[rows["strategy"] == 1]
    assert own["points"].mean() > chance["points"].mean() + 5
    assert own["went_out"].sum() > chance["went_out"].sum()


@pytest.mark.parametrize("strategy", HEURISTICS)
def test_openings_of_51_are_made(strategy: str) -> None:
    """The share of players who open before the round ends, and in which of their turns."""
    rows = rounds_of("rami51", [strategy], 40)
    opened = rows["opened_turn"] > 0
    assert opened.mean() > 0.6
    assert rows["went_out"].sum() > 0.5 * len(rows) / seats_of(Rules.load("rami51"))
    assert rows["laid"][opened].min() >= 51
    assert rows["laid"][~opened].max() == 0
    assert np.median(rows["opened_turn"][opened]) < 20


@pytest.mark.parametrize("strategy", HEURISTICS)
def test_gates_do_not_keep_a_strategy_from_laying(strategy: str) -> None:
    for gate in ("first_tour", "until_first_hit", "rotating"):
        rows = rounds_of("pool500", [strategy], 10, opening__gate=gate)
        assert (rows["opened_turn"] > 0).mean() > 0.8


def test_patience_goes_for_rami_where_it_pays() -> None:
    """25 points for Rami: the patient one makes it often, the greedy one next to never."""
    shares = {}
    for name in ("rami", "rami500"):
        for strategy in ("patient", "greedy"):
            rows = rounds_of(name, [strategy], 100)
            shares[name, strategy] = rows["rami"].sum() / (rows["seat"] == 0).sum()
    assert shares["rami", "patient"] > 0.5
    assert shares["rami", "greedy"] < 0.05
    assert shares["rami500", "patient"] < shares["rami", "patient"]
    no_bonus = rounds_of("rami", ["patient"], 100, score__rami_bonus=0)
    without = no_bonus["rami"].sum() / (no_bonus["seat"] == 0).sum()
    assert without < shares["rami", "patient"]
