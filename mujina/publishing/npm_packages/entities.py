"""npm packages as npm reads them: all versions of a package in one document."""

from typing import Annotated, Any

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.publishing.npm_packages.rules import LATEST, versions_of
from mujina.publishing.packages.entities import file_url
from mujina.publishing.packages.rules import PackageName


class Packument(msgspec.Struct, rename={"id": "_id", "rev": "_rev", "dist_tags": "dist-tags"}):
    """A package with the manifests of its versions."""

    id: str
    rev: str
    """Names this state of the package: a request that removes it says which state its user saw."""
    name: str
    dist_tags: dict[str, str]
    versions: dict[str, dict[str, Any]]
    time: dict[str, str]


class Done(msgspec.Struct):
    """The response to a change, as npm expects one."""

    success: bool = True


class _VersionRow(Row, alias="pk"):
    id: int
    project_id: int
    version: str
    yanked_reason: str | None
    created_at: str
    updated_at: str
    file_name: Annotated[str, "f.file_name"]
    sha256: Annotated[str, "f.sha256"]
    metadata: Annotated[str, "f.metadata"]


async def load_package(tx: Tx, packages: Selection, name: str) -> Packument:
    """All versions of the package among these; 404 if there are none. Of two equal versions, the newer is shown."""
    selection = versions_of(packages, name)
    rows = await tx.rows(
        _VersionRow,
        f"""SELECT {_VersionRow.columns} FROM packages pk JOIN package_files f ON f.package_id = pk.id
            WHERE pk.id IN (SELECT pk.id {selection.text}) ORDER BY pk.id, f.id""",
        **selection.bound,
    )
    if not rows:
        raise errors.not_found("Package")
    return Packument(
        id=name, rev=f"{len(rows)}-{rows[-1].id}", name=name, dist_tags=await load_tags(tx, packages, name),
        versions={row.version: _manifest(name, row) for row in rows},
        time={
            "created": rows[0].created_at, "modified": max(row.updated_at for row in rows),
            **{row.version: row.created_at for row in rows},
        },
    )  # fmt: skip


def _manifest(name: str, row: _VersionRow) -> dict[str, Any]:
    """The manifest of a version as it was published, with what is known here."""
    manifest: dict[str, Any] = msgspec.json.decode(row.metadata)
    package = PackageName("npm", name, row.version)
    manifest |= {"_id": f"{name}@{row.version}", "name": name, "version": row.version}
    manifest["dist"]["tarball"] = file_url(row.project_id, package, row.file_name, row.sha256)
    if row.yanked_reason is not None:
        manifest["deprecated"] = row.yanked_reason
    return manifest


async def load_tags(tx: Tx, packages: Selection, name: str) -> dict[str, str]:
    """The tags of the package with their versions: `latest` is the newest version, unless it was set; 404 if none."""
    selection = versions_of(packages, name)
    newest: str | None = await tx.value(
        f"SELECT pk.version {selection.text} ORDER BY pk.id DESC LIMIT 1", **selection.bound
    )
    found = await tx.rows(
        tuple[str, str],
        f"""SELECT t.tag, pk.version FROM package_tags t JOIN packages pk ON pk.id = t.package_id
            WHERE t.package_id IN (SELECT pk.id {selection.text}) ORDER BY t.package_id""",
        **selection.bound,
    )
    return {LATEST: errors.or_not_found(newest, "Package"), **dict(found)}
