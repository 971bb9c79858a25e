"""What is shown of a namespace."""

from typing import LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.paths import plans
from mujina.kernel import errors
from mujina.kernel.access import MASTER
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.entities import shown
from mujina.kernel.paging import Page
from mujina.workspaces.members.access import GROUP_LEVEL
from mujina.workspaces.namespaces.rules import SOURCE


class Namespace(msgspec.Struct, kw_only=True):
    """The path space of a user or group; counts and plan of a group are for its masters and owners."""

    id: int
    name: str
    path: str
    kind: str
    full_path: str
    parent_id: int | None
    members_count_with_descendants: int | UnsetType = UNSET
    plan: str | UnsetType = UNSET


class ShownRow(msgspec.Struct, array_like=True, frozen=True):
    """The columns of `COLUMNS`."""

    id: int
    name: str
    path: str
    kind: str
    full_path: str
    parent_id: int | None
    plan: str | None
    level: int


COLUMNS: LiteralString = f"n.id, n.name, n.path, n.kind, r.path, n.parent_id, n.plan, {GROUP_LEVEL}"


async def single(tx: Tx, actor: Actor, namespace_id: int) -> Namespace:
    found = await _shown(tx, actor, [namespace_id])
    if not found:
        raise errors.not_found("Namespace")  # removed a moment ago
    return found[0]


async def listed(tx: Tx, actor: Actor, chosen: Selection, page: Page) -> list[Namespace]:
    """One page of namespaces, the oldest first."""
    ids = await tx.values(
        f"SELECT n.id {chosen.text} ORDER BY n.id LIMIT :limit OFFSET :offset", **chosen.bound, **page.bound
    )
    return await _shown(tx, actor, ids)


async def _shown(tx: Tx, actor: Actor, ids: list[int]) -> list[Namespace]:
    """Namespaces in the order of their ids, in two statements however many."""
    rows = await tx.rows(
        ShownRow, f"SELECT {COLUMNS} FROM {SOURCE} WHERE n.id IN :ids ORDER BY n.id", ids=ids, **actor.bound
    )
    managed = [row.id for row in rows if row.kind == "group" and (actor.admin or row.level >= MASTER)]
    counts = await _count_members(tx, actor, managed) if managed else {}
    return [
        shown(
            Namespace, row,
            members_count_with_descendants=counts.get(row.id, UNSET),
            plan=row.plan or plans.DEFAULT if row.id in counts else UNSET,
        )
        for row in rows
    ]  # fmt: skip


async def _count_members(tx: Tx, actor: Actor, group_ids: list[int]) -> dict[int, int]:
    """How many people are members of each group or of a group below it."""
    counts = dict.fromkeys(group_ids, 0)
    counts.update(
        await tx.rows(
            tuple[int, int],
            """
            SELECT t.ancestor_id, count(DISTINCT m.user_id) FROM group_tree t CROSS JOIN members m
            JOIN users u ON u.id = m.user_id AND u.deleted_at IS NULL
            WHERE t.ancestor_id IN :group_ids
            AND m.source_kind = 'group' AND m.source_id = t.group_id AND m.expires_on > :today
            GROUP BY t.ancestor_id
            """,
            group_ids=group_ids,
            **actor.bound,
        )
    )
    return counts
