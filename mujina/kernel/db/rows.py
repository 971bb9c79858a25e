"""Rows: each column is declared once, with its SQL; the SELECT list and the UPDATE are made from names, never by position.

    class IssueRow(Row, alias="i"):
        id: int                                   # i.id
        full_path: Annotated[str, "r.path"]       # any other expression
        triager: Annotated[bool, TRIAGE_ISSUE]    # a rule: whether the actor may

    rows = await tx.rows(IssueRow, f"SELECT {IssueRow.columns} FROM issues i JOIN routes r ON …")

A field without SQL of its own is the column of its name.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Annotated, Any, LiteralString, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec

from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.rules import Facts, Rule


class _RowMeta(msgspec.StructMeta):
    """Remembers the alias of the table from which columns come that declare nothing else."""

    alias: LiteralString

    def __new__(
        mcls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        alias: LiteralString = "",
        **options: Any,
    ) -> Any:
        row = super().__new__(mcls, name, bases, namespace, array_like=True, frozen=True, **options)
        inherited: tuple[LiteralString, ...] = tuple(base.alias for base in bases if isinstance(base, _RowMeta))
        row.alias = alias or (inherited[0] if inherited else "")
        return row

    @property
    def columns(self) -> LiteralString:
        """The SELECT list: one expression for each field, in the order of the fields."""
        return _columns(self)

    def columns_given(self, facts: Facts) -> LiteralString:
        """The same, with what is known folded out of the rules among the columns."""
        return ", ".join(
            _sql(column.given(facts) if isinstance(column, Rule) else column) for column in _declared(self)
        )


class Row(msgspec.Struct, metaclass=_RowMeta):
    """A row as a statement returns it: immutable, its fields in the order of the SELECT list."""


AnyRow = TypeVar("AnyRow", bound=Row)


@cache
def _columns(row: _RowMeta) -> LiteralString:
    return ", ".join(_sql(column) for column in _declared(row))


@cache
def _declared(row: _RowMeta) -> tuple[LiteralString | Rule, ...]:
    hints = get_type_hints(row, include_extras=True)
    fields = cast("tuple[LiteralString, ...]", cast("Any", row).__struct_fields__)
    return tuple(_declaration(row, name, hints[name]) for name in fields)


def _declaration(row: _RowMeta, name: LiteralString, hint: Any) -> LiteralString | Rule:
    if get_origin(hint) is Annotated:
        return cast("LiteralString | Rule", next(part for part in get_args(hint)[1:] if isinstance(part, str | Rule)))
    if not row.alias:
        raise TypeError(f"{row.__name__}.{name} declares no SQL, and the row has no alias")
    return f"{row.alias}.{name}"


def _sql(column: LiteralString | Rule) -> LiteralString:
    return column.one if isinstance(column, Rule) else column


async def update(tx: Tx, table: LiteralString, columns: Mapping[str, Value], /, **key: Value) -> int:
    """Write these columns of the rows that `key` names, and no other column: two edits at once both stand.

    How many rows it changed. Nothing to write is no statement.
    """
    if not columns:
        return 0
    if taken := columns.keys() & key.keys():
        raise ValueError(f"{min(taken)} is both written and looked up")
    return await tx.run(update_text(table, tuple(columns), tuple(key)), **columns, **key)


@lru_cache(4096)  # a client decides which of the columns are written together
def update_text(table: LiteralString, columns: tuple[str, ...], key: tuple[str, ...]) -> LiteralString:
    """`UPDATE … SET title = :title WHERE id = :id`; names are written in our code, never sent by a client."""
    for name in (*columns, *key):
        if not name.isidentifier():
            raise ValueError(f"{name!r} is not the name of a column")
    assignments = ", ".join(f"{name} = :{name}" for name in columns)
    conditions = " AND ".join(f"{name} = :{name}" for name in key)
    return cast("LiteralString", f"UPDATE {table} SET {assignments} WHERE {conditions}")
