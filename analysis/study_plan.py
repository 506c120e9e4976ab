"""What a study is going to play and look at, declared before anything is played.

``study.json`` of a study folder holds it. The engine's side makes it from a TOML file, the
analysis reads it back; neither needs the other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from ramisim.analysis.effects import Level, Point
from ramisim.analysis.pareto import Aim
from ramisim.errors import StudyError
from ramisim.version import SCHEMA_VERSION

__all__ = ["STUDY", "Declared", "LineUp", "StudyPlan", "Variant", "read_plan"]

STUDY: Final = "study.json"


@dataclass(frozen=True)
class LineUp:
    """Who plays a variant.

    Parameters
    ----------
    strategies : tuple of str
        By seat, repeated until the seats are full.
    players : int
    design : str
    name : dict of str to str
        By language; may be empty.
    """

    strategies: tuple[str, ...]
    players: int
    design: str
    name: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Variant:
    """One rule set of a study.

    Parameters
    ----------
    name : str
        Also that of its folders.
    levels : tuple
        Level of each factor, in the order of the plan's factors.
    deck : tuple of int
        Packs and jokers: variants with the same deck share the cards of every deal.
    """

    name: str
    levels: Point
    deck: tuple[int, int]


@dataclass(frozen=True)
class Declared:
    """A metric named before anything was played.

    Parameters
    ----------
    metric : str
    aim : {"low", "high", "zero"} or number, optional
        What would be good; only metrics with an aim enter the Pareto view.
    smallest : float
        Smallest effect of interest, in the metric's unit (0.01 is a per cent of a share).
    """

    metric: str
    aim: Aim | None = None
    smallest: float = 0.0


@dataclass(frozen=True)
class StudyPlan:
    """A study before it is played.

    Parameters
    ----------
    name, base : str
        Of the study, and of the rule set that its variants start from.
    title, question : dict of str to str
        By language; may be empty.
    fixed : dict
        Rules that all variants change alike.
    factors : dict of str to tuple
        Levels by rule key, the one to compare with first; of a range its two ends.
    ranges : tuple of str
        Factors that are ranges.
    design : {"factorial", "sobol"}
    variants : tuple of Variant
    rows : dict of str to tuple of int
        For ``sobol``: variants of the samples ``a``, ``b``, and of ``x <factor>``.
    line_ups : tuple of LineUp
    declared : tuple of Declared
    deals, seed : int
    """

    name: str
    base: str
    title: Mapping[str, str]
    question: Mapping[str, str]
    fixed: Mapping[str, Level]
    factors: Mapping[str, tuple[Level, ...]]
    ranges: tuple[str, ...]
    design: Literal["factorial", "sobol"]
    variants: tuple[Variant, ...]
    line_ups: tuple[LineUp, ...]
    declared: tuple[Declared, ...]
    deals: int
    seed: int
    rows: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def folder(self, variant: int, line_up: int) -> str:
        """Name of the run folder of a variant and a line-up."""
        return f"{self.variants[variant].name}-line{line_up}"

    def reference(self) -> int | None:
        """The variant in which every factor is at its first level; None where it is not there."""
        first = tuple(levels[0] for levels in self.factors.values())
        places = [i for i, v in enumerate(self.variants) if v.levels == first]
        return places[0] if places else None

    def plain(self) -> dict[str, Any]:
        """As JSON knows it."""
        told: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return told


def read_plan(folder: Path) -> tuple[StudyPlan, dict[str, Any]]:
    """The plan of a study folder, and everything else that its manifest says.

    Raises
    ------
    StudyError
        There is none, or it cannot be read.
    """
    file = folder / STUDY
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise StudyError(f"{folder} holds no study: {STUDY} is missing") from error
    except OSError as error:
        raise StudyError(f"cannot read {file}: {error.strerror or error}") from error
    except ValueError as error:
        raise StudyError(f"cannot read {file}: {error}") from error
    if not isinstance(told, dict) or told.get("schema") != SCHEMA_VERSION:
        raise StudyError(f"{file} is no study of schema {SCHEMA_VERSION}")
    try:
        return _plan(told["plan"]), told
    except (KeyError, TypeError, ValueError) as error:
        raise StudyError(f"{file} is no manifest of a study: {error!r}") from error


def _plan(told: Mapping[str, Any]) -> StudyPlan:
    tuples = {
        "variants": tuple(
            Variant(v["name"], tuple(v["levels"]), (v["deck"][0], v["deck"][1]))
            for v in told["variants"]
        ),
        "line_ups": tuple(
            LineUp(tuple(x["strategies"]), x["players"], x["design"], x["name"])
            for x in told["line_ups"]
        ),
        "declared": tuple(Declared(**d) for d in told["declared"]),
        "factors": {key: tuple(levels) for key, levels in told["factors"].items()},
        "rows": {key: tuple(row) for key, row in told["rows"].items()},
        "ranges": tuple(told["ranges"]),
    }
    return StudyPlan(**{**told, **tuples})
