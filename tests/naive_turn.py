"""A turn as the naive referee sees it: actions, what is legal, what ends a turn.

Written from the rules page and the contracts, one sentence after the other; slow and plain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from naive_cards import (
    JOKER,
    RANKS,
    SUITS,
    Rules,
    by_suit,
    enumerate_melds,
    face,
    in_hand,
    is_joker,
    meld_fault,
    meld_points,
    natural_value,
    place_value,
    rank,
    read_card,
    suit,
)
from naive_position import Position, TableMeld

Action = Mapping[str, Any]
INCOMPLETE = "the turn could not be completed after this"


class Illegal(Exception):  # noqa: N818 - named after the contract's IllegalAction
    """A refused action; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def require(condition: bool, reason: str) -> None:
    if not condition:
        raise Illegal(reason)


# --- drawing ----------------------------------------------------------------------------


def _draw_stock(p: Position) -> None:
    """One card; in an ascending first tour 3 + k, or what is there (D04)."""
    require(p.phase == "draw", "already drawn")
    require(bool(p.stock), "the stock is empty")
    count = 1
    if p.rules["deal.first_tour_draw"] == "ascending" and p.tour == 1:
        count = 3 + (p.turn - p.first_seat) % len(p.hands)
    p.hand.extend(p.stock[:count])
    del p.stock[:count]
    p.phase = "play"


def _draw_discard(p: Position, n: int) -> None:
    """The top card alone may be kept but not thrown back; the deepest of more must be used."""
    require(p.phase == "draw", "already drawn")
    require(p.rules["draw.discard"] != "none", "the discard pile is closed")
    require(n >= 1, "at least one card is taken")
    require(n == 1 or p.rules["draw.discard"] == "any_depth", "only the top discard may be taken")
    require(n <= len(p.discard), f"the discard pile holds {len(p.discard)} cards")
    taken = p.discard[-n:]
    del p.discard[-n:]
    p.hand.extend(taken)
    must_use = p.rules["draw.must_use"]
    if must_use == "always" or (must_use == "deep" and n > 1):
        p.must_use = taken[0]
    if n == 1 and not p.rules["discard.rethrow_taken"]:
        p.no_rethrow = taken[0]
    p.phase = "play"


# --- putting cards on the table ---------------------------------------------------------


def _require_hit(p: Position) -> None:
    """Playing comes after drawing; until somebody has hit, only the gate's seat may (D03, D09)."""
    require(p.phase != "draw", "draw first")
    gate = p.rules["opening.gate"]
    if p.hit_open or gate == "none" or (gate == "first_tour" and p.tour > 1):
        return
    allowed = p.first_seat + (p.tour - 1 if gate == "rotating" else 0)
    require(
        p.turn == allowed % len(p.hands), "nobody has hit yet and it is not this player's right"
    )


def _from_hand(p: Position, cards: list[str]) -> None:
    """Take the cards out of the hand; what is played meets its duties.

    Any copy played counts as the card taken (D05). A joker played meets one duty, a recovered
    joker first (D06).
    """
    for card in cards:
        held = in_hand(card)
        require(held in p.hand, f"{held} is not in the hand")
        p.hand.remove(held)
        if held == JOKER and p.to_replay > 0:
            p.to_replay -= 1
            continue
        if held == p.must_use:
            p.must_use = None
        if held == p.no_rethrow:
            p.no_rethrow = None
    p.hit_open = p.laid_now = True


def _put_down(p: Position, kind: str, cards: list[str]) -> None:
    fault = meld_fault(kind, cards, p.rules)
    if fault:
        raise Illegal(fault)
    placed = [(card, p.turn) for card in cards]
    p.table.append(TableMeld(f"M{len(p.table) + 1}", kind, p.turn, placed))  # D24
    p.points[p.turn] += meld_points(kind, cards, p.rules)


def _lay(p: Position, kind: str, cards: list[str]) -> None:
    _require_hit(p)
    if p.rules["opening.points"] > 0:
        require(p.opened[p.turn], "the first laying must be an opening")
    _from_hand(p, cards)
    _put_down(p, kind, cards)
    p.opened[p.turn] = True  # D25


def _open(p: Position, melds: list[tuple[str, list[str]]]) -> None:
    """A player's first laying, all or nothing."""
    _require_hit(p)
    needed = p.rules["opening.points"]
    require(needed > 0, "no opening in these rules")  # D07
    require(not p.opened[p.turn], "already opened")
    _from_hand(p, [card for _, cards in melds for card in cards])
    for kind, cards in melds:
        _put_down(p, kind, cards)
    points = sum(meld_points(kind, cards, p.rules) for kind, cards in melds)
    require(points >= needed, f"opening of {points}, {needed} needed")
    runs = [cards for kind, cards in melds if kind == "run"]
    require(bool(runs) or not p.rules["opening.needs_run"], "the opening needs a run")
    if p.rules["opening.pure_run"]:
        pure = any(not any(map(is_joker, cards)) for cards in runs)
        require(pure, "the opening needs a run without joker")
    p.opened[p.turn] = True


def _meld(p: Position, name: str) -> TableMeld:
    for meld in p.table:
        if meld.id == name:
            return meld
    raise Illegal(f"no meld {name} on the table")


def _grown(meld: TableMeld, cards: list[str], end: str) -> list[str]:
    """The faces of the meld with the cards added; the end means nothing on a set (D08)."""
    if meld.type == "run" and end == "low":
        return [*cards, *meld.faces()]
    return [*meld.faces(), *cards]


def _lay_off(p: Position, name: str, cards: list[str], end: str) -> None:
    """The points go to the player who adds."""
    _require_hit(p)
    on = p.rules["lay_off.on"]
    require(on != "none", "no lay-offs in these rules")
    if p.rules["lay_off.needs_opening"]:
        require(p.opened[p.turn], "no lay-off before the player's own opening")
    meld = _meld(p, name)
    require(on == "anyone" or meld.by == p.turn, "lay-offs on own melds only")  # D30
    require(bool(cards), "no card to lay off")
    require(end in ("low", "high"), "the end is low or high")
    _from_hand(p, cards)
    faces = _grown(meld, cards, end)
    fault = meld_fault(meld.type, faces, p.rules)
    if fault:
        raise Illegal(fault)
    placed = [(card, p.turn) for card in cards]
    at_low_end = meld.type == "run" and end == "low"
    first = 0 if at_low_end else len(meld.cards)
    meld.cards = [*placed, *meld.cards] if at_low_end else [*meld.cards, *placed]
    for place in range(first, first + len(cards)):
        p.points[p.turn] += place_value(meld.type, faces, place, p.rules)


def _swap(p: Position, name: str, card: str, joker: str) -> None:
    """The natural card for the joker, which comes to the hand."""
    _require_hit(p)
    require(p.rules["joker.swap"], "no swaps in these rules")
    if p.rules["joker.swap_needs_opening"]:
        require(p.opened[p.turn], "no swap before the player's own opening")
    meld = _meld(p, name)
    require(is_joker(joker) and joker in meld.faces(), f"{joker} is not in {name}")
    place = meld.faces().index(joker)  # the first of two alike (D10)
    require(not is_joker(card), "only a natural card frees a joker")
    fault = _swap_fault(meld, place, card, p.rules)
    if fault:
        raise Illegal(fault)
    _from_hand(p, [card])
    _credit_swap(p, meld, place)
    meld.cards[place] = (card, p.turn)
    p.hand.append(JOKER)
    if p.rules["joker.recovered"] == "replay_same_turn":
        p.to_replay += 1


def _swap_fault(meld: TableMeld, place: int, card: str, rules: Rules) -> str | None:
    """Which natural frees the joker: in a run the declared card, in a set as told (D11)."""
    faces = meld.faces()
    how = rules["joker.set_swap"] if meld.type == "set" else "declared"
    if how == "never":
        return "the joker of a set stays"
    if how == "any_missing":
        others = {suit(other) for at, other in enumerate(faces) if at != place}
        missing = rank(card) == rank(faces[place]) and suit(card) not in others
        return None if missing else "not a missing card of that set"
    if how == "complete_only" and len(faces) < 4:
        return "the set is not complete"
    return None if card == face(faces[place]) else "not the card the joker stands for"


def _credit_swap(p: Position, meld: TableMeld, place: int) -> None:
    """Who holds the points of a swapped place (D38)."""
    faces, layer = meld.faces(), meld.cards[place][1]
    value = natural_value(meld.type, faces, place, p.rules)
    credit = p.rules["score.swap_credit"]
    if credit != "owner":
        p.points[p.turn] += value
    if credit == "swapper":
        counted_as_one = meld.type == "set" and p.rules["values.set_as_one"] and place < 3
        gave = value if counted_as_one else place_value(meld.type, faces, place, p.rules)
        p.points[layer] -= gave


# --- the discard and the end of a turn --------------------------------------------------


def discard_fault(p: Position, card: str | None) -> str | None:
    """Why this discard does not end the turn, None where it does."""
    if p.phase == "draw":
        return "draw first"
    if p.to_replay > 0:
        return "a recovered joker must be replayed this turn"
    if p.must_use is not None:
        return f"{p.must_use} must be used this turn"
    if card is None:  # D12
        optional = p.rules["discard.policy" if p.hand else "discard.final"] == "optional"
        return None if optional else "a discard is mandatory"
    if card not in p.hand:
        return f"{card} is not in the hand"
    if card == p.no_rethrow and p.hand.count(card) == 1:
        return "the discard just taken may not be thrown back"
    return None


def _discard(p: Position, card: str | None) -> None:
    fault = discard_fault(p, card)
    if fault:
        raise Illegal(fault)
    if card is not None:
        p.hand.remove(card)
        p.discard.append(card)
    if not p.hand:  # out; Rami: nothing put on the table in an earlier turn (D29)
        rami = not p.laid_before[p.turn]
        p.out.append({"seat": p.turn, "discard": card, "rami": rami})
    p.laid_before[p.turn] |= p.laid_now
    p.laid_now, p.must_use, p.no_rethrow = False, None, None
    p.end = _end_after_turn(p)
    if p.end:
        p.phase = "over"
        return
    if not p.stock:
        _recycle(p)
    p.turn = (p.turn + 1) % len(p.hands)
    p.tour += p.turn == p.first_seat
    p.phase = "draw"


def _end_after_turn(p: Position) -> str | None:
    """Out, stock or blocked, tours, stall, in this order (D13)."""
    last_of_tour = (p.turn + 1) % len(p.hands) == p.first_seat
    if p.out:  # the tour is completed where the rules say so, as long as there is a stock (D14)
        complete = p.rules["score.multi_out"] == "lowest_discard"
        return None if complete and not last_of_tour and p.stock else "out"
    if not p.stock and p.rules["round.stock_end"] == "finish_turn":
        return "stock"
    if not p.stock and not _can_recycle(p):
        return "blocked"
    if last_of_tour and 0 < p.rules["round.max_tours"] <= p.tour:
        return "tours"
    if last_of_tour and p.tour >= p.rules["round.max_turns_per_player"]:  # D15
        return "stall"
    return None


def _can_recycle(p: Position) -> bool:
    """Something lies under the top discard, and the limit is not reached."""
    limit = p.rules["round.max_recycles"]
    return len(p.discard) > 1 and (limit == 0 or p.recycles < limit)


def _recycle(p: Position) -> None:
    """The pile but its top card becomes the stock, oldest first, also for shuffle (D16)."""
    p.stock, p.discard = p.discard[:-1], p.discard[-1:]
    p.recycles += 1


# --- actions ----------------------------------------------------------------------------


def play(p: Position, action: Action) -> Position:
    """The position after an action that is well formed; whether the turn can go on is not asked."""
    q = p.copy()
    require(p.phase != "over", "the round is over")
    try:
        _dispatch(q, action)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Illegal(f"{action!r} is not an action ({error})") from error
    return q


def _dispatch(p: Position, action: Action) -> None:
    op = action["op"]
    if op == "draw_stock":
        _draw_stock(p)
    elif op == "draw_discard":
        _draw_discard(p, action["n"])
    elif op == "lay":
        _lay(p, *_read_meld(action))
    elif op == "open":
        _open(p, [_read_meld(meld) for meld in action["melds"]])
    elif op == "lay_off":
        cards = [read_card(card) for card in action["cards"]]
        _lay_off(p, action["meld"], cards, action.get("end") or "high")
    elif op == "swap":
        _swap(p, action["meld"], read_card(action["card"]), read_card(action["joker"]))
    elif op == "discard":
        card = action["card"]
        _discard(p, None if card is None else read_card(card))
    else:
        raise Illegal(f"no op {op!r}")


def _read_meld(meld: Action) -> tuple[str, list[str]]:
    require(meld["type"] in ("set", "run"), "a meld is a set or a run")
    return meld["type"], [read_card(card) for card in meld["cards"]]


def apply_action(p: Position, action: Action) -> Position:
    """The position after a legal action; Illegal where the turn could not be completed."""
    q = play(p, action)
    require(action["op"] == "discard" or can_complete(q), INCOMPLETE)
    return q


def is_legal(p: Position, action: Action) -> bool:
    try:
        apply_action(p, action)
    except Illegal:
        return False
    return True


def legal_actions(p: Position) -> list[dict[str, Any]]:
    """Every legal action once, lay-offs of one card, `open` left out."""
    if p.phase == "over":
        return []
    if p.phase == "draw":
        takes: list[dict[str, Any]] = [
            {"op": "draw_discard", "n": n + 1} for n in range(len(p.discard))
        ]
        takes.insert(0, {"op": "draw_stock"})
        return [a for a in takes if is_legal(p, a)]
    return [a for a in [*plays(p), *discards(p)] if is_legal(p, a)]


def discards(p: Position) -> list[dict[str, Any]]:
    cards: list[str | None] = [*sorted(set(p.hand)), None]
    return [{"op": "discard", "card": card} for card in cards]


def plays(p: Position) -> Iterator[dict[str, Any]]:
    """Candidates for lay, lay_off (one card) and swap: a superset of the legal ones."""
    for new in enumerate_melds(p.hand, p.rules):
        yield {"op": "lay", **new}
    for meld in p.table:
        for card, end in _fitting(p, meld):
            if not meld_fault(meld.type, _grown(meld, [card], end or "high"), p.rules):
                lay_off = {"op": "lay_off", "meld": meld.id, "cards": [card]}
                yield {**lay_off, "end": end} if end else lay_off
        for joker in dict.fromkeys(filter(is_joker, meld.faces())):
            for card in sorted(set(p.hand)):
                if not is_joker(card) and rank(card) == rank(joker):
                    yield {"op": "swap", "meld": meld.id, "card": card, "joker": joker}


def _fitting(p: Position, meld: TableMeld) -> Iterator[tuple[str, str | None]]:
    """Cards that may fit a meld, held or played by a joker, with the end of a run."""
    faces = meld.faces()
    places: list[tuple[str, str | None]]
    if meld.type == "set":
        places = [(face(faces[0])[0] + letter, None) for letter in SUITS]
    else:
        below, above = (rank(faces[0]) - 1) % 13, (rank(faces[-1]) + 1) % 13
        places = [(RANKS[below] + suit(faces[0]), "low"), (RANKS[above] + suit(faces[0]), "high")]
    for card, end in places:
        if card in p.hand:
            yield card, end
        if JOKER in p.hand:
            yield f"{JOKER}={card}", end


def openings(p: Position) -> list[dict[str, Any]]:
    """The legal `open` actions: each set of disjoint melds once (D39)."""
    return [a for a in opening_choices(p, minimal=False) if is_legal(p, a)]


def opening_choices(p: Position, minimal: bool) -> Iterator[dict[str, Any]]:
    """All choices of disjoint melds of the hand that make an opening.

    `minimal`: a choice that opens is not extended; the other melds can be laid afterwards.
    """
    if p.phase != "play" or p.rules["opening.points"] == 0 or p.opened[p.turn]:
        return
    melds = enumerate_melds(p.hand, p.rules)
    if minimal:
        melds = [order for meld in melds for order in orders(p.rules, meld)]
    uses = [Counter(map(in_hand, meld["cards"])) for meld in melds]

    def extend(chosen: list[int], held: Counter[str], first: int) -> Iterator[dict[str, Any]]:
        action = {"op": "open", "melds": [melds[i] for i in chosen]}
        opens = bool(chosen) and _is_playable(p, action)
        if opens:
            yield action
        if not (opens and minimal):
            for i in range(first, len(melds)):
                if uses[i] <= held:
                    yield from extend([*chosen, i], held - uses[i], i)

    yield from extend([], Counter(p.hand), 0)


def orders(rules: Rules, meld: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A meld, and a set also with its jokers first or last where that brings other points (D02)."""
    yield meld
    matters = rules["values.set_as_one"] and rules["values.joker_meld"] != "replaced"
    if matters and meld["type"] == "set" and any(map(is_joker, meld["cards"])):
        for first in (True, False):
            yield {**meld, "cards": sorted(meld["cards"], key=lambda c: is_joker(c) != first)}


def _is_playable(p: Position, action: Action) -> bool:
    try:
        play(p, action)
    except Illegal:
        return False
    return True


# --- can the turn be completed? ---------------------------------------------------------


def can_complete(p: Position) -> bool:
    """Whether some plays, openings included (D28), lead to a discard that ends the turn."""
    return _search(p, set())


def _search(p: Position, failed: set[Any]) -> bool:
    if any(discard_fault(p, a["card"]) is None for a in discards(p)):
        return True
    key = turn_key(p)
    if key in failed:
        return False
    for action in [*plays(p), *opening_choices(p, minimal=True)]:
        try:
            q = play(p, action)
        except Illegal:
            continue
        if _search(q, failed):
            return True
    failed.add(key)
    return False


def turn_key(p: Position) -> Any:
    """What decides how this turn can go on; two orders of the same plays meet here."""
    table = tuple(sorted((meld.type, meld.by, _meld_key(p, meld)) for meld in p.table))
    duties = p.to_replay, p.must_use, p.no_rethrow
    return tuple(sorted(p.hand)), table, duties, p.opened[p.turn], p.hit_open


def _meld_key(p: Position, meld: TableMeld) -> Any:
    """Runs as they lie; of a set the order of the cards matters only to swaps out of it."""
    if meld.type == "run":
        return tuple(meld.cards)
    if p.rules["joker.swap"]:
        in_order = p.rules["values.set_as_one"]
        cards = meld.cards if in_order else sorted(meld.cards, key=lambda c: (by_suit(c[0]), c[1]))
        return tuple(cards)
    faces = meld.faces()
    suits = "".join(sorted(map(suit, faces))) if p.rules["meld.set_distinct_suits"] else ""
    return face(faces[0])[0], len(faces), sum(map(is_joker, faces)), suits


def perft(p: Position, depth: int) -> int:
    """Number of sequences of that many legal actions, on into the next turns.

    A round that ends before that depth counts as one sequence; a turn that only an opening can
    complete has no listed action and counts none.
    """
    if depth == 0 or p.phase == "over":
        return 1
    actions = legal_actions(p)
    if depth == 1:
        return len(actions)
    return sum(perft(play(p, action), depth - 1) for action in actions)
