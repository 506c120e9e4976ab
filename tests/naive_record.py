"""The score of a round, the end of a match, and game records replayed action by action."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from naive_cards import Rules, deadwood, deck, hand_value, is_joker, load_rules, read_card
from naive_position import Position
from naive_turn import Illegal, apply_action

# --- the score of a round ---------------------------------------------------------------


def score_of(p: Position) -> list[int]:
    """Points of every seat for a round that is over."""
    if p.end is None:
        raise ValueError("the round is not over")
    rules, seats = p.rules, range(len(p.hands))
    out = [entry["seat"] for entry in p.out]
    costs = [_hand_cost(p, seat) for seat in seats]
    void = rules["score.blocked"] == "void"
    if rules["score.method"] == "laid_minus_hand":  # D18
        points = [p.points[seat] - costs[seat] for seat in seats]
        if void and p.end in ("blocked", "stall"):
            points = [0 for _ in seats]
    elif void and not out:
        points = [0 for _ in seats]
    else:
        lowest = [seat for seat in seats if costs[seat] == min(costs)]
        points = _collect(rules, costs, _takers(p) if out else lowest)
    for entry in p.out:  # the bank pays everyone who went out (D20)
        points[entry["seat"]] += rules["score.go_out_bonus"]
        points[entry["seat"]] += rules["score.rami_bonus"] if entry["rami"] else 0
    winner = winner_of(p)
    if winner is not None:
        points[winner] += p.pool
    if rules["score.only_winner"]:  # D21
        points = [points[seat] if seat == winner else 0 for seat in seats]
    return points


def _hand_cost(p: Position, seat: int) -> int:
    """The value left in hand, or the penalty of a player who never opened (D17)."""
    penalty: int = p.rules["score.unopened_penalty"]
    went_out = any(entry["seat"] == seat for entry in p.out)
    if penalty > 0 and not p.opened[seat] and not went_out:
        return penalty
    return deadwood(p.hands[seat], p.rules)


def _collect(rules: Rules, costs: Sequence[int], takers: Sequence[int]) -> list[int]:
    """The takers share what the others hold, rounded down; in a zero-sum game the others pay."""
    pays = rules["score.method"] == "zero_sum"
    pot = sum(cost for seat, cost in enumerate(costs) if seat not in takers)
    return [
        pot // len(takers) if seat in takers else (-cost if pays else 0)
        for seat, cost in enumerate(costs)
    ]


def _takers(p: Position) -> list[int]:
    """Of those out the lowest last discard alone wins; on a tie those out share (D19)."""
    winner = winner_of(p)
    return [entry["seat"] for entry in p.out] if winner is None else [winner]


def winner_of(p: Position) -> int | None:
    """The one who takes the pool: alone out, or with the lowest last discard alone (D34)."""
    lasts = {entry["seat"]: _last_discard(entry["discard"], p.rules) for entry in p.out}
    lowest = [seat for seat, value in lasts.items() if value == min(lasts.values())]
    return lowest[0] if len(lowest) == 1 else None


def _last_discard(card: str | None, rules: Rules) -> int:
    """None thrown 0, T J Q K 10 whatever a face is worth, ace and joker as in hand (D34)."""
    if card is None:
        return 0
    return 10 if card[0] in "TJQK" and not is_joker(card) else hand_value(card, rules)


def pool_after(p: Position) -> int:
    """What the next deal plays for: an unclaimed pool is carried."""
    carried = p.pool if winner_of(p) is None else 0
    added: int = p.rules["score.pool"]
    return carried + added


# --- the end of a match -----------------------------------------------------------------

# A match without an end, as one whose target is out of reach, is over after so many rounds, and
# the highest total wins: the last paragraph of docs/self-play.md.
MOST_ROUNDS = 1000


class Match:
    """Totals over the rounds, and whether the match is over."""

    def __init__(self, rules: Rules, players: int) -> None:
        self.rules = rules
        self.totals = [0] * players
        self.rounds = 0
        self.reached = False  # the target or the last round

    def add(self, points: Sequence[int]) -> None:
        self.totals = [total + won for total, won in zip(self.totals, points, strict=True)]
        self.rounds += 1
        target, last = self.rules["match.target"], self.rules["match.max_rounds"]
        self.reached |= 0 < target <= max(self.totals) or 0 < last <= self.rounds

    def winners(self) -> list[int]:
        return [seat for seat, total in enumerate(self.totals) if total == max(self.totals)]

    def is_over(self) -> bool:
        """At the end of a round; where ties are played on, only with one winner (D22)."""
        if self.rounds >= MOST_ROUNDS:
            return True
        extra_round = self.rules["match.tie_break"] == "extra_round" and len(self.winners()) > 1
        return self.reached and not extra_round


# --- game records -----------------------------------------------------------------------


class BadRecord(ValueError):  # noqa: N818 - it is what it says
    """What is wrong with a record."""


def expect(condition: bool, message: str) -> None:
    if not condition:
        raise BadRecord(message)


def same(name: str, found: Any, right: Any) -> None:
    expect(found == right, f"{name} is {found!r}, it should be {right!r}")


def verify(lines: Iterable[str | Mapping[str, Any]]) -> int:
    """Replay all games of a record; the number of games, BadRecord where one is wrong."""
    games: list[list[dict[str, Any]]] = []
    for text in lines:
        line = _read_line(text)
        if "record" in line:
            games.append([])
        expect(bool(games), "a record begins with its header")
        games[-1].append(line)
    expect(bool(games), "no game in the record")
    for number, game in enumerate(games):
        try:
            _verify_game(game[0], game[1:])
        except KeyError as error:
            raise BadRecord(f"game {number}: no field {error}") from error
        except (TypeError, ValueError, AttributeError) as error:
            raise BadRecord(f"game {number}: {error}") from error
    return len(games)


def _read_line(text: str | Mapping[str, Any]) -> dict[str, Any]:
    try:
        return dict(json.loads(text) if isinstance(text, str) else text)
    except (TypeError, ValueError) as error:
        raise BadRecord(f"not a line of a record: {text!r}") from error


def _verify_game(header: Mapping[str, Any], lines: list[dict[str, Any]]) -> None:
    same("record", header["record"], 1)
    rules = load_rules(header["rules"], header["override"])
    players = header["players"]
    least, most = rules["players.min"], rules["players.max"]
    expect(least <= players <= most, f"{players} players, {least} to {most} are allowed")
    same("number of strategies", len(header["strategies"]), players)
    expect(bool(lines) and lines[-1].get("end") == "game", "the record has no end line")
    match, pool = Match(rules, players), rules["score.pool"]
    first_seat = lines[0].get("first_seat", 0)  # free in the first round (D23)
    for number, line in enumerate(lines[:-1]):
        expect(not match.is_over(), f"round {number} is played after the end of the match")
        try:
            same("round", line["round"], number)
            same("first_seat", line["first_seat"], (first_seat + number) % players)
            over = _verify_round(header, line, rules, pool)
            match.add(line["points"])
            same("totals", line["totals"], match.totals)
        except BadRecord as error:
            raise BadRecord(f"round {number}: {error}") from error
        pool = pool_after(over)
    expect(match.is_over(), "the match is not over")
    same("totals", lines[-1]["totals"], match.totals)
    same("winners", sorted(lines[-1]["winners"]), match.winners())


def _verify_round(
    header: Mapping[str, Any], line: Mapping[str, Any], rules: Rules, pool: int
) -> Position:
    p = start_of_round(header, line, pool)
    same("number of hands", len(p.hands), header["players"])
    same("hand sizes", [len(hand) for hand in p.hands], [rules["deal.hand_size"]] * len(p.hands))
    same("cards in the discard pile", len(p.discard), int(rules["deal.upcard"]))
    _count(p)
    turns = iter(line["turns"])
    for number, entry in enumerate(turns):
        try:
            p = _replay(p, entry, turns)
        except Illegal as error:
            raise BadRecord(f"turn {number}: {error.reason}") from error
        except BadRecord as error:
            raise BadRecord(f"turn {number}: {error}") from error
    expect(p.end is not None, "the round does not end")
    same("end", line["end"], p.end)
    same("out", sorted(line["out"]), sorted(entry["seat"] for entry in p.out))
    same("rami", line["rami"], any(entry["rami"] for entry in p.out))
    same("points", line["points"], score_of(p))
    return p


def start_of_round(header: Mapping[str, Any], line: Mapping[str, Any], pool: int) -> Position:
    """The position a round line of a record starts from."""
    start = {name: line[name] for name in ("hands", "discard", "stock", "first_seat")}
    rules = {"rules": header["rules"], "override": header["override"]}
    return Position.from_dict({**rules, **start, "turn": line["first_seat"], "pool": pool})


def _replay(p: Position, entry: Mapping[str, Any], turns: Iterator[Mapping[str, Any]]) -> Position:
    """One turn of a record, and the recycling that follows it."""
    expect("recycle" not in entry, "recycled without need")
    same("seat", entry["seat"], p.turn)
    ended = False
    recycles = p.recycles
    for action in entry["actions"]:
        expect(not ended, "an action after the end of the turn")
        p = apply_action(p, action)
        ended = action["op"] == "discard"
        _count(p)
    expect(ended, "the turn does not end with a discard")
    if p.recycles > recycles:
        stock = [read_card(card) for card in next(turns, {}).get("recycle", [])]
        same("cards of the new stock", sorted(stock), sorted(p.stock))
        if p.rules["round.recycle"] == "flip":
            same("new stock", stock, p.stock)
        p.stock = stock
    return p


def _count(p: Position) -> None:
    """All cards of the deck are somewhere, none twice."""
    counted, right = p.all_cards(), deck(p.rules)
    expect(counted == right, f"cards lost or doubled: {_difference(counted, right)}")


def _difference(counted: Counter[str], right: Counter[str]) -> str:
    missing, extra = sorted((right - counted).elements()), sorted((counted - right).elements())
    return f"missing {' '.join(missing) or 'none'}, too many {' '.join(extra) or 'none'}"
