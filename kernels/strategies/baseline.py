"""Baselines: ``random``, uniform over the legal actions, and ``first-legal``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ramisim.kernels.asking import DISCARD_SIGNATURE, DRAW_SIGNATURE, PLAYS_SIGNATURE
from ramisim.kernels.copies import copy_seen
from ramisim.kernels.finish import list_some_legal
from ramisim.kernels.jit import eager, kernel
from ramisim.kernels.random import STRATEGY, uniform_below
from ramisim.kernels.services import copy_plays, end_rows
from ramisim.kernels.solve import POINTS
from ramisim.kernels.state import DISCARD, DRAW_STOCK
from ramisim.kernels.turn import ROW_CARDS, apply

MAX_RANDOM_PLAYS = 60


@kernel
def _setting(seen: Any, hand: Any, box: Any) -> None:
    """The player's view as a round of which only the own hand is known."""
    copy_seen(seen, box.seen[2])
    mine = box.hidden[1]
    mine.once[seen.turn] = hand.once
    mine.twice[seen.turn] = hand.twice
    mine.jokers[seen.turn] = hand.jokers
    mine.stock_next = 0


@kernel
def _pick(key: Any, step: Any, n: Any) -> Any:
    """A keyed choice of 0..n-1; ``step`` counts the choices of one decision."""
    return uniform_below(key[0], np.uint64(STRATEGY), key[1], key[2], key[3], key[4] * np.uint64(128) + np.uint64(step), np.int64(n))  # noqa: E501  # fmt: skip


@kernel
def _listed(seen: Any, hand: Any, rules: Any, box: Any) -> Any:
    _setting(seen, hand, box)
    return list_some_legal(box.seen[2], box.hidden[1], rules, box.rows, box)


@eager(DRAW_SIGNATURE)
def random_draw(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any) -> Any:
    """Any legal draw."""
    n = _listed(seen, hand, rules, box)
    row = box.rows[_pick(key, 0, n)]
    return np.int64(0) if row[0] == DRAW_STOCK else np.int64(row[3])


@kernel
def _opening(seen: Any, hand: Any, rules: Any, key: Any, step: Any, n: Any, box: Any, rows: Any) -> Any:  # noqa: E501  # fmt: skip
    """Open, as one option beside the n listed ones, where the rules ask for an opening."""
    if rules.opening_points <= 0 or seen.opened[seen.turn] or _pick(key, step, n + 1) != n:
        return 0
    found = end_rows(seen, hand, rules, POINTS, box)
    if found < 2:
        return 0
    return copy_plays(box, found, rows)


@eager(PLAYS_SIGNATURE)
def random_plays(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any, rows: Any) -> Any:  # noqa: E501  # fmt: skip
    """Legal plays at random until a discard is drawn."""
    n = _listed(seen, hand, rules, box)
    played = _opening(seen, hand, rules, key, 100, n, box, rows)
    if played > 0:
        return np.int64(played)
    n = _listed(seen, hand, rules, box)
    table = box.seen[2]
    mine = box.hidden[1]
    while played < MAX_RANDOM_PLAYS:
        if n == 0:
            # Only an opening can complete this turn: the best end is played, from the beginning.
            found = end_rows(seen, hand, rules, POINTS, box)
            return np.int64(copy_plays(box, found, rows)) if found > 0 else np.int64(0)
        row = box.rows[_pick(key, 1 + played, n)]
        if row[0] == DISCARD:
            break
        for k in range(rows.shape[1]):
            rows[played, k] = row[k]
        apply(table, mine, rules, rows[played])
        played += 1
        n = list_some_legal(table, mine, rules, box.rows, box)
    return np.int64(played)


@eager(DISCARD_SIGNATURE)
def random_discard(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any) -> Any:
    """Any legal discard."""
    n = _listed(seen, hand, rules, box)
    first = 0
    while first < n and box.rows[first, 0] != DISCARD:
        first += 1
    row = box.rows[first + _pick(key, 0, n - first)]
    return np.int64(row[ROW_CARDS])


@eager(DRAW_SIGNATURE)
def first_draw(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any) -> Any:
    """The first legal draw: the stock, while it lasts."""
    _listed(seen, hand, rules, box)
    row = box.rows[0]
    return np.int64(0) if row[0] == DRAW_STOCK else np.int64(row[3])


@eager(PLAYS_SIGNATURE)
def first_plays(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any, rows: Any) -> Any:  # noqa: E501  # fmt: skip
    """The first legal play, again and again, until only discards are left."""
    n = _listed(seen, hand, rules, box)
    played = 0
    while played < MAX_RANDOM_PLAYS:
        if n == 0:
            # Only an opening can complete this turn, from here or after a swap before it: the
            # best end is played, from the beginning.
            found = end_rows(seen, hand, rules, POINTS, box)
            return np.int64(copy_plays(box, found, rows)) if found > 0 else np.int64(0)
        if box.rows[0, 0] == DISCARD:
            break
        for k in range(rows.shape[1]):
            rows[played, k] = box.rows[0, k]
        apply(box.seen[2], box.hidden[1], rules, rows[played])
        played += 1
        n = list_some_legal(box.seen[2], box.hidden[1], rules, box.rows, box)
    return np.int64(played)


@eager(DISCARD_SIGNATURE)
def first_discard(seen: Any, hand: Any, rules: Any, params: Any, key: Any, box: Any) -> Any:
    """The first legal discard."""
    n = _listed(seen, hand, rules, box)
    first = 0
    while first < n - 1 and box.rows[first, 0] != DISCARD:
        first += 1
    return np.int64(box.rows[first, ROW_CARDS])
