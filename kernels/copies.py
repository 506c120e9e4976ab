"""Copies of a round: the state a search may change and throw away."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ramisim.kernels.jit import kernel


def _copy_whole(typingctx: Any, source: Any, target: Any) -> Any:
    """Copy a record whole, what is not in use as well."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = ir.Constant(ir.IntType(64), source.size)
        cgutils.raw_memcpy(builder, args[1], args[0], size, 1)  # type: ignore[no-untyped-call]
        return context.get_dummy_value()

    return types.none(source, target), codegen


copy_whole: Any = intrinsic(_copy_whole)


@kernel
def copy_seen(source: Any, target: Any) -> None:
    """Copy the public record, as far as it is in use."""
    target.n_seats = source.n_seats
    target.turn = source.turn
    target.phase = source.phase
    target.tour = source.tour
    target.first_seat = source.first_seat
    target.round = source.round
    target.hit_open = source.hit_open
    target.recycles = source.recycles
    target.end = source.end
    target.pool = source.pool
    target.n_stock = source.n_stock
    target.laid_now = source.laid_now
    target.must_use = source.must_use
    target.no_rethrow = source.no_rethrow
    target.to_replay = source.to_replay
    target.n_out = source.n_out
    target.n_melds = source.n_melds
    target.n_discard = source.n_discard
    for seat in range(source.n_seats):
        target.opened[seat] = source.opened[seat]
        target.laid_before[seat] = source.laid_before[seat]
        target.points[seat] = source.points[seat]
        target.totals[seat] = source.totals[seat]
        target.hand_size[seat] = source.hand_size[seat]
        target.out_seat[seat] = source.out_seat[seat]
        target.out_discard[seat] = source.out_discard[seat]
        target.out_rami[seat] = source.out_rami[seat]
        target.known_once[seat] = source.known_once[seat]
        target.known_twice[seat] = source.known_twice[seat]
        target.known_jokers[seat] = source.known_jokers[seat]
        target.thrown_once[seat] = source.thrown_once[seat]
        target.thrown_twice[seat] = source.thrown_twice[seat]
    for m in range(source.n_melds):
        target.meld_type[m] = source.meld_type[m]
        target.meld_by[m] = source.meld_by[m]
        target.meld_size[m] = source.meld_size[m]
        target.meld_rank[m] = source.meld_rank[m]
        target.meld_suit[m] = source.meld_suit[m]
        target.meld_jokers[m] = source.meld_jokers[m]
        for i in range(source.meld_size[m]):
            target.meld_card[m, i] = source.meld_card[m, i]
            target.meld_seat[m, i] = source.meld_seat[m, i]
    for i in range(source.n_discard):
        target.discard[i] = source.discard[i]


@kernel
def copy_hidden(source: Any, target: Any, n_seats: Any, n_stock: Any) -> None:
    """Copy hands and stock; the copy's stock begins at its first place."""
    for seat in range(n_seats):
        target.once[seat] = source.once[seat]
        target.twice[seat] = source.twice[seat]
        target.jokers[seat] = source.jokers[seat]
    for i in range(n_stock):
        target.stock[i] = source.stock[source.stock_next + i]
    target.stock_next = 0


@kernel
def copy_hand(source: Any, target: Any, seat: Any) -> None:
    """Copy one hand only: all that the end of a turn needs."""
    target.once[seat] = source.once[seat]
    target.twice[seat] = source.twice[seat]
    target.jokers[seat] = source.jokers[seat]
