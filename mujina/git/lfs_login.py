"""A credential for large files alone: given over SSH, good for one project and half an hour, kept nowhere."""

import base64
from datetime import timedelta
from typing import Literal

import msgspec

from mujina.accounts.users.rules import ActorRow
from mujina.git.access import RepositoryRow, Service, find_deployed, find_repository
from mujina.kernel import clock
from mujina.kernel.actor import ANONYMOUS, Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import Ref
from mujina.kernel.secrets import Unreadable
from mujina.kernel.services import Services

Operation = Literal["download", "upload"]

GOOD_FOR = timedelta(minutes=30)
PURPOSE = "lfs login"
SERVICES: dict[Operation, Service] = {"download": "upload-pack", "upload": "receive-pack"}


class Pass(msgspec.Struct, frozen=True):
    """What the credential says, sealed."""

    user_id: int
    """0: nobody's, but a deploy key's."""
    deploy_key: str | None
    """Its print."""
    project_id: int
    operation: Operation
    until: str

    def opens(self, repository: RepositoryRow, operation: Operation) -> bool:
        return repository.id == self.project_id and operation in ("download", self.operation)


async def login_for(services: Services, actor: Actor, deploy_key: str | None, ref: Ref, operation: Operation) -> bytes:
    """What `git-lfs-authenticate` answers: where to go, and with which header."""
    async with services.database.reading() as tx:
        repository = await find_for(tx, actor, deploy_key, ref, operation)
    sealed = seal(services, Pass(actor.id, deploy_key, repository.id, operation, clock.later(GOOD_FOR)))
    login = base64.b64encode(f"{actor.username}:{sealed}".encode()).decode()
    answer = {
        "header": {"Authorization": f"Basic {login}"},
        "href": f"{services.settings.url}/{repository.full_path}.git/info/lfs",
        "expires_in": int(GOOD_FOR.total_seconds()),
    }
    return msgspec.json.encode(answer)


async def find_for(tx: Tx, actor: Actor, deploy_key: str | None, ref: Ref, operation: Operation) -> RepositoryRow:
    """The project whose large files are meant, if the actor, or the deploy key, may do this with them."""
    if deploy_key is not None:
        return await find_deployed(tx, deploy_key, ref, SERVICES[operation])
    return await find_repository(tx, actor, ref, SERVICES[operation])


def seal(services: Services, said: Pass) -> str:
    return services.vault.encrypt(msgspec.json.encode(said).decode(), PURPOSE)


async def bearer(tx: Tx, services: Services, password: str) -> tuple[Actor, Pass] | None:
    """Who is behind such a credential and what it is good for; None if it is no such credential, or no longer."""
    try:
        said = msgspec.json.decode(services.vault.decrypt(password, PURPOSE), type=Pass)
    except (Unreadable, msgspec.DecodeError):
        return None
    if said.until < clock.now():
        return None
    if said.deploy_key is not None:
        return ANONYMOUS, said
    person = await tx.row(
        ActorRow,
        f"SELECT {ActorRow.columns} FROM users u WHERE u.id = :id AND u.state = 'active' AND u.deleted_at IS NULL",
        id=said.user_id,
    )
    return None if person is None else (person.actor(), said)
