"""The project or group whose labels, milestones and boards a page shows."""

from typing import cast

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import Container, PageRequest
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.filters import ReadableProjects, readable_in_project
from mujina.workspaces.groups.rules import GroupRow
from mujina.workspaces.owners.rules import READ_OWNER, Owner, OwnerRule, find_owner
from mujina.workspaces.projects.rules import ProjectRow


class PageScope(msgspec.Struct, frozen=True):
    """The project or group of a page; readable for the actor."""

    owner: Owner
    row: ProjectRow | GroupRow

    @property
    def of_group(self) -> bool:
        return self.owner.kind == "group"

    @property
    def has_issues(self) -> bool:
        """Groups have the issues of their projects."""
        return not isinstance(self.row, ProjectRow) or self.row.issues_enabled

    async def projects(self, tx: Tx, actor: Actor, state: str = "all") -> ReadableProjects:
        """The projects whose issues the page may show."""
        if self.of_group:
            return await ReadableProjects.in_group(tx, actor, self.owner.id, state)
        return readable_in_project(cast("ProjectRow", self.row))


def scope_of(request: PageRequest) -> PageScope:
    """The project or group at the start of the address."""
    assert request.container is not None
    return PageScope(container_owner(request.container), request.container.row)


def container_owner(container: Container) -> Owner:
    """The owner of the labels and milestones that the pages of this project or group use."""
    row = container.row
    return Owner(container.kind, row.id, row.id if container.kind == "group" else row.namespace_id)


async def checked_scope(tx: Tx, request: PageRequest, to: OwnerRule = READ_OWNER) -> PageScope:
    """The scope in the transaction of a form, if the actor may do this there."""
    scope = scope_of(request)
    await find_owner(tx, request.actor, scope.owner.kind, Ref.of(scope.owner.id), to=to)
    return scope
