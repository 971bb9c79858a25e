"""Changes of snippets."""

from typing import Any

import msgspec

from mujina.code.snippets.rules import SnippetRow
from mujina.instance.application_settings.rules import check_visibility, read_settings
from mujina.kernel import clock
from mujina.kernel.db.rows import insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.http.requests.origins import Origin
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import Visibility
from mujina.kernel.text.folding import fold

MAX_LENGTH = 255


class Draft(msgspec.Struct, frozen=True):
    """The content of a snippet before it is stored."""

    title: str
    file_name: str
    content: str
    description: str | None
    visibility: Visibility

    @property
    def bound(self) -> dict[str, str | None]:
        """Its columns, with the folded ones for searching."""
        folded = {f"{name}_folded": fold(getattr(self, name)) for name in ("title", "file_name", "content")}
        return {**msgspec.structs.asdict(self), **folded}


async def create(tx: Tx, actor: Actor, project_id: int | None, draft: Draft, origin: Origin) -> int:
    """A new snippet of the actor's own, or of the project."""
    await _check(tx, actor, draft)
    snippet_id: int = await insert_id(
        tx, "snippets", project_id=project_id, author_id=actor.id, **timestamps(), **draft.bound,
        **msgspec.structs.asdict(origin),
    )  # fmt: skip
    await record(tx, "snippet.created", actor, subject_id=snippet_id, project_id=project_id)
    return snippet_id


async def edit(tx: Tx, actor: Actor, snippet: SnippetRow, change: dict[str, Any]) -> None:
    """Apply the change and record it, without the content."""
    before = Draft(snippet.title, snippet.file_name, snippet.content, snippet.description, snippet.visibility)
    draft = msgspec.structs.replace(before, **change)
    await _check(tx, actor, draft, before.visibility)
    await update(tx, "snippets", {**draft.bound, "updated_at": clock.now()}, id=snippet.id)
    changes = {name: (getattr(before, name), value) for name, value in change.items() if name != "content"}
    await record(tx, "snippet.updated", actor, subject_id=snippet.id, project_id=snippet.project_id, changes=changes)


async def remove(tx: Tx, actor: Actor, snippet: SnippetRow) -> None:
    await tx.run("DELETE FROM snippets WHERE id = :id", id=snippet.id)
    await record(
        tx, "snippet.deleted", actor, subject_id=snippet.id, project_id=snippet.project_id,
        changes={"title": (snippet.title, None)},
    )  # fmt: skip


async def _check(tx: Tx, actor: Actor, draft: Draft, visibility_before: Visibility | None = None) -> None:
    problems = Problems()
    if draft.visibility != visibility_before:
        check_visibility(problems, actor, await read_settings(tx), draft.visibility)
    problems.require("title", draft.title)
    problems.limit("title", draft.title, MAX_LENGTH)
    problems.limit("file_name", draft.file_name, MAX_LENGTH)
    problems.require("content", draft.content)
    problems.refuse()
