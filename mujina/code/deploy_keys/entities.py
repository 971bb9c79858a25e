"""Deploy keys as they are shown."""

import msgspec

from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page, Paged


class DeployKey(msgspec.Struct):
    id: int
    title: str
    key: str
    created_at: str
    can_push: bool


async def single(tx: Tx, project_id: int, key_id: int) -> DeployKey:
    """One key of a project, just found."""
    found = await tx.rows(
        tuple[int, str, str, str, bool],
        """SELECT k.id, k.title, k.key, k.created_at, d.can_push FROM deploy_keys d JOIN ssh_keys k ON k.id = d.key_id
           WHERE d.project_id = :project_id AND k.id = :key_id""",
        project_id=project_id, key_id=key_id,
    )  # fmt: skip
    return DeployKey(*found[0])


async def of_project(tx: Tx, project_id: int, page: Page) -> Paged:
    """One page of a project's keys, in the order in which they came."""
    chosen = Selection(
        "deploy_keys d JOIN ssh_keys k ON k.id = d.key_id", "d.project_id = :project_id", project_id=project_id
    )
    return await _listed(tx, chosen, page)


async def of_all(tx: Tx, page: Page) -> Paged:
    """One page of every key that opens a project; it may push if it may somewhere."""
    chosen = Selection(
        """(SELECT deploy.key_id, max(CASE WHEN deploy.can_push THEN 1 ELSE 0 END) = 1 AS can_push
            FROM deploy_keys deploy JOIN projects p ON p.id = deploy.project_id AND p.deleted_at IS NULL
            GROUP BY deploy.key_id) d JOIN ssh_keys k ON k.id = d.key_id""",
        "k.user_id IS NULL",
    )
    return await _listed(tx, chosen, page)


async def _listed(tx: Tx, chosen: Selection, page: Page) -> Paged:
    rows = await tx.rows(
        tuple[int, str, str, str, bool],
        f"""SELECT k.id, k.title, k.key, k.created_at, d.can_push {chosen.text}
            ORDER BY k.id LIMIT :limit OFFSET :offset""",
        **chosen.bound,
        **page.bound,
    )
    return page.of([DeployKey(*row) for row in rows], await chosen.total(tx))
