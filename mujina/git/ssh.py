"""Git over SSH: people by their keys, four commands, and nothing else of what SSH can do."""

import asyncio
import re
import shlex
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from mujina.accounts.users import activity
from mujina.adapters.git import CHUNK
from mujina.code.deploy_keys.rules import find_opened
from mujina.git import packs, recovery_codes
from mujina.git.access import (
    NOT_FOUND,
    UNAVAILABLE,
    Denied,
    RepositoryRow,
    Service,
    check_protocol,
    find_deployed,
    storage_of,
)
from mujina.git.first_push import find_or_make
from mujina.git.lfs_login import login_for
from mujina.git.receive import Push
from mujina.git.turns import BUSY, Busy, Turns
from mujina.kernel import deferred_imports, urls
from mujina.kernel.actor import ANONYMOUS, Actor
from mujina.kernel.db.errors import TemporaryFailure
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.logs import log
from mujina.kernel.params import Ref
from mujina.kernel.secrets import publish
from mujina.kernel.services import Services

if TYPE_CHECKING:
    from asyncssh import SSHKey, SSHServerProcess

FindKey = Callable[[Tx, str], Awaitable[Actor | None]]
"""The person whose key has this SHA-256 print; None if nobody's has."""

USER: Final = "git"
SILENCE_SECONDS: Final = 60
"""After so long a silence the client is asked whether it is still there; three times unanswered, it is not."""

MOST_STRANGERS: Final = 100
SHOWN: Final = "shown key"
"""Under which a connection remembers the print of the key by which it came in."""
STOPPING = "The server is about to stop. Please try again in a moment."
NO_LONGER = "Your key is no longer accepted here."
UNKNOWN = "This command is not known here: only git is spoken."
_SERVICES: dict[str, Service] = {
    "git-upload-pack": "upload-pack",
    "git-upload-archive": "upload-pack",
    "git-receive-pack": "receive-pack",
}
_PATH = re.compile(r"/?(?P<path>.+?)(?P<wiki>\.wiki)?(\.git)?/?")
_PROTOCOL = re.compile(r"[a-z0-9=:._-]{1,256}")


class Visitor(msgspec.Struct, frozen=True):
    """Who came in: a person, or a deploy key, which is nobody."""

    deploy_key: str | None = None
    """Its print."""
    actor: Actor = ANONYMOUS

    @property
    def called(self) -> str:
        return "Anonymous" if self.actor.anonymous else f"@{self.actor.username}"


class SshServer:
    """Answers on a socket that listens already. After `stop()`, `run()` returns when running commands have ended."""

    def __init__(self, services: Services, listener: socket.socket, find_key: FindKey) -> None:
        self._services = services
        self._listener = listener
        self._find_key = find_key
        self._strangers = Strangers()
        self._clones, self._pushes = (Turns(services.settings.workers) for _ in range(2))
        self._stopped = asyncio.Event()
        self._running: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        asyncssh = await asyncio.to_thread(deferred_imports.asyncssh)
        door = await asyncssh.listen(
            sock=self._listener,
            server_factory=lambda: _guard(self._services, self._find_key, self._strangers),
            server_host_keys=[host_key(self._services.settings.data)],
            process_factory=self._serve,
            encoding=None,
            login_timeout=self._services.settings.header_seconds,
            keepalive_interval=SILENCE_SECONDS,
            password_auth=False,
            kbdint_auth=False,
            gss_host=None,
            allow_pty=False,
            line_editor=False,
            agent_forwarding=False,
            x11_forwarding=False,
            allow_scp=False,
            config=[],
        )
        await self._stopped.wait()
        door.close()
        if self._running:
            await asyncio.wait(self._running)

    def stop(self) -> None:
        self._stopped.set()

    async def _serve(self, process: "SSHServerProcess[bytes]") -> None:
        """One command of one person."""
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            code = await self._obey(process, await self._recognise(process.get_extra_info(SHOWN, "")))
        except Denied as refusal:
            process.stderr.write(f"{refusal.text}\n".encode())
            code = 1
        except (OSError, deferred_imports.asyncssh().Error):  # they went away
            code = 1
        except TemporaryFailure:
            process.stderr.write(f"{UNAVAILABLE}\n".encode())
            code = 1
        except Exception:  # noqa: BLE001 - whatever happens, the client is told something
            log.exception("git over SSH failed")
            process.stderr.write(b"Something went wrong on our side.\n")
            code = 1
        process.exit(code)

    async def _recognise(self, shown: str) -> Visitor:
        """Whoever's key this is now: a connection is kept for hours, and a key taken away opens nothing meanwhile."""
        if self._stopped.is_set():
            raise Denied(503, STOPPING)
        visitor = await recognised(self._services, self._find_key, shown)
        if visitor is None:
            raise Denied(403, NO_LONGER)
        return visitor

    async def _obey(self, process: "SSHServerProcess[bytes]", visitor: Visitor) -> int:
        if process.subsystem is not None:
            raise Denied(403, UNKNOWN)
        if process.command is None:
            process.stdout.write(f"Welcome to Mujina, {visitor.called}!\n".encode())
            return 0
        match _words(process.command):
            case [("git-upload-pack" | "git-receive-pack" | "git-upload-archive") as name, path]:
                return await self._speak_git(process, visitor, name, path)
            case ["git-lfs-authenticate", path, ("download" | "upload") as operation]:
                ref, _ = _named(path)
                login = await login_for(self._services, visitor.actor, visitor.deploy_key, ref, operation)
                process.stdout.write(login)
                return 0
            case ["2fa_recovery_codes"] if not visitor.actor.anonymous:
                return await recovery_codes.renew(self._services, visitor.actor, process)
            case _:
                raise Denied(403, UNKNOWN)

    async def _speak_git(self, process: "SSHServerProcess[bytes]", visitor: Visitor, name: str, path: str) -> int:
        service, (ref, wiki) = _SERVICES[name], _named(path)
        repository = await self._find(visitor, ref, service, wiki=wiki)
        await activity.record_activity(self._services.database, visitor.actor, repository.seen_on)
        protocol = process.env.get("GIT_PROTOCOL", "")
        protocol = protocol if _PROTOCOL.fullmatch(protocol) else ""

        async def write(piece: bytes) -> None:
            process.stdout.write(piece)
            await process.stdout.drain()

        try:
            if service == "receive-pack":
                urls.instance_address.set(
                    urls.InstanceAddress(self._services.settings.url, self._services.settings.ssh_port)
                )
                push = Push(
                    self._services, visitor.actor, repository, wiki=wiki, protocol="ssh", deploy_key=visitor.deploy_key
                )
                async with self._pushes.one(visitor.actor, repository.id):
                    return await packs.receive(push, protocol, _said(process), write, stateless=False)
            place = await storage_of(self._services, repository).repository(repository.id, wiki=wiki)
            async with self._clones.one(visitor.actor, repository.id):
                if name == "git-upload-archive":
                    return await packs.archive(place, _said(process), write)
                return await packs.upload(place, protocol, _said(process), write, None)
        except Busy:
            raise Denied(503, BUSY) from None

    async def _find(self, visitor: Visitor, ref: Ref, service: Service, *, wiki: bool) -> RepositoryRow:
        async with self._services.database.reading() as tx:
            await check_protocol(tx, "ssh")
            if visitor.deploy_key is not None:
                return await find_deployed(tx, visitor.deploy_key, ref, service, wiki=wiki)
        return await find_or_make(self._services, visitor.actor, ref, service, wiki=wiki, protocol="ssh")


def host_key(data: Path) -> str:
    """The file of the key by which clients know this server again; made at the first start, for its owner only."""
    path = data / "secrets" / "ssh_host_ed25519_key"
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        publish(path, deferred_imports.asyncssh().generate_private_key("ssh-ed25519").export_private_key().decode())
    return str(path)


class Strangers:
    """Connections that have not signed in: if they are too many, the one that has taken longest makes room.

    Each is an open file, and whoever opens thousands would leave none for anybody else.
    """

    def __init__(self) -> None:
        self._waiting: dict[Any, None] = {}

    def come(self, connection: Any) -> None:
        self._waiting[connection] = None
        if len(self._waiting) > MOST_STRANGERS:
            longest = next(iter(self._waiting))
            self.leave(longest)
            longest.abort()

    def leave(self, connection: Any) -> None:
        """It has signed in, or has gone."""
        self._waiting.pop(connection, None)


def _guard(services: Services, find_key: FindKey, strangers: Strangers) -> Any:
    """What decides who comes in; its class is made here because the library is only there once somebody listens."""

    class Guard(deferred_imports.asyncssh().SSHServer):
        def connection_made(self, conn: Any) -> None:
            self._connection = conn
            strangers.come(conn)

        def auth_completed(self) -> None:
            strangers.leave(self._connection)

        def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - why does not matter
            strangers.leave(self._connection)

        def public_key_auth_supported(self) -> bool:
            return True

        async def validate_public_key(self, username: str, key: "SSHKey") -> bool:
            # Asked for each key that is offered: the last one is remembered, and must be good.
            self._connection.set_extra_info(**{SHOWN: ""})
            shown = key.get_fingerprint("sha256")
            try:
                known = username == USER and await recognised(services, find_key, shown) is not None
            except TemporaryFailure:
                library = deferred_imports.asyncssh()
                raise library.DisconnectError(library.DISC_SERVICE_NOT_AVAILABLE, UNAVAILABLE) from None
            if not known:
                return False
            self._connection.set_extra_info(**{SHOWN: shown})
            return True

    return Guard()


async def recognised(services: Services, find_key: FindKey, shown: str) -> Visitor | None:
    """Whoever has the key of this print at this moment; None if it opens nothing, or its owner is blocked."""
    try:
        async with services.database.reading() as tx:
            if (actor := await find_key(tx, shown)) is not None:
                return Visitor(actor=actor)
            return Visitor(shown) if await find_opened(tx, shown) else None
    except ApiError:  # blocked
        return None


async def _said(process: "SSHServerProcess[bytes]") -> AsyncGenerator[bytes]:
    while piece := await process.stdin.read(CHUNK):
        yield piece


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _named(path: str) -> tuple[Ref, bool]:
    """The project an address means, and whether its wiki is meant; an id is no address."""
    found = _PATH.fullmatch(path)
    if found is None or found["path"].isdigit() or "\0" in path:
        raise Denied(404, NOT_FOUND)
    return Ref(found["path"]), found["wiki"] is not None
