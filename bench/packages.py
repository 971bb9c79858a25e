"""Packages: lists of many, the page that pip reads out of a large index, and a large file in memory."""

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import LiteralString

import httpcore2

from bench.crowd import watched
from bench.databases import open_database
from bench.runners import MAX_MEMORY, MEGABYTE, Instance
from bench.seed import HOT, TOKEN
from bench.servers import Server, mujina
from bench.table import BenchRun, vacuum
from bench.wrk import Measured, in_turn, measure

MANY = 10_000
NAMES, FILES = 1_000, 100
FEW_NAMES = 10
LIST_BUDGET, INDEX_BUDGET = 1.3, 1.3
FILE = 500 * MEGABYTE
NOW = "2018-01-01T00:00:00.000Z"
_NUMBERS: LiteralString = """WITH RECURSIVE numbers (n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < CAST(:most AS bigint))"""
_VERSIONS: LiteralString = f"""{_NUMBERS}
    INSERT INTO packages (project_id, package_type, name, version, created_at, updated_at)
    SELECT CAST(:project AS bigint), 'generic', 'tool', 'v' || n, CAST(:now AS text), CAST(:now AS text) FROM numbers"""
_RELEASES: LiteralString = f"""{_NUMBERS}
    INSERT INTO releases (project_id, tag, description, released_at, created_at, updated_at)
    SELECT CAST(:project AS bigint), 'v' || n, 'What is new', CAST(:now AS text), CAST(:now AS text), CAST(:now AS text)
    FROM numbers"""
_INDEX: LiteralString = f"""{_NUMBERS}
    INSERT INTO packages (project_id, package_type, name, version, created_at, updated_at)
    SELECT CAST(:project AS bigint), 'pypi', 'tool-' || n, '1.0', CAST(:now AS text), CAST(:now AS text) FROM numbers"""
_FILES: LiteralString = f"""{_NUMBERS}
    INSERT INTO package_files (package_id, project_id, file_name, size, md5, sha1, sha256, file, created_at, updated_at)
    SELECT pk.id, pk.project_id, pk.name || '-1.0-' || n || '.tar.gz', 1, '', '', pk.id || '-' || n,
        'packages/' || pk.id || '/' || n, CAST(:now AS text), CAST(:now AS text)
    FROM packages pk, numbers WHERE pk.project_id = :project"""


def measured(bench: BenchRun) -> Iterator[str]:
    with mujina(bench.data, bench.url) as server, httpcore2.ConnectionPool() as pool:
        instance = Instance(server, pool)
        many, large, small = (instance.post("/projects", name=name)["id"] for name in ("many", "index", "few"))
        asyncio.run(_fill(bench.url, many, large, small))
        vacuum(bench.url)
        lists = {
            "versions": f"/projects/{many}/packages",
            "releases": f"/projects/{HOT}/releases",
        }
        for noun, path in lists.items():
            bench.print_step(f"20 of {MANY:,} {noun}")
            compared = in_turn(
                bench.seconds, partial(_once, server, path), partial(_once, server, f"/projects/{HOT}/issues")
            )
            name = f"list 20 of {MANY:,} {noun}"
            yield bench.compared(name, compared, f"≤ {LIST_BUDGET} × issues", within=compared.total <= LIST_BUDGET)
        yield _index_row(bench, server, large, small)
        yield _large_file(bench, instance, many)


def _once(server: Server, path: str) -> Measured:
    return measure(server, f"/api/v4{path}", 1, 1)


def _index_row(bench: BenchRun, server: Server, large: int, small: int) -> str:
    page = "/projects/{}/packages/pypi/simple/tool-7"
    compared = in_turn(
        bench.seconds, partial(_once, server, page.format(large)), partial(_once, server, page.format(small))
    )  # fmt: skip
    return bench.compared(
        f"the {FILES} files of a package in an index of {NAMES:,}", compared, f"≤ {INDEX_BUDGET} × an index of {FEW_NAMES}",
        within=compared.total <= INDEX_BUDGET,
    )  # fmt: skip


def _large_file(bench: BenchRun, instance: Instance, project: int) -> str:
    bench.print_step("a large package")
    path = f"/projects/{project}/packages/generic/large/1/file"
    piece = bytes(MEGABYTE)
    instance.server.wait_until_idle()
    with watched(instance.server) as seen:
        answer = instance.pool.request(
            "PUT", instance.server.url(f"/api/v4{path}"), content=(piece for _ in range(FILE // MEGABYTE)),
            headers=[("Private-Token", TOKEN), ("Content-Length", str(FILE))],
        )  # fmt: skip
        assert answer.status == 201, answer.content
        with instance.pool.stream(
            "GET", instance.server.url(f"/api/v4{path}"), headers={"Private-Token": TOKEN}
        ) as response:
            size = sum(len(part) for part in response.iter_stream())
    assert size == FILE
    above = max(seen) - seen[0]
    what = f"package of {FILE // MEGABYTE} MB, in and out"
    return bench.stated(what, f"≤ {MAX_MEMORY} MB above idle", f"{above:.0f} MB", within=above <= MAX_MEMORY)


async def _fill(url: str, many: int, large: int, small: int) -> None:
    """Versions of one package, Python packages in a large and in a small index, and releases of the busy project."""
    async with open_database(url) as database, database.transaction() as tx:
        await tx.run(_VERSIONS, most=MANY, project=many, now=NOW)
        await tx.run(_RELEASES, most=MANY, project=HOT, now=NOW)
        for project, names in ((large, NAMES), (small, FEW_NAMES)):
            await tx.run(_INDEX, most=names, project=project, now=NOW)
            await tx.run(_FILES, most=FILES, project=project, now=NOW)
