"""What a meld is: the checks of one set or run, for any rule set.

Each check returns 0 or the number of the reason why not; the words are in ``ramisim.reasons``.
"""

from __future__ import annotations

from typing import Any

from ramisim.kernels import bits
from ramisim.kernels.jit import inlined, kernel
from ramisim.kernels.words import ACE_HIGH_ONLY, ACE_LOW_ONLY, WRAP

OK = 0
NOT_A_RUN = 1
RUN_TOO_LONG = 2
NOT_A_SET = 3
SUITS_DIFFER = 4
SET_TOO_LARGE = 5
FEW_NATURALS = 6
MANY_JOKERS = 7
ADJACENT_JOKERS = 8
MELD_TOO_SHORT = 9


@inlined
def face(code: Any) -> Any:
    """The natural card a card code shows: itself, or what its joker stands for."""
    return code - bits.JOKER_AS if code >= bits.JOKER_AS else code


@kernel
def run_fits(rules: Any, low: Any, n: Any) -> Any:
    """Whether ``n`` cards from place ``low`` on stay within the ends that aces allow."""
    if rules.meld_ace == WRAP:
        return n <= bits.RANKS or (n == bits.RANKS + 1 and low == 0)
    first = 1 if rules.meld_ace == ACE_HIGH_ONLY else 0
    last = bits.RANKS - 1 if rules.meld_ace == ACE_LOW_ONLY else bits.ACE_HIGH
    return low >= first and low + n - 1 <= last


@kernel
def run_low(rules: Any, codes: Any, n: Any) -> Any:
    """Place of the low card if the codes are one suit, consecutive, low to high; else -1."""
    first = face(codes[0])
    suit = first // bits.RANKS
    low = first % bits.RANKS
    for i in range(n):
        card = face(codes[i])
        if card // bits.RANKS != suit or card % bits.RANKS != (low + i) % bits.RANKS:
            return -1
    if not run_fits(rules, low, n):
        return -1
    return low


@kernel
def _jokers_allowed(rules: Any, codes: Any, n: Any) -> Any:
    jokers = 0
    for i in range(n):
        if codes[i] >= bits.JOKER_AS:
            jokers += 1
    if n - jokers < rules.meld_min_naturals:
        return FEW_NATURALS
    if rules.meld_max_jokers > 0 and jokers > rules.meld_max_jokers:
        return MANY_JOKERS
    return OK


@kernel
def check_run(rules: Any, codes: Any, n: Any) -> Any:
    """Why these card codes, low to high, are not a run; 0 if they are one."""
    if n < 3:
        return MELD_TOO_SHORT
    if run_low(rules, codes, n) < 0:
        # A full run with a card more is too long rather than no run at all.
        return NOT_A_RUN
    if n > rules.meld_run_max:
        return RUN_TOO_LONG
    if rules.meld_adjacent_jokers == 0:
        for i in range(1, n):
            if codes[i] >= bits.JOKER_AS and codes[i - 1] >= bits.JOKER_AS:
                return ADJACENT_JOKERS
    return _jokers_allowed(rules, codes, n)


@kernel
def check_set(rules: Any, codes: Any, n: Any) -> Any:
    """Why these card codes are not a set; 0 if they are one."""
    if n < 3:
        return MELD_TOO_SHORT
    rank = face(codes[0]) % bits.RANKS
    suits = 0
    for i in range(n):
        card = face(codes[i])
        if card % bits.RANKS != rank:
            return NOT_A_SET
        suit = 1 << (card // bits.RANKS)
        if rules.meld_set_distinct_suits == 1 and suits & suit:
            return SUITS_DIFFER
        suits |= suit
    if n > rules.meld_set_max:
        return SET_TOO_LARGE
    return _jokers_allowed(rules, codes, n)
