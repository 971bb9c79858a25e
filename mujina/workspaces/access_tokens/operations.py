"""Creating and revoking the access tokens of projects and groups."""

from typing import Final

from mujina.accounts.credentials import operations as credentials
from mujina.accounts.credentials.operations import NewToken, check_token, insert_token, revoke_token
from mujina.kernel import errors
from mujina.kernel.clock import NEVER
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import SCOPES, Actor
from mujina.workspaces.access_tokens.bots import create_bot, remove_bot
from mujina.workspaces.access_tokens.params import CreateAccessToken
from mujina.workspaces.access_tokens.rules import AccessTokenRow, TokenOwner
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.rules import Source
from mujina.workspaces.owners.rules import Owner

BOT_SCOPES: Final = tuple(scope for scope in SCOPES if scope != "sudo")


async def create(tx: Tx, actor: Actor, owner: TokenOwner, change: CreateAccessToken) -> NewToken:
    """A new token with a bot of its own, at no higher level than that of the actor."""
    expires_on = change.expires_at or None
    check_token(change.name, change.scopes, BOT_SCOPES, expires_on=expires_on)
    if change.access_level > owner.level:
        raise errors.bad_request("Access level of the token can't be greater than your own")
    bot_id = await create_bot(tx, actor, owner, change.name, change.access_level, expires_on)
    return await insert_token(
        tx, actor, bot_id, change.name, change.scopes, expires_on=expires_on or NEVER,
        description=change.description or None,
    )  # fmt: skip


async def rotate(tx: Tx, actor: Actor, owner: Owner, token: AccessTokenRow, expires_on: str | None) -> NewToken | None:
    """Replace the token; its bot stays a member as long as the new one is valid. None as for `credentials.rotate`."""
    expires_on = expires_on or credentials.next_expiration()
    new = await credentials.rotate(tx, actor, token, expires_on)
    if new is not None:
        await members.set_expiration(tx, Source(owner.kind, owner.id), token.user_id, expires_on)
    return new


async def revoke(tx: Tx, actor: Actor, token: AccessTokenRow) -> None:
    """The token fails from the next request on, and its bot goes: what the bot wrote becomes the ghost's."""
    if not token.revoked:
        await revoke_token(tx, actor, token.user_id, token.id)
    await remove_bot(tx, actor, token.user_id)
