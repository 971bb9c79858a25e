"""The assignees and labels of an issue: a change replaces the whole set and returns (before, after)."""

from typing import Any, LiteralString

import msgspec

from mujina.accounts.users.entities import REF, RefRow
from mujina.instance.editions.rules import counted_assignees
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET
from mujina.kernel.owners import Owner
from mujina.planning.issues.params import CreateIssue, EditIssue, IssueChange
from mujina.planning.issues.views import MilestoneRefRow
from mujina.planning.labels import operations as labels
from mujina.planning.labels.rules import NAMED
from mujina.planning.milestones.operations import USABLE
from mujina.workspaces.projects.rules import READ_PROJECT

Changes = dict[str, Any]


def requested_assignees(change: IssueChange) -> list[int] | None:
    """The users whom the request assigns: none for 0 or an empty list; None if it leaves the assignees alone.

    An edition with one assignee takes the first.
    """
    if change.assignee_ids is not UNSET:
        return counted_assignees([id_ for id_ in change.assignee_ids or [] if id_ > 0])
    if change.assignee_id is not UNSET:
        return [change.assignee_id] if change.assignee_id else []
    return None


class Requested(msgspec.Struct, frozen=True):
    """The labels, people and milestone of a new issue, as far as the project can use those that the request names."""

    milestone: MilestoneRefRow | None = None
    assignees: list[RefRow] = []
    labels: dict[str, int] = {}
    """The ids of the labels that exist, by title."""
    new_labels: list[str] = []
    """Titles that become labels of the project."""

    @property
    def titles(self) -> list[str]:
        """The titles of all its labels."""
        return sorted([*self.labels, *self.new_labels])


async def find_requested(tx: Tx, project: Owner, change: CreateIssue) -> Requested:
    """One statement finds the milestone, the assignees and the labels; none if the request names none."""
    titles, user_ids = sorted(set(change.labels or [])), requested_assignees(change) or []
    labels.check_titles(titles)
    if not (titles or user_ids or change.milestone_id):
        return Requested()
    rows = await tx.rows(
        tuple[Any, ...], _REQUESTED,
        milestone_id=change.milestone_id or None, user_ids=user_ids, titles=titles, today=clock.today(),
        **project.bound,
    )  # fmt: skip
    found: dict[str, list[Any]] = {"milestone": [], "assignee": [], "label": []}
    for kind, *row in rows:
        found[kind].append(row)
    known = labels.preferred(found["label"])
    return Requested(
        _read_milestone(found["milestone"][0][0]) if found["milestone"] else None,
        [_read_person(person) for person, *_ in sorted(found["assignee"], key=lambda row: row[1])],
        known,
        [title for title in titles if title not in known],
    )


_read_milestone = msgspec.json.Decoder(MilestoneRefRow).decode
_read_person = msgspec.json.Decoder(RefRow).decode


_ASSIGNABLE: LiteralString = f"(u.deleted_at IS NULL AND {READ_PROJECT.of('u')})"
"""Whether the user `u` may be assigned to issues of the project `p`."""

_REQUESTED: LiteralString = f"""
    SELECT 'milestone', usable.shown, usable.id, CAST(NULL AS bigint) FROM (
        SELECT ms.id, CAST(json_build_array({MilestoneRefRow.columns}) AS text) AS shown FROM milestones ms
        WHERE ms.id = :milestone_id AND {USABLE} FOR KEY SHARE) usable
    UNION ALL
    SELECT 'assignee', CAST(json_build_array({REF}) AS text), u.id, NULL FROM users u JOIN projects p ON p.id = :project_id
    WHERE u.id IN :user_ids AND {_ASSIGNABLE}
    UNION ALL
    SELECT 'label', named.title, named.id, named.group_id FROM ({NAMED}) named"""


async def give(tx: Tx, project: Owner, issue_id: int, requested: Requested) -> Changes:
    """Assign and label a new issue."""
    changes: Changes = {}
    if requested.assignees:
        user_ids = [person.id for person in requested.assignees]
        await _add_assignees(tx, issue_id, user_ids)
        changes["assignee_ids"] = ([], user_ids)
    if titles := requested.titles:
        await labels.add(tx, project, issue_id, list(requested.labels.values()), requested.new_labels)
        changes["labels"] = ([], titles)
    return changes


async def assign(tx: Tx, project_id: int, issue_id: int, user_ids: list[int] | None) -> Changes:
    """Assign exactly those of these users who may read the project. None changes nothing.

    Assignees whom the edition hides stay as long as the one it shows does.
    """
    if user_ids is None:
        return {}
    users = await tx.rows(
        tuple[int, bool, bool], _CURRENT_OR_REQUESTED,
        id=issue_id, project_id=project_id, user_ids=user_ids, today=clock.today(),
    )  # fmt: skip
    before = [user_id for user_id, assigned, _ in users if assigned]
    after = [user_id for user_id, _, assignable in users if assignable and user_id in user_ids]
    if after == (shown := counted_assignees(before)):
        return {}
    if removed := [id_ for id_ in before if id_ not in after]:
        await tx.run(
            "DELETE FROM issue_assignees WHERE issue_id = :id AND user_id IN :removed", id=issue_id, removed=removed
        )
    if added := [id_ for id_ in after if id_ not in before]:
        await _add_assignees(tx, issue_id, added)
    return {"assignee_ids": (shown, after)}


_CURRENT_OR_REQUESTED: LiteralString = f"""
    SELECT u.id, a.issue_id IS NOT NULL, {_ASSIGNABLE} FROM users u JOIN projects p ON p.id = :project_id
    LEFT JOIN issue_assignees a ON a.user_id = u.id AND a.issue_id = :id
    WHERE u.id IN (
        SELECT now.user_id FROM issue_assignees now WHERE now.issue_id = :id
        UNION ALL SELECT requested.id FROM users requested WHERE requested.id IN :user_ids)
    ORDER BY u.id"""


async def _add_assignees(tx: Tx, issue_id: int, user_ids: list[int]) -> None:
    await tx.run_each(
        "INSERT INTO issue_assignees (issue_id, user_id) VALUES (:id, :user_id) ON CONFLICT DO NOTHING",
        [{"id": issue_id, "user_id": user_id} for user_id in user_ids],
    )


async def relabel(tx: Tx, project: Owner, issue_id: int, change: EditIssue) -> Changes:
    """Replace the labels, or add and remove some, as requested; new titles become labels of the project."""
    exactly = None if change.labels is UNSET else change.labels or []
    added, removed = change.add_labels or [], change.remove_labels or []
    if exactly is None and not added and not removed:
        return {}
    before, after = await labels.relabel(tx, project, issue_id, exactly=exactly, added=added, removed=removed)
    return {"labels": (before, after)} if before != after else {}
