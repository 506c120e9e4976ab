"""Run folders made of seeded random numbers, as the batch runner writes them.

Points of a seat are a general level, the luck of the deal at that seat (the same in every seating),
the strength of the strategy that sits there, and noise of the game; the most points win. Numbers
are rounded so that ties and shared wins occur.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ramisim.analysis.schema import END_REASONS, GAMES, ROUNDS

Strengths = dict[str, float]


def cyclic(n: int) -> list[list[int]]:
    return [[(seat + shift) % n for seat in range(n)] for shift in range(n)]


def game_rows(
    strengths: Strengths,
    seatings: Sequence[Sequence[int]],
    deals: int,
    *,
    design: str = "duplicate",
    first_deal: int = 0,
    luck: float = 60.0,
    noise: float = 30.0,
    seat_bonus: float = 4.0,
    grain: int = 5,
    seed: int = 1,
) -> pl.DataFrame:
    names, values = list(strengths), list(strengths.values())
    seats, k = len(seatings[0]), len(seatings)
    rows: dict[str, list[Any]] = {name: [] for name in GAMES}
    for deal in range(first_deal, first_deal + deals):
        rng = np.random.default_rng([seed, deal])
        deal_luck = rng.normal(0, luck, seats)
        for rotation in range(k):
            wobble = rng.normal(0, noise, seats)
            if design == "rotate" and deal % k != rotation:
                continue
            who = seatings[rotation]
            raw = [
                200 + values[who[s]] + deal_luck[s] + wobble[s] + (seat_bonus if s == 0 else 0)
                for s in range(seats)
            ]
            points = [grain * round(x / grain) for x in raw]
            best = max(points)
            n_best = points.count(best)
            n_rounds = int(rng.integers(3, 9))
            for s in range(seats):
                row = (
                    deal, rotation, s, names[who[s]], points[s],
                    1 / n_best if points[s] == best else 0.0,
                    1 + sum(p > points[s] for p in points), n_rounds, 8 * n_rounds,
                    n_rounds // 2 if points[s] == best else 0, 0,
                )  # fmt: skip
                for column, value in zip(rows, row, strict=True):
                    rows[column].append(value)
    return pl.DataFrame(rows, schema=GAMES)


def round_rows(games: pl.DataFrame, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    rows: list[tuple[Any, ...]] = []
    for game in games.partition_by("deal", "rotation", maintain_order=True):
        for r in range(int(game["rounds"][0])):
            end = END_REASONS[0] if rng.random() < 0.8 else END_REASONS[1]
            winner = int(rng.integers(len(game)))
            turns = int(rng.integers(4, 15))
            for g in game.iter_rows(named=True):
                seat = g["seat"]
                out = end == "out" and seat == winner
                rows.append(
                    (
                        g["deal"], g["rotation"], seat, g["strategy"], r,
                        seat == r % len(game), int(rng.integers(-40, 90)),
                        int(rng.integers(0, 90)), 0 if out else int(rng.integers(1, 60)),
                        turns + (seat == 0), out, False, end, int(rng.integers(0, 5)),
                        turns - 1, 1, int(rng.integers(0, 4)), int(rng.integers(0, 4)),
                        int(rng.integers(0, 3)), int(rng.integers(0, 2)), 0,
                    )
                )  # fmt: skip
    return pl.DataFrame(rows, schema=ROUNDS, orient="row").sort("deal", "rotation", "seat", "round")


def write_run(
    folder: Path,
    games: pl.DataFrame,
    strategies: Sequence[str],
    seatings: Sequence[Sequence[int]],
    *,
    design: str = "duplicate",
    rounds: pl.DataFrame | None = None,
    chunk: int = 50,
    first_deal: int = 0,
    deals: int | None = None,
    **manifest: Any,
) -> Path:
    lasting = int(games["deal"].n_unique()) if deals is None else deals
    (folder / "games").mkdir(parents=True)
    for i, start in enumerate(range(first_deal, first_deal + lasting, chunk)):
        inside = (pl.col("deal") >= start) & (pl.col("deal") < start + chunk)
        part = games.filter(inside)
        if len(part):
            part.write_parquet(folder / "games" / f"part-{i:06d}.parquet")
        if rounds is not None and len(part):
            (folder / "rounds").mkdir(exist_ok=True)
            rounds.filter(inside).write_parquet(folder / "rounds" / f"part-{i:06d}.parquet")
    told: dict[str, Any] = {
        "schema": 1,
        "engine": "1",
        "ramisim": "0.1.0",
        "rules": {"name": "rami500", "base": None, "override": {}, "values": {"match.target": 500}},
        "strategies": [{"name": s, "params": {}, "source": "0" * 16} for s in strategies],
        "players": len(seatings[0]),
        "seed": 7,
        "design": design,
        "seatings": [list(row) for row in seatings],
        "first_deal": first_deal,
        "deals": lasting,
        "chunk": chunk,
        "libraries": {"numpy": np.__version__},
        "command": "ramisim simulate --seed 7",
        "complete": True,
    }
    (folder / "run.json").write_text(json.dumps(told | manifest), encoding="utf-8")
    return folder


def duel(folder: Path, deals: int = 200, gap: float = 12.0, **options: Any) -> Path:
    """Two players, two strategies, every deal in both seatings, with rounds."""
    games = game_rows({"careful": gap, "greedy": 0.0}, cyclic(2), deals, **options)
    return write_run(
        folder, games, ["careful", "greedy"], cyclic(2), rounds=round_rows(games),
        first_deal=options.get("first_deal", 0),
    )  # fmt: skip
