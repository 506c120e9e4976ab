"""One deal, two deals: what is counted agrees with its number, in both languages."""

from __future__ import annotations

import re
import tomllib
from io import StringIO
from pathlib import Path
from string import Formatter

import pytest

import ramisim
from ramisim.analysis.report.words import Language
from ramisim.brackets import bracket
from ramisim.errors import RunError
from ramisim.plurals import counted, filled, plural
from ramisim.progress import ConsoleProgress
from ramisim.rules import Rules
from ramisim.rules_words import rules_in_words

LANGUAGES: tuple[Language, ...] = ("en", "fr")
ROOT = Path(ramisim.__file__).resolve().parents[1]
NOUNS = (
    "cards deals games hands knock-outs line-ups matches opponents packs pairs panels players "
    "points rounds rule sets runs seats strategies tables threads tours turns variants workers "
    "cartes donnes manches parties paires tableaux tournois stratégies variantes effects effets"
).replace("rule sets", "rule.sets")
ONE_OF_MANY = re.compile(rf"(?<![\w.,:-])1 ({'|'.join(NOUNS.split())})\b(?!-)")
ALWAYS_TWO = {"players", "k", "low", "x", "mean", "q", "within", "smallest", "half", "factor",
    "fair", "skill", "open"}  # fmt: skip
"""Gaps that are never 1: a table has two seats, points are shown with a decimal."""


def _sentences() -> list[tuple[str, str, str]]:
    return [
        (f"{file.name} {table}.{key}", lang, text)
        for file in sorted((ROOT / "analysis" / "report").glob("words*.toml"))
        for table, rows in tomllib.loads(file.read_text(encoding="utf-8")).items()
        for key, row in rows.items()
        for lang, text in row.items()
    ]


def test_sentences_of_reports_agree_with_one() -> None:
    wrong = []
    for where, lang, text in _sentences():
        names = {name for _, name, _, _ in Formatter().parse(text) if name}
        told = filled(text, lang, **{n: "2.0" if n in ALWAYS_TWO else "1" for n in names})
        if ONE_OF_MANY.search(told):
            wrong.append(f"{where}: {told}")
    assert not wrong


def test_sentences_of_reports_agree_with_several() -> None:
    for _, lang, text in _sentences():
        names = {name for _, name, _, _ in Formatter().parse(text) if name}
        told = filled(text, lang, **dict.fromkeys(names, "12"))
        assert "#" not in told
        assert "|" not in told.replace(" | ", "")


def test_the_rules_in_words_agree_with_one() -> None:
    rules = Rules.load("rami51", {
        "opening.points": 1, "score.pool": 1, "match.target": 1, "deal.hand_size": 1,
    })  # fmt: skip
    for lang in LANGUAGES:
        assert not ONE_OF_MANY.search(str(rules_in_words(rules, lang)))


def test_one_player_goes_on() -> None:
    with pytest.raises(RunError, match="too few for a final table when 1 goes on"):
        bracket(4, 3, 3, advance=1)


def test_progress_counts_one_game() -> None:
    """`1 of 1 games, 1 games/s` stood there."""
    stream, times = StringIO(), iter([0.0, 10.0, 20.0, 40.0])
    progress = ConsoleProgress(stream, clock=lambda: next(times))
    progress.start(1, 0)
    progress.update(0)
    assert stream.getvalue() == "ramisim: 0 of 1 game\n"


def test_numbers_with_their_nouns() -> None:
    assert [counted(n, "match", "matches") for n in (0, 1, 1200)] == [
        "0 matches", "1 match", "1,200 matches",
    ]  # fmt: skip
    assert counted("1", "point") == "1 point"
    assert counted("0.5", "point") == "0.5 points"
    assert filled("{0:# donne|# donnes}", "fr", 0) == "0 donne"
    assert filled("{0:# deal|# deals}", "en", 0) == "0 deals"
    assert [plural(n) for n in (1, 2)] == ["", "s"]
