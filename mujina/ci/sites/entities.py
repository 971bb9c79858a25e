"""The site of a project as responses show it."""

import msgspec

from mujina.ci.sites.addresses import site_url
from mujina.ci.sites.rules import SiteDeploymentRow
from mujina.kernel.db.transaction import Tx
from mujina.settings import Settings
from mujina.workspaces.projects.rules import ProjectRow


class SiteDeployment(msgspec.Struct):
    created_at: str
    url: str | None
    path_prefix: str
    root_directory: str


class PublishedSite(msgspec.Struct, kw_only=True):
    url: str | None
    """None if this instance serves no sites."""
    deployments: list[SiteDeployment]
    """The one that is served, if there is one."""
    pages_access_level: str
    is_unique_domain_enabled: bool = False
    force_https: bool = False
    primary_domain: str | None = None
    problem: str | None
    """Why the archive of the newest job was refused; None if it was not."""


async def load_deployments(tx: Tx, project_id: int) -> list[SiteDeploymentRow]:
    """The site of the project, and an archive that was refused since; the newest first."""
    return await tx.rows(
        SiteDeploymentRow,
        f"""SELECT {SiteDeploymentRow.columns} FROM site_deployments d
            WHERE d.project_id = :id AND (d.active OR d.problem IS NOT NULL) ORDER BY d.id DESC""",
        id=project_id,
    )


async def load_site(tx: Tx, settings: Settings, project: ProjectRow) -> PublishedSite:
    url = site_url(settings, project.full_path)
    rows = await load_deployments(tx, project.id)
    access: str = await tx.value("SELECT p.pages_access_level FROM projects p WHERE p.id = :id", id=project.id)
    return PublishedSite(
        url=url,
        deployments=[SiteDeployment(row.created_at, url, "", "public") for row in rows if row.active],
        pages_access_level=access,
        problem=next((row.problem for row in rows if row.problem), None),
    )
