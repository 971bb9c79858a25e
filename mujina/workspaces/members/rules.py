"""The rules of members, and the only way to load one."""

from typing import Any, Final

import msgspec

from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Condition, signed_in
from mujina.workspaces.groups.rules import ADMIN_GROUP, READ_GROUP, find_group
from mujina.workspaces.members.access import group_guest, guest
from mujina.workspaces.owners.rules import ADMIN_OWNER, OwnerRule, find_owner, owner_ids
from mujina.workspaces.projects.rules import ADMIN_PROJECT, READ_MEMBERS, find_project

SEE_MEMBERS: Final[OwnerRule] = {"group": READ_GROUP, "project": READ_MEMBERS}
CHOOSE_MEMBERS: Final[OwnerRule] = ADMIN_OWNER

members_locked = Condition(
    "members_locked",
    """EXISTS (SELECT 1 FROM group_tree t JOIN groups above ON above.id = t.ancestor_id AND above.membership_lock
        WHERE t.group_id = p.namespace_id)""",
)
"""A group above has locked the membership of its projects."""
ADD_MEMBERS: Final[OwnerRule] = {"group": ADMIN_GROUP, "project": ADMIN_PROJECT & ~members_locked}

LEAVE: Final[OwnerRule] = {
    "group": Condition(
        "group_member",
        """EXISTS (SELECT 1 FROM members own WHERE own.user_id = :actor AND own.source_kind = 'group'
            AND own.source_id = g.id AND own.expires_on > :today)""",
    ),
    "project": Condition(
        "project_member",
        """EXISTS (SELECT 1 FROM members own WHERE own.user_id = :actor AND own.source_kind = 'project'
            AND own.source_id = p.id AND own.expires_on > :today)""",
    ),
}
"""The actor has a row of their own here."""
REQUEST_ACCESS: Final[OwnerRule] = {
    "group": signed_in & ~group_guest & Condition("group_requests_enabled", "g.request_access_enabled"),
    "project": signed_in & ~guest & Condition("project_requests_enabled", "p.request_access_enabled"),
}
REQUESTED: Final[OwnerRule] = {
    "group": Condition(
        "requested_in_group",
        """EXISTS (SELECT 1 FROM access_requests a WHERE a.user_id = :actor AND a.source_kind = 'group'
            AND a.source_id = g.id)""",
    ),
    "project": Condition(
        "requested_in_project",
        """EXISTS (SELECT 1 FROM access_requests a WHERE a.user_id = :actor AND a.source_kind = 'project'
            AND a.source_id = p.id)""",
    ),
}
"""The actor waits for an answer to their request."""


class Source(msgspec.Struct, frozen=True):
    """The group or project that has the members."""

    kind: OwnerKind
    id: int

    @property
    def ids(self) -> dict[str, Any]:
        return owner_ids(self.kind, self.id)

    @property
    def bound(self) -> dict[str, int | str]:
        return {"source_kind": self.kind, "source_id": self.id}


class MemberRow(Row, alias="m"):
    """The columns of a member that operations need."""

    user_id: int
    level: int
    expires_on: str
    updated_at: str
    from_directory: bool
    override: bool


async def find_source(tx: Tx, actor: Actor, kind: OwnerKind, ref: Ref, *, to: OwnerRule) -> Source:
    """The group or project, if the actor may do this with its members."""
    return Source(kind, (await find_owner(tx, actor, kind, ref, to=to)).id)


async def find_searched_source(tx: Tx, actor: Actor, kind: OwnerKind, ref: Ref) -> tuple[Source, bool]:
    """The group or project, if the actor may see its members, and whether they may also choose them."""
    if kind == "group":
        group = await find_group(tx, actor, ref, to=SEE_MEMBERS[kind])
        return Source(kind, group.id), group.owned
    project = await find_project(tx, actor, ref, to=SEE_MEMBERS[kind])
    return Source(kind, project.id), project.managed


async def find_member(tx: Tx, source: Source, user_id: int) -> MemberRow:
    """The user's own unexpired row here: inherited members have none."""
    selection = Selection(
        "members m",
        "m.source_kind = :source_kind AND m.source_id = :source_id AND m.user_id = :user_id AND m.expires_on > :today",
        user_id=user_id,
        today=clock.today(),
        **source.bound,
    )
    return await find_row(tx, MemberRow, selection, "Member")


async def find_request(tx: Tx, source: Source, user_id: int) -> str:
    """When the user requested access here."""
    requested_at = await tx.value(
        """SELECT a.requested_at FROM access_requests a
           WHERE a.source_kind = :source_kind AND a.source_id = :source_id AND a.user_id = :user_id""",
        user_id=user_id,
        **source.bound,
    )
    return errors.or_not_found(requested_at, "Access Request")
