"""The pages of the gallery: how each strategy plays, its record, its weak side.

Texts and parameters come from `ramisim.strategies`, figures from duplicate runs. The runs stay
in a folder, so that a stopped gallery goes on and a page can be written anew without playing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ramisim.given import whole_number
from ramisim.rules import Rules, preset_names
from ramisim.strategies import describe, strategy_names
from ramisim.strategy_texts import WEAK_SIDES

if TYPE_CHECKING:
    from ramisim.analysis.gallery import Meeting

__all__ = ["MAIN", "index_page", "play_gallery", "strategy_page", "write_gallery"]

MAIN: Final = ("rami500", "rami", "pool500", "rami51")
"""Rule sets in which everybody meets everybody; the others are variants of these."""
LOW, MIDDLE = "random", "greedy"
SEATS: Final = (2, 4)
TOP: Final = "balanced"
COMMAND: Final = "ramisim gallery"


def tables(presets: Sequence[str] = ()) -> list[tuple[str, int]]:
    """Rule sets and seats of the ladder: two and four, or the fewest that the rules allow."""
    found = []
    for name in presets or preset_names():
        rules = Rules.load(name)
        low, high = rules.number("players.min"), rules.number("players.max")
        found += [(name, n) for n in SEATS if low <= n <= high] or [(name, low)]
    return found


def meetings(presets: Sequence[str], names: Sequence[str]) -> list[tuple[str, int, str, str]]:
    """Who plays whom where: rules, seats, and two strategies.

    All against ``greedy`` by the main rule sets, baseline and best by the others; everybody
    against everybody at two seats by the main ones.
    """
    found = []
    for name, seats in tables(presets):
        main = name in MAIN
        pairs = [(a, MIDDLE) for a in names if a != MIDDLE and (main or a in (LOW, TOP))]
        if main and seats == SEATS[0]:
            rest = [a for a in names if a not in (MIDDLE, LOW, "first-legal")]
            pairs += combinations(rest, 2)
        found += [(name, seats, a, b) for a, b in pairs]
    return found


def play_gallery(
    runs: Path,
    deals: int,
    seed: int = 1,
    presets: Sequence[str] = (),
    names: Sequence[str] = (),
    threads: int | None = None,
    told: Callable[[int, int, str], None] | None = None,
) -> list[Meeting]:
    """Play what is missing of the gallery, and read it.

    Parameters
    ----------
    runs : Path
        Folder of the runs, one for each meeting.
    deals : int
        Of each meeting at two seats; half as many at more.
    seed : int
    presets, names : sequence of str
        All presets and all built-in strategies by default.
    threads : int, optional
    told : callable, optional
        Is told number, total and name of each meeting before it is played.

    Returns
    -------
    list of Meeting
    """
    from ramisim.analysis.gallery import meeting
    from ramisim.analysis.runs import open_run
    from ramisim.runner import simulate

    seed = whole_number("seed", seed, 0, 2**64 - 1)
    wanted = meetings(presets, list(names) or strategy_names())
    found = []
    for number, (rules, seats, a, b) in enumerate(wanted):
        folder = runs / f"{rules}-{seats}-{a}-{b}"
        if told is not None:
            told(number, len(wanted), folder.name)
        if not (folder / "run.json").is_file() or not _finished(folder):
            simulate(
                rules, [a, b], deals if seats == SEATS[0] else max(1, deals // 2), seed,
                players=seats, out=folder, threads=threads, rounds=True, resume=folder.is_dir(),
                command=COMMAND,
            )  # fmt: skip
        found.append(meeting(open_run(folder)))
    return found


def _finished(folder: Path) -> bool:
    from ramisim.analysis.deals import collect_deals
    from ramisim.analysis.runs import open_run

    run = open_run(folder)
    return collect_deals(run).coverage.used == run.manifest.deals


def strategy_page(name: str, found: Sequence[Meeting]) -> str:
    """The page of one strategy."""
    from ramisim.analysis.gallery import habits_table, record_table

    about = describe(name)
    lines = [f"# {name}\n", f"{about.summary.capitalize()}.\n", f"{about.text}\n"]
    lines.append(f"**Weak side.** {WEAK_SIDES[name]}\n")
    if about.parameters:
        lines.append("## Parameters\n")
        rows = "".join(f"| `{p.name}` | {p.value:g} | {p.about} |\n" for p in about.parameters)
        lines.append(f"| parameter | value | meaning |\n| --- | --: | --- |\n{rows}")
    own = [m for m in found if name in (m.a, m.b)]
    other = MIDDLE if name != MIDDLE else TOP
    beside = [m for m in own if m.habits and {m.a, m.b} == {name, other}]
    if beside:
        lines.append("## How it plays\n")
        lines.append(f"Means of a player and round; in brackets those of `{other}` beside it.\n")
        lines.append(habits_table(beside, name))
    if own:
        lines.append("## Its record\n")
        lines.append(
            f"Points a match more than the other, paired on the same deals, {_deals(own)} of them "
            "at two seats; bold where the 99.9 % interval leaves 0 out.\n"
        )
        lines.append(record_table(own, name, strategy_names()))
    lines.append(_origin())
    return "\n".join(lines)


def _deals(found: Sequence[Meeting]) -> str:
    return f"{max(m.points.deals for m in found):,}"


def _origin() -> str:
    return f"*Written by `{COMMAND}`; the words and numbers are those of `ramisim strategies`.*\n"


def index_page(found: Sequence[Meeting], names: Sequence[str] = ()) -> str:
    """The gallery's first page: who there is, and the ladder."""
    from ramisim.analysis.gallery import ladder_table

    ladder = [m for m in found if m.b == MIDDLE]
    rows = "".join(
        f"| [{name}]({name}.md) | {describe(name).summary} |\n"
        for name in names or strategy_names()
    )
    lines = [
        "# Strategies\n",
        "One compiled family with named parameters, and two baselines. Any of them can be changed: "
        '`--strategy careful:danger=0.7`, or a TOML file with `base = "careful"`.\n',
        f"| strategy | how it plays |\n| --- | --- |\n{rows}",
        "## The ladder\n",
        f"From `{LOW}` to `{MIDDLE}` to the best, in points a match: paired differences, 99.9 % "
        "intervals, on duplicate deals. At four seats the two sit in turn; a side is both its "
        "seats, and half of the matches is even.\n",
        ladder_table(ladder, LOW, MIDDLE),
        "All named strategies were tried by the main rule sets, the baseline and "
        f"`{TOP}` by their variants.\n",
        _origin(),
    ]
    return "\n".join(lines)


def write_gallery(folder: Path, found: Sequence[Meeting], names: Sequence[str] = ()) -> list[Path]:
    """Write all pages of the gallery; their places."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"README": index_page(found, names)}
    pages |= {name: strategy_page(name, found) for name in names or strategy_names()}
    written = []
    for name, text in pages.items():
        place = folder / f"{name}.md"
        place.write_text(text, encoding="utf-8")
        written.append(place)
    return written
