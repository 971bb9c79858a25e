"""What can be commented on: each kind with the path it answers at and its own way of being found.

Another kind takes notes, discussions and award emoji by a line in `NOTEABLES`.
"""

from collections.abc import Awaitable, Callable
from typing import Literal

from mujina.code.snippets.rules import (
    COMMENT_ON_SNIPPET,
    LIST_PROJECT_SNIPPETS,
    READ_PROJECT_SNIPPET,
    find_project_snippet,
)
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http import Call
from mujina.kernel.params import Ref
from mujina.planning.issues.rules import COMMENT_ON_ISSUE, READ_ISSUE, find_issue
from mujina.planning.notes.rules import Noteable
from mujina.workspaces.projects.rules import find_project

Purpose = Literal["read", "comment"]
Find = Callable[[Tx, Actor, Ref, int, Purpose], Awaitable[Noteable]]


async def _issue(tx: Tx, actor: Actor, ref: Ref, iid: int, to: Purpose) -> Noteable:
    issue = await find_issue(tx, actor, ref, iid, to=COMMENT_ON_ISSUE if to == "comment" else READ_ISSUE)
    return Noteable(
        kind="issue", type="Issue", id=issue.id, iid=issue.iid, project_id=issue.project_id, path=issue.full_path,
        author_id=issue.author_id, confidential=issue.confidential, level=issue.level,
    )  # fmt: skip


async def _snippet(tx: Tx, actor: Actor, ref: Ref, number: int, to: Purpose) -> Noteable:
    project = await find_project(tx, actor, ref, to=LIST_PROJECT_SNIPPETS)
    rule = COMMENT_ON_SNIPPET if to == "comment" else READ_PROJECT_SNIPPET
    snippet = await find_project_snippet(tx, actor, project.id, number, to=rule)
    return Noteable(
        kind="snippet", type="Snippet", id=snippet.id, iid=None, project_id=project.id, path=project.full_path,
        author_id=snippet.author_id, confidential=False, level=project.level,
    )  # fmt: skip


NOTEABLES: dict[str, Find] = {
    "/projects/:id/issues/:noteable_id": _issue,
    "/projects/:id/snippets/:noteable_id": _snippet,
}


def below_each(tail: str) -> list[str]:
    """This path below each thing that can be commented on."""
    return [place + tail for place in NOTEABLES]


async def find_noteable(tx: Tx, call: Call, ref: Ref, number: int, *, to: Purpose = "read") -> Noteable:
    """What the request's path names, found and refused by its own slice's rules."""
    find = next(find for place, find in NOTEABLES.items() if call.route.path.startswith(f"{place}/"))
    return await find(tx, call.actor, ref, number, to)
