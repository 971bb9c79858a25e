"""Rows of a million issues: lists beside those of the usual load, and searches where few, many and most of them match."""

import asyncio
import random
import time
from collections.abc import Iterator

import httpcore2
import psycopg

from bench import seed
from bench.servers import Server, mujina
from bench.table import Ground
from bench.wrk import Measured, measure
from mujina.kernel.db.connect import connect
from mujina.kernel.db.transaction import Tx
from mujina.migrations.upgrade import migrate

ISSUES = 1_000_000
PROJECTS = 100
TEXTS = 9_000
"""Different texts, so that making them does not take longer than storing them."""

LISTS = {"of a project": "/projects/2/issues", "of all projects": "/issues?scope=all&sort=asc"}
"""First pages of which no other row changes anything; the project has 10,000 issues in both loads."""

FEW, OTHERWISE = 100, 1000
"""Milliseconds a page may take, when fewer than 10,000 issues match and when more do."""

SEARCHES = {
    "needle": ("6,666", FEW),
    "haystack": ("111,111", OTHERWISE),
    "everywhere": ("666,667", OTHERWISE),
    "haystack&state=opened": ("111,111, open", OTHERWISE),
    "everywhere&order_by=updated_at": ("666,667, by update", OTHERWISE),
    "needle&author_id=1": ("3,333 of one author", FEW),
    "needle&labels=bug": ("4,455 with one label", FEW),
}


def measured(ground: Ground) -> Iterator[str]:
    ground.say(f"seeding {ISSUES:,} issues")
    url = asyncio.run(_planted(ground))
    with mujina(ground.folder / f"{ground.engine}-search", url) as server:
        yield from _lists(ground, server)
        for words, (matches, budget) in SEARCHES.items():
            ground.say(f"search, {matches}")
            told = _asked(server, f"/api/v4/issues?scope=all&search={words}", ground.seconds)
            yield ground.requests(
                f"search of {ISSUES:,} issues, {matches}", told, f"≤ {budget} ms", within=told.p99 <= budget
            )


def _lists(ground: Ground, server: Server) -> Iterator[str]:
    with mujina(ground.folder / f"{ground.engine}-usual", ground.url) as usual:
        for what, path in LISTS.items():
            ground.say(f"list {what}")
            for each in (usual, server):
                measure(each, f"/api/v4{path}", 16, 1)  # warm both
            other, told = (measure(each, f"/api/v4{path}", 16, ground.seconds) for each in (usual, server))
            # The processor's time is that of Mujina alone; how many are answered also tells of PostgreSQL.
            within = told.cpu <= 1.3 * other.cpu and told.rate * 1.3 >= other.rate
            name = f"list 20 issues {what}, among {ISSUES:,}"
            yield ground.compared(name, told, other, f"≤ 1.3 × among {seed.ISSUES:,}", within=within)


def _asked(server: Server, path: str, seconds: int) -> Measured:
    """One after the other for so long, and five times at least; the slowest stands where others have their p99."""
    times: list[float] = []
    _ask(server, path)
    before, end = server.cpu(), time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        began = time.perf_counter()
        _ask(server, path)
        times.append(time.perf_counter() - began)
    used = server.cpu() - before
    return Measured(len(times) / sum(times), used / len(times) * 1000, max(times) * 1000, 0)


def _ask(server: Server, path: str) -> None:
    answer = httpcore2.request("GET", server.url(path), headers=[("Private-Token", seed.TOKEN)])
    if answer.status != 200:
        raise SystemExit(f"{path} was answered with {answer.status}")


async def _planted(ground: Ground) -> str:
    """A database of its own, with the issues in it."""
    url = ground.beside("search")
    await migrate(url)
    database = connect(url)
    await database.open()
    await seed.people(database)
    async with database.transaction() as tx:
        await seed.projects(tx, PROJECTS)
        await _texts(tx)
        await _issues(tx)
    await database.close()
    if database.engine == "postgres":
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
    return url


async def _texts(tx: Tx) -> None:
    """Prose of invented words, some of them far more frequent than others, and the words that are searched for."""
    chance = random.Random(7)
    syllables = [
        head + tail for head in "bcdfgjklmnprstvz" for tail in ("a", "e", "i", "o", "u", "ai", "er", "in", "on")
    ]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(3_000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    await tx.run("CREATE TEMPORARY TABLE texts (k bigint PRIMARY KEY, title text, said text)")
    await tx.run_each(
        "INSERT INTO texts (k, title, said) VALUES (:k, :title, :said)",
        [
            {
                "k": k,
                "title": " ".join(chance.choices(words, weights, k=4)),
                "said": " ".join(chance.choices(words, weights, k=20))
                + " a needle" * (k % 150 == 0)
                + " in a haystack" * (k % 9 == 0)
                + " as everywhere" * (k % 3 != 0),
            }
            for k in range(TEXTS)
        ],
    )


async def _issues(tx: Tx) -> None:
    if tx.engine == "postgres":
        await tx.run("ANALYZE texts")
        # Built at the end, it takes a tenth of the time.
        await tx.run("DROP INDEX ix_issue_texts_grams")
    await tx.run(
        f"""
        INSERT INTO issues (project_id, iid, title, title_folded, description, description_folded, author_id,
            milestone_id, confidential, created_at, updated_at)
        {seed.NUMBERS} SELECT 1 + (n - 1) / :share, 1 + (n - 1) % :share, t.title, t.title, t.said, t.said,
            1 + n % :people, 1 + (n - 1) / :share, n % 50 = 0,
            '2018-01-' || CAST(10 + n % 20 AS text) || 'T10:00:00.000Z',
            '2018-02-' || CAST(10 + n % 17 AS text) || 'T10:00:00.000Z'
        FROM numbers JOIN texts t ON t.k = n % :texts
        """,
        most=ISSUES, share=ISSUES // PROJECTS, people=seed.PEOPLE, texts=TEXTS,
    )  # fmt: skip
    await seed.numbers(tx)
    if tx.engine == "postgres":
        await tx.run("SET LOCAL maintenance_work_mem = '512MB'")
        await tx.run(
            """CREATE INDEX ix_issue_texts_grams ON issue_texts
               USING gin (trigrams(title_folded || chr(10) || description_folded))"""
        )
        # All they belong to is there: to look for each takes two minutes.
        await tx.run("SET LOCAL session_replication_role = replica")
    await seed.labels_and_assignees(tx)
