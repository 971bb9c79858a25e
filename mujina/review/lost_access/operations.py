"""The clean-up when users lose access without a change of their membership: a project, group, share or account changed.

As after the removal of a member, those who are no longer members are unassigned and lose their todos. Those who may no
longer read the project or group lose their subscriptions there as well.
"""

from typing import Any, Final, LiteralString

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.events import Event
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.levels import exceeds
from mujina.planning.assignments.operations import release
from mujina.planning.subscriptions.operations import delete_of_users as delete_subscriptions
from mujina.planning.todos.operations import delete_of_users as delete_todos
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.members.access import guest
from mujina.workspaces.projects.origins.forks import BELOW
from mujina.workspaces.projects.rules import READ_PROJECT

END: Final = "lost_access.end"
BATCH: Final = 50
"""How many users one transaction is about."""


class AccessLoss(msgspec.Struct, frozen=True):
    """Where users may have lost access, and through which namespace they had it."""

    event_id: int
    project_id: int | None = None
    with_forks: bool = False
    """Whether the forks of the project became less visible as well."""
    group_id: int | None = None
    below: bool = False
    """Whether the projects and groups below the group are concerned, and what is shared with one of them."""
    former_id: int = 0
    """The namespace whose members had access; 0: none."""
    former_ids: list[int] = []
    """The former groups with those above them."""
    user_id: int | None = None
    """The only user who may have lost access, anywhere; None: everyone."""
    invited_id: int = 0
    """The group that the user left: its members have access to what is shared with it; 0: none."""

    @property
    def bound(self) -> dict[str, Value]:
        return {
            "former_ids": self.former_ids,
            "event_id": self.event_id,
            "invited_id": self.invited_id,
            "today": clock.today(),
        }


async def enqueue_end(tx: Tx, event: Event) -> None:
    """A job ends what users lose, if the event takes access from any."""
    loss = loss_of(event.id, event.kind, event.subject_id, event.group_id, event.changes)
    if loss is None or (loss.invited_id and not await projects_after(tx, loss, 0)):
        return
    await enqueue(tx, END, event.id, owner_id=event.actor_id)


async def have_ended(tx: Tx, group_ids: list[int]) -> bool:
    """Whether no job is left that has to know who the members of these groups were."""
    waiting = await tx.rows(
        tuple[int, str, int, int | None, str],
        """SELECT e.id, e.kind, e.subject_id, e.group_id, e.changes FROM jobs j
           JOIN events e ON e.id = CAST(j.key AS bigint) WHERE j.task = :task AND j.parked_at IS NULL""",
        task=END,
    )
    losses = (
        loss_of(event_id, kind, subject_id, group_id, msgspec.json.decode(changes))
        for event_id, kind, subject_id, group_id, changes in waiting
    )
    return not any(loss is not None and loss.former_id in group_ids for loss in losses)


def loss_of(event_id: int, kind: str, subject_id: int, group_id: int | None, changes: Any) -> AccessLoss | None:
    """Where the event takes access from users; None: nowhere."""
    lowered = _is_lowered(changes)
    match kind:
        case "project.transferred":
            former_id = changes["namespace_id"][0]
            return AccessLoss(event_id, project_id=subject_id, with_forks=lowered, former_id=former_id)
        case "project.unshared":
            return AccessLoss(event_id, project_id=subject_id, former_id=group_id or 0)
        case "group.unshared":
            former_id = changes["with_group_id"][0]
            return AccessLoss(event_id, group_id=subject_id, below=True, former_id=former_id)
        case "project.updated" if lowered:
            return AccessLoss(event_id, project_id=subject_id, with_forks=True)
        case "group.transferred" if changes["parent_id"][0] is not None or "share_with_group_lock" in changes:
            return AccessLoss(event_id, group_id=subject_id, below=True, former_id=changes["parent_id"][0] or 0)
        case "group.updated" if _is(changes, "share_with_group_lock", True):
            return AccessLoss(event_id, group_id=subject_id, below=True)
        case "group.updated" if lowered:
            # Nothing in the group was more visible than it is now.
            return AccessLoss(event_id, group_id=subject_id)
        case "user.updated" if _is(changes, "external", True) or _is(changes, "admin", False):
            return AccessLoss(event_id, user_id=subject_id)
        case "member.removed" | "member.expired" if group_id is not None:
            return AccessLoss(event_id, user_id=subject_id, invited_id=group_id)
        case _:
            return None


def _is(changes: Any, name: str, value: bool) -> bool:
    """Whether the field has this value now, and had another."""
    before, after = changes.get(name, (None, None))
    return after is value and before is not value


def _is_lowered(changes: Any) -> bool:
    before, after = changes.get("visibility", (None, None))
    return before is not None and after is not None and exceeds(before, after)


async def find_loss(tx: Tx, event_id: int) -> AccessLoss | None:
    """Where the event with this id takes access from users."""
    event = await tx.row(
        tuple[str, int, int | None, str],
        "SELECT e.kind, e.subject_id, e.group_id, e.changes FROM events e WHERE e.id = :id",
        id=event_id,
    )
    if event is None:
        return None
    kind, subject_id, group_id, changes = event
    loss = loss_of(event_id, kind, subject_id, group_id, msgspec.json.decode(changes))
    if loss is None or not loss.former_id:
        return loss
    return msgspec.structs.replace(loss, former_ids=await tx.values(_UP, id=loss.former_id))


# Not by `group_tree`, which does not have deleted groups.
_UP: LiteralString = """
    WITH RECURSIVE up(id) AS (
        SELECT CAST(:id AS bigint)
        UNION SELECT n.parent_id FROM up JOIN namespaces n ON n.id = up.id WHERE n.parent_id IS NOT NULL)
    SELECT up.id FROM up"""


async def projects_after(tx: Tx, loss: AccessLoss, after: int) -> list[int]:
    """The next projects that are concerned, in the order of their ids."""
    if loss.invited_id:
        return await tx.values(_PROJECTS_SHARED, id=loss.invited_id, after=after)
    if loss.user_id is not None:
        return await tx.values(_PROJECTS_OF_USER, user_id=loss.user_id, after=after)
    if loss.project_id is not None:
        text = _WITH_FORKS if loss.with_forks else "SELECT p.id FROM projects p WHERE p.id = :id AND p.id > :after"
        return await tx.values(text, id=loss.project_id, after=after)
    return await tx.values(_PROJECTS_BELOW, id=loss.group_id, after=after) if loss.below else []


_PROJECTS_OF_USER: LiteralString = """
    SELECT found.id FROM (
        SELECT i.project_id AS id FROM issue_assignees a JOIN issues i ON i.id = a.issue_id WHERE a.user_id = :user_id
        UNION SELECT mr.project_id FROM merge_request_assignees a JOIN merge_requests mr ON mr.id = a.merge_request_id
        WHERE a.user_id = :user_id
        UNION SELECT mr.project_id FROM merge_request_reviewers a JOIN merge_requests mr ON mr.id = a.merge_request_id
        WHERE a.user_id = :user_id
        UNION SELECT todo.project_id FROM todos todo WHERE todo.user_id = :user_id AND todo.project_id IS NOT NULL
        UNION SELECT i.project_id FROM subscriptions s JOIN issues i ON s.subject_kind = 'issue' AND i.id = s.subject_id
        WHERE s.user_id = :user_id
        UNION SELECT mr.project_id FROM subscriptions s
        JOIN merge_requests mr ON s.subject_kind = 'merge_request' AND mr.id = s.subject_id WHERE s.user_id = :user_id) found
    WHERE found.id > :after ORDER BY found.id LIMIT 100"""
_SHARED: LiteralString = """
        SELECT s.project_id AS id FROM group_tree t JOIN project_shares s ON s.group_id = t.group_id
        WHERE t.ancestor_id = :id AND s.project_id > :after
        UNION SELECT p.id FROM group_tree t JOIN group_shares s ON s.group_id = t.group_id
        JOIN group_tree below ON below.ancestor_id = s.shared_group_id JOIN projects p ON p.namespace_id = below.group_id
        WHERE t.ancestor_id = :id AND p.id > :after"""
_PROJECTS_SHARED: LiteralString = f"SELECT found.id FROM ({_SHARED}) found ORDER BY found.id LIMIT 100"
_WITH_FORKS: LiteralString = f"""
    WITH RECURSIVE {BELOW}
    SELECT found.id FROM (SELECT CAST(:id AS bigint) AS id UNION SELECT below.id FROM below) found
    WHERE found.id > :after ORDER BY found.id LIMIT 100"""
_PROJECTS_BELOW: LiteralString = f"""
    SELECT found.id FROM (
        SELECT p.id FROM group_tree t JOIN projects p ON p.namespace_id = t.group_id
        WHERE t.ancestor_id = :id AND p.id > :after
        UNION {_SHARED}) found
    ORDER BY found.id LIMIT 100"""


async def groups_after(tx: Tx, loss: AccessLoss, after: int) -> list[int]:
    """The next groups that are concerned, in the order of their ids."""
    if loss.user_id is not None:
        return await tx.values(_GROUPS_OF_USER, user_id=loss.user_id, after=after)
    if loss.group_id is None:
        return []
    if not loss.below:
        return [loss.group_id] if after < loss.group_id else []
    return await tx.values(
        """SELECT found.id FROM (
               SELECT t.group_id AS id FROM group_tree t WHERE t.ancestor_id = :id AND t.group_id > :after
               UNION SELECT below.group_id FROM group_tree t JOIN group_shares s ON s.group_id = t.group_id
               JOIN group_tree below ON below.ancestor_id = s.shared_group_id
               WHERE t.ancestor_id = :id AND below.group_id > :after) found
           ORDER BY found.id LIMIT 100""",
        id=loss.group_id,
        after=after,
    )


_GROUPS_OF_USER: LiteralString = """
    SELECT found.id FROM (
        SELECT todo.group_id AS id FROM todos todo WHERE todo.user_id = :user_id AND todo.group_id IS NOT NULL
        UNION SELECT e.group_id FROM subscriptions s JOIN epics e ON s.subject_kind = 'epic' AND e.id = s.subject_id
        WHERE s.user_id = :user_id) found
    WHERE found.id > :after ORDER BY found.id LIMIT 100"""


# A member of the namespace, or of a group above it, now or when the event was recorded; or of a group that the project, or
# a group that it is or was in, is shared with, or who left one: who has access through a share is a member.
_FORMER: LiteralString = """(
    CAST(:invited_id AS bigint) > 0
    OR EXISTS (SELECT 1 FROM members m
        WHERE m.user_id = u.id AND m.source_kind = 'group' AND m.source_id IN :former_ids)
    OR EXISTS (SELECT 1 FROM namespaces o WHERE o.id IN :former_ids AND o.owner_id = u.id)
    OR EXISTS (SELECT 1 FROM project_shares s JOIN group_tree t ON t.group_id = s.group_id
        JOIN members m ON m.user_id = u.id AND m.source_kind = 'group' AND m.source_id = t.ancestor_id
        WHERE s.project_id = p.id)
    OR EXISTS (SELECT 1 FROM group_shares s JOIN group_tree t ON t.group_id = s.group_id
        JOIN members m ON m.user_id = u.id AND m.source_kind = 'group' AND m.source_id = t.ancestor_id
        WHERE s.shared_group_id IN :former_ids
        OR s.shared_group_id IN (SELECT above.ancestor_id FROM group_tree above WHERE above.group_id = p.namespace_id))
    OR EXISTS (SELECT 1 FROM events e WHERE e.subject_kind = 'member' AND e.subject_id = u.id AND e.id > :event_id
        AND e.kind IN ('member.removed', 'member.expired') AND e.group_id IN :former_ids))"""

_LOST: LiteralString = f"(NOT {READ_PROJECT.of('u')} OR (NOT {guest.of('u')} AND NOT u.admin AND {_FORMER}))"

_INVOLVED: LiteralString = """
    SELECT a.user_id FROM issues i JOIN issue_assignees a ON a.issue_id = i.id WHERE i.project_id = :project_id
    UNION SELECT a.user_id FROM merge_requests mr JOIN merge_request_assignees a ON a.merge_request_id = mr.id
    WHERE mr.project_id = :project_id
    UNION SELECT a.user_id FROM merge_requests mr JOIN merge_request_reviewers a ON a.merge_request_id = mr.id
    WHERE mr.project_id = :project_id
    UNION SELECT todo.user_id FROM todos todo WHERE todo.project_id = :project_id
    UNION SELECT s.user_id FROM issues i JOIN subscriptions s ON s.subject_kind = 'issue' AND s.subject_id = i.id
    WHERE i.project_id = :project_id
    UNION SELECT s.user_id FROM merge_requests mr
    JOIN subscriptions s ON s.subject_kind = 'merge_request' AND s.subject_id = mr.id WHERE mr.project_id = :project_id"""


async def users_of_project_after(tx: Tx, loss: AccessLoss, project_id: int, after: int) -> list[int]:
    """The next users who lost access to the project and have something there, in the order of their ids."""
    return await tx.values(
        f"""SELECT u.id FROM projects p CROSS JOIN users u WHERE p.id = :project_id AND u.id IN ({_INVOLVED})
            AND u.id > :after AND (CAST(:user_id AS bigint) IS NULL OR u.id = :user_id) AND {_LOST}
            ORDER BY u.id LIMIT :batch""",
        project_id=project_id,
        after=after,
        batch=BATCH,
        user_id=loss.user_id,
        **loss.bound,
    )


async def end_in_project(tx: Tx, loss: AccessLoss, project_id: int, user_ids: list[int]) -> None:
    """End what those of the users have in the project who have no access now."""
    lost = await tx.rows(
        tuple[int, bool],
        f"""SELECT u.id, {READ_PROJECT.of("u")} FROM projects p CROSS JOIN users u
            WHERE p.id = :project_id AND u.id IN :user_ids AND {_LOST}""",
        project_id=project_id,
        user_ids=user_ids,
        **loss.bound,
    )
    ids = [user_id for user_id, _ in lost]
    await release(tx, ids, project_id=project_id)
    await delete_todos(tx, ids, project_id=project_id)
    await delete_subscriptions(tx, [user_id for user_id, readable in lost if not readable], project_id=project_id)


_INVOLVED_IN_GROUP: LiteralString = """
    SELECT todo.user_id FROM todos todo WHERE todo.group_id = :group_id
    UNION SELECT s.user_id FROM epics e JOIN subscriptions s ON s.subject_kind = 'epic' AND s.subject_id = e.id
    WHERE e.group_id = :group_id"""


async def users_of_group_after(tx: Tx, group_id: int, after: int) -> list[int]:
    """The next users who may not read the group and have something there, in the order of their ids."""
    return await tx.values(
        f"""SELECT u.id FROM groups g CROSS JOIN users u WHERE g.id = :group_id AND u.id IN ({_INVOLVED_IN_GROUP})
            AND u.id > :after AND NOT {READ_GROUP.of("u")} ORDER BY u.id LIMIT :batch""",
        group_id=group_id,
        after=after,
        batch=BATCH,
        today=clock.today(),
    )


async def end_in_group(tx: Tx, group_id: int, user_ids: list[int]) -> None:
    """End what those of the users have around the epics of the group who may not read it now."""
    ids: list[int] = await tx.values(
        f"""SELECT u.id FROM groups g CROSS JOIN users u
            WHERE g.id = :group_id AND u.id IN :user_ids AND NOT {READ_GROUP.of("u")}""",
        group_id=group_id,
        user_ids=user_ids,
        today=clock.today(),
    )
    await delete_todos(tx, ids, group_id=group_id)
    await delete_subscriptions(tx, ids, group_id=group_id)
