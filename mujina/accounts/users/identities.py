"""Identities of users at external providers: one for each provider, and each belongs to one user."""

from typing import Any

from mujina.accounts.users.params import Profile
from mujina.kernel import errors
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import TAKEN, Problems
from mujina.kernel.params import UNSET
from mujina.kernel.text import fold

_MAX_LENGTH = 255


async def check(tx: Tx, problems: Problems, change: Profile, user_id: int) -> None:
    """Add a problem if the identity is invalid or belongs to another user."""
    if change.extern_uid is UNSET or change.provider is UNSET:
        return
    faults = Problems()
    for name, value in (("provider", change.provider), ("extern_uid", change.extern_uid)):
        faults.require(name, value)
        faults.limit(name, value, _MAX_LENGTH)
    if await tx.value(
        """SELECT 1 FROM identities known
           WHERE known.provider = :provider AND known.extern_uid_folded = :extern_uid AND known.user_id <> :user_id""",
        provider=change.provider, extern_uid=fold(change.extern_uid), user_id=user_id,
    ):  # fmt: skip
        faults.add("extern_uid", TAKEN)
    if faults:
        problems.embed("identities", faults.found)


async def put(tx: Tx, user_id: int, change: Profile) -> dict[str, Any]:
    """Set the user's identity at the provider. Returns the changes."""
    if change.extern_uid is UNSET or change.provider is UNSET:
        return {}
    try:
        await tx.run(
            """
            INSERT INTO identities (user_id, provider, extern_uid, extern_uid_folded)
            VALUES (:user_id, :provider, :extern_uid, :folded)
            ON CONFLICT (user_id, provider) DO UPDATE
            SET extern_uid = excluded.extern_uid, extern_uid_folded = excluded.extern_uid_folded
            """,
            user_id=user_id, provider=change.provider, extern_uid=change.extern_uid, folded=fold(change.extern_uid),
        )  # fmt: skip
    except UniqueViolation:
        raise errors.invalid({"identities": {"extern_uid": [TAKEN]}}) from None
    return {"identities": (None, [change.provider, change.extern_uid])}
