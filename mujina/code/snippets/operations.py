"""Changes of snippets."""

from typing import Any

import msgspec

from mujina.code.snippets.files import SnippetFile, change_files, check_files, files_of, store_further
from mujina.code.snippets.rules import SnippetRow
from mujina.instance.application_settings.rules import check_visibility, read_settings
from mujina.kernel import clock
from mujina.kernel.db.rows import delete_row, insert_id, timestamps, update
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
    further: list[SnippetFile]
    """The files behind the first."""

    @property
    def bound(self) -> dict[str, str | None]:
        """Its columns, with the folded ones for searching."""
        files = [SnippetFile(self.file_name, self.content), *self.further]
        return {
            "title": self.title, "file_name": self.file_name, "content": self.content,
            "description": self.description, "visibility": self.visibility, "title_folded": fold(self.title),
            "file_name_folded": fold("\n".join(file.path for file in files)),
            "content_folded": fold("\n".join(file.content for file in files)),
        }  # fmt: skip


async def create(tx: Tx, actor: Actor, project_id: int | None, draft: Draft, origin: Origin) -> int:
    """A new snippet of the actor's own, or of the project."""
    await _check(tx, actor, draft)
    snippet_id: int = await insert_id(
        tx, "snippets", project_id=project_id, author_id=actor.id, **timestamps(), **draft.bound,
        **msgspec.structs.asdict(origin),
    )  # fmt: skip
    await store_further(tx, snippet_id, draft.further)
    await record(tx, "snippet.created", actor, subject_id=snippet_id, project_id=project_id)
    return snippet_id


async def edit(tx: Tx, actor: Actor, snippet: SnippetRow, change: dict[str, Any]) -> None:
    """Apply the change and record it, without the content. `files` are changes of files, or all of them as `further`."""
    _, *further = files = await files_of(tx, snippet)
    before = Draft(
        title=snippet.title, file_name=snippet.file_name, content=snippet.content, description=snippet.description,
        visibility=snippet.visibility, further=further,
    )  # fmt: skip
    if (trees := change.pop("files", None)) is not None:
        files = change_files(files, trees)
        check_files(files)
        change = {"file_name": files[0].path, "content": files[0].content, "further": files[1:], **change}
    draft = msgspec.structs.replace(before, **change)
    await _check(tx, actor, draft, before.visibility)
    await update(tx, "snippets", {**draft.bound, "updated_at": clock.now()}, id=snippet.id)
    if draft.further != before.further:
        await store_further(tx, snippet.id, draft.further)
    hidden = {"content", "further"}
    changes = {name: (getattr(before, name), value) for name, value in change.items() if name not in hidden}
    await record(tx, "snippet.updated", actor, subject_id=snippet.id, project_id=snippet.project_id, changes=changes)


async def remove(tx: Tx, actor: Actor, snippet: SnippetRow) -> None:
    await delete_row(tx, "snippets", "Snippet", id=snippet.id)
    await record(
        tx, "snippet.deleted", actor, subject_id=snippet.id, project_id=snippet.project_id,
        changes={"title": (snippet.title, None)},
    )  # fmt: skip


async def _check(tx: Tx, actor: Actor, draft: Draft, visibility_before: Visibility | None = None) -> None:
    problems = Problems()
    if draft.visibility != visibility_before:
        check_visibility(problems, actor, await read_settings(tx), draft.visibility)
    problems.require("title", draft.title, MAX_LENGTH)
    problems.limit("file_name", draft.file_name, MAX_LENGTH)
    problems.require("content", draft.content)
    problems.refuse()
    if draft.further:
        check_files([SnippetFile(draft.file_name, draft.content), *draft.further])
