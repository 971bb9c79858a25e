"""Starting, extending and ending sessions. Only the digest of the cookie is stored."""

from datetime import timedelta

from mujina.accounts.sessions.logins import LoginRow
from mujina.accounts.users.profile import activity
from mujina.accounts.users.sign_in import accounts
from mujina.instance.application_settings.params import ApplicationSettings
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock, secrets
from mujina.kernel.db.rows import insert_id, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.kernel.html.pages import Cookie, Session
from mujina.kernel.http.requests.origins import Origin
from mujina.kernel.limits.counters import delete_old_counters
from mujina.kernel.permissions.actor import Actor

DAY = timedelta(days=1)


async def start(tx: Tx, login: LoginRow, origin: Origin, *, former_cookie: str) -> Cookie | None:
    """The cookie of a new session. The browser's former session ends, so a planted cookie is of no use.

    None if the user was blocked or their password changed since it was verified.
    """
    await end(tx, former_cookie)
    user_id = await tx.value(
        """
        SELECT u.id FROM users u WHERE u.id = :id AND u.state = 'active' AND u.deleted_at IS NULL
        AND u.password_hash IS NOT DISTINCT FROM :password_hash
        """,
        id=login.id,
        password_hash=login.password_hash,
    )
    return None if user_id is None else await start_for(tx, login.actor(), origin)


async def record_refusal(tx: Tx, login: LoginRow) -> None:
    """A blocked user gave the right password."""
    await record(tx, "user.sign_in_refused", login.actor(), subject_id=login.id)


async def start_for(tx: Tx, actor: Actor, origin: Origin) -> Cookie:
    """The cookie of a new session of this user."""
    cookie, now = secrets.new_oauth_token(), clock.now()
    settings = await read_settings(tx)
    session_id: int = await insert_id(
        tx, "sessions", user_id=actor.id, digest=secrets.digest(cookie), created_at=now, **_columns(settings, origin),
    )  # fmt: skip
    await _require_two_factor(tx, settings, actor)
    await activity.record_sign_in(tx, actor.id)
    await record(tx, "session.started", actor, subject_id=session_id)
    return _cookie(cookie, settings)


async def prolong(tx: Tx, session: Session, cookie: str, origin: Origin) -> Cookie:
    """Record that the session is in use; it expires as late as a new one."""
    settings = await read_settings(tx)
    await update(tx, "sessions", _columns(settings, origin), id=session.id)
    await _require_two_factor(tx, settings, session.actor)
    return _cookie(cookie, settings)


def _columns(settings: ApplicationSettings, origin: Origin) -> dict[str, str | None]:
    """The columns that each use of the session writes."""
    lifetime = timedelta(minutes=settings.session_expire_delay)
    return {
        "last_used_on": clock.today(), "user_agent": origin.user_agent, "address": origin.ip_address,
        "prolong_at": clock.later(min(DAY, lifetime / 2)), "expires_at": clock.later(lifetime),
    }  # fmt: skip


def _cookie(value: str, settings: ApplicationSettings) -> Cookie:
    return Cookie(value, settings.session_expire_delay * 60)


async def _require_two_factor(tx: Tx, settings: ApplicationSettings, actor: Actor) -> None:
    """Where two-factor authentication is required, the grace period starts with the first session."""
    if settings.require_two_factor_authentication:
        grace = timedelta(hours=settings.two_factor_grace_period)
        await accounts.require_two_factor(tx, actor.id, clock.later(grace))


async def end(tx: Tx, cookie: str) -> None:
    """The cookie is invalid from the next request on."""
    await tx.run("DELETE FROM sessions WHERE digest = :digest", digest=secrets.digest(cookie))


async def end_one(tx: Tx, actor: Actor, session_id: int) -> bool:
    """End a session of this user. False if there is no such session."""
    ended = await tx.run("DELETE FROM sessions WHERE id = :id AND user_id = :user_id", id=session_id, user_id=actor.id)
    if ended:
        await record(tx, "session.ended", actor, subject_id=session_id)
    return ended > 0


async def end_all(tx: Tx, event: Event) -> None:
    """A new password ends every session of the user."""
    await tx.run("DELETE FROM sessions WHERE user_id = :user_id", user_id=event.subject_id)


async def delete_expired(tx: Tx) -> None:
    """Delete expired sessions and counters that no longer count."""
    await tx.run("DELETE FROM sessions WHERE expires_at <= :now", now=clock.now())
    await delete_old_counters(tx)
