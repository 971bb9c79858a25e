"""Creating and revoking tokens, and recording their use. A token is shown once; only its digest is stored."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from mujina.accounts.credentials.rules import is_expired
from mujina.kernel import clock, secrets
from mujina.kernel.clock import NEVER
from mujina.kernel.db.rows import insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.errors import BLANK, Problems
from mujina.kernel.events import record
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import SCOPES, Actor
from mujina.kernel.services import Services

_MAX_NAME_LENGTH = 255
WRITE_SECONDS: Final = 60.0
"""How often a process writes which tokens it saw: no request waits for that."""


async def create_token(
    tx: Tx,
    actor: Actor,
    user_id: int,
    name: str,
    scopes: Sequence[str],
    *,
    expires_on: str | None = None,
    token: str | None = None,
) -> str:
    """Create a personal access token; `token` is its value if the operator chose one."""
    check_token(name, scopes, SCOPES)
    return (await insert_token(tx, actor, user_id, name, scopes, token=token, expires_on=expires_on or NEVER)).token


class NewToken(NamedTuple):
    """A token that was just created; its value is shown once."""

    id: int
    token: str


async def insert_token(
    tx: Tx, actor: Actor, user_id: int, name: str, scopes: Sequence[str], *, token: str | None = None, **columns: Value
) -> NewToken:
    """Write a token of the user whose name and scopes were checked, and record it."""
    token = token or secrets.new_token()
    token_id: int = await insert_id(
        tx, "access_tokens", user_id=user_id, name=name, digest=secrets.digest(token), scopes=" ".join(scopes),
        **columns, **timestamps(),
    )  # fmt: skip
    changes = {"name": (None, name), "scopes": (None, [*scopes]), "user_id": (None, user_id)}
    await record(tx, "access_token.created", actor, subject_id=token_id, changes=changes)
    return NewToken(token_id, token)


async def revoke_token(tx: Tx, actor: Actor, user_id: int, token_id: int) -> bool:
    """The token fails from the next request on. False if the user has no such token."""
    columns = {"revoked": True, "updated_at": clock.now()}
    if not await update(tx, "access_tokens", columns, id=token_id, user_id=user_id):
        return False
    name = await tx.value("SELECT t.name FROM access_tokens t WHERE t.id = :id", id=token_id)
    changes = {"name": (name, None), "user_id": (user_id, None)}
    await record(tx, "access_token.revoked", actor, subject_id=token_id, changes=changes)
    return True


async def revoke_own_token(tx: Tx, actor: Actor, token_id: int) -> bool:
    """Like `revoke_token`, but not for impersonation tokens, which the user does not see."""
    own = await tx.value(
        "SELECT t.id FROM access_tokens t WHERE t.id = :id AND t.user_id = :user_id AND NOT t.impersonation",
        id=token_id,
        user_id=actor.id,
    )
    return own is not None and await revoke_token(tx, actor, actor.id, token_id)


async def mark_announced(tx: Tx, token_id: int) -> None:
    """The user of the token knows that it expires soon."""
    await update(tx, "access_tokens", {"expiry_announced": True}, id=token_id)


def check_token(name: str, scopes: Sequence[str], available: Sequence[str], *, expires_on: str | None = None) -> None:
    """Refuse a token without a name, without a scope, with an unknown scope, or that would never be valid."""
    problems = Problems()
    problems.require("name", name, _MAX_NAME_LENGTH)
    if not scopes:
        problems.add("scopes", BLANK)
    elif not set(scopes) <= set(available):
        problems.add("scopes", "can only contain available scopes")
    if expires_on is not None and is_expired(expires_on):
        problems.add("expiration_date", "must be in the future")
    problems.refuse()


class TokenUseWriter:
    """The service that writes, once a minute and at the end, which tokens this process saw."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._stop_asked = asyncio.Event()

    async def run(self) -> None:
        """Write until `stop`, and then once more."""
        stopped = False
        while not stopped:
            with suppress(TimeoutError):
                async with asyncio.timeout(WRITE_SECONDS):
                    stopped = await self._stop_asked.wait()
            try:
                await write_uses(self._services)
            except Exception as error:  # noqa: BLE001 - the next use of the token is noted again
                log.warning("the use of tokens was not recorded", error=repr(error))

    def stop(self) -> None:
        """Ask `run` to write once more and to end."""
        self._stop_asked.set()


async def write_uses(services: Services) -> None:
    """Write what requests have noted."""
    uses = sorted(services.token_uses.items())
    services.token_uses.clear()
    if uses:
        async with services.database.transaction() as tx:
            await tx.run_each(
                "UPDATE access_tokens SET last_used_at = :at WHERE id = :id",
                [{"id": id_, "at": at} for id_, at in uses],
            )
