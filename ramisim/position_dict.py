"""Positions as dicts (contracts 4): reading with every check, and writing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ramisim.cards import JOKER, JOKER_AS, card_name, check_cards, parse_card, parse_hand
from ramisim.errors import PositionError
from ramisim.given import shown
from ramisim.kernels import bits, shape, state, values
from ramisim.reasons import reason_text
from ramisim.rules import Rules

__all__ = ["hand_names", "read_position", "write_position"]

Record = npt.NDArray[np.void]
_PHASES: Final = ("draw", "play", "over")
_ENDS: Final = ("out", "stock", "blocked", "tours", "stall")
_MOST_POINTS: Final = 1_000_000_000
_FIELDS: Final = frozenset(
    "rules override hands turn phase stock discard table opened laid_before tour first_seat "  # noqa: SIM905
    "hit_open recycles points pool laid_now must_use no_rethrow to_replay out end".split()
)


def read_position(data: Mapping[str, Any]) -> tuple[Rules, Record, Record]:
    """The rules, SEEN[1] and HIDDEN[1] of a position dict."""
    if not isinstance(data, Mapping):
        raise PositionError(f"a position is a dict with 'hands' in it, not {shown(data)}")
    unknown = sorted(str(name) for name in data if name not in _FIELDS)
    if unknown:
        raise PositionError(f"field '{unknown[0]}': a position has {', '.join(sorted(_FIELDS))}")
    if "hands" not in data:
        raise PositionError("a position needs 'hands': a list of cards for each seat")
    rules = _rules(data)
    hands = [parse_hand(hand) for hand in _list(data, "hands")]
    rules.check_players(len(hands))
    seen = np.zeros(1, state.SEEN)
    hidden = np.zeros(1, state.HIDDEN)
    _read_cards(data, rules, hands, seen[0], hidden[0])
    _read_counters(data, rules, len(hands), seen[0])
    _read_table(data, rules, seen[0])
    _check_deck(rules, hands, seen[0], hidden[0])
    _read_points(data, rules, seen[0])
    _read_turn(data, rules, hands, seen[0])
    return rules, seen, hidden


def _rules(data: Mapping[str, Any]) -> Rules:
    rules = data.get("rules", "rami500")
    override = data.get("override")
    override = {} if override is None else override
    if not isinstance(override, Mapping):
        raise PositionError(f"override {shown(override)}: values by key, like opening.points = 40")
    if isinstance(rules, Rules):
        return rules if not override else Rules.load(rules.base, {**rules.override, **override})
    if not isinstance(rules, str):
        raise PositionError(f"rules {rules!r}: the name of a preset or of a TOML file")
    return Rules.load(rules, override)


def _list(data: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = data.get(name)
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise PositionError(f"{name} {value!r}: a list is needed")
    return value


def _read_cards(
    data: Mapping[str, Any], rules: Rules, hands: list[list[int]], seen: Any, hidden: Any
) -> None:
    seen["n_seats"] = len(hands)
    for seat, hand in enumerate(hands):
        check_cards(hand, rules.number("deck.packs"), rules.number("deck.jokers"), f"hand {seat}")
        counts = Counter(hand)
        once = sum(int(bits.CARD_BIT[c]) for c in counts if c != JOKER)
        twice = sum(int(bits.CARD_BIT[c]) for c, n in counts.items() if c != JOKER and n == 2)
        hidden["once"][seat] = once
        hidden["twice"][seat] = twice
        hidden["jokers"][seat] = counts[JOKER]
        seen["hand_size"][seat] = len(hand)
    for name, target, size in (("stock", hidden, "n_stock"), ("discard", seen, "n_discard")):
        cards = parse_hand(_list(data, name))
        if len(cards) > rules.deck_size:
            raise PositionError(f"{name}: {len(cards)} cards, but the deck has {rules.deck_size}")
        target[name][: len(cards)] = cards
        seen[size] = len(cards)


def _number(data: Mapping[str, Any], name: str, default: int, low: int, high: int) -> int:
    value = data.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise PositionError(f"{name} {value!r}: a number from {low} to {high}")
    return value


def _flag(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name, False)
    if not isinstance(value, bool):
        raise PositionError(f"{name} {value!r}: true or false")
    return int(value)


def _flags(data: Mapping[str, Any], name: str, n: int) -> list[bool]:
    value = _list(data, name)
    if not value:
        return [False] * n
    if len(value) != n or not all(isinstance(v, bool) for v in value):
        raise PositionError(f"{name} {list(value)!r}: true or false for each of {n} seats")
    return list(value)


def _choice(data: Mapping[str, Any], name: str, names: Sequence[str], default: int) -> int:
    value = data.get(name)
    if value is None:
        return default
    if value not in names:
        raise PositionError(f"{name} {value!r}: one of {', '.join(names)}")
    return names.index(value)


def _read_counters(data: Mapping[str, Any], rules: Rules, n: int, seen: Any) -> None:
    seen["turn"] = _number(data, "turn", 0, 0, n - 1)
    seen["first_seat"] = _number(data, "first_seat", 0, 0, n - 1)
    seen["phase"] = _choice(data, "phase", _PHASES, state.PHASE_DRAW)
    seen["end"] = _choice(data, "end", _ENDS, state.NOT_ENDED)
    _check_end(data, seen)
    seen["tour"] = _number(data, "tour", 1, 1, 1_000_000)
    seen["recycles"] = _number(data, "recycles", 0, 0, 1_000_000)
    seen["pool"] = _number(data, "pool", rules.number("score.pool"), 0, 1_000_000_000)
    seen["hit_open"] = _flag(data, "hit_open")
    seen["opened"][:n] = _flags(data, "opened", n)
    seen["laid_before"][:n] = _flags(data, "laid_before", n)


def _check_end(data: Mapping[str, Any], seen: Any) -> None:
    """A round has an end if and only if it is over."""
    is_over, has_end = seen["phase"] == state.PHASE_OVER, seen["end"] != state.NOT_ENDED
    if is_over and not has_end:
        raise PositionError(f"phase 'over' without an 'end': one of {', '.join(_ENDS)} is needed")
    if has_end and not is_over:
        phase = _PHASES[int(seen["phase"])]
        raise PositionError(f"end {data['end']!r} in phase {phase!r}: null, or phase 'over'")


def _read_table(data: Mapping[str, Any], rules: Rules, seen: Any) -> None:
    table = _list(data, "table")
    if len(table) > state.MAX_MELDS:
        raise PositionError(f"table: {len(table)} melds, at most {state.MAX_MELDS}")
    n = int(seen["n_seats"])
    for m, meld in enumerate(table):
        name = f"M{m + 1}"
        if not isinstance(meld, Mapping) or meld.get("id", name) != name:
            raise PositionError(f"table: meld {m + 1} has the id {name}")
        cards = _list(meld, "cards")
        if meld.get("type") not in ("set", "run") or not 3 <= len(cards) <= state.MELD_SIZE:
            raise PositionError(f"meld {name}: type set or run, 3 to {state.MELD_SIZE} cards")
        codes, seats = _meld_cards(name, cards, n)
        is_run = meld["type"] == "run"
        array = np.array(codes, np.int64)
        check = shape.check_run if is_run else shape.check_set
        reason = int(check(rules.record(), array, len(codes)))
        if reason:
            raise PositionError(f"meld {name}: {reason_text(reason, -1, rules)}")
        seen["meld_type"][m] = int(is_run)
        seen["meld_by"][m] = _number(meld, "by", max(seats, key=seats.count), 0, n - 1)
        seen["meld_size"][m] = len(codes)
        face = codes[0] - JOKER_AS if codes[0] >= JOKER_AS else codes[0]
        seen["meld_rank"][m] = face % bits.RANKS
        seen["meld_suit"][m] = face // bits.RANKS if is_run else state.NONE
        seen["meld_jokers"][m] = sum(code >= JOKER_AS for code in codes)
        seen["meld_card"][m][: len(codes)] = codes
        seen["meld_seat"][m][: len(codes)] = seats
    seen["n_melds"] = len(table)


def _meld_cards(name: str, cards: Sequence[Any], n: int) -> tuple[list[int], list[int]]:
    codes: list[int] = []
    seats: list[int] = []
    for entry in cards:
        if not isinstance(entry, Sequence) or isinstance(entry, str) or len(entry) != 2:
            raise PositionError(f"meld {name}: each card as [card, seat that laid it]")
        code, seat = parse_card(entry[0]), entry[1]
        if code == JOKER:
            raise PositionError(f"meld {name}: a joker says what it stands for, as in Jk=7H")
        if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < n:
            raise PositionError(f"meld {name}: seat {seat!r}, there are seats 0 to {n - 1}")
        codes.append(code)
        seats.append(seat)
    return codes, seats


def _check_deck(rules: Rules, hands: list[list[int]], seen: Any, hidden: Any) -> None:
    cards = [card for hand in hands for card in hand]
    cards += hidden["stock"][: seen["n_stock"]].tolist()
    cards += seen["discard"][: seen["n_discard"]].tolist()
    for m in range(int(seen["n_melds"])):
        codes = seen["meld_card"][m][: seen["meld_size"][m]].tolist()
        cards += [JOKER if code >= JOKER_AS else code for code in codes]
    packs, jokers = rules.number("deck.packs"), rules.number("deck.jokers")
    check_cards(cards, packs, jokers, "the position")


def _read_points(data: Mapping[str, Any], rules: Rules, seen: Any) -> None:
    n = int(seen["n_seats"])
    points = _list(data, "points")
    if points:
        whole = all(isinstance(p, int) and not isinstance(p, bool) for p in points)
        whole = whole and all(abs(p) <= _MOST_POINTS for p in points)
        if len(points) != n or not whole:
            raise PositionError(f"points {list(points)!r}: a number for each of {n} seats")
        seen["points"][:n] = points
        return
    record = rules.record()
    for m in range(int(seen["n_melds"])):
        low, size = int(seen["meld_rank"][m]), int(seen["meld_size"][m])
        is_run = seen["meld_type"][m] == state.RUN
        for i in range(size):
            if not is_run and rules["values.set_as_one"] and i in (1, 2):
                continue
            code = int(seen["meld_card"][m][i])
            if is_run:
                value = values.run_value(record, values.place_in_run(record, low, i))
            else:
                value = values.set_value(record, low)
            # The first three cards of a set may count as one natural card (ruling D02).
            as_one = not is_run and rules["values.set_as_one"] and i == 0
            worth = value if as_one else values.as_laid(record, code, value)
            seen["points"][int(seen["meld_seat"][m][i])] += worth


def _read_turn(data: Mapping[str, Any], rules: Rules, hands: list[list[int]], seen: Any) -> None:
    hand = hands[int(seen["turn"])]
    seen["laid_now"] = _flag(data, "laid_now")
    for name in ("must_use", "no_rethrow"):
        card = data.get(name)
        code = state.NONE if card is None else parse_card(card)
        if code >= JOKER_AS:
            raise PositionError(f"{name} {card!r}: a card of the hand, a joker is Jk")
        if code != state.NONE and code not in hand:
            raise PositionError(f"{name} {card!r}: not in the hand of the seat on turn")
        seen[name] = code
    seen["to_replay"] = _number(data, "to_replay", 0, 0, hand.count(JOKER))
    if seen["to_replay"] and rules["joker.recovered"] == "free":
        raise PositionError(
            f"to_replay {seen['to_replay']}: 0, for joker.recovered is free in these rules and no"
            " joker has to be played again"
        )
    for entry in _list(data, "out"):
        if not isinstance(entry, Mapping) or "seat" not in entry:
            raise PositionError(f"out {entry!r}: seat, discard, rami")
        k = int(seen["n_out"])
        if k >= len(hands):
            raise PositionError("out: a seat goes out once")
        seen["out_seat"][k] = _number(entry, "seat", 0, 0, len(hands) - 1)
        card = entry.get("discard")
        seen["out_discard"][k] = state.NONE if card is None else parse_card(card)
        seen["out_rami"][k] = _flag(entry, "rami")
        seen["n_out"] = k + 1


def hand_names(hidden: Any, seat: int) -> list[str]:
    """Names of the cards of one hand, by id, jokers last."""
    once, twice = int(hidden["once"][seat]), int(hidden["twice"][seat])
    cards: list[str] = []
    for card in range(52):
        b = int(bits.CARD_BIT[card])
        cards += [card_name(card)] * (bool(once & b) + bool(twice & b))
    return cards + [card_name(JOKER)] * int(hidden["jokers"][seat])


def _card_or_none(code: Any) -> str | None:
    return None if code == state.NONE else card_name(int(code))


def write_position(rules: Rules, seen: Any, hidden: Any) -> dict[str, Any]:
    """The dict of a position, with every field."""
    n = int(seen["n_seats"])
    begin = int(hidden["stock_next"])
    stock = hidden["stock"][begin : begin + int(seen["n_stock"])]
    end = int(seen["end"])
    return {
        "rules": rules.base,
        "override": dict(rules.override),
        "hands": [hand_names(hidden, seat) for seat in range(n)],
        "turn": int(seen["turn"]),
        "phase": _PHASES[int(seen["phase"])],
        "stock": [card_name(int(c)) for c in stock],
        "discard": [card_name(int(c)) for c in seen["discard"][: seen["n_discard"]]],
        "table": [_meld(seen, m) for m in range(int(seen["n_melds"]))],
        "opened": [bool(x) for x in seen["opened"][:n]],
        "laid_before": [bool(x) for x in seen["laid_before"][:n]],
        "tour": int(seen["tour"]),
        "first_seat": int(seen["first_seat"]),
        "hit_open": bool(seen["hit_open"]),
        "recycles": int(seen["recycles"]),
        "points": [int(x) for x in seen["points"][:n]],
        "pool": int(seen["pool"]),
        "laid_now": bool(seen["laid_now"]),
        "must_use": _card_or_none(seen["must_use"]),
        "no_rethrow": _card_or_none(seen["no_rethrow"]),
        "to_replay": int(seen["to_replay"]),
        "out": [
            {
                "seat": int(seen["out_seat"][k]),
                "discard": _card_or_none(seen["out_discard"][k]),
                "rami": bool(seen["out_rami"][k]),
            }
            for k in range(int(seen["n_out"]))
        ],
        "end": None if end == state.NOT_ENDED else _ENDS[end],
    }


def _meld(seen: Any, m: int) -> dict[str, Any]:
    size = int(seen["meld_size"][m])
    return {
        "id": f"M{m + 1}",
        "type": "run" if seen["meld_type"][m] == state.RUN else "set",
        "by": int(seen["meld_by"][m]),
        "cards": [
            [card_name(int(seen["meld_card"][m][i])), int(seen["meld_seat"][m][i])]
            for i in range(size)
        ],
    }
