"""The functions with which `tables.py` files declare tables. For DDL only: nothing that serves a request imports this."""

from collections.abc import Sequence
from typing import Any, LiteralString

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    event,
)
from sqlalchemy import text as sql
from sqlalchemy.dialects import postgresql, sqlite

from mujina.kernel.db.iids import counter
from mujina.kernel.db.schema import document_triggers
from mujina.kernel.db.schema.copied_columns import copying
from mujina.kernel.db.schema.count_triggers import Counted, CountOwner, count_triggers
from mujina.kernel.db.schema.document_triggers import Part
from mujina.kernel.db.schema.trigrams import WAITING, kept, short, waiting

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

IntegerType = BigInteger().with_variant(Integer(), "sqlite")
BooleanType = Boolean(create_constraint=False).with_variant(Integer(), "sqlite")
TextType = Text().with_variant(Text(collation="C"), "postgresql")
"""Compared byte by byte on both engines, whatever the locale of the server."""


def table(name: str, *parts: Any) -> Table:
    """A table: STRICT and never reusing an id on SQLite."""
    numbered = any(isinstance(part, Column) and part.name == "id" and part.primary_key for part in parts)
    return Table(name, metadata, *parts, sqlite_strict=True, sqlite_autoincrement=numbered)


def link_table(name: str, first: str, second: str, *parts: Any) -> Table:
    """A table of pairs: `link_table("issue_labels", "issue", "label")` has the ids of an issue and a label as its key."""
    return table(name, *(foreign_key(f"{noun}_id", f"{noun}s", key=True) for noun in (first, second)), *parts)


def ordered_link_table(name: str, first: str, second: str) -> Table:
    """A table of pairs that repeats the project and the time of creation of its first row.

    An index leads through the rows of one project that are linked to one thing in the order of their creation.
    """
    copied = [integer("project_id", null=True), text("created_at", null=True)]
    of = metadata.tables[f"{first}s"]
    made = link_table(name, first, second, *copied, index(f"{second}_id", "project_id", "created_at", f"{first}_id"))
    _beside(f"{name}_copied", copying(name, of.name, f"{first}_id", [column.name for column in copied]))
    return made


def primary_key() -> Column[int]:
    """`id`, given by the database, never reused."""
    return Column("id", IntegerType, primary_key=True, autoincrement=True)


def text(name: str, *, default: str | None = None, null: bool = False, key: bool = False) -> Column[str]:
    """Text of any length; times (`…_at`) and dates (`…_on`) are text too."""
    return Column(name, TextType, primary_key=key, nullable=null, server_default=default)


def timestamps() -> tuple[Column[str], Column[str]]:
    """`created_at` and `updated_at`."""
    return text("created_at"), text("updated_at")


def integer(name: str, *, default: int | None = None, null: bool = False, key: bool = False) -> Column[int]:
    return Column(
        name, IntegerType, primary_key=key, nullable=null, autoincrement=False,
        server_default=None if default is None else sql(str(default)),
    )  # fmt: skip


def binary(name: str) -> Column[bytes]:
    """Bytes of any length."""
    return Column(name, LargeBinary, nullable=False)


def boolean(name: str, *, default: bool = False) -> Column[bool]:
    """True or false: boolean on PostgreSQL, 0 or 1 on SQLite; the row struct converts it."""
    return Column(name, BooleanType, nullable=False, server_default=sql("TRUE" if default else "FALSE"))


def foreign_key(
    name: str, target: str, *, null: bool = False, key: bool = False, on_delete: str = "CASCADE"
) -> Column[int]:
    """A reference to the table `target`: deleting that row deletes this one (`on_delete="SET NULL"`: clears the column)."""
    return Column(name, IntegerType, ForeignKey(f"{target}.id", ondelete=on_delete), primary_key=key, nullable=null)


def index(*columns: str, unique: bool = False, where: str | None = None, name: str | None = None) -> Index:
    conditions: dict[str, Any] = {} if where is None else {"sqlite_where": sql(where), "postgresql_where": sql(where)}
    return Index(name, *columns, unique=unique, **conditions)


def search_index(name: str, of: str, *parts: Any, texts: Sequence[LiteralString], unless: str) -> Table:
    """A table of these texts of the rows of `of`, with the columns of `parts`, by the same ids.

    Rows that match `unless` are left out.
    Triggers keep it up to date, and an index of its trigrams covers it; `search.py` queries both.
    """
    beside = [part.name for part in parts if isinstance(part, Column)]
    too_short = index("id", where=short(texts), name=f"ix_{name}_short")
    made = table(name, foreign_key("id", of, key=True), *parts, *(text(column) for column in texts), too_short)
    if WAITING not in metadata.info.get("beside", {}):
        _beside(WAITING, waiting())
    _beside(f"{name}_grams", kept(name, of, texts, beside, unless))
    return made


def kept_count(
    name: str, columns: Sequence[Column[Any]], *counted: Counted, until: str | None = None,
    owners: Sequence[CountOwner] | None = None,
) -> None:  # fmt: skip
    """A table of counts for each combination of values of these columns, kept by triggers.

    Without `counted`, the rows of the columns' table are counted, each until its column `until` is set. Readers sum the
    column `n`: on PostgreSQL a count may have several rows (`count_triggers.py`). Counts are deleted with their owners;
    without `owners`, that is what the first column refers to.
    """
    names = [column.name for column in columns]
    if not counted:
        decisive = [*names, *([until] if until else [])]
        counted = (Counted(
            table=columns[0].table.name, by=lambda row: [f"{row}.{name}" for name in names],
            where=lambda row: _is_kept(str(row), until), on_update=decisive,
        ),)  # fmt: skip
    if owners is None:
        targets = [key.target_fullname.partition(".")[0] for key in columns[0].foreign_keys]
        owners = [CountOwner(target, names[0]) for target in targets]
    on_sqlite, on_postgres = (
        {column.name: f"{column.type.compile(dialect)} NOT NULL" for column in columns}
        for dialect in (sqlite.dialect(), postgresql.dialect())
    )
    _beside(name, count_triggers(name, on_sqlite, on_postgres, counted, owners))


def kept_link_count(
    name: str, link: Column[Any], of: Table, columns: Sequence[str], *, until: str | None = None
) -> None:
    """The counts of rows of `of` by what they are linked to and by these columns of theirs, each until its column `until` is set.

    `link`: the column of a link table, or of `of` itself, that refers to it.
    """
    counted = [link, *(of.c[column] for column in columns)]
    if link.table is of:
        rows = Counted(
            table=of.name,
            by=lambda row: [f"{row}.{column.name}" for column in counted],
            where=lambda row: f"{_is_kept(str(row), until)}{_owner_is_kept(link, str(row))}",
            on_update=[link.name, *columns, *([until] if until else [])],
        )
        kept_count(name, counted, rows)
        return
    links, row_id = link.table.name, f"{of.name.removesuffix('s')}_id"
    kept_count(
        name,
        counted,
        Counted(
            table=links,
            by=lambda row: [f"{row}.{link.name}", *(f"x.{column}" for column in columns)],
            source=lambda _: f"{of.name} x",
            where=lambda row: f"x.id = {row}.{row_id} AND {_is_kept('x', until)}{row.lock('FOR SHARE')}",
        ),
        Counted(
            table=of.name,
            by=lambda row: [f"x.{link.name}", *(f"{row}.{column}" for column in columns)],
            source=lambda _: f"{links} x",
            where=lambda row: f"x.{row_id} = {row}.id AND {_is_kept(str(row), until)}",
            on_insert=False,
            on_update=[*columns, *([until] if until else [])],
        ),
    )


def _owner_is_kept(link: Column[Any], row: str) -> str:
    """PostgreSQL clears the column after the owner is deleted, and its counts with it."""
    [key] = link.foreign_keys
    owner = key.target_fullname.partition(".")[0]
    return f" AND EXISTS (SELECT 1 FROM {owner} o WHERE o.id = {row}.{link.name})" if link.nullable else ""


def _is_kept(row: str, until: str | None) -> str:
    return f"{row}.{until} IS NULL" if until else "TRUE"


def documents(name: str, of: str, *parts: Part) -> None:
    """The stored documents of the rows of `of`, outdated by triggers; `kernel/db/documents.py` reads and writes them.

    `parts`: the rows of other tables that they show as well.
    """
    _beside(name, document_triggers.stored(name, of, parts))


def document_epochs() -> None:
    """How often something changed that the documents of a project show, or all documents."""
    _beside(document_triggers.GENERATIONS, document_triggers.generations())


def shown_in_documents(table: str, *columns: str, project: str | None = None, projects: str | None = None) -> None:
    """Documents show these columns: a change outdates the documents of the row's project, or all documents if it has none.

    `projects`: a statement for the ids of the projects whose documents show the row `OLD`, if that is not its own.
    """
    name = f"{document_triggers.GENERATIONS}_{table}_{columns[0]}"
    _beside(name, document_triggers.shown(table, columns, project, projects))


def iid_counters() -> None:
    """The last number given out to each noun inside each project or group, and the function that gives the next."""
    _beside("iids", counter())


def _beside(name: str, made: dict[str, list[str]]) -> None:
    """A table that triggers keep up to date: created by these statements, invisible to Alembic."""
    metadata.info.setdefault("beside", {})[name] = made
    for dialect, statements in made.items():
        for statement in statements:
            event.listen(metadata, "after_create", DDL(statement).execute_if(dialect=dialect))
