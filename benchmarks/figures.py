"""A figure of the suite, and the report that holds them all."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal

from ramisim.version import ENGINE_VERSION, __version__

__all__ = ["FORMAT", "Figure", "Report", "WrongResultError", "checked", "machine"]

FORMAT: Final = 1
"""Number of the shape of the JSON."""


class WrongResultError(AssertionError):
    """A benchmark that did not compute what it should have."""


@dataclass(frozen=True)
class Figure:
    """One number.

    Parameters
    ----------
    group : str
        Name of the benchmark: ``hands``, ``games`` ...
    name : str
        What was measured, unique within its group.
    value : float
    unit : str
        ``ns a hand``, ``rounds/s``, ``x`` for a ratio ...
    note : str
        With whom, on what.
    goal : float or None
        What it should reach, where there is such a number.
    better : {"more", "less"}
        Which way is better.
    also : mapping of str to float
        The same measurement in other units.
    """

    group: str
    name: str
    value: float
    unit: str
    note: str = ""
    goal: float | None = None
    better: Literal["more", "less"] = "more"
    also: Mapping[str, float] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without one."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.better == "more" else self.value <= self.goal


@dataclass
class Report:
    """All figures of a run of the suite, and what could not be measured."""

    mode: str
    figures: list[Figure] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def add(
        self, group: str, name: str, value: float, unit: str, note: str = "", **more: Any
    ) -> None:
        """Append a figure."""
        self.figures.append(Figure(group, name, float(value), unit, note, **more))

    def value(self, group: str, name: str) -> float:
        """The value of a figure."""
        return next(f.value for f in self.figures if (f.group, f.name) == (group, name))

    def as_json(self) -> str:
        """The report as JSON: ``format``, ``mode``, ``machine``, ``figures`` ..."""
        figures = [{**asdict(f), "met": f.met} for f in self.figures]
        told = {
            "format": FORMAT,
            "mode": self.mode,
            "machine": machine(),
            "figures": figures,
            "missing": self.missing,
            "remarks": self.remarks,
        }
        return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


@contextmanager
def checked(what: str) -> Iterator[None]:
    """Say which benchmark it was whose result is wrong."""
    try:
        yield
    except AssertionError as error:
        raise WrongResultError(f"{what}: {error or 'not what it should be'}") from error


def machine() -> dict[str, Any]:
    """What was measured on: processor, cores, versions; nothing that names a host or person."""
    libraries = ("numpy", "numba", "llvmlite", "polars")
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "ramisim": __version__,
        "engine": ENGINE_VERSION,
        **{name: metadata.version(name) for name in libraries},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
