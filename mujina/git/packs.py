"""git's own processes between two streams of bytes: what both doors, HTTP and SSH, have in common."""

import asyncio
import contextlib
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final

from mujina.adapters import git
from mujina.adapters.git import CHUNK
from mujina.git.access import Service
from mujina.git.hook_line import HOOKS, HookLine
from mujina.git.receive import Push
from mujina.kernel.logs import log

Write = Callable[[bytes], Awaitable[None]]

FLUSH: Final = b"0000"


def line(text: str) -> bytes:
    """One packet of the protocol."""
    return f"{len(text.encode()) + 4:04x}{text}".encode()


async def advertise(place: Path, service: Service, protocol: str, write: Write) -> None:
    """What there is to fetch, or to push to."""
    flags = ("--stateless-rpc", "--http-backend-info-refs")
    pieces = git.stream(place, service, *flags, ".", environment=_speaking(protocol))
    async for piece in pieces:
        await write(piece)


async def upload(
    place: Path,
    protocol: str,
    body: AsyncGenerator[bytes],
    write: Write,
    gone: Callable[[], Awaitable[None]] | None,
) -> int:
    """A clone or fetch; git's exit code. `gone` returns when nobody waits for the answer any more; None: over SSH."""
    flags = ("--strict", "--stateless-rpc") if gone else ("--strict",)
    async with git.started(place, "upload-pack", *flags, ".", environment=_speaking(protocol)) as process:
        async with _attended(process, body, gone) as complaint:
            while piece := await _out(process).read(CHUNK):
                await write(piece)
            return await _ended(process, complaint)


async def receive(
    push: Push, protocol: str, body: AsyncGenerator[bytes], write: Write, *, stateless: bool = True
) -> int:
    """A push; git's exit code. What git reports of the refs is held back until what moved is recorded."""
    place = await push.place()
    most = push.house.settings.max_push_megabytes * 1024 * 1024
    settings = {"core.hooksPath": str(HOOKS), "receive.maxInputSize": str(most)}
    flags = ("--stateless-rpc",) if stateless else ()
    with HookLine() as hooks:
        environment = {**_speaking(protocol), **hooks.environment}
        async with git.started(
            place, "receive-pack", *flags, ".", settings=settings, environment=environment, share=hooks.shared
        ) as process:
            hooks.handed_over()
            async with _attended(process, body, None) as complaint:
                answering = asyncio.create_task(hooks.answer(push))
                try:
                    async for piece in _held_back(process, push, answering):
                        await write(piece)
                    return await _ended(process, complaint)
                finally:
                    answering.cancel()


async def _held_back(process: Process, push: Push, answering: "asyncio.Task[None]") -> AsyncIterator[bytes]:
    """What git says; once the push is approved, everything further waits until git has ended and all is recorded."""
    held: list[bytes] = []
    while piece := await _out(process).read(CHUNK):
        if push.approved:
            held.append(piece)
        else:
            yield piece
    code = await process.wait()
    await answering
    if push.approved:
        await push.close(clean=code >= 0)
    for piece in held:
        yield piece


@contextlib.asynccontextmanager
async def _attended(
    process: Process, body: AsyncGenerator[bytes], gone: Callable[[], Awaitable[None]] | None
) -> AsyncGenerator["asyncio.Task[str]"]:
    """Its input is fed and its complaints are read while the block runs. What went wrong with the input is raised."""
    complaining = asyncio.create_task(git.complaint_of(process))
    feeding = asyncio.create_task(_feed(process, body, gone))
    try:
        yield complaining
        if feeding.done():
            feeding.result()
    finally:
        feeding.cancel()
        complaining.cancel()
        await asyncio.gather(feeding, complaining, return_exceptions=True)
        await body.aclose()


async def _feed(process: Process, body: AsyncGenerator[bytes], gone: Callable[[], Awaitable[None]] | None) -> None:
    """The request into git. Cut short, git ends by itself and takes back what it had begun to write."""
    assert process.stdin is not None
    try:
        async for piece in body:
            # git may have stopped listening: the client is heard out all the same, or it would miss the answer.
            with contextlib.suppress(ConnectionError):
                process.stdin.write(piece)
                await process.stdin.drain()
    finally:
        process.stdin.close()
    if gone is not None:
        await gone()
        with contextlib.suppress(ProcessLookupError):
            process.terminate()


async def _ended(process: Process, complaint: "asyncio.Task[str]") -> int:
    said = await complaint
    code = await process.wait()
    if code > 0 and said:
        log.info("git ended with a complaint", code=code, complaint=said)
    return code


def _out(process: Process) -> asyncio.StreamReader:
    assert process.stdout is not None
    return process.stdout


def _speaking(protocol: str) -> dict[str, str]:
    return {"GIT_PROTOCOL": protocol} if protocol else {}
