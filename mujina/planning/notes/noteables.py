"""What can be commented on: each kind with its path and the function that finds it.

A kind takes notes, discussions and awards once it stands in `NoteableKind`, `PATHS` and `_FINDERS`.
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
from mujina.kernel.params import Ref
from mujina.planning.issues.rules import COMMENT_ON_ISSUE, READ_ISSUE, find_issue
from mujina.planning.notes.rules import Noteable
from mujina.workspaces.projects.rules import find_project

NoteableKind = Literal["issue", "snippet"]
Purpose = Literal["read", "comment"]
Finder = Callable[[Tx, Actor, Ref, int, Purpose], Awaitable[Noteable]]

PATHS: dict[NoteableKind, str] = {
    "issue": "/projects/:id/issues/:noteable_id",
    "snippet": "/projects/:id/snippets/:noteable_id",
}


def paths(suffix: str) -> dict[str, str]:
    """The paths with this suffix, by kind, as the decorators of routes take them."""
    return {kind: path + suffix for kind, path in PATHS.items()}


async def find_noteable(
    tx: Tx, actor: Actor, kind: NoteableKind, ref: Ref, number: int, *, to: Purpose = "read"
) -> Noteable:
    """The noteable of this kind, if the rules of its kind let the actor read it or comment on it."""
    return await _FINDERS[kind](tx, actor, ref, number, to)


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


_FINDERS: dict[NoteableKind, Finder] = {"issue": _issue, "snippet": _snippet}
