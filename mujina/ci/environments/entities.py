"""Environments as responses show them."""

import msgspec

from mujina.ci.environments.filters import selected
from mujina.ci.environments.params import ListEnvironments
from mujina.ci.environments.rules import EnvironmentRow, find_environment
from mujina.ci.environments.tiers import tier_of
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.projects.views.basics import BasicProject, basic_projects


class EnvironmentRef(msgspec.Struct, kw_only=True):
    """An environment as part of a deployment."""

    id: int
    name: str
    slug: str
    external_url: str | None


class Environment(EnvironmentRef, kw_only=True):
    # Compat: `state`, `tier` and `auto_stop_at` are younger than the specification.
    state: str
    tier: str
    auto_stop_at: str | None
    created_at: str
    updated_at: str
    project: BasicProject | None


async def load_page(tx: Tx, actor: Actor, project_id: int, query: ListEnvironments, page: Page) -> Paged[Environment]:
    """One page of the environments of a project, oldest first."""
    rows = await load_rows(tx, EnvironmentRow, selected(project_id, query), ascending("en.id"), page)
    project = (await basic_projects(tx, actor, [project_id])).get(project_id)
    return rows.map(lambda row: to_entity(Environment, row, tier=tier_of(row.name, row.tier), project=project))


async def load_one(tx: Tx, actor: Actor, project_id: int, environment_id: int) -> Environment:
    row = await find_environment(tx, project_id, environment_id)
    project = (await basic_projects(tx, actor, [project_id])).get(project_id)
    return to_entity(Environment, row, tier=tier_of(row.name, row.tier), project=project)
