"""The rules of groups, and the only way to load one."""

from functools import cache
from typing import Annotated, Any, LiteralString

import msgspec

from mujina.accounts.paths.rules import lock_trees
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import Visibility
from mujina.kernel.permissions.rules import REQUESTED, Condition, Rule, admin, external, signed_in
from mujina.workspaces.members.access import (
    GROUP_LEVEL,
    above_membership,
    group_developer,
    group_guest,
    group_master,
    group_owner,
    group_reporter,
)

public_group = Condition("public_group", "(g.visibility = 'public')")
internal_group = Condition("internal_group", "(g.visibility = 'internal')")

group_visible_to_all = public_group | (internal_group & signed_in & ~external)

BELONG_TO_GROUP = group_guest | above_membership
"""A member of the group, of a group above it, or of a group or project inside it."""
READ_GROUP = group_visible_to_all | BELONG_TO_GROUP | admin
ADMIN_GROUP_LABEL = group_reporter | admin
ADMIN_GROUP_MILESTONE = group_developer | admin
ADD_GROUP_PROJECT = group_master | admin
"""Create a project in the group, or move one into it."""
ADMIN_GROUP = group_owner | admin
"""Settings, members, subgroups; removal."""

GROUP_AT: LiteralString = f"""g AS MATERIALIZED (
    SELECT g.*, n.parent_id, n.name, n.path, n.full_name, n.updated_at, {GROUP_LEVEL} AS level
    FROM groups g JOIN namespaces n ON n.id = g.id
    WHERE g.id = coalesce(CAST(:ref_id AS bigint), (SELECT r.namespace_id FROM routes r WHERE r.path_folded = :ref_path))
    AND n.deleted_at IS NULL)"""
"""The group a client names, with the actor's level in it: rules read `g.level` and run once for one row."""


class GroupRow(Row, alias="g"):
    """The columns of a group that operations need."""

    id: int
    parent_id: int | None
    name: str
    path: str
    full_path: Annotated[str, "r.path"]
    description: str
    visibility: Visibility
    lfs_enabled: bool
    request_access_enabled: bool
    membership_lock: bool
    share_with_group_lock: bool
    shared_runners_minutes_limit: int | None
    updated_at: str
    managed: Annotated[bool, ADD_GROUP_PROJECT]
    owned: Annotated[bool, ADMIN_GROUP]
    member: Annotated[bool, group_guest]
    """Whether the actor is a member of it or of a group above."""
    readable: Annotated[bool, READ_GROUP]
    allowed: Annotated[bool, REQUESTED]


async def find_group(tx: Tx, actor: Actor, ref: Ref, *, to: Rule = READ_GROUP, lock: bool = False) -> GroupRow:
    """The group, if the actor may do this with it: 404 if they may not even read it, 403 if they may.

    With `lock` its tree is locked before the group is read, and stays locked until the transaction ends.
    """
    if lock:
        await lock_trees(tx, ref)
    group = await tx.row(
        GroupRow,
        f"WITH {GROUP_AT} SELECT {_columns_for(to)} FROM g JOIN routes r ON r.namespace_id = g.id",
        **ref.bound,
        **actor.bound,
    )
    if group is None or not group.readable:
        raise errors.not_found("Group")
    if not group.allowed:
        raise errors.forbidden()
    return group


async def find_group_with(
    tx: Tx, actor: Actor, ref: Ref, columns: LiteralString, rights: tuple[Rule, ...], *, to: Rule
) -> tuple[GroupRow, list[Any], list[bool]]:
    """Finds a group with further columns of `g` and `r`, and with the answers to further rules."""
    rows = await tx.rows(tuple[Any, ...], _found_with(to, columns, rights), **ref.bound, **actor.bound)
    width = len(GroupRow.__struct_fields__)
    group = msgspec.convert(rows[0][:width], GroupRow, strict=False) if rows else None
    if group is None or not group.readable:
        raise errors.not_found("Group")
    if not group.allowed:
        raise errors.forbidden()
    further = rows[0][width:]
    count = len(further) - len(rights)
    return group, list(further[:count]), [bool(right) for right in further[count:]]


@cache
def _found_with(to: Rule, columns: LiteralString, rights: tuple[Rule, ...]) -> LiteralString:
    answers = "".join(f", {right.for_row}" for right in rights)
    return f"""
        WITH {GROUP_AT} SELECT {_columns_for(to)}, {columns}{answers}
        FROM g JOIN routes r ON r.namespace_id = g.id
    """


@cache
def _columns_for(to: Rule) -> LiteralString:
    return GroupRow.columns_assuming({REQUESTED: to})
