"""Links from groups to groups of directories, by CN, or to the people who match a filter."""

from typing import NamedTuple

from mujina.accounts.ldap.operations import filter_problem
from mujina.kernel import clock, errors
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.rows import insert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import INVALID, Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor

_MAX_LENGTH = 255
_MAX_FILTER_LENGTH = 2_000
TAKEN = "{} has already been taken"
ONE_OF_TWO = "and filter cannot both be given"


class LinkTarget(NamedTuple):
    """The target of a link: a group of the directory, or the people who match a filter."""

    cn: str
    filter: str = ""

    @property
    def changes(self) -> dict[str, str]:
        return {"filter": self.filter} if self.filter else {"cn": self.cn}


async def add(tx: Tx, actor: Actor, group_id: int, provider: str, target: LinkTarget, level: int) -> None:
    """Link the group; 409 if it has this link of this provider already."""
    problems = Problems()
    _check_target(problems, target)
    problems.require("provider", provider, _MAX_LENGTH)
    if not provider.isprintable():
        problems.add("provider", INVALID)
    problems.refuse()
    try:
        await insert(
            tx, "ldap_group_links", group_id=group_id, provider=provider, cn=target.cn, filter=target.filter,
            group_access=level, created_at=clock.now(),
        )  # fmt: skip
    except UniqueViolation:
        raise errors.conflict(TAKEN.format("Filter" if target.filter else "Cn")) from None
    added = {**target.changes, "provider": provider, "group_access": level}
    changes = {name: (None, value) for name, value in added.items()}
    await record(tx, "ldap_group_link.created", actor, subject_id=group_id, group_id=group_id, changes=changes)


def _check_target(problems: Problems, target: LinkTarget) -> None:
    """Exactly one of CN and filter is given, and means something."""
    if target.filter:
        problems.limit("filter", target.filter, _MAX_FILTER_LENGTH)
        if target.cn:
            problems.add("cn", ONE_OF_TWO)
        if problem := filter_problem(target.filter):
            problems.add("filter", f"{INVALID}: {problem}")
        return
    problems.require("cn", target.cn, _MAX_LENGTH)
    if not target.cn.isprintable():
        problems.add("cn", INVALID)


async def remove(tx: Tx, actor: Actor, group_id: int, target: LinkTarget, provider: str | None = None) -> None:
    """Remove the link of this provider, or without one the oldest such link. Members stay until the next run."""
    link = await tx.row(
        tuple[int, str],
        """
        SELECT k.id, k.provider FROM ldap_group_links k
        WHERE k.group_id = :group_id AND k.cn = :cn AND k.filter = :filter
        AND k.provider = coalesce(CAST(:provider AS text), k.provider) ORDER BY k.id LIMIT 1
        """,
        group_id=group_id, cn=target.cn, filter=target.filter, provider=provider,
    )  # fmt: skip
    if link is None or not await tx.run("DELETE FROM ldap_group_links WHERE id = :id", id=link[0]):
        raise errors.not_found_with("Linked LDAP group not found")
    changes = {name: (value, None) for name, value in {**target.changes, "provider": link[1]}.items()}
    await record(tx, "ldap_group_link.deleted", actor, subject_id=group_id, group_id=group_id, changes=changes)


async def rename_provider(tx: Tx, old: str, new: str) -> int:
    """Give every link of one provider to another; how many."""
    return await tx.run("UPDATE ldap_group_links SET provider = :new WHERE provider = :old", old=old, new=new)
