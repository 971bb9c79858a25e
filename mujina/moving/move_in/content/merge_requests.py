"""Merge requests with their versions, their threads about lines, and their approvals."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from contextlib import aclosing
from datetime import datetime
from functools import partial
from typing import Any, Final

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.rows import insert, insert_each, insert_id
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.text.diffs import FilePatch, line_code
from mujina.moving.move_in.content import notes
from mujina.moving.move_in.content.details import RequestDetails, ahead, ask_request
from mujina.moving.move_in.content.feed import show_in_feeds
from mujina.moving.move_in.content.issues import changed_of, people_of, shared_columns, write_numbered
from mujina.moving.move_in.content.labels import label_ids
from mujina.moving.move_in.content.uploads import bring_files
from mujina.moving.move_in.repositories.operations import Comparison, changed_files, present_commits, with_base
from mujina.moving.move_in.runs import ProjectRun
from mujina.moving.sources.records import SourceApproval, SourceDiscussion, SourceMergeRequest, SourceVersion
from mujina.planning.discussions.positions import Position, TextPosition, encode
from mujina.review.discussions.operations import PlacedPosition, find_line
from mujina.review.merge_requests.declarations.work_item import MERGE_REQUESTS
from mujina.review.merge_requests.drafts import is_draft

KIND: Final = "merge_request"


async def move_merge_requests(target: ProjectRun) -> None:
    """Every merge request that changed since the last run, with everything about it; the repository is here already."""
    source = target.run.source
    async for page in source.merge_requests(target.project.id):
        changed = await changed_of(target, KIND, page)
        async with aclosing(ahead(changed, partial(ask_request, target))) as asked:
            async for _, details in asked:
                await _move(target, details.request, details)
    async with target.run.services.database.transaction() as tx:
        await enqueue(tx, "merge_requests.check", target.id)


async def _move(target: ProjectRun, request: SourceMergeRequest, details: RequestDetails) -> None:
    """Write the merge request and what belongs to it; a later run passes over it until it changes."""
    database = target.run.services.database
    await bring_files(target, [request.description])
    present = await present_commits(target, _commits(request, details.versions))
    versions = [await with_base(target, version, present) for version in details.versions]
    async with database.transaction() as tx:
        await target.run.people.prepare(tx, _people(request))
        request_id = await _write(tx, target, request, present)
        if request_id is not None:
            await _add_versions(tx, target, request, request_id, versions, present)
            await _approve(tx, target, request, request_id, details.approvals)
    if request_id is None:
        return
    placed = await _place_discussions(target, versions, present, details.conversation.discussions)
    place = partial(_place, placed)
    here = await notes.write_notes(target, KIND, request.iid, request_id, details.conversation, place)
    async with database.transaction() as tx:
        await notes.write_reactions(tx, target, KIND, request.iid, request_id, details.conversation, here)
        await target.remember(tx, KIND, request.id, request_id, fingerprint=request.fingerprint)


def _people(request: SourceMergeRequest) -> list[Any]:
    return [*people_of(request), *request.reviewers, request.merged_by, request.closed_by]


def _commits(request: SourceMergeRequest, versions: Collection[SourceVersion]) -> set[str]:
    ids = {
        commit for each in versions for commit in (each.head_commit_sha, each.base_commit_sha, each.start_commit_sha)
    }
    return {commit for commit in (*ids, request.merge_commit_sha, request.squash_commit_sha) if commit}


async def _write(tx: Tx, target: ProjectRun, request: SourceMergeRequest, present: Collection[str]) -> int | None:
    """The row of the request; None if another one has its number or, open, its branches."""
    people = target.run.people
    source_id = await _source_project(tx, target, request)
    state = "opened" if request.state == "locked" else request.state
    if state == "opened" and source_id is None:
        state = "closed"
        target.problem(f"/-/merge_requests/{request.iid}", "It is closed here: its source project was not moved.")
    columns = await shared_columns(tx, target, request, f"/-/merge_requests/{request.iid}")
    columns |= {
        "state": state, "draft": is_draft(columns["title"]), "source_project_id": source_id,
        "source_branch": request.source_branch, "target_branch": request.target_branch, "squash": request.squash,
        "force_remove_source_branch": bool(request.force_remove_source_branch),
        "merge_commit_sha": _known(request.merge_commit_sha, present),
        "squash_commit_sha": _known(request.squash_commit_sha, present),
        "merged_at": clock.iso(request.merged_at or request.updated_at) if state == "merged" else None,
        "merged_by_id": await people.id_of(tx, request.merged_by) if request.merged_by else None,
        "closed_by_id": await people.id_of(tx, request.closed_by) if request.closed_by else None,
        "merge_status": "can_be_merged" if state == "merged" else "unchecked",
    }  # fmt: skip
    request_id = await write_numbered(tx, target, MERGE_REQUESTS, request, columns)
    if request_id is not None:
        await _link(tx, target, request_id, request)
        await show_in_feeds(tx, target, f"{KIND}.created", request_id, columns["author_id"], request.created_at)
        if state == "merged" and columns["merged_by_id"]:
            await show_in_feeds(tx, target, f"{KIND}.merged", request_id, columns["merged_by_id"], request.merged_at)
        if state == "closed" and columns["closed_by_id"]:
            await show_in_feeds(tx, target, f"{KIND}.closed", request_id, columns["closed_by_id"], request.closed_at)
    return request_id


async def _link(tx: Tx, target: ProjectRun, request_id: int, request: SourceMergeRequest) -> None:
    """The request has the labels, assignees and reviewers that it has at the source, and no others."""
    await tx.run("DELETE FROM merge_request_labels WHERE merge_request_id = :id", id=request_id)
    await tx.run("DELETE FROM merge_request_assignees WHERE merge_request_id = :id", id=request_id)
    await tx.run("DELETE FROM merge_request_reviewers WHERE merge_request_id = :id", id=request_id)
    labels, ids_of = await label_ids(tx, target, request.labels), target.run.people.ids_of
    key = {"merge_request_id": request_id}
    await insert_each(tx, "merge_request_labels", [{**key, "label_id": label_id} for label_id in labels])
    await insert_each(tx, "merge_request_assignees", [{**key, "user_id": each} for each in ids_of(request.assignees)])
    await insert_each(tx, "merge_request_reviewers", [{**key, "user_id": each} for each in ids_of(request.reviewers)])


async def _source_project(tx: Tx, target: ProjectRun, request: SourceMergeRequest) -> int | None:
    if request.source_project_id in (target.project.id, None):
        return target.id if request.source_project_id else None
    known = await target.find(tx, "project", request.source_project_id or 0)
    return known.id if known else None


def _known(commit: str | None, present: Collection[str]) -> str | None:
    return commit if commit in present else None


async def _add_versions(
    tx: Tx, target: ProjectRun, request: SourceMergeRequest, request_id: int, versions: list[SourceVersion],
    present: Collection[str],
) -> None:  # fmt: skip
    """The versions, the oldest first, as far as their commits came."""
    for version in sorted(versions, key=_age):
        if await target.find(tx, "version", version.id) is not None:
            continue
        head, base = _known(version.head_commit_sha, present), _known(version.base_commit_sha, present)
        if head != version.head_commit_sha or base != version.base_commit_sha:
            target.problem(
                f"/-/merge_requests/{request.iid}/versions", f"Commits of version {version.id} did not come."
            )
        whole = head is not None and base is not None and head != base
        version_id: int = await insert_id(
            tx, "merge_request_versions", merge_request_id=request_id, head_sha=head, base_sha=base,
            start_sha=_known(version.start_commit_sha, present), state="collected" if whole else "empty",
            real_size=version.real_size if whole else None, followed=True, created_at=clock.iso(version.created_at),
        )  # fmt: skip
        await target.remember(tx, "version", version.id, version_id)
        target.run.report.created["versions"] += 1


def _age(version: SourceVersion) -> tuple[datetime, int]:
    return version.created_at, version.id


async def _approve(
    tx: Tx, target: ProjectRun, request: SourceMergeRequest, request_id: int, approvals: list[SourceApproval]
) -> None:
    """The request has the approvals that it has at the source, and no others."""
    people = target.run.people
    await people.prepare(tx, [approval.user for approval in approvals])
    await tx.run("DELETE FROM approvals WHERE merge_request_id = :id", id=request_id)
    given = {await people.id_of(tx, each.user): clock.iso(each.approved_at or request.updated_at) for each in approvals}
    rows = [{"merge_request_id": request_id, "user_id": user_id, "created_at": at} for user_id, at in given.items()]
    await insert_each(tx, "approvals", rows)


async def _place_discussions(
    target: ProjectRun, versions: Collection[SourceVersion], present: Collection[str], found: Iterable[SourceDiscussion]
) -> dict[str, PlacedPosition]:
    """The lines that discussions are about, by their ids; one whose commits did not come is a thread without a line."""
    compared = {
        head: (base, _known(version.start_commit_sha, present))
        for version in sorted(versions, key=_age)
        if (head := _known(version.head_commit_sha, present)) and (base := _known(version.base_commit_sha, present))
    }
    known = {commit for head, (base, _) in compared.items() for commit in (head, base)}
    positions = {
        each.id: position
        for each in found
        if not each.individual_note
        and (position := _position(each.notes[0].position, compared))
        and {position.base_sha, position.head_sha} <= known
    }
    paths = defaultdict[Comparison, set[str]](set)
    for position in positions.values():
        paths[position.base_sha, position.head_sha].add(position.new_path)
    changed = await changed_files(target, paths)
    return {
        discussion_id: PlacedPosition(
            position, _line_code(changed[position.base_sha, position.head_sha].get(position.new_path), position)
        )
        for discussion_id, position in positions.items()
    }


def _line_code(file: FilePatch | None, position: Position) -> str | None:
    """The anchor names the counts of both sides at the line, which only the diff tells."""
    if not isinstance(position, TextPosition):
        return None
    line = find_line(file, position.old_line, position.new_line) if file else None
    counts = (line.old_count, line.new_count) if line else (position.old_line or 0, position.new_line or 0)
    return line_code(position.new_path, *counts)


async def _place(
    placed: Mapping[str, PlacedPosition], tx: Tx, request_id: int, discussion_id: str, discussion: SourceDiscussion
) -> None:
    """Store the line that the discussion is about, if it is about one."""
    if (at := placed.get(discussion.id)) is not None:
        encoded = encode(at.position).decode()
        await insert(
            tx, "diff_positions", "ON CONFLICT DO NOTHING", discussion_id=discussion_id, merge_request_id=request_id,
            position=encoded, original_position=encoded, line_code=at.line_code,
        )  # fmt: skip


def _position(given: Any, compared: Mapping[str, tuple[str, str | None]]) -> Position | None:
    """A position as this instance stores it; None for anything else. One without a base has that of its head's version."""
    if not isinstance(given, Mapping):
        return None
    fields: dict[str, Any] = {"old_line": None, "new_line": None, **given}
    if fields.get("head_sha") in compared and "base_sha" not in fields:
        base, start = compared[fields["head_sha"]]
        fields |= {"base_sha": base, "start_sha": start or base}
    try:
        return msgspec.convert(fields, Position)
    except msgspec.ValidationError:
        return None
