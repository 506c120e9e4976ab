"""The columns of the result tables, once: the runner writes them, the analysis reads them.

``contracts.md`` 6 is the source. Part files lie in ``games/`` and ``rounds/`` of a run folder and
are named ``part-*.parquet``; a deal lies wholly in one part.
"""

from __future__ import annotations

from typing import Final

import polars as pl

__all__ = [
    "END_REASONS",
    "EVENT_GAMES",
    "GAMES",
    "GAMES_FOLDER",
    "LINE_UP_GAMES",
    "LINE_UP_ROUNDS",
    "LUCK",
    "LUCK_FOLDER",
    "LUCK_UNIT",
    "MANIFEST",
    "MAX_SEATS",
    "PARTS",
    "ROUNDS",
    "ROUNDS_FOLDER",
    "WIN_UNIT",
]

MANIFEST: Final = "run.json"
GAMES_FOLDER: Final = "games"
ROUNDS_FOLDER: Final = "rounds"
LUCK_FOLDER: Final = "luck"
PARTS: Final = "part-*.parquet"

END_REASONS: Final = ("out", "stock", "blocked", "tours", "stall")
"""How a round may end, in the order of the engine's codes."""

MAX_SEATS: Final = 8

WIN_UNIT: Final = 840
"""A won game in whole units: 840 = lcm(1..8), so a win shared by k players is 840/k of them.

Sums of ``won`` are taken in these units. They are exact, whatever the order of the parts.
"""

GAMES: Final = pl.Schema(
    {
        "deal": pl.UInt64(),
        "rotation": pl.UInt8(),
        "seat": pl.UInt8(),
        "strategy": pl.Categorical(),
        "points": pl.Int32(),
        "won": pl.Float32(),
        "place": pl.UInt8(),
        "rounds": pl.UInt16(),
        "turns": pl.UInt32(),
        "went_out": pl.UInt16(),
        "rami": pl.UInt16(),
    }
)
"""A row per game and seat; ``won`` is 1, 0, or 1/k where k players share the win."""

LINE_UP_GAMES: Final = pl.Schema({**GAMES, "line_up": pl.UInt16()})
"""Games of a round robin or a gauntlet: ``rotation`` counts within the line-up."""

EVENT_GAMES: Final = pl.Schema(
    {
        **GAMES,
        "event": pl.UInt32(),
        "stage": pl.UInt8(),
        "table": pl.UInt8(),
        "entrant": pl.UInt8(),
        "went_on": pl.Boolean(),
    }
)
"""Games of knock-outs: number of the knock-out, stage and table of the match, number of the player
(several may play one strategy), and whether he goes on; at the last match, whether he won it all.
"""

ROUNDS: Final = pl.Schema(
    {
        "deal": pl.UInt64(),
        "rotation": pl.UInt8(),
        "seat": pl.UInt8(),
        "strategy": pl.Categorical(),
        "round": pl.UInt16(),
        "first": pl.Boolean(),
        "points": pl.Int32(),
        "laid": pl.Int32(),
        "deadwood": pl.Int32(),
        "turns": pl.UInt16(),
        "went_out": pl.Boolean(),
        "rami": pl.Boolean(),
        "end": pl.Categorical(),
        "opened_turn": pl.UInt16(),
        "stock_draws": pl.UInt16(),
        "discard_draws": pl.UInt16(),
        "deep_cards": pl.UInt16(),
        "melds": pl.UInt16(),
        "lay_offs": pl.UInt16(),
        "swaps": pl.UInt16(),
        "jokers_seen": pl.UInt8(),
    }
)
"""A row per round and seat: the keys of ``GAMES`` first, then the round's own columns."""

LINE_UP_ROUNDS: Final = pl.Schema({**ROUNDS, "line_up": pl.UInt16()})
"""Rounds of a round robin or a gauntlet."""

LUCK_UNIT: Final = 1_000_000
"""A point or a joker of luck in whole units, so that sums are exact whatever their order."""

LUCK: Final = pl.Schema(
    {
        "deal": pl.UInt64(),
        "rotation": pl.UInt8(),
        "seat": pl.UInt8(),
        "dealt": pl.Int64(),
        "dealt_jokers": pl.Int64(),
        "drawn": pl.Int64(),
        "drawn_laid": pl.Int64(),
        "drawn_fits": pl.Int64(),
        "drawn_jokers": pl.Int64(),
    }
)
"""A row per game and seat of an optional table: the luck of the cards, more is luckier.

``dealt``: points of deadwood that the dealt hands are better than the mean of the table's;
``drawn``: points of deadwood that the cards drawn from the stock are better than the mean of the
cards that could have come, ``drawn_laid`` the same in points of the best melds, ``drawn_fits`` in
value of cards that might be laid off; ``dealt_jokers`` and ``drawn_jokers`` in jokers. All in units
of 1/`LUCK_UNIT`, summed over the rounds of the match, and 0 in the mean whoever plays.
"""
