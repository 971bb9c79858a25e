"""Registration tokens: a client with one may register a runner of the instance, of a group or of a project."""

import msgspec

from mujina.ci.runners.params import CreateRunner
from mujina.instance.identity.operations import read_fact, store_fact
from mujina.kernel import errors, secrets
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import Vault
from mujina.workspaces.groups import operations as groups
from mujina.workspaces.owners.rules import INSTANCE, OwnerKind, OwnerOrInstance, find_administered
from mujina.workspaces.projects import operations as projects

_FACT = "runners_registration_token"
_PURPOSE = "runners_token"


class IssuedRegistrationToken(msgspec.Struct):
    token: str
    token_expires_at: str | None = None


async def find_new_owner(tx: Tx, actor: Actor, change: CreateRunner) -> OwnerOrInstance:
    """The owner of a runner that the actor creates: only administrators create those of the instance."""
    if change.runner_type == "instance_type":
        if not actor.admin:
            raise errors.forbidden()
        return INSTANCE
    kind: OwnerKind = "group" if change.runner_type == "group_type" else "project"
    owner_id = change.group_id if kind == "group" else change.project_id
    if owner_id is UNSET:
        raise errors.missing(f"{kind}_id")
    return await find_administered(tx, actor, kind, Ref.of(owner_id))


async def find_by_registration_token(tx: Tx, vault: Vault, token: str) -> OwnerOrInstance:
    """The owner that has this registration token; 403 if there is none."""
    row = await tx.row(
        tuple[int | None, int | None],
        """SELECT p.id, NULL FROM projects p WHERE p.runners_token_digest = :digest AND p.deleted_at IS NULL
           UNION ALL
           SELECT NULL, g.id FROM groups g JOIN namespaces n ON n.id = g.id
           WHERE g.runners_token_digest = :digest AND n.deleted_at IS NULL""",
        digest=secrets.digest(token),
    )
    if row is not None:
        return OwnerOrInstance(*row)
    own = await read_registration_token(tx, vault, INSTANCE)
    if own is None or not secrets.same(own, token):
        raise errors.forbidden()
    return INSTANCE


async def read_registration_token(tx: Tx, vault: Vault, owner: OwnerOrInstance) -> str | None:
    """The registration token of the owner; None until one is made."""
    if owner == INSTANCE:
        encrypted = await read_fact(tx, _FACT)
    else:
        encrypted = await tx.value(
            """SELECT p.runners_token FROM projects p WHERE p.id = :project_id
               UNION ALL SELECT g.runners_token FROM groups g WHERE g.id = :group_id""",
            **owner.bound,
        )
    return vault.decrypt(encrypted, _PURPOSE) if encrypted else None


async def reset_registration_token(
    tx: Tx, vault: Vault, actor: Actor, owner: OwnerOrInstance
) -> IssuedRegistrationToken:
    """A new token. The former one registers no further runner; those that it registered keep working."""
    token = secrets.new_token()
    encrypted = vault.encrypt(token, _PURPOSE)
    if owner.project_id is not None:
        await projects.store_runners_token(tx, owner.project_id, encrypted, secrets.digest(token))
    elif owner.group_id is not None:
        await groups.store_runners_token(tx, owner.group_id, encrypted, secrets.digest(token))
    else:
        await store_fact(tx, _FACT, encrypted)
    await record(
        tx, "registration_token.reset", actor, subject_id=owner.project_id or owner.group_id or 1, **owner.bound
    )
    return IssuedRegistrationToken(token)
