"""Discussions on merge requests: where they are, resolving them, and issues that continue them."""

import asyncio
from pathlib import Path
from typing import Annotated

import msgspec

from mujina.adapters.git import refs
from mujina.adapters.git.reading import patches
from mujina.kernel import errors
from mujina.kernel.db.rows import insert, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.kernel.http.params import Ref, Unset
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.text.diffs import FilePatch, PatchLine, line_code
from mujina.planning.discussions.follow_ups import find_request, followed
from mujina.planning.discussions.params import RequestedPosition
from mujina.planning.discussions.positions import (
    INVALID_LINE,
    INVALID_POSITION,
    ImagePosition,
    Position,
    TextPosition,
    decode,
    encode,
)
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import NoteTarget
from mujina.review.merge_requests.operations import lock, repository_of
from mujina.review.merge_requests.rules import (
    COMMENT_ON_MERGE_REQUEST,
    MergeRequestRow,
    find_merge_request,
    find_merge_request_as,
    unresolved,
)
from mujina.review.versions.operations import RepositoryRef, keep
from mujina.review.versions.rules import VersionRow
from mujina.workspaces.projects.rules import READ_CODE

NOT_SUPPORTED = {"noteable": ["doesn't support new-style diff notes"]}


class PlacedPosition(msgspec.Struct, frozen=True):
    """A position that a diff has."""

    position: Position
    line_code: str | None


class PlacingRow(MergeRequestRow):
    """A request on whose lines an actor comments."""

    code_readable: Annotated[bool, READ_CODE]
    """Otherwise the actor wrote the request or is assigned to it, and sees of the code only what it changes."""


async def place(
    services: Services, actor: Actor, ref: Ref, iid: int, requested: RequestedPosition | Unset | None
) -> PlacedPosition | None:
    """Where in the diff of the request the requested position is; 400 if it is outside. None: no position is requested."""
    if not requested:
        return None
    async with services.database.reading() as tx:
        request = await find_merge_request_as(PlacingRow, tx, actor, ref, iid, to=COMMENT_ON_MERGE_REQUEST, hide=True)
        versions = await _find_versions(tx, request.id, requested.head_sha)
    if not versions or versions[0].state == "empty":
        raise errors.invalid(NOT_SUPPORTED)
    if not requested.complete or not (request.code_readable or any(_names(requested, each) for each in versions)):
        raise errors.invalid(INVALID_POSITION)
    folder = await repository_of(request).repo_path(services)
    commits = {requested.base_sha, requested.start_sha, requested.head_sha}
    if not all([await asyncio.to_thread(patches.is_commit, folder, sha) for sha in commits]):
        raise errors.invalid(INVALID_POSITION)
    base = await _base(folder, versions, requested)
    if base is None:
        raise errors.invalid(INVALID_POSITION)
    placed = await asyncio.to_thread(_placed, folder, base, requested)
    await keep(folder, *commits)
    return placed


async def _find_versions(tx: Tx, request_id: int, head: str) -> list[VersionRow]:
    """The newest version of all, and those with this head."""
    return await tx.rows(
        VersionRow,
        f"""SELECT {VersionRow.columns} FROM merge_request_versions v WHERE v.merge_request_id = :id
            AND (v.head_sha = :head OR v.id = (SELECT max(newest.id) FROM merge_request_versions newest
                                               WHERE newest.merge_request_id = :id))
            ORDER BY v.id DESC""",
        id=request_id,
        head=head,
    )


def _names(requested: RequestedPosition, version: VersionRow) -> bool:
    """Whether the position is in what this version changes, and names no other commit."""
    ids = (requested.head_sha, requested.base_sha, requested.start_sha)
    return ids in ((version.head_sha, version.base_sha, start) for start in (version.start_sha, version.base_sha))


async def _base(folder: Path, versions: list[VersionRow], requested: RequestedPosition) -> str | None:
    """The commit that the head is compared with."""
    # Compat: some clients name the tip of the target branch instead of the merge base; the head, path and line decide.
    bases = [version.base_sha for version in versions if version.head_sha == requested.head_sha]
    if bases:
        return requested.base_sha if requested.base_sha in bases else bases[0]
    return await refs.merge_base(folder, requested.head_sha, requested.base_sha)


def _placed(folder: Path, base: str, requested: RequestedPosition) -> PlacedPosition:
    files = patches.changed_files(folder, base, requested.head_sha, {requested.new_path}, {requested.old_path})
    by_new = next((file for file in files if file.new_path == requested.new_path), None)
    file = by_new or next((file for file in files if file.old_path == requested.old_path), None)
    if file is None:
        raise errors.invalid(INVALID_LINE)
    ids = {name: getattr(requested, name) for name in ("base_sha", "start_sha", "head_sha")}
    paths = {"old_path": file.old_path, "new_path": file.new_path}
    if requested.type == "image":
        point = {name: getattr(requested, name) for name in ("width", "height", "x", "y")}
        return PlacedPosition(ImagePosition(**ids, **paths, **point), None)
    line = find_line(file, requested.old_line, requested.new_line)
    if line is None:
        raise errors.invalid(INVALID_LINE)
    position = TextPosition(**ids, **paths, old_line=line.old, new_line=line.new)
    return PlacedPosition(position, line_code(file.new_path, line.old_count, line.new_count))


def find_line(file: FilePatch, old: int | None, new: int | None) -> PatchLine | None:
    """The line with these numbers; one of them alone also means an unchanged line."""
    exact = next((line for line in file.lines if (line.old, line.new) == (old, new)), None)
    if exact is not None or (old is not None and new is not None):
        return exact
    return next(
        (line for line in file.lines if (new if old is None else old) == (line.new if old is None else line.old)), None
    )


async def put_position(tx: Tx, request_id: int, discussion_id: str, placed: PlacedPosition | None) -> None:
    """Store what a new discussion is about; None if it is about the whole request."""
    if placed is None:
        return
    position = encode(placed.position).decode()
    await insert(
        tx, "diff_positions", discussion_id=discussion_id, merge_request_id=request_id, position=position,
        original_position=position, line_code=placed.line_code,
    )  # fmt: skip


async def find_positions(tx: Tx, request_id: int) -> list[tuple[str, Position, str | None]]:
    """Discussions on lines that no version has changed: id, position and anchor."""
    rows = await tx.rows(
        tuple[str, str, str | None],
        """SELECT at.discussion_id, at.position, at.line_code FROM diff_positions at
           WHERE at.merge_request_id = :id AND NOT at.outdated""",
        id=request_id,
    )
    return [(discussion_id, decode(position), code) for discussion_id, position, code in rows]


async def patches_of(
    services: Services, repository: RepositoryRef, base: str, head: str, paths: set[str]
) -> dict[str, FilePatch]:
    """The changes of these files between two commits, by path."""
    return await asyncio.to_thread(patches.patches_of, await repository.repo_path(services), base, head, paths)


async def move_position(tx: Tx, discussion_id: str, placed: PlacedPosition) -> None:
    """The discussion is about the same line, which is elsewhere now."""
    columns = {"position": encode(placed.position).decode(), "line_code": placed.line_code}
    await update(tx, "diff_positions", columns, discussion_id=discussion_id)


async def mark_outdated(tx: Tx, discussion_id: str) -> None:
    """The discussion stays where it is: a later version changed the line."""
    await tx.run("UPDATE diff_positions SET outdated = TRUE WHERE discussion_id = :id", id=discussion_id)


async def resolve_outdated(tx: Tx, actor: Actor, request_id: int, project_id: int, discussion_ids: list[str]) -> None:
    """Resolve these discussions on behalf of the user whose push changed their lines."""
    note_ids: list[int] = await tx.values(
        "SELECT note.id FROM notes note WHERE note.discussion_id IN :ids AND NOT note.system", ids=discussion_ids
    )
    if await notes.set_resolved(tx, actor.id, note_ids, resolved=True):
        await announce_resolved(tx, actor, request_id, project_id)


async def delete_unused_position(tx: Tx, event: Event) -> None:
    """Delete what a discussion was about when its last note is deleted."""
    if event.changes["noteable_kind"] == "merge_request":
        await tx.run(
            """DELETE FROM diff_positions WHERE merge_request_id = :id AND NOT EXISTS (
               SELECT 1 FROM notes note WHERE note.discussion_id = diff_positions.discussion_id AND NOT note.system)""",
            id=event.changes["noteable_id"],
        )


async def resolve(tx: Tx, actor: Actor, request: MergeRequestRow, note_ids: list[int], *, resolved: bool) -> None:
    """Resolve these notes, or take it back. The last one that is resolved is announced."""
    await lock(tx, request.id)
    if await notes.set_resolved(tx, actor.id, note_ids, resolved=resolved) and resolved:
        await announce_resolved(tx, actor, request.id, request.project_id)


async def announce_resolved(tx: Tx, actor: Actor, request_id: int, project_id: int) -> None:
    """Record that no discussion of the request is open, unless one is."""
    still_open = await tx.value(
        f"SELECT mr.id FROM merge_requests mr WHERE mr.id = :id AND {unresolved.for_row}", id=request_id
    )
    if still_open is None:
        await record(tx, "merge_request.discussions_resolved", actor, subject_id=request_id, project_id=project_id)


async def note_resolved(tx: Tx, event: Event) -> None:
    target = NoteTarget("merge_request", event.subject_id, event.project_id)
    await notes.add_system(tx, event, target, ["resolved all discussions"])


async def resolve_followed_discussions(tx: Tx, event: Event) -> None:
    """Resolve the discussions that a new issue continues, if the actor may, and say in each of them which issue it is."""
    if "follow_up" not in event.changes or event.project_id is None or event.actor_id is None:
        return
    iid, discussion_id = event.changes["follow_up"]
    noteable = await find_request(tx, event.actor, event.project_id, iid)
    if noteable is None or not noteable.resolver:
        return
    request = await find_merge_request(tx, event.actor, Ref.of(event.project_id), iid)
    issue_iid: int = await tx.value("SELECT i.iid FROM issues i WHERE i.id = :id", id=event.subject_id)
    target = NoteTarget("merge_request", request.id, request.project_id)
    source = NoteTarget("issue", event.subject_id, event.project_id)
    body = f"created #{issue_iid} to continue this discussion"
    for followed_id, comments in (await followed(tx, noteable, discussion_id)).items():
        await resolve(tx, event.actor, request, [note.id for note in comments], resolved=True)
        await notes.add_system_by(
            tx, event.actor_id, event.created_at, target, body, discussion_id=followed_id, source=source
        )
