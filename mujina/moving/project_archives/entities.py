"""Exports and imports as responses show them."""

from typing import Any

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import web
from mujina.moving.project_archives.operations import ExportState, find_archive
from mujina.moving.reports.operations import ImportReport, find_report
from mujina.workspaces.projects.origins import imports
from mujina.workspaces.projects.views.basics import basic_projects


class ExportLinks(msgspec.Struct):
    api_url: str
    web_url: str


class NamedProject(msgspec.Struct, kw_only=True):
    """What names a project."""

    id: int
    description: str | None
    name: str
    name_with_namespace: str
    path: str
    path_with_namespace: str
    created_at: str


class ProjectExport(NamedProject, kw_only=True, rename={"links": "_links"}):
    export_status: ExportState
    links: ExportLinks | msgspec.UnsetType = msgspec.UNSET
    """Where the archive is, once there is one."""


class ProjectImport(NamedProject, kw_only=True):
    import_status: str
    import_error: str | None
    report: ImportReport | msgspec.UnsetType = msgspec.UNSET
    """What came by now, and what did not, of projects that came with more than a repository."""


async def load_export(tx: Tx, actor: Actor, project_id: int) -> ProjectExport:
    names, found = await _names(tx, actor, project_id), await find_archive(tx, project_id, "export")
    links = msgspec.UNSET
    if found.status == "finished":
        url = web(f"/api/v4/projects/{project_id}/export/download")
        links = ExportLinks(url, url)  # the download has no page of its own
    return ProjectExport(**names, export_status=found.status, links=links)


async def load_import(tx: Tx, actor: Actor, project_id: int) -> ProjectImport:
    names, state = await _names(tx, actor, project_id), await imports.state_of(tx, project_id)
    report = await find_report(tx, project_id) or msgspec.UNSET
    return ProjectImport(**names, import_status=state.status, import_error=state.error, report=report)


async def _names(tx: Tx, actor: Actor, project_id: int) -> dict[str, Any]:
    project = errors.or_not_found((await basic_projects(tx, actor, [project_id])).get(project_id), "Project")
    return {name: getattr(project, name) for name in NamedProject.__struct_fields__}
