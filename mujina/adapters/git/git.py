"""Runs git: with a fixed environment, without a shell, with a time limit; user input is never parsed as an option.

    tip = await git.run(repository, "rev-parse", "--verify", named=["refs/heads/master"])
    async for chunk in git.stream(repository, "archive", "--format=tar", named=[commit]): ...
    async with git.started(repository, "upload-pack", ...) as process: ...

`adapters/git/storage.py` says where repositories are, `adapters/git/objects.py` reads them without a process.
"""

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Final

from mujina.kernel.concurrency.priority import limit_memory
from mujina.kernel.storage.errors import find_storage_error

ZERO: Final = "0" * 40
"""The id of no object: what a ref is before it exists and after it is deleted."""

EMPTY: Final = "@empty.git"
"""The folder of the repository that is read for every project to which nothing was written: nothing ever is."""
WRITING: Final = frozenset({"receive-pack", "fetch", "update-ref", "symbolic-ref"})

CHUNK: Final = 65_536
MAX_STDERR_BYTES: Final = 4_096
TERMINATION_SECONDS: Final = 5
"""How long a process may clean up before it is killed."""

ENVIRONMENT: Final[Mapping[str, str]] = {
    "PATH": os.environ.get("PATH", os.defpath),
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": str(Path(__file__).with_name("gitconfig")),
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "/bin/false",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
}
"""The whole environment of git; callers may add to it."""


class GitCommandError(Exception):
    """Git failed, or did not end in time."""

    def __init__(self, command: str, code: int, stderr: str) -> None:
        super().__init__(f"git {command} ended with {code}: {stderr}")
        self.command = command
        self.code = code
        self.stderr = stderr

    @property
    def locked(self) -> bool:
        """Whether a ref was locked: by another git, or by one that was killed."""
        return ".lock': File exists" in self.stderr


class GitNotStarted(OSError):
    """The system could not start git: its program is missing, or there are too many processes or open files."""


def check_writable(repository: Path) -> None:
    """Fail before anything is written to the repository that all empty projects share."""
    if repository.name == EMPTY:
        raise RuntimeError("a repository must be created before it is written to")


async def run(
    repository: Path | None,
    command: str,
    *options: str,
    named: Sequence[str] = (),
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    seconds: float = 60,
    accept: Sequence[int] = (0,),
    max_file_bytes: int | None = None,
    share: Sequence[int] = (),
) -> bytes:
    """The output of a command, whole: for output known to be small. `named` are user input, never options."""
    arguments = [*options, *_after_options(named)]
    async with started(
        repository, command, *arguments, environment=environment, max_file_bytes=max_file_bytes, share=share
    ) as process:
        try:
            async with asyncio.timeout(seconds):
                _, stdout, stderr = await asyncio.gather(
                    _feed(process, stdin), _stdout(process).read(), read_stderr(process)
                )
                code = await process.wait()
        except TimeoutError:
            raise GitCommandError(command, -1, f"ran longer than {seconds} seconds") from None
    if code not in accept:
        raise GitCommandError(command, code, stderr)
    return stdout


async def stream(
    repository: Path | None,
    command: str,
    *options: str,
    named: Sequence[str] = (),
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
) -> AsyncGenerator[bytes]:
    """The output of a command in pieces, as fast as they are read; `GitCommandError` at the end if it failed."""
    arguments = [*options, *_after_options(named)]
    async with started(repository, command, *arguments, environment=environment) as process:
        feeding = asyncio.create_task(_feed(process, stdin))
        reading_stderr = asyncio.create_task(read_stderr(process))
        try:
            while chunk := await _stdout(process).read(CHUNK):
                yield chunk
            stderr = await reading_stderr
            if code := await process.wait():
                raise GitCommandError(command, code, stderr)
        finally:
            feeding.cancel()
            reading_stderr.cancel()


async def begun(pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Reads the first of these pieces and returns all: a command that fails before it writes anything raises its error here.

    A response can still say why then; once it has started, it can only break off.
    """

    async def read() -> AsyncGenerator[bytes]:
        async with aclosing(pieces):
            first = await anext(pieces, b"")
            yield b""  # from here on, to close this generator ends the command
            yield first
            async for piece in pieces:
                yield piece

    reading = read()
    await anext(reading)
    return reading


async def records(pieces: AsyncGenerator[bytes], mark: bytes = b"\0") -> AsyncGenerator[bytes]:
    """The records of a stream, separated by `mark`."""
    rest = b""
    async with aclosing(pieces):
        async for piece in pieces:
            *whole, rest = (rest + piece).split(mark)
            for record in whole:
                yield record
    if rest:
        yield rest


@asynccontextmanager
async def started(
    repository: Path | None,
    command: str,
    *arguments: str,
    settings: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
    share: Sequence[int] = (),
    pipes: tuple[int, int] = (PIPE, PIPE),
    max_file_bytes: int | None = None,
    finish_seconds: float = 0,
) -> AsyncGenerator[Process]:
    """A running git with its three pipes; at the end of the block it has exited or is terminated.

    `settings` override the configuration for this process; it and its hooks inherit the open files `share`; `pipes` are
    its input and output, if not pipes of its own (`adapters/git/transport/pipes.py`); it writes no file larger than
    `max_file_bytes`. If its input has ended at the end of the block, it may finish by itself for `finish_seconds`.
    """
    if repository is not None and command in WRITING and "--http-backend-info-refs" not in arguments:
        check_writable(repository)
    overrides = [part for name, value in (settings or {}).items() for part in ("-c", f"{name}={value}")]
    folder = str(repository or "/")
    try:
        process = await asyncio.create_subprocess_exec(
            "git", *overrides, command, *arguments, stdin=pipes[0], stdout=pipes[1], stderr=PIPE, cwd=folder,
            env={**ENVIRONMENT, **(environment or {}), **({"GIT_DIR": "."} if repository else {})}, pass_fds=share,
            start_new_session=True, limit=CHUNK,
        )  # fmt: skip
    except OSError as error:
        if error.filename == folder:  # the repository was removed meanwhile
            raise
        raise GitNotStarted(f"git cannot be started: {error}") from error
    limit_memory(process.pid, max_file_bytes)
    # Those that serve a client end with its connection; one that talks to another repository would go on for hours.
    bound = _bound_to_us(process) if (environment or {}).get("GIT_ALLOW_PROTOCOL") else contextlib.nullcontext()
    try:
        async with bound:
            yield process
    finally:
        await _end(process, finish_seconds)


@asynccontextmanager
async def _bound_to_us(process: Process) -> AsyncGenerator[None]:
    """If this process is killed inside, the git and what it started, which know credentials, end: a shell waits for it.

    The first signal lets git remove its locks.
    """
    watch = 'read -r _ || { kill -s TERM -- "-$1"; sleep 3; kill -s KILL -- "-$1"; }'
    watcher = await asyncio.create_subprocess_exec(
        "sh", "-c", watch, "sh", str(process.pid), stdin=PIPE, stderr=DEVNULL, cwd="/", env={"PATH": ENVIRONMENT["PATH"]},
        start_new_session=True,
    )  # fmt: skip
    try:
        yield
    finally:
        await _feed(watcher, b"\n")
        await watcher.wait()


@asynccontextmanager
async def explained(repository: Path) -> AsyncGenerator[None]:
    """A failure of git inside, which need not say why, is an `OSError` if storage is the reason."""
    try:
        yield
    except GitCommandError as failure:
        reason = await asyncio.to_thread(find_storage_error, repository)
        if reason is None:
            raise
        raise reason from failure


async def read_stderr(process: Process) -> str:
    """The beginning of stderr; the rest is read and dropped, so that the process never blocks."""
    kept = b""
    assert process.stderr is not None
    while chunk := await process.stderr.read(CHUNK):
        kept = (kept + chunk)[:MAX_STDERR_BYTES]
    return kept.decode("utf-8", "replace").strip()


async def _end(process: Process, finish_seconds: float) -> None:
    """Wait for the exit, then terminate, then kill. Terminated, git leaves a quarantine behind."""
    if process.returncode is not None:
        return
    if process.stdin is not None:
        process.stdin.close()
    if finish_seconds and await _has_ended(process, finish_seconds):
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        # Not `process.send_signal`: of a program that ended just now it takes the exit code, which asyncio misses and logs.
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)
        if await _has_ended(process, TERMINATION_SECONDS):
            return


async def _has_ended(process: Process, seconds: float) -> bool:
    """Whether the process exits within this time."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await _drained(process)
            return True
    return False


async def _drained(process: Process) -> None:
    """Wait for the exit; drop the remaining output."""
    for pipe in (process.stdout, process.stderr):
        while pipe is not None and await pipe.read(CHUNK):
            pass
    await process.wait()


async def _feed(process: Process, content: bytes) -> None:
    """Write its input; a process that stops reading fails by itself."""
    assert process.stdin is not None
    with contextlib.suppress(ConnectionError):
        process.stdin.write(content)
        await process.stdin.drain()
    process.stdin.close()


def _stdout(process: Process) -> asyncio.StreamReader:
    assert process.stdout is not None
    return process.stdout


def _after_options(named: Sequence[str]) -> list[str]:
    return ["--end-of-options", *named] if named else []
