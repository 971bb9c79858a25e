"""The consequences of a new version of a merge request: a note about its commits, and the lines of discussions move."""

import asyncio
import html
from pathlib import Path
from typing import Annotated

import msgspec

from mujina.adapters.git.reading import diffs as git_diffs
from mujina.adapters.git.reading import patches
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.urls import web
from mujina.planning.discussions.positions import Position
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import NoteTarget
from mujina.review.discussions import operations as discussions
from mujina.review.discussions.operations import PlacedPosition
from mujina.review.merge_requests import operations as merge_requests
from mujina.review.merge_requests.drafts import is_unfinished
from mujina.review.suggestions import operations as suggestions
from mujina.review.version_changes.tracing import VersionDiffs, changed_line_code, path_after, trace
from mujina.review.versions import operations as versions
from mujina.review.versions.operations import RepositoryRef
from mujina.review.versions.rules import VersionRow

MAX_LISTED_COMMITS = 250
"""A note lists the newest commits of a push and counts the others."""


class FollowedVersion(VersionRow):
    """A version (`v`) with its request (`mr`) and the target project (`p`, `r`)."""

    pusher_id: int | None
    iid: Annotated[int, "mr.iid"]
    project_id: Annotated[int, "p.id"]
    storage: Annotated[str, "p.repository_storage"]
    path: Annotated[str, "r.path"]
    target_branch: Annotated[str, "mr.target_branch"]
    forked: Annotated[bool, "(mr.source_project_id IS NULL OR mr.source_project_id <> mr.project_id)"]
    resolves_outdated: Annotated[bool, "p.resolve_outdated_diff_discussions"]
    previous_id: Annotated[
        int | None,
        """(SELECT max(earlier.id) FROM merge_request_versions earlier
            WHERE earlier.merge_request_id = v.merge_request_id AND earlier.id < v.id)""",
    ]
    number: Annotated[
        int,
        """(SELECT count(*) FROM merge_request_versions earlier
            WHERE earlier.merge_request_id = v.merge_request_id AND earlier.id <= v.id AND earlier.state <> 'empty')""",
    ]

    @property
    def target(self) -> NoteTarget:
        return NoteTarget("merge_request", self.merge_request_id, self.project_id)

    @property
    def diffs_url(self) -> str:
        return f"{web(f'/{self.path}/merge_requests/{self.iid}/diffs')}?diff_id={self.id}"


class _Discussion(msgspec.Struct, frozen=True):
    id: str
    position: Position
    line_code: str | None


class _Consequences(msgspec.Struct, frozen=True):
    """The facts that were read from git."""

    note: str | None = None
    unfinished: str | None = None
    moved: dict[str, PlacedPosition] = {}
    outdated: dict[str, str | None] = {}
    """Discussion → the anchor of the changed line."""


async def enqueue_following(tx: Tx, event: Event) -> None:
    """Enqueue the jobs if the edit compares the request with another branch; its source may have moved meanwhile."""
    if "target_branch" in event.changes:
        await enqueue(tx, "merge_requests.follow_versions", event.subject_id, owner_id=event.actor_id)
        await enqueue(tx, "merge_requests.refresh", event.subject_id, owner_id=event.actor_id)


async def follow_versions(services: Services, request_id: int) -> None:
    """Bring notes and positions up to each new version in turn; running it again changes nothing."""
    while (found := await _find_next(services, request_id)) is not None:
        version, previous, open_discussions = found
        read = _Consequences()
        if previous is not None:
            repo_path = await RepositoryRef(version.project_id, version.storage).repo_path(services)
            read = await asyncio.to_thread(_read, repo_path, version, previous, open_discussions)
        async with services.database.transaction() as tx:
            if await versions.mark_followed(tx, version.id):
                await _store(tx, version, read)
        await suggestions.mark_outdated(services, RepositoryRef(version.project_id, version.storage), request_id)


async def _find_next(
    services: Services, request_id: int
) -> tuple[FollowedVersion, VersionRow | None, list[_Discussion]] | None:
    async with services.database.reading() as tx:
        version = await tx.row(
            FollowedVersion,
            f"""SELECT {FollowedVersion.columns} FROM merge_request_versions v
                JOIN merge_requests mr ON mr.id = v.merge_request_id JOIN projects p ON p.id = mr.project_id
                JOIN routes r ON r.project_id = p.id
                WHERE v.merge_request_id = :id AND NOT v.followed ORDER BY v.id LIMIT 1""",
            id=request_id,
        )
        if version is None:
            return None
        previous = await tx.row(
            VersionRow,
            f"SELECT {VersionRow.columns} FROM merge_request_versions v WHERE v.id = :id",
            id=version.previous_id or 0,
        )
        rows = await discussions.find_positions(tx, request_id)
    head = None if previous is None else previous.head_sha
    found = [_Discussion(id_, position, code) for id_, position, code in rows if position.head_sha == head]
    return version, previous, found


def _read(
    repo_path: Path, version: FollowedVersion, previous: VersionRow, open_discussions: list[_Discussion]
) -> _Consequences:
    note, unfinished = _read_commits(repo_path, version, previous)
    diffs = _read_diffs(repo_path, version, previous, [discussion.position for discussion in open_discussions])
    traced = {discussion.id: trace(discussion.position, diffs) for discussion in open_discussions}
    return _Consequences(
        note,
        unfinished,
        {id_: placed for id_, placed in traced.items() if placed is not None},
        {
            discussion.id: changed_line_code(discussion.position, diffs) or discussion.line_code
            for discussion in open_discussions
            if traced[discussion.id] is None
        },
    )


def _read_commits(repo_path: Path, version: FollowedVersion, previous: VersionRow) -> tuple[str | None, str | None]:
    """The note about new commits, and the first one of them that is unfinished."""
    old, new = previous.head_sha, version.head_sha
    if version.pusher_id is None or old is None or new is None or old == new:
        return None, None
    added = git_diffs.commits_between(repo_path, old, new)
    own = set(added if version.start_sha is None else git_diffs.commits_between(repo_path, version.start_sha, new))
    mine = [id_ for id_ in added if id_ in own]
    foreign = [id_ for id_ in added if id_ not in own]
    if not added:
        return None, None
    commits = git_diffs.read_commits(repo_path, mine[:MAX_LISTED_COMMITS])[::-1]
    items = [_foreign(version, old, foreign)] if foreign else []
    if len(mine) > len(commits):
        items.append(f"{len(mine) - len(commits)} more commits")
    items += [f"{commit.id[:8]} - {html.escape(commit.title)}" for commit in commits]
    listed = "".join(f"<li>{item}</li>" for item in items)
    count = f"added {len(added)} {'commit' if len(added) == 1 else 'commits'}"
    compared = f"[Compare with previous version]({version.diffs_url}&start_sha={old})"
    unfinished = next((commit.id for commit in commits if is_unfinished(commit.title)), None)
    return f"{count}\n\n<ul>{listed}</ul>\n\n{compared}", unfinished


def _foreign(version: FollowedVersion, old: str, commits: list[str]) -> str:
    """The item about commits that came from the target branch; the newest is the first of them."""
    ids = commits[0][:8] if len(commits) == 1 else f"{old[:8]}...{commits[0][:8]}"
    namespace = f"{version.path.rpartition('/')[0]}:" if version.forked else ""
    branch = html.escape(f"{namespace}{version.target_branch}")
    return f"{ids} - {len(commits)} {'commit' if len(commits) == 1 else 'commits'} from branch <code>{branch}</code>"


def _read_diffs(
    repo_path: Path, version: FollowedVersion, previous: VersionRow, positions: list[Position]
) -> VersionDiffs:
    """The changes of the files that the positions are in."""
    new_paths, old_paths = ({getattr(at, name) for at in positions} for name in ("new_path", "old_path"))
    ids = (previous.head_sha, previous.base_sha, version.head_sha, version.base_sha)
    if not positions or version.state == "empty" or None in ids:
        return VersionDiffs(version, [], [], [])
    old_head, old_base, head, base = (id_ or "" for id_ in ids)
    heads = patches.changed_files(repo_path, old_head, head, set(), new_paths)
    bases = patches.changed_files(repo_path, old_base, base, set(), old_paths) if base != old_base else []
    shown = patches.changed_files(
        repo_path,
        base,
        head,
        {path_after(heads, path)[0] for path in new_paths},
        {path_after(bases, path)[0] for path in old_paths},
    )
    return VersionDiffs(version, heads, bases, shown)


async def _store(tx: Tx, version: FollowedVersion, read: _Consequences) -> None:
    pusher_id = version.pusher_id
    if read.note is not None and pusher_id is not None:
        await notes.add_system_by(tx, pusher_id, version.created_at, version.target, read.note)
    if read.unfinished is not None and pusher_id is not None:
        await merge_requests.mark_as_draft(
            tx, Actor(id=pusher_id), version.merge_request_id, version.project_id, read.unfinished
        )
    for discussion_id, placed in read.moved.items():
        await discussions.move_position(tx, discussion_id, placed)
    for discussion_id, code in read.outdated.items():
        await discussions.mark_outdated(tx, discussion_id)
        if pusher_id is not None:
            anchor = f"#{code}" if code else ""
            body = f"changed this line in [version {version.number} of the diff]({version.diffs_url}{anchor})"
            await notes.add_system_by(
                tx, pusher_id, version.created_at, version.target, body, discussion_id=discussion_id
            )
    if version.resolves_outdated and pusher_id is not None and read.outdated:
        await discussions.resolve_outdated(
            tx, Actor(id=pusher_id), version.merge_request_id, version.project_id, list(read.outdated)
        )
