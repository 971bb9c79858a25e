"""The first file of a new project, written by the chapter that has repositories."""

from collections.abc import Awaitable, Callable
from typing import Final

from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import ExtensionPoint
from mujina.kernel.services import Services

WriteReadme = Callable[[Services, Actor, int], Awaitable[bool]]
"""Writes a README to the project of this id."""

FIRST_FILES: Final = ExtensionPoint[WriteReadme]("the first files of a project")


async def write_first_file(services: Services, actor: Actor, project_id: int) -> None:
    """The first commit of the project; a project stays empty if its rules reject the commit."""
    for write in services.product.all(FIRST_FILES):
        await write(services, actor, project_id)
