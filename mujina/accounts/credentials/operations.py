"""Creating, replacing and revoking tokens, and recording their use. A token is shown once; only its digest is stored.

The tokens that replaced each other are a family: if an old one is used once more, all of them end.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final, NamedTuple

from mujina.accounts.credentials.rules import StoredToken, is_expired
from mujina.kernel import clock, errors, secrets
from mujina.kernel.clock import NEVER
from mujina.kernel.db.rows import insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.errors import BLANK, Problems
from mujina.kernel.events import record
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import SCOPES, SYSTEM, Actor
from mujina.kernel.services import Services

_MAX_NAME_LENGTH = 255
LIFETIME: Final = timedelta(days=7)
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
    """The token fails from the next request on; one that was revoked before stays so. False if the user has no such token."""
    text = "SELECT t.name, t.revoked FROM access_tokens t WHERE t.id = :id AND t.user_id = :user_id FOR UPDATE"
    token = await tx.row(tuple[str, bool], text, id=token_id, user_id=user_id)
    if token is None:
        return False
    name, revoked = token
    if revoked:
        return True
    await update(tx, "access_tokens", {"revoked": True, "updated_at": clock.now()}, id=token_id)
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


async def rotate(tx: Tx, actor: Actor, token: StoredToken, expires_on: str | None) -> NewToken | None:
    """Revoke the token and create one of the same name and scopes in its place.

    None if it was revoked before: then every token of its family is revoked, and the caller answers 401 after the commit.
    401 if it has expired.
    """
    if is_expired(token.expires_on):
        raise errors.invalid_token(errors.EXPIRED)
    if expires_on is not None and is_expired(expires_on):
        raise errors.invalid({"expires_at": ["must be in the future"]})
    family_id = token.family_id or token.id
    await _lock_family(tx, family_id)
    if not await tx.run("UPDATE access_tokens SET revoked = TRUE WHERE id = :id AND NOT revoked", id=token.id):
        await _revoke_family(tx, family_id)
        return None
    await revoke_token(tx, actor, token.user_id, token.id)
    return await insert_token(
        tx, actor, token.user_id, token.name, token.scopes.split(), description=token.description,
        family_id=family_id, expires_on=expires_on or next_expiration(),
    )  # fmt: skip


def next_expiration() -> str:
    """The day on which a token expires that replaces another today, unless the request says more."""
    return clock.later(LIFETIME)[:10]


def replaced(new: NewToken | None) -> NewToken:
    """The token that replaces another; 401 if that one was revoked before."""
    if new is None:
        raise errors.invalid_token(errors.REVOKED)
    return new


async def revoke_replayed(tx: Tx, token: str) -> None:
    """If this token was replaced before, revoke those that followed it: a client that sends it once more may have stolen it."""
    row = await tx.row(
        tuple[int, int | None],
        "SELECT t.id, t.family_id FROM access_tokens t WHERE t.digest = :digest AND t.revoked",
        digest=secrets.digest(token),
    )
    if row is not None:
        await _revoke_family(tx, row[1] or row[0])


async def _lock_family(tx: Tx, family_id: int) -> None:
    """Let no other transaction replace a token of the family until this one ends: it would not see the new one."""
    await tx.value("SELECT t.id FROM access_tokens t WHERE t.id = :id FOR UPDATE", id=family_id)


async def _revoke_family(tx: Tx, family_id: int) -> None:
    await _lock_family(tx, family_id)
    members = await tx.rows(
        tuple[int, int],
        "SELECT t.id, t.user_id FROM access_tokens t WHERE (t.id = :id OR t.family_id = :id) AND NOT t.revoked",
        id=family_id,
    )
    for token_id, user_id in members:
        await revoke_token(tx, SYSTEM, user_id, token_id)


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
