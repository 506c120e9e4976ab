"""A value out of a file, shown to the one who wrote the file."""

from __future__ import annotations

import json

__all__ = ["told"]


def told(value: object, most: int = 60) -> str:
    """A value as a file of JSON spells it, on one line, cut where it is long.

    Examples
    --------
    >>> told([True, None, "7H"])
    '[true, null, "7H"]'
    """
    try:
        line = json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, TypeError, ValueError):
        return "what JSON does not hold"
    return line if len(line) <= most else f"{line[: most - 20]}..."
