"""What a push does to merge requests: a new version, the end of a request whose source is gone, a merge by hand."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, LiteralString

import msgspec

from mujina.code.pushes.changes import Change
from mujina.code.pushes.followers import Store
from mujina.kernel import clock
from mujina.kernel.actor import SYSTEM, Actor
from mujina.kernel.db.rows import Row, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.services import Services
from mujina.review.versions import operations as versions
from mujina.review.versions.operations import Branches, NewVersion, RepositoryOf


class OpenMergeRequest(Row, alias="mr"):
    """An open request of which a branch moves, with its newest version (`v`)."""

    id: int
    iid: int
    project_id: int
    storage: Annotated[str, "p.repository_storage"]
    source_project_id: int | None
    source_storage: Annotated[str | None, "src.repository_storage"]
    source_branch: str
    target_branch: str
    state: Annotated[str, "coalesce(v.state, 'empty')"]
    head_sha: Annotated[str | None, "v.head_sha"]
    base_sha: Annotated[str | None, "v.base_sha"]
    merging_sha: str | None
    """The commit with which the server itself merges the request."""
    merging_squash_sha: str | None

    @property
    def target(self) -> RepositoryOf:
        return RepositoryOf(self.project_id, self.storage)

    @property
    def branches(self) -> Branches:
        source = None
        if self.source_project_id is not None and self.source_storage is not None:
            source = RepositoryOf(self.source_project_id, self.source_storage)
        return Branches(source, self.source_branch, self.target, self.target_branch)


class PushOutcome(msgspec.Struct, frozen=True):
    """What becomes of one request."""

    request: OpenMergeRequest
    state: str = "opened"
    version: NewVersion | None = None
    merge_commit_sha: str | None = None
    squash_commit_sha: str | None = None


FROM: LiteralString = """merge_requests mr JOIN projects p ON p.id = mr.project_id AND p.deleted_at IS NULL
    LEFT JOIN projects src ON src.id = mr.source_project_id AND src.deleted_at IS NULL
    LEFT JOIN merge_request_versions v ON v.id = (
        SELECT max(newest.id) FROM merge_request_versions newest WHERE newest.merge_request_id = mr.id)"""


async def follow_push(services: Services, actor: Actor, project_id: int, changes: Sequence[Change]) -> Store | None:
    """Read what the moved branches mean for open requests; it is stored with the record of the push."""
    moved = {change.branch: change for change in changes if change.branch is not None}
    if not moved:
        return None
    async with services.database.reading() as tx:
        requests = await tx.rows(
            OpenMergeRequest,
            f"""SELECT {OpenMergeRequest.columns} FROM {FROM} WHERE mr.state = 'opened' AND (
                (mr.source_project_id = :project_id AND mr.source_branch IN :branches)
                OR (mr.project_id = :project_id AND mr.target_branch IN :branches)) ORDER BY mr.id""",
            project_id=project_id,
            branches=list(moved),
        )
    outcomes = [await _outcome(services, request, project_id, moved) for request in requests]
    return partial(_store, actor=actor, outcomes=outcomes) if outcomes else None


async def _outcome(
    services: Services, request: OpenMergeRequest, project_id: int, moved: dict[str, Change]
) -> PushOutcome:
    """The first that applies: the source is gone, the head came into the target, the source moved, the target moved."""
    source = moved.get(request.source_branch) if request.source_project_id == project_id else None
    target = moved.get(request.target_branch) if request.project_id == project_id else None
    if source is not None and source.deletes:
        return PushOutcome(request, "closed")
    if target is not None and request.merging_sha and await _came_in(services, request, target, request.merging_sha):
        return PushOutcome(
            request, "merged", merge_commit_sha=request.merging_sha, squash_commit_sha=request.merging_squash_sha
        )
    if target is not None and await _came_in(services, request, target, request.head_sha):
        return PushOutcome(request, "merged")
    if source is not None or (target is not None and await _concerns(services, request, target)):
        version = await versions.prepare(services, request.branches)
        await versions.publish_head(services, request.target, request.iid, version.head_sha)
        return PushOutcome(request, version=version)
    return PushOutcome(request)


async def _came_in(services: Services, request: OpenMergeRequest, change: Change, head: str | None) -> bool:
    """Whether this commit, the head of the request or its merge, is among the commits that the change brought."""
    if head is None or request.state == "empty" or change.creates or change.deletes:
        return False
    return await versions.contains(services, request.target, change.new, head) and not await versions.contains(
        services, request.target, change.old, head
    )


async def _concerns(services: Services, request: OpenMergeRequest, change: Change) -> bool:
    """Whether the target changed what is compared: it was created, deleted or forced, or has commits of the request."""
    if change.creates or change.deletes or request.head_sha is None or request.base_sha is None:
        return True
    if not await versions.contains(services, request.target, change.new, change.old):
        return True
    return await versions.base(services, request.target, request.head_sha, change.new) != request.base_sha


async def _store(tx: Tx, actor: Actor, outcomes: list[PushOutcome]) -> None:
    for outcome in outcomes:
        request = outcome.request
        still_open = await tx.value(
            "SELECT mr.id FROM merge_requests mr WHERE mr.id = :id AND mr.state = 'opened' FOR UPDATE", id=request.id
        )
        if still_open is None:
            continue
        await update(tx, "merge_requests", _columns(actor, outcome), id=request.id)
        if outcome.version is not None:
            await versions.add(tx, request.id, outcome.version)
        if outcome.state != "opened":
            await record(
                tx, f"merge_request.{outcome.state}", actor, subject_id=request.id, project_id=request.project_id,
                changes={"state": ("opened", outcome.state)},
            )  # fmt: skip
        elif outcome.version is not None:
            await record(
                tx, "merge_request.pushed", actor, subject_id=request.id, project_id=request.project_id,
                changes={"sha": (request.head_sha, outcome.version.head_sha)},
            )  # fmt: skip


def _columns(actor: Actor, outcome: PushOutcome) -> dict[str, str | int | None]:
    """What changes in the row of the request."""
    state, now, actor_id = outcome.state, clock.now(), actor.id or None
    match state:
        case "closed":
            return {"state": state, "closed_at": now, "closed_by_id": actor_id, "updated_at": now}
        case "merged":
            return {
                "state": state, "merged_at": now, "merged_by_id": actor_id, "updated_at": now,
                "merge_commit_sha": outcome.merge_commit_sha, "squash_commit_sha": outcome.squash_commit_sha,
            }  # fmt: skip
        case _:
            # A computed value: `updated_at` stays.
            return {"merge_status": "unchecked"}


async def refresh(services: Services, request_id: int) -> None:
    """Compare the branches of an open request again, in case one moved while the request was created or reopened."""
    async with services.database.reading() as tx:
        request = await tx.row(
            OpenMergeRequest,
            f"SELECT {OpenMergeRequest.columns} FROM {FROM} WHERE mr.id = :id AND mr.state = 'opened'",
            id=request_id,
        )
    if request is None:
        return
    version = await versions.prepare(services, request.branches)
    await versions.publish_head(services, request.target, request.iid, version.head_sha)
    if version.head_sha != request.head_sha:
        async with services.database.transaction() as tx:
            await _store(tx, SYSTEM, [PushOutcome(request, version=version)])
