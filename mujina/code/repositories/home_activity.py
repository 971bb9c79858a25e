"""The activity on the home page of a project. The chapter that has the events registers how they are read."""

from collections.abc import Awaitable, Callable
from typing import Any

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page
from mujina.workspaces.projects.rules import ProjectRow

ReadActivity = Callable[[Tx, Actor, ProjectRow, Page], Awaitable[Any]]
"""One page of the feed of a project, for the template of feeds."""
_readers: list[ReadActivity] = []


def register_activity(read: ReadActivity) -> None:
    """Register how it is read; the composition root calls this once."""
    _readers[:] = [read]


async def read_activity(tx: Tx, actor: Actor, project: ProjectRow, page: Page) -> Any:
    """What the actor may see of what happened in the project, the newest first; None: there are no events."""
    return await _readers[0](tx, actor, project, page) if _readers else None
