"""Folding the counts that `schema.kept_assignments` keeps: on PostgreSQL, every change adds a row to them."""

from collections import Counter
from typing import Any, Final, LiteralString

from mujina.kernel.db.transaction import Tx

MAX_ROWS: Final = 20
"""A count may be spread over so many rows."""


async def fold(tx: Tx, table: LiteralString, *columns: LiteralString, most: int = MAX_ROWS) -> int:
    """Join the rows of each count that has too many; the number of rows that were joined.

    Readers see the old rows or the new ones, and changes add rows meanwhile.
    """
    keys: LiteralString = ", ".join(columns)
    rows = await tx.rows(
        tuple[Any, ...],
        f"""DELETE FROM {table} WHERE ({keys}) IN (
                SELECT {keys} FROM {table} GROUP BY {keys} HAVING count(*) > :most)
            RETURNING {keys}, n""",
        most=most,
    )
    sums = Counter[tuple[Any, ...]]()
    for *key, n in rows:
        sums[tuple(key)] += n
    bound: LiteralString = ", ".join(f":{column}" for column in columns)
    await tx.run_each(
        f"INSERT INTO {table} ({keys}, n) VALUES ({bound}, :n)",
        [{**dict(zip(columns, key, strict=True)), "n": n} for key, n in sums.items() if n],
    )
    return len(rows)
