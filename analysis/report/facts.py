"""What reports say alike: cells of their tables, and what was played in a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ramisim.analysis.estimates import Difference, Estimate
from ramisim.analysis.report.frame import Table
from ramisim.analysis.report.words import Words
from ramisim.analysis.runs import Manifest

__all__ = [
    "bracketed",
    "design_text",
    "interval",
    "listed",
    "played_facts",
    "rank_text",
    "ranked",
    "stages_text",
]


def interval(
    e: Estimate | Difference, words: Words, per_cent: bool = False, digits: int = 1
) -> str:
    """The interval of an estimate; a dash where there is none."""
    if e.low is None or e.high is None:
        return words.num(None)
    form = words.pct if per_cent else words.num
    return words("verdict.range", low=form(e.low, digits), high=form(e.high, digits))


def bracketed(e: Estimate | Difference, words: Words, per_cent: bool = False) -> str:
    """The interval of an estimate in brackets, after a blank; nothing where there is none."""
    return "" if e.low is None or e.high is None else f" ({interval(e, words, per_cent)})"


def listed(rows: Sequence[Estimate], words: Words, per_cent: bool = False) -> str:
    """Names and means of estimates in one line, for text alternatives."""
    form = words.pct if per_cent else words.num
    return ", ".join(f"{r.label} {form(r.mean)}" for r in rows)


def rank_text(rank: tuple[int, int]) -> str:
    """One rank, or the first and last that are open."""
    best, worst = rank
    return str(best) if best == worst else f"{best}–{worst}"


def ranked(table: Table) -> Table:
    """A board as it is; of one strategy alone without its second column, the ranks."""
    if len(table.rows) > 1:
        return table
    head, *rows = ((row[0], *row[2:]) for row in (table.head, *table.rows))
    return Table(head, tuple(rows))


def played_facts(
    manifest: Manifest, words: Words, number: tuple[str, str], stopped: bool
) -> list[tuple[str, str]]:
    """Names and values of what was played.

    Parameters
    ----------
    manifest : Manifest
    words : Words
    number : (str, str)
        Name and value of how much was played.
    stopped : bool
        Whether all of it was.
    """
    m = manifest
    rules = m.rules + (f" ({m.base})" if m.base and m.base != m.rules else "")
    rows = [(words("played.rules"), rules)]
    if m.override:
        changed = ", ".join(f"{k} = {v}" for k, v in sorted(m.override.items()))
        rows.append((words("played.override"), changed))
    field = set(m.tournament.get("field", ()))
    entries = [(e.label, f"{e.label} [{e.source[:8]}]" if e.source else e.label) for e in m.entries]
    rows.append((words("played.line_up"), ", ".join(t for k, t in entries if k not in field)))
    if field:
        rows.append((words("tour.field"), ", ".join(t for k, t in entries if k in field)))
    rows.append((words("played.design"), design_text(m, words)))
    rows.append(number)
    rows.append((words("played.stop"), words(f"played.stop_{'deals' if stopped else 'not'}")))
    rows.append((words("played.seed"), str(m.seed)))
    versions = [words("played.engine", ramisim=m.ramisim, engine=m.engine)]
    versions += [f"{name} {version}" for name, version in sorted(m.libraries.items())]
    rows.append((words("played.versions"), ", ".join(versions)))
    if m.command:
        rows.append((words("played.command"), m.command))
    return rows


def design_text(manifest: Manifest, words: Words) -> str:
    """The design of a tournament in a sentence."""
    told = manifest.tournament
    key = manifest.design
    if key == "knock-out":
        return words(
            "design.knock-out",
            entrants=told["entrants"],
            players=manifest.players,
            stages=stages_text(told, words),
        )
    if told["choice"] == "blocks":
        key = "round-robin-blocks"
    return words(
        f"design.{key}",
        line_ups=words.count(len(told["line_ups"])),
        players=manifest.players,
        games=words.count(int(told["games_per_deal"])),
    )


def stages_text(told: Any, words: Words) -> str:
    """The stages of a knock-out: tables, and how many go on."""
    texts = []
    for k, stage in enumerate(told["stages"]):
        if stage["final"]:
            how = words(f"cup.how_{told['final']}")
            texts.append(words("cup.stage_final", players=stage["tables"][0], how=how))
            break
        key = "cup.stage_byes" if stage["byes"] else "cup.stage"
        tables = " + ".join(map(str, stage["tables"]))
        on = sum(stage["going_on"])
        texts.append(words(key, k=k + 1, tables=tables, on=on, byes=stage["byes"]))
    return "; ".join(texts) if words.lang == "en" else " ; ".join(texts)
