"""Scratch of the search for the best end of a turn: one record, allocated once a thread."""

from __future__ import annotations

from typing import Final

import numpy as np

from ramisim.kernels.state import ROW

MAX_PARTS: Final = 20_000
"""Parts (new melds, extensions) that one hand and table may offer before the search gives up
parts that spend a joker on a card the hand holds."""
MAX_DEPTH: Final = 72
MAX_ROWS: Final = 160

NEW_SET, NEW_RUN, BELOW_RUN, ABOVE_RUN, ONTO_SET = range(5)
LAST: Final = 4

PART: Final = np.dtype(
    [
        ("once", np.uint64),
        ("twice", np.uint64),
        ("value", np.int32, 5),
        ("points", np.int32),
        ("most", np.int32),
        ("slack", np.int32),
        ("kind", np.int8),
        ("jokers", np.int8),
        ("meld", np.int8),
        ("low", np.int8),
        ("size", np.int8),
        ("suit", np.int8),
        ("first", np.int8),
        ("joker_places", np.uint16),
    ],
    align=True,
)
"""A part of a turn: cards that go to one place together.

``once``/``twice``: natural cards used (twice: both copies). ``value[r]``: what it brings to the
objective when ``r`` jokers (3: or more) stay free beside its own; ``value[LAST]`` as ``value[0]``
for a part that keeps the last joker while other parts keep some too. ``points``: points as laid at
once. ``most``: what it brings at most, whatever is laid beside it, and ``slack`` how much less that
is than the prices of its cards (``pricing``). ``low``: place of its lowest card (a set: its rank);
``joker_places``: bit i set where the i-th card, counted as it will stand, is a joker for good."""

FRAME: Final = np.dtype(
    [
        ("once", np.uint64),
        ("twice", np.uint64),
        ("left_once", np.uint64),
        ("left_twice", np.uint64),
        ("low_used", np.uint64),
        ("high_used", np.uint64),
        ("gain", np.int32),
        ("jokers", np.int32),
        ("chosen", np.int32),
        ("next", np.int32),
        ("stop", np.int32),
        ("card", np.int32),
        ("new_points", np.int32),
        ("bound", np.int32),
        ("thrown", np.int32),
        ("runs", np.int32),
        ("path", np.uint64),
    ],
    align=True,
)
"""A node of the search. ``once``, ``twice``: cards not decided yet; ``left_*``: cards left in the
hand; ``next``, ``stop``: parts not tried yet, as places in the order. ``bound``: the most that can
come of it before the discard; ``thrown``: the most that a card left behind is worth thrown;
``runs``: what new melds there are (``search.LAYS`` ...); ``path``: see ``memory``."""

MUST_PARTS: Final = 48
"""Parts with the card that must be used, if they are few enough to be looked through."""

MEMORY_SIZE: Final = 1 << 14
MEMORY: Final = np.dtype(
    [
        ("once", np.uint64),
        ("twice", np.uint64),
        ("low_used", np.uint64),
        ("high_used", np.uint64),
        ("path", np.uint64),
        ("stamp", np.int64),
        ("jokers", np.int32),
        ("runs", np.int32),
        ("gain", np.int32),
        ("thrown", np.int32),
        ("points", np.int32),
    ],
    align=True,
)
"""A node that was searched (``memory``): what is still open there, and what had been gained."""

MAX_OPTIONS: Final = 544
"""Ways to lay one new meld: later, or in the opening. A run of 14 cards has 78 windows, and up to
one joker a card, eight at most, passes in each: 542. A set of eight natural cards and eight jokers
has 45 choices of cards laid plain and after a joker, with up to eight jokers that stay: 405."""
MAX_NEW: Final = 37
"""New melds of one opening: three cards each, out of two packs and eight jokers, for who takes a
deep pile may hold nearly all of them."""

OPTION: Final = np.dtype(
    [
        ("value", np.int32, 5),
        ("in_opening", np.int32),
        ("begin", np.int32),
        ("end", np.int32),
        ("passing", np.int32),
        ("kept", np.int32),
        ("points", np.int32),
        ("pure", np.int32),
        ("run", np.int32),
        ("jokers_left", np.int32),
    ],
    align=True,
)
"""One way to lay a new meld as part of an opening: cards begin..end at once (a set: ``begin``
naturals), ``passing`` jokers that are swapped out afterwards and ``kept`` ones that stay."""

WORK: Final = np.dtype(
    [
        # The question.
        ("seat", np.int32),
        ("w_points", np.int32),
        ("w_hand", np.int32),
        ("w_cards", np.int32),
        ("lazy", np.int32),
        ("no_discard", np.int32),
        # Nodes that a player looks at before the best end found so far will do; 0: all of them.
        ("patience", np.int64),
        ("must", np.int32),
        ("ban", np.int32),
        ("unrecovered", np.int32),
        ("hand_jokers", np.int32),
        ("jokers", np.int32),
        ("swaps", np.int32),
        ("opening", np.int32),
        ("may_transit", np.int32),
        ("pays", np.int32),
        ("nice", np.int32),
        ("use_new", np.int32),
        ("use_extensions", np.int32),
        ("use_swaps", np.int32),
        ("start_once", np.uint64),
        ("start_twice", np.uint64),
        ("start_jokers", np.int32),
        # Jokers at hand together before any is down for good.
        ("early", np.int32),
        # Cards that the set on the table shows which parts are listed for.
        ("shown", np.uint64),
        # The parts on offer.
        ("n_parts", np.int32),
        ("overflow", np.int32),
        # Parts by their lowest card: where they begin and end in the order, cards that have some.
        ("begin", np.int32, 65),
        ("end", np.int32, 65),
        ("starters", np.uint64),
        # The same of new runs, and whether there is one of jokers alone.
        ("run_starters", np.uint64),
        ("joker_runs", np.int32),
        ("price", np.int32, 65),
        ("joker_price", np.int32),
        ("point_price", np.int32, 65),
        ("joker_point_price", np.int32),
        ("discard_bound", np.int32),
        ("share", np.int32, 65),
        ("discard_share", np.int32),
        ("n_must", np.int32),
        ("must_part", np.int32, MUST_PARTS),
        # The search.
        ("nodes_at_most", np.int64),
        ("long", np.int32),
        ("long_from", np.int64),
        ("remembers", np.int32),
        ("stamp", np.int64),
        ("chosen", np.int32, MAX_DEPTH),
        ("n_swaps", np.int32),
        ("swap_meld", np.int8, 16),
        ("swap_place", np.int8, 16),
        ("swap_card", np.int8, 16),
        ("swap_after", np.int8, 16),
        ("swap_code", np.uint8, 16),
        ("swap_from", np.int32, 16),
        # Jokers that an opening must leave, for a set that frees another by growing.
        ("waits", np.int32),
        # The best end so far.
        ("found", np.int32),
        ("best", np.int32),
        ("best_discard", np.int32),
        ("best_n", np.int32),
        ("best_part", np.int32, MAX_DEPTH),
        ("best_opening", np.int32),
        ("trial_choice", np.int32, MAX_NEW),
        ("improved", np.int32),
        ("base", np.int32),
        ("best_pays", np.int32),
        # Laying the best end out: where each part stands, the first window of each new run.
        ("part_meld", np.int32, MAX_DEPTH),
        ("part_begin", np.int32, MAX_DEPTH),
        ("part_end", np.int32, MAX_DEPTH),
        ("part_state", np.int32, MAX_DEPTH),
        ("part_passing", np.int32, MAX_DEPTH),
        ("part_kept", np.int32, MAX_DEPTH),
        ("part_free", np.int32, MAX_DEPTH),
        ("best_jokers", np.int32),
        ("best_early", np.int32),
        ("best_forced", np.int32),
        # Whether a joker has to pass in the end that is looked at.
        ("forced", np.int32),
        ("best_n_swaps", np.int32),
        ("best_swap_meld", np.int8, 16),
        ("best_swap_place", np.int8, 16),
        ("best_swap_card", np.int8, 16),
        ("best_swap_after", np.int8, 16),
        ("nodes", np.int64),
        ("n_rows", np.int32),
        ("rows", np.int16, (MAX_ROWS, ROW)),
        # Order in which jokers go down for good, and the melds of an opening.
        ("n_order", np.int32),
        ("order_value", np.int32, (MAX_DEPTH, 5)),
        ("order_jokers", np.int32, MAX_DEPTH),
        ("order_taken", np.int8, MAX_DEPTH),
        ("n_new", np.int32),
        ("new_part", np.int32, MAX_NEW),
        ("n_options", np.int32, MAX_NEW),
        ("option_choice", np.int32, MAX_NEW),
        ("most_gain", np.int32, MAX_NEW + 1),
        ("most_points", np.int32, MAX_NEW + 1),
        ("most_runs", np.int32, MAX_NEW + 1),
        ("best_option", OPTION, MAX_NEW),
        ("option", OPTION, (MAX_NEW, MAX_OPTIONS)),
        # Small tables of single parts.
        ("bonus", np.int32, 16),
        # An ace with a king below it in the part (runs that wrap): its place in the part or -1,
        # what it brings less where it is laid as the first card, and its bonus there.
        ("ace_at", np.int32),
        ("ace_drop", np.int32),
        ("ace_bonus", np.int32),
        # What a joker that passes adds to the points of an opening, by place; of an ace laid low.
        ("extra", np.int32, 16),
        ("ace_extra", np.int32),
        ("grid", np.int32, (16, 16)),
        ("pick", np.int32, (16, 10, 2)),
        ("memory", MEMORY, MEMORY_SIZE),
    ],
    align=True,
)
"""Numbers of one question; big arrays (parts, frames) stand beside it."""
