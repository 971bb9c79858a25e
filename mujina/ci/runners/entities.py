"""Runners as responses show them: never with the token."""

import msgspec

from mujina.ci.runners.rules import ManagedRunnerRow, RunnerRow
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import web
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.projects.views.basics import BasicProject, basic_projects


class CiRunner(msgspec.Struct, kw_only=True):
    id: int
    description: str | None
    ip_address: str | None
    active: bool
    paused: bool
    is_shared: bool
    runner_type: str
    name: str | None
    online: bool | None
    """Whether it asked for work within the last hour; null if it never did."""
    status: str


class RunnerGroup(msgspec.Struct):
    id: int
    name: str
    web_url: str


class RunnerDetails(CiRunner, kw_only=True):
    tag_list: list[str]
    run_untagged: bool
    locked: bool
    access_level: str
    maximum_timeout: int | None
    maintenance_note: str | None
    version: str | None
    revision: str | None
    platform: str | None
    architecture: str | None
    contacted_at: str | None
    projects: list[BasicProject]
    groups: list[RunnerGroup]


def to_runner(row: RunnerRow) -> CiRunner:
    return to_entity(
        CiRunner, row, paused=not row.active, is_shared=row.is_shared, online=row.online, status=row.status
    )


def to_runner_of_job(row: RunnerRow) -> CiRunner:
    """A runner as everyone sees it who reads one of its jobs: without its address."""
    return msgspec.structs.replace(to_runner(row), ip_address=None)


async def to_details(tx: Tx, actor: Actor, row: ManagedRunnerRow) -> RunnerDetails:
    """The runner with the projects and the group that the actor may see; its address and note are for those who manage it."""
    ids = await tx.values(
        "SELECT rp.project_id FROM runner_projects rp WHERE rp.runner_id = :id ORDER BY rp.project_id", id=row.id
    )
    projects = await basic_projects(tx, actor, ids) if ids else {}
    details = to_entity(
        RunnerDetails, row, paused=not row.active, is_shared=row.is_shared, online=row.online, status=row.status,
        tag_list=row.tags, projects=[projects[id_] for id_ in ids if id_ in projects],
        groups=await _groups(tx, actor, row),
    )  # fmt: skip
    if row.managed or actor.admin:
        return details
    return msgspec.structs.replace(details, ip_address=None, maintenance_note=None)


async def _groups(tx: Tx, actor: Actor, row: RunnerRow) -> list[RunnerGroup]:
    if row.group_id is None:
        return []
    found = await tx.rows(
        tuple[int, str, str],
        f"""SELECT g.id, n.name, r.path FROM groups g JOIN namespaces n ON n.id = g.id
            JOIN routes r ON r.namespace_id = g.id
            WHERE g.id = :id AND n.deleted_at IS NULL AND {READ_GROUP.for_scan}""",
        id=row.group_id,
        **actor.bound,
    )
    return [RunnerGroup(id_, name, web(f"/groups/{path}")) for id_, name, path in found]


async def load_page(tx: Tx, selection: Selection, page: Page) -> Paged[CiRunner]:
    """One page of these runners, oldest first."""
    return (await load_rows(tx, RunnerRow, selection, ascending("rn.id"), page)).map(to_runner)


async def load_managed_page(tx: Tx, actor: Actor, selection: Selection, page: Page) -> Paged[ManagedRunnerRow]:
    """One page of these runners with what the actor may do with them, oldest first."""
    return await load_rows(tx, ManagedRunnerRow, selection.bind(**actor.bound), ascending("rn.id"), page)
