"""The activity on the home page of a project, read by the chapter that has the events."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import ExtensionPoint
from mujina.workspaces.projects.rules import ProjectRow

ReadActivity = Callable[[Tx, Actor, ProjectRow, Page], Awaitable[Any]]
"""One page of the feed of a project, for the template of feeds."""

HOME_ACTIVITY: Final = ExtensionPoint[ReadActivity]("the activity of a project")


async def read_activity(tx: Tx, actor: Actor, project: ProjectRow, page: Page) -> Any:
    """The newest events of the project that the actor may see; None: there are none."""
    for read in tx.product.all(HOME_ACTIVITY):
        return await read(tx, actor, project, page)
    return None
