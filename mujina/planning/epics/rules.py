"""The rules of epics, and the only way to find one."""

from typing import Annotated, LiteralString

from mujina.instance.editions.rules import has_feature
from mujina.kernel import errors
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule, admin
from mujina.workspaces.groups.rules import READ_GROUP, GroupRow, find_group
from mujina.workspaces.members.access import group_owner, group_reporter

READ_EPIC = READ_GROUP
WRITE_EPIC = READ_EPIC & (group_reporter | admin)
"""Create and edit epics, choose their issues."""
DELETE_EPIC = READ_EPIC & (group_owner | admin)


class EpicRow(Row, alias="e"):
    """The columns that operations on an epic need."""

    id: int
    iid: int
    group_id: int
    author_id: int
    title: str
    description: str | None
    start_date: Annotated[str | None, "e.start_on"]
    end_date: Annotated[str | None, "e.end_on"]
    updated_at: str
    full_path: Annotated[str, "r.path"]
    """The path of the group."""
    managed: Annotated[bool, "CAST(:managed AS boolean)"]
    """Whether the actor is a master of the group."""
    owned: Annotated[bool, "CAST(:owned AS boolean)"]
    """Whether the actor is an owner of the group."""


def check_epics(reason: str | None = None) -> None:
    """403 in an edition without epics."""
    if not has_feature("epics"):
        raise errors.forbidden(reason)


def check_epic_pages() -> None:
    """Raises an error with a sentence for people in an edition without epics."""
    check_epics("Epics need the ultimate edition.")


async def find_epic_group(tx: Tx, actor: Actor, ref: Ref, *, to: Rule = READ_EPIC) -> GroupRow:
    """The group, if the actor may do this with its epics; 403 in an edition without epics."""
    if not has_feature("epics"):
        await find_group(tx, actor, ref)
    check_epics()
    return await find_group(tx, actor, ref, to=to)


async def check_route(call: Call, group: Ref) -> None:
    """In an edition without epics: 404 for a group that the actor may not read, 403 for others."""
    if not has_feature("epics"):
        async with call.reading() as tx:
            await find_epic_group(tx, call.actor, group)


async def find_epic(tx: Tx, actor: Actor, ref: Ref, iid: int, *, to: Rule = READ_EPIC, lock: bool = False) -> EpicRow:
    """The epic of this number of the group itself, if the actor may do this with it.

    `lock`: no other transaction changes the epic or its issues until this one ends.
    """
    return await find_epic_in(tx, await find_epic_group(tx, actor, ref, to=to), iid, lock=lock)


async def find_epic_by_id(tx: Tx, actor: Actor, ref: Ref, id_: int) -> EpicRow:
    """The epic with this id, if it belongs to the group itself and the actor may read it."""
    return await find_epic_in(tx, await find_epic_group(tx, actor, ref), id_, column="id")


async def find_epic_in(
    tx: Tx, group: GroupRow, number: int, *, lock: bool = False, column: LiteralString = "iid"
) -> EpicRow:
    """Finds an epic in a group that was found for what the actor wants to do."""
    selection = Selection(
        "epics e JOIN routes r ON r.namespace_id = e.group_id", f"e.group_id = :group_id AND e.{column} = :number",
        group_id=group.id, number=number, managed=group.managed, owned=group.owned,
    )  # fmt: skip
    return await find_row(tx, EpicRow, selection, "Epic", lock="FOR UPDATE OF e" if lock else "")
