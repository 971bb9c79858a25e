"""Reading the application settings: one statement a request, no cache, so every process sees a change at once."""

from typing import Any, LiteralString

import msgspec

from mujina.instance.application_settings.params import ApplicationSettings
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import Visibility

TWO_FACTOR_REQUIRED: LiteralString = """
    EXISTS (SELECT 1 FROM application_settings decided
            WHERE decided.name = 'require_two_factor_authentication' AND decided.value = 'true')
"""
"""SQL: whether every user must enable two-factor authentication."""

GIT_OVER_SSH_ONLY: LiteralString = """
    EXISTS (SELECT 1 FROM application_settings decided
            WHERE decided.name = 'enabled_git_access_protocol' AND decided.value = '"ssh"')
"""
"""SQL: whether administrators disabled git over HTTP."""


def check_visibility(problems: Problems, actor: Actor, settings: ApplicationSettings, visibility: Visibility) -> None:
    """Add a problem if only administrators may choose this visibility."""
    if settings.forbids(visibility) and not actor.admin:
        problems.add("visibility_level", f"{visibility} has been restricted by your administrator")


async def read_settings(tx: Tx) -> ApplicationSettings:
    """The settings in force."""
    rows = await tx.rows(tuple[str, str], "SELECT name, value FROM application_settings")
    stored: dict[str, Any] = {
        name: msgspec.json.decode(value) for name, value in rows if name in ApplicationSettings.__struct_fields__
    }
    return ApplicationSettings(**stored)
