"""Numbers inside one project or group: 1, 2, 3 … without a gap from a crash and never twice.

    … VALUES (:project_id, next_iid('project', :project_id, 'issue'), :title, …)

Both engines have the function `next_iid(owner, owner's id, noun)`, so that one statement takes a number and uses it. The
counter's row stays locked until the transaction ends, and a rollback gives the number back.
"""

from typing import Any

import apsw


def _next(counter: str) -> str:
    return f"""INSERT INTO iids (owner_kind, owner_id, noun, last) VALUES ({counter}, 1) \
ON CONFLICT (owner_kind, owner_id, noun) DO UPDATE SET last = iids.last + 1 RETURNING last"""


_OF = "WHERE owner_kind = :owner AND owner_id = :whose AND noun = :what"
_INCREASE = f"UPDATE iids SET last = last + 1 {_OF}"
_LAST = f"SELECT last FROM iids {_OF}"

# First come, first served: a transaction that waits for a row lock can be overtaken by one that finds the newest version.
_FUNCTION = f"""CREATE FUNCTION next_iid(owner text, whose bigint, what text) RETURNS bigint LANGUAGE plpgsql AS
'DECLARE given bigint; BEGIN PERFORM pg_advisory_xact_lock(hashtextextended(owner || what, whose)); \
{_next("owner, whose, what")} INTO given; RETURN given; END'"""


def counter() -> dict[str, list[str]]:
    """Dialect → the statements of the schema that make the table, and PostgreSQL's function."""
    sqlite, postgres = (
        f"""CREATE TABLE iids (
    owner_kind {text} NOT NULL,
    owner_id {number} NOT NULL,
    noun {text} NOT NULL,
    last {number} NOT NULL,
    CONSTRAINT pk_iids PRIMARY KEY (owner_kind, owner_id, noun)
)"""
        for text, number in (("TEXT", "INTEGER"), ('TEXT COLLATE "C"', "BIGINT"))
    )
    return {"sqlite": [f"{sqlite} STRICT, WITHOUT ROWID"], "postgresql": [postgres, _FUNCTION]}


def register_function(connection: apsw.Connection) -> None:
    """SQLite stores no functions: each connection brings this one."""

    def next_iid(*of: Any) -> int:
        # Half of what RETURNING costs; only the first of a noun has no row yet.
        connection.execute(_INCREASE, of)
        return connection.execute(_LAST, of).get or connection.execute(_next(":owner, :whose, :what"), of).get

    connection.create_scalar_function("next_iid", next_iid, 3)
