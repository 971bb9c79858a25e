"""Counts that triggers keep are what counting gives, whatever happens at once."""

import random
from typing import Any

import pytest

from mujina.kernel.db.schema.count_triggers import Counted, CountOwner, count_triggers

COUNTS = count_triggers(
    "topic_counts",
    {"topic_id": "INTEGER NOT NULL", "state": "TEXT NOT NULL"},
    {"topic_id": "BIGINT NOT NULL", "state": "TEXT NOT NULL"},
    [
        Counted(
            table="text_topics",
            by=lambda row: [f"{row}.topic_id", "b.state"],
            source=lambda _: "texts b",
            where=lambda row: f"b.id = {row}.text_id{row.lock('FOR SHARE')}",
        ),
        Counted(
            table="texts",
            by=lambda row: ["p.topic_id", f"{row}.state"],
            source=lambda _: "text_topics p",
            where=lambda row: f"p.text_id = {row}.id",
            on_insert=False,
            on_update=["state"],
        ),
    ],
    [CountOwner("topics", "topic_id")],
)
TABLES = [
    "CREATE TABLE topics (id BIGINT PRIMARY KEY)",
    "CREATE TABLE texts (id BIGINT PRIMARY KEY, state TEXT NOT NULL)",
    """CREATE TABLE text_topics (text_id BIGINT NOT NULL REFERENCES texts ON DELETE CASCADE,
           topic_id BIGINT NOT NULL REFERENCES topics ON DELETE CASCADE)""",
    "CREATE INDEX ix_text_topics ON text_topics (text_id)",
]
COUNTED = "SELECT p.topic_id, b.state, count(*) FROM text_topics p JOIN texts b ON b.id = p.text_id GROUP BY 1, 2 ORDER BY 1, 2"
KEPT = """SELECT topic_id, state, CAST(sum(n) AS bigint) FROM topic_counts GROUP BY topic_id, state HAVING sum(n) <> 0
    ORDER BY topic_id, state"""
CHANGES = [
    "INSERT INTO texts (id, state) SELECT :text, 'new' WHERE NOT EXISTS (SELECT 1 FROM texts WHERE id = :text)",
    "INSERT INTO topics (id) SELECT :topic WHERE NOT EXISTS (SELECT 1 FROM topics WHERE id = :topic)",
    """INSERT INTO text_topics (text_id, topic_id)
       SELECT b.id, o.id FROM texts b CROSS JOIN topics o WHERE b.id >= :text AND o.id = :topic""",
    "UPDATE texts SET state = CASE state WHEN 'new' THEN 'old' ELSE 'new' END WHERE id <= :text AND :topic > 0",
    "DELETE FROM text_topics WHERE text_id = :text AND topic_id = :topic",
    "DELETE FROM texts WHERE id = :text AND :topic > 0",
    "DELETE FROM topics WHERE id = :topic AND :text > 0",
]


@pytest.fixture
def counts(database, run):
    """The tables and the triggers, in an open database."""

    async def create():
        async with database.transaction() as tx:
            for statement in (*TABLES, *COUNTS["sqlite" if tx.engine == "sqlite" else "postgresql"]):
                await tx.run(statement)

    run(create())
    return database


async def change(tx, statement, text, topic):
    await tx.run(statement, text=text, topic=topic)


def test_counts_are_what_counting_gives_after_any_change(counts, run):
    chosen = random.Random(7)

    async def story():
        seen = set()
        for _ in range(200):
            async with counts.transaction() as tx:
                await change(tx, chosen.choice(CHANGES), chosen.randrange(1, 9), chosen.randrange(1, 5))
                counted = await tx.rows(tuple[Any, ...], COUNTED)
                assert await tx.rows(tuple[Any, ...], KEPT) == counted
                seen.update(map(tuple, counted))
        assert len(seen) > 20

    run(story())


@pytest.mark.parametrize("engine", ["postgres"])  # SQLite has one writer at a time
def test_changes_of_one_count_do_not_wait_for_each_other(counts, run, engine):
    add_text, add_topic, assign = CHANGES[:3]

    async def story():
        async with counts.transaction() as tx:
            for n in range(1, 6):
                await change(tx, add_text, n, 1)
            await change(tx, add_topic, 1, 1)
        async with counts.transaction() as one:
            await change(one, assign, 5, 1)
            async with counts.transaction() as other:
                await change(other, assign, 5, 1)
        async with counts.transaction() as tx:
            await change(tx, assign, 5, 1)
            assert await tx.rows(tuple[Any, ...], KEPT) == await tx.rows(tuple[Any, ...], COUNTED) == [(1, "new", 3)]
            assert await tx.value("SELECT count(*) FROM topic_counts") == 2

    run(story())
