"""Git processes between two streams of bytes, for HTTP and SSH."""

import asyncio
import contextlib
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final

from mujina.adapters.git import git
from mujina.adapters.git.fetches import FetchNote
from mujina.adapters.git.transport.pipes import Pipe
from mujina.code.pushes.access import Service
from mujina.code.pushes.operations import Push
from mujina.git.hook_pipe import HOOKS, HookPipe
from mujina.kernel.concurrency.priority import lower_priority
from mujina.kernel.monitoring.logs import log
from mujina.kernel.storage.errors import check_storage

Write = Callable[[bytes], Awaitable[None]]
Then = Callable[[], Awaitable[None]]

FLUSH: Final = b"0000"
LOW_MEMORY: Final = {"core.packedGitWindowSize": "1m", "core.packedGitLimit": "8m", "core.deltaBaseCacheLimit": "4m"}
"""Git maps small windows of a pack while it sends it, so that many large clones fit into memory."""
ALL_REFS: Final = {"transfer.hideRefs": "!refs"}
"""The last setting that matches a ref counts."""
RECEIVING: Final = {"core.hooksPath": str(HOOKS), "pack.threads": "0", "pack.writeReverseIndex": "false"}
"""All processors resolve deltas; a reverse index is not worth its time for small packs."""


def line(text: str) -> bytes:
    """One pkt-line of the protocol."""
    return f"{len(text.encode()) + 4:04x}{text}".encode()


def advertised(repo_path: Path, service: Service, protocol: str) -> AsyncGenerator[bytes]:
    """The advertised refs; in protocol version 2, the capabilities."""
    flags = ("--stateless-rpc", "--http-backend-info-refs")
    return git.stream(repo_path, service, *flags, ".", environment=_environment(protocol))


async def upload(
    repo_path: Path,
    protocol: str,
    body: AsyncGenerator[bytes],
    write: Write,
    gone: Callable[[], Awaitable[None]] | None,
    *,
    all_refs: bool = False,
) -> int:
    """Serve a clone or fetch; git's exit code. `gone` returns when the client has disconnected; None over SSH.

    With `all_refs`, refs are shown that are hidden from users.
    """
    flags = ("--strict", "--stateless-rpc") if gone else ("--strict",)
    settings = LOW_MEMORY | (ALL_REFS if all_refs else {})
    note = FetchNote(repo_path)

    async def send(piece: bytes) -> None:
        note.add(len(piece))
        await write(piece)

    with Pipe.inward() as stdin, Pipe.outward() as stdout:
        async with git.started(
            repo_path, "upload-pack", *flags, ".", settings=settings, environment=_environment(protocol),
            pipes=(stdin.theirs, stdout.theirs),
        ) as process:  # fmt: skip
            lower_priority(process.pid)

            async def leave() -> None:
                if gone is not None:
                    await gone()
                    with contextlib.suppress(ProcessLookupError):
                        process.terminate()

            return await _pass_on(process, stdin, stdout, body, send, leave)


async def archive(repo_path: Path, body: AsyncGenerator[bytes], write: Write) -> int:
    """Serve `git archive --remote`; git's exit code."""
    with Pipe.inward() as stdin, Pipe.outward() as stdout:
        async with git.started(
            repo_path, "upload-archive", ".", settings=LOW_MEMORY, pipes=(stdin.theirs, stdout.theirs)
        ) as process:
            return await _pass_on(process, stdin, stdout, body, write)


async def _pass_on(
    process: Process, stdin: Pipe, stdout: Pipe, body: AsyncGenerator[bytes], write: Write, then: Then | None = None
) -> int:
    """Pass the request to git and its output to the client; git's exit code."""
    _hand_over(stdin, stdout)
    async with _running(process, stdin, body, then) as stderr:
        while piece := await stdout.read():
            await write(piece)
        return await _ended(process, stderr)


async def receive(
    push: Push, protocol: str, body: AsyncGenerator[bytes], write: Write, *, stateless: bool = True
) -> int:
    """Serve a push; git's exit code. Git's report is held back until the push is recorded."""
    repo_path = await push.repo_path()
    check_storage(repo_path)
    max_bytes = push.services.settings.max_push_megabytes * 1024 * 1024
    settings = {**RECEIVING, "receive.maxInputSize": str(max_bytes)}
    flags = ("--stateless-rpc",) if stateless else ()
    with push.under_way() as lock, HookPipe() as hooks, Pipe.inward() as stdin, Pipe.outward(pause=0) as stdout:
        environment = {**_environment(protocol), **hooks.environment}
        async with git.started(
            repo_path, "receive-pack", *flags, ".", settings=settings, environment=environment, share=[lock, *hooks.shared],
            pipes=(stdin.theirs, stdout.theirs), finish_seconds=git.TERMINATION_SECONDS,
        ) as process:  # fmt: skip
            _hand_over(hooks, stdin, stdout)
            async with _running(process, stdin, body, push.prefetch_policy if stateless else None) as stderr:
                answering = asyncio.create_task(hooks.serve(push))
                try:
                    await _write_all(_held_back(process, stdout, push, answering), write)
                    return await _ended(process, stderr)
                finally:
                    answering.cancel()


async def _write_all(pieces: AsyncIterator[bytes], write: Write) -> None:
    """Write every piece. After an error the rest is read all the same, so that git ends by itself; then it is raised.

    Git removes its quarantine only if it ends by itself, not if it is terminated.
    """
    failure: Exception | None = None
    async for piece in pieces:
        if failure is None:
            try:
                await write(piece)
            except Exception as error:  # noqa: BLE001 - raised below
                failure = error
    if failure is not None:
        raise failure


async def _held_back(
    process: Process, stdout: Pipe, push: Push, answering: "asyncio.Task[None]"
) -> AsyncIterator[bytes]:
    """Git's output; after the approval, it waits until git has exited and the push is recorded."""
    held: list[bytes] = []
    while piece := await stdout.read():
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
async def _running(
    process: Process, stdin: Pipe, body: AsyncGenerator[bytes], then: Then | None
) -> AsyncGenerator["asyncio.Task[str]"]:
    """Feed git's input, then run `then`, and read its stderr, while the block runs.

    An error of the input is raised.
    """
    reading_stderr = asyncio.create_task(git.read_stderr(process))
    feeding = asyncio.create_task(_feed(stdin, body, then))
    try:
        yield reading_stderr
        if feeding.done():
            feeding.result()
    finally:
        feeding.cancel()
        reading_stderr.cancel()
        await asyncio.gather(feeding, reading_stderr, return_exceptions=True)
        stdin.close()
        await body.aclose()


async def _feed(stdin: Pipe, body: AsyncGenerator[bytes], then: Then | None) -> None:
    """Copy the request into git. If it ends early, git exits and removes what it had written."""
    try:
        async for piece in body:
            # Git may have closed its input: the rest is read all the same, or the client would miss the response.
            with contextlib.suppress(ConnectionError):
                await stdin.write(piece)
    finally:
        stdin.close()
    if then is not None:
        await then()


async def _ended(process: Process, stderr: "asyncio.Task[str]") -> int:
    text = await stderr
    code = await process.wait()
    if code > 0 and text:
        log.info("git failed", code=code, stderr=text)
    return code


def _hand_over(*lines: HookPipe | Pipe) -> None:
    for each in lines:
        each.handed_over()


def _environment(protocol: str) -> dict[str, str]:
    return {"GIT_PROTOCOL": protocol} if protocol else {}
