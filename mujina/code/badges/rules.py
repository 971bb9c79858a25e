"""Who manages badges, which ones a project or group has, and the only way to find one."""

from typing import Annotated, Final

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups.rules import ADD_GROUP_PROJECT
from mujina.workspaces.owners.rules import READ_OWNER, Owner, OwnerRule, find_owner, inherited
from mujina.workspaces.projects.rules import ADMIN_PROJECT, READ_CODE, ProjectRow, find_project_with

ADMIN_BADGES: Final[OwnerRule] = {"project": ADMIN_PROJECT, "group": ADD_GROUP_PROJECT}


class BadgePlace(msgspec.Struct, frozen=True):
    """The project or group that shows badges to an actor."""

    owner: Owner
    project: ProjectRow | None = None
    """None: a group, which has no facts for placeholders."""
    group_name: str | None = None
    """The group of the project."""
    code: bool = False
    """Whether the actor may read the repository."""


class BadgeRow(Row, alias="bd"):
    id: int
    project_id: int | None
    group_id: int | None
    name: str | None
    link_url: str
    image_url: str
    kind: Annotated[str, "CASE WHEN bd.project_id IS NULL THEN 'group' ELSE 'project' END"]
    updated_at: str


async def find_place(tx: Tx, actor: Actor, kind: OwnerKind, ref: Ref, *, to: OwnerRule = READ_OWNER) -> BadgePlace:
    """The project or group, if the actor may do this with its badges."""
    if kind == "group":
        return BadgePlace(await find_owner(tx, actor, kind, ref, to=to))
    project, [name, of], [code] = await find_project_with(tx, actor, ref, "n.name, n.kind", (READ_CODE,), to=to[kind])
    owner = Owner(kind, project.id, project.namespace_id)
    return BadgePlace(owner, project, name if of == "group" else None, code)


def badges_of(owner: Owner) -> Selection:
    """The badges of a group, or those of a project and of the groups above it."""
    if owner.kind == "group":
        return Selection("badges bd", "bd.group_id = :group_id", group_id=owner.id)
    return Selection("badges bd", inherited("bd"), project_id=owner.id, namespace_id=owner.namespace_id)


async def find_badge(tx: Tx, owner: Owner, badge_id: int) -> BadgeRow:
    """The badge that the project or group shows; 404 if it shows none of this id."""
    selection = badges_of(owner).where("bd.id = :id", id=badge_id)
    return await find_row(tx, BadgeRow, selection, "Badge")


async def find_own_badge(tx: Tx, owner: Owner, badge_id: int) -> BadgeRow:
    """The badge, to change it; 403 if it belongs to a group above the project."""
    badge = await find_badge(tx, owner, badge_id)
    if badge.group_id != owner.group_id:
        raise errors.forbidden("To change a badge of a group please use the group endpoint")
    return badge
