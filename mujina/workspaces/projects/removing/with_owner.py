"""Removal of projects together with their group or with the user who owns them."""

from collections.abc import Collection
from typing import Final, LiteralString

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.product import ExtensionPoint
from mujina.kernel.removals import Cleanup, clean_up
from mujina.kernel.services import Services

BATCH = 100

HIDDEN_PROJECTS: Final = ExtensionPoint[Cleanup[Tx, list[int]]]("what hidden projects keep from others")
"""Runs in the transaction of the removal, also of a group or of the owner; the argument is the projects' ids."""

PROJECT_FILES: Final = ExtensionPoint[Cleanup[Services, int]]("files of a project")
"""Runs in a job, outside a transaction."""

PROJECT_ROWS: Final = ExtensionPoint[Cleanup[Tx, int]]("rows of a project")
"""Runs in a job, before the row of the project goes."""


async def remove_below(tx: Tx, group_id: int) -> None:
    """Hide every project in the group and below from every answer; the removal of the group deletes their paths."""
    await _hide(tx, "SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :id", group_id)


async def remove_personal(tx: Tx, user_id: int) -> None:
    """Hide every project in the user's own namespace; the removal of the user deletes their paths."""
    await _hide(tx, "SELECT n.id FROM namespaces n WHERE n.owner_id = :id", user_id)


async def _hide(tx: Tx, namespaces: LiteralString, id: int) -> None:
    hidden = await tx.values(
        f"""UPDATE projects SET deleted_at = :now WHERE deleted_at IS NULL AND namespace_id IN ({namespaces})
            RETURNING id""",
        id=id,
        now=clock.now(),
    )
    await clean_up(tx.product.all(HIDDEN_PROJECTS), tx, hidden)


async def erase_personal_projects(tx: Tx, user_id: int) -> bool:
    """Jobs remove the data of the projects in a deleted user's namespace; False while one of them is still there."""
    namespace_ids: list[int] = await tx.values("SELECT n.id FROM namespaces n WHERE n.owner_id = :id", id=user_id)
    while await announce(tx, namespace_ids):
        pass
    return not await remain(tx, namespace_ids)


async def announce(tx: Tx, namespace_ids: list[int]) -> bool:
    """Record the removal of one more batch of projects of deleted namespaces; False if none is left."""
    projects = await tx.rows(
        tuple[int, int, str],
        """
        SELECT p.id, p.namespace_id, p.path FROM projects p WHERE p.namespace_id IN :namespace_ids AND p.deleted_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM jobs job WHERE job.task = 'projects.remove' AND job.key = CAST(p.id AS text))
        ORDER BY p.id LIMIT :batch
        """,
        namespace_ids=namespace_ids,
        batch=BATCH,
    )
    above = await paths_of(tx, {namespace_id for _, namespace_id, _ in projects})
    for id_, namespace_id, path in projects:
        changes = {"path_with_namespace": (f"{above[namespace_id]}/{path}", None)}
        await record(tx, "project.deleted", SYSTEM, subject_id=id_, project_id=id_, changes=changes)
    return bool(projects)


async def paths_of(tx: Tx, namespace_ids: Collection[int]) -> dict[int, str]:
    """The full paths of deleted namespaces, which have no route any more."""
    rows = await tx.rows(
        tuple[int, str],
        """WITH RECURSIVE above(id, parent_id, path) AS (
               SELECT n.id, n.parent_id, n.path FROM namespaces n WHERE n.id IN :ids
               UNION ALL SELECT above.id, n.parent_id, n.path || '/' || above.path
               FROM above JOIN namespaces n ON n.id = above.parent_id)
           SELECT above.id, above.path FROM above WHERE above.parent_id IS NULL""",
        ids=list(namespace_ids),
    )
    return dict(rows)


async def remain(tx: Tx, namespace_ids: list[int]) -> bool:
    """Whether a project of these namespaces still has data."""
    found = await tx.value("SELECT 1 FROM projects p WHERE p.namespace_id IN :ids LIMIT 1", ids=namespace_ids)
    return found is not None
