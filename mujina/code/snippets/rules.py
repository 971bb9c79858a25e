"""The rules of snippets, and the only way to load one."""

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import Visibility
from mujina.kernel.permissions.rules import Condition, Rule, admin, external, signed_in
from mujina.workspaces.members.access import guest, master, reporter
from mujina.workspaces.projects.rules import PROJECT_AT, READ_PROJECT

public = Condition("public", "(s.visibility = 'public')")
internal = Condition("internal", "(s.visibility = 'internal')")
author = Condition("author", lambda who: f"(s.author_id = {who.id})")
snippets_enabled = Condition("snippets_enabled", "p.snippets_enabled")

visible_to_all = public | (internal & signed_in & ~external)

READ_SNIPPET = visible_to_all | author | admin
EDIT_SNIPPET = author | admin

LIST_PROJECT_SNIPPETS = READ_PROJECT & snippets_enabled
CREATE_PROJECT_SNIPPET = (reporter | admin) & snippets_enabled
READ_PROJECT_SNIPPET = LIST_PROJECT_SNIPPETS & (visible_to_all | guest | author | admin)
COMMENT_ON_SNIPPET = READ_PROJECT_SNIPPET & signed_in
EDIT_PROJECT_SNIPPET = READ_PROJECT_SNIPPET & ((author & reporter) | master | admin)


class SnippetRow(Row, alias="s"):
    """The columns of a snippet that operations need."""

    id: int
    project_id: int | None
    author_id: int
    title: str
    file_name: str
    content: str
    description: str | None
    visibility: Visibility
    updated_at: str


class FoundSnippet(SnippetRow):
    """A snippet with the actor's rights: to read it, to do what is requested, and to edit it."""

    readable: bool
    allowed: bool
    editable: bool


async def find_snippet(tx: Tx, actor: Actor, snippet_id: int, *, to: Rule = READ_SNIPPET) -> FoundSnippet:
    """A user's own snippet, if the actor may do this with it: 404 if they may not read it, 403 if they may."""
    found = await tx.row(
        FoundSnippet,
        f"""SELECT {SnippetRow.columns}, {READ_SNIPPET.for_row}, {to.for_row}, {EDIT_SNIPPET.for_row} FROM snippets s
            WHERE s.id = :id AND s.project_id IS NULL""",
        id=snippet_id,
        **actor.bound,
    )
    return _allowed(found)


async def find_project_snippet(
    tx: Tx, actor: Actor, project_id: int, snippet_id: int, *, to: Rule = READ_PROJECT_SNIPPET
) -> FoundSnippet:
    """A snippet of this project, if the actor may do this with it: 404 if they may not read it, 403 if they may."""
    found = await tx.row(
        FoundSnippet,
        f"""WITH {PROJECT_AT}
            SELECT {SnippetRow.columns}, {READ_PROJECT_SNIPPET.for_row}, {to.for_row}, {EDIT_PROJECT_SNIPPET.for_row}
            FROM p JOIN snippets s ON s.project_id = p.id WHERE s.id = :id""",
        id=snippet_id,
        **Ref.of(project_id).bound,
        **actor.bound,
    )
    return _allowed(found)


def _allowed(found: FoundSnippet | None) -> FoundSnippet:
    if found is None or not found.readable:
        raise errors.not_found("Snippet")
    if not found.allowed:
        raise errors.forbidden()
    return found
