"""Who may do what with a group, and the only way to get one."""

from typing import LiteralString

import msgspec

from mujina.domains.members.access import (
    GROUP_LEVEL,
    above_membership,
    group_developer,
    group_guest,
    group_master,
    group_owner,
    group_reporter,
)
from mujina.kernel import errors
from mujina.kernel.access import Visibility
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import Ref
from mujina.kernel.rules import Condition, Rule, admin, external, signed_in

public_group = Condition("public_group", "(g.visibility = 'public')")
internal_group = Condition("internal_group", "(g.visibility = 'internal')")

group_visible_to_all = public_group | (internal_group & signed_in & ~external)

READ_GROUP = group_visible_to_all | group_guest | above_membership | admin
ADMIN_GROUP_LABEL = group_reporter | admin
ADMIN_GROUP_MILESTONE = group_developer | admin
CREATE_IN_GROUP = group_master | admin
"""Projects."""
ADMIN_GROUP = group_owner | admin
"""Settings, members, subgroups; removal."""

GROUP_AT: LiteralString = f"""g AS MATERIALIZED (
    SELECT g.*, n.name, n.path AS own_path, n.full_name, n.parent_id, n.created_at, n.updated_at, {GROUP_LEVEL} AS level
    FROM groups g JOIN namespaces n ON n.id = g.id
    WHERE g.id = coalesce(CAST(:ref_id AS bigint), (SELECT r.namespace_id FROM routes r WHERE r.path_folded = :ref_path))
    AND n.deleted_at IS NULL)"""
"""The group a client names, with the actor's level in it: rules read `g.level` and run once for one row."""


class GroupRow(msgspec.Struct, array_like=True, frozen=True):
    """What operations need to know of a group they act on."""

    id: int
    name: str
    path: str
    full_path: str
    parent_id: int | None
    visibility: Visibility
    updated_at: str
    level: int
    readable: bool
    allowed: bool


async def find_group(tx: Tx, actor: Actor, ref: Ref, *, to: Rule = READ_GROUP) -> GroupRow:
    """The group, if the actor may do this with it: 404 if they may not even read it, 403 if they may."""
    group = await tx.row(
        GroupRow,
        f"""
        WITH {GROUP_AT}
        SELECT g.id, g.name, g.own_path, r.path, g.parent_id, g.visibility, g.updated_at, g.level,
               {READ_GROUP.one}, {to.one}
        FROM g JOIN routes r ON r.namespace_id = g.id
        """,
        **ref.bound,
        **actor.bound,
    )
    if group is None or not group.readable:
        raise errors.not_found("Group")
    if not group.allowed:
        raise errors.forbidden()
    return group
