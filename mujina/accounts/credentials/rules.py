"""Authenticating API requests: one statement, no write and no cache, so every process sees a change at once."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Annotated, Any, Final, LiteralString

from mujina.accounts.sessions.rules import find_session
from mujina.accounts.users.rules import ActorRow
from mujina.kernel import clock, errors, secrets
from mujina.kernel.clock import NEVER
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import SetupStep
from mujina.kernel.http.dispatcher import Credentials
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import ANONYMOUS, Actor
from mujina.kernel.permissions.scopes import SUDO, check_scope
from mujina.kernel.product import ExtensionPoint
from mujina.kernel.services import Services
from mujina.kernel.text.folding import fold

SETUP_STEP_ERRORS: dict[SetupStep, str] = {
    "password": "Your password expired. Sign in with a browser and change it",
    "second factor": "Two-factor authentication is required. Sign in with a browser and set it up",
}
"""Errors for a session whose user must first change the password or enable two-factor authentication."""


JOB_ACTORS: Final = ExtensionPoint[Callable[[Tx, str], Awaitable[Actor | None]]]("whose job has a token")
"""Each returns the user of the running job that has this token, who reads, and publishes packages in one project."""


USE_RESOLUTION: Final = timedelta(minutes=10)
"""How old the recorded time of the last use of a token may be."""
DEPLOY_PREFIX: Final = "gldt-"
"""What deploy tokens start with: no other credential is looked for among them."""
DEPLOY_ACTORS: Final = ExtensionPoint[Callable[[Tx, str, str | None], Awaitable[Actor | None]]](
    "who has a deploy token"
)
"""Each returns the user as whom a deploy token acts, with the username that came with it, if one did."""

PERSONAL: LiteralString = """NOT t.impersonation AND EXISTS (
    SELECT 1 FROM users u WHERE u.id = t.user_id AND u.kind = 'person' AND u.deleted_at IS NULL)"""
"""Whether the token `t` is one that its user sees as a personal access token."""


class StoredToken(Row, alias="t"):
    id: int
    user_id: int
    name: str
    description: str | None
    family_id: int | None
    scopes: str
    expires_on: str
    revoked: bool
    created_at: str
    updated_at: str
    last_used_at: str | None

    def shown_fields(self) -> dict[str, Any]:
        """The fields that differ from the columns, for personal and for impersonation tokens."""
        return {
            "scopes": self.scopes.split(),
            "active": not self.revoked and not is_expired(self.expires_on),
            "expires_at": None if self.expires_on == NEVER else self.expires_on,
        }


def is_expired(expires_on: str) -> bool:
    """Whether a token with this expiration date is invalid today."""
    return expires_on <= clock.today()


class _TokenRow(ActorRow):
    """A token and its user."""

    state: str
    kind: str
    scopes: Annotated[str, "t.scopes"]
    revoked: Annotated[bool, "t.revoked"]


class _PersonalTokenRow(_TokenRow):
    expires: Annotated[str, "t.expires_on"]
    """The first day on which the token is invalid: it compares with an instant."""
    token_id: Annotated[int, "t.id"]
    last_used_at: Annotated[str | None, "t.last_used_at"]


class _OAuthTokenRow(_TokenRow):
    expires: Annotated[str, "t.expires_at"]


async def find_actor(services: Services, credentials: Credentials) -> Actor:
    """The user as whom a request acts. An invalid token is refused, even where no token is needed."""
    token = credentials.oauth or credentials.token
    if token is None and credentials.job is not None:
        async with services.database.reading() as tx:
            return await authenticate_job(tx, credentials.job)
    if token is None:
        return await _find_session_actor(services, credentials)
    async with services.database.reading() as tx:
        return await find_token_actor(tx, token, credentials, services.token_uses)


async def find_token_actor(tx: Tx, token: str, credentials: Credentials, uses: dict[int, str]) -> Actor:
    """The user of this token, or the one as whom it asks to act."""
    actor = await authenticate(tx, token, uses=uses)
    _check_sudo(credentials)
    return actor if credentials.sudo is None else await _find_sudo_actor(tx, actor, credentials.sudo)


async def _find_session_actor(services: Services, credentials: Credentials) -> Actor:
    """The user of a browser session. A request that writes needs the CSRF token of our pages, or is anonymous."""
    session = None
    if credentials.session and (not credentials.writes or _csrf_token_matches(credentials.session, credentials.csrf)):
        async with services.database.reading() as tx:
            session = await find_session(tx, credentials.session)
    if session and session.pending_setup:
        raise errors.forbidden(SETUP_STEP_ERRORS[session.pending_setup])
    actor = session.actor if session else ANONYMOUS
    if credentials.sudo is None and not credentials.sudo_invalid:
        return actor
    if actor.anonymous:
        raise errors.unauthorized()
    _check_sudo(credentials)
    if not actor.admin:
        raise errors.forbidden("Must be admin to use sudo")
    raise errors.forbidden("Must be authenticated using an OAuth or Personal Access Token to use sudo")


def _check_sudo(credentials: Credentials) -> None:
    """400 for a `sudo` that names no user. Without it the request would act with the administrator's own rights."""
    if credentials.sudo_invalid:
        raise errors.unacceptable("sudo is invalid")


def _csrf_token_matches(cookie: str, token: str | None) -> bool:
    return token is not None and secrets.is_form_token(cookie, token)


_PERSONAL: LiteralString = f"""
    SELECT {_PersonalTokenRow.columns} FROM access_tokens t JOIN users u ON u.id = t.user_id
    WHERE t.digest = :digest AND u.deleted_at IS NULL
"""
_OAUTH: LiteralString = f"""
    SELECT {_OAuthTokenRow.columns} FROM oauth_tokens t JOIN users u ON u.id = t.user_id
    WHERE t.digest = :digest AND u.deleted_at IS NULL
"""


async def authenticate(tx: Tx, token: str, *, oauth: bool = True, uses: dict[int, str] | None = None) -> Actor:
    """The user of a token. The length tells OAuth tokens from personal ones, so one statement is enough.

    Without `oauth`, OAuth tokens are not accepted. `uses` gets the time, unless it is known that the token was just used.
    """
    digest = secrets.digest(token)
    oauth = oauth and len(token) == secrets.OAUTH_LENGTH
    row = await tx.row(_OAuthTokenRow, _OAUTH, digest=digest) if oauth else None
    row = row or await tx.row(_PersonalTokenRow, _PERSONAL, digest=digest)
    if row is None:
        raise errors.unauthorized()
    if row.revoked:
        raise errors.invalid_token(errors.REVOKED)
    if row.expires != clock.NEVER and row.expires <= clock.now():
        raise errors.invalid_token(errors.EXPIRED)
    if row.state != "active" or row.kind == "ghost":
        raise errors.forbidden("User is blocked")
    if uses is not None and isinstance(row, _PersonalTokenRow) and _is_old(row.last_used_at):
        uses[row.token_id] = clock.now()
    return row.actor(frozenset(row.scopes.split()))


def _is_old(last_used_at: str | None) -> bool:
    return last_used_at is None or last_used_at < clock.later(-USE_RESOLUTION)


async def find_job_actor(tx: Tx, token: str) -> Actor | None:
    """The user of the running job that has this token; None for any other token."""
    for find in tx.product.all(JOB_ACTORS):
        if (actor := await find(tx, token)) is not None:
            return actor
    return None


async def authenticate_job(tx: Tx, token: str) -> Actor:
    """The user of the running job that has this token; 401 for any other token."""
    if (actor := await find_job_actor(tx, token)) is None:
        raise errors.unauthorized()
    return actor


async def authenticate_deploy_token(tx: Tx, token: str, username: str | None) -> Actor:
    """The user as whom a deploy token acts; 401 for any other token."""
    for find_deploy_actor in tx.product.all(DEPLOY_ACTORS):
        if (actor := await find_deploy_actor(tx, token, username)) is not None:
            return actor
    raise errors.unauthorized()


async def _find_sudo_actor(tx: Tx, actor: Actor, name: str) -> Actor:
    """The user as whom an administrator asks to act, by id or username. A blocked user is accepted."""
    if not actor.admin:
        raise errors.forbidden("Must be admin to use sudo")
    check_scope(actor, SUDO)
    missing = errors.not_found_with(f"404 User with ID or username '{name}' Not Found")
    if "\0" in name:  # no username contains it, and no database accepts it
        raise missing
    user = await tx.row(
        ActorRow,
        f"""
        SELECT {ActorRow.columns} FROM users u
        WHERE u.deleted_at IS NULL AND CASE WHEN CAST(:id AS bigint) IS NOT NULL THEN u.id = :id
                                            ELSE u.username_folded = :username END
        """,
        id=Ref(name).id,
        username=fold(name),
    )
    if user is None:
        raise missing
    # The sudo check takes the place of the route's own scope check.
    return user.actor(impersonator_id=actor.id)
