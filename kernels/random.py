"""Keyed chance: Philox4x64-10, bounded integers, shuffled decks.

Nothing is streamed: a word is a function of the seed, of what it is for, and of where in the run
it is asked for, so that rows are the same for any number of threads and any order of deals. The
words of a shuffle are those of ``numpy.random.Philox(key=[seed, purpose], counter=[0, a, b, c])``.

Bounded integers are Lemire's, several to a word: the low half of one product is the chance of the
next, and one test at the end rejects what would be biased (Brackett-Rozinsky and Lemire, "Batched
Ranged Random Integer Generation", 2024). Seven to a word reject less than once in 80,000 decks.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import types
from numba.extending import intrinsic

from ramisim.kernels.bits import JOKER
from ramisim.kernels.jit import inlined, kernel

DECK: Final = 1
RESHUFFLE: Final = 2
STRATEGY: Final = 3
SAMPLE: Final = 4
"""What a word is for, the second half of the key: decks, reshuffles, a strategy's own chance, and
hands drawn for tests and benchmarks."""

BATCH: Final = 7

_MULTIPLIER_0 = np.uint64(0xD2E7470EE14C6C93)
_MULTIPLIER_1 = np.uint64(0xCA5A826395121157)
_WEYL_0 = np.uint64(0x9E3779B97F4A7C15)
_WEYL_1 = np.uint64(0xBB67AE8584CAA73B)
_ROUNDS = 10
_NEXT_KEY = np.uint64(1 << 32)
_BYTE = np.uint64(8)
_BYTE_MASK = np.uint64(0xFF)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)


def _high_product(typingctx: Any, a: Any, b: Any) -> Any:  # pragma: no cover - compiled
    """The upper 64 bits of a product of two uint64 (Numba has no 128-bit integers)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        wide, narrow = ir.IntType(128), ir.IntType(64)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), narrow)

    return types.uint64(types.uint64, types.uint64), codegen


high_product: Any = intrinsic(_high_product)


@inlined
def philox(seed: Any, purpose: Any, c0: Any, c1: Any, c2: Any, c3: Any) -> Any:
    """One block of Philox4x64-10: four uint64 words of a key and a counter, all uint64.

    NumPy counts up before each block: its first four words are those of counter ``c0 + 1``.
    """
    for _ in range(_ROUNDS):
        low_0, low_1 = _MULTIPLIER_0 * c0, _MULTIPLIER_1 * c2
        high_0, high_1 = high_product(_MULTIPLIER_0, c0), high_product(_MULTIPLIER_1, c2)
        c0, c1, c2, c3 = high_1 ^ c1 ^ seed, low_1, high_0 ^ c3 ^ purpose, low_0
        seed, purpose = seed + _WEYL_0, purpose + _WEYL_1
    return c0, c1, c2, c3


@inlined
def _draw_batch(word: Any, bound: Any, n: Any) -> Any:
    """Draws below ``bound, bound - 1, ...``, a byte each, and whether the word is unbiased."""
    draws, product = _ZERO, _ONE
    for i in range(n):
        draws |= high_product(word, bound) << (_BYTE * np.uint64(i))
        word *= bound
        product *= bound
        bound -= _ONE
    fair = word >= product or word >= (_ZERO - product) % product
    return draws, fair


@kernel
def shuffle(seed: Any, purpose: Any, a: Any, b: Any, c: Any, cards: Any) -> None:
    """Shuffle ``cards`` (uint8[n], n < 256) in place, by the key and the counter (a, b, c)."""
    key_0, key_1 = np.uint64(seed), np.uint64(purpose)
    c1, c2, c3 = np.uint64(a), np.uint64(b), np.uint64(c)
    block = w0 = w1 = w2 = w3 = _ZERO
    words = 0
    left = len(cards)
    while left > 1:
        if words == 0:
            block += _ONE
            w0, w1, w2, w3 = philox(key_0, key_1, block, c1, c2, c3)
            words = 4
        n = min(BATCH, left - 1)
        draws, fair = _draw_batch(w0, np.uint64(left), n)
        w0, w1, w2 = w1, w2, w3
        words -= 1
        if not fair:
            continue
        for _ in range(n):
            left -= 1
            other = np.int64(draws & _BYTE_MASK)
            draws >>= _BYTE
            cards[left], cards[other] = cards[other], cards[left]


@kernel
def deal_deck(seed: Any, deal: Any, round_number: Any, packs: Any, jokers: Any, out: Any) -> None:
    """Fill ``out`` (uint8[52 packs + jokers]) with the deck of a round, first card on top.

    It depends on the seed, the deal, the round and the composition, and on nothing else.
    """
    n = JOKER * packs
    for start in range(0, n, JOKER):
        for card in range(JOKER):
            out[start + card] = card
    out[n : n + jokers] = JOKER
    shuffle(seed, DECK, deal, round_number, 0, out[: n + jokers])


@kernel
def reshuffle(seed: Any, deal: Any, round_number: Any, number: Any, cards: Any) -> None:
    """Shuffle the discards (uint8[n]) into a new stock; ``number`` counts those of the round."""
    shuffle(seed, RESHUFFLE, deal, round_number, number, cards)


@kernel
def uniform_below(seed: Any, purpose: Any, c0: Any, c1: Any, c2: Any, c3: Any, n: Any) -> Any:
    """An unbiased integer 0 <= i < n (int64) of a key and a counter."""
    key_1, bound = np.uint64(purpose), np.uint64(n)
    least = (_ZERO - bound) % bound
    while True:
        words = philox(
            np.uint64(seed), key_1, np.uint64(c0), np.uint64(c1), np.uint64(c2), np.uint64(c3)
        )
        for word in words:
            if word * bound >= least:
                return np.int64(high_product(word, bound))
        # Four words in a row refused: as good as never, and still without bias.
        key_1 += _NEXT_KEY
