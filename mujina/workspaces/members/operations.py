"""Giving and taking access."""

from typing import Any

from mujina.instance.editions.rules import has_feature
from mujina.kernel import clock, errors
from mujina.kernel.clock import NEVER
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, NOT_LISTED, Problems
from mujina.kernel.events import record
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.http.params import UNSET, Unset
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.permissions.levels import LEVELS, OWNER, PROJECT_LEVELS
from mujina.workspaces.members.granting import sharing
from mujina.workspaces.members.granting.ownership import permanent_owners
from mujina.workspaces.members.rules import MemberRow, Source, members_locked

EXPIRED_BATCH = 100


async def add(
    tx: Tx,
    actor: Actor,
    source: Source,
    user_id: int,
    level: int,
    expires_on: str | None,
    *,
    from_directory: bool = False,
    created_by_id: int | None = None,
) -> None:
    """Make the user a member with this level and delete their request for access; 409 if they are a member already.

    `created_by_id` is the user who gave the access, by default the actor.
    """
    await check_lock(tx, source)
    await _check_new(tx, source, user_id)
    problems = Problems()
    check_level(problems, source, level)
    person = "SELECT 1 FROM users u WHERE u.id = :id AND u.kind IN ('person', 'bot') AND u.deleted_at IS NULL"
    if not await tx.value(person, id=user_id):
        problems.add("user", BLANK)
    problems.refuse()
    giver_id = created_by_id or actor.id
    if not await _insert(tx, giver_id, source, user_id, level, expires_on, from_directory=from_directory):
        raise errors.conflict("Member already exists")
    await delete_request(tx, source, user_id)
    await _record(tx, "added", actor, source, user_id, {"access_level": (None, level)})


async def edit(
    tx: Tx,
    actor: Actor,
    source: Source,
    member: MemberRow,
    level: int,
    expires_at: str | Unset | None,
    *,
    from_directory: bool = False,
) -> None:
    """Give the member this level, and this expiration date unless it is UNSET.

    A level that differs from the one that a directory gave stays, unless it comes `from_directory` itself.
    """
    problems = Problems()
    check_level(problems, source, level)
    problems.refuse()
    expires_on = member.expires_on if expires_at is UNSET else expires_at or NEVER
    if level != member.level or expires_on not in (member.expires_on, NEVER):
        await _check_not_last_owner(tx, source, member.user_id)
    columns: dict[str, Any] = {"level": level, "expires_on": expires_on, "updated_at": clock.now()}
    if from_directory:
        columns["from_directory"] = True
    elif member.from_directory and level != member.level:
        columns["override"] = True
    await update(tx, "members", columns, user_id=member.user_id, **source.bound)
    changes = {"access_level": (member.level, level), "expires_at": (member.expires_on, expires_on)}
    changed = {name: (old, new) for name, (old, new) in changes.items() if old != new}
    await _record(tx, "updated", actor, source, member.user_id, changed)


async def remove(tx: Tx, actor: Actor, source: Source, user_id: int) -> None:
    """End the membership: the access ends with the next statement, and with the event the assignments do."""
    await _check_not_last_owner(tx, source, user_id)
    level = await tx.value(
        """DELETE FROM members WHERE source_kind = :source_kind AND source_id = :source_id AND user_id = :user_id
           RETURNING level""",
        user_id=user_id,
        **source.bound,
    )
    errors.or_not_found(level, "Member")  # another request has removed them meanwhile
    await _record(tx, "removed", actor, source, user_id, {"access_level": (level, None)})


async def set_override(tx: Tx, actor: Actor, source: Source, member: MemberRow, *, override: bool) -> None:
    """Keep the level that was set by hand, or let the directory decide again at the next run."""
    if member.override == override:
        return
    columns = {"override": override, "updated_at": clock.now()}
    await update(tx, "members", columns, user_id=member.user_id, **source.bound)
    await _record(tx, "updated", actor, source, member.user_id, {"override": (not override, override)})


async def mark_synced(tx: Tx, source: Source, user_ids: list[int]) -> None:
    """A directory decides about these memberships from now on."""
    await tx.run(
        """UPDATE members SET from_directory = TRUE WHERE source_kind = :source_kind AND source_id = :source_id
           AND user_id IN :user_ids AND NOT from_directory""",
        user_ids=user_ids,
        **source.bound,
    )


async def check_not_synced(tx: Tx, actor: Actor, source: Source, member: MemberRow) -> None:
    """403 for the removal of a member whom a linked directory would add again; members may leave."""
    if not member.from_directory or member.user_id == actor.id or not has_feature("ldap_groups"):
        return
    if await tx.value("SELECT 1 FROM ldap_group_links k WHERE k.group_id = :id LIMIT 1", id=source.id):
        raise errors.forbidden("The directory decides about this membership")


async def add_first(tx: Tx, source: Source, user_id: int, level: int) -> None:
    """Make the owner of a new group or project a member, without an event: the event of the creation implies it."""
    await _insert(tx, user_id, source, user_id, level, None)


async def set_notification_level(tx: Tx, source: Source, user_id: int, notification_level: int) -> None:
    """Show this notification level in the user's row here, if they have one."""
    await update(tx, "members", {"notification_level": notification_level}, user_id=user_id, **source.bound)


async def set_expiration(tx: Tx, source: Source, user_id: int, expires_on: str) -> None:
    """End the membership of a bot with its token, without an event: that of the token implies it."""
    await update(tx, "members", {"expires_on": expires_on}, user_id=user_id, **source.bound)


async def delete_all(tx: Tx, source: Source) -> None:
    """Delete every member and request of a group or project that is being erased."""
    await tx.run("DELETE FROM members WHERE source_kind = :source_kind AND source_id = :source_id", **source.bound)
    await tx.run(
        "DELETE FROM access_requests WHERE source_kind = :source_kind AND source_id = :source_id", **source.bound
    )


async def delete_expired(tx: Tx) -> bool:
    """Delete expired memberships and shares: they have given no access since they expired. False: call it again.

    The last owner of a group stays listed, without access: an administrator may extend it.
    """
    shares = await sharing.delete_expired(tx, "project", EXPIRED_BATCH)
    group_shares = await sharing.delete_expired(tx, "group", EXPIRED_BATCH)
    expired = await tx.rows(
        tuple[OwnerKind, int, int, int],
        """
        SELECT m.source_kind, m.source_id, m.user_id, m.level FROM members m WHERE m.expires_on <= :today
        AND (m.level < :owner OR m.source_kind <> 'group' OR EXISTS (
            SELECT 1 FROM members other WHERE other.source_kind = 'group' AND other.source_id = m.source_id
            AND other.level >= :owner AND other.user_id <> m.user_id
            AND (other.expires_on > :today OR other.user_id > m.user_id)))
        ORDER BY m.source_kind, m.source_id, m.user_id LIMIT :limit FOR UPDATE
        """,
        today=clock.today(),
        owner=OWNER,
        limit=EXPIRED_BATCH,
    )
    for kind, id, user_id, level in expired:
        await tx.run(
            "DELETE FROM members WHERE source_kind = :source_kind AND source_id = :source_id AND user_id = :user_id",
            user_id=user_id,
            **Source(kind, id).bound,
        )
        await _record(tx, "expired", SYSTEM, Source(kind, id), user_id, {"access_level": (level, None)})
    return max(len(expired), shares, group_shares) < EXPIRED_BATCH


def check_level(problems: Problems, source: Source, level: int) -> None:
    if level not in (LEVELS if source.kind == "group" else PROJECT_LEVELS):
        problems.add("access_level", NOT_LISTED)


async def check_lock(tx: Tx, source: Source) -> None:
    """405 if a group above has locked the membership of its projects."""
    if source.kind == "project" and await tx.value(
        f"SELECT 1 FROM projects p WHERE p.id = :id AND {members_locked.for_row}", id=source.id
    ):
        raise errors.not_now()


async def _check_new(tx: Tx, source: Source, user_id: int) -> None:
    if await tx.value(
        """SELECT 1 FROM members m WHERE m.source_kind = :source_kind AND m.source_id = :source_id
           AND m.user_id = :user_id AND m.expires_on > :today""",
        user_id=user_id,
        today=clock.today(),
        **source.bound,
    ):
        raise errors.conflict("Member already exists")


async def _check_not_last_owner(tx: Tx, source: Source, user_id: int) -> None:
    """403 for the last owner of a group, and for the owner of a personal project."""
    if source.kind == "group":
        # All owners are locked: of two who leave at the same moment one stays.
        if await permanent_owners(tx, source.id, lock=True) == [user_id]:
            raise errors.forbidden("A group needs an owner")
    elif await tx.value(
        "SELECT 1 FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = :id AND n.owner_id = :user_id",
        id=source.id,
        user_id=user_id,
    ):
        raise errors.forbidden("A personal project belongs to its owner")


async def _insert(
    tx: Tx,
    giver_id: int,
    source: Source,
    user_id: int,
    level: int,
    expires_on: str | None,
    *,
    from_directory: bool = False,
) -> bool:
    """Insert a row, or replace an expired one; False if there is an unexpired one."""
    changed = await tx.run(
        """
        INSERT INTO members (source_kind, source_id, user_id, level, expires_on, created_by_id, from_directory,
            created_at, updated_at)
        VALUES (:source_kind, :source_id, :user_id, :level, :expires_on, :created_by_id, :from_directory, :now, :now)
        ON CONFLICT (source_kind, source_id, user_id) DO UPDATE
        SET level = excluded.level, expires_on = excluded.expires_on, created_by_id = excluded.created_by_id,
            created_at = excluded.created_at, updated_at = excluded.updated_at,
            from_directory = excluded.from_directory, override = FALSE
        WHERE members.expires_on <= :today
        """,
        user_id=user_id, level=level, expires_on=expires_on or NEVER, created_by_id=giver_id or None,
        from_directory=from_directory,
        now=clock.now(), today=clock.today(), **source.bound,
    )  # fmt: skip
    return changed > 0


async def delete_request(tx: Tx, source: Source, user_id: int) -> None:
    await tx.run(
        """DELETE FROM access_requests
           WHERE source_kind = :source_kind AND source_id = :source_id AND user_id = :user_id""",
        user_id=user_id,
        **source.bound,
    )


async def _record(
    tx: Tx, verb: str, actor: Actor, source: Source, user_id: int, changes: dict[str, tuple[Any, Any]]
) -> None:
    await record(tx, f"member.{verb}", actor, subject_id=user_id, author_id=user_id, changes=changes, **source.ids)
