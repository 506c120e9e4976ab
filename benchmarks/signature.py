"""One number for how every preset is played by every strategy.

It changes if and only if some game of a fixed set goes another way. A commit that touches the
engine says ``Signature: ...`` with the new number, or that there is no functional change; a test
holds the number, and names the preset and the strategy that play otherwise.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from ramisim.progress import Progress
    from ramisim.rules import Rules

__all__ = ["HELD", "differences", "held", "hold", "parts", "signature", "total"]

SEED: Final = 4
DEALS: Final = 3
"""Deals of each preset and strategy at the smallest table, in both seatings."""
RIVAL: Final = "greedy"
"""Sits at every table: with it, matches end."""
HELD: Final = Path(__file__).with_name("data") / "signature.json"
"""The numbers as they were when the engine was last meant to change."""


def signature(progress: Progress | None = None) -> str:
    """Sixteen hexadecimal digits of all games together."""
    return total(parts(progress))


def total(found: Mapping[str, str]) -> str:
    """One number of the numbers of every preset and strategy."""
    text = "".join(f"{name} {number}\n" for name, number in sorted(found.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def parts(progress: Progress | None = None) -> dict[str, str]:
    """The number of each ``preset/strategy``: a digest of the rows of its games and rounds."""
    from ramisim.rules import Rules, preset_names
    from ramisim.strategies import strategy_names

    pairs = [(preset, name) for preset in preset_names() for name in strategy_names()]
    found = {}
    if progress is not None:
        progress.start(len(pairs), 0)
    try:
        for preset, name in pairs:
            found[f"{preset}/{name}"] = _part(Rules.load(preset), name)
            if progress is not None:
                progress.update(len(found))
    finally:
        if progress is not None:
            progress.stop()
    return found


def _part(rules: Rules, name: str) -> str:
    from ramisim.engine import Engine
    from ramisim.strategies import resolve

    digest = hashlib.sha256()
    engine = Engine(rules, [resolve(name), resolve(RIVAL)], SEED)
    for seatings, deals in _tables(rules):
        for rows in engine.play(0, deals, seatings, rounds=True):
            _digest(digest, rows)
    return digest.hexdigest()[:16]


def _tables(rules: Rules) -> Iterator[tuple[Any, int]]:
    """The smallest table in both seatings, and one deal at the largest."""
    fewest, most = rules.number("players.min"), rules.number("players.max")
    small = [[(seat + shift) % 2 for seat in range(fewest)] for shift in range(2)]
    yield np.array(small, np.int8), DEALS
    if most > fewest:
        yield np.array([[seat % 2 for seat in range(most)]], np.int8), 1


def _digest(digest: Any, rows: Any) -> None:
    """Column by column: the gaps between the fields of a record hold nothing."""
    for field in rows.dtype.names:
        column = np.ascontiguousarray(rows[field])
        digest.update(field.encode())
        digest.update(column.astype(column.dtype.newbyteorder("<"), copy=False).tobytes())


def held() -> dict[str, str]:
    """The numbers that are held."""
    found: dict[str, str] = json.loads(HELD.read_text(encoding="utf-8"))
    return found


def hold(found: Mapping[str, str]) -> None:
    """Hold these numbers from now on."""
    HELD.write_text(json.dumps(dict(sorted(found.items())), indent=1) + "\n", encoding="utf-8")


def differences(found: Mapping[str, str]) -> list[str]:
    """Presets and strategies that play otherwise than is held, or are new or gone."""
    old = held()
    return sorted(
        f"{name}: {old.get(name, 'new')} is now {found.get(name, 'gone')}"
        for name in {*old, *found}
        if old.get(name) != found.get(name)
    )
