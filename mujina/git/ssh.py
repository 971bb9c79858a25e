"""Git over SSH: users authenticate by their keys; only a few commands are supported."""

import asyncio
import re
import shlex
import socket
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from mujina.accounts.users.profile import activity
from mujina.adapters.git.git import CHUNK
from mujina.code.deploy_keys.rules import find_deploy_key_projects
from mujina.code.pushes.access import (
    NOT_FOUND,
    UNAVAILABLE,
    AccessDenied,
    RepositoryRow,
    Service,
    check_protocol,
    find_repository_by_deploy_key,
)
from mujina.code.pushes.checks.missing_projects import find_or_create_repository
from mujina.code.pushes.operations import Push
from mujina.code.pushes.repo_paths import repo_path_to_read
from mujina.git import packs, recovery_codes
from mujina.git.concurrency import BUSY, ConcurrencyLimit, TooManyRequests
from mujina.git.lfs.login import login_for
from mujina.git.requests import COMMANDS_ELSEWHERE, GitCommand
from mujina.kernel import deferred_imports, urls
from mujina.kernel.db.errors import TemporaryFailure
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.http.params import Ref
from mujina.kernel.http.requests.log import GitOperation, Outcome, RequestRecord, current_address, log_access, new_id
from mujina.kernel.limits.requests import RequestLimits
from mujina.kernel.monitoring.logs import bind, log
from mujina.kernel.monitoring.metrics import count_git
from mujina.kernel.permissions.actor import ANONYMOUS, Actor
from mujina.kernel.secrets import ssh_host_key
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import storage_problem

if TYPE_CHECKING:
    from asyncssh import SSHAcceptor, SSHKey, SSHServerProcess

FindKey = Callable[[Tx, str], Awaitable[Actor | None]]
"""The user whose key has this SHA-256 fingerprint; None if there is none."""

USER: Final = "git"
KEEPALIVE_SECONDS: Final = 60
"""The interval of keepalive requests; after three without an answer the connection is closed."""

MAX_PENDING: Final = 100
FINGERPRINT_KEY: Final = "fingerprint"
"""The name under which a connection stores the fingerprint of its key."""
STOPPING = "The server is about to stop. Please try again in a moment."
KEY_REVOKED = "Your key is no longer accepted here."
UNSUPPORTED = "Unsupported command."
_SERVICES: dict[str, Service] = {
    "git-upload-pack": "upload-pack",
    "git-upload-archive": "upload-pack",
    "git-receive-pack": "receive-pack",
}
_OPERATIONS: dict[str, GitOperation] = {
    "git-upload-pack": "fetch",
    "git-upload-archive": "archive",
    "git-receive-pack": "push",
}
_PATH = re.compile(r"/?(?P<path>.+?)(?P<wiki>\.wiki)?(\.git)?/?")
_PROTOCOL = re.compile(r"[a-z0-9=:._-]{1,256}")


class SshClient(msgspec.Struct, frozen=True):
    """An authenticated client: a user, or a deploy key, which acts for no user."""

    deploy_key: str | None = None
    """Its fingerprint."""
    actor: Actor = ANONYMOUS

    @property
    def display_name(self) -> str:
        return "Anonymous" if self.actor.anonymous else f"@{self.actor.username}"


class SshServer:
    """Serves a listening socket. After `stop()`, `run()` returns when the running commands have ended."""

    def __init__(
        self, services: Services, listener: socket.socket, find_key: FindKey, max_connections: int = 1_000
    ) -> None:
        self._services = services
        self._listener = listener
        self._find_key = find_key
        self._connections = SshConnections(max_connections)
        self._limits = RequestLimits(services)
        self._limited = self._limits.of_git()
        self._clones, self._pushes = (ConcurrencyLimit(services.settings.workers) for _ in range(2))
        self._stopped = asyncio.Event()
        self._woken = asyncio.Event()
        """A client has come, or the server is to stop."""
        self._running: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        if not await self._is_needed():
            self._listener.close()
            return
        asyncssh = await asyncio.to_thread(deferred_imports.asyncssh)
        try:
            server = await self._listen(asyncssh)
        except (asyncssh.KeyImportError, OSError):
            # HTTP is served on: the start has checked what it could of the key.
            log.exception("git over SSH is not served: the host key cannot be used")
            self._listener.close()
            await self._stopped.wait()
            return
        await self._stopped.wait()
        server.close()
        if self._running:
            await asyncio.wait(self._running)

    async def _listen(self, asyncssh: Any) -> "SSHAcceptor":
        return await asyncssh.listen(
            sock=self._listener,
            server_factory=lambda: _authenticator(self._services, self._find_key, self._connections),
            server_host_keys=[str(ssh_host_key(self._services.settings.data))],
            process_factory=self._serve,
            encoding=None,
            login_timeout=self._services.settings.header_seconds,
            keepalive_interval=KEEPALIVE_SECONDS,
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

    def stop(self) -> None:
        self._stopped.set()
        self._woken.set()

    async def _is_needed(self) -> bool:
        """Wait for the first client, whose connection the kernel keeps meanwhile; False: `stop` came first."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._listener, self._woken.set)
        try:
            await self._woken.wait()
        finally:
            loop.remove_reader(self._listener)
        return not self._stopped.is_set()

    async def _serve(self, process: "SSHServerProcess[bytes]") -> None:
        """One command."""
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        code = 1
        record = RequestRecord("SSH", "", _address(process), new_id(), bytes=0)
        bind(request_id=record.request_id)
        current_address.set(record.address or None)
        started = time.perf_counter()
        try:
            client = await self._authenticate(process.get_extra_info(FINGERPRINT_KEY, ""))
            record.acts(client.actor)
            record.key = client.deploy_key
            await self._limits.count(self._limited, client.actor, deploy_key=client.deploy_key)
            code = await self._run(process, client, record)
        except AccessDenied as error:
            process.stderr.write(f"{error.text}\n".encode())
            record.outcome = "busy" if error.status == 503 else "rejected"
            code = 1
        except Exception as error:  # noqa: BLE001 - the client gets a response in any case
            record.outcome = _report(process, error)
            code = 1
        except asyncio.CancelledError:
            process.exit(1)  # otherwise the client would wait
            raise
        finally:
            self._log(record, code, time.perf_counter() - started)
        process.exit(code)

    def _log(self, record: RequestRecord, code: int, seconds: float) -> None:
        record.status = code
        record.outcome = record.outcome or ("ok" if code == 0 else "failed")
        if record.operation:
            count_git(record.operation, "ssh", record.outcome, seconds)
        if self._services.settings.access_log:
            log_access("ssh command", record, seconds)

    async def _authenticate(self, fingerprint: str) -> SshClient:
        """The owner of the key now: a connection may last for hours, and a removed key must not work meanwhile."""
        if self._stopped.is_set():
            raise AccessDenied(503, STOPPING)
        client = await find_client(self._services, self._find_key, fingerprint)
        if client is None:
            raise AccessDenied(403, KEY_REVOKED)
        return client

    async def _run(self, process: "SSHServerProcess[bytes]", client: SshClient, record: RequestRecord) -> int:
        if process.subsystem is not None:
            raise AccessDenied(403, UNSUPPORTED)
        if process.command is None:
            process.stdout.write(f"Welcome to Mujina, {client.display_name}!\n".encode())
            return 0
        match _words(process.command):
            case [("git-upload-pack" | "git-receive-pack" | "git-upload-archive") as name, path]:
                record.route, record.path, record.operation = name, path, _OPERATIONS[name]
                return await self._serve_git(process, client, record)
            case ["git-lfs-authenticate", path, ("download" | "upload") as operation]:
                record.route, record.path, record.operation = "git-lfs-authenticate", path, "lfs"
                ref, _ = _parse_path(path)
                login = await login_for(self._services, client.actor, client.deploy_key, ref, operation)
                process.stdout.write(login)
                return 0
            case ["2fa_recovery_codes"] if not client.actor.anonymous:
                record.route = "2fa_recovery_codes"
                return await recovery_codes.renew(self._services, client.actor, process)
            case _:
                raise AccessDenied(403, UNSUPPORTED)

    async def _serve_git(self, process: "SSHServerProcess[bytes]", client: SshClient, record: RequestRecord) -> int:
        service, (ref, wiki) = _SERVICES[record.route], _parse_path(record.path)
        protocol = process.env.get("GIT_PROTOCOL", "")
        protocol = protocol if _PROTOCOL.fullmatch(protocol) else ""
        write = _writer(process, record)
        fingerprint = process.get_extra_info(FINGERPRINT_KEY, "")
        command = GitCommand(_OPERATIONS[record.route], ref.text, wiki, fingerprint, protocol)
        for answer in self._services.product.all(COMMANDS_ELSEWHERE):
            if (code := await answer(self._services, command, process.stdin, write)) is not None:
                return code
        repository = await self._find(client, ref, service, wiki=wiki)
        await activity.record_activity(self._services.database, client.actor, repository.seen_on)
        try:
            if service == "receive-pack":
                urls.use_configured(self._services.settings)
                push = Push(
                    self._services, client.actor, repository, wiki=wiki, protocol="ssh", deploy_key=client.deploy_key
                )
                async with self._pushes.slot(client.actor, repository.id):
                    code = await packs.receive(push, protocol, _stdin(process, record), write, stateless=False)
                record.outcome = "ok" if push.approved else "rejected"
                return code
            repo_path = await repo_path_to_read(self._services, repository.storage, repository.id, wiki=wiki)
            async with self._clones.slot(client.actor, repository.id):
                if record.operation == "archive":
                    return await packs.archive(repo_path, _stdin(process, record), write)
                return await packs.upload(repo_path, protocol, _stdin(process, record), write, None)
        except TooManyRequests:
            raise AccessDenied(503, BUSY) from None

    async def _find(self, client: SshClient, ref: Ref, service: Service, *, wiki: bool) -> RepositoryRow:
        async with self._services.database.reading() as tx:
            await check_protocol(tx, "ssh")
            if client.deploy_key is not None:
                return await find_repository_by_deploy_key(tx, client.deploy_key, ref, service, wiki=wiki)
        return await find_or_create_repository(self._services, client.actor, ref, service, wiki=wiki, protocol="ssh")


class SshConnections:
    """The open connections. Each takes a file descriptor: thousands of them would exhaust those of the process.

    If too many have not authenticated, the oldest of those is closed. If there are too many in all, the newest is.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open = set[Any]()
        self._pending: dict[Any, None] = {}
        """Those that have not authenticated."""

    def add(self, connection: Any) -> None:
        if len(self._open) >= self._limit:
            connection.abort()
            return
        self._open.add(connection)
        self._pending[connection] = None
        if len(self._pending) > min(MAX_PENDING, max(1, self._limit // 2)):
            oldest = next(iter(self._pending))
            self.remove(oldest)
            oldest.abort()

    def set_authenticated(self, connection: Any) -> None:
        self._pending.pop(connection, None)

    def remove(self, connection: Any) -> None:
        """It is closed."""
        self._pending.pop(connection, None)
        self._open.discard(connection)


def _authenticator(services: Services, find_key: FindKey, connections: SshConnections) -> Any:
    """Authenticates a connection. The class is defined here because the library is imported when the server starts."""

    class Authenticator(deferred_imports.asyncssh().SSHServer):
        def connection_made(self, conn: Any) -> None:
            self._connection = conn
            self._key_offered = False
            self._peer = _address(conn)  # unknown once the connection is closed
            connections.add(conn)

        def auth_completed(self) -> None:
            self._key_offered = False
            connections.set_authenticated(self._connection)

        def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the reason does not matter
            connections.remove(self._connection)
            if self._key_offered:
                log.warning("sign-in failed", method="ssh", address=self._peer)

        def public_key_auth_supported(self) -> bool:
            return True

        async def validate_public_key(self, username: str, key: "SSHKey") -> bool:
            self._key_offered = True
            # Called for each key that the client offers: the last accepted one counts.
            self._connection.set_extra_info(**{FINGERPRINT_KEY: ""})
            fingerprint = key.get_fingerprint("sha256")
            try:
                known = username == USER and await find_client(services, find_key, fingerprint) is not None
            except TemporaryFailure:
                raise deferred_imports.asyncssh().ServiceNotAvailable(UNAVAILABLE) from None
            if not known:
                return False
            self._connection.set_extra_info(**{FINGERPRINT_KEY: fingerprint})
            return True

    return Authenticator()


async def find_client(services: Services, find_key: FindKey, fingerprint: str) -> SshClient | None:
    """The client with the key of this fingerprint; None if the key is unknown or its owner is blocked."""
    try:
        async with services.database.reading() as tx:
            if (actor := await find_key(tx, fingerprint)) is not None:
                return SshClient(actor=actor)
            return SshClient(fingerprint) if await find_deploy_key_projects(tx, fingerprint) else None
    except ApiError:  # blocked
        return None


def _report(process: "SSHServerProcess[bytes]", error: Exception) -> Outcome:
    """Tell the client why its command failed, unless it has disconnected."""
    if isinstance(error, ApiError):  # too many commands, the repository is missing, or its project was deleted
        process.stderr.write("".join(f"{reason}\n" for reason in error.reasons).encode())
        return "rejected" if error.status == 429 else "failed"
    sentence = storage_problem(error)
    if sentence is None and isinstance(error, OSError | deferred_imports.asyncssh().Error):
        return "disconnected"
    if isinstance(error, TemporaryFailure):
        process.stderr.write(f"{UNAVAILABLE}\n".encode())
        return "failed"
    log.error("git over SSH failed", exc_info=error)
    process.stderr.write(f"{sentence or 'Something went wrong on our side.'}\n".encode())
    return "failed"


def _address(connection: Any) -> str:
    return (connection.get_extra_info("peername") or ("",))[0]


def _writer(process: "SSHServerProcess[bytes]", record: RequestRecord) -> Callable[[bytes], Awaitable[None]]:
    async def write(piece: bytes) -> None:
        record.bytes = (record.bytes or 0) + len(piece)
        process.stdout.write(piece)
        await process.stdout.drain()

    return write


async def _stdin(process: "SSHServerProcess[bytes]", record: RequestRecord) -> AsyncGenerator[bytes]:
    while piece := await process.stdin.read(CHUNK):
        record.bytes_received += len(piece)
        yield piece


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _parse_path(path: str) -> tuple[Ref, bool]:
    """The project of a path, and whether its wiki is requested; an id is not a path."""
    found = _PATH.fullmatch(path)
    if found is None or found["path"].isdigit() or "\0" in path:
        raise AccessDenied(404, NOT_FOUND)
    return Ref(found["path"]), found["wiki"] is not None
