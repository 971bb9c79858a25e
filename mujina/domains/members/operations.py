"""Giving and taking access."""

from mujina.domains.members.rules import Source
from mujina.kernel import clock, errors
from mujina.kernel.access import LEVELS, PROJECT_LEVELS
from mujina.kernel.actor import Actor
from mujina.kernel.clock import NEVER
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, NOT_LISTED, Problems
from mujina.kernel.events import record


async def add(tx: Tx, actor: Actor, source: Source, user_id: int, level: int, expires_on: str | None) -> None:
    """The person has this level from now on; 409 when they are a member already."""
    problems = Problems()
    if level not in (LEVELS if source.kind == "group" else PROJECT_LEVELS):
        problems.add("access_level", NOT_LISTED)
    if not await _person(tx, user_id):
        problems.add("user", BLANK)
    problems.refuse()
    if not await _insert(tx, actor, source, user_id, level, expires_on):
        raise errors.conflict("Member already exists")
    await _record(tx, "added", actor, source, user_id, {"access_level": (None, level)})


async def seat(tx: Tx, source: Source, user_id: int, level: int) -> None:
    """They are a member from the beginning, as the record of that beginning implies."""
    await _insert(tx, Actor(id=user_id), source, user_id, level, None)


async def _insert(tx: Tx, actor: Actor, source: Source, user_id: int, level: int, expires_on: str | None) -> bool:
    """A new row, or the place of one that has expired; False when there is one that counts."""
    changed = await tx.run(
        """
        INSERT INTO members (source_kind, source_id, user_id, level, expires_on, created_by_id, created_at, updated_at)
        VALUES (:source_kind, :source_id, :user_id, :level, :expires_on, :created_by_id, :now, :now)
        ON CONFLICT (source_kind, source_id, user_id) DO UPDATE
        SET level = excluded.level, expires_on = excluded.expires_on, updated_at = excluded.updated_at
        WHERE members.expires_on <= :today
        """,
        user_id=user_id, level=level, expires_on=expires_on or NEVER, created_by_id=actor.id or None,
        now=clock.now(), today=clock.today(), **source.bound,
    )  # fmt: skip
    return changed > 0


async def remove(tx: Tx, actor: Actor, source: Source, user_id: int) -> None:
    """Their access ends with the next statement."""
    await tx.run(
        "DELETE FROM members WHERE source_kind = :source_kind AND source_id = :source_id AND user_id = :user_id",
        user_id=user_id,
        **source.bound,
    )
    await _record(tx, "removed", actor, source, user_id, {})


async def unshare_below(tx: Tx, group_id: int) -> None:
    """Nothing is shared with the group, nor with those below it, any more."""
    await tx.run(
        """DELETE FROM project_shares
           WHERE group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :id)""",
        id=group_id,
    )


async def forget(tx: Tx, source: Source) -> None:
    """Every row and request of a group or project that is being erased."""
    await tx.run("DELETE FROM members WHERE source_kind = :source_kind AND source_id = :source_id", **source.bound)
    await tx.run(
        "DELETE FROM access_requests WHERE source_kind = :source_kind AND source_id = :source_id", **source.bound
    )


async def _person(tx: Tx, user_id: int) -> bool:
    found = await tx.value(
        "SELECT 1 FROM users u WHERE u.id = :id AND u.kind = 'person' AND u.deleted_at IS NULL", id=user_id
    )
    return found is not None


async def _record(
    tx: Tx, what: str, actor: Actor, source: Source, user_id: int, changes: dict[str, tuple[int | None, int | None]]
) -> None:
    project_id, group_id = (source.id, None) if source.kind == "project" else (None, source.id)
    await record(
        tx, f"member.{what}", actor, subject_id=user_id, project_id=project_id, group_id=group_id, changes=changes
    )
