"""Rows of lists over trees: each over a small tree, and over one a hundred times as large."""

import asyncio
from collections.abc import Iterator

import psycopg

from bench.servers import mujina
from bench.table import Ground
from bench.tree import MEMBER, plant
from bench.wrk import Measured, measure
from mujina.kernel.db.connect import connect
from mujina.migrations.upgrade import migrate

LISTS = ["/groups", "/projects", "/namespaces", "/users", "/projects?membership=true&search=p99x"]
SIZES = {"a hundredth": (10, 100, 10), "1,000 groups, 10,000 projects, 1,000 people": (1_000, 10_000, 1_000)}


def measured(ground: Ground) -> Iterator[str]:
    told: dict[str, list[Measured]] = {path: [] for path in LISTS}
    for name, size in SIZES.items():
        ground.say(f"planting {name}")
        planted = asyncio.run(_planted(ground, size))
        with mujina(ground.folder / f"{ground.engine}-tree-{size[0]}", planted) as server:
            for path in LISTS:
                measure(server, f"/api/v4{path}", 1, 1, token=MEMBER)
                told[path].append(measure(server, f"/api/v4{path}", 1, ground.seconds, token=MEMBER))
    for path, (small, large) in told.items():
        within = large.cpu <= 2 * small.cpu
        yield ground.compared(f"GET {path}, tree 100 ×", large, small, "≤ 2 × the small tree", within=within)


async def _planted(ground: Ground, size: tuple[int, int, int]) -> str:
    """A fresh database beside the first, with a tree of this size."""
    planted = ground.beside(f"tree{size[0]}")
    await migrate(planted)
    database = connect(planted)
    await database.open()
    await plant(database, *size)
    await database.close()
    if ground.engine == "PostgreSQL":
        with psycopg.connect(planted, autocommit=True) as connection:
            connection.execute("ANALYZE")  # as autovacuum does within the minute
    return planted
