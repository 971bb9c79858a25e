"""Commits that say they close issues: once they are in the default branch, they do."""

import msgspec

from mujina.domains.issues import operations as issues
from mujina.domains.issues.params import EditIssue
from mujina.domains.issues.rules import UPDATE_ISSUE, find_issue
from mujina.domains.references.closing import closed_by
from mujina.domains.references.operations import full_path
from mujina.domains.repositories.changes import BRANCHES, ZERO
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.params import Ref
from mujina.kernel.text import fold


class Pushed(msgspec.Struct, array_like=True, frozen=True):
    """A push that moved the default branch."""

    project_id: int
    path: str
    source_path: str | None
    """Of the project it was forked from."""
    storage: str
    old: str
    new: str
    actor_id: int
    actor_admin: bool
    actor_external: bool


async def read_later(tx: Tx, event: Event) -> None:
    """What a push brought to a branch is read when the push is over."""
    if event.changes["ref"].startswith(BRANCHES) and event.changes["commit_count"]:
        await enqueue(tx, "references.read_push", event.changes["push_id"])


async def find(tx: Tx, push_id: int) -> Pushed | None:
    """The push, if it moved the default branch and whoever made it is still here."""
    return await tx.row(
        Pushed,
        """
        SELECT p.id, r.path, source.path, p.repository_storage, ref.old_id, ref.new_id, u.id, u.admin, u.external
        FROM pushes o JOIN push_refs ref ON ref.push_id = o.id
        JOIN projects p ON p.id = o.project_id AND ref.ref = :branches || p.default_branch
        JOIN routes r ON r.project_id = p.id LEFT JOIN routes source ON source.project_id = p.forked_from_id
        JOIN users u ON u.id = o.actor_id AND u.state = 'active' AND u.deleted_at IS NULL
        WHERE o.id = :id AND NOT o.wiki AND p.deleted_at IS NULL AND ref.new_id <> :zero
        """,
        id=push_id, branches=BRANCHES, zero=ZERO,
    )  # fmt: skip


async def close(tx: Tx, push: Pushed, commit_id: str, message: str, address: str) -> None:
    """The issues that the commit says it closes are closed, where whoever pushed it may; a second time changes nothing."""
    actor = Actor(id=push.actor_id, admin=push.actor_admin, external=push.actor_external)
    for reference in closed_by(message, address):
        path = full_path(push.path, reference)
        # What is tried in a fork is not done yet where it came from.
        if push.source_path is not None and fold(path) == fold(push.source_path):
            continue
        try:
            issue = await find_issue(tx, actor, Ref(path), reference.iid, to=UPDATE_ISSUE)
        except errors.Refusal:
            continue
        if issue.state == "opened":
            await issues.edit(tx, actor, issue, EditIssue(state_event="close"), via=f"commit {commit_id}")
