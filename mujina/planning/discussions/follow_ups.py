"""Issues that continue the discussions on a merge request: which discussions, and what the issue says about them."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import structs

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import web
from mujina.planning.issues.operations import MAX_DESCRIPTION_LENGTH
from mujina.planning.issues.params import CreateIssue
from mujina.planning.noteables.kinds import Noteable, noteable_kind

MAX_DISCUSSIONS = 500
"""Further open discussions are neither described nor resolved."""


class FollowedNote(Row, alias="note"):
    """A note (`note`) of a discussion to be continued, with its author (`u`)."""

    id: int
    discussion_id: str
    body: str
    username: Annotated[str, "u.username"]
    open: Annotated[bool, "(note.resolved_at IS NULL)"]


Discussions = dict[str, list[FollowedNote]]
"""The comments of each discussion by its id, the oldest first."""


async def find_request(tx: Tx, actor: Actor, project_id: int, iid: int) -> Noteable | None:
    """The merge request of the project; None if there is none that the actor may read."""
    kind = noteable_kind(tx.product, "merge_request")
    try:
        return None if kind is None else await kind.find(tx, actor, Ref.of(project_id), iid, "read")
    except errors.ApiError:
        return None


async def followed(tx: Tx, request: Noteable, discussion_id: str | None) -> Discussions:
    """The discussion of this id, resolved or not; without an id, every open discussion."""
    rows = await tx.rows(
        FollowedNote,
        f"""
        SELECT {FollowedNote.columns} FROM notes note JOIN users u ON u.id = note.author_id
        WHERE note.noteable_kind = :noteable_kind AND note.noteable_id = :noteable_id AND NOT note.system
        AND NOT note.individual AND note.discussion_id IN (
            SELECT first.discussion_id FROM notes first
            WHERE first.noteable_kind = :noteable_kind AND first.noteable_id = :noteable_id
            AND NOT first.system AND NOT first.individual
            AND CASE WHEN CAST(:discussion_id AS text) IS NULL THEN first.resolved_at IS NULL
                ELSE first.discussion_id = :discussion_id END
            GROUP BY first.discussion_id ORDER BY min(first.id) LIMIT :max_discussions)
        ORDER BY note.id
        """,
        discussion_id=discussion_id,
        max_discussions=MAX_DISCUSSIONS,
        **request.bound,
    )
    found: Discussions = {}
    for row in rows:
        found.setdefault(row.discussion_id, []).append(row)
    return found


async def with_description(tx: Tx, actor: Actor, project_id: int, change: CreateIssue) -> CreateIssue:
    """An issue that continues the discussions on a merge request describes them, unless it has a description."""
    iid = change.merge_request_to_resolve_discussions_of
    if iid is UNSET or change.description:
        return change
    request = await find_request(tx, actor, project_id, iid)
    if request is None:
        return change
    discussions = await followed(tx, request, change.discussion_to_resolve or None)
    return structs.replace(change, description=describe(request, discussions))


def describe(request: Noteable, discussions: Discussions) -> str:
    """The description of the issue: each discussion as a task with its first open comment."""
    if not discussions:
        return f"There are no unresolved discussions. Review the conversation in !{request.iid}"
    noun = "discussion" if len(discussions) == 1 else "discussions"
    parts = [f"The following {noun} from !{request.iid} should be addressed:"]
    page, length = web(f"/{request.path}/merge_requests/{request.iid}"), len(parts[0])
    for notes in discussions.values():
        item = _item(page, notes)
        length += len(item) + 2
        if length > MAX_DESCRIPTION_LENGTH:
            break
        parts.append(item)
    return "\n\n".join(parts)


def _item(page: str, notes: Sequence[FollowedNote]) -> str:
    note = next((note for note in notes if note.open), notes[0])
    action = "started" if note is notes[0] else "commented on"
    others = len(notes) - 1
    more = f" (+{others} {'comment' if others == 1 else 'comments'})" if others else ""
    # Compat: a blank ends the first line.
    title = f"- [ ] @{note.username} {action} a [discussion]({page}#note_{note.id}): {more}"
    quoted = "\n".join(f"    > {line}" for line in without_quote_fences(note.body).splitlines())
    return f"{title}\n\n{quoted}"


def without_quote_fences(text: str) -> str:
    """The text with `>` before each line between two lines of `>>>`, outside of code."""
    lines = text.splitlines()
    fences: list[int] = []
    code = ""
    for number, line in enumerate(lines):
        mark = line.lstrip()[:3]
        if code:
            code = "" if mark == code else code
        elif mark in ("```", "~~~"):
            code = mark
        elif line.rstrip() == ">>>":
            fences.append(number)
    pairs = list(zip(fences[::2], fences[1::2], strict=False))
    dropped = {number for pair in pairs for number in pair}
    quoted = {number for start, end in pairs for number in range(start, end)}
    return "\n".join(
        (f"> {line}".rstrip() if number in quoted else line)
        for number, line in enumerate(lines)
        if number not in dropped
    )
