"""Rule studies: many variants of a rule set on common deals, each kept as a run of its own.

A study folder holds ``study.json``, the plan with everything declared before, and one run folder
for each variant and line-up. It goes on where it was stopped, like a run.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ramisim.analysis.study_plan import STUDY, Declared, LineUp, StudyPlan, Variant
from ramisim.cells import Cell, play_folder
from ramisim.errors import RulesError, StudyError
from ramisim.plurals import counted
from ramisim.rules import Rules
from ramisim.rules_keys import known_key
from ramisim.study_file import StudyFile, reference_first
from ramisim.version import ENGINE_VERSION, SCHEMA_VERSION, __version__

if TYPE_CHECKING:
    from ramisim.chunks import EngineFactory
    from ramisim.progress import Progress
    from ramisim.rules_keys import Value

__all__ = ["MOST_VARIANTS", "Study", "plan_study", "play_study"]

MOST_VARIANTS: Final = 512
MOST_CROSSED: Final = 5
"""Factors of a full factorial: more are sampled."""


@dataclass(frozen=True)
class Study:
    """A plan with the rules of its variants.

    Parameters
    ----------
    plan : StudyPlan
    rules : tuple of Rules
        One a variant.
    """

    plan: StudyPlan
    rules: tuple[Rules, ...]


def plan_study(told: StudyFile, deals: int | None = None, seed: int | None = None) -> Study:
    """Spread a study out into variants, and refuse what cannot be played.

    Parameters
    ----------
    told : StudyFile
    deals, seed : int, optional
        Instead of the file's.

    Raises
    ------
    StudyError
        Variants that the rules refuse, line-ups that do not fit, or metrics that the line-ups
        cannot tell; nothing has been played then.
    RulesError, StrategyError
        An unknown rule key, value or strategy.
    """
    base = Rules.load(told.base, told.fixed)
    factors = _factors(told, base)
    points, rows = _points(told, factors)
    line_ups = tuple(
        LineUp(tuple(x["strategies"]), x["players"], x["design"], x["name"]) for x in told.line_ups
    )
    rules = _rules(told, list(factors), points, line_ups)
    _check_line_ups(told, line_ups, rules)
    width = len(str(len(points) - 1))
    variants = tuple(
        Variant(f"v{i:0{width}d}", point, (r.number("deck.packs"), r.number("deck.jokers")))
        for i, (point, r) in enumerate(zip(points, rules, strict=True))
    )
    declared = tuple(Declared(name, **entry) for name, entry in told.metrics.items())
    plan = StudyPlan(
        name=told.name,
        base=told.base,
        title=told.title,
        question=told.question,
        fixed=told.fixed,
        factors=factors,
        ranges=tuple(told.ranges),
        design="sobol" if told.ranges else "factorial",
        variants=variants,
        line_ups=line_ups,
        declared=declared,
        deals=told.deals if deals is None else deals,
        seed=told.seed if seed is None else seed,
        rows=rows,
    )
    return Study(plan, tuple(rules))


def play_study(
    study: Study,
    out: Path,
    *,
    threads: int | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    command: str = "",
    engine: EngineFactory | None = None,
) -> Path:
    """Play every variant with every line-up into a study folder.

    Parameters
    ----------
    study : Study
    out : Path
        New or empty, unless `resume`.
    threads : int, optional
        No row depends on it.
    resume : bool
        Finish the study that is there.
    progress, command, engine
        As in `ramisim.runner.simulate`.

    Returns
    -------
    Path
        The folder, for `ramisim.analysis.study.analyse_study`.

    Raises
    ------
    StudyError
        The folder holds something else.
    RunError, StrategyError
        As `ramisim.runner.simulate`.
    """
    plan = study.plan
    cells = [
        Cell(
            plan.folder(v, x), rules, line_up.strategies, line_up.players, plan.deals, plan.seed,
            line_up.design,
        )
        for v, rules in enumerate(study.rules)
        for x, line_up in enumerate(plan.line_ups)
    ]  # fmt: skip
    manifest = {
        "schema": SCHEMA_VERSION,
        "engine": ENGINE_VERSION,
        "ramisim": __version__,
        "command": command,
        "plan": plan.plain(),
    }
    play_folder(
        out, STUDY, manifest, cells,
        resume=resume, threads=threads, progress=progress, engine=engine,
    )  # fmt: skip
    return out


def _factors(told: StudyFile, base: Rules) -> dict[str, tuple[Value, ...]]:
    """Levels of each factor, checked one by one; of a range its ends."""
    found: dict[str, tuple[Value, ...]] = {}
    for key in told.factors:
        known = known_key(key)
        if key in told.ranges:
            found[key] = tuple(known.check(end) for end in told.ranges[key])
        else:
            found[key] = reference_first([known.check(v) for v in told.values[key]], base, key)
    return found


def _points(
    told: StudyFile, factors: Mapping[str, tuple[Value, ...]]
) -> tuple[list[tuple[Value, ...]], dict[str, tuple[int, ...]]]:
    """The variants as tuples of levels, and for a sampled design which sample is which."""
    if not told.ranges:
        if len(factors) > MOST_CROSSED:
            raise StudyError(
                f"{told.where} crosses {len(factors)} factors, at most {MOST_CROSSED} can be: "
                "write some of them as ranges, then all are sampled"
            )
        points = [p for p in itertools.product(*factors.values()) if not _left_out(told, p)]
        _check_number(told, len(points))
        return points, {}
    if told.without:
        raise StudyError(f"{told.where}: without belongs to a study without ranges")
    samples = _sobol(told, factors)
    points = list(dict.fromkeys(p for sample in samples.values() for p in sample))
    _check_number(told, len(points))
    place = {p: i for i, p in enumerate(points)}
    return points, {name: tuple(place[p] for p in sample) for name, sample in samples.items()}


def _sobol(
    told: StudyFile, factors: Mapping[str, tuple[Value, ...]]
) -> dict[str, list[tuple[Value, ...]]]:
    """Two independent samples of the ranges, and the first with one column of the second."""
    import numpy as np
    from scipy.stats import qmc

    k = len(factors)
    plain = qmc.Sobol(2 * k, scramble=False).random(told.points)
    # Shifted as a whole: keyed by the seed, and the same under every version of SciPy.
    unit = (plain + np.random.default_rng(told.seed).random(2 * k)) % 1.0
    columns = [
        [
            _at(told, key, levels, side[:, i].tolist())
            for i, (key, levels) in enumerate(factors.items())
        ]
        for side in (unit[:, :k], unit[:, k:])
    ]
    samples = {"a": columns[0], "b": columns[1]}
    for i, key in enumerate(factors):
        mixed = list(columns[0])
        mixed[i] = columns[1][i]
        samples[f"x {key}"] = mixed
    return {name: list(zip(*side, strict=True)) for name, side in samples.items()}


def _at(told: StudyFile, key: str, levels: Sequence[Value], share: Sequence[float]) -> list[Value]:
    """Levels at shares of the way: each whole number of a range is as likely as the others."""
    if key in told.ranges:
        low, high = told.ranges[key]
        return [low + min(int(x * (high - low + 1)), high - low) for x in share]
    return [levels[min(int(x * len(levels)), len(levels) - 1)] for x in share]


def _left_out(told: StudyFile, point: Sequence[Value]) -> bool:
    at = dict(zip(told.factors, point, strict=True))
    return any(all(at[key] == value for key, value in entry.items()) for entry in told.without)


def _check_number(told: StudyFile, n: int) -> None:
    if not 2 <= n <= MOST_VARIANTS:
        raise StudyError(
            f"{told.where} has {counted(n, 'variant')}: 2 to {MOST_VARIANTS} can be played"
        )


def _rules(
    told: StudyFile,
    keys: Sequence[str],
    points: Sequence[Sequence[Value]],
    line_ups: Sequence[LineUp],
) -> list[Rules]:
    """Rules of the variants; all that cannot be played are told in one sentence."""
    found, refused = [], []
    for point in points:
        levels = dict(zip(keys, point, strict=True))
        try:
            rules = Rules.load(told.base, {**told.fixed, **levels})
            for line_up in line_ups:
                rules.check_players(line_up.players)
        except RulesError as error:
            shown = ", ".join(f"{key} = {_shown(value)}" for key, value in levels.items())
            refused.append(f"{shown} ({error})")
        else:
            found.append(rules)
    if refused:
        more = f", and {len(refused) - 1} more" if len(refused) > 1 else ""
        hint = "" if told.ranges else "; leave combinations out with [[without]]"
        raise StudyError(
            f"{told.where}: {len(refused)} of {len(points)} variants cannot be played: "
            f"{refused[0]}{more}{hint}"
        )
    return found


def _check_line_ups(told: StudyFile, line_ups: Sequence[LineUp], rules: Sequence[Rules]) -> None:
    from ramisim.designs import line_up as seat
    from ramisim.designs import seatings
    from ramisim.strategies import resolve

    alone = ("skill_share", "luck_share", "gap", "signal")
    for i, line_up in enumerate(line_ups):
        for name in line_up.strategies:
            resolve(name)
        seatings(line_up.design, seat(len(line_up.strategies), line_up.players))
        for metric in alone:
            if metric in told.metrics and len(line_up.strategies) < 2:
                raise StudyError(
                    f"{told.where}: metric {metric} needs two strategies, line-up {i + 1} has one"
                )


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
