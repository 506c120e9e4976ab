"""Balance of a rule set between its seats, in numbers that other systems print too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["SeatBalance", "seat_balance"]


@dataclass(frozen=True)
class SeatBalance:
    """How equal seats are.

    Parameters
    ----------
    discrepancy : float
        Greatest minus least win rate.
    balance : float
        One minus that.
    entropy : float
        Of the win rates, over that of equal ones: 1 where all seats win alike.
    """

    discrepancy: float
    balance: float
    entropy: float


def seat_balance(rates: Sequence[float]) -> SeatBalance:
    """Balance of the seats from their win rates, which add up to 1."""
    apart = max(rates) - min(rates)
    entropy = -math.fsum(p * math.log(p) for p in rates if p > 0) / math.log(len(rates))
    return SeatBalance(apart, 1 - apart, entropy)
