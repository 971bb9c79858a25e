"""Counts that are spread over rows, on PostgreSQL: every change adds a row, so that no two transactions wait for each other.

Readers sum the rows of a count. One change in many folds them, inside the trigger that adds its row: those that nobody else
is folding are replaced with their sum.
"""

_CHANGES_BETWEEN = 50
"""About as many rows a count has, and a reader sums."""


def fold(name: str, columns: str, which: str, row: str = "NEW") -> str:
    """The statement of a trigger that folds the rows `x` of these counts, now and then; nothing remains of nothing."""
    return f"""IF mod({row}.id, {_CHANGES_BETWEEN}) = 0 THEN
        WITH folded AS (
            DELETE FROM {name} WHERE ctid IN (SELECT x.ctid FROM {name} x WHERE {which} FOR UPDATE SKIP LOCKED)
            RETURNING {columns}, n)
        INSERT INTO {name} ({columns}, n) SELECT {columns}, sum(n) FROM folded GROUP BY {columns}
        HAVING sum(n) <> 0;
        END IF"""
