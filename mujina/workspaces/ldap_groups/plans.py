"""The changes that a synchronization makes to the members of one group."""

from collections.abc import Mapping
from typing import Annotated, Literal, LiteralString

import msgspec

from mujina.accounts.ldap.runs import is_too_many
from mujina.accounts.users.sign_in.identities import GOVERNING
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.levels import OWNER
from mujina.workspaces.members.granting.ownership import permanent_owners

Verb = Literal["add", "raise", "lower", "remove"]
_BATCH = 500

Levels = Mapping[str, int]
"""The folded name of each member of a linked group, with the highest level of the links that hold them."""


class GovernedMember(Row, alias="m"):
    """A member with an identity in the directory."""

    user_id: int
    username: Annotated[str, "u.username"]
    level: int
    override: bool
    dn: Annotated[str, "i.extern_uid_folded"]


class MemberChange(msgspec.Struct, frozen=True):
    verb: Verb
    user_id: int
    username: str
    level: int

    def __str__(self) -> str:
        return f"{self.verb} {self.username}" + ("" if self.verb == "remove" else f" ({self.level})")


class GroupPlan(msgspec.Struct):
    """The changes of one group by one directory."""

    changes: list[MemberChange]
    governed: int
    """How many members the directory governs."""
    kept: list[int]
    """Members whose level is right already."""
    protected: str | None
    """The last owner, whom the directory would remove or lower."""

    @property
    def removed(self) -> int:
        return sum(change.verb == "remove" for change in self.changes)

    def needs_confirmation(self, *, empty: bool) -> bool:
        """Whether it removes too many, or anyone because a group of the directory is `empty`."""
        return self.removed > 0 and (empty or is_too_many(self.removed, self.governed))


async def plan(tx: Tx, group_id: int, provider: str, levels: Levels) -> GroupPlan:
    """The changes that make the members as the directory has them. Those without an identity in it are left alone."""
    members = await _governed(tx, group_id, provider)
    changes, kept = list[MemberChange](), list[int]()
    for member in members:
        level = levels.get(member.dn)
        if level is None:
            changes.append(MemberChange("remove", member.user_id, member.username, 0))
        elif level == member.level or member.override:
            kept.append(member.user_id)
        else:
            verb: Verb = "raise" if level > member.level else "lower"
            changes.append(MemberChange(verb, member.user_id, member.username, level))
    known = {member.dn for member in members}
    wanted = sorted(levels.keys() - known)
    for start in range(0, len(wanted), _BATCH):
        changes += await _additions(tx, group_id, provider, wanted[start : start + _BATCH], levels)
    protected = await _protect_last_owner(tx, group_id, changes)
    # Owners are added before others go: a group always has one.
    changes.sort(key=lambda change: ("add", "raise", "lower", "remove").index(change.verb))
    return GroupPlan(changes, len(members), kept, protected)


async def _protect_last_owner(tx: Tx, group_id: int, changes: list[MemberChange]) -> str | None:
    """Leave one owner out of the changes if no owner would be left; the name of that owner."""
    owners = await permanent_owners(tx, group_id)
    losing = {change.user_id: change for change in changes if change.verb in ("lower", "remove")}
    gaining = any(change.level == OWNER for change in changes if change.verb in ("add", "raise"))
    if gaining or not owners or any(user_id not in losing for user_id in owners):
        return None
    changes.remove(losing[owners[0]])
    return losing[owners[0]].username


_MEMBERS: LiteralString = f"""
    SELECT {GovernedMember.columns} FROM members m JOIN users u ON u.id = m.user_id
    JOIN identities i ON i.user_id = u.id AND i.provider = :provider AND {GOVERNING}
    WHERE m.source_kind = 'group' AND m.source_id = :group_id AND m.expires_on > :today AND u.deleted_at IS NULL
    ORDER BY u.id
"""


async def _governed(tx: Tx, group_id: int, provider: str) -> list[GovernedMember]:
    return await tx.rows(GovernedMember, _MEMBERS, provider=provider, group_id=group_id, today=clock.today())


async def _additions(tx: Tx, group_id: int, provider: str, names: list[str], levels: Levels) -> list[MemberChange]:
    """Users with these names who are not members yet."""
    rows = await tx.rows(
        tuple[int, str, str],
        f"""
        SELECT u.id, u.username, i.extern_uid_folded FROM identities i JOIN users u ON u.id = i.user_id
        WHERE i.provider = :provider AND {GOVERNING} AND i.extern_uid_folded IN :names
        AND u.kind = 'person' AND u.deleted_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM members m WHERE m.source_kind = 'group' AND m.source_id = :group_id
            AND m.user_id = u.id AND m.expires_on > :today)
        ORDER BY u.id
        """,
        provider=provider, names=names, group_id=group_id, today=clock.today(),
    )  # fmt: skip
    return [MemberChange("add", user_id, username, levels[name]) for user_id, username, name in rows]
