"""The JSON representations of a namespace."""

from functools import partial
from itertools import islice
from typing import Annotated, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.paths import plans
from mujina.kernel import errors
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.lists.pages import load_by_ids
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold
from mujina.workspaces.namespaces.rules import (
    CREATE_PROJECT,
    HAS_ROOM,
    MANAGE_NAMESPACE,
    SEE_PLAN,
    SOURCE,
    find_namespace,
)

MAX_SUGGESTION = 100
"""The highest number that is tried behind a path that is taken."""


class NamespaceRef(msgspec.Struct):
    id: int
    name: str
    path: str
    kind: str
    full_path: str
    parent_id: int | None


class Namespace(NamespaceRef, kw_only=True):
    """The namespace of a user or group.

    Masters and owners of a group see its count of members and its plan, administrators the limit of minutes as well.
    """

    members_count_with_descendants: int | UnsetType = UNSET
    plan: str | UnsetType = UNSET
    shared_runners_minutes_limit: int | UnsetType | None = UNSET


class NamespaceCheck(msgspec.Struct):
    """Whether a path is taken, and a free one if it is."""

    exists: bool
    suggests: list[str]


async def check(tx: Tx, actor: Actor, path: str, parent_id: int | None) -> NamespaceCheck:
    """The check of a path below a group that the actor may see, or at the top: there the names of all are known."""
    below = "" if parent_id is None else await _path_of(tx, actor, parent_id)
    wanted = fold(below + path)
    taken = await tx.values(
        "SELECT r.path_folded FROM routes r WHERE r.path_folded IN :paths AND r.namespace_id IS NOT NULL",
        paths=[wanted, *(f"{wanted}{number}" for number in range(1, MAX_SUGGESTION + 1))],
    )
    if wanted not in taken:
        return NamespaceCheck(False, [])
    free = (n for n in range(1, MAX_SUGGESTION + 1) if f"{wanted}{n}" not in taken)
    return NamespaceCheck(True, [f"{path}{number}" for number in islice(free, 1)])


async def _path_of(tx: Tx, actor: Actor, parent_id: int) -> str:
    parent = await find_namespace(tx, actor, Ref.of(parent_id))
    return f"{await tx.value('SELECT r.path FROM routes r WHERE r.namespace_id = :id', id=parent)}/"


class NamespaceView(Row, alias="n"):
    """The columns from which a namespace is shown."""

    id: int
    name: str
    path: str
    kind: str
    full_path: Annotated[str, "r.path"]
    parent_id: int | None
    plan: str | None
    minutes_limit: Annotated[
        int | None,
        """CASE WHEN n.owner_id IS NULL THEN g.shared_runners_minutes_limit
           ELSE (SELECT o.shared_runners_minutes_limit FROM users o WHERE o.id = n.owner_id) END""",
    ]
    managed: Annotated[bool, SEE_PLAN]


async def load_one(tx: Tx, actor: Actor, namespace_id: int) -> Namespace:
    """One namespace; 404 if it was removed a moment ago."""
    return errors.or_not_found(next(iter(await _load_many(tx, actor, [namespace_id])), None), "Namespace")


async def load_page(tx: Tx, actor: Actor, selection: Selection, page: Page) -> Paged[Namespace]:
    """One page of namespaces, the oldest first."""
    return await load_by_ids(tx, "n.id", selection, ascending("n.id"), page, partial(_load_many, tx, actor))


async def _load_many(tx: Tx, actor: Actor, ids: list[int]) -> list[Namespace]:
    """Namespaces in the order of their ids, in two statements whatever their number."""
    rows = await tx.rows(
        NamespaceView,
        f"SELECT {NamespaceView.columns} FROM {SOURCE} WHERE n.id IN :ids ORDER BY n.id",
        ids=ids,
        **actor.bound,
    )
    managed = [row.id for row in rows if row.managed]
    counts = await _count_members(tx, actor, managed) if managed else {}
    return [
        to_entity(
            Namespace,
            row,
            members_count_with_descendants=counts.get(row.id, UNSET),
            plan=row.plan or plans.DEFAULT if row.id in counts else UNSET,
            shared_runners_minutes_limit=row.minutes_limit if actor.admin else UNSET,
        )
        for row in rows
    ]


async def _count_members(tx: Tx, actor: Actor, group_ids: list[int]) -> dict[int, int]:
    """The number of users who are members of each group or of a group below it."""
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


class HomeChoice(Row, alias="n"):
    """A namespace in which a user may create projects, as a form offers it."""

    id: int
    full_path: Annotated[str, "r.path"]
    kind: str


MAX_HOMES: LiteralString = "200"


async def homes(tx: Tx, actor: Actor, wanted: int = 0) -> list[HomeChoice]:
    """Where the actor may create a project: in their own namespace, in groups that they manage, at most 200, and `wanted`."""
    return await tx.rows(
        HomeChoice,
        f"""SELECT {HomeChoice.columns} FROM {SOURCE} WHERE n.deleted_at IS NULL
            AND ({MANAGE_NAMESPACE.for_scan} OR (n.id = :wanted AND {CREATE_PROJECT.for_row})) AND {HAS_ROOM}
            ORDER BY CASE WHEN n.id = :wanted THEN 0 WHEN n.kind = 'user' THEN 1 ELSE 2 END, r.path_folded
            LIMIT {MAX_HOMES}""",
        wanted=wanted,
        **actor.bound,
    )
