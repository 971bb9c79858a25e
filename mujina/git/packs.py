"""git's own processes between two streams of bytes: what both doors, HTTP and SSH, have in common."""

import asyncio
import contextlib
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final

from mujina.adapters import git
from mujina.adapters.git_pipes import Pipe
from mujina.code.pushes.access import Service
from mujina.code.pushes.operations import Push
from mujina.git.hook_pipe import HOOKS, HookPipe
from mujina.kernel.logs import log
from mujina.kernel.priority import give_way

Write = Callable[[bytes], Awaitable[None]]
Then = Callable[[], Awaitable[None]]

FLUSH: Final = b"0000"
FRUGAL: Final = {"core.packedGitWindowSize": "1m", "core.packedGitLimit": "8m", "core.deltaBaseCacheLimit": "4m"}
"""A pack is mapped a little at a time while it is sent: many who read large ones do not each hold all of theirs."""
RECEIVING: Final = {"core.hooksPath": str(HOOKS), "pack.threads": "0", "pack.writeReverseIndex": "false"}
"""All processors find the deltas; where each object of so small a pack ends is found out when somebody asks."""


def line(text: str) -> bytes:
    """One packet of the protocol."""
    return f"{len(text.encode()) + 4:04x}{text}".encode()


def advertised(place: Path, service: Service, protocol: str) -> AsyncGenerator[bytes]:
    """What there is to fetch, or to push to; by the second version of the protocol, what may be asked."""
    flags = ("--stateless-rpc", "--http-backend-info-refs")
    return git.stream(place, service, *flags, ".", environment=_speaking(protocol))


async def upload(
    place: Path,
    protocol: str,
    body: AsyncGenerator[bytes],
    write: Write,
    gone: Callable[[], Awaitable[None]] | None,
) -> int:
    """A clone or fetch; git's exit code. `gone` returns when nobody waits for the answer any more; None: over SSH."""
    flags = ("--strict", "--stateless-rpc") if gone else ("--strict",)
    with Pipe.inward() as told, Pipe.outward() as said:
        async with git.started(
            place, "upload-pack", *flags, ".", settings=FRUGAL, environment=_speaking(protocol),
            pipes=(told.theirs, said.theirs),
        ) as process:  # fmt: skip
            give_way(process.pid)
            _hand_over(told, said)

            async def leave() -> None:
                if gone is not None:
                    await gone()
                    with contextlib.suppress(ProcessLookupError):
                        process.terminate()

            async with _attended(process, told, body, leave) as complaint:
                while piece := await said.read():
                    await write(piece)
                return await _ended(process, complaint)


async def archive(place: Path, body: AsyncGenerator[bytes], write: Write) -> int:
    """What `git archive --remote` asks for; git's exit code."""
    with Pipe.inward() as told, Pipe.outward() as said:
        async with git.started(
            place, "upload-archive", ".", settings=FRUGAL, pipes=(told.theirs, said.theirs)
        ) as process:
            _hand_over(told, said)
            async with _attended(process, told, body) as complaint:
                while piece := await said.read():
                    await write(piece)
                return await _ended(process, complaint)


async def receive(
    push: Push, protocol: str, body: AsyncGenerator[bytes], write: Write, *, stateless: bool = True
) -> int:
    """A push; git's exit code. What git reports of the refs is held back until what moved is recorded."""
    place = await push.place()
    most = push.services.settings.max_push_megabytes * 1024 * 1024
    settings = {**RECEIVING, "receive.maxInputSize": str(most)}
    flags = ("--stateless-rpc",) if stateless else ()
    with HookPipe() as hooks, Pipe.inward() as told, Pipe.outward(rest=0) as said:
        environment = {**_speaking(protocol), **hooks.environment}
        async with git.started(
            place, "receive-pack", *flags, ".", settings=settings, environment=environment, share=hooks.shared,
            pipes=(told.theirs, said.theirs),
        ) as process:  # fmt: skip
            _hand_over(hooks, told, said)
            async with _attended(process, told, body, push.prefetch_policy if stateless else None) as complaint:
                answering = asyncio.create_task(hooks.serve(push))
                try:
                    async for piece in _held_back(process, said, push, answering):
                        await write(piece)
                    return await _ended(process, complaint)
                finally:
                    answering.cancel()


async def _held_back(process: Process, said: Pipe, push: Push, answering: "asyncio.Task[None]") -> AsyncIterator[bytes]:
    """What git says; once the push is approved, everything further waits until git has ended and all is recorded."""
    held: list[bytes] = []
    while piece := await said.read():
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
    process: Process, told: Pipe, body: AsyncGenerator[bytes], then: Then | None = None
) -> AsyncGenerator["asyncio.Task[str]"]:
    """Its input is fed, `then` done, and its complaints are read while the block runs.

    What went wrong with the input is raised.
    """
    complaining = asyncio.create_task(git.read_stderr(process))
    feeding = asyncio.create_task(_feed(told, body, then))
    try:
        yield complaining
        if feeding.done():
            feeding.result()
    finally:
        feeding.cancel()
        complaining.cancel()
        await asyncio.gather(feeding, complaining, return_exceptions=True)
        await body.aclose()


async def _feed(told: Pipe, body: AsyncGenerator[bytes], then: Then | None) -> None:
    """The request into git. Cut short, git ends by itself and takes back what it had begun to write."""
    try:
        async for piece in body:
            # git may have stopped listening: the client is heard out all the same, or it would miss the answer.
            with contextlib.suppress(ConnectionError):
                await told.write(piece)
    finally:
        told.close()
    if then is not None:
        await then()


async def _ended(process: Process, complaint: "asyncio.Task[str]") -> int:
    said = await complaint
    code = await process.wait()
    if code > 0 and said:
        log.info("git ended with a complaint", code=code, complaint=said)
    return code


def _hand_over(*lines: HookPipe | Pipe) -> None:
    for each in lines:
        each.handed_over()


def _speaking(protocol: str) -> dict[str, str]:
    return {"GIT_PROTOCOL": protocol} if protocol else {}
