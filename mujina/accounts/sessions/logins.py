"""Is this the person's password? One answer for pages, OAuth and git; ten failures are answered by ten minutes of rest.

Neither the answer nor its time tells whether there is such a person: a name that is nobody's is hashed against, counted
and locked like any other. Where the operator wants it, failures are counted by address too, whoever they are about.
"""

from datetime import timedelta
from typing import Annotated, LiteralString

import msgspec

from mujina.accounts.users import accounts
from mujina.accounts.users.rules import ActorRow
from mujina.instance.application_settings.rules import TWO_FACTOR_REQUIRED
from mujina.kernel import clock, errors, secrets
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.services import Services
from mujina.kernel.text import fold

MAX_FAILURES = 10
LOCKOUT = timedelta(minutes=10)
_MAX_LENGTH = 1_000
"""Characters of a name or password that are looked at: hashing a megabyte takes long."""


class LoginRow(ActorRow):
    """A person as their password shows them."""

    state: str
    kind: str
    password_hash: str | None
    two_factor_enabled: bool
    two_factor_overdue: Annotated[
        bool, f"NOT u.two_factor_enabled AND coalesce(u.two_factor_due_at, '') <= :now AND {TWO_FACTOR_REQUIRED}"
    ]
    """Two-factor authentication is required and not enabled, and the deadline passed or was never set."""
    confirmed_at: str | None

    @property
    def password_is_enough(self) -> bool:
        """Where nothing else can be asked for."""
        return not self.two_factor_enabled and not self.two_factor_overdue


async def find_login(services: Services, name: str, password: str, address: str = "") -> LoginRow | None:
    """Whose username or e-mail and password these are: None if they are nobody's, or rest after too many failures.

    They may be blocked, unconfirmed, or want a second factor: that is for the door to say.
    """
    name, password = name[:_MAX_LENGTH].replace("\0", ""), password[:_MAX_LENGTH]
    most = services.settings.max_failed_logins
    theirs = _address_failure_key(address) if address and most else None
    async with services.database.reading() as tx:
        row = await _row(tx, name)
        claimed = failure_key(row.id) if row else f"name {secrets.digest(fold(name))}"
        failures = await recent_failures(tx, claimed)
        tired = failures >= MAX_FAILURES or (most and theirs and await recent_failures(tx, theirs) >= most)
    good = await services.passwords.verify(row.password_hash if row else None, password, asker=address)
    if tired:
        return None
    if row is None or not good:
        async with services.database.transaction() as tx:
            for each in (claimed, theirs):
                if each is not None:
                    await count_failure(tx, each)
        return None
    if failures and not row.two_factor_enabled:
        async with services.database.transaction() as tx:
            await clear_failures(tx, claimed)
    if not services.passwords.needs_rehash(row.password_hash or ""):
        return row
    # If somebody was faster, what they stored is looked at: it may be another password by now.
    return await _renew_hash(services, row, password) or await find_login(services, name, password, address)


async def _renew_hash(services: Services, row: LoginRow, password: str) -> LoginRow | None:
    """The operator's parameters of today reach everybody: a hash of others takes another time to check, which would tell."""
    renewed = await services.passwords.hash(password)
    async with services.database.transaction() as tx:
        stored = await accounts.renew_hash(tx, row.id, row.password_hash or "", renewed)
    return msgspec.structs.replace(row, password_hash=renewed) if stored else None


async def check_own_password(services: Services, actor: Actor, password: str) -> None:
    """Refuse whoever sits at a browser that somebody else is signed in to."""
    login = await find_login(services, actor.username, password)
    if login is None or login.id != actor.id:
        raise errors.invalid({"current_password": ["is not your password"]})


_LOGIN: LiteralString = f"""
    SELECT {LoginRow.columns} FROM users u
    WHERE u.kind = 'person' AND u.deleted_at IS NULL
"""


async def _row(tx: Tx, name: str) -> LoginRow | None:
    return await tx.row(
        LoginRow,
        f"{_LOGIN} AND (u.username_folded = :name OR u.email_folded = :name)",
        name=fold(name),
        now=clock.now(),
    )


async def find_login_again(tx: Tx, user_id: int) -> LoginRow | None:
    """Whoever's password was looked at a while ago."""
    return await tx.row(LoginRow, f"{_LOGIN} AND u.id = :id AND u.state = 'active'", id=user_id, now=clock.now())


def failure_key(user_id: int) -> str:
    """The name under which failures about a person are counted."""
    return f"user {user_id}"


def _address_failure_key(address: str) -> str:
    """The same for ten minutes by the clock: what many people behind one address mistype in a day adds up to nothing."""
    return f"address {address} {clock.seconds(clock.now()) // int(LOCKOUT.total_seconds())}"


async def recent_failures(tx: Tx, claimed: str) -> int:
    """How often in vain, without ten minutes of rest between."""
    failures: int | None = await tx.value(
        "SELECT f.failures FROM failed_logins f WHERE f.claimed = :claimed AND f.failed_at > :since",
        claimed=claimed,
        since=clock.later(-LOCKOUT),
    )
    return failures or 0


async def count_failure(tx: Tx, claimed: str) -> None:
    await tx.run(
        """
        INSERT INTO failed_logins (claimed, failures, failed_at) VALUES (:claimed, 1, :now)
        ON CONFLICT (claimed) DO UPDATE SET
            failures = CASE WHEN failed_logins.failed_at > :since THEN failed_logins.failures + 1 ELSE 1 END,
            failed_at = excluded.failed_at
        """,
        claimed=claimed, now=clock.now(), since=clock.later(-LOCKOUT),
    )  # fmt: skip


async def clear_failures(tx: Tx, claimed: str) -> None:
    await tx.run("DELETE FROM failed_logins WHERE claimed = :claimed", claimed=claimed)
