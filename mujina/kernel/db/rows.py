"""Rows: each column is declared once, with its SQL; the SELECT list and the UPDATE are made from names, never by position.

    class IssueRow(Row, alias="i"):
        id: int                                   # i.id
        full_path: Annotated[str, "r.path"]       # any other expression
        triager: Annotated[bool, TRIAGE_ISSUE]    # a rule: whether the actor may
        author: RefRow                            # a part: the columns of another row, joined under its own alias
        milestone: MilestoneRow | None            # one that may be missing: None if its first column is NULL

    rows = await tx.rows(IssueRow, f"SELECT {IssueRow.columns} FROM issues i JOIN routes r ON …")

A field without SQL of its own is the column of its name. `Row, alias="i", of=Issue` adds every column of that entity; only
those that code reads from the row are declared again. With `own=True` it adds only columns of the table itself, under the
names of the fields: what an edit compares.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from types import GenericAlias
from typing import Annotated, Any, LiteralString, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec

from mujina.kernel import clock, errors
from mujina.kernel.db.entities import columns_of
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Shape, Tx, Value
from mujina.kernel.permissions.rules import Facts, Rule


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
        of: type[msgspec.Struct] | None = None,
        own: bool = False,
        **options: Any,
    ) -> Any:
        if of is not None:
            known = {name for base in bases for name in getattr(base, "__struct_fields__", ())}
            added = {
                name: hint
                for name, hint in cast("dict[LiteralString, Any]", columns_of(of)).items()
                if name not in known and (not own or _own_column(alias, name, hint))
            }
            namespace["__annotations__"] = added | namespace.get("__annotations__", {})
        row = super().__new__(mcls, name, bases, namespace, array_like=True, frozen=True, **options)
        inherited: tuple[LiteralString, ...] = tuple(base.alias for base in bases if isinstance(base, _RowMeta))
        row.alias = alias or (inherited[0] if inherited else "")
        return row

    @property
    def columns(self) -> LiteralString:
        """The SELECT list: one expression for each field, in the order of the fields."""
        return _columns(self)

    @property
    def own_columns(self) -> dict[str, LiteralString]:
        """The fields that are columns of its own table, and the names of these columns."""
        return _own_columns(self)

    def columns_assuming(self, facts: Facts) -> LiteralString:
        """The SELECT list, with what is known folded out of the rules among the columns."""
        return ", ".join(
            _sql(column.assuming(facts) if isinstance(column, Rule) else column) for column in _declared(self)
        )


class Row(msgspec.Struct, metaclass=_RowMeta):
    """A row as a statement returns it: immutable, its fields in the order of the SELECT list."""


AnyRow = TypeVar("AnyRow", bound=Row)


@cache
def _columns(row: _RowMeta) -> LiteralString:
    return ", ".join(_sql(column) for column in _declared(row))


@cache
def _declared(row: _RowMeta) -> tuple[LiteralString | Rule, ...]:
    declared: list[LiteralString | Rule] = []
    for name, hint in _fields(row):
        part, _ = _part(hint)
        declared += (_declaration(row.alias, name, hint),) if part is None else _declared(part)
    return tuple(declared)


def _fields(row: _RowMeta) -> list[tuple[LiteralString, Any]]:
    hints = get_type_hints(row, include_extras=True)
    return [(name, hints[name]) for name in cast("tuple[LiteralString, ...]", cast("Any", row).__struct_fields__)]


def _part(hint: Any) -> tuple[_RowMeta | None, bool]:
    """The row that a field holds, and whether it may be missing; None for a column, as one with SQL of its own is."""
    if get_origin(hint) is Annotated:
        return None, False
    found = [each for each in (hint, *get_args(hint)) if isinstance(each, _RowMeta)]
    return (found[0], found[0] is not hint) if found else (None, False)


@cache
def _own_columns(row: _RowMeta) -> dict[str, LiteralString]:
    columns = {name: _own_column(row.alias, name, hint) for name, hint in _fields(row) if _part(hint)[0] is None}
    return cast("dict[str, LiteralString]", {name: column for name, column in columns.items() if column})


def _own_column(alias: LiteralString, name: LiteralString, hint: Any) -> LiteralString | None:
    """The column of the table itself that the field is; None for any other expression."""
    sql = _declaration(alias, name, hint)
    column = sql.removeprefix(f"{alias}.") if isinstance(sql, str) else ""
    return cast("LiteralString", column) if column.isidentifier() else None


@cache
def _fields_by_column(row: _RowMeta) -> dict[str, str]:
    return {column: name for name, column in _own_columns(row).items()}


class _Part(NamedTuple):
    """Where the columns of a part are in the SELECT list."""

    start: int
    end: int
    optional: bool
    parts: "tuple[_Part, ...]"
    """Its own parts, whose places are counted from its start."""


def _width(row: _RowMeta) -> int:
    parts = [part for _, hint in _fields(row) if (part := _part(hint)[0])]
    return len(_fields(row)) - len(parts) + sum(_width(part) for part in parts)


@cache
def _parts(row: type) -> tuple[_Part, ...]:
    if not isinstance(row, _RowMeta):
        return ()
    parts: list[_Part] = []
    start = 0
    for _, hint in _fields(row):
        part, optional = _part(hint)
        end = start + (1 if part is None else _width(part))
        if part is not None:
            parts.append(_Part(start, end, optional, _parts(part)))
        start = end
    return tuple(parts)


def read_row(shape: type[Shape], values: Sequence[Any]) -> Shape:
    """The values of a SELECT list as this shape: a row, or a tuple type."""
    parts = _parts(shape)
    return msgspec.convert(_nested(parts, values) if parts else values, shape, strict=False)


def read_rows(shape: type[Shape], found: Sequence[Sequence[Any]]) -> list[Shape]:
    """Every row that a statement returned, each as this shape."""
    if parts := _parts(shape):
        found = [_nested(parts, values) for values in found]
    return msgspec.convert(found, _list_of(shape), strict=False)


@cache
def _list_of(shape: type) -> Any:
    return GenericAlias(list, (shape,))


def _nested(parts: tuple[_Part, ...], values: Sequence[Any]) -> list[Any]:
    """The values, those of each of the parts together."""
    gathered: list[Any] = []
    last = 0
    for start, end, optional, inner in parts:
        gathered += values[last:start]
        own = None if optional and values[start] is None else values[start:end]
        gathered.append(_nested(inner, own) if inner and own is not None else own)
        last = end
    gathered += values[last:]
    return gathered


def _declaration(alias: LiteralString, name: LiteralString, hint: Any) -> LiteralString | Rule:
    if get_origin(hint) is Annotated:
        return cast("LiteralString | Rule", next(part for part in get_args(hint)[1:] if isinstance(part, str | Rule)))
    if not alias:
        raise TypeError(f"{name} declares no SQL, and the row has no alias")
    return f"{alias}.{name}"


def _sql(column: LiteralString | Rule) -> LiteralString:
    return column.for_row if isinstance(column, Rule) else column


async def find_row(tx: Tx, row: type[AnyRow], selection: Selection, noun: str, *, lock: LiteralString = "") -> AnyRow:
    """The only row of the selection; 404 if there is none. `noun`: what the error says is missing.

    `lock`: how the row is locked until the transaction ends, as `FOR UPDATE`.
    """
    found = await tx.row(row, f"SELECT {row.columns} {selection.text} {lock}", **selection.bound)
    return errors.or_not_found(found, noun)


def sent_columns(row: type[Row], params: Mapping[str, Any], *, exclude: AbstractSet[str]) -> dict[str, Any]:
    """The values of the parameters, by the columns of the row that have their names.

    `exclude`: the parameters that the operation handles by name, and that are left out. Any other parameter needs a column.
    """
    columns = row.own_columns
    if unknown := params.keys() - columns.keys() - exclude:
        raise TypeError(f"{row.__name__} has no column for {min(unknown)}")
    return {columns[name]: value for name, value in params.items() if name not in exclude}


def changed_columns(before: Row, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Column → (old value, new value), for the columns that the row has and whose values differ."""
    fields = _fields_by_column(type(before))
    return {
        column: (old, value)
        for column, value in columns.items()
        if column in fields and (old := getattr(before, fields[column])) != value
    }


async def insert(tx: Tx, table: LiteralString, conflict: LiteralString = "", /, **columns: Value) -> int:
    """Write a row; columns that are not given get their default. How many rows were written.

    `conflict`: what becomes of a row that exists, as `ON CONFLICT (name) DO NOTHING`.
    """
    return await tx.run(insert_text(table, tuple(columns), conflict=conflict), **columns)


async def insert_id(tx: Tx, table: LiteralString, conflict: LiteralString = "", /, **columns: Value) -> Any:
    """Write a row and return its id; None if nothing was written."""
    return await tx.value(f"{insert_text(table, tuple(columns), conflict=conflict)} RETURNING id", **columns)


async def insert_each(
    tx: Tx, table: LiteralString, rows: Sequence[Mapping[str, Value]], conflict: LiteralString = "", /
) -> None:
    """Write these rows, which have the same columns."""
    if rows:
        await tx.run_each(insert_text(table, tuple(rows[0]), conflict=conflict), rows)


async def upsert(tx: Tx, table: LiteralString, key: LiteralString, /, **columns: Value) -> None:
    """Write a row, over the one with the same values of `key`, such as `project_id, name`, if there is one."""
    others = cast("LiteralString", ", ".join(name for name in columns if name not in key.split(", ")))
    await tx.run(insert_text(table, tuple(columns), conflict=overwriting(key, others)), **columns)


def overwriting(key: LiteralString, columns: LiteralString) -> LiteralString:
    """What becomes of a row with the same values of `key`: it gets these columns of the new one."""
    written = ", ".join(f"{name} = excluded.{name}" for name in columns.split(", "))
    return f"ON CONFLICT ({key}) DO UPDATE SET {written}"


async def insert_numbered(
    tx: Tx, shape: type[Shape], table: LiteralString, columns: Mapping[str, Value], /,
    *, iid: LiteralString, returning: LiteralString, **bound: Value,
) -> Shape:  # fmt: skip
    """Write a row, and return what is `returning` of it. `iid`: the expression, over `bound`, that numbers the row."""
    statement = f"{insert_text(table, tuple(columns), iid)} RETURNING {returning}"
    [inserted] = await tx.rows(shape, statement, **columns, **bound)
    return inserted


def timestamps() -> dict[str, str]:
    """The columns of a row that is written now for the first time."""
    now = clock.now()
    return {"created_at": now, "updated_at": now}


@lru_cache(4096)  # a client decides which of the columns are written together
def insert_text(
    table: LiteralString, columns: tuple[str, ...], iid: LiteralString = "", conflict: LiteralString = ""
) -> LiteralString:
    """`INSERT INTO … (iid, title) VALUES (next_iid(…), :title)`; names are written in our code, never sent by a client."""
    _check_names(columns)
    names = ", ".join(("iid", *columns) if iid else columns)
    values = ", ".join((*((iid,) if iid else ()), *(f":{name}" for name in columns)))
    return cast("LiteralString", f"INSERT INTO {table} ({names}) VALUES ({values}) {conflict}".rstrip())


async def update(tx: Tx, table: LiteralString, columns: Mapping[str, Value], /, **key: Value) -> int:
    """Write these columns of the rows that `key` names, and no other column: two edits at once both stand.

    How many rows it changed. Nothing to write is no statement.
    """
    if not columns:
        return 0
    if taken := columns.keys() & key.keys():
        raise ValueError(f"{min(taken)} is both written and looked up")
    return await tx.run(update_text(table, tuple(columns), tuple(key)), **columns, **key)


async def update_unread(tx: Tx, table: LiteralString, columns: Mapping[str, Value], /, **key: Value) -> None:
    """`update` for callers who need not know how many rows it changed: PostgreSQL gets it together with the next statement."""
    await tx.run_each(update_text(table, tuple(columns), tuple(key)), [{**columns, **key}])


@lru_cache(4096)  # a client decides which of the columns are written together
def update_text(table: LiteralString, columns: tuple[str, ...], key: tuple[str, ...]) -> LiteralString:
    """`UPDATE … SET title = :title WHERE id = :id`; names are written in our code, never sent by a client."""
    _check_names((*columns, *key))
    assignments = ", ".join(f"{name} = :{name}" for name in columns)
    conditions = " AND ".join(f"{name} = :{name}" for name in key)
    return cast("LiteralString", f"UPDATE {table} SET {assignments} WHERE {conditions}")


async def delete_row(tx: Tx, table: LiteralString, noun: str, /, **key: Value) -> None:
    """Delete the row that `key` names; 404 if another request has deleted it since it was found: only one reports it.

    `noun`: what the error says is missing.
    """
    _check_names(tuple(key))
    conditions = " AND ".join(f"{name} = :{name}" for name in key)
    if not await tx.run(cast("LiteralString", f"DELETE FROM {table} WHERE {conditions}"), **key):
        raise errors.not_found(noun)


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if not name.isidentifier():
            raise ValueError(f"{name!r} is not the name of a column")
