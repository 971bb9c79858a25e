"""Builds the payloads of an event from its record and its snapshot, and from git where commits are told."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from mujina.adapters.git.objects import opened
from mujina.adapters.git.reading import commits as reading
from mujina.adapters.git.reading import patches
from mujina.adapters.git.transport import pushes
from mujina.adapters.git.transport.pushes import PushedCommit
from mujina.code.commits.operations import CommitInfo
from mujina.code.pushes.changes import TAGS, ZERO, Change
from mujina.code.pushes.repo_paths import repo_path_to_read
from mujina.code.wikis.slugs import FORMATS, title_of
from mujina.integrations.payloads.events import HookEventRow, Payload, for_instance, for_project
from mujina.integrations.payloads.objects import (
    MAX_MESSAGE_LENGTH,
    CommentedLine,
    Facts,
    Object,
    ProjectFacts,
    commit,
    project,
    repository,
    user,
)
from mujina.integrations.payloads.samples import (
    MAX_SAMPLE_COMMITS,
    PushSample,
    find_sample,
    missing_text,
    push_sample,
)
from mujina.integrations.payloads.subjects.accounts import build_key, build_member, build_user
from mujina.integrations.payloads.subjects.issues import build_issue
from mujina.integrations.payloads.subjects.merge_requests import build_merge_request
from mujina.integrations.payloads.subjects.notes import build_note
from mujina.integrations.payloads.subjects.pipelines import build_job, build_pipeline, build_status
from mujina.integrations.payloads.subjects.releases import build_release
from mujina.integrations.payloads.subjects.workspaces import build_group, build_project
from mujina.kernel.db.transaction import Database
from mujina.kernel.services import Services
from mujina.kernel.text.diffs import line_code
from mujina.kernel.urls import ssh, use_configured
from mujina.review.discussions.operations import find_line
from mujina.workspaces.owners.rules import OwnerOrInstance

MAX_COMMITS: Final = 20
"""The newest commits of a push that a payload lists; it counts all of them."""

Builder = Callable[[Facts, HookEventRow], Awaitable[list[Payload]]]


class PayloadBuilder:
    """Builds payloads for a batch of events; what they mention is read once."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._facts = Facts(services.database, self._read_commit, self._read_line)
        self._builders: dict[str, Builder] = {
            "issue": build_issue,
            "note": build_note,
            "merge_request": build_merge_request,
            "repository": self._build_push,
            "wiki_page": self._build_wiki_page,
            "pipeline": build_pipeline,
            "commit_status": build_status,
            "job": build_job,
            "release": build_release,
            "project": build_project,
            "group": build_group,
            "user": build_user,
            "key": build_key,
            "member": build_member,
        }

    async def prefetch(self, events: Sequence[HookEventRow]) -> None:
        """Read what most payloads mention: the projects of these events, and who acted."""
        await self._facts.prefetch(
            [event.project_id for event in events if event.project_id is not None],
            [event.actor_id for event in events if event.actor_id is not None],
        )

    async def build(self, event: HookEventRow) -> list[Payload]:
        """The payloads, in the order in which a hook gets them. Addresses in them are the configured ones."""
        use_configured(self._services.settings)
        return await self._builders[event.kind.partition(".")[0]](self._facts, event)

    async def push_sample(self, event: HookEventRow, flag: str) -> HookEventRow | None:
        """The event of a push of the newest commits of the default branch; None if there are none."""
        row = await self._facts.project(event.project_id or 0)
        if row is None or row.default_branch is None:
            return None
        repo_path = await self._repo_path(row)
        newest = await asyncio.to_thread(pushes.newest_commits, repo_path, row.default_branch, MAX_SAMPLE_COMMITS + 1)
        if not newest:
            return None
        since = newest[MAX_SAMPLE_COMMITS] if len(newest) > MAX_SAMPLE_COMMITS else None
        count = min(len(newest), MAX_SAMPLE_COMMITS)
        return push_sample(event, flag, row.default_branch, PushSample(newest[0], since, count))

    async def _repo_path(self, row: ProjectFacts, *, wiki: bool = False) -> Path:
        return await repo_path_to_read(self._services, row.storage, row.id, wiki=wiki)

    async def _read_commit(self, row: ProjectFacts, sha: str) -> CommitInfo | None:
        return await asyncio.to_thread(pushes.find_commit_info, await self._repo_path(row), sha)

    async def _read_line(self, row: ProjectFacts, sha: str, line: CommentedLine) -> Object:
        return await asyncio.to_thread(_position, await self._repo_path(row), sha, line)

    async def _build_push(self, facts: Facts, event: HookEventRow) -> list[Payload]:
        """One payload for the moved ref; after the last ref of the push, one for the whole push."""
        row = await facts.project(event.project_id or 0)
        if row is None:
            return []
        recorded = event.recorded_changes()
        change = Change(recorded["ref"], *recorded["sha"])
        pushed = await self._pushed(row, change, recorded)
        pusher = await facts.user(event.actor_id)
        kind = "tag_push" if change.tag is not None else "push"
        body: Object = {
            "object_kind": kind,
            "event_name": kind,
            "before": change.old,
            "after": change.new,
            "ref": change.ref,
            **pushed,
            "user_id": pusher.id,
            "user_name": pusher.name,
            "user_username": pusher.username,
            "user_email": pusher.public_email,  # the primary address is for administrators
            "user_avatar": user(pusher)["avatar_url"],
            "project_id": row.id,
            "project": project(row),
            "repository": repository(row, full=True),
        }
        full = {**body, "user_email": pusher.email}
        payloads = [for_project(f"{kind}_events", body), for_instance(f"{kind}_events", full)]
        refs = await _refs_of_last(self._services.database, event, recorded.get("push_id"))
        if refs:
            names = ("user_id", "user_name", "user_email", "user_avatar", "project_id", "project")
            update: Object = {"event_name": "repository_update", **{name: full[name] for name in names}}
            update["changes"] = [{"before": each.old, "after": each.new, "ref": each.ref} for each in refs]
            payloads.append(for_instance("repository_update_events", {**update, "refs": [each.ref for each in refs]}))
        return payloads

    async def _pushed(self, row: ProjectFacts, change: Change, recorded: dict[str, Any]) -> Object:
        """The commits of the push, and the object that is checked out."""
        nothing: Object = {"checkout_sha": None, "message": None, "commits": [], "total_commits_count": 0}
        if change.deletes:
            return nothing
        repo_path = await self._repo_path(row)
        if change.ref.startswith(TAGS):
            tag = await asyncio.to_thread(pushes.pushed_tag, repo_path, change.new)
            message = tag.message and tag.message[:MAX_MESSAGE_LENGTH]
            if tag.commit is None:
                return nothing | {"message": message, "checkout_sha": change.new}
            found = await asyncio.to_thread(pushes.with_files, repo_path, tag.commit.id)
            commits = [] if found is None else [_commit(found, row)]
            return {
                "checkout_sha": tag.commit.id,
                "message": message,
                "commits": commits,
                "total_commits_count": len(commits),
            }
        count, since = recorded["commit_count"], recorded.get("since")
        limit = min(count, MAX_COMMITS)
        found = await asyncio.to_thread(pushes.pushed_commits, repo_path, since, change.new, limit) if limit else []
        commits = [_commit(each, row) for each in found]
        return nothing | {"checkout_sha": change.new, "commits": commits, "total_commits_count": count}

    async def _build_wiki_page(self, facts: Facts, event: HookEventRow) -> list[Payload]:
        """The page as its commit has it."""
        row = await facts.project(event.project_id or 0)
        if row is None:
            return []
        recorded = event.recorded_changes()
        before, after = recorded["slug"]
        old, new = recorded["sha"]
        slug, sha = (before, old) if after is None else (after, new)
        repo_path = await self._repo_path(row, wiki=True)
        format_, content = await asyncio.to_thread(_page, repo_path, sha, slug)
        info = await asyncio.to_thread(pushes.find_commit_info, repo_path, new)
        page, path = f"{row.web_url}/wikis", f"{row.full_path}.wiki"
        attributes: Object = {
            "title": title_of(slug),
            "content": None if after is None else content,
            "format": format_,
            "message": None if info is None else info.message,
            "slug": slug,
            "url": f"{page}/{slug}",
            "action": {"created": "create", "updated": "update", "deleted": "delete"}[event.verb],
        }
        body: Object = {
            "object_kind": "wiki_page",
            "user": user(await facts.user(event.actor_id)),
            "project": project(row),
            "wiki": {
                "web_url": f"{page}/home",
                "git_ssh_url": ssh(path),
                "git_http_url": f"{row.web_url}.wiki.git",
                "path_with_namespace": path,
                "default_branch": "master",
            },
            "object_attributes": attributes,
        }
        return [for_project("wiki_page_events", body)]


async def _refs_of_last(database: Database, event: HookEventRow, push_id: int | None) -> list[Change]:
    """All refs that the push moved, if this is the last of its events."""
    if push_id is None:
        return []
    async with database.reading() as tx:
        later = await tx.value(
            """SELECT 1 FROM events e WHERE e.subject_kind = 'repository' AND e.subject_id = :project_id
               AND e.kind = 'repository.pushed' AND e.id > :event_id AND e.changes LIKE :push""",
            project_id=event.project_id,
            event_id=event.event_id,
            push=f'{{"push_id":{push_id},%',
        )
        if later is not None:
            return []
        rows = await tx.values(
            """SELECT e.changes FROM events e WHERE e.subject_kind = 'repository' AND e.subject_id = :project_id
               AND e.kind = 'repository.pushed' AND e.id <= :event_id AND e.changes LIKE :push ORDER BY e.id""",
            project_id=event.project_id,
            event_id=event.event_id,
            push=f'{{"push_id":{push_id},%',
        )
    changes = [msgspec.json.decode(row) for row in rows]
    return [Change(each["ref"], *each["sha"]) for each in changes]


def _commit(pushed: PushedCommit, row: ProjectFacts) -> Object:
    files = {"added": pushed.added, "modified": pushed.modified, "removed": pushed.removed}
    return commit(pushed.info, row) | files


def _page(repo_path: Path, sha: str, slug: str) -> tuple[str, str | None]:
    """Format and content of a page in a commit."""
    for suffix, name in FORMATS.items():
        file = reading.file_at(opened(repo_path), sha, slug + suffix)
        if file is not None:
            return name, (file.data or b"").decode("utf-8", "replace").replace("\0", "")
    return "markdown", None


def _position(repo_path: Path, sha: str, line: CommentedLine) -> Object:
    """Where in the diff of the commit the line is."""
    info = pushes.find_commit_info(repo_path, sha)
    if info is None:
        return {}
    base = info.parents[0] if info.parents else None
    old, new = (line.line, None) if line.side == "old" else (None, line.line)
    files = patches.changed_files(repo_path, base, sha, {line.path}, {line.path})
    shown = {"base_sha": base or ZERO, "start_sha": base or ZERO, "head_sha": sha}
    for file in files:
        found = find_line(file, old, new) if line.path == (file.old_path if new is None else file.new_path) else None
        if found is not None:
            position = {**shown, "old_path": file.old_path, "new_path": file.new_path, "position_type": "text"}
            position |= {"old_line": found.old, "new_line": found.new}
            code = line_code(file.new_path, found.old_count, found.new_count)
            return {"type": "DiffNote", "line_code": code, "position": position, "original_position": position}
    return {}


async def build_sample(services: Services, owner: OwnerOrInstance, actor_id: int, flag: str) -> Payload | str:
    """The payload of a test delivery; or, if there is no sample, what to do for one."""
    async with services.database.reading() as tx:
        event = await find_sample(tx, owner, actor_id, flag)
    builder = PayloadBuilder(services)
    if event is not None and event.kind.startswith("repository."):
        event = await builder.push_sample(event, flag)
    payloads = [] if event is None else await builder.build(event)
    if not payloads:
        async with services.database.reading() as tx:
            return await missing_text(tx, owner, flag)
    # A hook for confidential things is tested with something that is not.
    return for_project(flag, payloads[0].body)
