"""Versions: of the package, of the engine, and of what it writes."""

from __future__ import annotations

from typing import Final

__version__: Final = "0.1.0"

ENGINE_VERSION: Final = "1"
"""Changes when the same seed gives other games: other rules, other decks, other strategies."""

SCHEMA_VERSION: Final = 1
"""Changes when records or result tables get another shape."""
