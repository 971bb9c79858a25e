"""The files that the rows of projects and groups name."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final, NamedTuple

import apsw

from mujina.backups.rows import sqlite_rows
from mujina.kernel.product import Product
from mujina.planning.storage.files import STORED_FILES, FileKind
from mujina.planning.uploads.rules import key_of

_ROWS: Final = re.compile(r"SELECT (\w+)\.id, \1\.(\w+) AS name FROM (\w+) \1\b")
_LINKS: Final = {
    "lfs_objects": "SELECT l.object_id FROM lfs_links l WHERE l.project_id",
    "topics": "SELECT l.topic_id FROM project_topics l WHERE l.project_id",
}
"""The rows that projects share."""
_KEPT: Final = ("uploads", *_LINKS)
"""Tables whose files keep their names: texts name uploads, and projects share them."""


class FileColumn(NamedTuple):
    """The column of a table that has the keys of files."""

    kind: FileKind
    table: str
    column: str


def file_columns(product: Product) -> Iterator[FileColumn]:
    """All of them, as the chapters declare their files; those of users are not restored."""
    for each in product.all(STORED_FILES):
        found = _ROWS.match(each.rows)
        if found is None:
            raise ValueError(f"The files of {each.kind} are not declared as a table and a column: {each.rows}")
        if found[3] != "users":
            yield FileColumn(each.kind, found[3], found[2])


def find_keys(product: Product, rows: apsw.Connection, spaces: list[int], projects: list[int]) -> dict[str, str]:
    """The keys of the files of these groups and projects, and the table that names each."""
    listed = {"groups": ", ".join(map(str, spaces)), "projects": ", ".join(map(str, projects))}
    keys = dict[str, str]()
    for _, table, column in file_columns(product):
        if table in listed:
            condition = f"t.id IN ({listed[table]})"
        elif table in _LINKS:
            condition = f"t.id IN ({_LINKS[table]} IN ({listed['projects']}))"
        else:
            condition = f"t.project_id IN ({listed['projects']})"
        for (name,) in sqlite_rows(
            rows, f"SELECT t.{column} FROM {table} t WHERE t.{column} IS NOT NULL AND {condition}"
        ):
            keys[key_of(name) if table == "uploads" else name] = table
    return keys


def new_key(token: str, table: str, key: str) -> str:
    """The key of the restored file, the same whenever the restoration is repeated."""
    if table in _KEPT:
        return key
    path = PurePosixPath(key)
    return str(path.with_name(renewed(token, key)[:32] + path.suffix))


def renewed(token: str, name: str) -> str:
    """Another name of hexadecimal digits, the same for one token."""
    return hashlib.sha256(f"{token} {name}".encode()).hexdigest()
