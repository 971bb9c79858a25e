"""Milestones of the projects and groups that a user belongs to."""

from typing import Annotated

from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_joined
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import quoted
from mujina.planning.milestones.rules import milestones_within
from mujina.workspaces.groups.rules import BELONG_TO_GROUP
from mujina.workspaces.members.access import guest


class MilestoneLine(Row, alias="ms"):
    """A milestone with the path of its project or group."""

    id: int
    iid: int
    title: str
    state: str
    start_on: str | None
    due_on: str | None
    of_group: Annotated[bool, "ms.group_id IS NOT NULL"]
    path: Annotated[
        str,
        """coalesce((SELECT r.path FROM routes r WHERE r.project_id = ms.project_id),
            (SELECT r.path FROM routes r WHERE r.namespace_id = ms.group_id), '')""",
    ]

    @property
    def address(self) -> str:
        """The path of its page."""
        owner = f"/groups/{self.path}/-" if self.of_group else f"/{self.path}"
        return quoted(f"{owner}/milestones/{self.iid}")


def of_memberships(actor: Actor, state: str) -> Selection:
    """The milestones of this state in the projects and groups of which the actor is a member."""
    selection = milestones_within(actor, guest, BELONG_TO_GROUP)
    return selection if state == "all" else selection.where("ms.state = :state", state=state)


async def load_page(tx: Tx, selection: Selection, page: Page) -> Paged[MilestoneLine]:
    """One page, the next to be due first, and how many there are."""
    order = ascending("coalesce(ms.due_on, '9999')", "ms.id")
    return await load_joined(tx, MilestoneLine, "milestones ms", "ms.id", selection, order, page)


async def by_id(tx: Tx, ids: list[int]) -> dict[int, MilestoneLine]:
    """The milestones of these ids."""
    rows = await tx.rows(
        MilestoneLine, f"SELECT {MilestoneLine.columns} FROM milestones ms WHERE ms.id IN :ids", ids=ids
    )
    return {row.id: row for row in rows}
