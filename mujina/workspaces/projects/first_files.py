"""The first file of a new project. The chapter that has repositories registers how it is written."""

from collections.abc import Awaitable, Callable

from mujina.kernel.actor import Actor
from mujina.kernel.services import Services

WriteReadme = Callable[[Services, Actor, int, str], Awaitable[None]]
"""Writes a README to this branch of the project of this id, by default to the usual one."""

_writers: list[WriteReadme] = []


def register_first_file(write: WriteReadme) -> None:
    """Register how it is written; the composition root calls this once."""
    _writers[:] = [write]


async def write_first_file(services: Services, actor: Actor, project_id: int, branch: str) -> None:
    """The first commit of the project; a project stays empty if its rules reject the commit."""
    for write in _writers:
        await write(services, actor, project_id, branch)
