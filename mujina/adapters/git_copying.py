"""Whole repositories brought from elsewhere: every branch and tag with what they need, and nothing besides."""

import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import aclosing
from os import SEEK_END
from pathlib import Path
from typing import Final

import msgspec

from mujina.adapters import git, git_refs

TIMEOUT_SECONDS: Final = 3_600
EVERYTHING: Final = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
"""Refs of the instance's own stay where they are."""
MIRROR_REFS: Final = "refs/mujina/mirror/"
HEAD_SECONDS: Final = 120
HEAD: Final = "ref: refs/heads/"


async def copy(source: Path, target: Path) -> None:
    """The branches and tags of `source` are those of `target`; doing it again changes nothing.

    The objects are copied, never borrowed: what the source gets later is not seen here, what it loses stays.
    """
    await git.run(
        target, "fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head", named=[str(source), *EVERYTHING],
        environment={"GIT_ALLOW_PROTOCOL": "file"}, seconds=TIMEOUT_SECONDS,
    )  # fmt: skip


class Remote(msgspec.Struct, frozen=True):
    """A repository elsewhere, at an address that was judged; git dials that address and follows no redirect."""

    url: str
    """Without user and password: whoever lists the processes of this machine sees it."""
    pin: str
    """`host:port:address`."""
    authorization: str | None

    @property
    def environment(self) -> dict[str, str]:
        settings = {
            "http.curloptResolve": self.pin,
            "http.followRedirects": "false",
            "http.lowSpeedLimit": "1000",
            "http.lowSpeedTime": "60",
        }
        if self.authorization is not None:
            settings["http.extraHeader"] = f"Authorization: {self.authorization}"
        said = {"GIT_ALLOW_PROTOCOL": "http:https", "GIT_CONFIG_COUNT": str(len(settings))}
        for n, (name, value) in enumerate(settings.items()):
            said |= {f"GIT_CONFIG_KEY_{n}": name, f"GIT_CONFIG_VALUE_{n}": value}
        return said


async def head_of(remote: Remote) -> str | None:
    """The branch the remote's HEAD names: what is told first, however much follows."""
    said = git.stream(None, "ls-remote", "--symref", named=[remote.url, "HEAD"], environment=remote.environment)
    try:
        async with asyncio.timeout(HEAD_SECONDS), aclosing(git.records(said, b"\t")) as told:
            first = (await anext(told, b"")).decode("utf-8", "replace")
    except TimeoutError:
        raise git.GitCommandError("ls-remote", -1, f"ran longer than {HEAD_SECONDS} seconds") from None
    return first.removeprefix(HEAD) if first.startswith(HEAD) else None


async def fetch(remote: Remote, target: Path, most: int) -> None:
    """The branches and tags of the remote are those of `target`; `git.GitCommandError` if a pack of it has more than `most` bytes."""
    await _fetch(remote, target, EVERYTHING, most)


async def fetch_mirror(remote: Remote, target: Path, most: int) -> None:
    """The branches and tags of the remote are here, below `MIRROR_REFS`; those of `target` stay where they are."""
    await _fetch(remote, target, [ref.replace(":refs/", f":{MIRROR_REFS}") for ref in EVERYTHING], most)


async def _fetch(remote: Remote, target: Path, refs: Sequence[str], most: int) -> None:
    with tempfile.NamedTemporaryFile(prefix="spoken-") as spoken:
        try:
            await git.run(
                target, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--prune", named=[remote.url, *refs],
                environment={**remote.environment, "GIT_TRACE_PACKET": spoken.name}, seconds=TIMEOUT_SECONDS,
                max_file_bytes=most,
            )  # fmt: skip
        except git.GitCommandError:
            await asyncio.to_thread(_clear, target / "objects" / "pack")
            raise
        dumb = not spoken.seek(0, SEEK_END)
    if dumb:
        await _examine(target, [ref.partition(":")[2].rstrip("*") for ref in refs])


def _clear(packs: Path) -> None:
    """What was begun and is never going to be ended takes no room."""
    for unfinished in packs.glob("tmp_pack_*"):
        unfinished.unlink(missing_ok=True)


async def _examine(target: Path, folders: Sequence[str]) -> None:
    """What came as plain files nobody has looked at, as git looks at every pack: unless it is sound, it goes again."""
    try:
        await git.run(target, "fsck", "--strict", "--no-dangling", "--no-progress", seconds=TIMEOUT_SECONDS)
    except git.GitCommandError:
        await git_refs.drop_refs(target, list(await git_refs.read_below(target, *folders)))
        await git.run(target, "gc", "--quiet", "--prune=now", seconds=TIMEOUT_SECONDS)
        raise
