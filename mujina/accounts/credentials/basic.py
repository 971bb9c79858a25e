"""Who is behind a name and a password as git sends them: a token in place of the password, or the password itself."""

from mujina.accounts.credentials.rules import believe
from mujina.accounts.sessions.logins import find_login
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.actor import Actor
from mujina.kernel.errors import ApiError
from mujina.kernel.services import Services

NOT_BELIEVED = "HTTP Basic: Access denied\n"
TWO_FACTOR = f"{NOT_BELIEVED}Two-factor authentication is on: use a personal access token with the 'api' scope.\n"
NO_PASSWORDS = f"{NOT_BELIEVED}Use a personal access token with the 'api' scope in place of a password.\n"
BLOCKED = "Your account has been blocked."
OF_GIT = frozenset({"api", "read_repository"})
"""The scopes with which a token may speak git at all."""


class NotBelieved(Exception):
    """A credential that was shown and is not good."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


async def find_actor_by_password(services: Services, name: str, password: str, address: str) -> Actor:
    """The person, or `NotBelieved`. With a token as password the name does not matter."""
    try:
        async with services.database.reading() as tx:
            actor = await believe(tx, password)
    except ApiError as refusal:
        if refusal.status == 403:
            raise NotBelieved(403, BLOCKED) from None
        return await _sign_in(services, name, password, address)
    if actor.scopes.isdisjoint(OF_GIT):
        raise NotBelieved(401, NOT_BELIEVED)
    return actor


async def _sign_in(services: Services, name: str, password: str, address: str) -> Actor:
    """By username or e-mail; time does not tell whether there is such a person."""
    async with services.database.reading() as tx:
        settings = await read_settings(tx)
    if not settings.password_authentication_enabled_for_git:
        raise NotBelieved(401, NO_PASSWORDS)
    login = await find_login(services, name, password, address)
    if login is None or login.confirmed_at is None:
        raise NotBelieved(401, NOT_BELIEVED)
    if login.state != "active":
        raise NotBelieved(403, BLOCKED)
    if not login.password_is_enough:
        raise NotBelieved(401, TWO_FACTOR)
    return login.actor()
