"""Who sends a request of the API, by any of its credentials."""

from mujina.accounts.credentials import rules
from mujina.accounts.credentials.basic import JOB_USERNAME
from mujina.accounts.credentials.operations import revoke_replayed
from mujina.accounts.credentials.rules import (
    DEPLOY_PREFIX,
    authenticate,
    authenticate_deploy_token,
    find_job_actor,
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
            return await _authenticate_basic(tx, *credentials.basic, services.token_uses)
    if credentials.for_packages and credentials.oauth is not None and credentials.sudo is None:
        async with services.database.reading() as tx:
            return await _authenticate_bearer(tx, credentials.oauth, services.token_uses)
    return await rules.find_actor(services, credentials)


async def _authenticate_bearer(tx: Tx, token: str, uses: dict[int, str]) -> Actor:
    """Any token that npm sends: it has no username that says which kind it is."""
    if token.startswith(DEPLOY_PREFIX):
        return await authenticate_deploy_token(tx, token, None)
    return await find_job_actor(tx, token) or await authenticate(tx, token, uses=uses)


async def _authenticate_basic(tx: Tx, username: str, password: str, uses: dict[int, str]) -> Actor:
    """A token in the place of a password, as programs send it that install packages; passwords of people open nothing."""
    if password.startswith(DEPLOY_PREFIX):
        return await authenticate_deploy_token(tx, password, username)
    if username == JOB_USERNAME and (actor := await find_job_actor(tx, password)) is not None:
        return actor
    return await authenticate(tx, password, uses=uses)


def request_token(call: Call) -> str | None:
    """The token of the request, if it has one."""
    given = credentials_of(call.request, call.tree)
    return given.oauth or given.token
