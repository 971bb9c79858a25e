"""Creating and revoking deploy tokens."""

from typing import Final, NamedTuple

from mujina.accounts.credentials.operations import check_token
from mujina.accounts.credentials.rules import DEPLOY_PREFIX
from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.rows import delete_row, insert_id, timestamps
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import DEVELOPER, REPORTER
from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.workspaces.access_tokens.bots import create_bot, remove_bot
from mujina.workspaces.deploy_tokens.params import CreateDeployToken
from mujina.workspaces.deploy_tokens.rules import DeployTokenRow
from mujina.workspaces.owners.rules import Owner

DEPLOY_SCOPES: Final = (
    "read_repository", "read_package_registry", "write_package_registry", "read_registry", "write_registry",
)  # fmt: skip


_USERNAME: Final = deferred_pattern(r"[A-Za-z0-9_+.-]{0,255}")
"""Basic authentication ends a name at its first colon."""


class NewSecret(NamedTuple):
    """A deploy token that was just created; its value is shown once."""

    id: int
    token: str


async def create(tx: Tx, actor: Actor, owner: Owner, change: CreateDeployToken) -> NewSecret:
    """A new token with a bot of its own: a reporter, or a developer if it may publish packages.

    Whatever the bot may do, the scopes do not allow pushing with the token.
    """
    check_token(change.name, change.scopes, DEPLOY_SCOPES)
    expires_at = change.expires_at or None
    if expires_at is not None and expires_at <= clock.now():
        raise errors.invalid({"expires_at": ["must be in the future"]})
    username = (change.username or "").strip()
    if not _USERNAME.fullmatch(username):
        raise errors.invalid({"username": ["can contain only letters, digits, '_', '-', '+', and '.'"]})
    level = DEVELOPER if "write_package_registry" in change.scopes else REPORTER
    bot_id = await create_bot(tx, actor, owner, change.name, level, None)
    token = f"{DEPLOY_PREFIX}{secrets.new_token()}"
    token_id: int = await insert_id(
        tx, "deploy_tokens", user_id=bot_id, name=change.name, username=username or None,
        digest=secrets.digest(token), scopes=" ".join(change.scopes), expires_at=expires_at, **owner.ids, **timestamps(),
    )  # fmt: skip
    await record(
        tx, "deploy_token.created", actor, subject_id=token_id,
        changes={"name": (None, change.name), "scopes": (None, [*change.scopes])}, **owner.ids,
    )  # fmt: skip
    return NewSecret(token_id, token)


async def remove(tx: Tx, actor: Actor, owner: Owner, token: DeployTokenRow) -> None:
    """The token opens nothing from the next request on, and its bot goes; packages that it published stay."""
    await delete_row(tx, "deploy_tokens", "Deploy Token", id=token.id)
    changes = {"name": (token.name, None)}
    await record(tx, "deploy_token.revoked", actor, subject_id=token.id, changes=changes, **owner.ids)
    await remove_bot(tx, actor, token.user_id)
