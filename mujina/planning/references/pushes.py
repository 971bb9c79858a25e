"""Commits that speak of issues: those they say they close are closed once they are in the default branch."""

import msgspec

from mujina.code.repositories.changes import BRANCHES, ZERO
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.params import Ref
from mujina.kernel.text import fold
from mujina.planning.issues import operations as issues
from mujina.planning.issues.params import EditIssue
from mujina.planning.issues.rules import UPDATE_ISSUE, find_issue
from mujina.planning.notes import operations as notes
from mujina.planning.notes.operations import Place
from mujina.planning.references.closing import closed_by
from mujina.planning.references.operations import full_path, mentioned
from mujina.planning.references.reading import IssueReference, read

MOST_BRANCHES = 20
"""Of one push so many branches are read."""


class Pushed(msgspec.Struct, array_like=True, frozen=True):
    """A branch that a push moved."""

    project_id: int
    path: str
    source_path: str | None
    """Of the project it was forked from."""
    storage: str
    default_branch: str
    ref: str
    old: str
    new: str
    actor_id: int
    actor_admin: bool
    actor_external: bool

    @property
    def default(self) -> bool:
        return self.ref == f"{BRANCHES}{self.default_branch}"

    @property
    def since(self) -> str | None:
        """What was there before: of a new branch, what the default one has; None: nothing."""
        if self.old != ZERO:
            return self.old
        return None if self.default else f"{BRANCHES}{self.default_branch}"

    @property
    def actor(self) -> Actor:
        return Actor(id=self.actor_id, admin=self.actor_admin, external=self.actor_external)


async def read_later(tx: Tx, event: Event) -> None:
    """What a push brought to a branch is read when the push is over."""
    if event.changes["ref"].startswith(BRANCHES) and event.changes["commit_count"]:
        await enqueue(tx, "references.read_push", event.changes["push_id"], owner_id=event.actor_id)


async def find(tx: Tx, push_id: int) -> list[Pushed]:
    """The branches that the push moved, if whoever made it is still here."""
    return await tx.rows(
        Pushed,
        """
        SELECT p.id, r.path, source.path, p.repository_storage, p.default_branch, ref.ref, ref.old_id, ref.new_id,
            u.id, u.admin, u.external
        FROM pushes o JOIN push_refs ref ON ref.push_id = o.id AND ref.ref LIKE 'refs/heads/%' AND ref.new_id <> :zero
        JOIN projects p ON p.id = o.project_id AND p.default_branch IS NOT NULL AND p.deleted_at IS NULL
        JOIN routes r ON r.project_id = p.id LEFT JOIN routes source ON source.project_id = p.forked_from_id
        JOIN users u ON u.id = o.actor_id AND u.state = 'active' AND u.deleted_at IS NULL
        WHERE o.id = :id AND NOT o.wiki ORDER BY ref.ref LIMIT :most
        """,
        id=push_id, zero=ZERO, most=MOST_BRANCHES,
    )  # fmt: skip


async def hear(tx: Tx, push: Pushed, commit_id: str, message: str, address: str) -> None:
    """In the default branch, the issues that the commit says it closes are closed; others that it mentions say where."""
    closing = closed_by(message, address) if push.default else []
    await _close(tx, push, closing, f"commit {commit_id}")
    others = [each for each in read(message, address).issues if each not in closing]
    for issue_id, project_id in await mentioned(tx, push.actor, push.path, others):
        name = commit_id if project_id == push.project_id else f"{push.path}@{commit_id}"
        there = Place("issue", issue_id, project_id)
        await notes.add_commit_reference(tx, push.actor_id, there, push.project_id, f"mentioned in commit {name}")


async def _close(tx: Tx, push: Pushed, closing: list[IssueReference], via: str) -> None:
    """Where whoever pushed it may; what is closed stays as it is."""
    for reference in closing:
        path = full_path(push.path, reference)
        # What is tried in a fork is not done yet where it came from.
        if push.source_path is not None and fold(path) == fold(push.source_path):
            continue
        try:
            issue = await find_issue(tx, push.actor, Ref(path), reference.iid, to=UPDATE_ISSUE)
        except errors.ApiError:
            continue
        if issue.state == "opened":
            await issues.edit(tx, push.actor, issue, EditIssue(state_event="close"), via=via)
