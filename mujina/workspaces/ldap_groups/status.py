"""The state of the synchronization, as operators see it."""

from typing import Annotated

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


class GroupSyncRow(Row, alias="s"):
    path: Annotated[str, "r.path"]
    status: str
    error: str | None
    last_successful_update_at: str | None


async def group_syncs(tx: Tx) -> list[GroupSyncRow]:
    """How the last run of each group ended, those with a problem first."""
    return await tx.rows(
        GroupSyncRow,
        f"""SELECT {GroupSyncRow.columns} FROM ldap_group_syncs s JOIN namespaces n ON n.id = s.group_id
            JOIN routes r ON r.namespace_id = n.id WHERE n.deleted_at IS NULL
            ORDER BY CASE WHEN s.error IS NULL THEN 1 ELSE 0 END, r.path_folded""",
    )


class GroupSyncState(Row, alias="s"):
    status: str
    error: str | None
    """Why the last run failed, or what waits for a confirmation."""
    last_update_at: str | None
    last_successful_update_at: str | None


async def sync_state(tx: Tx, group_id: int) -> GroupSyncState | None:
    """How the last run of this group ended; None without one."""
    return await tx.row(
        GroupSyncState,
        f"SELECT {GroupSyncState.columns} FROM ldap_group_syncs s WHERE s.group_id = :id",
        id=group_id,
    )


async def linked_names(tx: Tx, provider: str) -> list[str]:
    """The CNs to which groups are linked."""
    return await tx.values(
        "SELECT DISTINCT k.cn FROM ldap_group_links k WHERE k.provider = :provider AND k.cn <> '' ORDER BY k.cn",
        provider=provider,
    )


async def unknown_providers(tx: Tx, known: list[str]) -> list[tuple[str, str]]:
    """The path of each group with a link to a provider that is not one of these, and the provider."""
    return await tx.rows(
        tuple[str, str],
        """SELECT DISTINCT r.path, k.provider FROM ldap_group_links k JOIN routes r ON r.namespace_id = k.group_id
           WHERE k.provider NOT IN :known ORDER BY r.path, k.provider""",
        known=known,
    )


async def count_identities(tx: Tx, provider: str) -> int:
    """How many identities and links name this provider."""
    return await tx.value(
        """SELECT (SELECT count(*) FROM identities i WHERE i.provider = :provider)
                + (SELECT count(*) FROM ldap_group_links k WHERE k.provider = :provider)""",
        provider=provider,
    )


async def directory_members(tx: Tx, group_id: int, user_ids: list[int]) -> dict[int, bool]:
    """Returns those members about whom a directory decides, and whether their level was set by hand."""
    rows = await tx.rows(
        tuple[int, bool],
        """SELECT m.user_id, m.override FROM members m
           WHERE m.source_kind = 'group' AND m.source_id = :group_id AND m.from_directory AND m.user_id IN :user_ids
           AND EXISTS (SELECT 1 FROM ldap_group_links k WHERE k.group_id = m.source_id)""",
        group_id=group_id,
        user_ids=user_ids,
    )
    return dict(rows)
