"""The luck of the cards: a control whose mean is 0, fitted on a pilot, and what it gains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from fake_engine import FakeEngine
from ramisim.analysis.comparing import compare_runs
from ramisim.analysis.controls import (
    LUCK_CONTROLS,
    fit_control,
    fit_luck,
    luck_controls,
    remove_luck,
)
from ramisim.analysis.deals import collect_deals
from ramisim.analysis.report import text_block, write_report
from ramisim.analysis.runs import Run, open_run, run_in_memory
from ramisim.analysis.schema import LUCK, LUCK_UNIT
from ramisim.compare import compare
from ramisim.errors import RunError
from synthetic_runs import cyclic, game_rows

PAIR = [(0, 1)]


def luck_rows(games: pl.DataFrame, seed: int = 5) -> pl.DataFrame:
    """Luck that games have in truth: the noise of a draw, in whole units."""
    rng = np.random.default_rng(seed)
    n = len(games)
    drawn = rng.normal(0, 10, n)
    columns: dict[str, Any] = {name: games[name] for name in ("deal", "rotation", "seat")}
    columns |= {
        "dealt": np.zeros(n, np.int64),
        "dealt_jokers": np.zeros(n, np.int64),
        "drawn": np.rint(drawn * LUCK_UNIT).astype(np.int64),
        "drawn_laid": np.rint(rng.normal(0, 5, n) * LUCK_UNIT).astype(np.int64),
        "drawn_fits": np.zeros(n, np.int64),
        "drawn_jokers": np.rint(rng.normal(0, 0.5, n) * LUCK_UNIT).astype(np.int64),
    }
    return pl.DataFrame(columns, schema=LUCK)


def lucky_run(first_deal: int, deals: int, luck: bool = True) -> Run:
    """Two strategies, 6 points apart; each point of luck at the stock is worth 2."""
    games = game_rows({"a": 6.0, "b": 0.0}, cyclic(2), deals, first_deal=first_deal, noise=5.0)
    rows = luck_rows(games, first_deal + 1)
    points = games["points"] + (2 * rows["drawn"] / LUCK_UNIT).round().cast(pl.Int32)
    games = games.with_columns(points=points)
    told = {
        "strategies": ["a", "b"], "players": 2, "seatings": cyclic(2), "deals": deals,
        "first_deal": first_deal,
    }  # fmt: skip
    return run_in_memory(told, games.lazy(), luck=rows.lazy() if luck else None)


def test_coefficients_come_from_the_pilot_alone() -> None:
    fitted = fit_luck(lucky_run(10_000, 300), PAIR)
    assert fitted["controls"] == list(LUCK_CONTROLS)
    assert (fitted["first_deal"], fitted["deals"]) == (10_000, 300)
    dealt, dealt_jokers, drawn, drawn_laid, drawn_fits, drawn_jokers = fitted["beta"][0]
    assert drawn == pytest.approx(2.0, abs=0.1)
    # Hands that are dealt to both cancel in duplicate deals: no spread, no coefficient.
    assert (dealt, dealt_jokers, drawn_fits) == (0.0, 0.0, 0.0)
    assert abs(drawn_laid) < 0.2
    assert abs(drawn_jokers) < 2.0

    run = lucky_run(0, 300)
    other = run_in_memory(
        {"strategies": ["a", "b"], "players": 2, "seatings": cyclic(2), "luck": fitted,
         "deals": 300, "first_deal": 0}, run.games, luck=run.luck,
    )  # fmt: skip
    deals = collect_deals(other)
    got = remove_luck(other, deals, PAIR)[0]
    assert got is not None
    raw = deals.clusters("points").difference(0, 1)
    x = luck_controls(other, deals, PAIR)[0]
    ref = raw - x @ np.array(fitted["beta"][0])
    assert got.mean == pytest.approx(ref.mean())
    assert got.factor == pytest.approx(raw.var() / ref.var())
    assert got.factor is not None
    assert got.factor > 3
    assert got.low < 6.0 < got.high


def test_controls_that_explain_nothing_are_shrunk_to_nothing() -> None:
    rng = np.random.default_rng(8)
    deals = np.arange(400, dtype=np.uint64)
    x = rng.normal(0, 1, (400, 6))
    noise = rng.normal(0, 30, 400)
    useless = fit_control(deals, noise, x, shrink=True).beta
    assert np.abs(useless).max() < np.abs(fit_control(deals, noise, x).beta).max()
    strong = fit_control(deals, noise + 60 * x[:, 0], x, shrink=True).beta
    assert strong[0] == pytest.approx(60, rel=0.1)
    same = fit_control(deals, 60 * x[:, 0], x, shrink=True).beta
    assert same[0] == pytest.approx(60)


def test_a_deal_of_the_pilot_is_not_evaluated() -> None:
    run = lucky_run(50, 100)
    fitted = fit_luck(run, PAIR)
    again = lucky_run(149, 100)
    told = run_in_memory(
        {"strategies": ["a", "b"], "players": 2, "seatings": cyclic(2), "luck": fitted,
         "deals": 100, "first_deal": 149}, again.games, luck=again.luck,
    )  # fmt: skip
    with pytest.raises(ValueError, match="deal 149 is in the pilot"):
        remove_luck(told, collect_deals(told), PAIR)


def test_without_luck_there_is_nothing_to_remove() -> None:
    run = lucky_run(0, 50, luck=False)
    assert remove_luck(run, collect_deals(run), PAIR) == [None]
    with pytest.raises(ValueError, match="no table of luck"):
        luck_controls(run, collect_deals(run), PAIR)


def test_luck_of_some_games_is_not_enough() -> None:
    run = lucky_run(0, 50)
    assert run.luck is not None
    torn = run_in_memory(
        {"strategies": ["a", "b"], "players": 2, "seatings": cyclic(2), "deals": 50},
        run.games, luck=run.luck.filter(pl.col("deal") != 20),
    )  # fmt: skip
    with pytest.raises(ValueError, match="not measured"):
        luck_controls(torn, collect_deals(torn), PAIR)


def test_the_order_of_parts_changes_no_bit() -> None:
    run = lucky_run(0, 200)
    assert run.luck is not None
    turned = run_in_memory(
        {"strategies": ["a", "b"], "players": 2, "seatings": cyclic(2), "deals": 200},
        run.games.reverse(), luck=run.luck.reverse(),
    )  # fmt: skip
    one, two = (luck_controls(r, collect_deals(r), PAIR)[0] for r in (run, turned))
    assert np.array_equal(one, two)


def test_luck_is_for_finished_comparisons(tmp_path: Path) -> None:
    import ramisim
    from fake_engine import A, B
    from ramisim.luck import add_luck

    ramisim.simulate("rami500", [A, B], 5, 7, out=tmp_path / "run", engine=FakeEngine)
    with pytest.raises(RunError, match="no finished comparison"):
        add_luck(tmp_path / "run")


def naive_luck(lines: list[dict[str, Any]], rules: Any) -> NDArray[np.float64]:
    """Luck of a recorded game, seat by seat, from the words of the definition."""
    from ramisim.melding import best_melds
    from ramisim.position import Position

    def melded(hand: list[str]) -> NDArray[np.float64]:
        best = best_melds(hand, rules)
        return np.array([-best["deadwood"], best["points"]], dtype=np.float64)

    n = lines[0]["players"]
    luck = np.zeros((n, 5))
    for told in lines[1:-1]:
        hands = told["hands"]
        own = [-melded(hand)[0] for hand in hands]
        wild = [hand.count("Jk") for hand in hands]
        luck[:, 0] += np.mean(own) - np.array(own)
        luck[:, 1] += np.array(wild) - np.mean(wild)
        position = Position.from_dict(
            {"rules": lines[0]["rules"], "override": lines[0]["override"], "hands": hands,
             "stock": told["stock"], "discard": told["discard"], "turn": told["first_seat"],
             "first_seat": told["first_seat"]}
        )  # fmt: skip
        for turn in told["turns"]:
            if "recycle" in turn:
                raise AssertionError("choose a game without recycling")
            for action in turn["actions"]:
                if action["op"] == "draw_stock":
                    now = position.to_dict()
                    hand, stock = now["hands"][turn["seat"]], now["stock"]
                    after = position.apply(action).to_dict()["hands"][turn["seat"]]
                    for card in stock[: len(after) - len(hand)]:
                        could = np.array([melded([*hand, c]) for c in stock])
                        luck[turn["seat"], 2:4] += melded([*hand, card]) - could.mean(axis=0)
                        luck[turn["seat"], 4] += (card == "Jk") - stock.count("Jk") / len(stock)
                        hand, stock = [*hand, card], stock[1:]
                position = position.apply(action)
    return luck


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rami500-quick", "pool300"])
def test_luck_is_what_the_definition_says(name: str) -> None:
    from ramisim.engine import Engine
    from ramisim.luck import measure_luck
    from ramisim.record import play_games
    from ramisim.rules import Rules
    from ramisim.strategies import resolve

    rules = Rules.load(name, {"match.max_rounds": 1, "round.max_turns_per_player": 12})
    engine = Engine(rules, [resolve("greedy"), resolve("careful")], 5)
    got = measure_luck(engine, 3, 1, np.array([[0, 1]], np.int8))
    lines = next(iter(play_games(rules, ["greedy", "careful"], 2, 5, 1, first_deal=3)))
    ref = naive_luck(lines, rules)
    for seat in range(2):
        # What fits the table is a quick look of the engine; that its mean is 0 is tested below.
        told = [column for column in LUCK_CONTROLS if column != "drawn_fits"]
        mine = [float(got[seat][column]) for column in told]
        assert mine == pytest.approx(ref[seat].tolist(), abs=1e-9)


@pytest.mark.slow
def test_luck_is_0_in_the_mean_and_exactly_0_against_oneself(tmp_path: Path) -> None:
    from ramisim.luck import add_luck

    compare("rami500-quick", ["careful", "greedy"], deals=300, seed=3, out=tmp_path / "run")
    add_luck(tmp_path / "run", pilot=200)
    run = open_run(tmp_path / "run")
    deals = collect_deals(run)
    x = luck_controls(run, deals, PAIR)[0]
    error = x.std(axis=0, ddof=1) / np.sqrt(len(x))
    assert (np.abs(x.mean(axis=0)) <= 4 * error + 1e-12).all()
    assert (error[2:] > 0).all()
    found = compare_runs(run, deals)
    assert found is not None
    removed = found.pairs[0].luck
    assert removed is not None
    assert removed.factor is not None
    assert removed.factor > 1.0
    assert "Without the luck of the cards" in text_block(run)
    html = write_report(run, tmp_path / "fr", "fr").html.read_text(encoding="utf-8")
    assert "Chance retirée" in html
    # A second time there is nothing to measure, and the figures stay.
    add_luck(tmp_path / "run", pilot=200)
    again = compare_runs(open_run(tmp_path / "run"), deals)
    assert again is not None
    assert again.pairs[0].luck == removed

    compare("rami500-quick", ["greedy", "greedy"], deals=20, seed=3, out=tmp_path / "self")
    add_luck(tmp_path / "self", pilot=20)
    itself = open_run(tmp_path / "self")
    assert not luck_controls(itself, collect_deals(itself), PAIR)[0].any()
