"""Pushes as the database knows them: intended, then recorded or dropped; and what a repository amounts to."""

from collections.abc import Sequence
from datetime import timedelta

import msgspec

from mujina.code.protected_branches import operations as protected_branches
from mujina.code.repositories.changes import Account, Change, PageChange, first_branch
from mujina.instance.application_settings.params import MASTERS_ONLY, NO_FORCE, UNPROTECTED
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.kernel.jobs.queue import enqueue
from mujina.workspaces.projects import operations as projects

MEND_AFTER, MEND_AFTER_EACH = timedelta(minutes=2), timedelta(milliseconds=100)
"""An intent this old, and older by so much for each of its refs, is nobody's any more: by then git has moved them all."""
HOUSEKEEPING_LEASE = timedelta(days=1)


class PushRow(msgspec.Struct, array_like=True, frozen=True):
    """A push that was intended and of which nothing more is known."""

    id: int
    project_id: int
    storage: str
    wiki: bool
    protocol: str
    actor_id: int | None
    default_branch: str | None


async def intend(tx: Tx, actor: Actor, project_id: int, changes: Sequence[Change], *, wiki: bool, protocol: str) -> int:
    """Whatever happens from here on, what moved will be recorded: by us, or by the one who mends."""
    push_id: int = await tx.value(
        """
        INSERT INTO pushes (project_id, wiki, actor_id, protocol, created_at)
        VALUES (:project_id, :wiki, :actor_id, :protocol, :now) RETURNING id
        """,
        project_id=project_id, wiki=wiki, actor_id=actor.id or None, protocol=protocol, now=clock.now(),
    )  # fmt: skip
    await enqueue(tx, "pushes.mend", push_id, owner_id=actor.id, after=MEND_AFTER + MEND_AFTER_EACH * len(changes))
    await tx.run_each(
        "INSERT INTO push_refs (push_id, ref, old_id, new_id) VALUES (:push_id, :ref, :old, :new)",
        [{"push_id": push_id, **msgspec.structs.asdict(change)} for change in changes],
    )
    return push_id


async def record_push(
    tx: Tx, actor: Actor, push_id: int, project_id: int, account: Account, intended: Sequence[Change], *, wiki: bool
) -> None:
    """Of what was intended these refs moved: from here on everybody may be told, of each by itself.

    A second time says nothing new.
    """
    if not await tx.run(
        "UPDATE pushes SET recorded_at = :now WHERE id = :id AND recorded_at IS NULL", id=push_id, now=clock.now()
    ):
        return
    moved = {move.change.ref: move.change for move in account.moves}
    if unmoved := [change.ref for change in intended if change.ref not in moved]:
        await tx.run("DELETE FROM push_refs WHERE push_id = :id AND ref IN :refs", id=push_id, refs=unmoved)
    default_branch, active_at = await tx.row(
        tuple[str | None, str],
        "SELECT p.default_branch, p.last_activity_at FROM projects p WHERE p.id = :id",
        id=project_id,
    ) or (None, None)
    if not wiki and default_branch is None:
        await _choose_default_branch(tx, actor, project_id, list(moved.values()))
    for move in account.moves:
        await record(
            tx, "wiki.pushed" if wiki else "repository.pushed", actor, subject_id=project_id,
            project_id=project_id, project_active_at=active_at,
            changes={"push_id": push_id, "ref": move.change.ref, "sha": (move.change.old, move.change.new),
                     "commit_count": move.commit_count, "commit_title": move.commit_title},
        )  # fmt: skip
    for page in account.pages:
        await _record_page(tx, actor, project_id, page)


async def _record_page(tx: Tx, actor: Actor, project_id: int, page: PageChange) -> None:
    await record(
        tx, f"wiki_page.{'created' if page.before is None else 'deleted' if page.after is None else 'updated'}", actor,
        subject_id=project_id, project_id=project_id, changes={"slug": (page.before, page.after)},
    )  # fmt: skip


async def drop_push(tx: Tx, push_id: int) -> None:
    """Nothing moved."""
    await tx.run("DELETE FROM pushes WHERE id = :id AND recorded_at IS NULL", id=push_id)


async def _choose_default_branch(tx: Tx, actor: Actor, project_id: int, moved: Sequence[Change]) -> None:
    """The first branch becomes the default one, and is protected as administrators decided for the instance."""
    wished = await tx.value("SELECT p.wished_branch FROM projects p WHERE p.id = :id", id=project_id)
    chosen = first_branch(moved, wished)
    if chosen is None:
        return
    if await projects.adopt_default_branch(tx, project_id, chosen):
        push = _PUSHING[(await read_settings(tx)).default_branch_protection]
        if push is not None:
            await protected_branches.protect_unless(tx, actor, project_id, chosen, push=push)


_PUSHING: dict[int, tuple[protected_branches.Grant, ...] | None] = {
    UNPROTECTED: None,
    NO_FORCE: protected_branches.DEVELOPERS,
    MASTERS_ONLY: protected_branches.MASTERS,
}


async def find_intent(tx: Tx, push_id: int) -> PushRow | None:
    """The push, if it is still only intended."""
    return await tx.row(
        PushRow,
        """
        SELECT o.id, o.project_id, p.repository_storage, o.wiki, o.protocol, o.actor_id, p.default_branch
        FROM pushes o JOIN projects p ON p.id = o.project_id WHERE o.id = :id AND o.recorded_at IS NULL
        """,
        id=push_id,
    )


async def intended_changes(tx: Tx, push_id: int) -> list[Change]:
    return await tx.rows(
        Change, "SELECT c.ref, c.old_id, c.new_id FROM push_refs c WHERE c.push_id = :id ORDER BY c.ref", id=push_id
    )


async def overtaken(tx: Tx, push: PushRow, change: Change) -> bool:
    """Whether a later push started from where this one wanted to arrive: then it did arrive."""
    return bool(
        await tx.value(
            """
            SELECT 1 FROM pushes o JOIN push_refs c ON c.push_id = o.id
            WHERE o.project_id = :project_id AND o.id > :id AND o.wiki = :wiki AND c.ref = :ref AND c.old_id = :new
            """,
            project_id=push.project_id, id=push.id, wiki=push.wiki, ref=change.ref, new=change.new,
        )
    )  # fmt: skip


async def told_already(tx: Tx, push: PushRow, change: Change) -> bool:
    """Whether another push made the very same move and was recorded, and nobody has moved away from there between the two.

    Then this one did not: its client tried again, and the second attempt it was that came through.
    """
    return bool(
        await tx.value(
            """
            SELECT 1 FROM pushes o JOIN push_refs c ON c.push_id = o.id
            WHERE o.project_id = :project_id AND o.wiki = :wiki AND o.id <> :id AND o.recorded_at IS NOT NULL
            AND c.ref = :ref AND c.old_id = :old AND c.new_id = :new AND NOT EXISTS (
                SELECT 1 FROM pushes away JOIN push_refs d ON d.push_id = away.id
                WHERE away.project_id = :project_id AND away.wiki = :wiki AND d.ref = :ref AND d.old_id = :new
                AND away.recorded_at IS NOT NULL AND (away.id - o.id) * (away.id - :id) < 0)
            """,
            project_id=push.project_id, id=push.id, wiki=push.wiki, ref=change.ref, old=change.old, new=change.new,
        )
    )  # fmt: skip


async def keep_house(tx: Tx, actor: Actor, project_id: int) -> None:
    """The repository is put in order soon; 409 if somebody asked for that less than a day ago."""
    before = clock.later(-HOUSEKEEPING_LEASE)
    leased = await tx.run(
        """
        INSERT INTO housekeeping (project_id, started_at) VALUES (:id, :now)
        ON CONFLICT (project_id) DO UPDATE SET started_at = excluded.started_at WHERE housekeeping.started_at < :before
        """,
        id=project_id, now=clock.now(), before=before,
    )  # fmt: skip
    if not leased:
        raise errors.conflict("Somebody already triggered housekeeping for this project in the past 1440 minutes")
    await record(tx, "repository.housekeeping_wanted", actor, subject_id=project_id, project_id=project_id)


async def follow_default_branch(tx: Tx, event: Event) -> None:
    """HEAD names another branch soon, if another one became the default, or is to become it."""
    if "default_branch" in event.changes:
        await enqueue(tx, "repositories.measure", event.subject_id, owner_id=event.actor_id)


async def store_measures(tx: Tx, project_id: int, commit_count: int, repository_size: int) -> None:
    """What was measured is shown from now on; a project that is gone meanwhile has nothing to show it in."""
    await tx.run(
        """
        INSERT INTO project_statistics (project_id, commit_count, repository_size, updated_at)
        SELECT p.id, :commit_count, :repository_size, :now FROM projects p WHERE p.id = :project_id
        ON CONFLICT (project_id) DO UPDATE SET commit_count = excluded.commit_count,
            repository_size = excluded.repository_size, updated_at = excluded.updated_at
        """,
        project_id=project_id, commit_count=commit_count, repository_size=repository_size, now=clock.now(),
    )  # fmt: skip


async def add_lfs_size(tx: Tx, project_id: int, size: int) -> None:
    """The project's large files take so many bytes more."""
    await tx.run(
        """
        INSERT INTO project_statistics (project_id, lfs_objects_size, updated_at) VALUES (:project_id, :size, :now)
        ON CONFLICT (project_id) DO UPDATE SET
            lfs_objects_size = project_statistics.lfs_objects_size + excluded.lfs_objects_size,
            updated_at = excluded.updated_at
        """,
        project_id=project_id, size=size, now=clock.now(),
    )  # fmt: skip
