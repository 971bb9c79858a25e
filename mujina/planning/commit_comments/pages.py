"""The page of a commit: its message, its changes and the comments on them."""

from typing import Any

import msgspec

from mujina.code.commit_statuses import entities as statuses
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import CommitInfo, Repository
from mujina.code.commits.shown_changes import read_changes
from mujina.code.files.downloads import SAFE
from mujina.code.pipelines import entities as pipelines
from mujina.code.pipelines.rules import READ_COMMIT_STATUSES
from mujina.code.repositories.browsing import authors_of
from mujina.code.signatures.badges import read_badges
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import NOTE, HtmlPage, PageRequest, Redirect, ShowFormAgain, form, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.params import UNSET, Unset
from mujina.planning.commit_comments import operations
from mujina.planning.commit_comments.discussions import lines_of
from mujina.planning.commit_comments.params import RequestedLine
from mujina.planning.discussions.timeline import Thread, read_timeline, text_place
from mujina.planning.noteables.commits import noteable_of, read_id
from mujina.planning.notes.new_notes import to_note
from mujina.planning.notes.params import ShownNote
from mujina.planning.uploads.attaching import MAX_FORM_WITH_FILES, attach, files_of, staged_files
from mujina.rendering import markdown
from mujina.rendering.markdown import MarkdownText
from mujina.workspaces.projects.rules import COMMENT_ON_CODE, READ_CODE, ProjectRow

MAX_REFS = 20
MAX_STATUSES = 100


class CommitCommentForm(RequestedLine):
    body: str = ""
    discussion_id: str | Unset = UNSET
    """The thread that it answers."""
    preview: bool | Unset = UNSET
    """Show the text as others would see it, and write nothing."""


@view("/{project}/commit/{sha}", to=READ_CODE, rights={"comment": COMMENT_ON_CODE, "statuses": READ_COMMIT_STATUSES})
async def show_commit(request: PageRequest, project: ProjectRow, sha: str, query: ShownNote) -> HtmlPage | Response:
    name, dot, suffix = sha.rpartition(".")
    code = await commits.code_of(request.services, project)
    found = commits.find(code, name if dot else sha)
    commit = commits.show(found)
    if dot:
        return await _patch(code, commit, suffix)
    changes = await read_changes(request, found, commit.parents[0] if commit.parents else None)
    refs = await commits.refs_with(found)
    async with request.reading() as tx:
        context = await _read_facts(request, tx, project, commit)
        context |= await _read_comments(request, tx, project, commit, query.note or 0)
    context |= {"root": request.here, "commit": commit, "changes": changes}
    context |= {"refs": refs[:MAX_REFS], "more_refs": len(refs) - MAX_REFS}
    context["signature"] = (await read_badges(request.services, code, project.id, [commit.id])).get(commit.id)
    parts = {**changes.parts, NOTE: ("files", "discussion")}
    return HtmlPage("code/commit.html", context, fragments=("discussion",), parts=parts)


@form(
    "/{project}/commit/{sha}/notes", to=COMMENT_ON_CODE, again="/{project}/commit/{sha}", max_body=MAX_FORM_WITH_FILES
)
async def comment_on_commit(
    request: PageRequest, project: ProjectRow, sha: str, change: CommitCommentForm
) -> Redirect | ShowFormAgain:
    if change.preview:
        return ShowFormAgain()
    found = commits.find(await commits.code_of(request.services, project), sha)
    if not change.body.strip() and not files_of(request):
        raise errors.invalid({"body": [errors.BLANK]})
    actor, line = request.actor, await operations.find_line(found, change)
    async with staged_files(request) as files, request.transaction() as tx:
        noteable = await operations.find_noteable(tx, actor, project.id, commits.show(found), to="comment")
        body = await attach(tx, actor, project.id, change.body, files)
        if change.discussion_id:
            note = await operations.reply(tx, actor, noteable, change.discussion_id, body)
        else:
            note = await operations.create(tx, actor, noteable, body, line)
    kept = request.link(line=None, note=note.id)
    return to_note(request, f"{request.here}/commit/{found.id}{kept}", note.id)


async def _read_facts(request: PageRequest, tx: Tx, project: ProjectRow, commit: CommitInfo) -> dict[str, Any]:
    """Author, statuses, pipeline and the text below the title."""
    place = msgspec.structs.replace(text_place(project.full_path), plain=True)
    text = MarkdownText(commit.message.partition("\n")[2].strip(), place)
    return {
        "author": (await authors_of(tx, [commit])).get(commit.author_email),
        "statuses": (
            await statuses.newest_of_each(tx, project.id, commit.id, MAX_STATUSES) if request.rights["statuses"] else []
        ),
        "pipeline": await pipelines.newest(tx, project.id, commit.id) if request.rights["statuses"] else None,
        "message": (await markdown.show(request.services, tx, request.actor, [text]))[0],
    }


async def _read_comments(
    request: PageRequest, tx: Tx, project: ProjectRow, commit: CommitInfo, note: int
) -> dict[str, Any]:
    """The threads about lines, by line, and the timeline of the others."""
    noteable = noteable_of(project, await read_id(tx, project.id, commit.id))
    timeline = await read_timeline(
        request.services, tx, request.actor, noteable, text_place(project.full_path), note=note,
        draft=request.draft("body"), roles=True,
    )  # fmt: skip
    lines = await lines_of(tx, [thread.notes[0].id for thread in timeline.threads])
    by_line: dict[tuple[str, str, int], list[Thread]] = {}
    general: list[Thread] = []
    for thread in timeline.threads:
        line = lines.get(thread.notes[0].id)
        found = by_line.setdefault((line.path, line.line_type, line.line), []) if line else general
        found.append(thread)
    return {"timeline": msgspec.structs.replace(timeline, threads=general), "by_line": by_line}


async def _patch(code: Repository, commit: CommitInfo, suffix: str) -> Response:
    if suffix not in ("diff", "patch"):
        raise errors.not_found("Commit")
    pieces = await commits.patch_pieces(commit, code, mail=suffix == "patch")
    return Response(pieces, content_type="text/plain; charset=utf-8", headers=SAFE)
