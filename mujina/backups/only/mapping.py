"""Turns the rows of a project or a group in a set into rows of this instance: new ids, the people who are here."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Any, LiteralString, cast

import apsw

from mujina.accounts.users.removing.ghost import ghost
from mujina.backups.only.adjustments import ADJUSTMENTS, Reencryption
from mujina.backups.only.keys import file_columns, new_key, renewed
from mujina.backups.only.people import BATCH, People
from mujina.backups.only.schema import KIND_COLUMNS, KINDS, OWNED_BY_KIND, SHARED, UNIQUE, ForeignKey, TableShape
from mujina.backups.rows import sqlite_rows
from mujina.kernel.db.rows import insert_text
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import Vault

Row = dict[str, Any]


class RowMapping:
    """Inserts tables in their order, and remembers the new id of each row."""

    def __init__(
        self, tx: Tx, rows: apsw.Connection, *, people: People, vault: Vault, secrets: Reencryption, token: str
    ) -> None:
        self._tx, self._rows, self._people, self._vault, self._secrets = tx, rows, people, vault, secrets
        self._token = token
        self._ghost_id: int | None = None
        """The author of what people wrote who are not here."""
        self.ids: dict[str, dict[int, int]] = {"users": people.here}
        """New ids by those of the set: of rows that are restored, and of rows here that they refer to."""
        self.inserted = Counter[str]()
        """Rows that were inserted, by table."""
        self.left_out = Counter[str]()
        """Rows that refer to something that is not here, by table."""
        self.missing_people = set[int]()
        self.shared = dict[str, list[int]]()
        """Ids of rows that projects share and that were added."""
        self._file_columns = {each.table: each.column for each in file_columns(tx.product)}
        self._booleans = set[tuple[str, str]]()
        rows.execute("CREATE TEMP TABLE owned (name TEXT, id INTEGER, PRIMARY KEY (name, id)) WITHOUT ROWID")

    async def start(self, roots: Mapping[str, Mapping[int, int]]) -> None:
        """Map the rows to be restored to their new ids."""
        for name, ids in roots.items():
            self._own(name, ids)
        if len(self._people.here) < len(self._people.names):
            self._ghost_id = await ghost(self._tx)
        if self._tx.engine == "postgres":
            self._booleans = set(
                await self._tx.rows(
                    tuple[str, str],
                    """SELECT c.table_name, c.column_name FROM information_schema.columns c
                       WHERE c.data_type = 'boolean' AND c.table_schema = current_schema()""",
                )
            )

    def refer(self, name: str, ids: Mapping[int, int]) -> None:
        """Map references to rows of the set to existing rows."""
        self.ids.setdefault(name, {}).update(ids)

    def new_ids(self, name: str) -> list[int]:
        """The ids of the rows of the table that were inserted."""
        owned = sqlite_rows(self._rows, "SELECT o.id FROM temp.owned o WHERE o.name = ?", name)
        return [self.ids[name][id] for (id,) in owned] + self.shared.get(name, [])

    async def restore(self, shape: TableShape, changes: Mapping[int, Row] | None = None) -> None:
        """Insert the rows of the table that belong to what is restored; `changes`: values of rows, by their ids in the set."""
        found = _parents_first(shape, list(self._select(shape)))
        if shape.numbered and shape.name not in ("namespaces", "projects"):
            new = await reserve(self._tx, shape.name, len(found))
            self._own(shape.name, {row["id"]: id for row, id in zip(found, new, strict=True)})
        elif shape.key == ["id"] and not shape.numbered:
            self._own(shape.name, {row["id"]: self.ids[shape.references["id"].table][row["id"]] for row in found})
        await self._find_outside(shape, found)
        kept = list[Row]()
        for row in await self._without_taken(shape.name, found):
            old = row.get("id")
            if self._map(shape, row):
                kept.append(row | (changes or {}).get(old or 0, {}))
            else:
                self._disown(shape.name, old)
        self.inserted[shape.name] += len(kept)
        self.left_out[shape.name] += len(found) - len(kept)
        await self.add(shape.name, kept)

    def _own(self, name: str, ids: Mapping[int, int]) -> None:
        self.ids.setdefault(name, {}).update(ids)
        self._rows.executemany("INSERT OR IGNORE INTO temp.owned VALUES (?, ?)", [(name, id) for id in ids])

    def _disown(self, name: str, id: int | None) -> None:
        if id is not None and self.ids.get(name, {}).pop(id, None) is not None:
            self._rows.execute("DELETE FROM temp.owned WHERE name = ? AND id = ?", (name, id))

    def _select(self, shape: TableShape) -> Iterator[Row]:
        """The rows that belong to something that is restored."""
        owned = "IN (SELECT o.id FROM temp.owned o WHERE o.name = '{}')"
        conditions = [
            f"t.{column} {owned.format(key.table)}"
            for column, key in shape.references.items()
            if key.cascades or shape.name == "events"
        ]
        if shape.name in ("namespaces", "projects"):
            conditions = [f"t.id {owned.format(shape.name)}"]
        elif shape.name in OWNED_BY_KIND:
            for (name, column), kind in KIND_COLUMNS.items():
                if name == shape.name and shape.name != "events":
                    cases = " ".join(f"WHEN '{each}' THEN t.{column} {owned.format(of)}" for each, of in KINDS.items())
                    conditions.append(f"CASE t.{kind} {cases} ELSE FALSE END")
        only = {
            "pushes": " AND t.recorded_at IS NOT NULL",  # others were under way
            "events": " AND t.subject_kind IN ('{}')".format("', '".join(KINDS)),
        }.get(shape.name, "")
        order = ", ".join(f"t.{column}" for column in shape.key)
        for values in sqlite_rows(
            self._rows,
            f"SELECT {', '.join(f't.{column}' for column in shape.columns)} FROM {shape.name} t"
            f" WHERE ({' OR '.join(conditions)}){only} ORDER BY {order}",
        ):
            yield dict(zip(shape.columns, values, strict=True))

    async def _find_outside(self, shape: TableShape, found: Sequence[Row]) -> None:
        """Look for the rows here that these refer to and that are not restored themselves."""
        for column, key in shape.references.items():
            known = self.ids.setdefault(key.table, {})
            ids = sorted({row[column] for row in found if row[column] is not None} - known.keys())
            if key.table == "users" or not ids:
                continue
            for start in range(0, len(ids), BATCH):
                batch = ids[start : start + BATCH]
                if key.table in SHARED:
                    known.update(await self._share(key.table, SHARED[key.table], batch))
                else:
                    known.update(await self._same(key.table, batch))

    async def _same(self, name: str, ids: list[int]) -> dict[int, int]:
        """Rows that this instance has: they have the same id and time of creation."""
        name = "namespaces" if name == "groups" else name
        query = f"SELECT t.id, t.created_at FROM {name} t WHERE t.id IN "
        here = set(await self._tx.rows(tuple[int, str], cast("LiteralString", f"{query}:ids"), ids=ids))
        there = sqlite_rows(self._rows, f"{query}({', '.join(map(str, ids))})")
        return {id: id for id, created_at in there if (id, created_at) in here}

    async def _share(self, name: str, column: str, ids: list[int]) -> dict[int, int]:
        """Rows that are shared by their value: those here, and others that are added."""
        there = [
            dict(zip(self._columns(name), values, strict=True))
            for values in sqlite_rows(self._rows, f"SELECT * FROM {name} WHERE id IN ({', '.join(map(str, ids))})")
        ]
        query = cast("LiteralString", f"SELECT t.{column}, t.id FROM {name} t WHERE t.{column} IN :values")
        here = dict(await self._tx.rows(tuple[str, int], query, values=[row[column] for row in there]))
        added = [row for row in there if row[column] not in here and row.get("user_id") is None]
        mapped = {row["id"]: here[row[column]] for row in there if row[column] in here}
        for row, new in zip(added, await reserve(self._tx, name, len(added)), strict=True):
            mapped[row["id"]] = row["id"] = new
            self.shared.setdefault(name, []).append(new)
        await self.add(name, added)
        return mapped

    def _columns(self, name: str) -> list[str]:
        return [
            column for (column,) in sqlite_rows(self._rows, "SELECT name FROM pragma_table_info(?) ORDER BY cid", name)
        ]

    async def _without_taken(self, name: str, found: Sequence[Row]) -> Sequence[Row]:
        column = UNIQUE.get(name)
        if column is None or not found:
            return found
        query = cast("LiteralString", f"SELECT t.{column} FROM {name} t WHERE t.{column} IN :values")
        taken = set(await self._tx.values(query, values=[row[column] for row in found]))
        return [row for row in found if row[column] not in taken]

    def _map(self, shape: TableShape, row: Row) -> bool:
        """Give the row the ids of this instance; False if it needs something that is not here."""
        for column, key in shape.references.items():
            if row[column] is not None and not self._map_reference(shape, row, column, key):
                return False
        for (name, column), kind in KIND_COLUMNS.items():
            if name == shape.name and row[kind] is not None:
                row[column] = self.ids.get(KINDS.get(row[kind], ""), {}).get(row[column])
                if row[column] is None and column not in shape.nullable:
                    return False
                row[kind] = row[kind] if row[column] is not None else None
        if shape.numbered:
            row["id"] = self.ids[shape.name][row["id"]]
        if "discussion_id" in row and row["discussion_id"] is not None:
            row["discussion_id"] = renewed(self._token, row["discussion_id"])[:40]
        if (column := self._file_columns.get(shape.name)) and row[column]:
            row[column] = new_key(self._token, shape.name, row[column])
        self._secrets.apply(row)
        if (adjust := ADJUSTMENTS.get(shape.name)) is not None:
            adjust(row, self._vault)
        return True

    def _map_reference(self, shape: TableShape, row: Row, column: str, key: ForeignKey) -> bool:
        new = self.ids[key.table].get(row[column])
        if new is None and key.table == "users":
            self.missing_people.add(row[column])
            if column == "author_id" and (column not in shape.nullable or shape.name == "events"):
                new = self._ghost_id if shape.name != "draft_notes" else None
        row[column] = new
        return new is not None or column in shape.nullable

    async def add(self, name: str, rows: Sequence[Row]) -> None:
        """Insert these rows, whose booleans may be numbers."""
        for row in rows if self._booleans else ():
            for column, value in row.items():
                if value is not None and (name, column) in self._booleans:
                    row[column] = bool(value)
        if rows:
            await self._tx.run_each(insert_text(cast("LiteralString", name), tuple(rows[0])), rows)


def _parents_first(shape: TableShape, found: list[Row]) -> list[Row]:
    """The rows, each after those of the table that it refers to."""
    columns = [column for column, key in shape.references.items() if key.table == shape.name]
    if not columns:
        return found
    rows = {row["id"]: row for row in found}
    before = {id: {row[column] for column in columns} & rows.keys() - {id} for id, row in rows.items()}
    return [rows[id] for id in TopologicalSorter(before).static_order()]


async def reserve(tx: Tx, name: str, count: int) -> list[int]:
    """Ids that the table gives to nothing else."""
    if not count:
        return []
    if tx.engine == "postgres":
        query = f"SELECT nextval(pg_get_serial_sequence('{name}', 'id')) FROM generate_series(1, {count})"
        return await tx.values(cast("LiteralString", query))
    last: int = await tx.value("SELECT coalesce(max(s.seq), 0) FROM sqlite_sequence s WHERE s.name = :name", name=name)
    if not await tx.run("UPDATE sqlite_sequence SET seq = :seq WHERE name = :name", seq=last + count, name=name):
        await tx.run("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)", seq=last + count, name=name)
    return list(range(last + 1, last + count + 1))
