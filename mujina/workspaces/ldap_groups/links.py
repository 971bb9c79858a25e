"""Links from groups to groups of directories."""

from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import INVALID, Problems
from mujina.kernel.events import record

_MAX_LENGTH = 255
TAKEN = "Cn has already been taken"


async def add(tx: Tx, actor: Actor, group_id: int, provider: str, cn: str, level: int) -> None:
    """Link the group; 409 if it has a link of this provider to this CN already."""
    problems = Problems()
    for name, value in (("cn", cn), ("provider", provider)):
        problems.require(name, value)
        problems.limit(name, value, _MAX_LENGTH)
        if not value.isprintable():
            problems.add(name, INVALID)
    problems.refuse()
    try:
        await tx.run(
            """
            INSERT INTO ldap_group_links (group_id, provider, cn, group_access, created_at)
            VALUES (:group_id, :provider, :cn, :level, :now)
            """,
            group_id=group_id, provider=provider, cn=cn, level=level, now=clock.now(),
        )  # fmt: skip
    except UniqueViolation:
        raise errors.conflict(TAKEN) from None
    changes = {"cn": (None, cn), "provider": (None, provider), "group_access": (None, level)}
    await record(tx, "ldap_group_link.created", actor, subject_id=group_id, group_id=group_id, changes=changes)


async def remove(tx: Tx, actor: Actor, group_id: int, cn: str, provider: str | None = None) -> None:
    """Remove the link of this provider, or without one the oldest link with this CN. Members stay until the next run."""
    link = await tx.row(
        tuple[int, str],
        """
        SELECT k.id, k.provider FROM ldap_group_links k
        WHERE k.group_id = :group_id AND k.cn = :cn AND k.provider = coalesce(CAST(:provider AS text), k.provider)
        ORDER BY k.id LIMIT 1
        """,
        group_id=group_id, cn=cn, provider=provider,
    )  # fmt: skip
    if link is None or not await tx.run("DELETE FROM ldap_group_links WHERE id = :id", id=link[0]):
        raise errors.absent("Linked LDAP group not found")
    changes = {"cn": (cn, None), "provider": (link[1], None)}
    await record(tx, "ldap_group_link.deleted", actor, subject_id=group_id, group_id=group_id, changes=changes)


async def rename_provider(tx: Tx, old: str, new: str) -> int:
    """Give every link of one provider to another; how many."""
    return await tx.run("UPDATE ldap_group_links SET provider = :new WHERE provider = :old", old=old, new=new)
