"""Numbers of a report as what JSON knows: no NaN, no types of our own."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from ramisim.analysis.crosstable import CrossTable

__all__ = ["as_plain"]


def as_plain(value: Any) -> Any:
    """Dataclasses, arrays, paths and numbers as what JSON knows; not finite becomes null."""
    if isinstance(value, CrossTable):
        return {
            "labels": list(value.labels),
            "pairs": [as_plain(estimate) for estimate in value.pairs.values()],
        }
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return [as_plain(item) for item in value.tolist()]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Path | Enum):
        return str(value)
    return value
