"""Who reads and publishes packages, and the only ways to find one and its files."""

from typing import Annotated, Final, Literal, LiteralString, NamedTuple

from mujina.kernel import errors
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, Sql
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule, admin
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.members.access import developer, master, reporter
from mujina.workspaces.projects.rules import (
    ProjectRow,
    archived,
    find_below_group,
    find_project,
    select_in_projects,
    visible_to_all,
)

READ_PACKAGES: Final = visible_to_all | reporter | admin
PUBLISH_PACKAGES: Final = (developer | admin) & ~archived
DELETE_PACKAGES: Final = (master | admin) & ~archived


PackageType = Literal["generic", "npm", "pypi"]


class PackageName(NamedTuple):
    """One version of a package, as programs name it."""

    type: PackageType
    name: str
    version: str


class PackageRow(Row, alias="pk"):
    """A package with its project (`p`) and its path (`r`)."""

    id: int
    project_id: int
    package_type: PackageType
    name: str
    version: str
    status: str
    yanked_reason: str | None
    last_downloaded_at: str | None
    created_at: str
    updated_at: str
    full_path: Annotated[str, "r.path"]


class PackageFileRow(Row, alias="f"):
    id: int
    package_id: int
    project_id: int
    file_name: str
    size: int
    md5: str
    sha1: str
    sha256: str
    file: str
    metadata: str | None
    created_at: str
    updated_at: str


_OF_PROJECT: Final[LiteralString] = f"""SELECT {PackageRow.columns} FROM packages pk
    JOIN routes r ON r.project_id = pk.project_id WHERE pk.project_id = :project_id"""


_COUNT: Final = Sql(
    "SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM package_counts c WHERE c.project_id = :project_id"
)


def packages_of_project(project_id: int) -> Selection:
    return Selection("packages pk", "pk.project_id = :project_id", project_id=project_id).counted(_COUNT)


async def packages_of_group(tx: Tx, actor: Actor, group_id: int, *, newest: bool = False) -> Selection:
    """The packages of all projects below the group that the actor may read.

    `newest`: they are listed by their age, and not filtered.
    """
    ids, total, _ = await find_below_group(tx, actor, group_id, READ_PACKAGES, "package_counts")
    if newest:
        return select_in_projects("packages", "pk", ids, total)
    return Selection("packages pk", "pk.project_id IN :project_ids", project_ids=ids).counted(total)


async def find_packages(tx: Tx, actor: Actor, kind: OwnerKind, ref: Ref) -> Selection:
    """The packages of the project, or those that the actor may read of all projects below the group; 403 or 404."""
    if kind == "group":
        return await packages_of_group(tx, actor, (await find_group(tx, actor, ref)).id)
    return packages_of_project((await find_project(tx, actor, ref, to=READ_PACKAGES)).id)


async def find_project_to_publish(tx: Tx, actor: Actor, ref: Ref, *, to: Rule = PUBLISH_PACKAGES) -> ProjectRow:
    """The project, if the actor may publish in it with this credential: the token of a job is good for its project."""
    project = await find_project(tx, actor, ref, to=to)
    if actor.job_project_id not in (None, project.id):
        raise errors.forbidden()
    return project


async def find_package(tx: Tx, project_id: int, package_id: int) -> PackageRow:
    """The package of this project; 404 if there is none."""
    found = await tx.row(PackageRow, f"{_OF_PROJECT} AND pk.id = :id", project_id=project_id, id=package_id)
    return errors.or_not_found(found, "Package")


async def find_version(tx: Tx, project_id: int, package: PackageName) -> PackageRow:
    """The package of this project with this name and version; 404 if there is none."""
    found = await tx.row(
        PackageRow,
        f"{_OF_PROJECT} AND pk.package_type = :type AND pk.name = :name AND pk.version = :version",
        project_id=project_id,
        **package._asdict(),
    )
    return errors.or_not_found(found, "Package")


async def load_versions(tx: Tx, project_id: int, package_type: PackageType, name: str) -> list[PackageRow]:
    """All versions of the package in this project, oldest first."""
    return await tx.rows(
        PackageRow,
        f"{_OF_PROJECT} AND pk.package_type = :type AND pk.name = :name ORDER BY pk.id",
        project_id=project_id,
        type=package_type,
        name=name,
    )


async def find_package_file(tx: Tx, package_id: int, file_id: int) -> PackageFileRow:
    """The file of this package; 404 if there is none."""
    where: LiteralString = "f.package_id = :package_id AND f.id = :id"
    selection = Selection("package_files f", where, package_id=package_id, id=file_id)
    return await find_row(tx, PackageFileRow, selection, "Package File")


async def find_newest_file(tx: Tx, project_id: int, package: PackageName, file_name: str) -> PackageFileRow:
    """The file that was published last under this name in this version of the package; 404 if there is none."""
    found = await tx.row(
        PackageFileRow,
        f"""SELECT {PackageFileRow.columns} FROM packages pk JOIN package_files f ON f.package_id = pk.id
            WHERE pk.project_id = :project_id AND pk.package_type = :package_type AND pk.name = :name
            AND pk.version = :version AND f.file_name = :file_name ORDER BY f.id DESC LIMIT 1""",
        project_id=project_id, package_type=package.type, name=package.name, version=package.version,
        file_name=file_name,
    )  # fmt: skip
    return errors.or_not_found(found, "Package File")


async def find_file_by_content(
    tx: Tx, project_id: int, package_type: PackageType, sha256: str, file_name: str
) -> PackageFileRow:
    """The file of a package with this checksum and this name; 404 if there is none."""
    found = await tx.row(
        PackageFileRow,
        f"""SELECT {PackageFileRow.columns} FROM package_files f JOIN packages pk ON pk.id = f.package_id
            WHERE f.project_id = :project_id AND f.sha256 = :sha256 AND f.file_name = :file_name
            AND pk.package_type = :package_type ORDER BY f.id LIMIT 1""",
        project_id=project_id, sha256=sha256, file_name=file_name, package_type=package_type,
    )  # fmt: skip
    return errors.or_not_found(found, "Package File")
