"""The only ways to get a deploy key: by a project that uses it, by the actor's projects, by its fingerprint."""

from typing import Annotated, LiteralString

from mujina.accounts.keys.rules import VALID, KeyRow, find_any_key
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.projects.rules import ADMIN_PROJECT

USABLE: LiteralString = f"""k.user_id IS NULL AND (
    EXISTS (SELECT 1 FROM public_deploy_keys pk WHERE pk.key_id = k.id)
    OR EXISTS (SELECT 1 FROM deploy_keys other JOIN projects p ON p.id = other.project_id
        WHERE other.key_id = k.id AND p.deleted_at IS NULL AND {ADMIN_PROJECT.for_scan}))"""
"""Whether the actor may enable the key: it is for every project, or another project that they administer uses it."""


class DeployKeyRow(Row, alias="k"):
    """A key and its rights in one project."""

    id: int
    can_push: Annotated[bool, "d.can_push"]
    updated_at: str


class DeployKeyProject(Row, alias="d"):
    """The rights of a deploy key in one project."""

    project_id: int
    can_push: bool


async def find_deploy_key(tx: Tx, project_id: int, key_id: int) -> DeployKeyRow:
    """A key of this project; 404 for any other key."""
    selection = Selection(
        "deploy_keys d JOIN ssh_keys k ON k.id = d.key_id",
        "d.project_id = :project_id AND k.id = :key_id",
        project_id=project_id,
        key_id=key_id,
    )
    return await find_row(tx, DeployKeyRow, selection, "Deploy Key")


async def find_usable(tx: Tx, actor: Actor, *, key_id: int = 0, sha256: str = "") -> int | None:
    """The key of this id or fingerprint, if the actor may enable it in a project."""
    return await tx.value(
        f"SELECT k.id FROM ssh_keys k WHERE (k.id = :key_id OR k.sha256 = :sha256) AND {USABLE}",
        key_id=key_id,
        sha256=sha256,
        **actor.bound,
    )


async def find_deploy_key_projects(tx: Tx, fingerprint: str) -> list[DeployKeyProject]:
    """The projects that use the key of this fingerprint (SHA-256, base64); none after it has expired."""
    return await tx.rows(
        DeployKeyProject,
        f"""SELECT {DeployKeyProject.columns} FROM ssh_keys k JOIN deploy_keys d ON d.key_id = k.id
           JOIN projects p ON p.id = d.project_id AND p.deleted_at IS NULL
           WHERE k.sha256 = :fingerprint AND k.user_id IS NULL AND {VALID} ORDER BY d.project_id""",
        fingerprint=fingerprint.removeprefix("SHA256:").rstrip("="),
        now=clock.now(),
    )


async def find_public_key(tx: Tx, key_id: int) -> KeyRow:
    """A key that is for every project; 404 for any other key."""
    if not await tx.value("SELECT 1 FROM public_deploy_keys pk WHERE pk.key_id = :id", id=key_id):
        raise errors.not_found("Deploy Key")
    return await find_any_key(tx, key_id)
