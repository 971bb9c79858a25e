"""What holds for the whole instance: read where it is needed, one statement a request, never cached.

Every process knows of a change with its next request.
"""

from typing import Any, LiteralString

import msgspec

from mujina.instance.application_settings.params import ApplicationSettings
from mujina.kernel.access import Visibility
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems

TWO_FACTOR_REQUIRED: LiteralString = """
    EXISTS (SELECT 1 FROM application_settings decided
            WHERE decided.name = 'require_two_factor_authentication' AND decided.value = 'true')
"""
"""Whether everybody has to set up a second factor, for statements that ask for more than that."""

GIT_OVER_SSH_ONLY: LiteralString = """
    EXISTS (SELECT 1 FROM application_settings decided
            WHERE decided.name = 'enabled_git_access_protocol' AND decided.value = '"ssh"')
"""
"""Whether administrators have closed git over HTTP, likewise."""


def check_visibility(problems: Problems, actor: Actor, settings: ApplicationSettings, visibility: Visibility) -> None:
    """Complain when this visibility is kept for administrators."""
    if settings.forbids(visibility) and not actor.admin:
        problems.add("visibility_level", f"{visibility} has been restricted by your administrator")


async def read_settings(tx: Tx) -> ApplicationSettings:
    """What holds now."""
    rows = await tx.rows(tuple[str, str], "SELECT name, value FROM application_settings")
    said: dict[str, Any] = {
        name: msgspec.json.decode(value) for name, value in rows if name in ApplicationSettings.__struct_fields__
    }
    return ApplicationSettings(**said)
