"""Lanes and bit helpers: how sixty-four bits hold a hand.

Each suit has a lane of sixteen bits, clubs lowest::

    bit  63      48 47      32 31      16 15       0
         |  spades  |  hearts  | diamonds |  clubs   |

    lane 15 14 13 12 11 10  9  8  7  6  5  4  3  2  1  0
          .  .  A  K  Q  J  T  9  8  7  6  5  4  3  2  A

A hand holds the ace at bit 0 only. A *run mask* holds it a second time at bit 13, above the
king, so that Q-K-A is three neighbouring bits; the two spare bits keep the lanes apart, so that
K-A-2 cannot arise. A second pack is a second mask with the cards held twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

RANKS = 13
SUITS = 4
LANE = 16
JOKER = 52
JOKER_AS = 64
ACE_HIGH = 13

U0 = np.uint64(0)
U1 = np.uint64(1)
U16 = np.uint64(LANE)
LANE_MASK = np.uint64(0x3FFF)
LANE_RANKS = np.uint64(0x1FFF)
ACES = np.uint64(0x0001_0001_0001_0001)
HIGH_ACES = np.uint64(0x2000_2000_2000_2000)
ALL_CARDS = np.uint64(0x1FFF_1FFF_1FFF_1FFF)

CARD_BIT = np.array([1 << (LANE * (c // RANKS) + c % RANKS) for c in range(52)], dtype=np.uint64)
"""uint64[52]: the bit of each natural card id."""

BIT_CARD = np.full(64, -1, dtype=np.int64)
"""int64[64]: the card id of each bit, -1 for spare bits; bit 13 of a lane is its ace."""
for _card in range(52):
    BIT_CARD[LANE * (_card // RANKS) + _card % RANKS] = _card
for _suit in range(SUITS):
    BIT_CARD[LANE * _suit + ACE_HIGH] = _suit * RANKS


def _unary(op: str) -> Any:
    @intrinsic
    def count(typingctx: Any, value: Any) -> Any:  # pragma: no cover - compiled
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if op == "ctpop":
                return builder.ctpop(args[0])
            zero_is_defined = ir.Constant(ir.IntType(1), 0)
            return getattr(builder, op)(args[0], zero_is_defined)

        return types.int64(types.uint64), codegen

    return count


_ctpop = _unary("ctpop")
_cttz = _unary("cttz")
_ctlz = _unary("ctlz")


@njit(types.int64(types.uint64), cache=True, nogil=True, inline="never")
def count(mask: Any) -> Any:
    """Number of bits set in a mask."""
    return _ctpop(mask)


@njit(types.int64(types.uint64), cache=True, nogil=True)
def lowest(mask: Any) -> Any:
    """Index of the lowest bit set, 64 for an empty mask."""
    return _cttz(mask)


@njit(types.int64(types.uint64), cache=True, nogil=True)
def highest(mask: Any) -> Any:
    """Index of the highest bit set, -1 for an empty mask."""
    return np.int64(63) - _ctlz(mask)


@njit(types.uint64(types.int64), cache=True, nogil=True)
def bit(index: Any) -> Any:
    """The mask with one bit set."""
    return U1 << np.uint64(index)


@njit(types.uint64(types.uint64, types.int64), cache=True, nogil=True)
def lane(mask: Any, suit: Any) -> Any:
    """The sixteen bits of a suit, moved down to bit 0."""
    return (mask >> (U16 * np.uint64(suit))) & np.uint64(0xFFFF)


@njit(types.uint64(types.uint64), cache=True, nogil=True)
def with_high_aces(mask: Any) -> Any:
    """A run mask: each ace a second time, above its king."""
    return mask | ((mask & ACES) << np.uint64(ACE_HIGH))
