"""Lists over group trees: each on a small tree, and on one a hundred times as large."""

import asyncio
import json
import time
from collections.abc import Iterator

import httpcore2
import psycopg

from bench.servers import Server, mujina
from bench.table import BenchRun
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
    f"/groups/{ROOT}/-/epics",
    # A page that both epics fill: the small one has ten issues.
    f"/groups/{ROOT}/-/epics/1/issues?per_page=10",
]
SIZES = {"a hundredth": (10, 100, 10), "1,000 groups, 10,000 projects, 1,000 people": (1_000, 10_000, 1_000)}


def measured(bench: BenchRun) -> Iterator[str]:
    result: dict[str, list[Measured]] = {path: [] for path in LISTS}
    joined = 0.0
    for name, size in SIZES.items():
        bench.print_step(f"planting {name}")
        planted = asyncio.run(_planted(bench, size))
        with mujina(bench.folder / f"{bench.engine}-tree-{size[0]}", planted) as server:
            for path in LISTS:
                measure(server, f"/api/v4{path}", 1, 1, token=MEMBER)
                result[path].append(measure(server, f"/api/v4{path}", 1, bench.seconds, token=MEMBER))
            joined = _join(server)
    for path, (small, large) in result.items():
        within = large.cpu <= 2 * small.cpu
        yield bench.compared(f"GET {path}, tree 100 ×", large, small, "≤ 2 × the small tree", within=within)
    yield bench.stated("a member joins at the root of the large tree", "≤ 1 s", f"{joined:.3f} s", within=joined <= 1)


def _join(server: Server) -> float:
    """Return the seconds it takes to add a member at the root, and so to everything below it."""
    body = json.dumps({"user_id": 3, "access_level": 30}).encode()
    headers = [("Private-Token", ADMIN), ("Content-Type", "application/json")]
    began = time.perf_counter()
    answer = httpcore2.request("POST", server.url(f"/api/v4/groups/{ROOT}/members"), headers=headers, content=body)
    assert answer.status == 201, answer.content
    return time.perf_counter() - began


async def _planted(bench: BenchRun, size: tuple[int, int, int]) -> str:
    """Create another database with a tree of this size and return its URL."""
    planted = bench.new_database(f"tree{size[0]}")
    await migrate(planted)
    database = connect(planted)
    await database.open()
    await plant(database, *size)
    await database.close()
    if bench.engine == "PostgreSQL":
        with psycopg.connect(planted, autocommit=True) as connection:
            connection.execute("ANALYZE")  # as autovacuum does within a minute
    return planted
