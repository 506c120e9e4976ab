"""The balance panel: hand-made matches, known payoffs, and a small one played to the end."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from fake_engine import FakeEngine
from ramisim.analysis.balance import BalanceResult, analyse_balance, diversity, seat_balance
from ramisim.analysis.metrics import games_to_tell, measure
from ramisim.analysis.observed import observe
from ramisim.analysis.panel import make_panel, telling
from ramisim.analysis.report.balance_page import write_balance_docs, write_balance_report
from ramisim.analysis.runs import open_run
from ramisim.analysis.schema import GAMES, MAX_SEATS, ROUNDS
from ramisim.analysis.values import Interval, Values
from ramisim.balance import plan_balance, play_balance, seats_of
from ramisim.cli.app import app
from ramisim.errors import StudyError
from ramisim.rules import Rules, preset_names
from synthetic_runs import cyclic, duel, write_run

HAND_MADE: list[tuple[Any, ...]] = [
    # deal, rotation, points of each round for seats 0 and 1, who goes out, turns of a seat, end
    (0, 0, [(30, 10), (20, 60)], [0, 1], [4, 5], ["out", "out"]),
    (0, 1, [(5, 5), (40, 0), (0, 20)], [None, 0, 1], [9, 3, 3], ["stock", "out", "out"]),
    (1, 0, [(10, 0)], [0], [2], ["out"]),
    (1, 1, [(0, 15), (15, 0)], [1, None], [6, 6], ["out", "stall"]),
]


def hand_made(folder: Path) -> Path:
    """Two strategies, a and b, on two deals in both seatings."""
    seatings = cyclic(2)
    games, rounds = [], []
    for deal, rotation, points, out, turns, ends in HAND_MADE:
        totals = [sum(p[seat] for p in points) for seat in (0, 1)]
        winners = [seat for seat in (0, 1) if totals[seat] == max(totals)]
        for seat in (0, 1):
            name = "ab"[seatings[rotation][seat]]
            games.append(
                (
                    deal, rotation, seat, name, totals[seat],
                    1 / len(winners) if seat in winners else 0.0, 1, len(points), sum(turns),
                    sum(o == seat for o in out), 0,
                )
            )  # fmt: skip
            rounds += [
                (
                    deal, rotation, seat, name, r, seat == r % 2, points[r][seat], 0, 0,
                    turns[r], out[r] == seat, False, ends[r], 3 if points[r][seat] else 0,
                    2, 1, 0, 1, 0, 0, 0,
                )
                for r in range(len(points))
            ]  # fmt: skip
    return write_run(
        folder,
        pl.DataFrame(games, schema=GAMES, orient="row"),
        ["a", "b"],
        seatings,
        rounds=pl.DataFrame(rounds, schema=ROUNDS, orient="row"),
    )


@pytest.mark.parametrize(
    ("metric", "ref"),
    [
        # Seat 0 wins matches 2 and 3 (totals 50:70, 45:25, 10:0, 15:15): 2.5 of 4.
        ("first_seat", 2.5 / 4 - 1 / 2),
        ("first_seat_points", (-20 + 20 + 10 + 0) / 4),
        ("shared_wins", 1 / 4),
        ("margin", (20 + 20 + 10 + 0) / 4),
        ("match_rounds", 8 / 4),
        ("match_turns", 2 * (9 + 15 + 2 + 12) / 4),
        ("round_turns", 2 * (9 + 15 + 2 + 12) / 8),
        ("end_out", 6 / 8),
        ("end_stock", 1 / 8),
        ("end_stall", 1 / 8),
        ("end_tours", 0.0),
        ("rami", 0.0),
        # The starter is seat 0, 1, 0, ...: 20+40, 0-40-20, 10, -15-15 over the other.
        ("starter_points", (20 + 40 + 0 - 40 - 20 + 10 - 15 - 15) / 8),
        # Of 6 goings-out 3 are the starter's (rounds 0 and 1 of match 0, round 0 of match 2).
        ("starter_out", 3 / 6 - 1 / 2),
        ("lead_changes", (1 + 0 + 0 + 0) / 4),
        # Long matches with a sole winner: 0 (won from behind) and 1 (level, then ahead).
        ("comeback", 1 / 2),
        # Deciding rounds 2 of 2, 2 of 3, 1 of 1.
        ("decided", (1 + 2 / 3 + 1) / 3),
        ("never_laid", 5 / 16),
        ("opening_turn", 3.0),
        ("discard_taken", 1 / 3),
        ("melds", 2.0),
    ],
)
def test_a_metric_of_hand_made_matches(tmp_path: Path, metric: str, ref: float) -> None:
    got = measure(metric, observe(open_run(hand_made(tmp_path / "run"))))
    assert got is not None
    assert got.value == pytest.approx(ref, abs=1e-6)
    assert got.units.mean() == pytest.approx(ref, abs=1e-6)


def test_a_run_without_rounds_has_the_metrics_of_its_games_only(tmp_path: Path) -> None:
    run = hand_made(tmp_path / "run")
    for part in (run / "rounds").iterdir():
        part.unlink()
    seen = observe(open_run(run))
    assert measure("comeback", seen) is None
    assert measure("round_turns", seen) is None
    assert measure("first_seat", seen) is not None
    assert make_panel(seen).turns == {}


def test_the_signal_is_the_mean_over_the_spread_of_a_game(tmp_path: Path) -> None:
    seen = observe(open_run(duel(tmp_path / "run", deals=50)))
    got = measure("signal", seen)
    by_game = seen.rows.pivot("entry", index=["deal", "rotation"], values="points")
    gaps = (by_game["0"] - by_game["1"]).to_numpy()
    assert got is not None
    assert got.value == pytest.approx(gaps.mean() / gaps.std(ddof=1))


def test_games_to_tell_follow_the_interval_of_the_signal() -> None:
    assert games_to_tell(0.05) == pytest.approx((1.645 / 0.05) ** 2)
    assert games_to_tell(0.0) is None
    found = telling(Interval(-0.1, 0.04, -0.18, -0.02, 0.01, 40), "a", "b")
    assert found is not None
    assert (found.a, found.b) == ("b", "a")
    assert found.low == pytest.approx((1.645 / 0.18) ** 2)
    assert found.high == pytest.approx((1.645 / 0.02) ** 2)
    unclear = telling(Interval(0.1, 0.08, -0.06, 0.26, 0.2, 40), "a", "b")
    assert unclear is not None
    assert unclear.high is None


def test_skill_is_found_where_it_was_put(tmp_path: Path) -> None:
    """Strength 60 apart: variance 900 of strategy beside 60² of cards and 30² of the rest."""
    seen = observe(open_run(duel(tmp_path / "run", deals=600, gap=60.0, seat_bonus=0.0)))
    skill, luck = (measure(name, seen) for name in ("skill_share", "luck_share"))
    assert skill is not None
    assert luck is not None
    assert skill.value == pytest.approx(900 / (900 + 3600 + 900), abs=0.02)
    assert skill.value + luck.value == pytest.approx(1.0, abs=0.01)
    panel = make_panel(seen)
    assert [s.label for s in panel.standings] == ["careful", "greedy"]
    assert panel.agreement == 1.0
    assert panel.telling is not None
    assert panel.telling.a == "careful"


def test_a_rate_of_nothing_has_an_interval_all_the_same(tmp_path: Path) -> None:
    panel = make_panel(observe(open_run(duel(tmp_path / "run", deals=50))))
    never = panel.metrics["end_stall"]
    assert never is not None
    assert never.value == 0
    assert never.high is not None
    assert 0 < never.high < 0.1


def gaps_of(means: dict[tuple[int, int], float], deals: int = 200) -> dict[tuple[int, int], Any]:
    rng = np.random.default_rng(4)
    return {pair: mean + rng.normal(0, 20, deals) for pair, mean in means.items()}


def test_rock_paper_scissors_are_three_strategies_worth_playing() -> None:
    got = diversity("rps", gaps_of({(0, 1): -30, (0, 2): 30, (1, 2): -30}))
    assert got.effective == pytest.approx(3, abs=0.1)
    assert got.cyclic > 0.95
    assert min(got.support) == 1.0


def test_one_best_strategy_is_one() -> None:
    got = diversity("abc", gaps_of({(0, 1): 30, (0, 2): 60, (1, 2): 30}))
    assert got.nash == pytest.approx((1, 0, 0))
    assert got.effective == pytest.approx(1)
    assert got.support == (1.0, 0.0, 0.0)


def test_balance_of_seats() -> None:
    got = seat_balance([0.5, 0.3, 0.2])
    assert got.discrepancy == pytest.approx(0.3)
    assert got.entropy == pytest.approx(
        -(0.5 * math.log(0.5) + 0.3 * math.log(0.3) + 0.2 * math.log(0.2)) / math.log(3)
    )


def test_seats_of_rules_for_many() -> None:
    assert seats_of(Rules.load("rami51")) == [2, 3, 4]
    assert seats_of(Rules.load("rami500-5p")) == [5, 8]
    assert seats_of(Rules.load("rami51"), (9,)) == seats_of(Rules.load("rami51"), (1,)) == []


def test_no_run_has_more_strategies_than_an_engine_seats() -> None:
    _, cells = plan_balance(preset_names(), 40)
    assert max(len(c.strategies) + len(c.opponents) for c in cells) == MAX_SEATS


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> BalanceResult:
    plan, cells = plan_balance(["rami500"], 20, seats=(2, 3))
    more, others = plan_balance(["pool500"], 20, seats=(3,))
    plan, cells = replace(plan, cells=plan.cells + more.cells), cells + others
    out = tmp_path_factory.mktemp("balance") / "run"
    play_balance(plan, cells, out, engine=FakeEngine, command="ramisim balance")
    return analyse_balance(out)


def test_every_cell_has_its_panel(result: BalanceResult) -> None:
    assert [(c.cell.rules, c.cell.players) for c in result.cells] == [
        ("rami500", 2), ("rami500", 3), ("pool500", 3),
    ]  # fmt: skip
    assert [tuple(c.restricted) for c in result.cells] == [("pile", "deep")] * 2 + [()]
    assert [c.diversity is not None for c in result.cells] == [True, False, False]
    for c in result.cells:
        points = [rung.points.mean for rung in c.ladder]
        assert points == sorted(points)
        assert len(c.panel.seats.wins) == c.cell.players
        assert c.panel.deals == 20


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_the_reports_are_the_same_every_time(
    result: BalanceResult, tmp_path: Path, lang: Any
) -> None:
    one, two = (write_balance_report(result, tmp_path / n, lang) for n in ("one", "two"))
    assert one.html.read_bytes() == two.html.read_bytes()
    assert one.json.read_bytes() == two.json.read_bytes()
    files = [write_balance_docs(result, tmp_path / n / "balance.md", lang) for n in ("one", "two")]
    assert [f.name for f in files[0]] == [f.name for f in files[1]]
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(*files, strict=True))
    text = files[0][0].read_text(encoding="utf-8")
    assert text.count("![") == len(files[0]) - 1
    assert "rami500" in text


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_one_panel_is_not_the_fairest(result: BalanceResult, tmp_path: Path, lang: Any) -> None:
    """A single rule set was called the fairest, of itself alone."""
    superlative = {"en": "fairest", "fr": "les plus justes"}[lang]
    one, seats, sets = (
        write_balance_report(replace(result, cells=cells), tmp_path, lang).text.splitlines()
        for cells in (result.cells[:1], result.cells[:2], result.cells)
    )
    assert superlative not in " ".join(one)
    assert "rami500, 2 " in one[1]
    assert "(p = " in one[2]
    assert superlative in seats[1]
    assert seats[1].startswith("rami500")
    assert superlative in sets[1]


def test_what_cannot_be_shown_is_told(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="not played at 6"):
        plan_balance(["rami500"], 40, seats=(6,))
    with pytest.raises(StudyError, match="holds no balance"):
        analyse_balance(tmp_path)
    got = CliRunner().invoke(app, ["balance", "--seats", "two"])
    assert got.exit_code == 2
    assert "no list of numbers" in got.output


def test_values_of_one_deal_have_no_interval() -> None:
    from ramisim.analysis.values import interval

    got = interval(Values(3.0, np.array([3.0]), 1))
    assert (got.low, got.high, got.p) == (None, None, None)
