"""How rounds and matches end: each way is reached, and counted in the tables."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

import naive
from ramisim import simulate
from ramisim.analysis.deals import collect_deals
from ramisim.analysis.report.plain import as_plain
from ramisim.analysis.rounds import collect_rounds
from ramisim.analysis.runs import open_run
from ramisim.analysis.schema import END_REASONS
from ramisim.analysis.summary import summarise
from ramisim.cards import parse_hand
from ramisim.engine import Engine
from ramisim.record import play_games, verify_game
from ramisim.rules import Rules
from ramisim.strategies import resolve

Line = dict[str, Any]
ENDS: list[tuple[str, str, dict[str, Any], int, str]] = [
    ("out", "rami500-quick", {}, 2, "greedy"),
    ("stock", "rami500-quick", {}, 4, "random"),
    ("blocked", "rami51", {"match.max_rounds": 2}, 4, "first-legal"),
    ("tours", "pool500", {"match.max_rounds": 3}, 2, "greedy"),
    ("stall", "rami", {"round.max_turns_per_player": 4, "match.max_rounds": 3}, 3, "greedy"),
]


def play(rules: Rules, strategy: str, seats: int, deals: int = 40, seed: int = 8) -> pl.DataFrame:
    engine = Engine(rules, [resolve(strategy)], seed)
    _, rounds = engine.play(0, deals, np.zeros((1, seats), np.int8), True, True)
    assert rounds is not None
    return pl.DataFrame(rounds)


def records(rules: Rules, strategy: str, seats: int, games: int) -> list[list[Line]]:
    found = list(play_games(rules, [strategy] * seats, seats, 8, games))
    for game in found:
        verify_game(game)
        naive.verify(game)
    return found


def rounds_of(games: list[list[Line]]) -> list[Line]:
    return [line for game in games for line in game[1:-1]]


@pytest.mark.parametrize(("end", "name", "override", "seats", "strategy"), ENDS)
def test_every_end_is_reached_and_counted(
    end: str, name: str, override: dict[str, Any], seats: int, strategy: str, tmp_path: Any
) -> None:
    rules, out = Rules.load(name, override), tmp_path / "run"
    simulate(rules, strategy, 40, 8, "fixed", players=seats, out=out, rounds=True)
    told = Counter(line["end"] for line in rounds_of(records(rules, strategy, seats, 40)))
    assert told[end] > 0
    run = open_run(out)
    assert run.rounds is not None
    rows = run.rounds.collect().filter(pl.col("seat") == 0)
    assert Counter(rows["end"].cast(pl.String).to_list()) == told
    found = collect_rounds(run, collect_deals(run))
    assert found is not None
    shares = {estimate.label: estimate.mean for estimate in found.ends}
    assert shares == pytest.approx({e: n / told.total() for e, n in told.items()})
    # The report says the same.
    in_report = as_plain(summarise(run))["rounds"]["ends"]
    assert {row["label"]: row["mean"] for row in in_report} == shares


def recycled(game: list[Line]) -> list[tuple[list[str], list[str]]]:
    """Of each recycling the pile under its top card, oldest first, and the new stock."""
    found = []
    for line in game[1:-1]:
        pile = list(line["discard"])
        for turn in line["turns"]:
            if "recycle" in turn:
                found.append((pile[:-1], turn["recycle"]))
                pile = pile[-1:]
                continue
            for action in turn["actions"]:
                if action["op"] == "draw_discard":
                    del pile[-action["n"] :]
                if action["op"] == "discard" and action["card"] is not None:
                    pile.append(action["card"])
    return found


@pytest.mark.parametrize("how", ["shuffle", "flip"])
def test_a_recycled_stock_is_shuffled_or_turned_over(how: str) -> None:
    rules = Rules.load("rami", {"round.recycle": how, "match.max_rounds": 2, "match.target": 0})
    games = records(rules, "first-legal", 4, 6)
    seen = [pair for game in games for pair in recycled(game)]
    assert len(seen) > 6
    for pile, stock in seen:
        assert sorted(parse_hand(pile)) == sorted(parse_hand(stock))
    turned = sum(pile == stock for pile, stock in seen)
    assert turned == (len(seen) if how == "flip" else 0)
    # Drawn from a stock that was gone: more cards than the deck had left.
    rows = play(rules, "first-legal", 4, 6)
    drawn = rows.group_by("deal", "round").agg(pl.col("stock_draws").sum())["stock_draws"]
    assert drawn.max() > 52 - 4 * 10 - 1  # type: ignore[operator]


def test_the_number_of_recyclings_is_kept() -> None:
    for most in (1, 2):
        override = {"round.max_recycles": most, "match.max_rounds": 2}
        games = records(Rules.load("rami51", override), "first-legal", 4, 10)
        for line in rounds_of(games):
            n = sum("recycle" in turn for turn in line["turns"])
            assert n <= most
            if line["end"] == "blocked":
                assert n == most


@pytest.mark.parametrize("strategy", ["greedy", "first-legal"])
@pytest.mark.parametrize("name", ["pool500", "pool300"])
def test_the_pool_is_paid_or_carried(name: str, strategy: str) -> None:
    """Points beyond laid less deadwood are the pool: 30 for each deal since it was last paid."""
    rows = play(Rules.load(name, {"match.max_rounds": 12}), strategy, 3)
    carried = 0
    paid_late = 0
    for (_, number), group in rows.group_by("deal", "round", maintain_order=True):
        pool = 30 if number == 0 else carried + 30
        paid = (group["points"] - group["laid"] + group["deadwood"]).to_list()
        assert sum(paid) in (0, pool)
        out = group["went_out"].to_list()
        assert all(out[seat] for seat in range(3) if paid[seat])
        if sum(out) == 1:
            assert sum(paid) == pool
        carried = pool if sum(paid) == 0 else 0
        paid_late += sum(paid) > 30
    assert paid_late > 0 or strategy != "greedy"


def test_only_the_winner_scores_in_cutthroat() -> None:
    rows = play(Rules.load("pool500-cutthroat", {"match.max_rounds": 4}), "greedy", 3)
    for _, group in rows.group_by("deal", "round"):
        scoring = group.filter(pl.col("points") != 0)
        assert scoring.height <= 1
        assert scoring["went_out"].all()


def first_hit(line: Line, players: int) -> tuple[int, int] | None:
    """(seat, tour) of the first turn that put anything on the table."""
    taken = 0
    for turn in line["turns"]:
        if "recycle" in turn:
            continue
        taken += 1
        if any(a["op"] in ("lay", "open", "lay_off", "swap") for a in turn["actions"]):
            return turn["seat"], (taken - 1) // players + 1
    return None


@pytest.mark.parametrize("gate", ["none", "first_tour", "until_first_hit", "rotating"])
def test_gates(gate: str) -> None:
    rules = Rules.load("pool500", {"opening.gate": gate, "match.max_rounds": 3})
    hits = []
    for line in rounds_of(records(rules, "random", 4, 12)):
        hit = first_hit(line, 4)
        if hit is not None:
            hits.append(((hit[0] - line["first_seat"]) % 4, hit[1]))
    assert hits
    if gate == "none":
        assert {place for place, tour in hits if tour == 1} == {0, 1, 2, 3}
    elif gate == "first_tour":
        assert {place for place, tour in hits if tour == 1} <= {0}
        assert {place for place, tour in hits if tour > 1} - {0}
    elif gate == "until_first_hit":
        assert {place for place, _ in hits} == {0}
    else:
        assert all(place == (tour - 1) % 4 for place, tour in hits)
        assert any(tour > 1 for _, tour in hits)


def test_the_tour_is_completed_after_somebody_is_out() -> None:
    rows = play(Rules.load("pool500", {"match.max_rounds": 6}), "greedy", 4, 60)
    several = 0
    for _, group in rows.filter(pl.col("end") == END_REASONS.index("out")).group_by(
        "deal", "round"
    ):
        several += group["went_out"].sum() > 1
        turns = group.sort("seat")["turns"].to_list()
        first = group["first"].arg_max()
        assert first is not None
        in_order = turns[first:] + turns[:first]
        # Only an empty stock cuts the tour short.
        assert in_order == sorted(in_order, reverse=True)
        assert max(turns) - min(turns) <= 1
    assert several > 0
    alone = play(
        Rules.load("pool500", {"score.multi_out": "first_out_ends", "match.max_rounds": 6}),
        "greedy", 4, 60,
    )  # fmt: skip
    assert alone.group_by("deal", "round").agg(pl.col("went_out").sum())["went_out"].max() == 1


def test_the_stall_guard_holds() -> None:
    rules = Rules.load("rami", {"round.max_turns_per_player": 7, "match.max_rounds": 3})
    rows = play(rules, "greedy", 3)
    assert rows["turns"].max() == 7
    stalled = rows.filter(pl.col("end") == END_REASONS.index("stall"))
    assert stalled.height > 0
    assert set(stalled["turns"]) == {7}


# --- matches ------------------------------------------------------------------------------


def totals(rows: pl.DataFrame) -> list[list[list[int]]]:
    """Totals by seat after each round, match by match."""
    found = []
    for _, match in rows.sort("deal", "round", "seat").group_by("deal", maintain_order=True):
        by_round = match["points"].to_numpy().reshape(match["round"].n_unique(), -1)
        found.append(np.cumsum(by_round, axis=0).tolist())
    return found


@pytest.mark.parametrize(
    ("name", "target"), [("rami500", 500), ("rami500-200", 200), ("rami", 100)]
)
def test_a_match_ends_with_the_round_that_reaches_the_target(name: str, target: int) -> None:
    for match in totals(play(Rules.load(name), "greedy", 3, 20)):
        assert max(match[-1]) >= target
        assert all(max(after) < target for after in match[:-1])


def test_a_match_ends_with_its_last_round() -> None:
    assert {len(m) for m in totals(play(Rules.load("rami500-quick"), "greedy", 2))} == {3}
    lengths = {len(m) for m in totals(play(Rules.load("rami51"), "greedy", 2))}
    assert max(lengths) == 20
    many = totals(play(Rules.load("rami51", {"match.max_rounds": 30}), "greedy", 4))
    assert min(len(match) for match in many) < 30  # the target ends it earlier


def test_the_highest_total_wins_and_a_tie_is_shared() -> None:
    """Two seats of a void score end level: each wins half, and both are first."""
    rules = Rules.load(
        "rami", {"score.blocked": "void", "round.max_turns_per_player": 1, "match.max_rounds": 2}
    )
    engine = Engine(rules, [resolve("first-legal")], 1)
    games, _ = engine.play(0, 10, np.zeros((1, 3), np.int8))
    assert games["won"].tolist() == pytest.approx([1 / 3] * 30)
    assert set(games["place"]) == {1}
    engine = Engine(Rules.load("rami500"), [resolve("greedy")], 1)
    games, _ = engine.play(0, 30, np.zeros((1, 3), np.int8))
    for game in games.reshape(30, 3):
        best = game["points"].max()
        winners = game["points"] == best
        assert game["won"].tolist() == pytest.approx((winners / winners.sum()).tolist())
        assert game["place"].tolist() == [
            1 + int((game["points"] > p).sum()) for p in game["points"]
        ]


def test_extra_rounds_are_played_until_one_is_ahead() -> None:
    override = {"match.max_rounds": 1, "match.target": 0, "match.tie_break": "extra_round"}
    override |= {"score.method": "winner_takes", "round.max_turns_per_player": 6}
    rules = Rules.load("rami", override)
    matches = totals(play(rules, "greedy", 2, 200))
    for match in matches:
        assert match[-1].count(max(match[-1])) == 1
        assert all(after.count(max(after)) > 1 for after in match[:-1])
    assert max(map(len, matches)) > 1
    shared = Rules.load("rami", override | {"match.tie_break": "shared"})
    assert {len(match) for match in totals(play(shared, "greedy", 2, 200))} == {1}


def test_the_first_seat_moves_by_one_each_round() -> None:
    for seats in (2, 3, 4):
        rows = play(Rules.load("rami500"), "greedy", seats, 10).filter(pl.col("first"))
        assert (rows["seat"].cast(pl.Int64) == rows["round"].cast(pl.Int64) % seats).all()
        for game in records(Rules.load("rami500"), "greedy", seats, 2):
            for line in game[1:-1]:
                assert line["first_seat"] == line["round"] % seats
                assert line["turns"][0]["seat"] == line["first_seat"]
