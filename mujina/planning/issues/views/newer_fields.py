"""The fields of newer API versions of an issue."""

from typing import Annotated

from mujina.accounts.users.entities import refs
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.requests.newer_fields import JsonObject
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.planning.issues.rules import READ_ISSUE


class _IssueRow(Row, alias="i"):
    id: int
    iid: int
    full_path: Annotated[str, "r.path"]
    task_count: int
    completed_task_count: int
    moved_to_id: int | None
    closer_id: Annotated[
        int | None,
        """CASE WHEN i.state = 'closed' THEN (SELECT event.user_id FROM resource_events event
           WHERE event.noteable_id = i.id AND event.noteable_kind = 'issue' AND event.field = 'state'
           ORDER BY event.id DESC LIMIT 1) END""",
    ]


async def add_issue_fields(services: Services, actor: Actor, issues: list[JsonObject]) -> None:
    """References, tasks, the user who closed it, and where it was moved to, if the actor may read that."""
    ids = [issue["id"] for issue in issues]
    async with services.database.reading() as tx:
        rows = await tx.rows(
            _IssueRow,
            f"SELECT {_IssueRow.columns} FROM issues i JOIN routes r ON r.project_id = i.project_id WHERE i.id IN :ids",
            ids=ids,
        )
        found = {row.id: row for row in rows}
        readable = await _readable(tx, actor, [row.moved_to_id for row in rows if row.moved_to_id])
        closers = await refs(tx, [row.closer_id for row in rows if row.closer_id])
    people = {person.id: person for person in closers}
    for issue in issues:
        if row := found.get(issue["id"]):
            issue.update(_fields(row))
            issue["moved_to_id"] = row.moved_to_id if row.moved_to_id in readable else None
            issue["closed_by"] = people.get(row.closer_id or 0)


def _fields(row: _IssueRow) -> JsonObject:
    short = f"#{row.iid}"
    return {
        "references": {"short": short, "relative": short, "full": f"{row.full_path}{short}"},
        "issue_type": "issue",
        "type": "ISSUE",
        "severity": "UNKNOWN",
        "imported": False,
        "has_tasks": row.task_count > 0,
        "task_completion_status": {"count": row.task_count, "completed_count": row.completed_task_count},
    }


async def _readable(tx: Tx, actor: Actor, ids: list[int]) -> set[int]:
    """The issues of these that the actor may read."""
    if not ids:
        return set()
    found = await tx.values(
        f"""SELECT i.id FROM issues i JOIN projects p ON p.id = i.project_id
            WHERE i.id IN :ids AND i.deleted_at IS NULL AND p.deleted_at IS NULL AND {READ_ISSUE.for_scan}""",
        ids=ids,
        **actor.bound,
    )
    return set(found)
