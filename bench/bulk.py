"""Issues in bulk: rows without the triggers and secondary indexes of their tables, which take nine tenths of the time.

Afterward one statement for each table writes what the triggers would have written, and the indexes are made by the
statements of the schema. `tests/bench/test_bulk.py` compares the result with rows that were counted one by one.
"""

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, LiteralString

from bench.databases import open_database
from mujina.kernel.db.sqlite import connection as raw
from mujina.kernel.db.sqlite.database import SqliteDatabase
from mujina.kernel.db.sqlite.shared_commit import SharedTx
from mujina.kernel.db.transaction import Engine, Tx

TABLES = ["issues", "issue_texts", "issue_labels", "issue_assignees"]
SECONDARY: dict[Engine, LiteralString] = {
    "sqlite": """SELECT type, name, sql FROM sqlite_schema
        WHERE type IN ('trigger', 'index') AND sql IS NOT NULL AND tbl_name IN :tables""",
    "postgres": """SELECT 'index', c.relname, pg_get_indexdef(c.oid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_class of ON of.oid = i.indrelid
        WHERE of.relname IN :tables AND NOT EXISTS (SELECT 1 FROM pg_constraint f WHERE f.conindid = c.oid)""",
}
"""Triggers and indexes as the schema has them. PostgreSQL need not drop triggers: it does not fire them for a replica."""

LINK_COUNTS: tuple[tuple[LiteralString, LiteralString, LiteralString, LiteralString], ...] = (
    ("issue_label_counts", "label_id", "issue_labels", "issue_id"),
    ("issue_assignee_counts", "user_id", "issue_assignees", "issue_id"),
    ("issue_milestone_counts", "milestone_id", "issues", "id"),
    ("issue_author_counts", "author_id", "issues", "id"),
)
"""The kept counts of what issues are linked to, the column that says to what, and the table and the column that link."""

WRITTEN_BY_TRIGGERS: tuple[LiteralString, ...] = (
    """INSERT INTO issue_texts (id, project_id, author_id, state, confidential, created_at, title_folded, description_folded)
       SELECT id, project_id, author_id, state, confidential, created_at, title_folded, description_folded FROM issues
       ORDER BY id""",
    *(
        f"""UPDATE {links} SET project_id = i.project_id, created_at = i.created_at
            FROM issues i WHERE i.id = {links}.issue_id"""
        for links in ("issue_labels", "issue_assignees")
    ),
    """INSERT INTO issue_counts (project_id, state, confidential, n)
       SELECT project_id, state, confidential, count(*) FROM issues GROUP BY project_id, state, confidential""",
    """INSERT INTO issue_documents (id, version)
       SELECT part.issue_id, count(*) FROM (
           SELECT issue_id FROM issue_labels UNION ALL SELECT issue_id FROM issue_assignees) part
       GROUP BY part.issue_id ORDER BY part.issue_id""",
    *(
        f"""INSERT INTO {counts} ({column}, project_id, state, confidential, n)
            SELECT linked.{column}, i.project_id, i.state, i.confidential, count(*) FROM issues i
            JOIN {links} linked ON linked.{row} = i.id WHERE linked.{column} IS NOT NULL
            GROUP BY linked.{column}, i.project_id, i.state, i.confidential"""
        for counts, column, links, row in LINK_COUNTS
    ),
)
INDEX_TEXTS: LiteralString = "INSERT INTO issue_texts_grams (issue_texts_grams) VALUES ('rebuild')"
CACHE_KILOBYTES = 400_000


@asynccontextmanager
async def issues_in_bulk(url: str) -> AsyncGenerator[Tx]:
    """A transaction that inserts the first issues of a database, their labels and assignees, and nothing else.

    Nothing else may have the database open.
    """
    async with _bulk_transaction(url) as tx:
        secondary = await tx.rows(tuple[Any, ...], SECONDARY[tx.engine], tables=TABLES)
        await _run_all(tx, [f"DROP {kind} {name}" for kind, name, _ in secondary])
        yield tx
        await _run_all(tx, WRITTEN_BY_TRIGGERS)
        if tx.engine == "sqlite":
            await tx.run(INDEX_TEXTS)
        await _run_all(tx, [sql for _, _, sql in secondary])


async def _run_all(tx: Tx, statements: Sequence[str]) -> None:
    for statement in statements:
        await tx.run(statement)  # pyright: ignore[reportArgumentType]


@asynccontextmanager
async def _bulk_transaction(url: str) -> AsyncGenerator[Tx]:
    if url.startswith("sqlite"):
        with _unlogged(Path(url.removeprefix("sqlite:///"))) as tx:
            yield tx
        return
    async with open_database(url) as database, database.transaction() as tx:
        await tx.run("SET LOCAL session_replication_role = replica")
        await tx.run("SET LOCAL maintenance_work_mem = '512MB'")
        await tx.run("SET LOCAL work_mem = '256MB'")
        yield tx


@contextmanager
def _unlogged(path: Path) -> Generator[Tx]:
    """Pages that do not fit into the memory go to the file. In a log that is longer than the memory, each was written many
    times, and looked for in all parts of the log."""
    connection = raw.connect(path)
    try:
        connection.execute(f"PRAGMA journal_mode = OFF; PRAGMA cache_size = -{CACHE_KILOBYTES}").fetchall()
        connection.execute("BEGIN IMMEDIATE")
        yield SharedTx(connection, SqliteDatabase(path))
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
    finally:
        connection.close()
