"""Make docs/tournaments.md and its figures: ``python docs/make_tournaments.py`` (some minutes).

Runs are kept in ``docs-runs/`` and finished where they stopped; the same seeds give the same page.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from string import Template

from matplotlib.figure import Figure

from ramisim.analysis import tournament_figures
from ramisim.analysis.knockouts import KnockOuts
from ramisim.analysis.report import knockout_page, tournament_page, tournament_words
from ramisim.analysis.report.facts import design_text
from ramisim.analysis.report.frame import Table
from ramisim.analysis.report.tournament_report import analyse
from ramisim.analysis.report.words import Words
from ramisim.analysis.runs import open_run
from ramisim.analysis.svg import style, svg
from ramisim.analysis.tournament import Tournament
from ramisim.errors import RunError
from ramisim.progress import ConsoleProgress
from ramisim.strategies import strategy_names
from ramisim.tournament import knock_out, tournament

DOCS = Path(__file__).parent
RUNS = DOCS.parent / "docs-runs"
WORDS = Words("en")
SEED = 2026
DEALS = {2: 45, 4: 30}
TIMES = 200


def main() -> None:
    """Play, analyse, draw, write."""
    names = strategy_names()
    tables = {seats: _round_robin(names, seats) for seats in DEALS}
    cups = {final: _cup(names, final, RUNS / "round-robin-4") for final in ("last-one", "single")}
    (DOCS / "figures").mkdir(exist_ok=True)
    told = {"strategies": str(len(names)), "seed": str(SEED), "times": f"{TIMES:,}"}
    told |= {f"deals{seats}": str(deals) for seats, deals in DEALS.items()}
    for seats, found in tables.items():
        told |= {f"{key}{seats}": text for key, text in _told(found, f"tournament-{seats}").items()}
    told |= _cup_told(cups["last-one"], cups["single"])
    page = Template((DOCS / "tournaments.template.md").read_text(encoding="utf-8"))
    (DOCS / "tournaments.md").write_text(page.substitute(told), encoding="utf-8", newline="\n")


def _round_robin(names: list[str], seats: int) -> Tournament:
    out = RUNS / f"round-robin-{seats}"
    command = f"ramisim tournament --players {seats} --deals {DEALS[seats]} --seed {SEED}"
    progress = ConsoleProgress()

    def play() -> None:
        tournament(
            "rami500", names, DEALS[seats], SEED, players=seats, out=out, resume=True,
            progress=progress, command=command,
        )  # fmt: skip

    _again(play, out)
    found = analyse(open_run(out))
    assert isinstance(found, Tournament)
    return found


def _cup(names: list[str], final: str, beside: Path) -> KnockOuts:
    out = RUNS / f"knock-outs-{final}"
    progress = ConsoleProgress()

    def play() -> None:
        knock_out(
            "rami500", names, TIMES, SEED, final=final, out=out, resume=True, progress=progress
        )

    _again(play, out)
    found = analyse(open_run(out), beside=open_run(beside))
    assert isinstance(found, KnockOuts)
    return found


def _again(play: Callable[[], None], out: Path) -> None:
    """Play, or finish what is there; what another version has played is thrown away."""
    try:
        play()
    except RunError as error:
        if "holds another run" not in str(error):
            raise
        print(f"{error}: played anew", file=sys.stderr)
        shutil.rmtree(out)
        play()


def _told(t: Tournament, name: str) -> dict[str, str]:
    said = tournament_words.verdict(t, WORDS)
    figures = {}
    with style():
        clear = tournament_page.clear_cells(t)
        figures["payoff"] = tournament_figures.payoff_map(t.payoff_points, t.order, clear, WORDS)
        figures["ahead"] = tournament_figures.payoff_map(
            t.payoff_ahead, t.order, clear, WORDS, per_cent=True
        )
        for key, figure in figures.items():
            _draw(figure, f"{name}-{key}", said.sentence)
    s = t.structure
    assert s is not None
    return {
        "sentence": said.sentence,
        "remarks": " ".join(said.remarks),
        "design": design_text(t.manifest, WORDS),
        "board": _markdown(tournament_page.board_table(t, WORDS)),
        "nash": tournament_words.mixture(t.order, s.nash, WORDS),
        "alpha": tournament_words.mixture(t.order, s.alpha, WORDS),
        "seats": ", ".join(f"{w.label}: {WORDS.pct(w.mean)}" for w in t.seats.wins),
    }


def _cup_told(last: KnockOuts, single: KnockOuts) -> dict[str, str]:
    said = knockout_page.verdict(last, WORDS)
    names = [row.label for row in last.board]
    stages = last.manifest.tournament["stages"]
    final_from = next(i for i, stage in enumerate(stages) if stage["final"])
    with style():
        left = [row.left for row in last.board]
        _draw(
            tournament_figures.still_in(names, left, final_from, WORDS),
            "knock-out-left",
            said.sentence,
        )
        _draw(
            tournament_figures.lottery_curve(last.beside, last.lottery, WORDS),
            "knock-out-lottery",
            " ".join(said.remarks),
        )
    formats = tournament_page.lottery_table(
        [last.lottery, single.lottery, *last.beside], last.strongest, WORDS
    )
    named = ["knock-out, the last one left", "knock-out, a final of one match"]
    rows = [(name, *row[1:]) for name, row in zip(named, formats.rows, strict=False)]
    return {
        "cup_sentence": said.sentence,
        "cup_remarks": " ".join(said.remarks),
        "cup_design": design_text(last.manifest, WORDS),
        "cup_board": _markdown(knockout_page.board_table(last, WORDS)),
        "formats": _markdown(Table(formats.head, (*rows, *formats.rows[2:]))),
    }


def _draw(figure: Figure, name: str, alt: str) -> None:
    text = svg(figure, name, alt)
    (DOCS / "figures" / f"{name}.svg").write_text(text + "\n", encoding="utf-8", newline="\n")


def _markdown(table: Table) -> str:
    lines = [table.head, ("---", *("---:",) * (len(table.head) - 1)), *table.rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    main()
