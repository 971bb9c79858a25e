"""A revision written from the difference between a database and the tables, for both engines at once."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any, Literal

from alembic.autogenerate import produce_migrations, render_python_code
from alembic.autogenerate.api import AutogenContext
from alembic.operations.ops import CreateIndexOp, ModifyTableOps, UpgradeOps
from alembic.runtime.migration import MigrationContext
from sqlalchemy import BigInteger, Boolean, Connection, LargeBinary, MetaData, Text, inspect
from sqlalchemy.types import TypeEngine

WORDS: dict[type[TypeEngine[Any]], str] = {
    BigInteger: "IntegerType",
    Boolean: "BooleanType",
    LargeBinary: "BinaryType",
    Text: "TextType",
}
"""Which word of `kernel/db/schema.py` stands for a type: it knows both engines, where SQLAlchemy's own knows one."""

TEMPLATE = '''"""{title}."""

import sqlalchemy as sa
from alembic import op

from mujina.kernel.db.schema import BinaryType, BooleanType, IntegerType, TextType

revision = {revision!r}
down_revision = {previous!r}


def upgrade() -> None:
{body}
'''


def draft(connection: Connection, tables: MetaData, title: str, revision: str, previous: str | None) -> str | None:
    """The source of the revision that brings a database (seen through `connection`, on SQLite) to `tables`, if needed."""
    kept: dict[str, Any] = tables.info.get("beside", {})
    options = {"compare_server_default": _defaults_differ, "include_name": _without(kept)}
    upgrade = produce_migrations(MigrationContext.configure(connection, opts=options), tables).upgrade_ops
    beside = _beside(connection, kept)
    if (upgrade is None or upgrade.is_empty()) and not beside:
        return None
    assert upgrade is not None
    _put_in_order(upgrade)
    body = render_python_code(upgrade, render_as_batch=True, render_item=_render)
    lines = [line for line in body.splitlines() if not line.strip().startswith("#")] + beside
    return _formatted(TEMPLATE.format(title=title, revision=revision, previous=previous, body="\n".join(lines)))


def _without(kept: dict[str, Any]) -> Callable[[str | None, str, Any], bool]:
    """Indexes of texts look like tables, with tables of their own; Alembic is not to see them, nor kept counts."""
    hidden = tuple(kept)

    def seen(name: str | None, kind: str, _: Any) -> bool:
        return not (kind == "table" and (name or "").startswith(hidden)) if hidden else True

    return seen


def _beside(connection: Connection, kept: dict[str, Any]) -> list[str]:
    """The lines that make those tables kept by triggers, and those triggers, that are not there yet."""
    triggers = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    there = {*inspect(connection).get_table_names(), *triggers.scalars()}
    return [
        line
        for name, statements in kept.items()
        if name not in there
        for line in (
            f"    for statement in {statements!r}[op.get_bind().dialect.name]:",
            "        op.execute(statement)",
        )
    ]


def _defaults_differ(_: Any, __: Any, ___: Any, found: str | None, ____: Any, wanted: str | None) -> bool:
    # One comes with quotes, the other may not; Alembic's own comparison stumbles over the empty text.
    return (found or "").strip("()'") != (wanted or "").strip("()'")


def _put_in_order(upgrade: UpgradeOps) -> None:
    """Indexes come in no order of their own: by name, and last, the same tables always give the same text."""
    for table in upgrade.ops:
        if isinstance(table, ModifyTableOps):
            table.ops.sort(key=lambda op: (op.index_name or "") if isinstance(op, CreateIndexOp) else "")


def _render(kind: str, item: Any, _: AutogenContext) -> str | Literal[False]:
    found = [word for plain, word in WORDS.items() if kind == "type" and isinstance(item, plain)]
    return found[0] if found else False


def _formatted(source: str) -> str:
    for arguments in (["check", "--fix", "--quiet", "--select", "F401,I001"], ["format", "--quiet"]):
        command = [
            sys.executable,
            "-m",
            "ruff",
            *arguments,
            "--stdin-filename",
            "mujina/migrations/versions/draft.py",
            "-",
        ]
        source = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    return source
