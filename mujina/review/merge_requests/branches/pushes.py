"""The effects of a push on merge requests: a new version, the end of one whose source is gone, a merge by hand."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Annotated, Final, LiteralString

import msgspec

from mujina.code.pushes.changes import Change
from mujina.code.pushes.followers import Store
from mujina.kernel import clock, deferred_imports
from mujina.kernel.db.rows import Row, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.services import Services
from mujina.review.versions import operations as versions
from mujina.review.versions.operations import Branches, NewVersion, RepositoryRef
from mujina.review.versions.rules import NEWEST_VERSION

MAX_COMPARED: Final = 20
"""Requests that a push compares anew before it is answered; jobs compare the others."""
RETRY_DELAY: Final = timedelta(seconds=1)
"""How long a merge under way is waited for before its request is compared anew."""


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
    version_id: Annotated[int | None, "v.id"]
    head_sha: Annotated[str | None, "v.head_sha"]
    base_sha: Annotated[str | None, "v.base_sha"]
    open: Annotated[bool, "(mr.state = 'opened')"]
    """Otherwise it was closed while the server merged it."""
    merging_sha: Annotated[str | None, "CASE WHEN mr.merging_push_id IS NOT NULL THEN mr.merging_sha END"]
    """The commit with which the server itself merges the request."""
    merging_squash_sha: str | None
    remover_id: int | None

    @property
    def target(self) -> RepositoryRef:
        return RepositoryRef(self.project_id, self.storage)

    @property
    def branches(self) -> Branches:
        source = None
        if self.source_project_id is not None and self.source_storage is not None:
            source = RepositoryRef(self.source_project_id, self.source_storage)
        return Branches(source, self.source_branch, self.target, self.target_branch)


class PushOutcome(msgspec.Struct, frozen=True):
    """The effect on one request."""

    request: OpenMergeRequest
    state: str = "opened"
    version: NewVersion | None = None
    outdated: bool = False
    """A job compares its branches anew."""
    merged_here: bool = False
    """The server itself merged it."""
    restored: bool = False
    """The push created its source branch."""

    @property
    def stored(self) -> dict[str, str | None]:
        """The commits of the merge. A fast-forward makes no merge commit, and a merge by hand is not looked for."""
        request = self.request
        forwarded = request.merging_sha in (request.head_sha, request.merging_squash_sha)
        return {
            "merge_commit_sha": request.merging_sha if self.merged_here and not forwarded else None,
            "squash_commit_sha": request.merging_squash_sha if self.merged_here else None,
        }


FROM: LiteralString = f"""merge_requests mr JOIN projects p ON p.id = mr.project_id AND p.deleted_at IS NULL
    LEFT JOIN projects src ON src.id = mr.source_project_id AND src.deleted_at IS NULL
    LEFT JOIN {NEWEST_VERSION}"""


class MovedTarget(msgspec.Struct, frozen=True):
    """A branch that moved, as seen by the requests into it."""

    change: Change
    forced: bool
    """It was created, deleted, or lost commits."""
    gained: frozenset[str] | None
    """The commits that it did not have before; None: too many to list."""
    shared: frozenset[str]
    """The commits in the history of a request that they do not merge: mostly none."""


async def follow_push(services: Services, actor: Actor, project_id: int, changes: Sequence[Change]) -> Store | None:
    """Read what the moved branches mean for open requests; it is stored with the record of the push."""
    moved = {change.branch: change for change in changes if change.branch is not None}
    if not moved:
        return None
    async with services.database.reading() as tx:
        requests = await tx.rows(
            OpenMergeRequest,
            f"""SELECT {OpenMergeRequest.columns} FROM {FROM} WHERE mr.id IN (
                SELECT mr.id FROM merge_requests mr
                WHERE mr.source_project_id = :project_id AND mr.source_branch IN :branches AND mr.state = 'opened'
                UNION ALL SELECT mr.id FROM merge_requests mr
                WHERE mr.project_id = :project_id AND mr.target_branch IN :branches AND mr.state = 'opened'
                UNION ALL SELECT mr.id FROM merge_requests mr
                WHERE mr.project_id = :project_id AND mr.target_branch IN :branches
                AND mr.merging_push_id IS NOT NULL) ORDER BY mr.id""",
            project_id=project_id,
            branches=list(moved),
        )
    outcomes = await _outcomes(services, project_id, requests, moved)
    return partial(_store, actor=actor, project_id=project_id, outcomes=outcomes) if outcomes else None


async def _outcomes(
    services: Services, project_id: int, requests: Sequence[OpenMergeRequest], moved: dict[str, Change]
) -> list[PushOutcome]:
    """Finds the effect on each request."""
    into = [request for request in requests if request.project_id == project_id and request.target_branch in moved]
    targets = {
        branch: await _moved_target(
            services, moved[branch], [request for request in into if request.target_branch == branch]
        )
        for branch in dict.fromkeys(request.target_branch for request in into)
    }
    outcomes, compared = list[PushOutcome](), 0
    for request in requests:
        source = moved.get(request.source_branch) if request.source_project_id == project_id else None
        target = targets.get(request.target_branch) if request.project_id == project_id else None
        outcome = await _outcome(services, request, source, target)
        if outcome.outdated and request.merging_sha is None and compared < MAX_COMPARED:
            compared += 1
            with suppress(deferred_imports.pygit2().GitError):  # a lost branch, which the job reports, stops no push
                outcome = await _compared(services, outcome)
        outcomes.append(outcome)
    return outcomes


async def _moved_target(services: Services, change: Change, into: Sequence[OpenMergeRequest]) -> MovedTarget:
    if change.creates or change.deletes:
        return MovedTarget(change, True, frozenset(), frozenset())
    target = into[0].target
    forced = not await versions.contains(services, target, change.new, change.old)
    gained = await versions.gained(services, target, change.old, change.new)
    if gained is None:
        return MovedTarget(change, forced, None, frozenset())
    heads = [request.head_sha for request in into if request.head_sha is not None and request.head_sha not in gained]
    return MovedTarget(change, forced, gained, await versions.reached(services, target, gained, heads, change.old))


async def _outcome(
    services: Services, request: OpenMergeRequest, source: Change | None, target: MovedTarget | None
) -> PushOutcome:
    """The first that applies: the server's merge, the head came in, the source is gone, what is compared changed."""
    if target is not None and request.merging_sha and await _came_in(services, request, target, request.merging_sha):
        return PushOutcome(request, "merged", merged_here=True)
    if not request.open:
        return PushOutcome(request, "closed")
    if target is not None and await _came_in(services, request, target, request.head_sha):
        return PushOutcome(request, "merged")
    if source is not None and source.deletes:
        return PushOutcome(request, "closed")
    concerned = target is not None and (target.forced or await _concerns(services, request, target))
    restored = source is not None and source.creates
    return PushOutcome(request, outdated=source is not None or concerned, restored=restored)


async def _compared(services: Services, outdated: PushOutcome) -> PushOutcome:
    request = outdated.request
    version = await versions.prepare(services, request.branches)
    await versions.publish_head(services, request.target, request.iid, version.head_sha)
    return PushOutcome(request, version=version, restored=outdated.restored)


async def _came_in(services: Services, request: OpenMergeRequest, target: MovedTarget, commit: str | None) -> bool:
    """Whether this commit, the head of the request or its merge, is among the commits that the target gained."""
    if commit is None or request.base_sha in (None, request.head_sha):  # it has no commits
        return False
    if target.gained is not None:
        return commit in target.gained
    change, repository = target.change, request.target
    return await versions.contains(services, repository, change.new, commit) and not await versions.contains(
        services, repository, change.old, commit
    )


async def _concerns(services: Services, request: OpenMergeRequest, target: MovedTarget) -> bool:
    """Whether the target has gained commits of the request."""
    if request.head_sha is None:
        return False
    if target.gained is None or request.base_sha is None:
        return await versions.base(services, request.target, request.head_sha, target.change.new) != request.base_sha
    return await versions.includes_any(services, request.target, request.base_sha, request.head_sha, target.shared)


async def _store(tx: Tx, actor: Actor, project_id: int, outcomes: list[PushOutcome]) -> None:
    for target_id in sorted({outcome.request.project_id for outcome in outcomes}, key=str):
        await enqueue(tx, "merge_requests.check", target_id)
    for outcome in outcomes:
        if outcome.outdated:
            await enqueue(tx, "merge_requests.refresh", outcome.request.id)
    for outcome in outcomes:
        if outcome.state != "opened" or outcome.version is not None:
            await _store_outcome(tx, actor, outcome)
    into = sorted({outcome.request.target_branch for outcome in outcomes if outcome.request.project_id == project_id})
    # A computed value: `updated_at` stays.
    await tx.run(
        """UPDATE merge_requests SET merge_status = 'unchecked'
           WHERE project_id = :project_id AND target_branch IN :branches AND state = 'opened'
           AND merge_status <> 'unchecked'""",
        project_id=project_id,
        branches=into,
    )


async def _store_outcome(tx: Tx, actor: Actor, outcome: PushOutcome) -> None:
    request = outcome.request
    state, updated_at, merging = await tx.row(
        tuple[str, str, bool],
        """SELECT mr.state, mr.updated_at, mr.merging_push_id IS NOT NULL FROM merge_requests mr
           WHERE mr.id = :id FOR UPDATE""",
        id=request.id,
    ) or ("", "", False)
    if state != "opened" and not (state == "closed" and outcome.merged_here):
        return
    if not await _is_current(tx, outcome, merging=merging):
        return
    columns = _columns(actor, outcome)
    await update(tx, "merge_requests", columns, id=request.id)
    if outcome.version is not None:
        await versions.add(tx, request.id, outcome.version)
    if outcome.merged_here and request.remover_id is not None:
        await enqueue(tx, "merge_requests.remove_source", request.id, owner_id=request.remover_id)
    if outcome.state != "opened":
        await record(
            tx, f"merge_request.{outcome.state}", actor, subject_id=request.id, project_id=request.project_id,
            changes={
                "state": (state, outcome.state), "updated_at": (updated_at, columns["updated_at"]),
                **({"merge_commit_sha": (None, sha)} if (sha := columns.get("merge_commit_sha")) else {}),
            },
        )  # fmt: skip
    elif outcome.version is not None:
        await record(
            tx, "merge_request.pushed", actor, subject_id=request.id, project_id=request.project_id,
            changes={
                "sha": (request.head_sha, outcome.version.head_sha),
                **({"restored": (False, True)} if outcome.restored else {}),
            },
        )  # fmt: skip


async def _is_current(tx: Tx, outcome: PushOutcome, *, merging: bool) -> bool:
    """Whether the outcome still follows. If another push or a merge came between, a job compares the branches again."""
    request, version = outcome.request, outcome.version
    if outcome.merged_here or outcome.state == "closed":
        return True
    if merging and version is not None:
        # What is merged is the head of the newest version: it stays until the merge has ended.
        await enqueue(tx, "merge_requests.refresh", request.id, after=RETRY_DELAY)
        return False
    newest_id, newest_head = await tx.row(
        tuple[int | None, str | None],
        """SELECT v.id, v.head_sha FROM merge_request_versions v WHERE v.merge_request_id = :id
           ORDER BY v.id DESC LIMIT 1""",
        id=request.id,
    ) or (None, None)
    if newest_id == request.version_id or (version is None and newest_head == request.head_sha):
        return True
    await enqueue(tx, "merge_requests.refresh", request.id)
    return version is not None and version.head_sha != newest_head


def _columns(actor: Actor, outcome: PushOutcome) -> dict[str, str | int | None]:
    """The changes of the row of the request."""
    state, now, actor_id = outcome.state, clock.now(), actor.id or None
    match state:
        case "closed":
            return {"state": state, "closed_at": now, "closed_by_id": actor_id, "updated_at": now}
        case "merged":
            return {
                "state": state, "merged_at": now, "merged_by_id": actor_id, "updated_at": now, "closed_at": None,
                "closed_by_id": None, "merging_push_id": None, **outcome.stored,
            }  # fmt: skip
        case _:
            return {"merge_status": "unchecked"}


async def refresh(services: Services, request_id: int) -> None:
    """Compare the branches of an open request again, in case one moved while the request was created or changed."""
    async with services.database.reading() as tx:
        request = await tx.row(
            OpenMergeRequest,
            f"SELECT {OpenMergeRequest.columns} FROM {FROM} WHERE mr.id = :id AND mr.state = 'opened'",
            id=request_id,
        )
    if request is None:
        return
    if request.merging_sha is not None:
        async with services.database.transaction() as tx:
            await enqueue(tx, "merge_requests.refresh", request_id, after=RETRY_DELAY)
        return
    version = await versions.prepare(services, request.branches)
    await versions.publish_head(services, request.target, request.iid, version.head_sha)
    if (version.head_sha, version.base_sha) != (request.head_sha, request.base_sha):
        async with services.database.transaction() as tx:
            await _store_outcome(tx, SYSTEM, PushOutcome(request, version=version))
