"""Tokens for LFS: issued over SSH, valid for one project and half an hour, encrypted and not stored."""

import base64
from datetime import timedelta
from typing import Literal

import msgspec

from mujina.accounts.users.rules import find_active_actor
from mujina.code.pushes.access import RepositoryRow, Service, find_repository, find_repository_by_deploy_key
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import ANONYMOUS, Actor
from mujina.kernel.secrets import UnreadableSecret
from mujina.kernel.services import Services

Operation = Literal["download", "upload"]

LIFETIME = timedelta(minutes=30)
PURPOSE = "lfs login"
SERVICES: dict[Operation, Service] = {"download": "upload-pack", "upload": "receive-pack"}


class LfsToken(msgspec.Struct, frozen=True):
    """The content of a token, which is encrypted."""

    user_id: int
    """0 for a deploy key."""
    deploy_key: str | None
    """Its fingerprint."""
    project_id: int
    operation: Operation
    until: str

    def allows(self, repository: RepositoryRow, operation: Operation) -> bool:
        return repository.id == self.project_id and operation in ("download", self.operation)


async def login_for(services: Services, actor: Actor, deploy_key: str | None, ref: Ref, operation: Operation) -> bytes:
    """The response to `git-lfs-authenticate`: the URL and the header."""
    async with services.database.reading() as tx:
        repository = await find_lfs_repository(tx, actor, deploy_key, ref, operation)
    password = encrypt(services, LfsToken(actor.id, deploy_key, repository.id, operation, clock.later(LIFETIME)))
    login = base64.b64encode(f"{actor.username}:{password}".encode()).decode()
    answer = {
        "header": {"Authorization": f"Basic {login}"},
        "href": f"{services.settings.url}/{repository.full_path}.git/info/lfs",
        "expires_in": int(LIFETIME.total_seconds()),
    }
    return msgspec.json.encode(answer)


async def find_lfs_repository(
    tx: Tx, actor: Actor, deploy_key: str | None, ref: Ref, operation: Operation
) -> RepositoryRow:
    """The repository, if the actor or the deploy key may download from it or upload to it."""
    if deploy_key is not None:
        return await find_repository_by_deploy_key(tx, deploy_key, ref, SERVICES[operation])
    return await find_repository(tx, actor, ref, SERVICES[operation])


def encrypt(services: Services, token: LfsToken) -> str:
    return services.vault.encrypt(msgspec.json.encode(token).decode(), PURPOSE)


async def find_bearer(tx: Tx, services: Services, password: str) -> tuple[Actor, LfsToken] | None:
    """The actor and the content of a token; None if it is not a valid token."""
    try:
        token = msgspec.json.decode(services.vault.decrypt(password, PURPOSE), type=LfsToken)
    except (UnreadableSecret, msgspec.DecodeError):
        return None
    if token.until < clock.now():
        return None
    if token.deploy_key is not None:
        return ANONYMOUS, token
    person = await find_active_actor(tx, token.user_id)
    return None if person is None else (person, token)
