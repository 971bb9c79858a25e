"""Requests of git, and what later chapters add to the way they are authorized and answered."""

from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import msgspec

from mujina.code.pushes.access import RepositoryRow, Service
from mujina.code.pushes.operations import PushProtocol
from mujina.git.exchange import Exchange
from mujina.kernel.http.params import Ref
from mujina.kernel.http.requests.log import GitOperation
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import ExtensionPoint
from mujina.kernel.services import Services


class GitRequest(msgspec.Struct, frozen=True):
    """An authorized request: service, repository and actor."""

    service: Service
    wiki: bool
    actor: Actor
    repository: RepositoryRow
    all_refs: bool = False
    """Whether it sees the refs that are hidden from users: only secondaries do."""
    protocol: PushProtocol = "http"
    deploy_key: str | None = None
    """The fingerprint of the deploy key that pushes, over SSH by way of a secondary."""


class GitAddress(msgspec.Struct, frozen=True):
    """What a request over HTTP asks for."""

    service: Service
    path: str | None
    """The path of the project; None if it is not UTF-8."""
    wiki: bool

    @property
    def ref(self) -> Ref:
        """The project. A URL never contains an id: a number, or a path that is not UTF-8, matches no project."""
        return Ref("" if self.path is None or self.path.isdigit() else self.path)


class GitCredential(msgspec.Struct, frozen=True):
    """A kind of credential that is no user's."""

    recognizes: Callable[[str], bool]
    """Whether a header `Authorization` has one."""
    authorize: Callable[[Services, Exchange, GitAddress], Awaitable[GitRequest]]
    """The authorized request; `AccessDenied` if the credential does not open the repository."""


GIT_CREDENTIALS: Final = ExtensionPoint[GitCredential]("credentials for git over HTTP that are no user's")


def find_credential(services: Services, exchange: Exchange) -> GitCredential | None:
    """The kind of credential that a request has; None if it has none, or that of a user."""
    header = exchange.header("authorization")
    return next((kind for kind in services.product.all(GIT_CREDENTIALS) if kind.recognizes(header)), None)


class GitCommand(msgspec.Struct, frozen=True):
    """A command over SSH by the owner of a key."""

    operation: GitOperation
    path: str
    wiki: bool
    fingerprint: str
    protocol: str


class Stdin(Protocol):
    async def read(self, n: int, /) -> bytes: ...

    async def readexactly(self, n: int, /) -> bytes: ...


Write = Callable[[bytes], Awaitable[None]]

COMMANDS_ELSEWHERE: Final = ExtensionPoint[Callable[[Services, GitCommand, Stdin, Write], Awaitable[int | None]]](
    "commands over SSH that another instance answers: the exit code, or None if it is to be answered here"
)
