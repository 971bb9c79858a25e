"""Draft the next revision from what changed in the tables: `python -m mujina.migrations.revise add_epics`.

The draft is plain SQL for both engines. Read it: changes of rows are added by hand, and so are triggers whose text changed
and those of a table that SQLite makes anew. A test compares what the revisions make with the tables, on both engines.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from alembic.autogenerate import produce_migrations
from alembic.operations import Operations
from alembic.operations.ops import CreateIndexOp, MigrateOperation, ModifyTableOps
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, MetaData, NullPool, Table, create_engine, event, inspect

from mujina.kernel.db.transaction import Engine
from mujina.migrations.metadata import tables
from mujina.migrations.newest import NEWEST, generate
from mujina.migrations.revisions import VERSIONS, known
from mujina.migrations.upgrade import migrate

LEGACY_ALTER_ON, LEGACY_ALTER_OFF = "PRAGMA legacy_alter_table = ON", "PRAGMA legacy_alter_table = OFF"
"""While a table is made anew, triggers of other tables name one that is not there; SQLite is not to check them."""


def revise(name: str) -> list[Path]:
    """Write the next revision, which brings the newest known schema to the tables; no files if they are the same."""
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/newest.db"
        asyncio.run(migrate(url))
        texts = draft(url, tables())
    revision = f"{int(known()[-1]) + 1:04}"
    paths = [VERSIONS / f"{revision}_{name}.{engine}.sql" for engine in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    NEWEST.write_text(generate())
    return paths


def draft(url: str, wanted: MetaData) -> dict[Engine, str]:
    """The files that bring the SQLite database at `url`, and one like it on PostgreSQL, to the tables; none if they are equal."""
    kept: dict[str, dict[str, list[str]]] = wanted.info.get("beside", {})
    options = {"compare_server_default": _defaults_differ, "include_name": _without(kept)}
    with create_engine(url, poolclass=NullPool).connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        upgrade = produce_migrations(context, wanted).upgrade_ops
        changes = upgrade.ops if upgrade is not None else []
        missing = _missing(connection, kept)
        if not changes and not missing:
            return {}
        sqlite = [LEGACY_ALTER_ON, *_run(context, connection, changes), LEGACY_ALTER_OFF]
    return {
        "sqlite": _text(*sqlite, *(statement for each in missing for statement in each["sqlite"])),
        "postgres": _spelled(changes) + _text(*(statement for each in missing for statement in each["postgresql"])),
    }


def _run(context: MigrationContext, connection: Connection, changes: Sequence[MigrateOperation]) -> list[str]:
    """The statements by which these changes are made through the connection: SQLite makes some tables anew, as they are."""
    done: list[str] = []

    @event.listens_for(connection, "before_cursor_execute")
    def _(_: Any, __: Any, statement: str, *___: Any) -> None:
        if not statement.startswith(("PRAGMA", "SELECT")):
            done.append(statement.strip())

    connection.exec_driver_sql(LEGACY_ALTER_ON)
    _apply(context, changes)
    return done


def _spelled(changes: Sequence[MigrateOperation]) -> str:
    """The statements by which PostgreSQL makes these changes."""
    buffer = StringIO()
    _apply(
        MigrationContext.configure(dialect_name="postgresql", opts={"as_sql": True, "output_buffer": buffer}), changes
    )
    return buffer.getvalue()


def _apply(context: MigrationContext, changes: Sequence[MigrateOperation]) -> None:
    operations = Operations(context)
    for change in changes:
        if isinstance(change, ModifyTableOps):
            with operations.batch_alter_table(change.table_name) as batch:
                for each in sorted(change.ops, key=_index_name):
                    batch.invoke(each)
        else:
            operations.invoke(change)


def _index_name(change: MigrateOperation) -> str:
    """Indexes come in no order of their own: by name, and last, the same tables always give the same text."""
    return (change.index_name or "") if isinstance(change, CreateIndexOp) else ""


def _without(kept: dict[str, Any]) -> Callable[[str | None, str, Any], bool]:
    """Indexes of texts look like tables, with tables of their own; Alembic is not to see them, nor kept counts."""
    hidden = ("schema_revision", *kept)

    def seen(name: str | None, kind: str, _: Any) -> bool:
        return not (kind == "table" and (name or "").startswith(hidden))

    return seen


def _missing(connection: Connection, kept: dict[str, dict[str, list[str]]]) -> list[dict[str, list[str]]]:
    """The statements that make those tables kept by triggers, and those triggers, that are not there yet."""
    triggers = connection.exec_driver_sql("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    there = {*inspect(connection).get_table_names(), *triggers.scalars()}
    return [statements for name, statements in kept.items() if name not in there]


def _defaults_differ(_: Any, __: Any, ___: Any, found: str | None, ____: Any, wanted: str | None) -> bool:
    # One comes with quotes, the other may not; Alembic's own comparison stumbles over the empty text.
    return (found or "").strip("()'") != (wanted or "").strip("()'")


@event.listens_for(Table, "column_reflect")
def _keep_ids_unused(_: Any, table: Table, column: Any) -> None:
    """A table that is made anew keeps its AUTOINCREMENT, which reflection does not see."""
    if column["name"] == "id" and column["primary_key"]:
        table.kwargs["sqlite_autoincrement"] = True


def _text(*statements: str) -> str:
    return "".join(f"{statement};\n\n" for statement in statements)


if __name__ == "__main__":
    sys.stdout.write("\n".join(map(str, revise(sys.argv[1]))) or "The tables have not changed.")
