"""The assignees, labels and milestone that a new issue gets."""

from typing import Any, LiteralString

import msgspec

from mujina.accounts.users.entities import REF, RefRow
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.planning.assignments.operations import Changes, add_people, assignable
from mujina.planning.assignments.params import requested_assignees
from mujina.planning.issues.declarations.work_item import ISSUES
from mujina.planning.issues.params import CreateIssue
from mujina.planning.issues.views.issue import MilestoneRefRow
from mujina.planning.labels import operations as labels
from mujina.planning.labels.rules import NAMED
from mujina.planning.milestones.rules import USABLE
from mujina.workspaces.owners.rules import Owner


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


_REQUESTED: LiteralString = f"""
    SELECT 'milestone', usable.shown, usable.id, CAST(NULL AS bigint) FROM (
        SELECT ms.id, CAST(json_build_array({MilestoneRefRow.columns}) AS text) AS shown FROM milestones ms
        WHERE ms.id = :milestone_id AND {USABLE} FOR KEY SHARE) usable
    UNION ALL
    SELECT 'assignee', CAST(json_build_array({REF}) AS text), u.id, NULL FROM users u JOIN projects p ON p.id = :project_id
    WHERE u.id IN :user_ids AND {assignable(ISSUES)}
    UNION ALL
    SELECT 'label', named.title, named.id, named.group_id FROM ({NAMED}) named"""


async def assign_and_label(tx: Tx, project: Owner, issue_id: int, requested: Requested) -> Changes:
    """Assign and label a new issue."""
    changes: Changes = {}
    if requested.assignees:
        user_ids = [person.id for person in requested.assignees]
        await add_people(tx, ISSUES, ISSUES.assignees, issue_id, user_ids)
        changes["assignee_ids"] = ([], user_ids)
    if titles := requested.titles:
        await labels.add(tx, ISSUES, project, issue_id, list(requested.labels.values()), requested.new_labels)
        changes["labels"] = ([], titles)
    return changes
