"""Who is behind a credential: one statement, no write, the same answer on every process the moment it changes."""

from typing import Annotated, LiteralString

from mujina.accounts.sessions.rules import find_session
from mujina.accounts.users.rules import ActorRow
from mujina.kernel import clock, errors, secrets
from mujina.kernel.actor import ANONYMOUS, Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http import Credentials
from mujina.kernel.pages import Obligation
from mujina.kernel.params import Ref
from mujina.kernel.services import Services
from mujina.kernel.text import fold

OWED: dict[Obligation, str] = {
    "password": "Your password expired. Sign in with a browser and change it",
    "second factor": "Two-factor authentication is required. Sign in with a browser and set it up",
}
"""What is said to a session that may do only one thing, and not here."""


class _TokenRow(ActorRow):
    """A token and its user."""

    state: str
    kind: str
    scopes: Annotated[str, "t.scopes"]
    revoked: Annotated[bool, "t.revoked"]


class _PersonalTokenRow(_TokenRow):
    expires: Annotated[str, "t.expires_on"]
    """The first day on which the token is invalid: it compares with an instant."""


class _OAuthTokenRow(_TokenRow):
    expires: Annotated[str, "t.expires_at"]


async def find_actor(services: Services, shown: Credentials) -> Actor:
    """The person a request acts as. A token that is shown and not good is refused, even where none is needed."""
    token = shown.oauth or shown.token
    if token is None:
        return await _signed_in(services, shown)
    async with services.database.reading() as tx:
        actor = await authenticate(tx, token)
        return actor if shown.sudo is None else await _become(tx, actor, shown.sudo)


async def _signed_in(services: Services, shown: Credentials) -> Actor:
    """The person whose browser asks. Whatever writes must show that a page of ours asks, or counts as nobody's."""
    session = None
    if shown.session and (shown.verb in ("GET", "HEAD") or _comes_from_a_page(shown.session, shown.csrf)):
        async with services.database.reading() as tx:
            session = await find_session(tx, shown.session)
    if session and session.debt:
        raise errors.forbidden(OWED[session.debt])
    actor = session.actor if session else ANONYMOUS
    if shown.sudo is None:
        return actor
    if actor.anonymous:
        raise errors.unauthorized()
    if not actor.admin:
        raise errors.forbidden("Must be admin to use sudo")
    raise errors.forbidden("Must be authenticated using an OAuth or Personal Access Token to use sudo")


def _comes_from_a_page(cookie: str, token: str | None) -> bool:
    return token is not None and secrets.same(token, secrets.form_token(cookie))


_PERSONAL: LiteralString = f"""
    SELECT {_PersonalTokenRow.columns} FROM access_tokens t JOIN users u ON u.id = t.user_id
    WHERE t.digest = :digest AND u.deleted_at IS NULL
"""
_OAUTH: LiteralString = f"""
    SELECT {_OAuthTokenRow.columns} FROM oauth_tokens t JOIN users u ON u.id = t.user_id
    WHERE t.digest = :digest AND u.deleted_at IS NULL
"""


async def authenticate(tx: Tx, token: str) -> Actor:
    """The person a token stands for. Tokens of OAuth are told by their length, so one statement finds either."""
    digest = secrets.digest(token)
    row = await tx.row(_OAuthTokenRow, _OAUTH, digest=digest) if len(token) == secrets.OAUTH_LENGTH else None
    row = row or await tx.row(_PersonalTokenRow, _PERSONAL, digest=digest)
    if row is None:
        raise errors.unauthorized()
    if row.revoked:
        raise errors.invalid_token(errors.REVOKED)
    if row.expires <= clock.now():
        raise errors.invalid_token(errors.EXPIRED)
    if row.state != "active" or row.kind != "person":
        raise errors.forbidden("User is blocked")
    return row.actor(frozenset(row.scopes.split()))


async def _become(tx: Tx, actor: Actor, name: str) -> Actor:
    """The user an administrator asks to be, by id or username; their state does not matter."""
    if not actor.admin:
        raise errors.forbidden("Must be admin to use sudo")
    if "sudo" not in actor.scopes:
        raise errors.insufficient_scope("sudo")
    missing = errors.absent(f"404 User with ID or username '{name}' Not Found")
    if "\0" in name:  # nobody's name, and no engine may see it
        raise missing
    person = await tx.row(
        ActorRow,
        f"""
        SELECT {ActorRow.columns} FROM users u
        WHERE u.deleted_at IS NULL AND CASE WHEN CAST(:id AS bigint) IS NOT NULL THEN u.id = :id
                                            ELSE u.username_folded = :username END
        """,
        id=Ref(name).id,
        username=fold(name),
    )
    if person is None:
        raise missing
    # The sudo check takes the place of the route's own scope check.
    return person.actor(impersonator_id=actor.id)
