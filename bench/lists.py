"""Rows of lists over trees: each over a small tree, and over one a hundred times as large."""

import asyncio
import json
import time
from collections.abc import Iterator

import httpcore2
import psycopg

from bench.servers import Server, mujina
from bench.table import Ground
from bench.tree import ADMIN, MEMBER, ROOT, plant
from bench.wrk import Measured, measure
from mujina.kernel.db.connect import connect
from mujina.migrations.upgrade import migrate

LISTS = [
    "/groups",
    "/projects",
    "/namespaces",
    "/users",
    "/projects?membership=true&search=p99x",
    f"/groups/{ROOT}/subgroups",
    f"/groups/{ROOT}/projects",
    f"/groups/{ROOT}/members",
]
SIZES = {"a hundredth": (10, 100, 10), "1,000 groups, 10,000 projects, 1,000 people": (1_000, 10_000, 1_000)}


def measured(ground: Ground) -> Iterator[str]:
    told: dict[str, list[Measured]] = {path: [] for path in LISTS}
    joined = 0.0
    for name, size in SIZES.items():
        ground.say(f"planting {name}")
        planted = asyncio.run(_planted(ground, size))
        with mujina(ground.folder / f"{ground.engine}-tree-{size[0]}", planted) as server:
            for path in LISTS:
                measure(server, f"/api/v4{path}", 1, 1, token=MEMBER)
                told[path].append(measure(server, f"/api/v4{path}", 1, ground.seconds, token=MEMBER))
            joined = _join(server)
    for path, (small, large) in told.items():
        within = large.cpu <= 2 * small.cpu
        yield ground.compared(f"GET {path}, tree 100 ×", large, small, "≤ 2 × the small tree", within=within)
    yield ground.stated("a member joins at the root of the large tree", "≤ 1 s", f"{joined:.3f} s", within=joined <= 1)


def _join(server: Server) -> float:
    """Seconds until a person is a member at the root, and so of everything below it."""
    body = json.dumps({"user_id": 3, "access_level": 30}).encode()
    headers = [("Private-Token", ADMIN), ("Content-Type", "application/json")]
    began = time.perf_counter()
    answer = httpcore2.request("POST", server.url(f"/api/v4/groups/{ROOT}/members"), headers=headers, content=body)
    assert answer.status == 201, answer.content
    return time.perf_counter() - began


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
