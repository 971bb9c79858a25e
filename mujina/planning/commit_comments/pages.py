"""The page of a commit: its message, its changes and the comments on them."""

from typing import Any
from urllib.parse import quote

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
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.urls import instance_address
from mujina.planning.commit_comments import entities, operations
from mujina.planning.commit_comments.entities import CommitComment
from mujina.planning.commit_comments.params import CreateCommitComment
from mujina.planning.notes.new_notes import to_note
from mujina.rendering import markdown
from mujina.rendering.html import Html
from mujina.rendering.markdown import MarkdownText
from mujina.rendering.markdown_pieces import TextPlace
from mujina.workspaces.projects.rules import COMMENT_ON_CODE, READ_CODE, ProjectRow

MAX_REFS = 20
MAX_COMMENTS = 200
MAX_STATUSES = 100


class ShownComment(msgspec.Struct, frozen=True):
    """A comment with its rendered text."""

    id: int
    comment: CommitComment
    body: Html


@view("/{project}/commit/{sha}", to=READ_CODE, rights={"comment": COMMENT_ON_CODE, "statuses": READ_COMMIT_STATUSES})
async def show_commit(request: PageRequest, project: ProjectRow, sha: str) -> HtmlPage | Response:
    name, dot, suffix = sha.rpartition(".")
    code = await commits.code_of(request.services, project)
    found = commits.find(code, name if dot else sha)
    commit = commits.show(found)
    if dot:
        return _patch(code, commit, suffix)
    changes = await read_changes(request, found, commit.parents[0] if commit.parents else None)
    refs = await commits.refs_with(found)
    async with request.reading() as tx:
        context = await _discussed(request, tx, project, commit)
    context |= {"root": quote(f"/{project.full_path}"), "commit": commit, "changes": changes, "head": found.id}
    context |= {"refs": refs[:MAX_REFS], "more_refs": len(refs) - MAX_REFS}
    context["signature"] = (await read_badges(request.services, code, project.id, [commit.id])).get(commit.id)
    return HtmlPage("code/commit.html", context, fragments=("discussion",), parts=changes.parts)


@form("/{project}/commit/{sha}/comments", to=COMMENT_ON_CODE, again="/{project}/commit/{sha}")
async def create_comment(request: PageRequest, project: ProjectRow, sha: str, change: CreateCommitComment) -> Redirect:
    found = commits.find(await commits.code_of(request.services, project), sha)
    if not change.note.strip():
        raise errors.invalid({"note": [errors.BLANK]})
    line = await operations.find_line(found, change)
    async with request.transaction() as tx:
        noteable = await operations.find_noteable(tx, request.actor, project.id, commits.show(found), to="comment")
        note = await operations.create(tx, request.actor, noteable, change.note, line)
    kept = request.link(line=None)
    page = f"/{quote(project.full_path)}/commit/{found.id}{kept if kept.startswith('?') else ''}"
    return to_note(request, page, note.id)


async def _discussed(request: PageRequest, tx: Tx, project: ProjectRow, commit: CommitInfo) -> dict[str, Any]:
    """Author, statuses, pipeline and comments: five statements, and one for references."""
    comments = await entities.on_commit(tx, project.id, commit.id, MAX_COMMENTS)
    place = TextPlace(base=instance_address.get().base, project=project.full_path, anchors=False)
    texts = [MarkdownText(commit.message.partition("\n")[2].strip(), msgspec.structs.replace(place, plain=True))]
    texts += [MarkdownText(comment.note, place) for _, comment in comments]
    message, *bodies = await markdown.show(request.services, tx, request.actor, texts)
    by_line: dict[tuple[str, str, int], list[ShownComment]] = {}
    general: list[ShownComment] = []
    for (note_id, comment), body in zip(comments, bodies, strict=True):
        shown = ShownComment(note_id, comment, body)
        if comment.path and comment.line and comment.line_type:
            by_line.setdefault((comment.path, comment.line_type, comment.line), []).append(shown)
        else:
            general.append(shown)
    return {
        "author": (await authors_of(tx, [commit])).get(commit.author_email),
        "statuses": (
            await statuses.newest_of_each(tx, project.id, commit.id, MAX_STATUSES) if request.rights["statuses"] else []
        ),
        "pipeline": await pipelines.newest(tx, request.actor, project.id, commit.id),
        "message": message, "comments": general, "by_line": by_line,
    }  # fmt: skip


def _patch(code: Repository, commit: CommitInfo, suffix: str) -> Response:
    if suffix not in ("diff", "patch"):
        raise errors.not_found("Commit")
    pieces = commits.patch_pieces(commit, code, mail=suffix == "patch")
    return Response(pieces, content_type="text/plain; charset=utf-8", headers=SAFE)
