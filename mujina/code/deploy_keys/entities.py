"""Deploy keys as responses show them."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.keys.entities import KeyWithUser, with_user
from mujina.accounts.keys.rules import KeyRow, is_expired
from mujina.code.deploy_keys.rules import USABLE, find_deploy_key_projects
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor


class DeployKey(msgspec.Struct):
    id: int
    title: str
    key: str
    created_at: str
    can_push: Annotated[bool, "d.can_push"]
    expires_at: Computed[str | UnsetType | None]
    """When it stops opening anything; absent if it never does, unless a newer API version is announced."""

    @property
    def expired(self) -> bool:
        return is_expired(self.expires_at or None)


class PublicDeployKey(DeployKey):
    """A key that every project may enable; it always shows when it expires."""


class DeployKeyUse(msgspec.Struct):
    """A project that a deploy key opens."""

    project_id: int
    can_push: bool


class IdentifiedKey(KeyWithUser):
    """A key that was found by its fingerprint; a deploy key has the projects that it opens."""

    deploy_keys_projects: list[DeployKeyUse]


async def identified(tx: Tx, actor: Actor, key: KeyRow) -> IdentifiedKey:
    shown = await with_user(tx, actor, key)
    uses = await find_deploy_key_projects(tx, key.sha256)
    return IdentifiedKey(
        *msgspec.structs.astuple(shown), deploy_keys_projects=[to_entity(DeployKeyUse, use) for use in uses]
    )


class DeployKeyView(Row, alias="k", of=DeployKey):
    """A key (`k`) as a project uses it (`d`)."""

    expires_at: str | None


async def load_public(tx: Tx, key_id: int) -> PublicDeployKey:
    """One key that every project may enable, just added."""
    found = await tx.rows(
        DeployKeyView,
        f"""SELECT {DeployKeyView.columns} FROM ssh_keys k JOIN (SELECT FALSE AS can_push) d ON TRUE
            WHERE k.id = :key_id""",
        key_id=key_id,
    )
    return to_entity(PublicDeployKey, found[0], expires_at=found[0].expires_at)


async def public_among(tx: Tx, key_ids: list[int]) -> set[int]:
    """Those of these keys that every project may enable."""
    return set(await tx.values("SELECT pk.key_id FROM public_deploy_keys pk WHERE pk.key_id IN :ids", ids=key_ids))


async def load_one(tx: Tx, project_id: int, key_id: int) -> DeployKey:
    """One key of a project, just found."""
    selection = _keys_of(project_id).where("k.id = :key_id", key_id=key_id)
    return _to_deploy_key(await find_row(tx, DeployKeyView, selection, "Deploy Key"))


async def of_project(tx: Tx, project_id: int, page: Page) -> Paged[DeployKey]:
    """One page of a project's keys, oldest first."""
    return await _load_page(tx, _keys_of(project_id), page)


def _keys_of(project_id: int) -> Selection:
    return Selection(
        "deploy_keys d JOIN ssh_keys k ON k.id = d.key_id", "d.project_id = :project_id", project_id=project_id
    )


async def of_all(tx: Tx, page: Page) -> Paged[DeployKey]:
    """One page of the deploy keys of all projects, and of those for every project; `can_push` if one may push somewhere."""
    selection = Selection(
        """(SELECT every.key_id, max(every.can_push) = 1 AS can_push FROM (
                SELECT deploy.key_id, CASE WHEN deploy.can_push THEN 1 ELSE 0 END AS can_push
                FROM deploy_keys deploy JOIN projects p ON p.id = deploy.project_id AND p.deleted_at IS NULL
                UNION ALL SELECT pk.key_id, 0 FROM public_deploy_keys pk) every
            GROUP BY every.key_id) d JOIN ssh_keys k ON k.id = d.key_id""",
        "k.user_id IS NULL",
    )
    return await _load_page(tx, selection, page)


async def available(tx: Tx, actor: Actor, project_id: int, page: Page) -> Paged[DeployKey]:
    """One page of the keys that the actor may enable, and which this project does not use."""
    selection = Selection(
        "ssh_keys k JOIN (SELECT FALSE AS can_push) d ON TRUE",
        f"""{USABLE} AND NOT EXISTS (SELECT 1 FROM deploy_keys used WHERE used.key_id = k.id AND used.project_id = :project_id)""",
        project_id=project_id,
        **actor.bound,
    )
    return await _load_page(tx, selection, page)


async def _load_page(tx: Tx, selection: Selection, page: Page) -> Paged[DeployKey]:
    return (await load_rows(tx, DeployKeyView, selection, ascending("k.id"), page)).map(_to_deploy_key)


def _to_deploy_key(row: DeployKeyView) -> DeployKey:
    return to_entity(DeployKey, row, expires_at=row.expires_at or UNSET)
