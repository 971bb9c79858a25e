"""Whose path spaces one may see, and the only way to get one."""

from typing import LiteralString

from mujina.domains.members.access import GROUP_LEVEL
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import Ref
from mujina.kernel.rules import Condition, admin

own = Condition("own", "coalesce(n.owner_id = :actor, FALSE)")
member = Condition("member", f"({GROUP_LEVEL} >= 10)")
direct_member = Condition(
    "direct_member",
    """(n.id IN (SELECT m.source_id FROM members m
        WHERE m.user_id = :actor AND m.source_kind = 'group' AND m.expires_on > :today))""",
)

READ_NAMESPACE = own | member | admin
LIST_NAMESPACE = own | direct_member | admin
"""What is inherited is left out of the list: it would repeat whole trees."""

SOURCE: LiteralString = "namespaces n JOIN routes r ON r.namespace_id = n.id LEFT JOIN groups g ON g.id = n.id"


async def find_namespace(tx: Tx, actor: Actor, ref: Ref) -> int:
    """The id of the namespace, if the actor may see it."""
    found = await tx.value(
        f"""
        SELECT n.id FROM {SOURCE}
        WHERE n.id = coalesce(CAST(:ref_id AS bigint), (SELECT r.namespace_id FROM routes r WHERE r.path_folded = :ref_path))
        AND n.deleted_at IS NULL AND {READ_NAMESPACE.one}
        """,
        **ref.bound,
        **actor.bound,
    )
    if found is None:
        raise errors.not_found("Namespace")
    return found
