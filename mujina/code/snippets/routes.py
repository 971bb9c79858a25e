"""Snippets of users and of projects."""

from mujina.code.snippets import entities, filters, operations
from mujina.code.snippets.entities import Snippet
from mujina.code.snippets.files import SnippetFile, check_files, find_file, read_files
from mujina.code.snippets.operations import Draft
from mujina.code.snippets.page_view import raw
from mujina.code.snippets.params import CreateProjectSnippet, CreateSnippet, EditProjectSnippet, EditSnippet
from mujina.code.snippets.rules import (
    CREATE_PROJECT_SNIPPET,
    EDIT_PROJECT_SNIPPET,
    EDIT_SNIPPET,
    LIST_PROJECT_SNIPPETS,
    READ_PROJECT_SNIPPET,
    SnippetRow,
    find_project_snippet,
    find_snippet,
)
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import UNSET, Ref, Unset
from mujina.kernel.http.requests.origins import UserAgentDetail
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.kernel.permissions.rules import Rule
from mujina.workspaces.projects.rules import find_project


@get("/snippets")
async def list_snippets(call: Call, page: Page) -> Paged[Snippet]:
    """List your snippets."""
    async with call.reading() as tx:
        return await entities.load_page(tx, filters.own(call.actor), page)


@get("/snippets/public")
async def list_public_snippets(call: Call, page: Page) -> Paged[Snippet]:
    async with call.reading() as tx:
        return await entities.load_page(tx, filters.public_ones(), page)


@get("/snippets/:id")
async def show_snippet(call: Call, id: int) -> Snippet:
    async with call.reading() as tx:
        return await entities.load_one(tx, (await find_snippet(tx, call.actor, id)).id)


@get("/snippets/:id/raw")
async def show_raw_snippet(call: Call, id: int) -> Response:
    """Show the content of a snippet as plain text."""
    async with call.reading() as tx:
        return raw(await find_file(tx, await find_snippet(tx, call.actor, id), ""))


@get("/snippets/all")
async def list_all_snippets(call: Call, page: Page) -> Paged[Snippet]:
    """List all snippets that you may see, of users and of projects."""
    async with call.reading() as tx:
        return await entities.load_page(tx, filters.readable(call.actor), page)


@get("/snippets/:id/files/:ref/*file_path/raw")
async def show_raw_snippet_file(
    call: Call, id: int, ref: Segment, file_path: Segment,  # noqa: ARG001 - a snippet has no history: every ref is the same
) -> Response:  # fmt: skip
    """Show the content of one of the files of a snippet as plain text."""
    async with call.reading() as tx:
        return raw(await find_file(tx, await find_snippet(tx, call.actor, id), file_path))


@post("/snippets")
async def create_snippet(call: Call, change: CreateSnippet) -> Snippet:
    async with call.transaction() as tx:
        visibility = change.visibility or (await read_settings(tx)).default_snippet_visibility
        first, *further = _new_files(change, change.content, ("content",))
        draft = Draft(
            title=change.title, file_name=first.path, content=first.content, description=change.description or None,
            visibility=visibility, further=further,
        )  # fmt: skip
        return await entities.load_one(tx, await operations.create(tx, call.actor, None, draft, call.origin))


@put("/snippets/:id")
async def edit_snippet(call: Call, id: int, change: EditSnippet) -> Snippet:
    async with call.transaction() as tx:
        snippet = await find_snippet(tx, call.actor, id, to=EDIT_SNIPPET)
        await operations.edit(tx, call.actor, snippet, change.sent_fields())
        return await entities.load_one(tx, snippet.id)


@delete("/snippets/:id")
async def delete_snippet(call: Call, id: int) -> None:
    async with call.transaction() as tx:
        snippet = await find_snippet(tx, call.actor, id, to=EDIT_SNIPPET)
        call.unless_modified(snippet.updated_at)
        await operations.remove(tx, call.actor, snippet)


@get("/snippets/:id/user_agent_detail", admin=True)
async def show_snippet_user_agent_detail(call: Call, id: int) -> UserAgentDetail:
    """Show from where a snippet was created."""
    async with call.reading() as tx:
        return await entities.user_agent_detail(tx, (await find_snippet(tx, call.actor, id)).id)


@get("/projects/:id/snippets", anonymous=True)
async def list_project_snippets(call: Call, id: Ref, page: Page) -> Paged[Snippet]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=LIST_PROJECT_SNIPPETS)
        return await entities.load_page(tx, filters.of_project(call.actor, project.id), page)


@get("/projects/:id/snippets/:snippet_id", anonymous=True)
async def show_project_snippet(call: Call, id: Ref, snippet_id: int) -> Snippet:
    async with call.reading() as tx:
        return await entities.load_one(tx, (await _found(tx, call, id, snippet_id)).id)


@get("/projects/:id/snippets/:snippet_id/raw", anonymous=True)
async def show_raw_project_snippet(call: Call, id: Ref, snippet_id: int) -> Response:
    """Show the content of a snippet of a project as plain text."""
    async with call.reading() as tx:
        return raw(await find_file(tx, await _found(tx, call, id, snippet_id), ""))


@get("/projects/:id/snippets/:snippet_id/files/:ref/*file_path/raw", anonymous=True)
async def show_raw_project_snippet_file(
    call: Call, id: Ref, snippet_id: int, ref: Segment, file_path: Segment,  # noqa: ARG001 - as above
) -> Response:  # fmt: skip
    """Show the content of one of the files of a snippet of a project as plain text."""
    async with call.reading() as tx:
        return raw(await find_file(tx, await _found(tx, call, id, snippet_id), file_path))


@post("/projects/:id/snippets")
async def create_project_snippet(call: Call, id: Ref, change: CreateProjectSnippet) -> Snippet:
    text = change.code if change.content is UNSET else change.content
    first, *further = _new_files(change, text, ("code", "content"))
    draft = Draft(
        title=change.title, file_name=first.path, content=first.content, description=change.description or None,
        visibility=change.visibility, further=further,
    )  # fmt: skip
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=CREATE_PROJECT_SNIPPET)
        return await entities.load_one(tx, await operations.create(tx, call.actor, project.id, draft, call.origin))


@put("/projects/:id/snippets/:snippet_id")
async def edit_project_snippet(call: Call, id: Ref, snippet_id: int, change: EditProjectSnippet) -> Snippet:
    changes = {"content" if name == "code" else name: value for name, value in change.sent_fields().items()}
    async with call.transaction() as tx:
        snippet = await _found(tx, call, id, snippet_id, EDIT_PROJECT_SNIPPET)
        await operations.edit(tx, call.actor, snippet, changes)
        return await entities.load_one(tx, snippet.id)


@delete("/projects/:id/snippets/:snippet_id")
async def delete_project_snippet(call: Call, id: Ref, snippet_id: int) -> None:
    async with call.transaction() as tx:
        snippet = await _found(tx, call, id, snippet_id, EDIT_PROJECT_SNIPPET)
        call.unless_modified(snippet.updated_at)
        await operations.remove(tx, call.actor, snippet)


@get("/projects/:id/snippets/:snippet_id/user_agent_detail", admin=True)
async def show_project_snippet_user_agent_detail(call: Call, id: Ref, snippet_id: int) -> UserAgentDetail:
    """Show from where a snippet of a project was created."""
    async with call.reading() as tx:
        return await entities.user_agent_detail(tx, (await _found(tx, call, id, snippet_id)).id)


async def _found(tx: Tx, call: Call, id: Ref, snippet_id: int, to: Rule = READ_PROJECT_SNIPPET) -> SnippetRow:
    project = await find_project(tx, call.actor, id, to=LIST_PROJECT_SNIPPETS)
    return await find_project_snippet(tx, call.actor, project.id, snippet_id, to=to)


def _new_files(
    change: CreateSnippet | CreateProjectSnippet, content: str | Unset, names: tuple[str, ...]
) -> list[SnippetFile]:
    """The files of a new snippet: the `files`, or the one that the older parameters describe."""
    if change.files is not UNSET:
        files = read_files(change.files)
        check_files(files)
        return files
    absent = ["file_name"] if change.file_name is UNSET else []
    if content is UNSET and len(names) == 1:
        absent += names
    if absent:
        raise errors.missing(*absent)
    if content is UNSET:
        raise errors.none_of(names)
    return [SnippetFile(change.file_name or "", content)]
