"""Verifying passwords for pages, OAuth and git. Ten failures lock an account for ten minutes.

A user with an identity in an LDAP directory is asked of that directory only; a local account is never asked of one.
Neither the response nor its time reveals whether a user exists: for an unknown name a password is hashed, and failures
are counted and lock the name, as for any other. If the operator sets a limit, failures also count by remote address.
"""

from datetime import timedelta
from typing import Annotated, LiteralString

import msgspec

from mujina.accounts.ldap import sign_in
from mujina.accounts.ldap.rules import usable_directories
from mujina.accounts.ldap.sign_in import Purpose
from mujina.accounts.users.rules import ActorRow
from mujina.accounts.users.sign_in import accounts
from mujina.instance.application_settings.rules import TWO_FACTOR_REQUIRED
from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.events import Event, record
from mujina.kernel.limits.counters import clear_count, count, network_of, read_count
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.text.folding import fold

MAX_FAILURES = 10
LOCKOUT = timedelta(minutes=10)
_PERIOD = int(LOCKOUT.total_seconds())
"""Seconds in which the failures of an address are counted together."""
_MAX_LENGTH = 1_000
"""Characters of a name or password that are used: hashing a megabyte takes long."""


class LoginRow(ActorRow):
    """A user, with what decides whether a password lets them sign in."""

    state: str
    password_hash: str | None
    two_factor_enabled: bool
    two_factor_overdue: Annotated[
        bool, f"NOT u.two_factor_enabled AND coalesce(u.two_factor_due_at, '') <= :now AND {TWO_FACTOR_REQUIRED}"
    ]
    """Two-factor authentication is required and not enabled, and the deadline passed or was never set."""
    confirmed_at: str | None
    identity: Annotated[
        str | None,
        """(SELECT i.provider || ' ' || i.extern_uid FROM identities i
            WHERE i.user_id = u.id AND i.provider LIKE 'ldap%' ORDER BY i.id LIMIT 1)""",
    ]
    """The provider and the name of the entry, where a directory knows the password."""

    @property
    def local(self) -> bool:
        """Whether the password is kept here and not in a directory."""
        return self.identity is None

    @property
    def password_suffices(self) -> bool:
        """Whether the password alone authenticates, where the client cannot be asked for a code."""
        return not self.two_factor_enabled and not self.two_factor_overdue


async def find_login(
    services: Services,
    name: str,
    password: str,
    address: str = "",
    *,
    purpose: Purpose = "git",
    provider: str | None = None,
) -> LoginRow | None:
    """The user with this username or e-mail address and password. None if they do not match or the account is locked.

    The user may be blocked, unconfirmed or need a code: the caller checks that. With `provider`, only that directory is
    asked; 503 if a directory that has to be asked cannot be reached; 429 if too many sign-ins failed from the address.
    """
    name, password = name[:_MAX_LENGTH].replace("\0", ""), password[:_MAX_LENGTH]
    address_limit = services.settings.max_failed_logins
    from_address = address_key("address", address) if address and address_limit else None
    async with services.database.reading() as tx:
        row = await _find(tx, name, in_directory=provider is not None)
        user_key = failure_key(row.id) if row else f"name {secrets.digest(fold(name))}"
        failures = await recent_failures(tx, user_key)
        locked = failures >= MAX_FAILURES
        if address_limit and from_address and await recent_failures(tx, from_address) >= address_limit:
            log_failure(row, address, "too many failures from this address")
            raise too_many("sign-ins failed")
    found = await _verify(services, row, name, password, address, locked=locked, purpose=purpose, provider=provider)
    if locked:
        log_failure(row, address, "locked")
        return None
    if found is None:
        await _count_failures(services, [user_key, *([from_address] if from_address else [])])
        log_failure(row, address, "wrong name or password", failures + 1)
        return None
    if failures and not found.two_factor_enabled and (row is None or found.id == row.id):
        async with services.database.transaction() as tx:
            await clear_count(tx, user_key)
    if not found.local or not services.passwords.needs_rehash(found.password_hash or ""):
        return found
    # Another process changed the hash meanwhile: it may be a new password, so verify again.
    return await _renew_hash(services, found, password) or await find_login(services, name, password, address)


async def _verify(
    services: Services,
    row: LoginRow | None,
    name: str,
    password: str,
    address: str,
    *,
    locked: bool,
    purpose: Purpose,
    provider: str | None,
) -> LoginRow | None:
    """The user whose password it is: by the stored hash, or by the directory that knows them or finds them."""
    if row.local if row else not usable_directories(services.settings):
        matches = await services.passwords.verify(row.password_hash if row else None, password, asker=address)
        return row if matches else None
    if locked:  # further attempts must not lock the account in the directory too
        return None
    if row is None or provider is not None:
        user_id = await sign_in.check_unknown(services, name, password, provider=provider, purpose=purpose)
    else:
        known_provider, _, dn = (row.identity or "").partition(" ")
        user_id = await sign_in.check_known(
            services, known_provider, dn, name, password, user_id=row.id, purpose=purpose
        )
    if user_id is None:
        return None
    async with services.database.reading() as tx:
        return await tx.row(LoginRow, f"{_LOGIN} AND u.id = :id", id=user_id, now=clock.now())


def log_failure(row: LoginRow | None, address: str, reason: str, failures: int = 0) -> None:
    """Log a failed sign-in, and the lockout that follows from it.

    A name that is not a user's is left out: it may be a password in the wrong field.
    """
    user = row.username if row else None
    log.warning("sign-in failed", user=user, address=address, reason=reason)
    if failures == MAX_FAILURES:
        log.warning("account locked", user=user, address=address, minutes=int(LOCKOUT.total_seconds()) // 60)


async def _renew_hash(services: Services, row: LoginRow, password: str) -> LoginRow | None:
    """Rehash with the current parameters: a hash with other parameters takes another time to check, which reveals the user."""
    renewed = await services.passwords.hash(password)
    async with services.database.transaction() as tx:
        stored = await accounts.renew_hash(tx, row.id, row.password_hash or "", renewed)
    return msgspec.structs.replace(row, password_hash=renewed) if stored else None


async def check_own_password(services: Services, actor: Actor, password: str) -> None:
    """Refuse a request without the password of the signed-in user."""
    login = await find_login(services, actor.username, password)
    if login is None or login.id != actor.id:
        raise errors.invalid({"current_password": ["is not your password"]})


async def check_not_in_directory(services: Services, actor: Actor, field: str) -> None:
    """Refuse a change of what the directory decides for users whom it knows."""
    async with services.database.reading() as tx:
        known = await is_in_directory(tx, actor.id)
    if known:
        raise errors.invalid({field: ["is kept in the directory, change it there"]})


async def is_in_directory(tx: Tx, user_id: int) -> bool:
    """Whether a directory decides about the password and the primary address of a user who may sign in."""
    login = await find_login_again(tx, user_id)
    return login is not None and not login.local


_LOGIN: LiteralString = f"""
    SELECT {LoginRow.columns} FROM users u
    WHERE u.kind = 'person' AND u.deleted_at IS NULL
"""


async def _find(tx: Tx, name: str, *, in_directory: bool) -> LoginRow | None:
    """The user whose name this is; `in_directory` the name of a local user is another person's."""
    row = await tx.row(
        LoginRow,
        f"{_LOGIN} AND (u.username_folded = :name OR u.email_folded = :name)",
        name=fold(name),
        now=clock.now(),
    )
    return None if row and row.local and in_directory else row


async def find_login_again(tx: Tx, user_id: int) -> LoginRow | None:
    """Looks the user up again by id."""
    return await tx.row(LoginRow, f"{_LOGIN} AND u.id = :id AND u.state = 'active'", id=user_id, now=clock.now())


def failure_key(user_id: int) -> str:
    """The key under which the failures of a user are counted."""
    return f"user {user_id}"


def address_key(action: str, address: str) -> str:
    """The key under which this action is counted for an IP address, or for its network.

    A new key every ten minutes: the typing errors of many users behind one address do not add up over a day.
    """
    return f"{action} {network_of(address)} {clock.seconds(clock.now()) // _PERIOD}"


def too_many(what: str) -> ApiError:
    """Too many of them were counted for an address; with the next key it may try again."""
    return errors.too_many_requests(f"{what} from your address", _PERIOD - clock.seconds(clock.now()) % _PERIOD)


async def unlock(tx: Tx, actor: Actor, user_id: int) -> bool:
    """Forget the failures of a user; True if they had locked the account."""
    locked = await recent_failures(tx, failure_key(user_id)) >= MAX_FAILURES
    await clear_count(tx, failure_key(user_id))
    if locked:
        await record(tx, "user.unlocked", actor, subject_id=user_id)
    return locked


async def find_locked(tx: Tx, ids: list[int]) -> set[int]:
    """The users of these whose account failures have locked."""
    users = {failure_key(id_): id_ for id_ in ids}
    keys = await tx.values(
        "SELECT c.key FROM limit_counters c WHERE c.key IN :keys AND c.counted_at > :since AND c.number >= :most",
        keys=list(users),
        since=clock.later(-LOCKOUT),
        most=MAX_FAILURES,
    )
    return {users[key] for key in keys}


async def unlock_after_change(tx: Tx, event: Event) -> None:
    """A new password ends the lock: failures with the old one no longer count."""
    await clear_count(tx, failure_key(event.subject_id))


async def recent_failures(tx: Tx, key: str) -> int:
    """The failures so far, none of them ten minutes after the one before."""
    return await read_count(tx, key, within=LOCKOUT)


async def count_failure(tx: Tx, key: str) -> None:
    await count(tx, key, within=LOCKOUT)


async def _count_failures(services: Services, keys: list[str]) -> None:
    async with services.database.transaction() as tx:
        for key in keys:
            await count_failure(tx, key)
