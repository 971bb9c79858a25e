"""The JSON representations of groups of directories and of links to them."""

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel.db.transaction import Tx
from mujina.workspaces.members.entities import Member


class LdapGroup(msgspec.Struct):
    """A group of a directory."""

    cn: str


class LdapGroupLink(msgspec.Struct):
    """A link from a group to a group of a directory, or by a filter to people in it."""

    cn: str | None
    group_access: int
    provider: str
    filter: str | UnsetType = UNSET
    """Instead of the CN."""


class SyncAccepted(msgspec.Struct):
    message: str = "202 Accepted"


class OverriddenMember(Member, kw_only=True):
    """A member, and whether their level stays when the directory has another."""

    override: bool


async def links_of(tx: Tx, group_id: int) -> list[LdapGroupLink]:
    """The links of the group, oldest first."""
    rows = await tx.rows(
        tuple[str, int, str, str],
        """SELECT k.cn, k.group_access, k.provider, k.filter FROM ldap_group_links k
           WHERE k.group_id = :group_id ORDER BY k.id""",
        group_id=group_id,
    )
    return [LdapGroupLink(cn or None, level, provider, matching or UNSET) for cn, level, provider, matching in rows]
