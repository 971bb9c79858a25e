"""The scope of job tokens as the API shows it."""

import msgspec

from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_joined
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups import entities as groups
from mujina.workspaces.groups import filters as group_filters
from mujina.workspaces.groups.params import ListGroups
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.projects import filters as project_filters
from mujina.workspaces.projects.views.basics import SOURCE, SimpleProject, SimpleProjectView, to_simple


class JobTokenScope(msgspec.Struct):
    inbound_enabled: bool
    """Whether only jobs of the project and of those on its allowlist get in."""
    outbound_enabled: bool = False
    """Always false: no project limits where its own jobs get in."""


class AllowedProject(msgspec.Struct):
    source_project_id: int
    """The project that has the allowlist."""
    target_project_id: int


class AllowedGroup(msgspec.Struct):
    source_project_id: int
    """The project that has the allowlist."""
    target_group_id: int


class BasicGroup(msgspec.Struct):
    id: int
    web_url: str
    name: str


async def load_scope(tx: Tx, project_id: int) -> JobTokenScope:
    limits = await tx.value("SELECT count(*) FROM job_token_limits l WHERE l.project_id = :id", id=project_id)
    return JobTokenScope(inbound_enabled=limits > 0)


async def load_projects(tx: Tx, actor: Actor, project_id: int, page: Page) -> Paged[SimpleProject]:
    """One page of the projects whose jobs get in and that the actor may read, by id: the project itself is one."""
    selection = project_filters.readable(actor).where(
        """(p.id = :scope_id
            OR p.id IN (SELECT a.allowed_project_id FROM job_token_allowlist a WHERE a.project_id = :scope_id))""",
        scope_id=project_id,
    )
    rows = await load_joined(tx, SimpleProjectView, SOURCE, "p.id", selection, ascending("p.id"), page)
    return rows.map(to_simple)


async def load_groups(tx: Tx, actor: Actor, project_id: int, page: Page) -> Paged[BasicGroup]:
    """One page of the groups whose jobs get in and that the actor may read, by id."""
    selection = group_filters.groups(actor, ListGroups(), READ_GROUP).where(
        "g.id IN (SELECT a.allowed_group_id FROM job_token_allowlist a WHERE a.project_id = :scope_id)",
        scope_id=project_id,
    )
    found = await groups.load_page(tx, selection, ascending("g.id"), page)
    return found.map(lambda group: to_entity(BasicGroup, group))


async def count_allowed(tx: Tx, project_id: int) -> int:
    """How many entries the allowlist has, readable or not."""
    return await tx.value("SELECT count(*) FROM job_token_allowlist a WHERE a.project_id = :id", id=project_id)
