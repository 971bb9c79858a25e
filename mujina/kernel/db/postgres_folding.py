"""Folding the counts that `schema.kept_assignments` keeps: on PostgreSQL, every change adds a row, which this adds to its count."""

from typing import LiteralString

from mujina.kernel.db.assignment_tallies import changes_table, folded_table
from mujina.kernel.db.transaction import Tx


async def fold(tx: Tx, name: LiteralString, owners: LiteralString, by: LiteralString, *columns: LiteralString) -> int:
    """Add what changed to the counts of this name; the number of counts that it changed. It costs what changed.

    `owners`: the table of what is assigned, to which the column `by` refers. Readers see a change in one of the two tables,
    and further changes are added meanwhile. What is being deleted takes its counts along, so it is left alone.
    """
    if tx.engine == "sqlite":  # keeps its counts whole
        return 0
    counts, changes, keys = folded_table(name), changes_table(name), ", ".join((by, *columns))
    return await tx.run(
        f"""
        WITH present AS (
            SELECT owner.id FROM {owners} owner WHERE owner.id IN (SELECT change.{by} FROM {changes} change)
            ORDER BY owner.id FOR KEY SHARE SKIP LOCKED
        ), moved AS (
            DELETE FROM {changes} WHERE {by} IN (SELECT present.id FROM present) RETURNING {keys}, n
        )
        INSERT INTO {counts} ({keys}, n)
        SELECT {keys}, sum(n) FROM moved GROUP BY {keys} HAVING sum(n) <> 0 ORDER BY {keys}
        ON CONFLICT ({keys}) DO UPDATE SET n = {counts}.n + excluded.n
        """
    )
