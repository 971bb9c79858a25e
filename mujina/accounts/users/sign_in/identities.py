"""Identities of users at external providers: one for each provider, and each belongs to one user."""

from typing import Any, LiteralString

from mujina.accounts.users.params import Profile
from mujina.accounts.users.rules import UserRow
from mujina.kernel import clock, errors
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.rows import insert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import TAKEN, Problems
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.distinguished_names import normalized_or_unchanged
from mujina.kernel.text.folding import fold

_MAX_LENGTH = 255
_MAX_NAME_LENGTH = 1_000
"""Names in a directory are longer than other identities."""

GOVERNING: LiteralString = """i.id = (SELECT min(first.id) FROM identities first
    WHERE first.user_id = i.user_id AND first.provider LIKE 'ldap%')"""
"""Only the first identity counts if a user has identities in several directories."""


def is_directory(provider: str) -> bool:
    """Whether the provider is an LDAP directory, which knows users by their distinguished names."""
    return provider.startswith("ldap")


def stored_uid(provider: str, extern_uid: str) -> str:
    """The identity as it is stored: the name of an entry of a directory in its one normalized form."""
    return normalized_or_unchanged(extern_uid) if is_directory(provider) else extern_uid


async def check(tx: Tx, problems: Problems, change: Profile, user_id: int) -> None:
    """Add a problem if the identity is invalid or belongs to another user."""
    if change.extern_uid is UNSET or change.provider is UNSET:
        return
    faults = Problems()
    for name, value in (("provider", change.provider), ("extern_uid", change.extern_uid)):
        faults.require(name, value)
        long = name == "extern_uid" and is_directory(change.provider)
        faults.limit(name, value, _MAX_NAME_LENGTH if long else _MAX_LENGTH)
    stored = stored_uid(change.provider, change.extern_uid)
    if await tx.value(
        """SELECT 1 FROM identities known
           WHERE known.provider = :provider AND known.extern_uid_folded = :extern_uid AND known.user_id <> :user_id""",
        provider=change.provider,
        extern_uid=fold(stored),
        user_id=user_id,
    ):
        faults.add("extern_uid", TAKEN)
    if faults:
        problems.embed("identities", faults.found)


async def put(tx: Tx, user_id: int, change: Profile) -> dict[str, Any]:
    """Set the user's identity at the provider. Returns the changes."""
    if change.extern_uid is UNSET or change.provider is UNSET:
        return {}
    stored = stored_uid(change.provider, change.extern_uid)
    try:
        await insert(
            tx, "identities", """ON CONFLICT (user_id, provider) DO UPDATE SET extern_uid = excluded.extern_uid,
                extern_uid_folded = excluded.extern_uid_folded, entry_uuid = NULL""", user_id=user_id,
            provider=change.provider, extern_uid=stored, extern_uid_folded=fold(stored),
        )  # fmt: skip
    except UniqueViolation:
        raise errors.invalid({"identities": {"extern_uid": [TAKEN]}}) from None
    return {"identities": (None, [change.provider, stored])}


async def remove(tx: Tx, actor: Actor, user: UserRow, provider: str) -> None:
    """Remove the user's identity at the provider. Without any directory, an administrator may unblock the user."""
    extern_uid = await tx.value(
        "DELETE FROM identities WHERE user_id = :user_id AND provider = :provider RETURNING extern_uid",
        user_id=user.id,
        provider=provider,
    )
    if extern_uid is None:
        raise errors.not_found("Identity")
    await tx.run(
        """
        UPDATE users SET state = 'blocked' WHERE id = :user_id AND state = 'ldap_blocked' AND NOT EXISTS (
            SELECT 1 FROM identities left_over
            WHERE left_over.user_id = :user_id AND left_over.provider LIKE 'ldap%')
        """,
        user_id=user.id,
    )
    await record(tx, "user.updated", actor, subject_id=user.id, changes={"identities": ([provider, extern_uid], None)})


async def follow_entry(tx: Tx, user_id: int, provider: str, dn: str, uuid: str | None) -> None:
    """The directory has the user, under this name, in the entry of this id; 400 if another user has the name."""
    try:
        await tx.run(
            """
            UPDATE identities SET checked_at = :now, blocked_at = NULL, extern_uid = :dn, extern_uid_folded = :folded,
                entry_uuid = coalesce(CAST(:uuid AS text), entry_uuid)
            WHERE user_id = :user_id AND provider = :provider
            """,
            now=clock.now(), dn=dn, folded=fold(dn), uuid=uuid, user_id=user_id, provider=provider,
        )  # fmt: skip
    except UniqueViolation:
        raise errors.invalid({"identities": {"extern_uid": [TAKEN]}}) from None


async def read_entry(tx: Tx, user_id: int, provider: str) -> tuple[str, str | None]:
    """The name and the id of the user's entry in the directory, as they were when it last had the user."""
    found = await tx.row(
        tuple[str, str | None],
        "SELECT i.extern_uid, i.entry_uuid FROM identities i WHERE i.user_id = :user_id AND i.provider = :provider",
        user_id=user_id,
        provider=provider,
    )
    return found or ("", None)


async def forget_blocks(tx: Tx, provider: str) -> None:
    """An administrator has confirmed whom the directory blocks: those no longer count as recent."""
    await tx.run(
        "UPDATE identities SET blocked_at = NULL WHERE provider = :provider AND blocked_at IS NOT NULL",
        provider=provider,
    )


async def record_missing_user(tx: Tx, user_id: int, provider: str, *, blocked: bool) -> None:
    """The directory does not have the user; `blocked` if that blocks them from now on."""
    await tx.run(
        """UPDATE identities SET checked_at = :now, blocked_at = CASE WHEN :blocked THEN :now ELSE blocked_at END
           WHERE user_id = :user_id AND provider = :provider""",
        now=clock.now(), blocked=blocked, user_id=user_id, provider=provider,
    )  # fmt: skip


async def is_governed_by(tx: Tx, user_id: int, provider: str) -> bool:
    """Whether this directory, of all that know the user, decides about the account."""
    found = await tx.value(
        f"SELECT 1 FROM identities i WHERE i.user_id = :user_id AND i.provider = :provider AND {GOVERNING}",
        user_id=user_id,
        provider=provider,
    )
    return found is not None


async def rename_provider(tx: Tx, old: str, new: str) -> int:
    """Give every identity of one provider to another; how many."""
    return await tx.run("UPDATE identities SET provider = :new WHERE provider = :old", old=old, new=new)
