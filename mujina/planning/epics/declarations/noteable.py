"""Epics as something that people comment on."""

from typing import LiteralString

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.epics.entities import as_targets
from mujina.planning.epics.rules import READ_EPIC, EpicRow, find_epic, find_epic_by_id
from mujina.planning.noteables.kinds import Noteable, NoteableKind, Purpose
from mujina.planning.subscriptions.participation import subscribed

SUBSCRIBED: LiteralString = subscribed("epic", "e.id", "e.author_id = :actor")
"""Whether the actor is subscribed to the epic `e`."""


async def find(tx: Tx, actor: Actor, ref: Ref, iid: int, _: Purpose = "read") -> Noteable:
    """Everyone who may read an epic may comment on it."""
    return noteable_of(await find_epic(tx, actor, ref, iid))


async def find_by_id(tx: Tx, actor: Actor, ref: Ref, id_: int, _: Purpose = "read") -> Noteable:
    return noteable_of(await find_epic_by_id(tx, actor, ref, id_))


def noteable_of(epic: EpicRow) -> Noteable:
    return Noteable(
        kind="epic", type="Epic", id=epic.id, iid=epic.iid, path=epic.full_path, author_id=epic.author_id,
        dated=epic.owned, moderated=epic.managed, group_id=epic.group_id,
    )  # fmt: skip


EPIC = NoteableKind(
    name="epic",
    rows="epics e JOIN groups g ON g.id = e.group_id",
    key="e.id",
    present=":epics_offered AND EXISTS (SELECT 1 FROM namespaces n WHERE n.id = e.group_id AND n.deleted_at IS NULL)",
    readable=READ_EPIC,
    find=find,
    find_by_id=find_by_id,
    noun="epic",
    sign="&",
    texts="""SELECT NULL, e.group_id, r.path, e.iid, e.title, e.description FROM epics e
        JOIN routes r ON r.namespace_id = e.group_id WHERE e.id = :id""",
    targets=as_targets,
    line="""SELECT e.id, r.path, e.iid, e.title, 'opened' FROM epics e
        JOIN routes r ON r.namespace_id = e.group_id""",
    page="/groups/{path}/-/epics/{iid}",
    involved="SELECT e.author_id FROM epics e WHERE e.id = :epic_id",
    author="e.author_id",
    subscribed=SUBSCRIBED,
)
