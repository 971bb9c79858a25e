"""Add, enable, edit and disable deploy keys."""

from mujina.accounts.keys import operations as keys
from mujina.accounts.keys import public_keys
from mujina.accounts.keys.params import AddKey
from mujina.accounts.keys.public_keys import InvalidPublicKey
from mujina.accounts.keys.rules import find_any_key
from mujina.code.deploy_keys.params import AddDeployKey, EditDeployKey
from mujina.code.deploy_keys.rules import DeployKeyRow, find_usable
from mujina.kernel import clock
from mujina.kernel.db.rows import insert, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor


async def add(tx: Tx, actor: Actor, project_id: int, change: AddDeployKey) -> int:
    """Add the key to this project; a key of the actor's other projects is shared with them."""
    sha256 = _fingerprint(change.key)
    key_id = await find_usable(tx, actor, sha256=sha256) or await _add_or_share(tx, actor, sha256, change)
    await enable(tx, actor, project_id, key_id, can_push=bool(change.can_push))
    return key_id


async def _add_or_share(tx: Tx, actor: Actor, sha256: str, change: AddDeployKey) -> int:
    """A new key, or the one that a concurrent request has added to a project of the actor."""
    try:
        async with tx.savepoint():
            return await keys.add(tx, actor, None, change)
    except ApiError:
        shared = await find_usable(tx, actor, sha256=sha256)
        if shared is None:
            raise
        return shared


async def add_public(tx: Tx, actor: Actor, change: AddKey) -> int:
    """Add a key that every project may enable; it opens none yet."""
    key_id = await keys.add(tx, actor, None, change)
    await insert(tx, "public_deploy_keys", key_id=key_id)
    return key_id


async def enable(tx: Tx, actor: Actor, project_id: int, key_id: int, *, can_push: bool = False) -> None:
    """The project uses the key from now on; no change if it does already."""
    added = await insert(
        tx, "deploy_keys", "ON CONFLICT (project_id, key_id) DO NOTHING", project_id=project_id, key_id=key_id,
        can_push=can_push, created_at=clock.now(),
    )  # fmt: skip
    if added:
        await record(tx, "deploy_key.enabled", actor, subject_id=key_id, project_id=project_id)


async def edit(tx: Tx, actor: Actor, project_id: int, key: DeployKeyRow, change: EditDeployKey) -> None:
    """The title is common to all projects; the right to push belongs to each project."""
    can_push = key.can_push if change.can_push is UNSET else change.can_push
    if change.title is not UNSET:
        await keys.rename(tx, key.id, change.title)
    await update(tx, "deploy_keys", {"can_push": can_push}, project_id=project_id, key_id=key.id)
    await record(
        tx, "deploy_key.updated", actor, subject_id=key.id, project_id=project_id,
        changes={"can_push": (key.can_push, can_push)},
    )  # fmt: skip


async def disable(tx: Tx, actor: Actor, project_id: int, key: DeployKeyRow) -> None:
    """The project no longer uses the key; a key that no project uses and that is not for every project is deleted."""
    await tx.run(
        "DELETE FROM deploy_keys WHERE project_id = :project_id AND key_id = :key_id",
        project_id=project_id,
        key_id=key.id,
    )
    await record(tx, "deploy_key.disabled", actor, subject_id=key.id, project_id=project_id)
    if not await _used(tx, [key.id]):
        await keys.remove(tx, actor, await find_any_key(tx, key.id))


async def release(tx: Tx, project_ids: list[int]) -> None:
    """The keys no longer open these projects, which are deleted; a key that opens no other is free to be used again."""
    released: list[int] = await tx.values(
        "DELETE FROM deploy_keys WHERE project_id IN :project_ids RETURNING key_id", project_ids=project_ids
    )
    await keys.delete_deploy_keys(tx, sorted({*released} - await _used(tx, released)))


async def _used(tx: Tx, ids: list[int]) -> set[int]:
    """Those of these keys that a project uses, or that every project may enable."""
    return set(
        await tx.values(
            """SELECT d.key_id FROM deploy_keys d WHERE d.key_id IN :ids
               UNION SELECT pk.key_id FROM public_deploy_keys pk WHERE pk.key_id IN :ids""",
            ids=ids,
        )
    )


def _fingerprint(text: str) -> str:
    try:
        return public_keys.parse(public_keys.normalize(text)).sha256
    except InvalidPublicKey:
        return ""
