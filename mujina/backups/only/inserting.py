"""Inserts everything about a project or a group in one transaction: its place, its rows, and what tells others of them."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import apsw
import msgspec

from mujina.accounts.paths import operations as paths
from mujina.accounts.paths.rules import lock_trees
from mujina.backups.only.content import place_of
from mujina.backups.only.keys import file_columns
from mujina.backups.only.mapping import Row, RowMapping
from mujina.backups.only.place import Destination, find_destination
from mujina.backups.only.schema import read_shapes
from mujina.backups.rows import sqlite_rows
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.text.folding import fold
from mujina.workspaces.groups import operations as groups

_STARS: Final = "SELECT s.project_id, s.user_id FROM stars s"


class OnlyMark(msgspec.Struct, frozen=True):
    """A restoration that has begun, and the ids that are reserved for it."""

    set: str
    only: str
    place: str
    token: str
    namespaces: dict[int, int]
    projects: dict[int, int]


async def insert_all(tx: Tx, rows: apsw.Connection, mark: OnlyMark, mapping: RowMapping, data: Path) -> None:
    """Insert the rows of the set at the place that the mark names, which must be free."""
    above = mark.place.rpartition("/")[0]
    if above:
        await lock_trees(tx, Ref(above))
    where = await find_destination(tx, rows, mark.only, mark.place, is_group=bool(mark.namespaces))
    changes = {"namespaces": _namespaces(rows, mark, where), "projects": _projects(rows, mark, where, mapping, data)}
    if where.parent_id is not None and not mark.namespaces:
        mapping.refer("namespaces", {row["namespace_id"]: where.parent_id for row in _roots(rows, mark)})
    await mapping.start({"namespaces": mark.namespaces, "projects": mark.projects})
    for shape in read_shapes(rows).values():
        await mapping.restore(shape, changes.get(shape.name))
        if shape.name == "groups":
            await _claim_groups(tx, rows, mark, where)
        elif shape.name == "projects":
            await _claim_projects(tx, rows, mark, where)
    await _log_for_secondaries(tx, mark, mapping)
    await _record(tx, mark)


def _roots(rows: apsw.Connection, mark: OnlyMark) -> list[Row]:
    listed = ", ".join(map(str, mark.projects))
    found = sqlite_rows(
        rows, f"SELECT p.id, p.namespace_id, p.repository_storage FROM projects p WHERE p.id IN ({listed})"
    )
    return [{"id": id, "namespace_id": namespace_id, "storage": storage} for id, namespace_id, storage in found]


def _namespaces(rows: apsw.Connection, mark: OnlyMark, where: Destination) -> dict[int, Row]:
    """The path and the name of the group at its new place, and the full names of those below it."""
    if not mark.namespaces:
        return {}
    listed = ", ".join(map(str, mark.namespaces))
    full_names = dict(sqlite_rows(rows, f"SELECT n.id, n.full_name FROM namespaces n WHERE n.id IN ({listed})"))
    root = next(iter(mark.namespaces))
    full_name = f"{where.parent_name} / {where.name}" if where.parent_name else where.name
    changes = {id: {"full_name": full_name + old.removeprefix(full_names[root])} for id, old in full_names.items()}
    changes[root] |= {"parent_id": where.parent_id, **_named(where)}
    return changes


def _projects(
    rows: apsw.Connection, mark: OnlyMark, where: Destination, mapping: RowMapping, data: Path
) -> dict[int, Row]:
    """The storage of each project here, the stars of those who are here, and the path and the name of a single one."""
    stars = Counter(project for project, user in sqlite_rows(rows, _STARS) if user in mapping.ids["users"])
    changes: dict[int, Row] = {
        row["id"]: {"repository_storage": place_of(data, row["storage"]), "star_count": stars[row["id"]]}
        for row in _roots(rows, mark)
    }
    if not mark.namespaces:
        changes = {id: each | _named(where) for id, each in changes.items()}
    return changes


def _named(where: Destination) -> Row:
    return {"path": where.path, "path_folded": fold(where.path), "name": where.name, "name_folded": fold(where.name)}


async def _claim_groups(tx: Tx, rows: apsw.Connection, mark: OnlyMark, where: Destination) -> None:
    """The groups have their paths and their places in the tree, the upper ones first."""
    for id, path in sorted(_paths(rows, "namespace_id", mark.namespaces).items(), key=lambda item: item[1].count("/")):
        new = mark.namespaces[id]
        await paths.claim_for_namespace(tx, new, _moved(path, mark, where))
        parent_id = await tx.value("SELECT n.parent_id FROM namespaces n WHERE n.id = :id", id=new)
        await groups.insert_into_tree(tx, new, parent_id)


async def _claim_projects(tx: Tx, rows: apsw.Connection, mark: OnlyMark, where: Destination) -> None:
    for id, path in _paths(rows, "project_id", mark.projects).items():
        await paths.claim_for_project(tx, mark.projects[id], _moved(path, mark, where))


def _paths(rows: apsw.Connection, column: str, ids: Mapping[int, int]) -> dict[int, str]:
    listed = ", ".join(map(str, ids))
    return dict(sqlite_rows(rows, f"SELECT r.{column}, r.path FROM routes r WHERE r.{column} IN ({listed})"))


def _moved(path: str, mark: OnlyMark, where: Destination) -> str:
    return where.full_path + path[len(mark.only) :]


async def _log_for_secondaries(tx: Tx, mark: OnlyMark, mapping: RowMapping) -> None:
    """Secondaries copy the repositories and files."""
    if await tx.value("SELECT 1 FROM replication_nodes node WHERE NOT node.is_primary LIMIT 1") is None:
        return
    logged = [(kind, id) for kind in ("repository_created", "wiki_updated") for id in mark.projects.values()]
    for each in file_columns(tx.product):
        logged += [(each.kind, id) for id in mapping.new_ids(each.table)]
    now = clock.now()
    await mapping.add("replication_log", [{"kind": kind, "object_id": id, "created_at": now} for kind, id in logged])


async def _record(tx: Tx, mark: OnlyMark) -> None:
    """The newest event is of now, as the clock demands after a restart, though those of the set are older."""
    changes = {"path": (None, mark.place), "set": mark.set}
    for id in mark.projects.values():
        await record(tx, "project.restored", SYSTEM, subject_id=id, project_id=id, changes=changes)
    for id in mark.namespaces.values():
        await record(tx, "group.restored", SYSTEM, subject_id=id, group_id=id, changes=changes)
