"""``python -m ramisim.kernels.ahead``: compile what another process will want last, first.

`compiling` starts it where the cache is empty; it plays nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from numba import types

from ramisim.kernels import compiling

_PLAYING: Final = ("strategies.baseline", "strategies.heuristic")
"""These import every kernel of the engine. What is compiled by the first call is not here."""

_NUMBERS, _MASKS, _FEW = types.int64[::1], types.uint64[::1], types.int32[::1]
_MELDING: Final = (
    ("melding_tables", "fill_tables", (_NUMBERS,)),
    ("melding", "search", (types.uint64,) * 2 + (types.int64,) * 2 + (_NUMBERS,) * 2),
    ("melding_rows", "rows_of_best", (_NUMBERS, _NUMBERS, types.int16[:, ::1])),
    (
        "melding",
        "best_melds_many",
        (_MASKS, _MASKS, _NUMBERS, types.int64, _NUMBERS, _NUMBERS, _FEW, _FEW),
    ),
)
"""Kernels of the best melds of a hand, with the arguments that Python gives them."""


def main() -> None:
    """Compile the kernels of a game from the end, then those of hands."""
    compiling.put_off()
    for name in _PLAYING:
        import_module(f"ramisim.kernels.{name}")
    compiling.compile_from_the_end()
    for module, name, signature in _MELDING:
        getattr(import_module(f"ramisim.kernels.{module}"), name).compile(signature)


if __name__ == "__main__":
    main()
