"""The naive referee against the worked cases and the reference vectors."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import naive
from naive_cards import DATA, RANKS, SUITS, presets
from naive_games import deal, random_record, random_round
from ramisim.benchmarks.hands import CORPUS as HANDS

Item = dict[str, Any]


def load(name: str) -> list[Item]:
    items: list[Item] = json.loads((DATA / f"{name}.json").read_text())
    return items


EXAMPLES = load("examples")
PERFT = load("perft")
BEST_MELDS = load("best_melds")
BEST_PLAY = load("best_play")
FAST_PERFT = 3000


def ids(items: list[Item]) -> list[str]:
    return [item["id"] for item in items]


# --- worked cases -----------------------------------------------------------------------

PLAYED = [case for case in EXAMPLES if "actions" in case]
RECORDED = [case for case in EXAMPLES if "record" in case]


def found(case: Item, key: str, before: Item, after: Item) -> Any:
    """What the case expects under `key`, as the referee sees it."""
    seat = before["turn"]
    if key == "laid_points_delta":
        pairs = zip(naive.points(after), naive.points(before), strict=True)
        return [now - then for now, then in pairs]
    if key == "hand_after":
        return Counter(after["hands"][seat])
    if key == "hand_sizes":
        return [len(hand) for hand in after["hands"]]
    if key == "out":
        return [entry["seat"] for entry in after["out"]]
    if key == "rami":
        return any(entry["rami"] for entry in after["out"])
    if key == "score":
        return naive.score_round(after)
    if key == "over":
        return naive.is_over(after)
    return len(after["stock"]) if key == "stock_size" else after[key]


@pytest.mark.parametrize("case", PLAYED, ids=ids(PLAYED))
def test_case(case: Item) -> None:
    expect = case["expect"]
    before = after = naive.normal(case["position"])
    for number, action in enumerate(case["actions"]):
        reason = naive.refusal(after, action)
        if reason is not None:
            assert (number, reason) == (expect.get("fails_at"), expect.get("reason"))
            return
        after = naive.apply(after, action)
    assert expect["legal"]
    for key in expect.keys() - {"legal", "why"}:
        ref = Counter(expect[key]) if key == "hand_after" else expect[key]
        assert found(case, key, before, after) == ref, key


@pytest.mark.parametrize("case", RECORDED, ids=ids(RECORDED))
def test_record(case: Item) -> None:
    assert naive.verify(case["record"]) == 1
    assert naive.verify([json.dumps(line) for line in case["record"] * 2]) == 2
    with pytest.raises(naive.BadRecord):
        naive.verify(case["bad_record"])


# --- perft ------------------------------------------------------------------------------


def depths(slow: bool) -> list[Any]:
    return [
        pytest.param(item["position"], int(depth), count, id=f"{item['id']}-{depth}")
        for item in PERFT
        for depth, count in item["perft"].items()
        if (count > FAST_PERFT) == slow
    ]


@pytest.mark.parametrize(("position", "depth", "ref"), depths(slow=False))
def test_perft(position: Item, depth: int, ref: int) -> None:
    assert naive.perft(position, depth) == ref


@pytest.mark.slow
@pytest.mark.parametrize(("position", "depth", "ref"), depths(slow=True))
def test_perft_deep(position: Item, depth: int, ref: int) -> None:
    assert naive.perft(position, depth) == ref


LISTED = [item for item in PERFT if "lists" in item]


@pytest.mark.parametrize("item", LISTED, ids=ids(LISTED))
def test_listed_actions(item: Item) -> None:
    for listed in item["lists"]:
        position = naive.apply(item["position"], *listed["after"])
        assert naive.same_actions(naive.legal_actions(position), listed["actions"])
        if "openings" in listed:
            assert naive.same_actions(naive.openings(position), listed["openings"])


# --- melds of a hand --------------------------------------------------------------------


def check_best_melds(item: Item) -> None:
    hand, rules = item["hand"], item["rules"]
    assert len(naive.enumerate_melds(hand, rules)) == item["n_melds"]
    for objective in ("deadwood", "points"):
        got = naive.best_melds(hand, rules, objective)
        used = Counter("Jk" if c[:2] == "Jk" else c for m in got.pop("melds") for c in m["cards"])
        left = Counter[str](hand) - used
        assert used <= Counter(hand)
        assert naive.deadwood(left.elements(), naive.load_rules(rules)) == got["deadwood"]
        assert got == item[objective]


@pytest.mark.parametrize("item", BEST_MELDS[::6], ids=ids(BEST_MELDS[::6]))
def test_best_melds(item: Item) -> None:
    check_best_melds(item)


@pytest.mark.slow
@pytest.mark.parametrize("item", BEST_MELDS, ids=ids(BEST_MELDS))
def test_best_melds_all(item: Item) -> None:
    check_best_melds(item)


def test_best_melds_of_the_corpus() -> None:
    classes: dict[str, Item] = json.loads(HANDS.read_text())["classes"]
    for name, group in classes.items():
        for i in range(0, len(group["hands"]), 100):
            got = naive.best_melds(group["hands"][i], group["rules"])
            ref = group["deadwood"][i], group["points"][i]
            assert (got["deadwood"], got["points"]) == ref, f"{name} {i}"


GIN = {"meld.ace": "low", "values.ace_hand": 1}


def test_gin_deadwood() -> None:
    """Sets and runs with a low ace: the deadwood of gin, ten cards and eleven with a discard."""
    rules = naive.load_rules("rami", GIN)
    names = [letter + suit for suit in SUITS for letter in RANKS]
    with np.load(DATA / "gin_deadwood.npz") as gin:
        for name in ("random10", "dense10", "random11", "dense11"):
            hands, least = gin[f"{name}_hands"][:40], gin[f"{name}_deadwood"][:40]
            for hand, ref in zip(hands, least, strict=True):
                cards = [names[card] for card in hand]
                smaller = [cards[:i] + cards[i + 1 :] for i in range(len(cards))]
                tried = [cards] if len(cards) == 10 else smaller
                assert min(naive.best_melds(h, rules)["deadwood"] for h in tried) == ref


# --- the best turn ----------------------------------------------------------------------


def size_of_search(item: Item) -> int:
    """A rough measure: cards in hand, jokers in hand and on the table, melds on the table."""
    position = naive.normal(naive.apply(item["position"], *item["prefix"]))
    hand = position["hands"][position["turn"]]
    jokers = sum(card[:2] == "Jk" for meld in position["table"] for card, _ in meld["cards"])
    size: int = len(hand) + hand.count("Jk") + jokers
    return size


def check_best_play(item: Item) -> None:
    position = naive.apply(item["position"], *item["prefix"])
    seat = position["turn"]
    best = naive.best_plays(position)
    for objective, ref in item["value"].items():
        got = best[objective]
        assert got["value"] == ref, objective
        after = naive.apply(position, *got["actions"])
        laid = naive.points(after)[seat] - naive.points(position)[seat]
        cost = naive.deadwood(after["hands"][seat], naive.load_rules(after["rules"]))
        cards = len(position["hands"][seat]) - len(after["hands"][seat])
        reached = {"points": laid, "score": laid - cost, "deadwood": -cost, "cards": cards}
        assert reached[objective] == ref, objective


SMALL = [item for item in BEST_PLAY if size_of_search(item) <= 8]
LARGE = [item for item in BEST_PLAY if size_of_search(item) > 8]


@pytest.mark.parametrize("item", SMALL, ids=ids(SMALL))
def test_best_play(item: Item) -> None:
    check_best_play(item)


@pytest.mark.slow
@pytest.mark.parametrize("item", LARGE, ids=ids(LARGE))
def test_best_play_large(item: Item) -> None:
    check_best_play(item)


# --- random games -----------------------------------------------------------------------

SEATS = [(name, n) for name in presets() for n in (2, 4, 8)]
SEATS = [(name, n) for name, n in SEATS if naive.load_rules(name)["players.min"] <= n]
SEATS = [(name, n) for name, n in SEATS if naive.load_rules(name)["players.max"] >= n]


@pytest.mark.parametrize(("name", "players"), SEATS)
def test_random_records_verify(name: str, players: int) -> None:
    override = {"match.target": 60, "match.max_rounds": 3}
    for seed in range(3):
        lines = random_record(name, override, players, seed)
        assert naive.verify(lines) == 1
        lines[-1]["totals"] = [total + 1 for total in lines[-1]["totals"]]
        with pytest.raises(naive.BadRecord, match="totals"):
            naive.verify(lines)


VARIED: dict[str, list[Any]] = {
    "deck.packs": [1, 2],
    "deck.jokers": [0, 2, 4, 8],
    "deal.hand_size": [4, 7, 10],
    "deal.upcard": [True, False],
    "deal.first_tour_draw": ["single", "ascending"],
    "draw.discard": ["none", "top", "any_depth"],
    "draw.must_use": ["never", "deep", "always"],
    "meld.set_distinct_suits": [True, False],
    "meld.set_max": [3, 4, 6, 10],
    "meld.run_max": [3, 5, 13, 14],
    "meld.ace": ["low", "high", "both", "wrap"],
    "meld.min_naturals": [0, 1, 2],
    "meld.max_jokers": [0, 1, 2],
    "meld.adjacent_jokers": [True, False],
    "opening.points": [0, 20, 40],
    "opening.needs_run": [True, False],
    "opening.pure_run": [True, False],
    "opening.gate": ["none", "first_tour", "until_first_hit", "rotating"],
    "lay_off.on": ["none", "own", "anyone"],
    "lay_off.needs_opening": [True, False],
    "joker.swap": [True, False],
    "joker.swap_needs_opening": [True, False],
    "joker.recovered": ["free", "replay_same_turn"],
    "joker.set_swap": ["declared", "any_missing", "complete_only", "never"],
    "discard.policy": ["mandatory", "optional"],
    "discard.final": ["required", "optional"],
    "discard.rethrow_taken": [True, False],
    "round.stock_end": ["finish_turn", "recycle"],
    "round.max_recycles": [0, 1],
    "round.max_tours": [0, 3, 10],
    "round.max_turns_per_player": [4, 15],
    "values.joker_meld": ["replaced", 15],
    "values.set_as_one": [True, False],
    "score.method": ["laid_minus_hand", "winner_takes", "zero_sum"],
    "score.swap_credit": ["both", "swapper", "owner"],
    "score.multi_out": ["first_out_ends", "lowest_discard"],
    "score.blocked": ["lowest_hand", "void"],
    "score.unopened_penalty": [0, 100],
}


def check_variant(seed: int) -> str | None:
    """A round of a random variant: cards kept, dicts kept, refusals and legal actions agree."""
    rng = Random(seed)
    keys = rng.sample(list(VARIED), rng.randint(3, 14))
    override = {key: rng.choice(VARIED[key]) for key in keys}
    try:
        start = deal(rng.choice(list(presets())), override, rng.choice([2, 3, 4]), rng)
    except ValueError:
        return None  # cannot be dealt
    cards, after = naive.all_cards(start), start
    for before, action in random_round(start, rng):
        position = before.to_dict()
        assert naive.normal(json.loads(json.dumps(position))) == position
        after = naive.apply(position, action)
        assert naive.all_cards(after) == cards
        assert naive.is_over(after) or naive.legal_actions(after) or naive.openings(after)
    if after["override"].get("score.method", "") == "zero_sum" and not after["out"]:
        assert sum(naive.score_round(after)) <= 0  # shares are rounded down
    end: str | None = after["end"]
    return end


def test_random_variants() -> None:
    ends = Counter(check_variant(seed) for seed in range(60))
    assert {"out", "stock", "tours", "stall"} <= ends.keys()


@pytest.mark.slow
def test_random_variants_many() -> None:
    ends = Counter(check_variant(seed) for seed in range(60, 1000))
    assert {"out", "stock", "blocked", "tours", "stall"} <= ends.keys()


# --- corners no case shows --------------------------------------------------------------


def test_extra_round_until_the_highest_is_alone() -> None:
    match = naive.Match({**naive.load_rules("rami"), "match.tie_break": "extra_round"}, 2)
    match.add([100, 100])
    assert not match.is_over()
    match.add([-5, -5])
    assert not match.is_over()
    match.add([-5, -6])  # below the target by now, but alone (D22)
    assert match.is_over()
    assert match.winners() == [0]


@pytest.mark.parametrize("tie_break", ["shared", "extra_round"])
def test_a_match_without_an_end_is_over_after_a_thousand_rounds(tie_break: str) -> None:
    """The last paragraph of docs/self-play.md."""
    endless = {"match.target": 0, "match.max_rounds": 0, "match.tie_break": tie_break}
    match = naive.Match({**naive.load_rules("rami"), **endless}, 2)
    for _ in range(999):
        match.add([-1, -1])
        assert not match.is_over()
    match.add([-1, -1])
    assert match.is_over()
    assert match.winners() == [0, 1]


def test_an_unclaimed_pool_is_carried() -> None:
    table = [{"id": "M1", "type": "run", "cards": [["4S", 0], ["5S", 0], ["6S", 0]]}]
    start: Item = {"rules": "pool500", "hands": [["3D"], ["4D"]], "phase": "play", "tour": 10}
    start |= {"turn": 1, "stock": ["2C"], "table": table, "hit_open": True, "pool": 60}
    assert naive.next_pool(naive.apply(start, {"op": "discard", "card": "4D"})) == 30
    drawn = naive.apply({**start, "phase": "draw", "stock": ["2C", "9C"]}, {"op": "draw_stock"})
    assert naive.next_pool(naive.apply(drawn, {"op": "discard", "card": "4D"})) == 90


def test_a_joker_played_meets_the_recovered_duty_first() -> None:
    """The joker taken from the pile is then still the one that may not be thrown (D06)."""
    run = [["5H", 1], ["6H", 1], ["Jk=7H", 1]]
    start: Item = {"rules": "rami51", "hands": [["7H", "KD"], ["4D"]], "opened": [True, True]}
    start |= {"discard": ["6D", "Jk"], "stock": ["2H"]}
    start |= {"table": [{"id": "M1", "type": "run", "cards": run}]}
    taken = naive.apply(start, {"op": "draw_discard", "n": 1})
    swapped = naive.apply(taken, {"op": "swap", "meld": "M1", "card": "7H", "joker": "Jk=7H"})
    lay_off = {"op": "lay_off", "meld": "M1", "cards": ["Jk=8H"], "end": "high"}
    reason = naive.refusal(naive.apply(swapped, lay_off), {"op": "discard", "card": "Jk"})
    assert reason == "the discard just taken may not be thrown back"


def test_an_ace_under_a_king_is_high_where_runs_wrap() -> None:
    """K-A laid off together below a 2 pays 10 + 11, one by one 1 + 10 (D27)."""
    run = [["2S", 1], ["3S", 1], ["4S", 1]]
    start: Item = {"rules": "rami500", "hands": [["KS", "AS", "9D"], ["4D"]], "phase": "play"}
    start |= {"override": {"meld.ace": "wrap"}, "stock": ["2H"]}
    start |= {"table": [{"id": "M1", "type": "run", "cards": run}]}
    assert naive.best_play(start, "points")["value"] == 21


def test_the_referee_stands_alone() -> None:
    for path in Path(__file__).parent.glob("naive*.py"):
        assert "ramisim" not in path.read_text(), path.name
