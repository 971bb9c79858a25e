"""Pushes over SSH to a secondary: sent on to the primary over HTTP, with the key of the user, signed by this node."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any, Final, Protocol
from urllib.parse import quote

from mujina.adapters.outbound import OutboundStream, Timeouts
from mujina.adapters.outbound_dial import HostUnreachable
from mujina.code.pushes.access import AccessDenied
from mujina.git.packs import FLUSH
from mujina.kernel.services import Services
from mujina.replication.credentials.tokens import FETCH_LIFETIME_SECONDS
from mujina.replication.nodes.identity import read_identity
from mujina.replication.sync.operations import Primary

TIMEOUTS: Final = Timeouts(connect=5, read=300, total=3_600)
AWAY: Final = "The primary cannot be reached, and this node only answers what it can read. Please try again."
MAX_TEXT_BYTES: Final = 4_096
_ZERO: Final = b"0" * 40

Write = Callable[[bytes], Awaitable[None]]


class Stdin(Protocol):
    async def read(self, n: int, /) -> bytes: ...

    async def readexactly(self, n: int, /) -> bytes: ...


class ForwardedPush:
    """One push of the owner of a key, to a repository by its path."""

    def __init__(self, services: Services, fingerprint: str, path: str, *, wiki: bool) -> None:
        identity = read_identity(services.settings.data)
        assert identity is not None
        self._primary = Primary(services, identity)
        self._data = push_data(fingerprint, path, wiki=wiki)
        self._url = f"{self._primary.url}/{quote(path)}{'.wiki' if wiki else ''}.git"

    async def forward(self, stdin: Stdin, write: Write) -> int:
        """Exchange what git says with the primary; the exit code. `AccessDenied` with the text of the primary."""
        try:
            await self._advertise(write)
            request = _request(stdin)
            first = await anext(request, b"")
            if first in (b"", FLUSH):  # nothing to push
                return 0
            kind = (b"Content-Type", b"application/x-git-receive-pack-request")
            body = _continued(first, request)
            async with self._ask(
                "POST", "/git-receive-pack", [kind, (b"Transfer-Encoding", b"chunked")], body
            ) as answer:
                await _check(answer)
                async for piece in answer.chunks:
                    await write(piece)
        except HostUnreachable:
            raise AccessDenied(503, AWAY) from None
        finally:
            await self._primary.outbound.aclose()
        return 0

    async def _advertise(self, write: Write) -> None:
        """The refs, without the line that only HTTP has."""
        async with self._ask("GET", "/info/refs?service=git-receive-pack", [], None) as answer:
            await _check(answer)
            refs = b"".join([piece async for piece in answer.chunks])
        length = int(refs[:4], 16)
        await write(refs[length:].removeprefix(FLUSH))

    def _ask(
        self, method: str, page: str, headers: list[tuple[bytes, bytes]], body: AsyncIterator[bytes] | None
    ) -> Any:
        credential = self._primary.authorization(self._data, seconds=FETCH_LIFETIME_SECONDS)
        lines = [(b"Authorization", credential.encode()), (b"Accept-Encoding", b"identity"), *headers]
        return self._primary.outbound.exchange(method, f"{self._url}{page}", lines, body, TIMEOUTS)


def push_data(fingerprint: str, path: str, *, wiki: bool) -> dict[str, Any]:
    """What the credential for a push says."""
    return {"push": path, "wiki": wiki, "fingerprint": fingerprint}


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


async def _request(stdin: Stdin) -> AsyncGenerator[bytes]:
    """What the client sends: commands, options, and a pack unless it only deletes.

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
    """Lines of the protocol up to a flush, which is the last."""
    line = b""
    while line != FLUSH:
        try:
            length = await stdin.readexactly(4)
            line = length if length == FLUSH else length + await stdin.readexactly(int(length, 16) - 4)
        except (EOFError, ValueError):
            return
        yield line
