"""A million issues: lists compared with those of the usual load, and searches with few, many and very many matches.

A search with some hundred matches is compared with one of as many among 10,000 issues.
"""

import asyncio
import random
import time
from collections.abc import Iterator
from functools import partial

import httpcore2

from bench import seed
from bench.bulk import issues_in_bulk
from bench.servers import Server, mujina
from bench.table import BenchRun, vacuum
from bench.wrk import Measured, in_turn, measure
from mujina.kernel.db.transaction import Tx
from mujina.migrations.upgrade import migrate

ISSUES = 1_000_000
FEWER_ISSUES = 10_000
PROJECTS = 100
TEXTS = 9_000
"""Number of different texts; generating more would take longer than storing them."""

LISTS = {"of a project": "/projects/2/issues", "of all projects": "/issues?scope=all&sort=asc"}
"""First pages that no other measurement changes; the project has 10,000 issues in both loads."""

FEW_BUDGET, MANY_BUDGET = 100, 1000
"""Milliseconds for a page, if fewer than 10,000 issues match and if more do."""

HUNDRED = {ISSUES: "bodkin", FEWER_ISSUES: "thimble"}
"""Words that 111 issues have, of so many."""
HUNDRED_BUDGETS = {"SQLite": 3, "PostgreSQL": 5}
"""Milliseconds of CPU for a page of these, of the server and of PostgreSQL."""

SEARCHES = {
    "needle": ("6,666", FEW_BUDGET),
    "haystack": ("111,111", MANY_BUDGET),
    "everywhere": ("666,667", MANY_BUDGET),
    "haystack&state=opened": ("111,111, open", MANY_BUDGET),
    "everywhere&order_by=updated_at": ("666,667, by update", MANY_BUDGET),
    "needle&author_id=1": ("3,333 of one author", FEW_BUDGET),
    "needle&labels=bug": ("4,455 with one label", FEW_BUDGET),
}


def measured(bench: BenchRun) -> Iterator[str]:
    bench.print_step(f"seeding {ISSUES:,} issues")
    url = bench.new_database("search")
    asyncio.run(_seed(url, ISSUES))
    vacuum(url)
    with mujina(bench.folder / f"{bench.engine}-search", url) as server:
        yield from _lists(bench, server)
        yield from _hundred(bench, server)
        for words, (matches, budget) in SEARCHES.items():
            bench.print_step(f"search, {matches}")
            result = _measure_sequentially(server, f"/api/v4/issues?scope=all&search={words}", bench.seconds)
            yield bench.requests(
                f"search of {ISSUES:,} issues, {matches}", result, f"≤ {budget} ms", within=result.p99 <= budget
            )


def _lists(bench: BenchRun, server: Server) -> Iterator[str]:
    with mujina(bench.data, bench.url) as usual:
        for what, path in LISTS.items():
            bench.print_step(f"list {what}")
            compared = in_turn(bench.seconds, partial(_once, server, path), partial(_once, usual, path))
            # CPU time is that of Mujina alone; the rate also reflects the work of PostgreSQL.
            within = compared.cpu <= 1.3 and compared.rate * 1.3 >= 1
            name = f"list 20 issues {what}, among {ISSUES:,}"
            yield bench.compared(name, compared, f"≤ 1.3 × among {seed.ISSUES:,}", within=within)


def _hundred(bench: BenchRun, server: Server) -> Iterator[str]:
    url = bench.new_database("search10000")
    asyncio.run(_seed(url, FEWER_ISSUES))
    vacuum(url)
    with mujina(bench.folder / f"{bench.engine}-search10000", url) as fewer:
        bench.print_step("search, 111")
        paths = {issues: f"/issues?scope=all&search={word}" for issues, word in HUNDRED.items()}
        compared = in_turn(
            bench.seconds, partial(_once, server, paths[ISSUES], 1), partial(_once, fewer, paths[FEWER_ISSUES], 1)
        )
        budget = HUNDRED_BUDGETS[bench.engine]
        yield bench.requests(
            f"search of {FEWER_ISSUES:,} issues, 111", compared.other, f"≤ {budget} ms of CPU",
            within=compared.other.total <= budget,
        )  # fmt: skip
        yield bench.compared(
            f"search of {ISSUES:,} issues, 111", compared, f"≤ 2 × among {FEWER_ISSUES:,}", within=compared.total <= 2
        )


def _once(server: Server, path: str, connections: int = 16) -> Measured:
    return measure(server, f"/api/v4{path}", connections, 1)


def _measure_sequentially(server: Server, path: str, seconds: int) -> Measured:
    """Send requests one after another for this long, at least five; the slowest takes the place of the p99."""
    times: list[float] = []
    _ask(server, path)
    before, database, end = server.cpu(), server.database_cpu(), time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        began = time.perf_counter()
        _ask(server, path)
        times.append(time.perf_counter() - began)
    used, database = server.cpu() - before, server.database_cpu() - database
    per_request = 1000 / len(times)
    return Measured(len(times) / sum(times), used * per_request, max(times) * 1000, 0, database * per_request)


def _ask(server: Server, path: str) -> None:
    answer = httpcore2.request("GET", server.url(path), headers=[("Private-Token", seed.TOKEN)])
    if answer.status != 200:
        raise SystemExit(f"{path} was answered with {answer.status}")


async def _seed(url: str, issues: int) -> None:
    await migrate(url)
    await seed.people_and_projects(url, PROJECTS)
    async with issues_in_bulk(url) as tx:
        await _texts(tx)
        await _issues(tx, issues)
        await seed.numbers(tx)
        await seed.labels_and_assignees(tx)


async def _texts(tx: Tx) -> None:
    """Store texts of invented words with a realistic frequency distribution, and the words that are searched for."""
    chance = random.Random(7)
    syllables = [
        head + tail for head in "bcdfgjklmnprstvz" for tail in ("a", "e", "i", "o", "u", "ai", "er", "in", "on")
    ]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(3_000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    await tx.run("CREATE TEMPORARY TABLE texts (k bigint PRIMARY KEY, title text, body text)")
    await tx.run_each(
        "INSERT INTO texts (k, title, body) VALUES (:k, :title, :body)",
        [
            {
                "k": k,
                "title": " ".join(chance.choices(words, weights, k=4)),
                "body": " ".join(chance.choices(words, weights, k=20))
                + " a needle" * (k % 150 == 0)
                + " in a haystack" * (k % 9 == 0)
                + " as everywhere" * (k % 3 != 0)
                + " with a thimble" * (k % 90 == 0)
                + " and a bodkin" * (k == 1),
            }
            for k in range(TEXTS)
        ],
    )


async def _issues(tx: Tx, count: int) -> None:
    if tx.engine == "postgres":
        await tx.run("ANALYZE texts")
    await tx.run(
        f"""
        INSERT INTO issues (project_id, iid, title, title_folded, description, description_folded, author_id,
            milestone_id, confidential, created_at, updated_at)
        {seed.NUMBERS} SELECT 1 + (n - 1) / :share, 1 + (n - 1) % :share, t.title, t.title, t.body, t.body,
            1 + n % :people, 1 + (n - 1) / :share, n % 50 = 0,
            '2018-01-' || CAST(10 + n % 20 AS text) || 'T10:00:00.000Z',
            '2018-02-' || CAST(10 + n % 17 AS text) || 'T10:00:00.000Z'
        FROM numbers JOIN texts t ON t.k = n % :texts
        """,
        most=count, share=count // PROJECTS, people=seed.PEOPLE, texts=TEXTS,
    )  # fmt: skip
