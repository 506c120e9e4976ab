"""The named strategies play as their texts say, legally by every rule set, and better than greedy.

Figures of fixed deals: they move with the parameters, not from run to run.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from ramisim.engine import Engine
from ramisim.kernels.strategies import heuristic
from ramisim.rules import Rules, preset_names
from ramisim.strategies import _DEFAULTS, _NAMED, describe, resolve, strategy_names
from ramisim.strategy_texts import PARAMETER_TEXTS, STRATEGY_TEXTS, WEAK_SIDES

NAMES = strategy_names()
ROUNDS = {"match.target": 0, "match.max_rounds": 2}
Rows = npt.NDArray[np.void]


def rounds_of(preset: str, names: list[str], deals: int, seats: int = 2) -> Rows:
    """Rows of two rounds of every deal, each strategy in every seat."""
    engine = Engine(Rules.load(preset, ROUNDS), [resolve(name) for name in names], 20)
    n = len(names)
    table = np.array([[(i + r) % n for i in range(seats)] for r in range(n)], np.int8)
    rows = engine.play(0, deals, table, True, True)[1]
    assert rows is not None
    return rows


def both(preset: str, name: str, other: str = "greedy", deals: int = 150) -> tuple[Rows, Rows]:
    """Rows of one strategy and of the other, at one table."""
    rows = rounds_of(preset, [name, other], deals)
    return rows[rows["strategy"] == 0], rows[rows["strategy"] == 1]


def takes(rows: Rows) -> float:
    """Share of the turns that begin with a take from the pile."""
    return float(rows["discard_draws"].sum() / rows["turns"].sum())


def gain(preset: str, name: str, other: str, seats: int, deals: int) -> tuple[float, float]:
    """Points a round of one strategy over the other, and the standard error by deal."""
    rows = rounds_of(preset, [name, other], deals, seats)
    points = rows["points"].astype(float) * np.where(rows["strategy"] == 0, 1, -1)
    by_deal = np.bincount(rows["deal"].astype(int), points, deals) * 2 * deals / len(rows)
    return float(by_deal.mean()), float(by_deal.std() / np.sqrt(deals))


def test_names_of_parameters_agree_on_all_sides() -> None:
    assert tuple(_DEFAULTS) == heuristic.PARAMS == tuple(PARAMETER_TEXTS)
    for changes in _NAMED.values():
        assert set(changes) <= set(_DEFAULTS)
    assert set(STRATEGY_TEXTS) == set(WEAK_SIDES) == set(NAMES)


def test_no_two_named_strategies_are_the_same() -> None:
    vectors = [tuple(resolve(name).vector()) for name in _NAMED]
    assert len(set(vectors)) == len(vectors)
    assert all(describe(name).text for name in NAMES)


@pytest.mark.parametrize("preset", preset_names())
def test_every_strategy_is_legal_by_every_rule_set(preset: str) -> None:
    """The engine refuses what is not, with an error."""
    rules = Rules.load(preset, ROUNDS)
    for seats in {rules.number("players.min"), rules.number("players.max")}:
        for names in (NAMES[:8], NAMES[-8:]):
            engine = Engine(rules, [resolve(name) for name in names], 3)
            table = np.array([[(r + 3 * i) % 8 for i in range(seats)] for r in range(8)], np.int8)
            games, _ = engine.play(0, 3, table)
            assert len(games) == 3 * 8 * seats


@pytest.mark.parametrize("preset", ["rami500", "rami", "rami51"])
def test_sprinter_ends_rounds_faster(preset: str) -> None:
    rows, _ = both(preset, "sprinter")
    same, _ = both(preset, "greedy")
    assert rows["turns"].mean() < 0.95 * same["turns"].mean()
    assert rows["went_out"].mean() > 0.53


def test_collector_takes_deeper() -> None:
    rows, greedy = both("rami500", "collector")
    assert rows["deep_cards"].mean() > greedy["deep_cards"].mean() + 1
    assert rows["laid"].mean() > greedy["laid"].mean()


@pytest.mark.parametrize("preset", ["rami", "rami51"])
def test_careful_gives_less_to_the_next_seat(preset: str) -> None:
    """Against the same player without care, the same opponent finds more to take."""
    _, served = both(preset, "careful:danger=0", deals=400)
    _, starved = both(preset, "careful", deals=400)
    assert takes(starved) < 0.85 * takes(served)


def test_careful_gives_less_than_greedy() -> None:
    _, served = both("rami51", "greedy", deals=500)
    _, starved = both("rami51", "careful", deals=500)
    assert takes(starved) < 0.95 * takes(served)


def opens_early(name: str) -> float:
    """Share of rounds of rami51 that a strategy has opened by its fourth turn."""
    turn = both("rami51", name, deals=300)[0]["opened_turn"]
    return float(((turn > 0) & (turn <= 4)).mean())


def test_opener_opens_earlier() -> None:
    assert opens_early("opener") > opens_early("greedy") + 0.1


@pytest.mark.slow
def test_opener_opens_earlier_than_anybody() -> None:
    share = opens_early("opener")
    for name in NAMES:
        assert name == "opener" or share > opens_early(name) - 0.02, name


@pytest.mark.parametrize("preset", ["rami500", "rami", "pool500"])
def test_patient_waits_for_more(preset: str) -> None:
    rows, greedy = both(preset, "patient")
    assert rows["rami"].mean() > greedy["rami"].mean() + 0.03
    mine, theirs = (r["opened_turn"][r["opened_turn"] > 0].mean() for r in (rows, greedy))
    assert mine > theirs + 1


def test_counter_prefers_live_cards() -> None:
    """With the same pairs kept whatever has been seen, it does no better than by counting."""
    mean, error = gain("rami51", "counter", "counter:live=0", 2, 400)
    assert mean > -2 * error
    mean, error = gain("rami51", "counter", "greedy", 2, 200)
    assert mean > 4 * error


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("preset", ["rami500", "rami", "pool500", "rami51"])
def test_the_ladder(preset: str, seats: int) -> None:
    """random < greedy < balanced, by more than four standard errors."""
    for better, worse in (("greedy", "random"), ("balanced", "greedy")):
        mean, error = gain(preset, better, worse, seats, 120 if seats == 2 else 60)
        assert mean > 4 * error, (better, worse)


def test_careful_beats_greedy_by_the_rules_of_the_demo() -> None:
    mean, error = gain("rami500", "careful", "greedy", 2, 1000)
    assert mean > 3.3 * error
