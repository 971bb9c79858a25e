"""Who may see and choose members, and the only way to get one."""

from typing import Final, Literal

import msgspec

from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import Ref
from mujina.kernel.rules import Rule
from mujina.workspaces.groups.rules import ADMIN_GROUP, READ_GROUP, find_group
from mujina.workspaces.projects.rules import ADMIN_PROJECT, READ_MEMBERS, find_project

SourceKind = Literal["group", "project"]

SourceRule = dict[SourceKind, Rule]
"""The rule for a group and the rule for a project."""

SEE_MEMBERS: Final[SourceRule] = {"group": READ_GROUP, "project": READ_MEMBERS}
CHOOSE_MEMBERS: Final[SourceRule] = {"group": ADMIN_GROUP, "project": ADMIN_PROJECT}


class Source(msgspec.Struct, frozen=True):
    """The group or project that has the members."""

    kind: SourceKind
    id: int

    @property
    def bound(self) -> dict[str, int | str]:
        return {"source_kind": self.kind, "source_id": self.id}


class MemberRow(Row, alias="m"):
    """What operations need to know of a member they act on."""

    user_id: int
    level: int
    expires_on: str
    updated_at: str
    from_directory: bool


async def find_source(tx: Tx, actor: Actor, kind: SourceKind, ref: Ref, *, to: SourceRule) -> Source:
    """The group or project, if the actor may do this with its members."""
    find = find_group if kind == "group" else find_project
    return Source(kind, (await find(tx, actor, ref, to=to[kind])).id)


async def find_member(tx: Tx, source: Source, user_id: int) -> MemberRow:
    """The user's own unexpired row here: inherited members have none."""
    member = await tx.row(
        MemberRow,
        f"""SELECT {MemberRow.columns} FROM members m
           WHERE m.source_kind = :source_kind AND m.source_id = :source_id AND m.user_id = :user_id
           AND m.expires_on > :today""",
        user_id=user_id,
        today=clock.today(),
        **source.bound,
    )
    if member is None:
        raise errors.not_found("Member")
    return member


async def find_request(tx: Tx, source: Source, user_id: int) -> str:
    """When the user requested access here."""
    requested_at = await tx.value(
        """SELECT a.requested_at FROM access_requests a
           WHERE a.source_kind = :source_kind AND a.source_id = :source_id AND a.user_id = :user_id""",
        user_id=user_id,
        **source.bound,
    )
    if requested_at is None:
        raise errors.not_found("Access Request")
    return requested_at
