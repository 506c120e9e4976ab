"""The best melds of a hand, exact for every rule set.

Hands without jokers and twins are a matter of a few instructions (``melding_plain``). For others
the bound of ``melding_bound`` mostly is the answer; where a card stands in a run and in a set, it
is barred from one or the other, in two branches. For the few hands that branch too often there is
``melding_sweep``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, inner, kernel
from ramisim.kernels.melding_bound import (
    BOUND_END,
    FACTORS,
    THEIRS,
    WHERE,
    bound_of,
    ceiling,
    conflict,
)
from ramisim.kernels.melding_plain import (
    meeting_deadwood,
    plain_deadwood,
    plain_gain,
    value_of,
)
from ramisim.kernels.melding_suit import TWIN_KEY, forget, note_address
from ramisim.kernels.melding_tables import (
    ACE_HAND,
    FACE,
    JOKER_HAND,
    KEY,
    OBJECTIVE,
    PLAIN,
    STEADY,
    out_of_hand,
    points_of,
)

# Places in the scratch array, after those of ``melding_bound``.
BEST = BOUND_END
"""Four masks of the best node: cards that its runs and its sets may use, once and twice."""
REACHED, COUNT = BEST + 4, BEST + 5
"""Gain of that node, and how many bounds the last search has asked."""
BEST_FACTORS, BEST_WHERE, BEST_JOKERS = BEST + 6, BEST + 8, BEST + 8 + FACTORS
"""Number of factors of that node, the holding of each that is a rank, the jokers of each."""
_NODES = BEST_JOKERS + FACTORS
_NODE = 8
_MOST_OPEN: Final = 512
SCRATCH_SIZE: Final = _NODES + _MOST_OPEN * _NODE

_HARD: Final = 40
"""Bounds after which a good start is looked for: on dense hands it saves most of the others."""
NO_LIMIT: Final = 1 << 60
_LONG_SUIT: Final = 14
"""Cards of a suit, with twins and three jokers, from which its rows may take milliseconds."""
UNFINISHED: Final = -2
"""Gain of a search that gave up."""


def scratch() -> Any:
    """Room to think for one thread: int64[SCRATCH_SIZE], for any tables of this process."""
    work = np.zeros(SCRATCH_SIZE, dtype=np.int64)
    note_address(work)
    return work


@kernel
def best_melds(once: Any, twice: Any, jokers: Any, tables: Any, work: Any) -> Any:
    """Value left in hand and points laid (two int64) by the best melds of a hand.

    ``tables`` hold the rules and the objective (``melding_tables.new_tables``), ``work`` is the
    ``scratch()`` of the thread.
    """
    spare = np.int64(jokers)
    gain = plain_gain(once, tables) if _is_plain(twice, spare, tables) else np.int64(-1)
    if gain < 0:
        gain = search(once, twice, spare, np.int64(NO_LIMIT), tables, work)
    return _outcome(once, twice, spare, gain, tables)


@kernel
def least_deadwood(once: Any, twice: Any, jokers: Any, tables: Any, work: Any) -> Any:
    """Least value left in hand (int64); ``tables`` are those of ``DEADWOOD``."""
    spare = np.int64(jokers)
    if _is_plain(twice, spare, tables):
        left = plain_deadwood(once, False, tables)
        if left >= 0:
            return left
    return best_melds(once, twice, spare, tables, work)[0]


@kernel
def best_melds_many(
    once: Any, twice: Any, jokers: Any, limit: Any, tables: Any, work: Any, deadwood: Any,
    points: Any,
) -> None:  # fmt: skip
    """``best_melds`` of many hands: uint64[n], uint64[n], int64[n] in, two int32[n] out.

    ``limit`` as in ``search``; the deadwood of hands given up is ``UNFINISHED``.
    """
    # The plain ones apart: a loop without a call keeps its numbers in registers.
    for i in range(len(once)):
        gain = np.int64(-1)
        if _is_plain(twice[i], jokers[i], tables):
            gain = plain_gain(once[i], tables)
        left, laid = _outcome(once[i], bits.U0, np.int64(0), gain, tables)
        deadwood[i] = -1 if gain < 0 else left
        points[i] = laid
    for i in range(len(once)):
        if deadwood[i] < 0:
            gain = search(once[i], twice[i], np.int64(jokers[i]), limit, tables, work)
            left, laid = _outcome(once[i], twice[i], np.int64(jokers[i]), gain, tables)
            deadwood[i] = UNFINISHED if gain == UNFINISHED else left
            points[i] = laid


@kernel
def least_deadwood_many(once: Any, discarding: Any, tables: Any, work: Any, deadwood: Any) -> None:
    """Least value left in hand of hands without jokers and twins: uint64[n] in, int32[n] out.

    ``discarding``: after the best discard; then a hand has one card at least. ``tables`` are
    those of ``DEADWOOD``.
    """
    deadwood[:] = -1
    if tables[PLAIN]:
        # Apart from the others, so that the processor takes several hands at once.
        for i in range(len(once)):
            deadwood[i] = plain_deadwood(once[i], discarding, tables)
        for i in range(len(once)):
            if deadwood[i] < 0:
                deadwood[i] = meeting_deadwood(once[i], discarding, tables)
    for i in range(len(once)):
        if deadwood[i] < 0:
            deadwood[i] = _least_by_search(once[i], discarding, tables, work)


@inner
def _least_by_search(once: Any, discarding: Any, tables: Any, work: Any) -> Any:
    """Least value left in hand of a hand without jokers and twins, whatever the rules."""
    zero = np.int64(0)
    if not discarding:
        gain = search(once, bits.U0, zero, np.int64(NO_LIMIT), tables, work)
        return _outcome(once, bits.U0, zero, gain, tables)[0]
    cards, least = once, np.int64(1 << 30)
    while cards:
        card = cards & (~cards + bits.U1)
        cards ^= card
        gain = search(once ^ card, bits.U0, zero, np.int64(NO_LIMIT), tables, work)
        least = min(least, _outcome(once ^ card, bits.U0, zero, gain, tables)[0])
    return least


@inlined
def _is_plain(twice: Any, jokers: Any, tables: Any) -> Any:
    return jokers == 0 and twice == bits.U0 and tables[PLAIN] != 0


@inlined
def _outcome(once: Any, twice: Any, jokers: Any, gain: Any, tables: Any) -> Any:
    objective = tables[OBJECTIVE]
    left = hand_total(once, twice, jokers, tables) - out_of_hand(objective, gain)
    return left, points_of(objective, gain)


@kernel
def outcome(once: Any, twice: Any, jokers: Any, gain: Any, tables: Any) -> Any:
    """Value left in hand and points laid (two int64) where the best melds have this gain."""
    return _outcome(once, twice, jokers, gain, tables)


@inlined
def hand_total(once: Any, twice: Any, jokers: Any, tables: Any) -> Any:
    """Value of a whole hand."""
    aces = bits.count(once & bits.ACES) + bits.count(twice & bits.ACES)
    total = value_of(once, tables[FACE]) + aces * tables[ACE_HAND] + jokers * tables[JOKER_HAND]
    return total + value_of(twice, tables[FACE]) if twice else total


@kernel
def settle(a: Any, b: Any, c: Any, d: Any, twice: Any, jokers: Any, tables: Any, work: Any) -> None:
    """Take a node without conflict from elsewhere as the best."""
    _, factors = bound_of(a, b, c, d, jokers, tables, work)
    conflict(twice, jokers, factors, tables, work)
    _keep(a, b, c, d, factors, work)


@kernel
def search(once: Any, twice: Any, jokers: Any, limit: Any, tables: Any, work: Any) -> Any:
    """Best gain of a hand; the masks of the node that reaches it stand at ``BEST``.

    After ``limit`` bounds, or at once where the rows of a long suit would take too many
    milliseconds, it gives up (``UNFINISHED``) if ``melding_sweep`` can take over.
    """
    if work[TWIN_KEY] != tables[KEY]:
        if work[TWIN_KEY] != 0:
            forget(work)
        work[TWIN_KEY] = tables[KEY]
    work[REACHED], work[COUNT] = -1, 0
    limited = tables[STEADY] != 0 and limit < NO_LIMIT
    if limited and twice and _has_long_suit(once, twice, jokers):
        return np.int64(UNFINISHED)
    best, n = _try(once, twice, once, twice, twice, jokers, np.int64(-1), np.int64(0), tables, work)
    dived = False
    while n > 0:
        n -= 1
        if work[_NODES + n * _NODE] > best:
            best, n = _branch(n, twice, jokers, best, tables, work)
            if work[COUNT] > _HARD and not dived:
                dived = True
                best = _dive(True, once, twice, jokers, best, tables, work)
                best = _dive(False, once, twice, jokers, best, tables, work)
            if limited and work[COUNT] > limit:
                work[REACHED] = best
                return np.int64(UNFINISHED)
    return best


@inner
def _try(
    a: Any, b: Any, c: Any, d: Any, twice: Any, jokers: Any, best: Any, n: Any, tables: Any,
    work: Any,
) -> Any:  # fmt: skip
    """Bound one node: keep it as the best, leave it as number ``n``, or drop it; (best, nodes).

    ``a``, ``b``: cards allowed in runs, once and twice; ``c``, ``d``: in sets.
    """
    if best >= 0 and ceiling(a, b, c, d, twice, jokers, tables) <= best:
        return best, n
    work[COUNT] += 1
    bound, factors = bound_of(a, b, c, d, jokers, tables, work)
    if bound <= best:
        return best, n
    _, card, in_runs = conflict(twice, jokers, factors, tables, work)
    if card == bits.U0:
        _keep(a, b, c, d, factors, work)
        return bound, n
    node = _NODES + n * _NODE
    work[node], work[node + 1], work[node + 2] = bound, np.int64(card), in_runs
    work[node + 3], work[node + 4] = np.int64(a), np.int64(b)
    work[node + 5], work[node + 6] = np.int64(c), np.int64(d)
    return best, n + 1


@inner
def _dive(runs: Any, once: Any, twice: Any, jokers: Any, best: Any, tables: Any, work: Any) -> Any:
    """Best gain known, after giving all cards in question to runs, or else to sets, at once."""
    a, b, c, d = once, twice, once, twice
    while True:
        work[COUNT] += 1
        bound, factors = bound_of(a, b, c, d, jokers, tables, work)
        if bound <= best:
            return best
        over, card, _ = conflict(twice, jokers, factors, tables, work)
        if card == bits.U0:
            _keep(a, b, c, d, factors, work)
            return bound
        if runs:
            c, d = c & ~over, d & ~over
        else:
            a, b = a & ~over, b & ~over


@inner
def _keep(a: Any, b: Any, c: Any, d: Any, factors: Any, work: Any) -> None:
    """Note a node without conflict as the best, with the factors of its bound."""
    work[BEST], work[BEST + 1] = np.int64(a), np.int64(b)
    work[BEST + 2], work[BEST + 3] = np.int64(c), np.int64(d)
    work[BEST_FACTORS] = factors
    for factor in range(factors):
        work[BEST_WHERE + factor] = work[WHERE + factor]
        work[BEST_JOKERS + factor] = work[THEIRS + factor]


@inner
def _branch(n: Any, twice: Any, jokers: Any, best: Any, tables: Any, work: Any) -> Any:
    """Bar the card of node ``n`` from sets, or one copy more from runs; (best, nodes)."""
    node = _NODES + n * _NODE
    card, in_runs = np.uint64(work[node + 1]), work[node + 2]
    a, b = np.uint64(work[node + 3]), np.uint64(work[node + 4])
    c, d = np.uint64(work[node + 5]), np.uint64(work[node + 6])
    c_less = c & ~card if in_runs == 2 or card & ~twice else c
    a_less = a if in_runs == 2 else a & ~card
    best, m = _try(a, b, c_less, d & ~card, twice, jokers, best, n, tables, work)
    best, m = _try(a_less, b & ~card, c, d, twice, jokers, best, m, tables, work)
    if m == n + 2 and work[node] > work[node + _NODE]:
        for i in range(_NODE):
            work[node + i], work[node + _NODE + i] = work[node + _NODE + i], work[node + i]
    return best, m


@inner
def _has_long_suit(once: Any, twice: Any, jokers: Any) -> Any:
    """Whether a suit has so many cards and twins that its rows would take milliseconds."""
    for suit in range(bits.SUITS):
        n = bits.count(bits.lane(once, suit)) + bits.count(bits.lane(twice, suit))
        if n >= _LONG_SUIT and (jokers > 2 or n > _LONG_SUIT + 4 * (jokers < 2)):
            return True
    return False
