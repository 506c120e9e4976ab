"""Every meld that a hand can lay, each once, jokers declared.

Two melds differ in type, in cards, or in what a joker stands for; twins are interchangeable. The
order is fixed: sets by rank, then runs by suit, low card and length.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, inner, kernel
from ramisim.kernels.shape import face, run_fits
from ramisim.kernels.state import LAY, RUN, SET
from ramisim.kernels.values import meld_points

_HEAD = 4
_ONE = np.uint64(1)


@kernel
def list_melds(once: Any, twice: Any, jokers: Any, rules: Any, rows: Any, want: Any) -> Any:
    """Write the melds of a hand as ``lay`` rows (int16[many, ROW]); how many there are.

    Rows beyond the length of ``rows`` are counted and not written. ``want >= 0``: write only the
    meld of that number, into ``rows[0]``.
    """
    spare = joker_cap(jokers, rules)
    n = 0
    for rank in range(bits.RANKS):
        n = _list_sets(once, twice, spare, rank, rules, rows, want, n)
    for suit in range(bits.SUITS):
        n = _list_runs(once, twice, spare, suit, rules, rows, want, n)
    return n


@kernel
def meld_value(kind: Any, codes: Any, n: Any, rules: Any) -> Any:
    """Points of laying ``n`` card codes as they stand: a run low to high, a set by suit."""
    return meld_points(rules, kind, face(np.int64(codes[0])) % bits.RANKS, codes, n)


@inlined
def joker_cap(jokers: Any, rules: Any) -> Any:
    """Most jokers that one meld of a hand may hold."""
    cap = np.int64(rules.meld_max_jokers)
    return min(jokers, cap) if cap > 0 else jokers


@inlined
def copies(once: Any, twice: Any, suit: Any, rank: Any) -> Any:
    """How many copies of a card two masks hold: 0, 1 or 2."""
    place = np.uint64(bits.LANE * suit + rank)
    return np.int64((once >> place) & _ONE) + np.int64((twice >> place) & _ONE)


@inlined
def _slot(n: Any, rows: Any, want: Any) -> Any:
    """Index of the row to write meld number ``n`` into, -1 for none."""
    if want >= 0:
        return 0 if n == want else -1
    return n if n < rows.shape[0] else -1


@inner
def _list_sets(
    once: Any, twice: Any, spare: Any, rank: Any, rules: Any, rows: Any, want: Any, n: Any
) -> Any:
    """List the sets of a rank: how many naturals of each suit first, then the jokers' suits."""
    c = copies(once, twice, 0, rank)
    d = copies(once, twice, 1, rank)
    h = copies(once, twice, 2, rank)
    s = copies(once, twice, 3, rank)
    if c + d + h + s + spare < 3 or (c + d + h + s == 0 and rules.meld_min_naturals > 0):
        return n
    if rules.meld_set_distinct_suits:
        c, d, h, s = min(c, 1), min(d, 1), min(h, 1), min(s, 1)
    for nc in range(c + 1):
        for nd in range(d + 1):
            for nh in range(h + 1):
                for ns in range(s + 1):
                    if nc + nd + nh + ns >= rules.meld_min_naturals:
                        n = _with_jokers(nc, nd, nh, ns, spare, rank, rules, rows, want, n)
    return n


@inner
def _with_jokers(
    nc: Any, nd: Any, nh: Any, ns: Any, spare: Any, rank: Any, rules: Any, rows: Any, want: Any,
    n: Any,
) -> Any:  # fmt: skip
    """List the sets with these naturals: every choice of the suits that jokers stand for."""
    naturals = nc + nd + nh + ns
    most = np.int64(rules.meld_set_max) - naturals
    cap = min(spare, most)
    if rules.meld_set_distinct_suits:
        jc, jd, jh, js = 1 - nc, 1 - nd, 1 - nh, 1 - ns
    else:
        jc = jd = jh = js = cap
    for a in range(min(jc, cap) + 1):
        for b in range(min(jd, cap - a) + 1):
            for e in range(min(jh, cap - a - b) + 1):
                for f in range(min(js, cap - a - b - e) + 1):
                    if naturals + a + b + e + f < 3:
                        continue
                    slot = _slot(n, rows, want)
                    n += 1
                    if slot >= 0:
                        write_set(rows[slot], rank, (nc, nd, nh, ns), (a, b, e, f))
    return n


@inner
def write_set(row: Any, rank: Any, naturals: Any, jokers: Any) -> None:
    """Write a set as a row that lays it."""
    row[0], row[1], row[2] = LAY, SET, 0
    n = 0
    for suit in range(bits.SUITS):
        card = suit * bits.RANKS + rank
        for _ in range(naturals[suit]):
            row[_HEAD + n] = card
            n += 1
        for _ in range(jokers[suit]):
            row[_HEAD + n] = bits.JOKER_AS + card
            n += 1
    row[3] = n


@inner
def _list_runs(
    once: Any, twice: Any, spare: Any, suit: Any, rules: Any, rows: Any, want: Any, n: Any
) -> Any:
    """List the runs of a suit: each low card and length, each choice of the jokers' places."""
    lane = bits.lane(once, suit)
    if lane == bits.U0 and rules.meld_min_naturals > 0:
        return n
    twin_aces = bits.lane(twice, suit) & _ONE
    for low in range(bits.RANKS):
        forced = optional = bits.U0
        size = 0
        while size < rules.meld_run_max and run_fits(rules, low, size + 1):
            held = (lane >> np.uint64((low + size) % bits.RANKS)) & _ONE
            optional |= held << np.uint64(size)
            forced |= (held ^ _ONE) << np.uint64(size)
            size += 1
            if bits.count(forced) > spare:
                break
            if not rules.meld_adjacent_jokers and forced & (forced >> _ONE):
                break
            if size >= 3:
                one_ace = size > bits.RANKS and twin_aces == bits.U0
                n = _choose_jokers(
                    forced, optional, spare, size, one_ace, suit, low, rules, rows, want, n
                )
    return n


@inner
def _choose_jokers(
    forced: Any, optional: Any, spare: Any, size: Any, one_ace: Any, suit: Any, low: Any,
    rules: Any, rows: Any, want: Any, n: Any,
) -> Any:  # fmt: skip
    """List the runs of one window: jokers where no card is held, and in place of some held."""
    n_forced = bits.count(forced)
    most = min(spare - n_forced, size - n_forced - np.int64(rules.meld_min_naturals))
    if most < 0:
        return n
    chosen = bits.U0
    ends = _ONE | (_ONE << np.uint64(size - 1))
    while True:
        jokers = forced | chosen
        # From ace to ace with one ace in hand, a joker stands for the other.
        fits = not (one_ace and (optional & ends) == ends and jokers & ends == bits.U0)
        if not rules.meld_adjacent_jokers and jokers & (jokers >> _ONE):
            fits = False
        if fits:
            slot = _slot(n, rows, want)
            n += 1
            if slot >= 0:
                write_run(rows[slot], suit, low, size, jokers)
        chosen = next_choice(chosen, optional, most)
        if chosen == bits.U0:
            return n


@inlined
def next_choice(chosen: Any, optional: Any, most: Any) -> Any:
    """The next submask of ``optional`` with at most ``most`` bits, empty after the last."""
    above = optional
    if chosen:
        above &= ~((np.uint64(2) << np.uint64(bits.highest(chosen))) - _ONE)
    if above and bits.count(chosen) < most:
        return chosen | (above & (~above + _ONE))
    while chosen:
        if above:
            chosen ^= _ONE << np.uint64(bits.highest(chosen))
            return chosen | (above & (~above + _ONE))
        chosen ^= _ONE << np.uint64(bits.highest(chosen))
        above = bits.U0
        if chosen:
            above = optional & ~((np.uint64(2) << np.uint64(bits.highest(chosen))) - _ONE)
    return chosen


@inner
def write_run(row: Any, suit: Any, low: Any, size: Any, jokers: Any) -> None:
    """Write a run as a row that lays it; ``jokers`` are the places that jokers take."""
    row[0], row[1], row[2], row[3] = LAY, RUN, 0, size
    for i in range(size):
        card = suit * bits.RANKS + (low + i) % bits.RANKS
        if (jokers >> np.uint64(i)) & _ONE:
            card += bits.JOKER_AS
        row[_HEAD + i] = card
