"""The records of a round: what everybody sees, what is hidden, and the rules.

One NumPy structured record each, sized once here for two to eight seats, two packs, eight
jokers and thirty-six melds. ``SEEN`` holds only public things: it is what a strategy gets a copy
of, together with its own ``HAND``. ``HIDDEN`` holds the hands and the stock and never leaves
the engine.
"""

from __future__ import annotations

from typing import Final

import numpy as np

MAX_SEATS: Final = 8
MAX_DECK: Final = 112
MAX_MELDS: Final = 36
MELD_SIZE: Final = 16
ROW: Final = 20
"""Length of an action row: op, a, b, n and up to sixteen card codes."""

DRAW_STOCK, DRAW_DISCARD, LAY, OPEN, LAY_OFF, SWAP, DISCARD = range(7)
SET, RUN = 0, 1
LOW, HIGH = 0, 1
PHASE_DRAW, PHASE_PLAY, PHASE_OVER = 0, 1, 2
END_OUT, END_STOCK, END_BLOCKED, END_TOURS, END_STALL, NOT_ENDED = 0, 1, 2, 3, 4, 5
NONE: Final = -1

RULE_FIELDS: Final = (
    "players_min", "players_max", "deck_packs", "deck_jokers", "deal_hand_size", "deal_upcard",
    "deal_first_tour_draw", "draw_discard", "draw_must_use", "meld_set_distinct_suits",
    "meld_set_max", "meld_run_max", "meld_ace", "meld_min_naturals", "meld_max_jokers",
    "meld_adjacent_jokers", "opening_points", "opening_needs_run", "opening_pure_run",
    "opening_gate", "lay_off_on", "lay_off_needs_opening", "joker_swap",
    "joker_swap_needs_opening", "joker_recovered", "joker_set_swap", "discard_policy",
    "discard_final", "discard_rethrow_taken", "round_stock_end", "round_recycle",
    "round_max_recycles", "round_max_tours", "round_max_turns_per_player", "values_ace_low",
    "values_ace_high", "values_ace_set", "values_ace_hand", "values_face", "values_joker_hand",
    "values_joker_meld", "values_set_as_one", "score_method", "score_swap_credit",
    "score_rami_bonus", "score_go_out_bonus", "score_unopened_penalty", "score_pool",
    "score_only_winner", "score_blocked", "score_multi_out", "match_target", "match_max_rounds",
    "match_tie_break",
)  # fmt: skip
RULES = np.dtype([(name, np.int32) for name in RULE_FIELDS])
"""A rule set: one int32 for each key of the contract, enumerations by their place in its table."""

SEEN = np.dtype(
    [
        ("n_seats", np.int32),
        ("turn", np.int32),
        ("phase", np.int32),
        ("tour", np.int32),
        ("first_seat", np.int32),
        ("round", np.int32),
        ("hit_open", np.int32),
        ("recycles", np.int32),
        ("end", np.int32),
        ("pool", np.int32),
        ("n_stock", np.int32),
        ("laid_now", np.int32),
        ("must_use", np.int32),
        ("no_rethrow", np.int32),
        ("to_replay", np.int32),
        ("n_out", np.int32),
        ("n_melds", np.int32),
        ("n_discard", np.int32),
        ("opened", np.int32, MAX_SEATS),
        ("laid_before", np.int32, MAX_SEATS),
        ("points", np.int32, MAX_SEATS),
        ("totals", np.int32, MAX_SEATS),
        ("hand_size", np.int32, MAX_SEATS),
        ("out_seat", np.int32, MAX_SEATS),
        ("out_discard", np.int32, MAX_SEATS),
        ("out_rami", np.int32, MAX_SEATS),
        # Public knowledge about each hand: cards seen going in from the pile and not out again.
        ("known_once", np.uint64, MAX_SEATS),
        ("known_twice", np.uint64, MAX_SEATS),
        ("known_jokers", np.int32, MAX_SEATS),
        # Cards each seat has thrown this round, once and twice or more.
        ("thrown_once", np.uint64, MAX_SEATS),
        ("thrown_twice", np.uint64, MAX_SEATS),
        ("meld_type", np.int8, MAX_MELDS),
        ("meld_by", np.int8, MAX_MELDS),
        ("meld_size", np.int8, MAX_MELDS),
        ("meld_rank", np.int8, MAX_MELDS),  # rank of a set; position 0..13 of a run's low card
        ("meld_suit", np.int8, MAX_MELDS),  # suit of a run, -1 for a set
        ("meld_jokers", np.int8, MAX_MELDS),
        ("meld_card", np.uint8, (MAX_MELDS, MELD_SIZE)),
        ("meld_seat", np.int8, (MAX_MELDS, MELD_SIZE)),
        ("discard", np.uint8, MAX_DECK),
    ],
    align=True,
)
"""What everybody at the table sees. ``must_use``, ``no_rethrow``: card id or -1."""

HAND = np.dtype(
    [("once", np.uint64), ("twice", np.uint64), ("jokers", np.int32), ("size", np.int32)],
    align=True,
)
"""One hand: masks of cards held at least once and twice, number of jokers, number of cards."""

HIDDEN = np.dtype(
    [
        ("once", np.uint64, MAX_SEATS),
        ("twice", np.uint64, MAX_SEATS),
        ("jokers", np.int32, MAX_SEATS),
        ("stock", np.uint8, MAX_DECK),
        ("stock_next", np.int32),
    ],
    align=True,
)
"""Hands and stock (``stock[stock_next : stock_next + n_stock]``, next card first)."""

GAME_ROW = np.dtype(
    [
        ("deal", np.uint64),
        ("rotation", np.uint8),
        ("seat", np.uint8),
        ("strategy", np.uint8),
        ("points", np.int32),
        ("won", np.float32),
        ("place", np.uint8),
        ("rounds", np.uint16),
        ("turns", np.uint32),
        ("went_out", np.uint16),
        ("rami", np.uint16),
    ],
    align=True,
)
"""A row of the table ``games`` (contracts 6): one game and seat."""

ROUND_ROW = np.dtype(
    [
        ("deal", np.uint64),
        ("rotation", np.uint8),
        ("seat", np.uint8),
        ("strategy", np.uint8),
        ("round", np.uint16),
        ("first", np.bool_),
        ("points", np.int32),
        ("laid", np.int32),
        ("deadwood", np.int32),
        ("turns", np.uint16),
        ("went_out", np.bool_),
        ("rami", np.bool_),
        ("end", np.uint8),
        ("opened_turn", np.uint16),
        ("stock_draws", np.uint16),
        ("discard_draws", np.uint16),
        ("deep_cards", np.uint16),
        ("melds", np.uint16),
        ("lay_offs", np.uint16),
        ("swaps", np.uint16),
        ("jokers_seen", np.uint8),
    ],
    align=True,
)
"""A row of the table ``rounds`` (contracts 6): one round and seat."""

TALLY = np.dtype(
    [
        ("turns", np.int32, MAX_SEATS),
        ("opened_turn", np.int32, MAX_SEATS),
        ("stock_draws", np.int32, MAX_SEATS),
        ("discard_draws", np.int32, MAX_SEATS),
        ("deep_cards", np.int32, MAX_SEATS),
        ("melds", np.int32, MAX_SEATS),
        ("lay_offs", np.int32, MAX_SEATS),
        ("swaps", np.int32, MAX_SEATS),
        ("jokers_seen", np.int32, MAX_SEATS),
        ("decisions", np.int32, MAX_SEATS),
    ],
    align=True,
)
"""What happened in a round, by seat; ``decisions`` numbers a strategy's chances."""

FAULT = np.dtype(
    [
        ("code", np.int32),
        ("about", np.int32),
        ("deal", np.int64),
        ("rotation", np.int32),
        ("round", np.int32),
        ("seat", np.int32),
        ("strategy", np.int32),
        ("op", np.int32),
        ("asked", np.int32),
        ("played", np.int32),
    ],
    align=True,
)
"""A refused answer of a strategy: reason, what it is about, and where it happened; ``asked`` is
the last question of a turn (0 draw, 1 plays, 2 discard), ``played`` its rows so far."""
