"""The groups that a project or group is shared with."""

from typing import Annotated, LiteralString

from mujina.kernel.clock import NEVER
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.members.rules import Source


class GroupShareView(Row, alias="s"):
    """A group that a project or group is shared with."""

    group_id: int
    name: Annotated[str, "n.name"]
    full_name: Annotated[str, "n.full_name"]
    path: Annotated[str, "r.path"]
    cap: int
    expires_on: str
    visible: Annotated[bool, READ_GROUP.for_scan]

    @property
    def expires_at(self) -> str | None:
        return None if self.expires_on == NEVER else self.expires_on


async def load_shares(tx: Tx, actor: Actor, source: Source, *, managed: bool) -> list[GroupShareView]:
    """The groups that it is shared with: all of them to those who may end a share, to others those that they may read."""
    found = await tx.rows(GroupShareView, _SHARES[source.kind], source_id=source.id, **actor.bound)
    return [share for share in found if managed or share.visible]


def _shares(table: LiteralString, shared: LiteralString) -> LiteralString:
    return f"""SELECT {GroupShareView.columns} FROM {table} s JOIN groups g ON g.id = s.group_id
        JOIN namespaces n ON n.id = g.id AND n.deleted_at IS NULL JOIN routes r ON r.namespace_id = g.id
        WHERE s.{shared} = :source_id AND s.expires_on > :today ORDER BY n.full_name, s.id"""


_SHARES: dict[str, LiteralString] = {
    "project": _shares("project_shares", "project_id"),
    "group": _shares("group_shares", "shared_group_id"),
}
