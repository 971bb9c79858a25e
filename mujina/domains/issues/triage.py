"""Who works on an issue, and its labels: each set is replaced whole, and what changed is said as (before, after)."""

from typing import Any

from mujina.domains.issues.params import EditIssue, IssueChange
from mujina.domains.labels import operations as labels
from mujina.domains.members.team import who_may_read
from mujina.kernel.db.transaction import Tx
from mujina.kernel.holders import Holder
from mujina.kernel.params import UNSET

Changes = dict[str, Any]


def assignees_wanted(change: IssueChange) -> list[int] | None:
    """Whom the request assigns; nobody for 0 or nothing, None when it does not speak of it."""
    if change.assignee_ids is not UNSET:
        return [id_ for id_ in change.assignee_ids or [] if id_ > 0]
    if change.assignee_id is not UNSET:
        return [change.assignee_id] if change.assignee_id else []
    return None


async def assign(tx: Tx, project_id: int, issue_id: int, wanted: list[int] | None) -> Changes:
    """Exactly these people, of those who may read the project; unknown ids are dropped. None changes nothing."""
    if wanted is None:
        return {}
    before: list[int] = await tx.values(
        "SELECT a.user_id FROM issue_assignees a WHERE a.issue_id = :id ORDER BY a.user_id", id=issue_id
    )
    after = await who_may_read(tx, project_id, wanted) if wanted else []
    if after == before:
        return {}
    if gone := [id_ for id_ in before if id_ not in after]:
        await tx.run("DELETE FROM issue_assignees WHERE issue_id = :id AND user_id IN :gone", id=issue_id, gone=gone)
    if new := [id_ for id_ in after if id_ not in before]:
        await tx.run_each(
            "INSERT INTO issue_assignees (issue_id, user_id) VALUES (:id, :user_id) ON CONFLICT DO NOTHING",
            [{"id": issue_id, "user_id": user_id} for user_id in new],
        )
    return {"assignee_ids": (before, after)}


def titles_wanted(change: EditIssue, before: list[str]) -> list[str]:
    """The labels the request asks for: a new set, or some more and some less."""
    wanted = before if change.labels is UNSET else change.labels or []
    more, less = change.add_labels or [], change.remove_labels or []
    return list(dict.fromkeys(title for title in [*wanted, *more] if title not in less))


def speaks_of_labels(change: EditIssue) -> bool:
    return change.labels is not UNSET or bool(change.add_labels) or bool(change.remove_labels)


async def relabel(tx: Tx, project: Holder, issue_id: int, before: list[str], titles: list[str]) -> Changes:
    """Exactly these labels; titles that are new become labels of the project."""
    if sorted(titles) == before:
        return {}
    after = await labels.ensure(tx, project, titles)
    await labels.put_on(tx, issue_id, list(after.values()))
    return {"labels": (before, sorted(after))}
