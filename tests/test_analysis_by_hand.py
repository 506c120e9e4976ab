"""The code of docs/analysis-by-hand.md runs, block after block, and says what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "analysis-by-hand.md"


def test_the_code_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) > 8
    names: dict[str, object] = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{PAGE.name}, block {number}", "exec"), names)
    said = capsys.readouterr().out
    assert "duplicate 300 deals" in said
    assert re.search(r"careful minus greedy: [+-]\d+\.\d points a game", said)
    assert "may be watched" in said
    assert "x the games" in said
    assert len(re.findall(r"^rami500-quick \| 2 (players|joueurs)", said, flags=re.MULTILINE)) == 2
