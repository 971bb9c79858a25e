"""Snippets of projects as something that people comment on."""

from mujina.code.snippets.rules import (
    COMMENT_ON_SNIPPET,
    LIST_PROJECT_SNIPPETS,
    READ_PROJECT_SNIPPET,
    SnippetRow,
    find_project_snippet,
)
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.noteables.kinds import Noteable, NoteableKind, Purpose
from mujina.workspaces.projects.rules import ProjectRow, find_project


async def find(tx: Tx, actor: Actor, ref: Ref, number: int, to: Purpose) -> Noteable:
    project = await find_project(tx, actor, ref, to=LIST_PROJECT_SNIPPETS)
    rule = COMMENT_ON_SNIPPET if to == "comment" else READ_PROJECT_SNIPPET
    return noteable_of(project, await find_project_snippet(tx, actor, project.id, number, to=rule))


def noteable_of(project: ProjectRow, snippet: SnippetRow) -> Noteable:
    """A snippet of the project that was found for the actor."""
    return Noteable(
        kind="snippet", type="Snippet", id=snippet.id, iid=None, path=project.full_path, author_id=snippet.author_id,
        dated=project.owned, moderated=project.managed, project_id=project.id,
        project_active_at=project.last_activity_at,
    )  # fmt: skip


SNIPPET = NoteableKind(
    name="snippet",
    rows="snippets s JOIN projects p ON p.id = s.project_id",
    key="s.id",
    present="p.deleted_at IS NULL",
    readable=READ_PROJECT_SNIPPET,
    find=find,
    author="s.author_id",
    involved="SELECT s.author_id FROM snippets s WHERE s.id = :snippet_id",
    project="s.project_id",
)
