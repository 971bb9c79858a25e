"""HTTP Basic authentication as git uses it: the password is a token or the user's own password."""

from collections.abc import Mapping

from mujina.accounts.credentials.rules import (
    DEPLOY_PREFIX,
    authenticate,
    authenticate_deploy_token,
    find_job_actor,
)
from mujina.accounts.ldap.rules import usable_directories
from mujina.accounts.sessions.logins import find_login, log_failure
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.errors import ApiError
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.scopes import FETCH, has_scope
from mujina.kernel.services import Services

ACCESS_DENIED = "HTTP Basic: Access denied\n"
TWO_FACTOR = f"{ACCESS_DENIED}Two-factor authentication is on: use a personal access token with the 'api' scope.\n"
NO_PASSWORDS = f"{ACCESS_DENIED}Use a personal access token with the 'api' scope in place of a password.\n"
BLOCKED = "Your account has been blocked."
OAUTH_USERNAME = "oauth2"
"""The user name with which git sends an OAuth token; a personal access token goes with any name."""
JOB_USERNAME = "gitlab-ci-token"
"""The user name with which git sends the token of a job; release tools send personal ones with it as well."""


class AuthenticationFailed(Exception):
    """The request carries a credential that is not valid."""

    def __init__(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.headers = dict(headers or {})


async def find_actor_by_password(services: Services, name: str, password: str, address: str) -> Actor:
    """The authenticated user, or `AuthenticationFailed`. With a personal access token the name does not matter."""
    try:
        async with services.database.reading() as tx:
            if name == JOB_USERNAME and (actor := await find_job_actor(tx, password)) is not None:
                return actor
            if password.startswith(DEPLOY_PREFIX):
                actor = await authenticate_deploy_token(tx, password, name)
            else:
                actor = await authenticate(tx, password, oauth=name == OAUTH_USERNAME, uses=services.token_uses)
    except ApiError as error:
        if error.status == 403:
            raise AuthenticationFailed(403, BLOCKED) from None
        if name == JOB_USERNAME or password.startswith(DEPLOY_PREFIX):
            raise AuthenticationFailed(401, ACCESS_DENIED) from None
        return await _sign_in(services, name, password, address)
    if not has_scope(actor, FETCH):
        raise AuthenticationFailed(401, ACCESS_DENIED)
    return actor


async def _sign_in(services: Services, name: str, password: str, address: str) -> Actor:
    """Signs in by username or e-mail address. The response time does not reveal whether the user exists."""
    async with services.database.reading() as tx:
        settings = await read_settings(tx)
    allowed = settings.password_authentication_enabled_for_git
    if not allowed and not usable_directories(services.settings):
        raise AuthenticationFailed(401, NO_PASSWORDS)
    try:
        login = await find_login(services, name, password, address)
    except ApiError as error:
        raise AuthenticationFailed(error.status, f"{error.sentences[0]}\n", error.headers) from None
    if not allowed and (login is None or login.local):
        raise AuthenticationFailed(401, NO_PASSWORDS)
    if login is not None and login.state != "active":
        log_failure(login, address, "blocked")
    if login is None or login.confirmed_at is None or login.state != "active":
        raise AuthenticationFailed(401, ACCESS_DENIED)
    if not login.password_suffices:
        raise AuthenticationFailed(401, TWO_FACTOR)
    return login.actor()
