"""The rules of namespaces, and the only way to load one."""

from typing import Annotated, LiteralString

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import Visibility
from mujina.kernel.permissions.rules import Condition, admin
from mujina.kernel.text.folding import fold
from mujina.workspaces.members.access import group_guest, group_master

own = Condition(
    "own",
    "coalesce(n.owner_id = :actor, FALSE)",
    for_scan="(n.id IN (SELECT o.id FROM namespaces o WHERE o.owner_id = :actor))",
)
of_group = Condition("of_group", "(n.kind = 'group')")
member = Condition("member", group_guest.standalone)
master = Condition("master", group_master.standalone)
direct_member = Condition(
    "direct_member",
    """(n.id IN (SELECT m.source_id FROM members m
        WHERE m.user_id = :actor AND m.source_kind = 'group' AND m.expires_on > :today))""",
)
direct_owner = Condition(
    "direct_owner",
    """(n.id IN (SELECT m.source_id FROM members m
        WHERE m.user_id = :actor AND m.source_kind = 'group' AND m.expires_on > :today AND m.level >= 50))""",
)

READ_NAMESPACE = own | member | admin
LIST_NAMESPACE = own | direct_member | admin
"""Inherited membership does not list a namespace: it would repeat whole trees."""
OWN_NAMESPACE = own | direct_owner
SEE_PLAN = of_group & (master | admin)
"""Permission to see the plan, and how many members the group and its subgroups have."""
CREATE_PROJECT = own | master | admin
MANAGE_NAMESPACE = own | group_master
"""Permission to create projects without being an administrator."""

HAS_ROOM: LiteralString = """(n.owner_id IS NULL
    OR (SELECT count(*) FROM projects own WHERE own.namespace_id = n.id AND own.deleted_at IS NULL)
    < coalesce((SELECT CASE WHEN u.external THEN 0 ELSE u.projects_limit END FROM users u WHERE u.id = n.owner_id), 0))"""
"""SQL: whether the namespace `n` is that of a group, or its owner may have one more project."""

SOURCE: LiteralString = "namespaces n JOIN routes r ON r.namespace_id = n.id LEFT JOIN groups g ON g.id = n.id"


async def find_namespace(tx: Tx, actor: Actor, ref: Ref) -> int:
    """The id of the namespace, if the actor may see it."""
    found = await tx.value(
        f"""
        SELECT n.id FROM {SOURCE}
        WHERE n.id = coalesce(CAST(:ref_id AS bigint), (SELECT r.namespace_id FROM routes r WHERE r.path_folded = :ref_path))
        AND n.deleted_at IS NULL AND {READ_NAMESPACE.for_row}
        """,
        **ref.bound,
        **actor.bound,
    )
    return errors.or_not_found(found, "Namespace")


class TargetNamespace(Row, alias="n"):
    """A namespace in which the actor may create projects."""

    id: int
    visibility: Annotated[Visibility | None, "g.visibility"]
    """The visibility of a group; a user's namespace has none."""


async def find_target_namespace(tx: Tx, actor: Actor, name: str) -> TargetNamespace:
    """The namespace of this id, path or name, the actor's own for ""; 404 if they may not create projects in it."""
    found = await tx.row(
        TargetNamespace,
        f"""
        SELECT {TargetNamespace.columns} FROM {SOURCE}
        WHERE n.deleted_at IS NULL AND {CREATE_PROJECT.for_row} AND CASE
            WHEN :folded = '' THEN coalesce(n.owner_id = :actor, FALSE)
            WHEN CAST(:ref_id AS bigint) IS NOT NULL THEN n.id = CAST(:ref_id AS bigint)
            ELSE :folded IN (r.path_folded, n.path_folded, n.name_folded) END
        ORDER BY CASE :folded WHEN r.path_folded THEN 0 WHEN n.path_folded THEN 1 ELSE 2 END, n.id LIMIT 1
        """,
        folded=fold(name),
        ref_id=Ref(name).id,
        **actor.bound,
    )
    return errors.or_not_found(found, "Target Namespace")
