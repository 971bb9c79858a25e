"""Who reads and writes releases, and the only ways to find a release and its links."""

from typing import Annotated, Final, LiteralString

from mujina.code.tags.rules import StoredRelease
from mujina.kernel import errors
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Condition
from mujina.workspaces.projects.rules import (
    PUSH_CODE,
    READ_CODE,
    READ_PROJECT,
    find_below_group,
    find_project_with,
    select_in_projects,
)

READ_RELEASES: Final = READ_PROJECT
"""Those who may not read the code see neither tags nor commits nor sources."""
WRITE_RELEASES: Final = PUSH_CODE
RELEASES: Final[LiteralString] = """releases rel JOIN projects p ON p.id = rel.project_id
    JOIN routes r ON r.project_id = p.id"""
CODE_READABLE: Final = Condition("code_readable", READ_CODE.standalone)
_TOTAL: Final[LiteralString] = """
    (SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM release_counts c WHERE c.project_id = p.id)"""


class ReleaseRow(StoredRelease):
    """A release with its project (`p`), whose repository the actor may read or not."""

    created_at: str
    updated_at: str
    project_path: Annotated[str, "p.path"]
    full_path: Annotated[str, "r.path"]
    storage: Annotated[str, "p.repository_storage"]
    default_branch: Annotated[str | None, "p.default_branch"]
    code_readable: Annotated[bool, CODE_READABLE]
    has_links: Annotated[bool, "EXISTS (SELECT 1 FROM release_links link WHERE link.release_id = rel.id)"]
    has_milestones: Annotated[bool, "EXISTS (SELECT 1 FROM release_milestones x WHERE x.release_id = rel.id)"]

    @property
    def page(self) -> str:
        """The path of its page, not quoted."""
        return f"/{self.full_path}/-/releases/{self.tag}"


class ReleaseLinkRow(Row, alias="link"):
    id: int
    release_id: int
    name: str
    url: str
    filepath: str | None
    link_type: str


class FoundReleaseLink(ReleaseLinkRow):
    updated_at: str


def releases_of_project(project_id: int) -> Selection:
    return Selection("releases rel", "rel.project_id = :project_id", project_id=project_id)


async def find_releases(tx: Tx, actor: Actor, ref: Ref) -> tuple[Selection, bool]:
    """The releases of the project with their number, and whether the actor may read its code; 403 or 404."""
    project, [total], [code] = await find_project_with(tx, actor, ref, _TOTAL, (READ_CODE,), to=READ_RELEASES)
    return releases_of_project(project.id).counted(total), code


async def releases_of_group(tx: Tx, actor: Actor, group_id: int) -> tuple[Selection, bool]:
    """The releases of all projects below the group that the actor may read, and whether that holds for all their code."""
    ids, total, code = await find_below_group(tx, actor, group_id, READ_RELEASES, "release_counts", READ_CODE)
    return select_in_projects("releases", "rel", ids, total), code


async def find_release(tx: Tx, actor: Actor, project_id: int, tag: str) -> ReleaseRow:
    """The release of a tag of a project that the actor may read; 404 if there is none."""
    where: LiteralString = "rel.project_id = :project_id AND rel.tag = :tag"
    selection = Selection(RELEASES, where, project_id=project_id, tag=tag, **actor.bound)
    return await find_row(tx, ReleaseRow, selection, "Release")


async def find_latest_tag(tx: Tx, project_id: int, now: str) -> str:
    """The tag of the newest release that is out; 404 if there is none."""
    tag: str | None = await tx.value(
        """SELECT rel.tag FROM releases rel WHERE rel.project_id = :project_id AND rel.released_at <= :now
           ORDER BY rel.released_at DESC, rel.id DESC LIMIT 1""",
        project_id=project_id,
        now=now,
    )
    return errors.or_not_found(tag, "Release")


async def find_link(tx: Tx, release_id: int, link_id: int) -> FoundReleaseLink:
    """The link of this release; 404 if there is none."""
    where: LiteralString = "link.release_id = :release_id AND link.id = :id"
    selection = Selection("release_links link", where, release_id=release_id, id=link_id)
    return await find_row(tx, FoundReleaseLink, selection, "Link")


async def find_asset_url(tx: Tx, release_id: int, path: str) -> str:
    """Where the asset with this permanent path is; 404 if there is none."""
    url: str | None = await tx.value(
        "SELECT link.url FROM release_links link WHERE link.release_id = :release_id AND link.filepath = :path",
        release_id=release_id,
        path=f"/{path}",
    )
    return errors.or_not_found(url, "Link")
