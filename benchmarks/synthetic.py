"""Run folders of any length, made of random numbers: what analysis costs without playing first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np

__all__ = ["STRATEGIES", "manifest", "write_run"]

STRATEGIES: Final = ("careful", "greedy")
GAP: Final = 12


def _rows(first_deal: int, n_deals: int) -> Any:
    """Rows of duplicate deals of two players: luck of the deal, strength, noise."""
    from ramisim.kernels.state import GAME_ROW

    rng = np.random.default_rng([4, first_deal])
    rows = np.zeros((n_deals, 2, 2), GAME_ROW)
    rows["deal"] = np.arange(first_deal, first_deal + n_deals)[:, None, None]
    rows["rotation"], rows["seat"] = np.arange(2)[:, None], np.arange(2)
    rows["strategy"] = rows["rotation"] ^ rows["seat"]
    luck = rng.integers(-60, 61, (n_deals, 1, 2))
    noise = rng.integers(-40, 41, (n_deals, 2, 2))
    rows["points"] = 5 * (60 + (luck + noise) // 2) + GAP * (rows["strategy"] == 0)
    best = rows["points"].max(axis=2, keepdims=True)
    first = rows["points"] == best
    rows["won"] = first / first.sum(axis=2, keepdims=True)
    rows["place"] = np.where(first, 1, 2)
    rows["rounds"] = rng.integers(3, 9, (n_deals, 2, 1))
    rows["turns"] = 8 * rows["rounds"]
    rows["went_out"] = np.where(first, rows["rounds"], 0)
    return rows.ravel()


def write_run(folder: Path, matches: int) -> dict[str, int]:
    """Write a run of so many matches as the runner would; the points of each strategy."""
    from ramisim.chunks import cut, default_chunk
    from ramisim.frames import games_frame

    deals = matches // 2
    chunk = default_chunk(deals, 2, True)
    (folder / "games").mkdir(parents=True)
    points = np.zeros(2, np.int64)
    for part in cut(0, deals, chunk):
        rows = _rows(part.first_deal, part.n_deals)
        points += [int(rows["points"][rows["strategy"] == k].sum()) for k in range(2)]
        file = folder / "games" / f"part-{part.index:06d}.parquet"
        games_frame(rows, STRATEGIES).write_parquet(file)
    (folder / "run.json").write_text(json.dumps(manifest(deals, chunk)), encoding="utf-8")
    return dict(zip(STRATEGIES, points.tolist(), strict=True))


def manifest(deals: int, chunk: int) -> dict[str, Any]:
    """What ``run.json`` says of such a run."""
    from ramisim.version import ENGINE_VERSION, SCHEMA_VERSION, __version__

    return {
        "schema": SCHEMA_VERSION,
        "engine": ENGINE_VERSION,
        "ramisim": __version__,
        "rules": {"name": "rami500", "base": None, "override": {}, "values": {}},
        "strategies": [{"name": s, "params": {}, "source": "0" * 16} for s in STRATEGIES],
        "players": 2,
        "seed": 4,
        "design": "duplicate",
        "every": True,
        "seatings": [[0, 1], [1, 0]],
        "first_deal": 0,
        "deals": deals,
        "chunk": chunk,
        "rounds": False,
        "libraries": {},
        "command": "made of random numbers by ramisim bench",
        "complete": True,
    }
