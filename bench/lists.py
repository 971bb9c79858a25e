"""Lists over group trees: each on a small tree, and on one a hundred times as large."""

import asyncio
import json
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial

import httpcore2
import psycopg

from bench.databases import open_database
from bench.servers import Server, mujina
from bench.table import BenchRun
from bench.tree import ADMIN, MEMBER, ROOT, plant
from bench.wrk import Measured, in_turn, measure
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
PROJECTS_BUDGETS = {"SQLite": 0.8, "PostgreSQL": 1.5}
"""Milliseconds of CPU for a list of 20 projects, of the server and of PostgreSQL."""
LARGE, SMALL = (1_000, 10_000, 1_000), (10, 100, 10)
"""Groups, projects and people of each tree."""


def measured(bench: BenchRun) -> Iterator[str]:
    with _tree(bench, LARGE) as large, _tree(bench, SMALL) as small:
        for path in LISTS:
            bench.print_step(f"GET {path}")
            compared = in_turn(bench.seconds, partial(_once, large, path), partial(_once, small, path))
            name = f"GET {path}, tree 100 ×"
            yield bench.compared(name, compared, "≤ 2 × the small tree", within=compared.cpu <= 2)
            if path == "/projects":
                budget, result = PROJECTS_BUDGETS[bench.engine], compared.other
                yield bench.requests("list 20 projects", result, f"≤ {budget} ms of CPU", within=result.total <= budget)
        joined = _join(large)
    yield bench.stated("a member joins at the root of the large tree", "≤ 1 s", f"{joined:.3f} s", within=joined <= 1)


def _once(server: Server, path: str) -> Measured:
    return measure(server, f"/api/v4{path}", 1, 1, token=MEMBER)


@contextmanager
def _tree(bench: BenchRun, size: tuple[int, int, int]) -> Generator[Server]:
    bench.print_step("planting {:,} groups, {:,} projects, {:,} people".format(*size))
    planted = asyncio.run(_planted(bench, size))
    with mujina(bench.folder / f"{bench.engine}-tree-{size[0]}", planted) as server:
        yield server


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
    async with open_database(planted) as database:
        await plant(database, *size)
    if bench.engine == "PostgreSQL":
        with psycopg.connect(planted, autocommit=True) as connection:
            connection.execute("ANALYZE")  # as autovacuum does within a minute
    return planted
