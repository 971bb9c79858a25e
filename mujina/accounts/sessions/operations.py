"""Sessions begin, go on and end. The cookie is shown once; what is kept is its digest."""

from datetime import timedelta

from mujina.accounts.sessions.logins import LoginRow
from mujina.accounts.users import accounts, activity
from mujina.instance.application_settings.params import ApplicationSettings
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock, secrets
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.kernel.pages import Cookie, Session

DAY = timedelta(days=1)


async def begin(tx: Tx, login: LoginRow, *, before: str) -> Cookie | None:
    """The cookie of a new session, in place of whatever the browser held `before`: a planted cookie gains nothing.

    None if the person was blocked, or their password changed, since it was looked at.
    """
    await end(tx, before)
    still = await tx.value(
        """
        SELECT u.id FROM users u WHERE u.id = :id AND u.state = 'active' AND u.deleted_at IS NULL
        AND u.password_hash IS NOT DISTINCT FROM :password_hash
        """,
        id=login.id,
        password_hash=login.password_hash,
    )
    return None if still is None else await open_for(tx, login.actor())


async def open_for(tx: Tx, actor: Actor) -> Cookie:
    """The cookie of a new session of this person."""
    cookie, now = secrets.new_oauth_token(), clock.now()
    settings = await read_settings(tx)
    session_id: int = await tx.value(
        """
        INSERT INTO sessions (user_id, digest, created_at, last_used_on, prolong_at, expires_at)
        VALUES (:user_id, :digest, :now, :today, :prolong_at, :expires_at) RETURNING id
        """,
        user_id=actor.id, digest=secrets.digest(cookie), now=now, today=clock.today(), **_times(settings),
    )  # fmt: skip
    await _ask_for_two_factor(tx, settings, actor)
    await activity.record_sign_in(tx, actor.id)
    await record(tx, "session.started", actor, subject_id=session_id)
    return _cookie(cookie, settings)


async def prolong(tx: Tx, session: Session, cookie: str) -> Cookie:
    """The session was used, and lasts from now on as long as a new one."""
    settings = await read_settings(tx)
    await tx.run(
        """
        UPDATE sessions SET last_used_on = :today, prolong_at = :prolong_at, expires_at = :expires_at WHERE id = :id
        """,
        id=session.id, today=clock.today(), **_times(settings),
    )  # fmt: skip
    await _ask_for_two_factor(tx, settings, session.actor)
    return _cookie(cookie, settings)


def _times(settings: ApplicationSettings) -> dict[str, str]:
    lasts = timedelta(minutes=settings.session_expire_delay)
    return {"prolong_at": clock.later(min(DAY, lasts / 2)), "expires_at": clock.later(lasts)}


def _cookie(value: str, settings: ApplicationSettings) -> Cookie:
    return Cookie(value, settings.session_expire_delay * 60)


async def _ask_for_two_factor(tx: Tx, settings: ApplicationSettings, actor: Actor) -> None:
    """Where a second factor is required, the time to set one up begins when somebody is first seen."""
    if settings.require_two_factor_authentication:
        grace = timedelta(hours=settings.two_factor_grace_period)
        await accounts.require_two_factor(tx, actor.id, clock.later(grace))


async def end(tx: Tx, cookie: str) -> None:
    """The cookie opens nothing from the next request on."""
    await tx.run("DELETE FROM sessions WHERE digest = :digest", digest=secrets.digest(cookie))


async def end_one(tx: Tx, actor: Actor, session_id: int) -> bool:
    """A person ends a session of their own, here or in another browser; whether there was one."""
    ended = await tx.run("DELETE FROM sessions WHERE id = :id AND user_id = :user_id", id=session_id, user_id=actor.id)
    if ended:
        await record(tx, "session.ended", actor, subject_id=session_id)
    return ended > 0


async def end_all(tx: Tx, event: Event) -> None:
    """A new password ends every session of the person."""
    await tx.run("DELETE FROM sessions WHERE user_id = :user_id", user_id=event.subject_id)


async def sweep(tx: Tx) -> None:
    """Sessions and failures that count no more are forgotten."""
    await tx.run("DELETE FROM sessions WHERE expires_at <= :now", now=clock.now())
    await tx.run("DELETE FROM failed_logins WHERE failed_at <= :before", before=clock.later(timedelta(days=-1)))
