"""Who sees a site, and the only ways to find one and its files."""

from typing import Annotated, Final, LiteralString

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Condition, admin
from mujina.workspaces.members.access import PROJECT_LEVEL, guest
from mujina.workspaces.projects.rules import READ_PROJECT

_open_to_all: Final = Condition("site_open_to_all", "(p.pages_access_level = 'public')")
_open_to_readers: Final = Condition("site_open_to_readers", "(p.pages_access_level = 'enabled')")
_open_to_members: Final = Condition("site_open_to_members", "(p.pages_access_level = 'private')")
READ_SITE: Final = _open_to_all | (READ_PROJECT & _open_to_readers) | ((guest | admin) & _open_to_members)

PAGES_JOB: Final[LiteralString] = "pages"
"""The name that makes a job publish its artifacts."""
SERVED: Final[LiteralString] = "p.deleted_at IS NULL AND p.pages_access_level <> 'disabled'"
CURRENT: Final[LiteralString] = "d.project_id = p.id AND d.active"


class SiteRow(Row, alias="d"):
    """The site of a project (`p`) as a visitor finds it."""

    id: int
    full_path: Annotated[str, "r.path"]
    file: str
    size: int
    created_at: str
    allowed: Annotated[bool, READ_SITE]
    """Whether the visitor may see it."""


class SiteFileRow(Row, alias="f"):
    """A file in the archive of a site."""

    path: str
    size: int
    packed: int
    position: int
    method: int
    crc: int


class SiteDeploymentRow(Row, alias="d"):
    """An archive that was published or refused."""

    job_id: int
    active: bool
    problem: str | None
    file_count: int
    created_at: str


async def find_site_at(tx: Tx, actor: Actor, paths: list[str]) -> SiteRow | None:
    """The site of the project with the longest of these paths that has one."""
    return await tx.row(SiteRow, _SITE_AT, paths=paths, **actor.bound)


async def find_site_of_domain(tx: Tx, actor: Actor, domain: str) -> SiteRow | None:
    """The site of the project whose verified domain this is."""
    return await tx.row(SiteRow, _SITE_OF_DOMAIN, domain=domain, **actor.bound)


def _site_of(project_id: LiteralString) -> LiteralString:
    return f"""WITH p AS MATERIALIZED (
            SELECT p.*, {PROJECT_LEVEL} AS level FROM projects p WHERE {SERVED} AND p.id = ({project_id}))
        SELECT {SiteRow.columns} FROM p JOIN routes r ON r.project_id = p.id JOIN site_deployments d ON {CURRENT}"""


_SITE_AT: Final = _site_of("""
    SELECT r.project_id FROM routes r JOIN site_deployments d ON d.project_id = r.project_id AND d.active
    WHERE r.path_folded IN :paths ORDER BY length(r.path_folded) DESC LIMIT 1""")
_SITE_OF_DOMAIN: Final = _site_of(
    "SELECT pd.project_id FROM pages_domains pd WHERE pd.domain = :domain AND pd.verified_at IS NOT NULL"
)


async def find_site_files(tx: Tx, deployment_id: int, paths: list[str]) -> dict[str, SiteFileRow]:
    """The files at these paths that the site has."""
    rows = await tx.rows(
        SiteFileRow,
        f"SELECT {SiteFileRow.columns} FROM site_files f WHERE f.deployment_id = :id AND f.path IN :paths",
        id=deployment_id,
        paths=paths,
    )
    return {row.path: row for row in rows}


async def find_problem_of_job(tx: Tx, job_id: int) -> str | None:
    """Why the site of this job was not published; None if it was, or has none."""
    return await tx.value("SELECT d.problem FROM site_deployments d WHERE d.job_id = :id", id=job_id)
