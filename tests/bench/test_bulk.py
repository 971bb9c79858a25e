"""The load of `make bench`: what is written in bulk is what triggers write one by one."""

import asyncio
from typing import Any

import pytest

from bench import seed
from bench.bulk import LINK_COUNTS, issues_in_bulk
from mujina.kernel.db.connect import connect
from mujina.kernel.db.transaction import Database, Tx
from mujina.product import PRODUCT

ISSUES, PROJECTS = 40, 2
TABLES = {
    "issues": "id", "issue_texts": "id", "issue_labels": "issue_id, label_id", "issue_assignees": "issue_id, user_id",
    "issue_documents": "id",
}  # fmt: skip
COUNTS = "SELECT project_id, state, confidential, n FROM issue_counts ORDER BY project_id, state, confidential"
LINKED = {
    counts: f"""SELECT {column}, project_id, state, confidential, CAST(sum(n) AS bigint) FROM {counts}
        GROUP BY {column}, project_id, state, confidential ORDER BY {column}, project_id"""
    for counts, column, _, _ in LINK_COUNTS
}
SCHEMA = {
    "sqlite": "SELECT name, sql FROM sqlite_schema ORDER BY name",
    "postgres": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname",
}
FIRST_IDS_AGAIN = "SELECT setval(pg_get_serial_sequence('issues', 'id'), 1, FALSE)"
INDEX_IS_TRUE = "INSERT INTO issue_texts_grams (issue_texts_grams, rank) VALUES ('integrity-check', 1)"


class Undone(Exception):
    pass


async def fill(tx: Tx) -> None:
    await seed.issues(tx, ISSUES, PROJECTS)
    await seed.numbers(tx)
    await seed.labels_and_assignees(tx)


async def content(tx: Tx) -> dict[str, Any]:
    found = {table: f"SELECT * FROM {table} ORDER BY {order}" for table, order in TABLES.items()}
    found |= {"counts": COUNTS, **LINKED, "schema": SCHEMA[tx.engine]}
    return {name: await tx.rows(tuple[Any, ...], sql) for name, sql in found.items()}


async def written_one_by_one(database: Database) -> dict[str, Any]:
    """What is in the tables after rows were written with triggers; they are not kept."""
    found: dict[str, Any] = {}
    with pytest.raises(Undone):
        async with database.transaction() as tx:
            await fill(tx)
            if tx.engine == "postgres":
                await tx.run("SET CONSTRAINTS ALL IMMEDIATE")
            found = await content(tx)
            raise Undone
    return found


async def in_both_ways(url: str) -> tuple[dict[str, Any], dict[str, Any]]:
    await seed.people_and_projects(url, PROJECTS)
    database = connect(url)
    database.product = PRODUCT
    await database.open()
    one_by_one = await written_one_by_one(database)
    async with database.transaction() as tx:
        if tx.engine == "postgres":
            await tx.value(FIRST_IDS_AGAIN)
    await database.close()
    async with issues_in_bulk(url) as tx:
        await fill(tx)
    await database.open()
    async with database.transaction() as tx:
        in_bulk = await content(tx)
        if tx.engine == "sqlite":
            await tx.run(INDEX_IS_TRUE)
    await database.close()
    return one_by_one, in_bulk


def test_issues_in_bulk_are_what_triggers_write(migrated_url):
    one_by_one, in_bulk = asyncio.run(in_both_ways(migrated_url))
    assert len(in_bulk["issue_texts"]) == ISSUES
    assert in_bulk == one_by_one
