"""Where a project or a group is restored to."""

from typing import Any, NamedTuple

import apsw

from mujina.accounts.paths import operations as paths
from mujina.backups.errors import BackupError
from mujina.backups.rows import sqlite_rows
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.text.folding import fold


class Destination(NamedTuple):
    """The namespace that it is restored into, and its path and name there."""

    parent_id: int | None
    full_path: str
    name: str
    parent_name: str
    """The full name of the namespace; empty at the top level."""

    @property
    def path(self) -> str:
        return self.full_path.rpartition("/")[2]


async def find_destination(tx: Tx, rows: apsw.Connection, only: str, place: str, *, is_group: bool) -> Destination:
    """The place, which must be free; `BackupError` says what to do if it is not."""
    above, _, path = place.rpartition("/")
    if await paths.taken(tx, place):
        raise BackupError(
            f"{place} exists here: give another path with --as, such as --as {await _free(tx, place)}, or remove or move "
            "what is there."
        )
    parent: Any = await tx.row(
        tuple[int, str, str, str],
        """SELECT n.id, n.kind, r.path, n.full_name FROM namespaces n JOIN routes r ON r.namespace_id = n.id
           WHERE r.path_folded = :path""",
        path=fold(above),
    )
    if parent is None and (above or not is_group):
        advice = f", or restore the whole group with --only {only.rpartition('/')[0]}" if "/" in only else ""
        missing = f"There is no group or user {above} here" if above else "A project is in a group or belongs to a user"
        raise BackupError(f"{missing}: give a place that exists with --as{advice}.")
    if parent is not None and is_group and parent[1] != "group":
        raise BackupError(f"{above} is a user, who has no groups: give another place with --as.")
    problems = Problems()
    await paths.check_path(tx, problems, "path", path, above or None)
    if problems:
        raise BackupError(f"{path} cannot be a path here: it is reserved, or it {paths.PATH_RULE}")
    parent_id = parent[0] if parent else None
    name = await _find_name(tx, _name_in_set(rows, only, is_group=is_group), path, parent_id, is_group=is_group)
    return Destination(parent_id, f"{parent[2]}/{path}" if parent else path, name, parent[3] if parent else "")


async def _free(tx: Tx, place: str) -> str:
    number, free = 1, f"{place}-restored"
    while await paths.taken(tx, free):
        number += 1
        free = f"{place}-restored-{number}"
    return free


def _name_in_set(rows: apsw.Connection, only: str, *, is_group: bool) -> str:
    table, column = ("namespaces", "namespace_id") if is_group else ("projects", "project_id")
    query = f"SELECT t.name FROM {table} t JOIN routes r ON r.{column} = t.id WHERE r.path_folded = ?"
    return sqlite_rows(rows, query, fold(only))[0][0]


async def _find_name(tx: Tx, name: str, path: str, parent_id: int | None, *, is_group: bool) -> str:
    """The name, or the path if another one has the name."""
    for candidate in (name, path):
        taken = await tx.value(
            """SELECT 1 FROM namespaces n WHERE n.deleted_at IS NULL AND n.name = :name AND n.kind = 'group'
               AND coalesce(n.parent_id, 0) = :parent_id"""
            if is_group
            else "SELECT 1 FROM projects p WHERE p.deleted_at IS NULL AND p.name = :name AND p.namespace_id = :parent_id",
            name=candidate,
            parent_id=parent_id or 0,
        )
        if taken is None:
            return candidate
    raise BackupError(f"Something else there has the name {name}, or {path}: give another path with --as.")
