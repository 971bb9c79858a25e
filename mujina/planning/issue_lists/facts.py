"""The facts in the rows of a list besides the API's fields: tasks, and the merge requests that name the issues."""

from collections.abc import Iterable
from functools import cache
from typing import LiteralString

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import Product
from mujina.planning.issues.related_requests import related_counts
from mujina.planning.work_items.choices import TextRow


class IssueFacts(msgspec.Struct):
    tasks: int = 0
    completed_tasks: int = 0
    requests: int = 0
    """Merge requests that close or mention the issue and that the reader may read."""


_TASKS: LiteralString = """
    SELECT 'tasks', CAST(i.id AS text), CAST(i.task_count AS text), CAST(i.completed_task_count AS text) FROM issues i
    WHERE i.id IN :ids AND i.task_count > 0"""


@cache
def facts(product: Product) -> LiteralString:
    """A statement for the facts about the issues `:ids`, each row a `TextRow`."""
    requests: list[LiteralString] = [
        f"SELECT 'requests', CAST(related.issue_id AS text), CAST(related.n AS text), '' FROM ({count}) related"
        for count in related_counts(product)
    ]
    return " UNION ALL ".join([_TASKS, *requests])


def facts_of(rows: Iterable[TextRow]) -> dict[int, IssueFacts]:
    """The facts by the ids of issues, as far as these rows say anything about them."""
    found: dict[int, IssueFacts] = {}
    for kind, id_, n, completed in rows:
        if kind == "tasks":
            found.setdefault(int(id_), IssueFacts()).tasks = int(n)
            found[int(id_)].completed_tasks = int(completed or 0)
        elif kind == "requests":
            found.setdefault(int(id_), IssueFacts()).requests = int(n)
    return found


async def read_facts(tx: Tx, actor: Actor, ids: list[int]) -> dict[int, IssueFacts]:
    """The facts by the ids of issues that the actor may read; issues without any are left out."""
    return facts_of(await tx.rows(TextRow, facts(tx.product), ids=ids, **actor.bound)) if ids else {}
