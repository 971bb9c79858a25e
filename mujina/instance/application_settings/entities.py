"""Application settings and license as administrators see them."""

from typing import Any

import msgspec

from mujina.instance.application_settings.rules import read_settings
from mujina.instance.editions.rules import current_edition
from mujina.kernel.db.transaction import Tx
from mujina.settings import Edition


async def settings(tx: Tx) -> dict[str, Any]:
    """Every setting, some of them under their former or later names too."""
    current = await read_settings(tx)
    web = current.password_authentication_enabled_for_web
    other_names = {
        "signin_enabled": web, "password_authentication_enabled": web, "domain_allowlist": current.domain_whitelist,
        "domain_denylist_enabled": current.domain_blacklist_enabled, "domain_denylist": current.domain_blacklist,
    }  # fmt: skip
    return {"id": 1, **msgspec.structs.asdict(current), **other_names}


class License(msgspec.Struct, frozen=True, kw_only=True):
    """Free software: no user limit, no expiration; the plan is the edition that the settings name."""

    plan: Edition
    licensee: dict[str, str] = {}
    add_ons: dict[str, int] = {}
    user_limit: int = 0
    """0: no limit."""
    active_users: int
    starts_at: str | None = None
    expires_at: str | None = None
    expired: bool = False


async def license_of(tx: Tx) -> License:
    active = await tx.value(
        "SELECT count(*) FROM users u WHERE u.kind = 'person' AND u.state = 'active' AND u.deleted_at IS NULL"
    )
    return License(plan=current_edition(), active_users=active)
