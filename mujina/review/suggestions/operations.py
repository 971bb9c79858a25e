"""Suggestions: read from comments, kept up to date with the source branch, and applied to it.

Suggestions are applied by one commit, which is checked and recorded like a push.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final

from mujina.adapters.git import refs
from mujina.adapters.git.objects import opened
from mujina.adapters.git.reading import patches
from mujina.adapters.git.reading.commits import file_at
from mujina.adapters.git.writing import commits as writing
from mujina.adapters.git.writing.commits import Action, InvalidAction, Signer
from mujina.code.commits.operations import signer_of
from mujina.code.pushes.access import AccessDenied, find_repository
from mujina.code.pushes.changes import BRANCHES, Change
from mujina.code.pushes.collaboration import may_push_to
from mujina.code.pushes.operations import Push, PushRejected
from mujina.code.pushes.repository_lock import under_repository_lock
from mujina.kernel import errors
from mujina.kernel.db.rows import Row, insert_each
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.http.params import Ref
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.planning.discussions.positions import TextPosition, decode
from mujina.planning.notes import operations as notes
from mujina.review.discussions.operations import announce_resolved
from mujina.review.merge_requests.operations import branches_of, repository_of
from mujina.review.merge_requests.rules import MergeRequestRow, find_merge_request
from mujina.review.merging.operations import source_tip
from mujina.review.suggestions.blocks import Block, Lines, read_blocks, replace, split
from mujina.review.version_changes.tracing import line_after, path_after
from mujina.review.versions.operations import RepositoryRef, newest_head

MAX_APPLIED: Final = 100
"""Suggestions that one commit applies."""
NOT_OPEN: Final = "The merge request is not open"
APPLIED: Final = "The suggestion is applied already"
OUTDATED: Final = "The lines have changed since the suggestion was written"
EQUAL: Final = "The suggestion equals the lines that it replaces"
OVERLAP: Final = "Two of the suggestions change the same line"
MIXED: Final = "The suggestions belong to different merge requests"
TOO_MANY: Final = f"One commit applies at most {MAX_APPLIED} suggestions"
NO_BRANCH: Final = "The source branch does not exist"


class NoteWithPosition(Row, alias="note"):
    """A comment (`note`) on a line (`at`) of a merge request (`mr`) of a project (`p`)."""

    body: str
    position: Annotated[str, "at.position"]
    request_id: Annotated[int, "mr.id"]
    project_id: Annotated[int, "p.id"]
    storage: Annotated[str, "p.repository_storage"]


async def enqueue_reading(tx: Tx, event: Event) -> None:
    """Enqueue the job for a comment whose text contains, or contained, a suggestion."""
    before, after = event.changes["body"]
    if event.changes["noteable_kind"] == "merge_request" and any(
        "suggestion" in (text or "") for text in (before, after)
    ):
        await enqueue(tx, "suggestions.read_note", event.subject_id, owner_id=event.actor_id)


async def read_note(services: Services, note_id: int) -> None:
    """Store what the comment suggests, unless it is stored; running it again changes nothing."""
    async with services.database.reading() as tx:
        note = await _find_note(tx, note_id)
        head = None if note is None else await newest_head(tx, note.request_id)
    if note is None:
        return
    position, blocks = decode(note.position), read_blocks(note.body)
    if not isinstance(position, TextPosition) or position.new_line is None or head is None:
        return
    repo_path = await RepositoryRef(note.project_id, note.storage).repo_path(services)
    rows = await asyncio.to_thread(_rows, repo_path, note_id, position, blocks, head)
    async with services.database.transaction() as tx:
        stored = await tx.rows(
            tuple[int, int, str],
            "SELECT s.lines_above, s.lines_below, s.to_content FROM suggestions s WHERE s.note_id = :id ORDER BY s.id",
            id=note_id,
        )
        now = await _find_note(tx, note_id)
        same = [(row["lines_above"], row["lines_below"], row["to_content"]) for row in rows] == stored
        if now is None or now.body != note.body or same:  # a later job reads the text as it is now
            return
        await tx.run("DELETE FROM suggestions WHERE note_id = :id", id=note_id)
        await insert_each(tx, "suggestions", rows)


async def _find_note(tx: Tx, note_id: int) -> NoteWithPosition | None:
    return await tx.row(
        NoteWithPosition,
        f"""SELECT {NoteWithPosition.columns} FROM notes note
            JOIN diff_positions at ON at.discussion_id = note.discussion_id
            JOIN merge_requests mr ON mr.id = note.noteable_id JOIN projects p ON p.id = mr.project_id
            WHERE note.id = :id AND note.noteable_kind = 'merge_request' AND NOT note.system""",
        id=note_id,
    )


def _rows(
    repo_path: Path, note_id: int, position: TextPosition, blocks: Sequence[Block], head: str
) -> list[dict[str, str | int]]:
    """What each block replaces in the commit that the comment is about."""
    lines = lines_of(repo_path, position.head_sha, position.new_path) or []
    number = position.new_line or 0
    if number > len(lines):
        return []
    found: list[dict[str, str | int]] = []
    for block in blocks:
        where = Lines(position.new_path, max(1, number - block.above), min(len(lines), number + block.below))
        former = b"".join(lines[where.first - 1 : where.last]).decode("utf-8", "replace").replace("\r\n", "\n")
        found.append(
            {
                "note_id": note_id, "lines_above": block.above, "lines_below": block.below,
                "head_sha": position.head_sha, "path": where.path, "from_line": where.first, "to_line": where.last,
                "from_content": former.replace("\0", ""), "to_content": block.content,
                "outdated": locate(repo_path, position.head_sha, where, head) is None,
            }
        )  # fmt: skip
    return found


class OpenSuggestion(Row, alias="s"):
    """A suggestion that is not applied, and the lines of a commit that it replaces."""

    id: int
    head_sha: str
    path: str
    from_line: int
    to_line: int

    @property
    def lines(self) -> Lines:
        return Lines(self.path, self.from_line, self.to_line)


async def mark_outdated(services: Services, repository: RepositoryRef, request_id: int) -> None:
    """Find out which suggestions of a request replace lines that its newest version no longer has."""
    async with services.database.reading() as tx:
        rows = await tx.rows(
            OpenSuggestion,
            f"""SELECT {OpenSuggestion.columns} FROM notes note JOIN suggestions s ON s.note_id = note.id
                WHERE note.noteable_kind = 'merge_request' AND note.noteable_id = :id
                AND NOT s.outdated AND s.commit_sha IS NULL""",
            id=request_id,
        )
        head = await newest_head(tx, request_id)
    if not rows or head is None:
        return
    repo_path = await repository.repo_path(services)
    located = await asyncio.to_thread(lambda: [locate(repo_path, row.head_sha, row.lines, head) for row in rows])
    gone = [row.id for row, where in zip(rows, located, strict=True) if where is None]
    if gone:
        async with services.database.transaction() as tx:
            await tx.run("UPDATE suggestions SET outdated = TRUE WHERE id IN :ids AND commit_sha IS NULL", ids=gone)


def lines_of(repo_path: Path, commit_id: str, path: str) -> list[bytes] | None:
    """The lines of a file; None if there is no such file, or it is too large."""
    blob = file_at(opened(repo_path), commit_id, path)
    return None if blob is None or blob.data is None else split(blob.data)


def locate(repo_path: Path, base: str, lines: Lines, head: str) -> Lines | None:
    """Where lines of one commit are in another; None if it changed one of them or put something between them."""
    if base == head:
        return lines
    if not all(patches.is_commit(repo_path, id_) for id_ in (base, head)):
        return None
    files = patches.changed_files(repo_path, base, head, (), {lines.path})
    path, file = path_after(files, lines.path)
    if file is not None and (file.too_large or file.binary):
        return None
    found = [line_after(file, number) for number in range(lines.first, lines.last + 1)]
    first = found[0]
    if first is None or found != list(range(first, first + len(found))):
        return None
    return Lines(path, first, first + len(found) - 1)


class SuggestionRow(Row, alias="s"):
    """A suggestion (`s`), with its comment (`note`), the author of that (`u`) and the merge request (`mr`)."""

    id: int
    head_sha: str
    path: str
    from_line: int
    to_line: int
    from_content: str
    to_content: str
    applied: Annotated[bool, "(s.commit_sha IS NOT NULL)"]
    author_id: Annotated[int, "u.id"]
    username: Annotated[str, "u.username"]
    project_id: Annotated[int, "mr.project_id"]
    iid: Annotated[int, "mr.iid"]


async def may_apply(tx: Tx, actor: Actor, request: MergeRequestRow) -> bool:
    """Whether the actor may push to the source branch."""
    source_id = request.source_project_id
    return source_id is not None and await may_push_to(tx, actor, source_id, request.source_branch)


async def apply(services: Services, actor: Actor, ids: Sequence[int], message: str) -> None:
    """Add one commit with all of these suggestions to the source branch, or with none.

    404 for a suggestion that the actor cannot read, 403 if they may not push there, 400 with the reason if one of them
    cannot be applied. If the branch moves meanwhile, they are applied to its new tip; each is applied once.
    """
    wanted = list(dict.fromkeys(ids))
    async with services.database.reading() as tx:
        request, _ = await _find(tx, actor, wanted)
    await under_repository_lock(str(request.source_project_id), lambda: _apply(services, actor, wanted, message))


async def _apply(services: Services, actor: Actor, ids: list[int], message: str) -> None:
    async with services.database.reading() as tx:
        request, rows = await _find(tx, actor, ids)
        head, signer = await newest_head(tx, request.id), await signer_of(tx, actor)
    tip = await source_tip(services, request)
    if tip is None or head is None:
        raise errors.bad_request(NO_BRANCH)
    if tip != head:
        raise errors.BranchMoved
    actions = await asyncio.to_thread(_actions, await repository_of(request).repo_path(services), rows, head)
    commit_id = await _commit(
        services, request, tip, actions, message.strip() or _message(rows, actions, actor), signer
    )
    await _move(services, actor, request, Change(BRANCHES + request.source_branch, tip, commit_id), ids)


async def _find(tx: Tx, actor: Actor, ids: list[int]) -> tuple[MergeRequestRow, list[SuggestionRow]]:
    if not ids:
        raise errors.unacceptable("ids is empty")
    if len(ids) > MAX_APPLIED:
        raise errors.bad_request(TOO_MANY)
    rows = await tx.rows(
        SuggestionRow,
        f"""SELECT {SuggestionRow.columns} FROM suggestions s JOIN notes note ON note.id = s.note_id
            JOIN users u ON u.id = note.author_id JOIN merge_requests mr ON mr.id = note.noteable_id
            WHERE s.id IN :ids ORDER BY s.id""",
        ids=ids,
    )
    if len(rows) < len(ids):
        raise errors.not_found("Suggestion")
    try:
        requests = [
            await find_merge_request(tx, actor, Ref.of(project_id), iid, hide=True)
            for project_id, iid in dict.fromkeys((row.project_id, row.iid) for row in rows)
        ]
    except errors.ApiError:
        raise errors.not_found("Suggestion") from None
    for request in requests:
        if not await may_apply(tx, actor, request):
            raise errors.forbidden()
    _check(requests, rows)
    return requests[0], rows


def _check(requests: list[MergeRequestRow], rows: list[SuggestionRow]) -> None:
    if len(requests) > 1:
        raise errors.bad_request(MIXED)
    if any(row.applied for row in rows):
        raise errors.bad_request(APPLIED)
    if requests[0].state != "opened":
        raise errors.bad_request(NOT_OPEN)
    if any(row.from_content == row.to_content for row in rows):
        raise errors.bad_request(EQUAL)


def _actions(repo_path: Path, rows: Sequence[SuggestionRow], head: str) -> list[Action]:
    """The files as the suggestions change them; 400 if one is about lines that the head no longer has."""
    by_path: defaultdict[str, list[tuple[Lines, str]]] = defaultdict(list)
    for row in rows:
        where = locate(repo_path, row.head_sha, Lines(row.path, row.from_line, row.to_line), head)
        if where is None:
            raise errors.bad_request(OUTDATED)
        by_path[where.path].append((where, row.to_content))
    actions: list[Action] = []
    for path, changes in by_path.items():
        places = sorted((where.first, where.last) for where, _ in changes)
        if any(last >= first for (_, last), (first, _) in pairwise(places)):
            raise errors.bad_request(OVERLAP)
        lines = lines_of(repo_path, head, path)
        if lines is None:
            raise errors.bad_request(OUTDATED)
        actions.append(Action("update", path, replace(lines, changes)))
    return actions


def _message(rows: Sequence[SuggestionRow], actions: Sequence[Action], actor: Actor) -> str:
    """What was applied, and who suggested it; the addresses of those people are not published."""
    count, files = len(rows), len(actions)
    title = f"Apply {count} suggestion{'s' * (count > 1)} to {files} file{'s' * (files > 1)}"
    others = dict.fromkeys(row.username for row in rows if row.author_id != actor.id)
    return "\n\n".join([title, "\n".join(f"Suggested-by: @{name}" for name in others)]).strip()


async def _commit(
    services: Services, request: MergeRequestRow, tip: str, actions: list[Action], message: str, signer: Signer
) -> str:
    """A commit in the source repository, to which no branch points yet."""
    source = branches_of(request).source
    if source is None:
        raise errors.bad_request(NO_BRANCH)
    repo_path = await source.repo_path(services)
    try:
        return await asyncio.to_thread(writing.commit, repo_path, tip, actions, message, signer, signer)
    except InvalidAction as invalid:
        raise errors.bad_request(str(invalid)) from None


async def _move(services: Services, actor: Actor, request: MergeRequestRow, change: Change, ids: list[int]) -> None:
    try:
        async with services.database.reading() as tx:
            repository = await find_repository(tx, actor, Ref.of(request.source_project_id or 0), "receive-pack")
        push = Push(services, actor, repository, protocol="web")
        await push.move([change], partial(_start, ids))
    except AccessDenied:
        raise errors.forbidden() from None
    except PushRejected as rejected:
        raise errors.bad_request(str(rejected)) from None
    except refs.RefMoved:
        raise errors.BranchMoved from None


async def _start(ids: list[int], tx: Tx, push_id: int) -> None:
    """Reserve the suggestions for this push; `BranchMoved` if another one applies one of them.

    A push that is given up releases them: its row is deleted.
    """
    reserved = await tx.run(
        "UPDATE suggestions SET push_id = :push_id WHERE id IN :ids AND push_id IS NULL AND commit_sha IS NULL",
        ids=ids,
        push_id=push_id,
    )
    if reserved < len(ids):
        raise errors.BranchMoved


async def finish(tx: Tx, event: Event) -> None:
    """The branch has moved, so the suggestions of the push are applied, and their threads are resolved."""
    applied = await tx.rows(
        tuple[str, int, int],
        """UPDATE suggestions SET commit_sha = :commit_sha WHERE push_id = :push_id AND commit_sha IS NULL
           RETURNING (SELECT note.discussion_id FROM notes note WHERE note.id = suggestions.note_id),
               (SELECT note.noteable_id FROM notes note WHERE note.id = suggestions.note_id),
               (SELECT note.project_id FROM notes note WHERE note.id = suggestions.note_id)""",
        push_id=event.changes["push_id"],
        commit_sha=event.changes["sha"][1],
    )
    if not applied:
        return
    _, request_id, project_id = applied[0]
    note_ids: list[int] = await tx.values(
        """SELECT note.id FROM notes note WHERE note.discussion_id IN :ids AND note.noteable_kind = 'merge_request'
           AND note.noteable_id = :request_id AND NOT note.system""",
        ids=sorted({discussion_id for discussion_id, _, _ in applied}),
        request_id=request_id,
    )
    if await notes.set_resolved(tx, event.actor_id, note_ids, resolved=True) and event.actor_id is not None:
        await announce_resolved(tx, Actor(id=event.actor_id), request_id, project_id)
