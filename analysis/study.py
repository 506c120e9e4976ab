"""The results of a rule study: panels, paired effects, indices, Pareto view and standings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from typing import Final

import numpy as np

from ramisim.analysis.effects import Change, Effect, Point, interactions, main_effects, trends
from ramisim.analysis.metrics import METRICS, measure
from ramisim.analysis.multiplicity import benjamini_hochberg, holm
from ramisim.analysis.observed import observe
from ramisim.analysis.panel import Panel, make_panel
from ramisim.analysis.pareto import Aim, loss, pareto_front, pareto_shares
from ramisim.analysis.runs import open_run
from ramisim.analysis.sensitivity import Sensitivity, sobol_indices
from ramisim.analysis.study_plan import LineUp, StudyPlan, read_plan
from ramisim.analysis.values import Interval, Values
from ramisim.errors import StudyError

__all__ = [
    "EffectRow",
    "Flip",
    "LineResult",
    "ParetoView",
    "StudyResult",
    "analyse_study",
    "effect_rows",
    "flips",
]

Measured = Mapping[str, Values | None]
Tick = Callable[[int, int], None]

ALPHA: Final = 0.05


@dataclass(frozen=True)
class EffectRow:
    """An effect on a metric.

    Parameters
    ----------
    metric : str
    changes : tuple of Change
        One for a main effect, two for an interaction.
    found : Interval
    cells : int
    declared : bool
        Whether the metric was declared before anything was played; else exploratory.
    paired : bool
        Whether the variants share their deck; else common deals gain nothing.
    smallest : float
        Smallest effect of interest.
    p_adjusted : float or None
        Holm over all effects on declared metrics, Benjamini-Hochberg over the others.
    """

    metric: str
    changes: tuple[Change, ...]
    found: Interval
    cells: int
    declared: bool
    paired: bool
    smallest: float
    p_adjusted: float | None = None

    @property
    def sure(self) -> bool:
        """Whether it is no accident, many looks allowed for."""
        return self.p_adjusted is not None and self.p_adjusted < ALPHA

    @property
    def matters(self) -> bool:
        """Whether it is sure and its interval lies beyond the smallest effect of interest."""
        low, high = self.found.low, self.found.high
        if not self.sure or low is None or high is None:
            return False
        return low > self.smallest or high < -self.smallest


@dataclass(frozen=True)
class ParetoView:
    """Variants against the aims of the declared metrics.

    Parameters
    ----------
    metrics : tuple of str
    aims : tuple
    front : tuple of bool
        One a variant: no other is better in one aim and nowhere worse.
    shares : tuple of float
        Share of resampled sets of deals in which it is on the front.
    """

    metrics: tuple[str, ...]
    aims: tuple[Aim, ...]
    front: tuple[bool, ...]
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Flip:
    """Two strategies whose order differs between the reference and a variant.

    Parameters
    ----------
    variant : int
    a, b : str
        ``a`` is ahead in the reference, ``b`` in the variant, by mean points.
    sure : bool
        Whether the rank intervals of both variants leave no doubt.
    """

    variant: int
    a: str
    b: str
    sure: bool


@dataclass(frozen=True)
class LineResult:
    """Results of a line-up over all variants.

    Parameters
    ----------
    line_up : LineUp
    panels : tuple of Panel
        One a variant.
    effects : tuple of EffectRow
    sensitivity : dict of str to Sensitivity
        By declared metric, for a sampled study.
    pareto : ParetoView or None
        None with fewer than two metrics that have an aim.
    flips : tuple of Flip
    """

    line_up: LineUp
    panels: tuple[Panel, ...]
    effects: tuple[EffectRow, ...]
    sensitivity: Mapping[str, Sensitivity]
    pareto: ParetoView | None
    flips: tuple[Flip, ...]


@dataclass(frozen=True)
class StudyResult:
    """Everything a study's report says.

    Parameters
    ----------
    plan : StudyPlan
    lines : tuple of LineResult
    level : float
    family, screened : int
        Sizes of the families of declared and of exploratory effects.
    engine, ramisim, command : str
    """

    plan: StudyPlan
    lines: tuple[LineResult, ...]
    level: float
    family: int
    screened: int
    engine: str
    ramisim: str
    command: str


def analyse_study(folder: Path, level: float = 0.95, tick: Tick | None = None) -> StudyResult:
    """Read a study folder and work out all its results.

    Parameters
    ----------
    folder : Path
        As `ramisim.study.play_study` leaves it.
    level : float
        Of all intervals.
    tick : callable, optional
        Is told (runs read, runs in all).

    Raises
    ------
    StudyError
        No study, or one that is not finished.
    """
    plan, told = read_plan(folder)
    if not told.get("complete"):
        raise StudyError(f"the study in {folder} is not finished: go on with --resume")
    lines = []
    total = len(plan.variants) * len(plan.line_ups)
    for x, line_up in enumerate(plan.line_ups):
        measured: list[Measured] = []
        panels = []
        for v in range(len(plan.variants)):
            seen = observe(open_run(folder / plan.folder(v, x)))
            values = {name: measure(name, seen) for name in METRICS}
            measured.append(values)
            panels.append(make_panel(seen, values, level))
            if tick is not None:
                tick(x * len(plan.variants) + v + 1, total)
        lines.append(_line(plan, line_up, measured, tuple(panels), level))
    adjusted, family, screened = _adjusted(lines)
    return StudyResult(
        plan=plan,
        lines=adjusted,
        level=level,
        family=family,
        screened=screened,
        engine=str(told.get("engine", "?")),
        ramisim=str(told.get("ramisim", "?")),
        command=str(told.get("command", "")),
    )


def effect_rows(plan: StudyPlan, measured: Sequence[Measured], level: float) -> list[EffectRow]:
    """Effects of all factors on all metrics that were measured, not yet adjusted.

    Parameters
    ----------
    plan : StudyPlan
    measured : sequence of mapping
        Metrics by name, one mapping a variant.
    level : float
    """
    smallest = {d.metric: d.smallest for d in plan.declared}
    paired = len({v.deck for v in plan.variants}) == 1
    rows = []
    for name in METRICS:
        table: dict[Point, Values] = {}
        for variant, values in zip(plan.variants, measured, strict=True):
            value = values.get(name)
            if value is not None:
                table[variant.levels] = value
        if len({len(v.units) for v in table.values()}) != 1:
            continue
        declared = name in smallest
        rows += [
            EffectRow(
                name, effect.changes, effect.found, effect.cells, declared, paired,
                smallest.get(name, 0.0),
            )
            for effect in _effects(plan, table, declared, level)
        ]  # fmt: skip
    return rows


def flips(panels: Sequence[Panel], reference: int) -> tuple[Flip, ...]:
    """Pairs of strategies that change places against the reference variant."""
    before = {s.label: s for s in panels[reference].standings}
    found = []
    for v, panel in enumerate(panels):
        now = {s.label: s for s in panel.standings}
        for a, b in permutations(before, 2):
            if before[a].by_points > before[b].by_points or now[a].by_points < now[b].by_points:
                continue
            was = before[a].rank[1] < before[b].rank[0]
            found.append(Flip(v, a, b, was and now[b].rank[1] < now[a].rank[0]))
    return tuple(found)


def _effects(
    plan: StudyPlan, table: Mapping[Point, Values], declared: bool, level: float
) -> list[Effect]:
    """Main effects; interactions of declared metrics only, they are many."""
    if plan.design == "sobol":
        return trends(table, plan.factors, level)
    found = main_effects(table, plan.factors, level)
    return found + interactions(table, plan.factors, level) if declared else found


def _line(
    plan: StudyPlan,
    line_up: LineUp,
    measured: Sequence[Measured],
    panels: tuple[Panel, ...],
    level: float,
) -> LineResult:
    reference = plan.reference()
    return LineResult(
        line_up=line_up,
        panels=panels,
        effects=tuple(effect_rows(plan, measured, level)),
        sensitivity=_sensitivity(plan, measured),
        pareto=_pareto(plan, measured),
        flips=() if reference is None else flips(panels, reference),
    )


def _sensitivity(plan: StudyPlan, measured: Sequence[Measured]) -> dict[str, Sensitivity]:
    found: dict[str, Sensitivity] = {}
    for declared in plan.declared if plan.design == "sobol" else ():
        samples: dict[str, list[Values]] = {}
        for name, row in plan.rows.items():
            values = [measured[v].get(declared.metric) for v in row]
            samples[name] = [v for v in values if v is not None]
        if all(len(samples[name]) == len(row) for name, row in plan.rows.items()):
            mixed = {key: samples[f"x {key}"] for key in plan.factors}
            found[declared.metric] = sobol_indices(samples["a"], samples["b"], mixed, plan.seed)
    return found


def _pareto(plan: StudyPlan, measured: Sequence[Measured]) -> ParetoView | None:
    metrics, aims = [], []
    for d in plan.declared:
        if d.aim is not None and all(values.get(d.metric) is not None for values in measured):
            metrics.append(d.metric)
            aims.append(d.aim)
    if len(metrics) < 2:
        return None
    table = [[v for name in metrics if (v := values[name]) is not None] for values in measured]
    means = np.array([[v.value for v in row] for row in table])
    losses = np.column_stack([loss(means[:, k], aim) for k, aim in enumerate(aims)])
    return ParetoView(
        metrics=tuple(metrics),
        aims=tuple(aims),
        front=tuple(bool(x) for x in pareto_front(losses)),
        shares=tuple(pareto_shares(table, aims)),
    )


def _adjusted(lines: Sequence[LineResult]) -> tuple[tuple[LineResult, ...], int, int]:
    """p-values adjusted over all line-ups: Holm for declared metrics, BH for the others."""
    rows = [row for line in lines for row in line.effects]
    known = [row.found.p is not None for row in rows]
    adjusted: list[float | None] = [None] * len(rows)
    sizes = []
    for declared, method in ((True, holm), (False, benjamini_hochberg)):
        places = [i for i, row in enumerate(rows) if known[i] and row.declared == declared]
        found = method([p for i in places if (p := rows[i].found.p) is not None])
        for i, p in zip(places, found, strict=True):
            adjusted[i] = p
        sizes.append(len(places))
    done, out = 0, []
    for line in lines:
        n = len(line.effects)
        new = (
            replace(row, p_adjusted=p)
            for row, p in zip(line.effects, adjusted[done : done + n], strict=True)
        )
        out.append(replace(line, effects=tuple(new)))
        done += n
    return tuple(out), sizes[0], sizes[1]
