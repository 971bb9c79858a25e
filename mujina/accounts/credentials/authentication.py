"""Who sends a request of the API, by any of its credentials."""

from mujina.accounts.credentials import rules
from mujina.accounts.credentials.basic import JOB_USERNAME
from mujina.accounts.credentials.rotation import revoke_replayed
from mujina.accounts.credentials.rules import (
    DEPLOY_PREFIX,
    authenticate,
    authenticate_deploy_token,
    authenticate_job,
)
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call, Credentials, credentials_of
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services


async def find_actor(services: Services, credentials: Credentials) -> Actor:
    """The user as whom a request acts; a token that is to replace itself once more ends those that replaced it."""
    token = credentials.oauth or credentials.token
    if credentials.rotates and token is not None:
        async with services.database.transaction() as tx:
            await revoke_replayed(tx, token)
    if token is None and credentials.deploy is not None:
        async with services.database.reading() as tx:
            return await authenticate_deploy_token(tx, credentials.deploy, None)
    if token is None and credentials.basic is not None:
        async with services.database.reading() as tx:
            return await _authenticate_basic(tx, *credentials.basic)
    return await rules.find_actor(services, credentials)


async def _authenticate_basic(tx: Tx, username: str, password: str) -> Actor:
    """A token in the place of a password, as programs send it that install packages; passwords of people open nothing."""
    if password.startswith(DEPLOY_PREFIX):
        return await authenticate_deploy_token(tx, password, username)
    if username == JOB_USERNAME:
        return await authenticate_job(tx, password)
    return await authenticate(tx, password)


def request_token(call: Call) -> str | None:
    """The token of the request, if it has one."""
    given = credentials_of(call.request, call.tree)
    return given.oauth or given.token
