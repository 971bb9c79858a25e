"""The first file of a new project, written by the chapter that has repositories."""

from collections.abc import Awaitable, Callable
from typing import Final

from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import ExtensionPoint
from mujina.kernel.services import Services

WriteReadme = Callable[[Services, Actor, int], Awaitable[bool]]
"""Writes a README to the project of this id."""

FIRST_FILES: Final = ExtensionPoint[WriteReadme]("the first files of a project")


async def write_first_file(services: Services, actor: Actor, project_id: int) -> bool:
    """The first commit of the project; False if it stays empty for now.

    Its rules may reject the commit. If the commit fails, a job writes it later: the project is stored.
    """
    try:
        written = [await write(services, actor, project_id) for write in services.product.all(FIRST_FILES)]
    except Exception as error:  # noqa: BLE001 - whatever it is, the request that created the project has succeeded
        log.warning("the first file of a project was not written", project=project_id, exc_info=error)
        return False
    return any(written)
