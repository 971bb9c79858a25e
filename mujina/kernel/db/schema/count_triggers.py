"""Counts that triggers keep, so that lists give exact totals without counting rows: statements for `schema.kept_count`.

A change of a row that is counted moves its count in the transaction of the change, whatever code makes it.

On SQLite each count is one row. On PostgreSQL counts are sharded: a change adds to any row of its count that no other
transaction is changing, or adds a row. So no two transactions wait for each other's counts, a count has as many rows as
transactions once changed it at the same time, and readers sum them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

from mujina.kernel.db.transaction import Engine

Columns = Mapping[str, str]
"""The columns by which rows are counted, and their types."""


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """The row of a trigger: in a text it is `OLD` or `NEW`."""

    name: str
    engine: Engine

    def __str__(self) -> str:
        return self.name

    def lock(self, clause: str) -> str:
        """Locks what is read for the row, as `FOR SHARE`; nothing on SQLite, which has one writer at a time."""
        return f" {clause}" if self.engine == "postgres" else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How the rows of one table change the counts: its texts are functions of such a row."""

    table: str
    by: Callable[[ChangedRow], Sequence[str]]
    """An expression for each column of the counts."""
    source: Callable[[ChangedRow], str] | None = None
    """The tables that are joined to the row, if there are any."""
    when: Callable[[ChangedRow], str] = lambda _: "TRUE"
    """A part of `where` that is about the row alone: a new row for which it is false runs no trigger."""
    where: Callable[[ChangedRow], str] = lambda _: "TRUE"
    n: str = "1"
    """The number that each result adds to its count."""
    on_insert: bool = True
    on_update: Sequence[str] = ()
    """The columns of the row that decide to which counts it belongs."""
    on_delete: bool = True


@dataclass(frozen=True, slots=True)
class CountOwner:
    """The parent of a column of the counts: when it is deleted, its counts are deleted."""

    table: str
    column: str
    which: str = "TRUE"
    """Narrows down the counts that are deleted, for an index."""


class _Trigger(NamedTuple):
    name: str
    event: str
    condition: str
    steps: Sequence[str]
    """Statements for what is added to counts."""
    deletion: str = ""
    """A statement that deletes counts."""


def count_triggers(
    name: str, sqlite: Columns, postgres: Columns, counted: Sequence[Counted], owners: Sequence[CountOwner]
) -> dict[str, list[str]]:
    """Dialect → statements: the table of the counts and the triggers that keep them. Its rows are deleted with the `owners`."""
    keys = list(postgres)
    key = f"CONSTRAINT pk_{name} PRIMARY KEY ({', '.join(keys)})"
    on_sqlite, on_postgres = (
        [
            *(trigger for each in counted for trigger in _changes(name, each, keys, owners, engine)),
            *(_deletion(name, owner) for owner in owners),
        ]
        for engine in get_args(Engine)
    )
    return {
        "sqlite": [
            f"CREATE TABLE {name} ({_declared(sqlite)}, n INTEGER NOT NULL, {key}) STRICT, WITHOUT ROWID",
            *(_sqlite(name, keys, trigger) for trigger in on_sqlite),
        ],
        "postgresql": [
            f"CREATE TABLE {name} ({_declared(postgres)}, n BIGINT NOT NULL)",
            f"CREATE INDEX ix_{name} ON {name} ({', '.join(keys)})",
            _add_to_shard(name, postgres),
            *(line for trigger in on_postgres for line in _postgres(name, keys, trigger)),
        ],
    }


def _changes(
    name: str, counted: Counted, keys: list[str], owners: Sequence[CountOwner], engine: Engine
) -> Iterator[_Trigger]:
    prefix, table = f"{name}_{counted.table}", counted.table
    old, new = ChangedRow("OLD", engine), ChangedRow("NEW", engine)

    def steps(row: ChangedRow, sign: str, condition: str = "TRUE") -> str:
        by, source = ", ".join(counted.by(row)), f" FROM {counted.source(row)}" if counted.source else ""
        statement = f"SELECT {by}, {sign}{counted.n}{source} WHERE {condition} AND {counted.where(row)}"
        return " ".join(statement.split())

    if counted.on_insert:
        yield _Trigger(f"{prefix}_inserted", f"AFTER INSERT ON {table}", counted.when(new), [steps(new, "")])
    if counted.on_update:
        before, after = (", ".join(f"{row}.{column}" for column in counted.on_update) for row in (old, new))
        differs = "IS NOT" if engine == "sqlite" else "IS DISTINCT FROM"  # any value may be NULL
        yield _Trigger(
            f"{prefix}_updated",
            f"AFTER UPDATE OF {', '.join(counted.on_update)} ON {table}",
            f"({before}) {differs} ({after})",
            [steps(old, "-"), steps(new, "")],
        )
    if counted.on_delete:
        # Before: what is joined to the row may be deleted with it.
        step = steps(old, "-", _owner_exists(counted.by(old), keys, owners))
        yield _Trigger(f"{prefix}_deleted", f"BEFORE DELETE ON {table}", "TRUE", [step])


def _owner_exists(by: Sequence[str], keys: list[str], owners: Sequence[CountOwner]) -> str:
    """False while the owner is being deleted, with everything that is counted: its counts are deleted, not decreased."""
    for owner in owners[:1]:
        return f"EXISTS (SELECT 1 FROM {owner.table} o WHERE o.id = {by[keys.index(owner.column)]})"
    return "TRUE"


def _deletion(name: str, owner: CountOwner) -> _Trigger:
    deletion = f"DELETE FROM {name} WHERE {owner.column} = OLD.id AND {owner.which}"
    return _Trigger(f"{name}_of_{owner.table}", f"AFTER DELETE ON {owner.table}", "TRUE", [], deletion)


def _sqlite(name: str, keys: list[str], trigger: _Trigger) -> str:
    listed = ", ".join(keys)
    statements = [
        f"INSERT INTO {name} ({listed}, n) {step} ON CONFLICT ({listed}) DO UPDATE SET n = {name}.n + excluded.n"
        for step in trigger.steps
    ]
    body = "; ".join(filter(None, (*statements, trigger.deletion)))
    return f"CREATE TRIGGER {trigger.name} {trigger.event} WHEN {trigger.condition} BEGIN {body}; END"


def _add_to_shard(name: str, columns: Columns) -> str:
    """The function that adds to a count. It waits for no other transaction."""
    types = ", ".join(declared.split()[0] for declared in columns.values())
    values = ", ".join(f"${n}" for n in range(1, len(columns) + 2))
    matches = " AND ".join(f"c.{column} = ${n}" for n, column in enumerate(columns, 1))
    free = f"SELECT c.ctid FROM {name} c WHERE {matches} LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED"
    add = f"UPDATE {name} SET n = n + ${len(columns) + 1} WHERE ctid ="
    # The first statement does not see a row that another transaction changed after it began, and locks it all the same.
    body = f"""{add} ({free}); IF NOT FOUND THEN shard := ({free}); IF shard IS NOT NULL THEN {add} shard; ELSE
        INSERT INTO {name} ({", ".join(columns)}, n) VALUES ({values}); END IF; END IF;"""
    signature = f"{name}_add({types}, BIGINT) RETURNS void LANGUAGE plpgsql"
    return f"CREATE FUNCTION {signature} AS 'DECLARE shard tid; BEGIN {' '.join(body.split())} END'"


def _postgres(name: str, keys: list[str], trigger: _Trigger) -> list[str]:
    of, listed = ", ".join(f"s.{key}" for key in keys), ", ".join(keys)
    statements = [f"PERFORM {name}_add({of}, s.n) FROM ({step}) s ({listed}, n)" for step in trigger.steps]
    result = "OLD" if trigger.event.startswith("BEFORE") else "NULL"
    body = "; ".join(filter(None, (*statements, trigger.deletion))).replace("'", "''")
    fires = f"FOR EACH ROW WHEN ({trigger.condition})"
    return [
        f"CREATE FUNCTION {trigger.name}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN {body}; RETURN {result}; END'",
        f"CREATE TRIGGER {trigger.name} {trigger.event} {fires} EXECUTE FUNCTION {trigger.name}()",
    ]


def _declared(columns: Columns) -> str:
    return ", ".join(f"{column} {declaration}" for column, declaration in columns.items())
