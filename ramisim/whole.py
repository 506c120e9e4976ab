"""Whole numbers that users give."""

from __future__ import annotations

from numbers import Integral

__all__ = ["whole"]


def whole(value: object) -> int | None:
    """The value as an ``int``, also one of NumPy's; None where it is no whole number.

    Examples
    --------
    >>> whole(3), whole(3.0), whole(True), whole("3")
    (3, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        return None
    return int(value)
