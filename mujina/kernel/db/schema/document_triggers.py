"""The tables of stored documents: statements of the schema, for `schema.documents` and `schema.shown_in_documents`.

Every change of a row that a document shows reaches the document in the transaction of the change, whatever code makes it.
A change of one entity increases the version of its document and removes the body. A change of what many entities show,
such as a user's name, increases a generation: every document below it is outdated at once, and none of them is written.

On PostgreSQL the triggers run at the end of the transaction. So a transaction locks documents and generations after
everything else, and only for the time of its commit: no two transactions wait for each other because of them.
"""

from collections.abc import Callable, Sequence
from typing import LiteralString

import msgspec

GENERATIONS: LiteralString = "document_epochs"
SHARED_GENERATION: LiteralString = "0"
"""The id of the generation of everything that does not belong to one project."""

Dialects = dict[str, list[str]]


class Part(msgspec.Struct, frozen=True):
    """Rows of another table that documents show. `only` and `ids` are functions of what names such a row: `OLD` or `NEW`."""

    table: str
    column: str = ""
    """Refers to the row whose document shows it."""
    ids: Callable[[str], str] | None = None
    """Instead of a column: the statement for the ids of the rows whose documents show it."""
    only: Callable[[str], str] = lambda _: "TRUE"
    """Which rows of the table are shown."""
    columns: tuple[str, ...] = ()
    """The columns of them that are shown; empty: all."""


def generations() -> Dialects:
    """Dialect → statements: the generation of each project, and the shared one."""
    return {
        "sqlite": [f"CREATE TABLE {GENERATIONS} (id INTEGER NOT NULL PRIMARY KEY, n INTEGER NOT NULL) STRICT"],
        "postgresql": [f"CREATE TABLE {GENERATIONS} (id BIGINT NOT NULL PRIMARY KEY, n BIGINT NOT NULL)"],
    }


def stored(name: str, of: str, parts: Sequence[Part]) -> Dialects:
    """Dialect → statements: the documents of the rows of `of`, and of the `parts` that they show as well."""
    changes = [
        (f"{name}_changed", of, "UPDATE", [_outdate(name, "VALUES (NEW.id, 1)")], "TRUE"),
        (f"{name}_gone", of, "DELETE", [f"DELETE FROM {name} WHERE id = OLD.id"], "TRUE"),
    ]
    for part in parts:
        changes += _part_changes(name, of, part)
    return {
        "sqlite": [f"{_table(name, 'INTEGER', 'TEXT')} STRICT", *(_sqlite(*change) for change in changes)],
        "postgresql": [
            _table(name, "BIGINT", 'TEXT COLLATE "C"'),
            *(line for change in changes for line in _postgres(*change)),
        ],
    }


def _part_changes(name: str, of: str, part: Part) -> list[tuple[str, str, str, list[str], str]]:
    """The triggers of a part: name, table, when, statements and condition of each."""
    if part.ids:
        old, new = (
            _outdate(name, f"SELECT shown.id, 1 FROM ({part.ids(row)}) shown WHERE TRUE ORDER BY shown.id")
            for row in ("OLD", "NEW")
        )
    else:
        new = _outdate(name, f"VALUES (NEW.{part.column}, 1)")
        # A row that is gone gets no document again when its parts go after it.
        old = _outdate(name, f"SELECT {of}.id, 1 FROM {of} WHERE {of}.id = OLD.{part.column}")
    was, is_ = part.only("OLD"), part.only("NEW")
    watched = [column for column in (part.column, *part.columns) if column] if part.columns else []
    return [
        (f"{name}_{part.table}_come", part.table, "INSERT", [new], is_),
        (f"{name}_{part.table}_gone", part.table, "DELETE", [old], was),
        (
            f"{name}_{part.table}_changed", part.table, f"UPDATE OF {', '.join(watched)}" if watched else "UPDATE",
            [old, new], f"({was}) OR ({is_})",
        ),
    ]  # fmt: skip


def shown(table: str, columns: Sequence[str], project: str | None, projects: str | None) -> Dialects:
    """Dialect → statements: a change of these columns outdates the documents of the project, or all documents.

    `project`: the column with the project to which a row belongs; rows without one are shown everywhere.
    `projects`: instead, a statement for the ids of the projects whose documents show the row `OLD`.
    """
    scope = f"coalesce(OLD.{project}, {SHARED_GENERATION})" if project else SHARED_GENERATION
    outdated = (
        f"SELECT shown.id, 1 FROM ({projects}) shown WHERE TRUE ORDER BY shown.id"
        if projects
        else f"VALUES ({scope}, 1)"
    )
    change = f"INSERT INTO {GENERATIONS} (id, n) {outdated} ON CONFLICT (id) DO UPDATE SET n = {GENERATIONS}.n + 1"
    name, when = f"{GENERATIONS}_{table}_{columns[0]}", f"UPDATE OF {', '.join(columns)}"
    old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("OLD", "NEW"))
    return {
        "sqlite": [_sqlite(name, table, when, [change], f"({old}) IS NOT ({new})")],
        "postgresql": _postgres(name, table, when, [change], f"({old}) IS DISTINCT FROM ({new})"),
    }


def _table(name: str, number: str, text: str) -> str:
    return f"""CREATE TABLE {name} (
    id {number} NOT NULL PRIMARY KEY,
    version {number} NOT NULL,
    shape {number},
    shared_epoch {number},
    project_epoch {number},
    body {text}
)"""


def _outdate(name: str, row: str) -> str:
    change = f"version = {name}.version + 1, body = NULL"
    return f"INSERT INTO {name} (id, version) {row} ON CONFLICT (id) DO UPDATE SET {change}"


def _sqlite(name: str, table: str, when: str, statements: Sequence[str], condition: str) -> str:
    return f"CREATE TRIGGER {name} AFTER {when} ON {table} WHEN {condition} BEGIN {'; '.join(statements)}; END"


def _postgres(name: str, table: str, when: str, statements: Sequence[str], condition: str) -> list[str]:
    body = f"BEGIN {'; '.join(statements)}; RETURN NULL; END".replace("'", "''")
    at_commit = f"DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ({condition})"
    return [
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS '{body}'",
        f"CREATE CONSTRAINT TRIGGER {name} AFTER {when} ON {table} {at_commit} EXECUTE FUNCTION {name}()",
    ]
