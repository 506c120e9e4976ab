"""What is installed is what stands in the tree, and starting it is cheap."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

import ramisim

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LINKED = ("kernels", "analysis", "benchmarks")
ROOMS = {"ramisim": "ramisim"} | {room: f"ramisim.{room}" for room in LINKED}
HEAVY = ("numba", "polars", "scipy", "matplotlib", "numpy", "jinja2")


def packages_in_the_tree() -> set[str]:
    found = set()
    for room, package in ROOMS.items():
        for marker in (ROOT / room).rglob("__init__.py"):
            inside = marker.parent.relative_to(ROOT / room).parts
            if room == "ramisim" and inside[:1] in [(link,) for link in LINKED]:
                continue
            found.add(".".join((package, *inside)))
    return found


def test_every_package_is_packaged() -> None:
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == packages_in_the_tree()


@pytest.mark.parametrize("room", LINKED)
def test_the_links_stand(room: str) -> None:
    link = ROOT / "ramisim" / room
    assert link.is_symlink()
    assert link.readlink() == Path("..") / room
    assert PROJECT["tool"]["setuptools"]["package-dir"][ROOMS[room]] == room


def test_data_files_are_packaged() -> None:
    globs = PROJECT["tool"]["setuptools"]["package-data"]["ramisim"]
    packaged = {path for glob in globs for path in (ROOT / "ramisim").glob(glob)}
    folders = [(ROOT / "ramisim" / name).iterdir() for name in ("presets", "studies")]
    assert {*chain(*folders), ROOT / "ramisim" / "py.typed"} == packaged


def test_every_dependency_is_pinned() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.split("==")[0].lower() for line in lines if "==" in line}
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = [*PROJECT["project"]["dependencies"], *extras["dev"]]
    assert {text.split(">=")[0].split("[")[0] for text in wanted} <= pinned


def test_every_export_is_there() -> None:
    for name in ramisim.__all__:
        assert getattr(ramisim, name) is not None
    assert set(ramisim.__all__) <= set(dir(ramisim))
    with pytest.raises(AttributeError, match="no attribute 'bets_melds'"):
        _ = ramisim.bets_melds


def test_the_code_of_the_readme_runs() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall("```python\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_the_rules_of_the_readme_load(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for i, block in enumerate(re.findall("```toml\n(.*?)```", text, flags=re.DOTALL)):
        path = tmp_path / f"{i}.toml"
        path.write_text(block, encoding="utf-8")
        assert ramisim.Rules.load(path).override


def modules_after(code: str) -> set[str]:
    """Names of the heavy modules that a fresh interpreter holds after the code."""
    report = f"import sys; print(*(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "code",
    [
        "import ramisim; ramisim.Rules.load('rami51'); ramisim.parse_hand('7H Jk')",
        "from ramisim.rules_words import rules_in_words; from ramisim import Rules\n"
        "rules_in_words(Rules.load('pool500'))",
        "from ramisim.cli.app import app\n"
        "try: app(['--help'])\nexcept SystemExit as stop: assert not stop.code",
        "from ramisim.cli.app import app\n"
        "try: app(['rules', 'rami500'])\nexcept SystemExit as stop: assert not stop.code",
    ],
)
def test_a_cold_start_imports_nothing_heavy(code: str) -> None:
    assert modules_after(code) == set()


def test_no_file_names_a_package_host() -> None:
    hosts = ("pypi" + ".org", "pythonhosted" + ".org", "file:///" + "opt")
    listed = subprocess.run(
        ["git", "ls-files", "*.toml", "*.txt", "*.md", "Makefile", ".ci/run"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    for name in listed:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert not [host for host in hosts if host in text], name
