"""The columns of a user besides username and address, and the rights that external users lose."""

from typing import Any

import msgspec

from mujina.accounts.users.entities import FullUser
from mujina.accounts.users.params import Profile
from mujina.instance.application_settings.params import ApplicationSettings
from mujina.kernel import clock
from mujina.kernel.db.rows import Row, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET
from mujina.kernel.text.folding import folded_columns


class StoredProfile(Row, alias="u", of=FullUser, own=True):
    admin: bool
    shared_runners_minutes_limit: int | None


_COLUMNS = {"name", *Profile.__struct_fields__} & StoredProfile.own_columns.keys()
"""The columns that creating and editing a user set from the field of their name."""
_NEVER_NULL = frozenset({"skype", "linkedin", "twitter", "website_url"})


def columns_of(change: Profile) -> dict[str, Any]:
    """The fields of the request as they are stored."""
    columns = {name: value for name, value in change.sent_fields().items() if name in _COLUMNS}
    if "name" in columns:
        columns["name"] = columns["name"].strip()
    return {name: "" if value is None and name in _NEVER_NULL else value for name, value in columns.items()}


def rights(change: Profile, settings: ApplicationSettings, *, external: bool, was_external: bool) -> dict[str, Any]:
    """External users never have the right to create groups and projects; becoming internal restores it by default."""
    if external:
        return {"external": True, "can_create_group": False, "projects_limit": 0}
    if not was_external:
        return {}
    defaults = {"can_create_group": True, "projects_limit": settings.default_projects_limit}
    return {name: value for name, value in defaults.items() if getattr(change, name) is UNSET}


async def store(tx: Tx, user_id: int, columns: dict[str, Any]) -> dict[str, Any]:
    """Write the columns. Returns the old and new value of each that changed."""
    before = await _lock(tx, user_id)
    await update(tx, "users", {**columns, **folded_columns(columns, "name"), "updated_at": clock.now()}, id=user_id)
    return {name: (before[name], value) for name, value in columns.items() if before[name] != value}


async def _lock(tx: Tx, user_id: int) -> dict[str, Any]:
    """The stored columns; the user's row stays locked until the transaction ends."""
    [row] = await tx.rows(
        StoredProfile, f"SELECT {StoredProfile.columns} FROM users u WHERE u.id = :id FOR UPDATE", id=user_id
    )
    return msgspec.structs.asdict(row)
