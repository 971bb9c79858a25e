"""Requests of git that nodes send to the primary: a secondary copies a repository, or forwards a command over SSH."""

from mujina.accounts.credentials.basic import BLOCKED
from mujina.accounts.keys.rules import find_key
from mujina.code.pushes.access import AccessDenied, check_protocol, find_repository, find_repository_by_deploy_key
from mujina.code.pushes.checks.missing_projects import find_or_create_repository
from mujina.git.exchange import Exchange
from mujina.git.requests import GitAddress, GitRequest
from mujina.kernel.errors import ApiError
from mujina.kernel.permissions.actor import ANONYMOUS, SYSTEM
from mujina.kernel.services import Services
from mujina.replication.git.operations import command_data
from mujina.replication.nodes import tokens
from mujina.replication.nodes.operations import find_node_of
from mujina.replication.nodes.tokens import Data, InvalidToken


def is_signed_by_node(authorization: str) -> bool:
    """Whether the header has the credential of a node."""
    return tokens.split(authorization) is not None


async def authorize_node(services: Services, exchange: Exchange, address: GitAddress) -> GitRequest:
    """A secondary fetches the repository that its credential names, or forwards a command of the owner of a key."""
    try:
        _, data = await find_node_of(services, exchange.header("authorization"))
    except InvalidToken as error:
        raise AccessDenied(401, f"Geo JWT authentication failed: {error}\n") from None
    service, wiki = address.service, address.wiki
    if service != "upload-pack" or "fetch" in data:
        return await _authorize_forwarded(services, exchange, address, data)
    async with services.database.reading() as tx:
        repository = await find_repository(tx, SYSTEM, address.ref, service, wiki=wiki)
    if data != {"project_id": repository.id, "wiki": wiki}:
        raise AccessDenied(401, "Geo JWT authentication failed: the token is for another repository\n")
    return GitRequest(service, wiki, SYSTEM, repository, all_refs=True)


async def _authorize_forwarded(services: Services, exchange: Exchange, address: GitAddress, data: Data) -> GitRequest:
    """A command over SSH that a secondary forwards: the owner of the key is authorized here, as if they had come here."""
    service, wiki, fingerprint = address.service, address.wiki, data.get("fingerprint")
    if not isinstance(fingerprint, str) or data != command_data(service, fingerprint, address.path or "", wiki=wiki):
        raise AccessDenied(401, "Geo JWT authentication failed: the token is not for this command\n")
    async with services.database.reading() as tx:
        await check_protocol(tx, "ssh")
        try:
            actor = await find_key(tx, fingerprint)
        except ApiError:
            raise AccessDenied(403, BLOCKED) from None
        if actor is None:
            repository = await find_repository_by_deploy_key(tx, fingerprint, address.ref, service, wiki=wiki)
            return GitRequest(service, wiki, ANONYMOUS, repository, deploy_key=fingerprint, protocol="ssh")
    exchange.record.acts(actor)
    repository = await find_or_create_repository(services, actor, address.ref, service, wiki=wiki, protocol="ssh")
    return GitRequest(service, wiki, actor, repository, protocol="ssh")
