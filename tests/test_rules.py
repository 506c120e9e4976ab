"""Rule sets: presets as given, everything else checked and refused with a reason."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from ramisim.errors import RulesError
from ramisim.kernels import words
from ramisim.rules import PRESETS, Rules, parse_settings, preset_names, preset_text
from ramisim.rules_keys import KEYS
from ramisim.rules_words import rules_in_words
from rule_sets import overrides, rule_sets

VALUES: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "presets.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", list(VALUES))
def test_every_value_of_every_preset(name: str) -> None:
    rules = Rules.load(name)
    assert list(rules.values.items()) == list(VALUES[name].items())
    assert (rules.name, rules.base, dict(rules.override)) == (name, name, {})


def test_no_preset_more_or_less() -> None:
    assert preset_names() == list(VALUES)


@pytest.mark.parametrize("name", list(VALUES))
def test_each_value_has_its_sentence_or_was_decided(name: str) -> None:
    comment = ""
    for line in preset_text(name).splitlines():
        if line.startswith("#"):
            comment += line
        elif re.match(r"\w+ = ", line) and not line.startswith(("name", "base")):
            assert "decided" in comment or re.search("« .* »", comment), line
            comment = ""
        else:
            comment = ""


def test_a_preset_file_is_read_like_a_users_file() -> None:
    for path in PRESETS.glob("*.toml"):
        assert Rules.load(path) == Rules.load(path.stem)


@pytest.mark.parametrize(
    ("override", "reason"),
    [
        ({"players.mx": 3}, "unknown rule key players.mx = 3: did you mean players.max?"),
        ({"colour": 3}, "unknown rule key colour = 3"),
        ({"joker": True}, "unknown rule key joker"),
        ({"players.max": 9}, "players.max = 9: allowed is a whole number from 2 to 8"),
        ({"deck.packs": 3}, "deck.packs = 3: allowed is a whole number from 1 to 2"),
        ({"deck.jokers": -1}, "deck.jokers = -1: allowed"),
        ({"meld.run_max": 15}, "meld.run_max = 15: allowed is a whole number from 3 to 14"),
        ({"joker.swap": 1}, "joker.swap = 1: allowed is true or false"),
        ({"deck.jokers": True}, "deck.jokers = true: allowed is a whole number"),
        ({"values.face": 10.0}, "values.face = 10.0: allowed is a whole number"),
        ({"values.joker_meld": "face"}, 'values.joker_meld = "face": allowed is "replaced" or a'),
        ({"draw.discard": "deep"}, 'allowed is "none", "top" or "any_depth"'),
        ({"draw.discard": None}, "draw.discard = None: allowed"),
        ({"players.min": 5}, "players.min = 5, players.max = 4"),
        ({"match.target": {}}, "match.target = {}: allowed is a whole number"),
        ({"match": {"target": {}}}, "match.target = {}: allowed is a whole number"),
        ({"nothing": {}}, "unknown rule key nothing = {}"),
        ({"match.target": 0}, "a match would never end"),
        ({"deal.hand_size": 14}, "deal.hand_size = 14 cannot be dealt to players.max = 4"),
        ({"deal": {"hand_size": 30}}, "at most 13 cards each are allowed"),
    ],
)
def test_refusals_say_what_was_found_and_what_is_allowed(
    override: dict[str, Any], reason: str
) -> None:
    with pytest.raises(RulesError, match=re.escape(reason)):
        Rules.load("rami500", override)


def test_the_largest_deal_leaves_one_card_to_draw() -> None:
    # 54 cards: four hands of 13, the upcard and one card.
    assert Rules.load("rami500", {"deal.hand_size": 13}).deck_size == 4 * 13 + 1 + 1
    no_upcard = {"deal.upcard": False, "deck.jokers": 1, "deal.hand_size": 13}
    assert Rules.load("rami500", no_upcard).deck_size == 4 * 13 + 1

    for override in ({"deck.jokers": 1}, {"deck.jokers": 0, "deal.upcard": False}):
        with pytest.raises(RulesError, match="cannot be dealt"):
            Rules.load("rami500", {**override, "deal.hand_size": 13})


# Copied from the contract: the kernels hold a word as its place in this list.
WORDS = {
    "deal.first_tour_draw": "single ascending",
    "draw.discard": "none top any_depth",
    "draw.must_use": "never deep always",
    "meld.ace": "low high both wrap",
    "opening.gate": "none first_tour until_first_hit rotating",
    "lay_off.on": "none own anyone",
    "joker.recovered": "free replay_same_turn",
    "joker.set_swap": "declared any_missing complete_only never",
    "discard.policy": "mandatory optional",
    "discard.final": "required optional",
    "round.stock_end": "finish_turn recycle",
    "round.recycle": "shuffle flip",
    "values.joker_meld": "replaced",
    "score.method": "laid_minus_hand winner_takes zero_sum",
    "score.swap_credit": "both swapper owner",
    "score.blocked": "lowest_hand void",
    "score.multi_out": "first_out_ends lowest_discard",
    "match.tie_break": "shared extra_round",
}


KERNEL_WORDS = {
    "deal.first_tour_draw": "FIRST_TOUR_SINGLE FIRST_TOUR_ASCENDING",
    "draw.discard": "TAKE_NONE TAKE_TOP TAKE_ANY_DEPTH",
    "draw.must_use": "MUST_NEVER MUST_DEEP MUST_ALWAYS",
    "meld.ace": "ACE_LOW_ONLY ACE_HIGH_ONLY ACE_BOTH WRAP",
    "opening.gate": "GATE_NONE GATE_FIRST_TOUR GATE_UNTIL_FIRST_HIT GATE_ROTATING",
    "lay_off.on": "LAY_OFF_NONE LAY_OFF_OWN_ONLY LAY_OFF_ANYONE",
    "joker.recovered": "RECOVERED_FREE RECOVERED_REPLAYED",
    "joker.set_swap": "SWAP_DECLARED SWAP_ANY_MISSING SWAP_COMPLETE_ONLY SWAP_NEVER",
    "discard.policy": "POLICY_MANDATORY POLICY_OPTIONAL",
    "discard.final": "POLICY_MANDATORY POLICY_OPTIONAL",
    "round.stock_end": "FINISH_TURN RECYCLE",
    "round.recycle": "SHUFFLE FLIP",
    "score.method": "LAID_MINUS_HAND WINNER_TAKES ZERO_SUM",
    "score.swap_credit": "CREDIT_BOTH CREDIT_SWAPPER CREDIT_OWNER",
    "score.blocked": "BLOCKED_LOWEST_HAND BLOCKED_VOID",
    "score.multi_out": "FIRST_OUT_ENDS LOWEST_DISCARD",
    "match.tie_break": "TIE_SHARED TIE_EXTRA_ROUND",
}


def test_kernels_number_the_words_as_the_contract_does() -> None:
    for key, names in KERNEL_WORDS.items():
        held = [getattr(words, name) for name in names.split()]
        assert held == list(range(len(KEYS[key].words))), key
    assert set(KERNEL_WORDS) == {k for k, key in KEYS.items() if key.words and not key.takes_int}


def test_words_stand_in_the_order_of_the_contract() -> None:
    assert {name: " ".join(key.words) for name, key in KEYS.items() if key.words} == WORDS


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("rami52", "did you mean rami51?"),
        ("whist", "presets are rami500"),
        ("no-such-file.toml", "cannot read the rules in no-such-file.toml: No such file"),
    ],
)
def test_unknown_rules(name: str, reason: str) -> None:
    with pytest.raises(RulesError, match=re.escape(reason)):
        Rules.load(name)


def test_seats() -> None:
    rules = Rules.load("rami500")
    for n in (2, 3, 4):
        rules.check_players(n)
    for n in (0, 1, 5, 9):
        with pytest.raises(RulesError, match=f"played by 2 to 4 players, not by {n}"):
            rules.check_players(n)


def test_a_users_file(tmp_path: Path) -> None:
    path = tmp_path / "soft51.toml"
    path.write_text('base = "rami51"\n[opening]\npoints = 40\n[joker]\nswap = false\n')
    rules = Rules.load(path)
    assert (rules.name, rules.base) == ("soft51", "rami51")
    assert dict(rules.override) == {"opening.points": 40, "joker.swap": False}
    assert rules["deal.hand_size"] == 13
    assert rules == Rules.load(rules.base, rules.override)
    harder = Rules.load(path, {"opening.points": 60})
    assert dict(harder.override) == {"opening.points": 60, "joker.swap": False}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('base = "rami52"', "did you mean rami51?"),
        ("base = 7", "texts in quotation marks"),
        ("[opening]\npoints = 40", "lacks players.min and 52 more keys"),
        ("base = rami51", "is no TOML file"),
        ('base = "rami51"\n[opening]\npoint = 40', "did you mean opening.points?"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(RulesError, match=re.escape(reason)):
        Rules.load(path)


def test_values_may_be_those_of_numpy() -> None:
    rules = Rules.load("rami51", {"opening.points": np.int64(40)})
    assert rules == Rules.load("rami51", {"opening.points": 40})
    assert type(rules["opening.points"]) is int
    with pytest.raises(RulesError, match="unknown rule key 3 = 3"):
        Rules.load("rami51", {3: 3})  # type: ignore[dict-item]


def test_a_byte_order_mark_is_no_rule(tmp_path: Path) -> None:
    """Some editors of Windows write one."""
    path = tmp_path / "mine.toml"
    path.write_text('base = "rami51"\n', encoding="utf-8-sig")
    assert Rules.load(path).values == Rules.load("rami51").values


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RulesError, match="not UTF-8"):
        Rules.load(path)
    with pytest.raises(RulesError, match="cannot read the rules"):
        Rules.load(tmp_path / "mine.toml" / "deeper.toml")


def test_settings_of_the_command_line() -> None:
    texts = ["opening.points=40", "joker.swap = false", "draw.discard=top", 'meld.ace="low"']
    assert parse_settings(texts) == {
        "opening.points": 40,
        "joker.swap": False,
        "draw.discard": "top",
        "meld.ace": "low",
    }
    for text in ("opening.points", "opening.points=forty", "opening.pionts=40", "=4"):
        with pytest.raises(RulesError):
            parse_settings([text])


def test_a_file_with_every_key_needs_no_base() -> None:
    full = Rules.load("pool500").to_toml(full=True)
    bare = re.sub("^base = .*$", "", full, flags=re.MULTILINE)
    assert Rules.from_toml(bare) == Rules.load("pool500")


@given(rule_sets())
def test_toml_round_trip(rules: Rules) -> None:
    for full in (False, True):
        again = Rules.from_toml(rules.to_toml(full))
        assert again == rules
        assert (again.name, again.base) == (rules.name, rules.base)


@given(overrides())
def test_overrides_hold_and_nothing_else_changes(changes: dict[str, Any]) -> None:
    rules = Rules.load("rami51", changes)
    assert dict(rules.override) == changes
    assert dict(rules.values) == {**VALUES["rami51"], **changes}
    assert rules == Rules.load(rules.base, json.loads(json.dumps(dict(rules.override))))
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert hash(rules) == hash(Rules.load("rami51", changes))


@given(rule_sets())
def test_the_record_holds_every_value(rules: Rules) -> None:
    record = rules.record()
    assert [key.field for key in KEYS.values()] == list(record.dtype.names or ())
    for name, value in rules.values.items():
        key = KEYS[name]
        held = int(record[key.field])
        if value == "replaced":
            assert held == -1
        else:
            assert held == (key.words.index(value) if isinstance(value, str) else value)


def test_differences() -> None:
    one, other = Rules.load("rami500"), Rules.load("rami500-quick")
    assert one.differences(other) == {"match.target": (500, 0), "match.max_rounds": (0, 3)}


@given(rule_sets())
def test_words_say_the_same_number_of_things_in_both_languages(rules: Rules) -> None:
    english, french = rules_in_words(rules, "en"), rules_in_words(rules, "fr")
    assert [len(said) for _, said in english] == [len(said) for _, said in french]
    for _, said in english + french:
        for sentence in said:
            assert sentence.endswith(".")
            assert "  " not in sentence


@pytest.mark.parametrize("name", sorted(KEYS))
def test_every_key_has_a_say_in_the_words(name: str) -> None:
    key = KEYS[name]
    if key.is_flag:
        values: list[Any] = [False, True]
    else:
        numbers = range(key.low, min(key.low + 3, key.high + 1))
        values = [*key.words, *numbers]
    context = {"players.max": 4, "match.max_rounds": 5, "score.swap_credit": "both"}
    for lang in ("en", "fr"):
        pages = set()
        for base in ("rami500", "rami51"):
            for value in values:
                rules = Rules.load(base, {**context, name: value})
                pages.add((base, str(rules_in_words(rules, lang))))
        assert len(pages) > 2, f"{name} is not in the words"
