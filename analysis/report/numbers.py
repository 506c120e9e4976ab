"""The numbers of a summary as JSON: sorted keys, no NaN, the same bytes every time."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from ramisim.analysis.crosstable import CrossTable
from ramisim.analysis.report.verdict import verdict
from ramisim.analysis.report.words import Words
from ramisim.analysis.summary import Summary

__all__ = ["as_plain", "report_json"]


def report_json(summary: Summary, words: Words) -> str:
    """Return everything a report shows, as one JSON object ending in a newline."""
    plain = as_plain(summary)
    said = verdict(summary, words)
    plain["verdict"] = {"sentence": said.sentence, "remarks": list(said.remarks)}
    return json.dumps(plain, indent=1, sort_keys=True, allow_nan=False, ensure_ascii=False) + "\n"


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
