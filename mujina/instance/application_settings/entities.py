"""The instance as it is shown to administrators."""

from typing import Any

import msgspec

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.db.transaction import Tx


async def settings(tx: Tx) -> dict[str, Any]:
    """Every setting, and the names some had before."""
    found = await read_settings(tx)
    web = found.password_authentication_enabled_for_web
    old = {"signin_enabled": web, "password_authentication_enabled": web}
    return {"id": 1, **msgspec.structs.asdict(found), **old}


class License(msgspec.Struct, frozen=True, kw_only=True):
    """What this edition is: free software, whole, for as many as like it, for ever."""

    plan: str = "mit"
    licensee: dict[str, str] = {}
    add_ons: dict[str, int] = {}
    user_limit: int = 0
    """None."""
    active_users: int
    starts_at: str | None = None
    expires_at: str | None = None
    expired: bool = False


async def license_of(tx: Tx) -> License:
    active = await tx.value(
        "SELECT count(*) FROM users u WHERE u.kind = 'person' AND u.state = 'active' AND u.deleted_at IS NULL"
    )
    return License(active_users=active)
