"""Pushes in the database: an intent is written before refs move, then recorded or deleted."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated

from mujina.code.protected_branches import operations as protected_branches
from mujina.code.pushes.changes import BRANCHES, ZERO, Change, PageChange, PushSummary, first_branch
from mujina.instance.application_settings.params import MASTERS_ONLY, NO_FORCE, UNPROTECTED
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock
from mujina.kernel.db.rows import Row, insert_each, insert_id
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.events import Event, record
from mujina.kernel.jobs.queue import enqueue, run_now
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.projects import operations as projects

RECOVERY_DELAY = timedelta(seconds=5)
"""How long after the intent the job looks whether its process is dead, and how often it looks again while it is not."""
LAST_PUSHES = 100
"""More than end while a request chooses a default branch."""


class PushRow(Row, alias="o"):
    """A push that is intended and not recorded."""

    id: int
    project_id: int
    storage: Annotated[str, "p.repository_storage"]
    wiki: bool
    protocol: str
    lock: str | None
    actor_id: int | None
    default_branch: Annotated[str | None, "p.default_branch"]
    requested_branch: Annotated[str | None, "p.requested_branch"]


async def create_intent(
    tx: Tx, actor: Actor, project_id: int, changes: Sequence[Change], *, wiki: bool, protocol: str, lock: str
) -> int:
    """From here on, what moves is recorded: by the process that pushes, or by the job that recovers the push.

    `lock` is the file that is locked while this process works on the push.
    """
    push_id: int = await insert_id(
        tx, "pushes", project_id=project_id, wiki=wiki, actor_id=actor.id or None, protocol=protocol, lock=lock,
        created_at=clock.now(),
    )  # fmt: skip
    await enqueue(tx, "pushes.recover", push_id, owner_id=actor.id, after=RECOVERY_DELAY)
    refs = [{"push_id": push_id, "ref": each.ref, "old_id": each.old, "new_id": each.new} for each in changes]
    await insert_each(tx, "push_refs", refs)
    return push_id


async def deletes_default_branch(tx: Tx, project_id: int, changes: Sequence[Change]) -> bool:
    """Whether a change deletes the default branch. No other branch becomes it before the transaction ends."""
    deleted = [change.branch for change in changes if change.branch is not None and change.deletes]
    if not deleted:
        return False
    default_branch = await tx.value(
        "SELECT p.default_branch FROM projects p WHERE p.id = :id FOR NO KEY UPDATE", id=project_id
    )
    return default_branch in deleted


async def keep_default_branch(tx: Tx, event: Event) -> None:
    """Refuse a default branch that one of the last pushes has deleted since it was looked up, or is about to delete."""
    _, branch = event.changes.get("default_branch", (None, None))
    if branch is None:
        return
    last = await tx.value(
        """SELECT c.new_id FROM push_refs c JOIN (
               SELECT o.id FROM pushes o WHERE o.project_id = :project_id AND NOT o.wiki ORDER BY o.id DESC LIMIT :last
           ) latest ON latest.id = c.push_id WHERE c.ref = :ref ORDER BY latest.id DESC LIMIT 1""",
        project_id=event.subject_id,
        last=LAST_PUSHES,
        ref=BRANCHES + branch,
    )
    if last == ZERO:
        raise projects.missing_branch(branch)


async def recover_pushes(database: Database) -> None:
    """At the start of a process: recover now what an earlier one left when it was killed."""
    async with database.reading() as tx:
        waiting = await tx.value("SELECT job.id FROM jobs job WHERE job.task = 'pushes.recover' LIMIT 1")
    if waiting is not None:
        async with database.transaction() as tx:
            await run_now(tx, "pushes.recover")


async def record_push(
    tx: Tx, actor: Actor, push_id: int, project_id: int, summary: PushSummary, intended: Sequence[Change], *, wiki: bool
) -> bool:
    """Record the refs that moved, with one event for each. A push that is recorded already stays as it is: False."""
    if not await tx.run(
        "UPDATE pushes SET recorded_at = :now WHERE id = :id AND recorded_at IS NULL", id=push_id, now=clock.now()
    ):
        return False
    moved = {ref.change.ref: ref.change for ref in summary.refs}
    if unmoved := [change.ref for change in intended if change.ref not in moved]:
        await tx.run("DELETE FROM push_refs WHERE push_id = :id AND ref IN :refs", id=push_id, refs=unmoved)
    default_branch, active_at = await tx.row(
        tuple[str | None, str],
        "SELECT p.default_branch, p.last_activity_at FROM projects p WHERE p.id = :id",
        id=project_id,
    ) or (None, None)
    if not wiki and default_branch is None:
        await _choose_default_branch(tx, actor, project_id, list(moved.values()))
    for ref in summary.refs:
        kind = "wiki.pushed" if wiki else "repository.pushed" if ref.change.note is None else "repository.noted"
        await record(
            tx, kind, actor, subject_id=project_id,
            project_id=project_id, project_active_at=active_at,
            changes={"push_id": push_id, "ref": ref.change.ref, "sha": (ref.change.old, ref.change.new),
                     "commit_count": ref.commit_count, "commit_title": ref.commit_title, "since": ref.since},
        )  # fmt: skip
    for page in summary.pages:
        await _record_page(tx, actor, project_id, page, summary.refs[0].change)
    return True


async def _record_page(tx: Tx, actor: Actor, project_id: int, page: PageChange, change: Change) -> None:
    await record(
        tx, f"wiki_page.{'created' if page.before is None else 'deleted' if page.after is None else 'updated'}", actor,
        subject_id=project_id, project_id=project_id, changes={"slug": (page.before, page.after), "sha": (change.old, change.new)},
    )  # fmt: skip


async def delete_intent(tx: Tx, push_id: int) -> None:
    """No ref moved: nothing remains of the push."""
    await tx.run("DELETE FROM pushes WHERE id = :id AND recorded_at IS NULL", id=push_id)


async def _choose_default_branch(tx: Tx, actor: Actor, project_id: int, moved: Sequence[Change]) -> None:
    """The first branch becomes the default branch, protected as the instance's settings require."""
    requested = await tx.value("SELECT p.requested_branch FROM projects p WHERE p.id = :id", id=project_id)
    chosen = first_branch(moved, requested)
    if chosen is None:
        return
    if await projects.adopt_default_branch(tx, project_id, chosen):
        push = _PUSH_GRANTS[(await read_settings(tx)).default_branch_protection]
        if push is not None:
            await protected_branches.protect_if_unprotected(tx, actor, project_id, chosen, push=push)


_PUSH_GRANTS: dict[int, tuple[protected_branches.Grant, ...] | None] = {
    UNPROTECTED: None,
    NO_FORCE: protected_branches.DEVELOPERS,
    MASTERS_ONLY: protected_branches.MASTERS,
}


async def find_intent(tx: Tx, push_id: int) -> PushRow | None:
    """The push, unless it is recorded."""
    return await tx.row(
        PushRow,
        f"""SELECT {PushRow.columns} FROM pushes o JOIN projects p ON p.id = o.project_id
            WHERE o.id = :id AND o.recorded_at IS NULL""",
        id=push_id,
    )


async def intended_changes(tx: Tx, push_id: int) -> list[Change]:
    return await tx.rows(
        Change, "SELECT c.ref, c.old_id, c.new_id FROM push_refs c WHERE c.push_id = :id ORDER BY c.ref", id=push_id
    )


async def continued_refs(tx: Tx, push: PushRow) -> list[str]:
    """The refs for which a later push starts where this one ends. These changes took place."""
    return await tx.values(
        """
        SELECT mine.ref FROM push_refs mine WHERE mine.push_id = :id AND EXISTS (
            SELECT 1 FROM pushes o JOIN push_refs c ON c.push_id = o.id
            WHERE o.project_id = :project_id AND o.id > :id AND o.wiki = :wiki
            AND c.ref = mine.ref AND c.old_id = mine.new_id)
        """,
        id=push.id,
        project_id=push.project_id,
        wiki=push.wiki,
    )


async def refs_recorded_elsewhere(tx: Tx, push: PushRow) -> list[str]:
    """The refs for which another recorded push made the same change, and no push moved the ref on between the two.

    These changes this push did not make: its client retried, and the retry succeeded.
    """
    return await tx.values(
        """
        SELECT mine.ref FROM push_refs mine WHERE mine.push_id = :id AND EXISTS (
            SELECT 1 FROM pushes o JOIN push_refs c ON c.push_id = o.id
            WHERE o.project_id = :project_id AND o.wiki = :wiki AND o.id <> :id AND o.recorded_at IS NOT NULL
            AND c.ref = mine.ref AND c.old_id = mine.old_id AND c.new_id = mine.new_id AND NOT EXISTS (
                SELECT 1 FROM pushes away JOIN push_refs d ON d.push_id = away.id
                WHERE away.project_id = :project_id AND away.wiki = :wiki AND d.ref = mine.ref
                AND d.old_id = mine.new_id AND away.recorded_at IS NOT NULL
                AND (away.id - o.id) * (away.id - :id) < 0))
        ORDER BY mine.ref
        """,
        id=push.id,
        project_id=push.project_id,
        wiki=push.wiki,
    )


async def lock_attempts(tx: Tx, push: PushRow) -> list[str | None]:
    """Let no attempt at a change of this push be recorded before the transaction ends; the locks of the other attempts."""
    attempts = await tx.rows(
        tuple[int, str | None],
        """
        SELECT o.id, o.lock FROM pushes o
        WHERE o.project_id = :project_id AND o.wiki = :wiki AND o.recorded_at IS NULL AND EXISTS (
            SELECT 1 FROM push_refs c JOIN push_refs mine
            ON mine.ref = c.ref AND mine.old_id = c.old_id AND mine.new_id = c.new_id
            WHERE c.push_id = o.id AND mine.push_id = :id)
        ORDER BY o.id FOR UPDATE OF o
        """,
        id=push.id,
        project_id=push.project_id,
        wiki=push.wiki,
    )
    return [lock for attempt, lock in attempts if attempt != push.id]
