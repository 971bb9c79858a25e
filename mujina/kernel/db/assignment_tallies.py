"""Counts of assignments, such as labels of issues, kept by triggers: statements of the schema, for `schema.kept_assignments`.

Each count is for one label and for values of the rows that have it: the open issues of a project with a label. A change of
the assignment or of the row moves the count in the transaction of the change.

On PostgreSQL a change adds a row of its own to a table of changes, so that no two transactions wait for each other's counts.
Readers sum the rows of a view over counts and changes, and a job folds the changes into the counts (`postgres_folding.py`).
The row that is assigned is locked meanwhile: its values cannot change unnoticed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import LiteralString

Columns = Mapping[str, str]
"""Columns, as their tables declare them."""


@dataclass(frozen=True, slots=True)
class Assignments:
    """A table of assignments, such as labels of issues."""

    table: str
    by: str
    """The column of what is assigned: the label."""
    owners: str
    """The table that it refers to."""
    to: str
    """The column of the row to which it is assigned: the issue."""
    rows: str
    """The table that it refers to."""
    until: str | None
    """Rows count until this column is set, if there is one."""


def assignment_tally(name: LiteralString, of: Assignments, sqlite: Columns, postgres: Columns) -> dict[str, list[str]]:
    """Dialect → statements. The columns: what is assigned, then those of the rows that are counted separately."""
    keys = list(postgres)
    listed = ", ".join(keys)
    add = f" ON CONFLICT ({listed}) DO UPDATE SET n = {name}.n + excluded.n"
    folded, changes = folded_table(name), changes_table(name)
    return {
        "sqlite": [
            f"CREATE TABLE {name} ({_declared(sqlite)}, n INTEGER NOT NULL, {_key(name, listed)}) STRICT, WITHOUT ROWID",
            *(
                f"CREATE TRIGGER {name}_{verb} {when} WHEN {condition} BEGIN {'; '.join(each)}; END"
                for verb, when, condition, each in _changes([name], of, keys, "IS NOT", "", add)
            ),
        ],
        "postgresql": [
            f"CREATE TABLE {folded} ({_declared(postgres)}, n BIGINT NOT NULL, {_key(folded, listed)})",
            f"CREATE TABLE {changes} ({_declared(postgres)}, n BIGINT NOT NULL)",
            f"CREATE INDEX ix_{changes}_{'_'.join(keys[:2])} ON {changes} ({', '.join(keys[:2])})",
            f"CREATE VIEW {name} AS SELECT {listed}, n FROM {folded} UNION ALL SELECT {listed}, n FROM {changes}",
            *(
                line
                for change in _changes([changes, folded], of, keys, "IS DISTINCT FROM", " FOR SHARE", "")
                for line in _postgres(name, *change)
            ),
        ],
    }


def folded_table(name: LiteralString) -> LiteralString:
    """The table of the counts on PostgreSQL."""
    return f"{name}_folded"


def changes_table(name: LiteralString) -> LiteralString:
    """The table of what was not added to them yet."""
    return f"{name}_changes"


def _key(name: str, listed: str) -> str:
    return f"CONSTRAINT pk_{name} PRIMARY KEY ({listed})"


def _postgres(name: str, verb: str, when: str, condition: str, statements: list[str]) -> list[str]:
    body = f"BEGIN {'; '.join(statements)}; RETURN {'OLD' if when.startswith('BEFORE') else 'NULL'}; END"
    return [
        f"CREATE FUNCTION {name}_{verb}() RETURNS trigger LANGUAGE plpgsql AS '{body}'",
        f"CREATE TRIGGER {name}_{verb} {when} FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION {name}_{verb}()",
    ]


def _changes(
    tables: Sequence[str], of: Assignments, keys: list[str], differs: str, lock: str, add: str
) -> list[tuple[str, str, str, list[str]]]:
    """Verb, time, condition and statements of each trigger; what changes is written to the first of the tables."""
    columns = keys[1:]
    put = f"INSERT INTO {tables[0]} ({', '.join(keys)}, n)"
    alive = f" AND counted.{of.until} IS NULL" if of.until else ""

    def assigned(row: str, step: int, also: str = "") -> str:
        counted = f"FROM {of.rows} counted WHERE counted.id = {row}.{of.to}{alive}{also}"
        return f"{put} SELECT {row}.{of.by}, {_of('counted', columns)}, {step} {counted}{lock}{add}"

    def carried(row: str, step: int) -> str:
        present = f" AND {row}.{of.until} IS NULL" if of.until else ""
        counted = f"FROM {of.table} assigned WHERE assigned.{of.to} = {row}.id{present}"
        return f"{put} SELECT assigned.{of.by}, {_of(row, columns)}, {step} {counted}{add}"

    # What is deleted takes its counts along.
    present = f" AND EXISTS (SELECT 1 FROM {of.owners} owner WHERE owner.id = OLD.{of.by})"
    watched = [*columns, *([of.until] if of.until else [])]
    return [
        ("come", f"AFTER INSERT ON {of.table}", "TRUE", [assigned("NEW", 1)]),
        ("gone", f"AFTER DELETE ON {of.table}", "TRUE", [assigned("OLD", -1, present)]),
        (
            "changed", f"AFTER UPDATE OF {', '.join(watched)} ON {of.rows}",
            f"({_of('OLD', watched)}) {differs} ({_of('NEW', watched)})", [carried("OLD", -1), carried("NEW", 1)],
        ),
        ("removed", f"BEFORE DELETE ON {of.rows}", "TRUE", [carried("OLD", -1)]),
        (
            "emptied", f"AFTER DELETE ON {of.owners}", "TRUE",
            [f"DELETE FROM {each} WHERE {of.by} = OLD.id" for each in tables],
        ),
    ]  # fmt: skip


def _declared(columns: Columns) -> str:
    return ", ".join(f"{column} {declaration}" for column, declaration in columns.items())


def _of(row: str, columns: list[str]) -> str:
    return ", ".join(f"{row}.{column}" for column in columns)
