"""References in pushed commits: on the default branch, closing keywords close issues."""

from collections.abc import Collection
from typing import Annotated

from mujina.code.pushes.changes import BRANCHES, ZERO
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.operations import ClosingSource
from mujina.planning.notes import operations as notes
from mujina.planning.references.closing import close_issue, closing_issues
from mujina.planning.references.closing_keywords import closed_by
from mujina.planning.references.operations import referenced, referenced_merge_requests
from mujina.planning.references.parsing import References, parse, parse_all

MAX_BRANCHES = 20
"""Further branches of one push are not read."""


class PushedBranch(Row):
    """A branch (`ref`) that a push updated, with its project (`p`, `r`) and the user (`u`) who pushed."""

    project_id: Annotated[int, "p.id"]
    path: Annotated[str, "r.path"]
    upstream_id: Annotated[int | None, "p.forked_from_id"]
    """The project it was forked from."""
    storage: Annotated[str, "p.repository_storage"]
    default_branch: Annotated[str, "p.default_branch"]
    ref: Annotated[str, "ref.ref"]
    old: Annotated[str, "ref.old_id"]
    new: Annotated[str, "ref.new_id"]
    actor_id: Annotated[int, "u.id"]
    actor_admin: Annotated[bool, "u.admin"]
    actor_external: Annotated[bool, "u.external"]

    @property
    def default(self) -> bool:
        return self.ref == f"{BRANCHES}{self.default_branch}"

    @property
    def since(self) -> str | None:
        """The former tip; for a new branch, the default branch; None for a new default branch."""
        if self.old != ZERO:
            return self.old
        return None if self.default else f"{BRANCHES}{self.default_branch}"

    @property
    def actor(self) -> Actor:
        return Actor(id=self.actor_id, admin=self.actor_admin, external=self.actor_external)


async def enqueue_push(tx: Tx, event: Event) -> None:
    """Enqueue a job that reads the new commits of a branch."""
    if event.changes["ref"].startswith(BRANCHES) and event.changes["commit_count"]:
        await enqueue(tx, "references.read_push", event.changes["push_id"], owner_id=event.actor_id)


async def find_branches(tx: Tx, push_id: int) -> list[PushedBranch]:
    """The branches that the push updated; none if the user is no longer active."""
    return await tx.rows(
        PushedBranch,
        f"""
        SELECT {PushedBranch.columns}
        FROM pushes o JOIN push_refs ref ON ref.push_id = o.id AND ref.ref LIKE 'refs/heads/%' AND ref.new_id <> :zero
        JOIN projects p ON p.id = o.project_id AND p.default_branch IS NOT NULL AND p.deleted_at IS NULL
        JOIN routes r ON r.project_id = p.id
        JOIN users u ON u.id = o.actor_id AND u.state = 'active' AND u.deleted_at IS NULL
        WHERE o.id = :id AND NOT o.wiki ORDER BY ref.ref LIMIT :max_branches
        """,
        id=push_id,
        zero=ZERO,
        max_branches=MAX_BRANCHES,
    )


class NamedMergeRequest(Row, alias="mr"):
    """A merge request that a pushed commit names, with its project (`p`) and its newest version (`v`)."""

    id: int
    project_id: int
    storage: Annotated[str, "p.repository_storage"]
    start_sha: Annotated[str | None, "v.start_sha"]
    head_sha: Annotated[str, "v.head_sha"]
    merge_commit_sha: str | None
    squash_commit_sha: str | None


async def find_named_requests(
    tx: Tx, branch: PushedBranch, messages: list[str], base_url: str
) -> list[NamedMergeRequest]:
    """The merge requests that these messages name and that have commits; the pusher may read them."""
    references = parse_all(messages, base_url).merge_requests
    requests = await referenced_merge_requests(tx, branch.actor, branch.path, references)
    if not requests:
        return []
    return await tx.rows(
        NamedMergeRequest,
        f"""
        SELECT {NamedMergeRequest.columns} FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
        JOIN merge_request_versions v ON v.id = (
            SELECT max(newest.id) FROM merge_request_versions newest WHERE newest.merge_request_id = mr.id)
        WHERE mr.id IN :ids AND v.head_sha IS NOT NULL AND v.state <> 'empty' ORDER BY mr.id
        """,
        ids=[request.id for request in requests],
    )


async def apply_message(
    tx: Tx, branch: PushedBranch, commit_id: str, message: str, base_url: str, own: Collection[int]
) -> None:
    """Close the issues after closing keywords, on the default branch only; note the commit on what else it names.

    `own`: the merge requests that contain the commit; it is not noted on these.
    """
    closing = closed_by(message, base_url) if branch.default else []
    for issue in await closing_issues(tx, branch.actor, branch.path, branch.upstream_id, closing):
        await close_issue(tx, branch.actor, issue, ClosingSource(f"commit {commit_id}"))
    others = parse(message, base_url).without(References([], [], closing, [], []))
    for target in await referenced(tx, branch.actor, branch.path, others):
        if target.kind == "merge_request" and target.id in own:
            continue
        name = commit_id if target.project_id == branch.project_id else f"{branch.path}@{commit_id}"
        await notes.add_commit_reference(tx, branch.actor_id, target, branch.project_id, f"mentioned in commit {name}")
