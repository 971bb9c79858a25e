"""Stars of projects."""

from typing import Annotated

from mujina.accounts.users.entities import RefRow
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import insert
from mujina.kernel.db.sql.selection import Selection, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor


async def star(tx: Tx, actor: Actor, project_id: int) -> None:
    """Star the project; 304 if the actor has starred it."""
    added = await insert(
        tx, "stars", "ON CONFLICT DO NOTHING", user_id=actor.id, project_id=project_id, created_at=clock.now()
    )
    if not added:
        raise errors.not_modified()
    await tx.run("UPDATE projects SET star_count = star_count + 1 WHERE id = :id", id=project_id)


async def unstar(tx: Tx, actor: Actor, project_id: int) -> None:
    """Remove the star; 304 if there is none."""
    removed = await tx.run(
        "DELETE FROM stars WHERE user_id = :actor AND project_id = :id", actor=actor.id, id=project_id
    )
    if not removed:
        raise errors.not_modified()
    await tx.run("UPDATE projects SET star_count = star_count - 1 WHERE id = :id", id=project_id)


class StarView(RefRow, alias="u"):
    """A user (`u`) who starred a project (`star`)."""

    starred_at: Annotated[str, "star.created_at"]


async def given_to(tx: Tx, project_id: int, page: Page, search: str = "") -> Paged[StarView]:
    """The users who starred the project, the newest star first; `search`: words of their names."""
    selection = Selection("stars star JOIN users u ON u.id = star.user_id", "star.project_id = :id", id=project_id)
    if search:
        selection = selection.matching(search, "u.name_folded", "u.username_folded")
    return await load_rows(tx, StarView, selection, descending("star.created_at", "u.id"), page)


async def delete_all(tx: Tx, user_id: int) -> None:
    """Delete all stars of the user, and update the counts."""
    await tx.run(
        """UPDATE projects SET star_count = star_count - 1
           WHERE id IN (SELECT star.project_id FROM stars star WHERE star.user_id = :user_id)""",
        user_id=user_id,
    )
    await tx.run("DELETE FROM stars WHERE user_id = :user_id", user_id=user_id)
