"""What the rows of a list say of issues besides what the API says: their tasks, and the merge requests that name them."""

from typing import LiteralString

import msgspec

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.planning.issues.related_requests import related_count


class IssueFacts(msgspec.Struct):
    tasks: int = 0
    completed_tasks: int = 0
    requests: int = 0
    """Merge requests that close or mention the issue and that the reader may read."""


_TASKS: LiteralString = """
    SELECT 'tasks', i.id, i.task_count, i.completed_task_count FROM issues i WHERE i.id IN :ids AND i.task_count > 0"""


async def read_facts(tx: Tx, actor: Actor, ids: list[int]) -> dict[int, IssueFacts]:
    """By the ids of issues that the actor may read; issues of which there is nothing to say are left out."""
    if not ids:
        return {}
    count = related_count()
    requests = f"UNION ALL SELECT 'requests', related.issue_id, related.n, 0 FROM ({count}) related" if count else ""
    found: dict[int, IssueFacts] = {}
    for kind, id_, n, completed in await tx.rows(
        tuple[str, int, int, int], f"{_TASKS} {requests}", ids=ids, **actor.bound
    ):
        facts = found.setdefault(id_, IssueFacts())
        if kind == "tasks":
            facts.tasks, facts.completed_tasks = n, completed
        else:
            facts.requests = n
    return found
