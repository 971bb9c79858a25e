"""What administrators change for the whole instance."""

import re
from collections.abc import Collection
from typing import Any

import msgspec

from mujina.instance.application_settings.params import EditSettings
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock
from mujina.kernel.access import VISIBILITIES
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import INVALID, NOT_LISTED, Problems
from mujina.kernel.events import record
from mujina.kernel.urls import is_local

_NOW_CALLED = {
    "signin_enabled": "password_authentication_enabled_for_web",
    "password_authentication_enabled": "password_authentication_enabled_for_web",
}


_WEB = re.compile(r"https?://[^\s;\"'<>\\\x80-\U0010ffff]+")
_LEAST = {"session_expire_delay": 1}
_MOST = {"two_factor_grace_period": 10_000_000}
"""So many hours are a thousand years; many more would end after the calendar does."""
_LARGEST = 2_147_483_647


async def edit(tx: Tx, actor: Actor, change: EditSettings, said: Collection[str]) -> None:
    """What was `said` holds from the next request on, on every process."""
    before = msgspec.structs.asdict(await read_settings(tx))
    given = {name: value for name, value in change.given().items() if name in said}
    after = {
        _NOW_CALLED.get(name, name): given[name] for name in sorted(given, key=lambda name: name not in _NOW_CALLED)
    }
    _check(after)
    changes = {name: (before[name], value) for name, value in after.items() if before[name] != value}
    if not changes:
        return
    await tx.run_each(
        """
        INSERT INTO application_settings (name, value, updated_at) VALUES (:name, :value, :now)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
        """,
        [
            {"name": name, "value": msgspec.json.encode(after[name]).decode(), "now": clock.now()}
            for name in sorted(changes)
        ],
    )
    await record(tx, "settings.updated", actor, subject_id=1, changes=changes)


def _check(after: dict[str, Any]) -> None:
    problems = Problems()
    for name, value in after.items():
        if isinstance(value, int) and not isinstance(value, bool):
            _check_number(problems, name, value)
    for name in ("home_page_url", "after_sign_out_path"):
        if (address := after.get(name)) and not (_WEB.fullmatch(address) or is_local(address)):
            problems.add(name, INVALID)
    if not set(after.get("restricted_visibility_levels", ())) <= set(VISIBILITIES):
        problems.add("restricted_visibility_levels", NOT_LISTED)
    problems.refuse()


def _check_number(problems: Problems, name: str, value: int) -> None:
    least = -1 if name.endswith("_key_restriction") else _LEAST.get(name, 0)
    most = _MOST.get(name, _LARGEST)
    if value < least:
        problems.add(name, f"must be greater than or equal to {least}")
    if value > most:
        problems.add(name, f"must be less than or equal to {most}")
