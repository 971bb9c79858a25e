"""The project or group to which labels, milestones and boards belong, found by the rule of its kind."""

from typing import Final, Literal

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.owners import Owner
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule
from mujina.workspaces.groups.rules import READ_GROUP, find_group
from mujina.workspaces.projects.rules import READ_PROJECT, find_project

OwnerKind = Literal["project", "group"]
OwnerRule = dict[OwnerKind, Rule]
"""The rule for a project and the rule for a group."""

READ_OWNER: Final[OwnerRule] = {"project": READ_PROJECT, "group": READ_GROUP}


def owner_paths(suffix: str) -> dict[str, str]:
    """The paths with this suffix below a project and below a group, as the decorators of routes take them."""
    return {"project": f"/projects/:id{suffix}", "group": f"/groups/:id{suffix}"}


async def find_owner(tx: Tx, actor: Actor, kind: OwnerKind, ref: Ref, *, to: OwnerRule = READ_OWNER) -> Owner:
    """The project or group, if the actor may do this with it."""
    if kind == "group":
        group = await find_group(tx, actor, ref, to=to[kind])
        return Owner(kind, group.id, group.id)
    project = await find_project(tx, actor, ref, to=to[kind])
    return Owner(kind, project.id, project.namespace_id)
