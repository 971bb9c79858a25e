"""Git over SSH on a secondary, sent on to the primary over HTTP with the key of the user, signed by this node.

Every push is. A fetch is if the copy of this node is not current, provided that the client speaks version 2 of the protocol:
its requests are complete each, as HTTP wants them.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, Final, Literal
from urllib.parse import quote

from mujina.adapters.outbound.client import OutboundStream, Timeouts
from mujina.adapters.outbound.dial import HostUnreachable
from mujina.code.pushes.access import AccessDenied, Service
from mujina.git.packs import FLUSH
from mujina.git.requests import GitCommand, Stdin, Write
from mujina.kernel.services import Services
from mujina.replication.nodes.identity import read_identity
from mujina.replication.nodes.tokens import FETCH_LIFETIME_SECONDS
from mujina.replication.registry.readiness import has_copy
from mujina.replication.sync.operations import Primary

TIMEOUTS: Final = Timeouts(connect=5, read=300, total=3_600)
PRIMARY_UNREACHABLE: Final = (
    "The primary cannot be reached, and this node only answers what it can read. Please try again."
)
OLD_COPY: Final = (
    "This node does not have the newest state of the repository yet. "
    "Please try again, or use git 2.26 or later, HTTPS, or the primary."
)
MAX_TEXT_BYTES: Final = 4_096
_ZERO: Final = b"0" * 40
_MIN_LINE_BYTES: Final = 4


async def answer_at_primary(services: Services, command: GitCommand, stdin: Stdin, write: Write) -> int | None:
    """Lets the primary answer pushes, and fetches without a current copy here; None: answer here."""
    if services.registry is None:
        return None
    if command.operation == "push":
        return await ForwardedPush(services, command).forward(stdin, write)
    page = f"/{quote(command.path)}{'.wiki' if command.wiki else ''}.git/info/refs"
    if await has_copy(services, services.registry, page):
        return None
    return await ForwardedFetch(services, command).forward(stdin, write)


class ForwardedCommand:
    """One push or fetch by the owner of a key, of a repository by its path."""

    service: Service

    def __init__(self, services: Services, command: GitCommand) -> None:
        identity = read_identity(services.settings.data)
        assert identity is not None
        self._primary = Primary(services, identity)
        self._data = command_data(self.service, command.fingerprint, command.path, wiki=command.wiki)
        self._url = f"{self._primary.url}/{quote(command.path)}{'.wiki' if command.wiki else ''}.git"
        # Pushes need no version; archives have a protocol of their own, which is none of HTTP.
        self._protocol = command.protocol if command.operation == "fetch" else ""

    async def _advertised(self) -> bytes:
        """The refs or capabilities, without the line that only HTTP has."""
        async with self._ask("GET", f"/info/refs?service=git-{self.service}", [], None) as answer:
            await _check(answer)
            refs = b"".join([piece async for piece in answer.chunks])
        if not refs[4:].startswith(b"# service="):
            return refs
        return refs[int(refs[:4], 16) :].removeprefix(FLUSH)

    async def _exchange(self, body: AsyncIterator[bytes], write: Write) -> None:
        """Send one request, and pass its response on."""
        kind = (b"Content-Type", f"application/x-git-{self.service}-request".encode())
        async with self._ask(
            "POST", f"/git-{self.service}", [kind, (b"Transfer-Encoding", b"chunked")], body
        ) as answer:
            await _check(answer)
            async for piece in answer.chunks:
                await write(piece)

    def _ask(
        self, method: str, page: str, headers: list[tuple[bytes, bytes]], body: AsyncIterator[bytes] | None
    ) -> Any:
        credential = self._primary.authorization(self._data, seconds=FETCH_LIFETIME_SECONDS)
        lines = [(b"Authorization", credential.encode()), (b"Accept-Encoding", b"identity"), *headers]
        if self._protocol:
            lines.append((b"Git-Protocol", self._protocol.encode()))
        return self._primary.outbound.exchange(method, f"{self._url}{page}", lines, body, TIMEOUTS)


class ForwardedPush(ForwardedCommand):
    service = "receive-pack"

    async def forward(self, stdin: Stdin, write: Write) -> int:
        """Exchange what git says with the primary; the exit code. `AccessDenied` with the text of the primary."""
        try:
            await write(await self._advertised())
            request = _pushed(stdin)
            first = await anext(request, b"")
            if first not in (b"", FLUSH):  # there is something to push
                await self._exchange(_continued(first, request), write)
        except HostUnreachable:
            raise AccessDenied(503, PRIMARY_UNREACHABLE) from None
        finally:
            await self._primary.outbound.aclose()
        return 0


class ForwardedFetch(ForwardedCommand):
    service = "upload-pack"

    async def forward(self, stdin: Stdin, write: Write) -> int | None:
        """As for a push; None, and nothing is sent, while the primary cannot be reached: an old copy is better than none.

        `AccessDenied` for a client that speaks an older version of the protocol.
        """
        try:
            try:
                advertised = await self._advertised()
            except HostUnreachable:
                return None
            if "version=2" not in self._protocol.split(":"):
                raise AccessDenied(503, OLD_COPY)
            await write(advertised)
            while True:
                request = _section(stdin)
                first = await anext(request, b"")
                if first in (b"", FLUSH):  # nothing more to ask
                    return 0
                await self._exchange(_continued(first, request), write)
        except HostUnreachable:
            raise AccessDenied(503, PRIMARY_UNREACHABLE) from None
        finally:
            await self._primary.outbound.aclose()


def command_data(service: Service, fingerprint: str, path: str, *, wiki: bool) -> dict[str, Any]:
    """The claims of the credential for a push or a fetch."""
    verb: Literal["push", "fetch"] = "push" if service == "receive-pack" else "fetch"
    return {verb: path, "wiki": wiki, "fingerprint": fingerprint}


async def _check(answer: OutboundStream) -> None:
    if answer.status != 200:
        text = b""
        async for piece in answer.chunks:
            text = (text + piece)[:MAX_TEXT_BYTES]
        raise AccessDenied(answer.status, text.decode("utf-8", "replace").strip())


async def _continued(first: bytes, rest: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        yield piece


async def _pushed(stdin: Stdin) -> AsyncGenerator[bytes]:
    """Passes on the request of the client: commands, options, and a pack unless it only deletes.

    Over SSH a client that sends no pack keeps its side open: the end is where the last section ends.
    """
    has_pack = with_options = False
    async for line in _section(stdin):
        yield line
        command = line[4:].split(b"\0")[0].split(b" ")
        has_pack |= len(command) > 1 and command[1] != _ZERO
        with_options |= b"push-options" in line.partition(b"\0")[2]
    if with_options:
        async for line in _section(stdin):
            yield line
    while has_pack and (piece := await stdin.read(65_536)):
        yield piece


async def _section(stdin: Stdin) -> AsyncGenerator[bytes]:
    """Lines of the protocol up to a flush, which is the last. Other lines of no length divide the parts of a request."""
    line = b""
    while line != FLUSH:
        try:
            header = await stdin.readexactly(_MIN_LINE_BYTES)
            left = int(header, 16) - _MIN_LINE_BYTES
            line = header + await stdin.readexactly(left) if left > 0 else header
        except (EOFError, ValueError):
            return
        yield line
