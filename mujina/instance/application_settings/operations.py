"""Changing the application settings."""

import re
from collections.abc import Collection
from typing import Any

import msgspec

from mujina.instance.application_settings.params import FORBIDDEN, EditApplicationSettings
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock
from mujina.kernel.db.rows import insert_each, overwriting
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import INVALID, NOT_LISTED, Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import VISIBILITIES
from mujina.kernel.urls import is_local

_RENAMED = {
    "signin_enabled": "password_authentication_enabled_for_web",
    "password_authentication_enabled": "password_authentication_enabled_for_web",
    "domain_allowlist": "domain_whitelist",
    "domain_denylist_enabled": "domain_blacklist_enabled",
    "domain_denylist": "domain_blacklist",
}


_WEB_URL = r"https?://[^\s;\"'<>\\\x80-\U0010ffff]+"
"""Compiled when it is first used: such a large set takes milliseconds."""
_MIN = {"session_expire_delay": 1}
_MAX = {"two_factor_grace_period": 10_000_000, "runner_long_poll_seconds": 50}
"""Hours in a thousand years: a deadline much later would be past the last year that a date can have. Runners give up a
request after a minute."""
_MAX_INTEGER = 2_147_483_647


async def edit(tx: Tx, actor: Actor, change: EditApplicationSettings, named: Collection[str]) -> None:
    """Store the settings that the request `named`. Every process applies them from the next request on."""
    before = msgspec.structs.asdict(await read_settings(tx))
    values = {name: value for name, value in change.sent_fields().items() if name in named}
    # The name under which a setting is stored goes last and so takes priority over its other names.
    after = {_RENAMED.get(name, name): values[name] for name in sorted(values, key=lambda name: name not in _RENAMED)}
    _check(after)
    changes = {name: (before[name], value) for name, value in after.items() if before[name] != value}
    if not changes:
        return
    now = clock.now()
    written = [
        {"name": name, "value": msgspec.json.encode(after[name]).decode(), "updated_at": now}
        for name in sorted(changes)
    ]
    await insert_each(tx, "application_settings", written, overwriting("name", "value, updated_at"))
    await record(tx, "settings.updated", actor, subject_id=1, changes=changes)


def _check(after: dict[str, Any]) -> None:
    problems = Problems()
    for name, value in after.items():
        if isinstance(value, int) and not isinstance(value, bool):
            _check_number(problems, name, value)
    for name in ("home_page_url", "after_sign_out_path"):
        if (url := after.get(name)) and not (re.fullmatch(_WEB_URL, url) or is_local(url)):
            problems.add(name, INVALID)
    if not set(after.get("restricted_visibility_levels", ())) <= set(VISIBILITIES):
        problems.add("restricted_visibility_levels", NOT_LISTED)
    problems.refuse()


def _check_number(problems: Problems, name: str, value: int) -> None:
    minimum = FORBIDDEN if name.endswith("_key_restriction") else _MIN.get(name, 0)
    maximum = _MAX.get(name, _MAX_INTEGER)
    if value < minimum:
        problems.add(name, f"must be greater than or equal to {minimum}")
    if value > maximum:
        problems.add(name, f"must be less than or equal to {maximum}")
