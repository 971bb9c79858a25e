"""Copies of whole repositories: every branch and tag with their objects, and nothing else."""

import asyncio
import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from hashlib import sha1
from os import SEEK_END
from pathlib import Path
from typing import Final

import msgspec

from mujina.adapters.git import git
from mujina.adapters.git import refs as git_refs
from mujina.kernel.storage.fsync import fsync_names

TIMEOUT_SECONDS: Final = 3_600
BRANCHES_AND_TAGS: Final = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
"""Other refs, such as our own, are not touched."""
MIRROR_REFS: Final = "refs/mujina/mirror/"
HEAD_SECONDS: Final = 120
PUSHED_AT_ONCE: Final = 500
"""Refs of one push: they stand in the arguments of git."""
HEAD: Final = "ref: refs/heads/"
BUNDLES: Final = (b"# v2 git bundle\n", b"# v3 git bundle\n")
"""How a bundle begins."""
_EMPTY_PACK: Final = b"PACK\0\0\0\2\0\0\0\0"
EMPTY_BUNDLE: Final = b"# v2 git bundle\n\n" + _EMPTY_PACK + sha1(_EMPTY_PACK, usedforsecurity=False).digest()
"""What git does not write: a repository without refs."""
MAX_BUNDLE_REFS: Final = 100_000
MAX_REF_LINE: Final = 4_096
LOCAL: Final = {"GIT_ALLOW_PROTOCOL": "file"}


async def _fetch(
    target: Path, *options: str, named: Sequence[str], environment: Mapping[str, str], max_bytes: int | None = None,
    share: Sequence[int] = (),
) -> None:  # fmt: skip
    await git.run(
        target, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", *options, named=named,
        environment=environment, seconds=TIMEOUT_SECONDS, max_file_bytes=max_bytes, share=share,
    )  # fmt: skip
    await asyncio.to_thread(fsync_names, target)


async def copy(source: Path, target: Path) -> None:
    """Make the branches and tags of `target` equal to those of `source`, durably; idempotent.

    Objects are copied, never shared: later changes of the source have no effect on the copy.
    """
    await _fetch(target, "--prune", named=[str(source), *BRANCHES_AND_TAGS], environment=LOCAL)


class SshLogin(msgspec.Struct, frozen=True):
    """How a server is reached over SSH: at a checked address, with a key or a password, if it has one of the host keys."""

    address: str
    port: int
    user: str
    private_key: str
    """Empty: the password is used."""
    host_keys: list[str]
    password: str = ""


class Remote(msgspec.Struct, frozen=True):
    """A repository on another server, at a checked address; git connects to that address and follows no redirect.

    Or a bundle or a repository on this machine.
    """

    url: str
    """The address without user and password: it is visible in the list of processes."""
    pin: str = ""
    """`host:port:address`, over HTTP."""
    authorization: str | None = None
    ca_file: Path | None = None
    """The certificates that are trusted; None: those of the system."""
    protocols: str = "http:https"
    ssh: SshLogin | None = None
    """None: the repository is reached over HTTP."""

    @classmethod
    def bundle(cls, file: Path) -> "Remote":
        """A file that `git bundle` made; `git.GitCommandError` if it is something else, which git would follow elsewhere."""
        try:
            with file.open("rb") as opened:
                is_bundle = opened.read(len(BUNDLES[0])) in BUNDLES
        except FileNotFoundError:
            is_bundle = False
        if not is_bundle:
            raise git.GitCommandError("fetch", -1, "bundle not found")
        return cls(str(file.absolute()), "", None, protocols="file")

    @classmethod
    def folder(cls, repository: Path) -> "Remote":
        """A bare repository with our own configuration on this machine."""
        return cls(str(repository.absolute()), protocols="file")

    def environment(self, *, trusted: bool = False) -> dict[str, str]:
        """The environment of a git that talks to it; `trusted`: its objects were checked when they were pushed there."""
        checks = {"fetch.fsckObjects": "false"} if trusted else {}
        if self.ssh is not None:
            return {**_configured(checks), **_through_ssh(self.ssh)}
        settings = {
            **checks,
            "http.curloptResolve": self.pin,
            "http.followRedirects": "false",
            "http.lowSpeedLimit": "1000",
            "http.lowSpeedTime": "60",
        }
        if self.ca_file is not None:
            settings["http.sslCAInfo"] = str(self.ca_file.absolute())
        if self.authorization is not None:
            settings["http.extraHeader"] = f"Authorization: {self.authorization}"
        return {"GIT_ALLOW_PROTOCOL": self.protocols, **_configured(settings)}


def _configured(settings: Mapping[str, str]) -> dict[str, str]:
    environment = {"GIT_CONFIG_COUNT": str(len(settings))}
    for n, (name, value) in enumerate(settings.items()):
        environment |= {f"GIT_CONFIG_KEY_{n}": name, f"GIT_CONFIG_VALUE_{n}": value}
    return environment


def _through_ssh(login: SshLogin) -> dict[str, str]:
    """Git runs our own client, isolated from the folder and the environment, and passes it nothing but host and command."""
    client = f"{shlex.quote(sys.executable)} -I {shlex.quote(str(Path(__file__).with_name('ssh_client.py')))}"
    return {
        "GIT_ALLOW_PROTOCOL": "ssh",
        "GIT_SSH_COMMAND": client,
        "GIT_SSH_VARIANT": "simple",
        "MUJINA_SSH": msgspec.json.encode(login).decode(),
    }


async def head_of(remote: Remote) -> str | None:
    """The branch that the remote's HEAD names: the first record; the rest is not read."""
    output = git.stream(None, "ls-remote", "--symref", named=[remote.url, "HEAD"], environment=remote.environment())
    try:
        async with asyncio.timeout(HEAD_SECONDS), aclosing(git.records(output, b"\t")) as records:
            first = (await anext(records, b"")).decode("utf-8", "replace")
    except TimeoutError:
        raise git.GitCommandError("ls-remote", -1, f"ran longer than {HEAD_SECONDS} seconds") from None
    return first.removeprefix(HEAD) if first.startswith(HEAD) else None


def bundle_head(file: Path) -> str | None:
    """The branch at the commit that the HEAD of a bundle is at; git writes no name there, so several may be."""
    tips = dict[str, str]()
    with file.open("rb") as opened:
        if opened.readline(MAX_REF_LINE) in BUNDLES:
            for _ in range(MAX_BUNDLE_REFS):
                line = opened.readline(MAX_REF_LINE).decode("utf-8", "replace").strip()
                if not line:
                    break
                tip, _, ref = line.partition(" ")
                tips[ref] = tip
    branches = [
        ref.removeprefix("refs/heads/")
        for ref, tip in tips.items()
        if ref.startswith("refs/heads/") and tip == tips.get("HEAD")
    ]
    return min(branches, key=lambda branch: (branch not in ("main", "master"), branch), default=None)


async def drop_broken_refs(repository: Path) -> None:
    """Delete the refs whose objects are missing: because of one, git would fetch no other."""
    refs = list((await git_refs.read_below(repository, "refs/")).items())
    names = "".join(f"{tip}\n" for _, tip in refs).encode()
    output = await git.run(repository, "cat-file", "--batch-check=%(objecttype)", stdin=names)
    missing = [ref for (ref, _), line in zip(refs, output.splitlines(), strict=True) if line.endswith(b" missing")]
    if missing:
        await git_refs.drop_refs(repository, missing)


async def has_more_refs(remote: Remote, most: int, *patterns: str) -> bool:
    """Whether more than `most` refs of the remote match the patterns; the rest is not read."""
    output, count = git.stream(None, "ls-remote", named=[remote.url, *patterns], environment=remote.environment()), 0
    try:
        async with asyncio.timeout(HEAD_SECONDS), aclosing(git.records(output, b"\n")) as records:
            async for _ in records:
                count += 1
                if count > most:
                    return True
    except TimeoutError:
        raise git.GitCommandError("ls-remote", -1, f"ran longer than {HEAD_SECONDS} seconds") from None
    return False


async def fetch(remote: Remote, target: Path, max_bytes: int) -> None:
    """Fetch all branches and tags of the remote."""
    await fetch_untrusted(remote, target, BRANCHES_AND_TAGS, max_bytes)


async def fetch_all(remote: Remote, target: Path) -> None:
    """Make all refs of `target`, also those that are hidden from users, equal to those of a trusted remote, durably."""
    named = [remote.url, "+refs/*:refs/*"]
    await _fetch(target, "--prune", "--no-auto-gc", named=named, environment=remote.environment(trusted=True))


async def remote_refs(remote: Remote) -> dict[str, str]:
    """The objects of all refs of the remote, by full name."""
    environment = remote.environment(trusted=True)
    output = await git.run(
        None, "ls-remote", "--quiet", "--refs", named=[remote.url], environment=environment, seconds=HEAD_SECONDS
    )
    return git_refs.parse_refs(output)


async def push(source: Path, remote: Remote, refspecs: Sequence[str]) -> None:
    """Push these refs to the remote, some at a time; `git.GitCommandError` if it refuses one of them."""
    for start in range(0, len(refspecs), PUSHED_AT_ONCE):
        named = [remote.url, *refspecs[start : start + PUSHED_AT_ONCE]]
        await git.run(
            source, "push", "--quiet", "--no-verify", named=named, environment=remote.environment(),
            seconds=TIMEOUT_SECONDS,
        )  # fmt: skip


async def is_whole(repository: Path) -> bool:
    """Whether every object that a ref of the repository leads to is there."""
    try:
        await git.run(
            repository, "fsck", "--connectivity-only", "--no-dangling", "--no-progress", seconds=TIMEOUT_SECONDS
        )
    except git.GitCommandError:
        return False
    return True


async def fetch_mirror(remote: Remote, target: Path, max_bytes: int) -> None:
    """Fetch all branches and tags of the remote below `MIRROR_REFS`; those of `target` are not touched."""
    refs = [ref.replace(":refs/", f":{MIRROR_REFS}") for ref in BRANCHES_AND_TAGS]
    await fetch_untrusted(remote, target, refs, max_bytes)


async def fetch_untrusted(remote: Remote, target: Path, refspecs: Sequence[str], max_bytes: int) -> None:
    """Fetch what these refspecs name durably, checked like a push; `git.GitCommandError` if a pack is larger than `max_bytes`."""
    with tempfile.TemporaryFile() as packets:  # without a name: nothing is left of it if this process is killed
        trace = packets.fileno()
        try:
            environment = {**remote.environment(), "GIT_TRACE_PACKET": f"/dev/fd/{trace}"}
            await _fetch(
                target,
                "--prune",
                named=[remote.url, *refspecs],
                environment=environment,
                max_bytes=max_bytes,
                share=[trace],
            )
        except git.GitCommandError:
            await asyncio.to_thread(_remove_unfinished, target / "objects" / "pack")
            raise
        dumb = not packets.seek(0, SEEK_END)
    if dumb:
        await _check_objects(target, [ref.partition(":")[2].rstrip("*") for ref in refspecs])


def _remove_unfinished(packs: Path) -> None:
    """Remove packs that will never be completed."""
    for unfinished in packs.glob("tmp_pack_*"):
        unfinished.unlink(missing_ok=True)


async def _check_objects(target: Path, folders: Sequence[str]) -> None:
    """Objects fetched as plain files are unchecked, unlike those of a pack: delete the refs and objects if fsck fails."""
    try:
        await git.run(target, "fsck", "--strict", "--no-dangling", "--no-progress", seconds=TIMEOUT_SECONDS)
    except git.GitCommandError:
        await git_refs.drop_refs(target, list(await git_refs.read_below(target, *folders)))
        await git.run(target, "gc", "--quiet", "--prune=now", seconds=TIMEOUT_SECONDS)
        raise


async def fetch_commit(source: Path, target: Path, commit: str, ref: str) -> None:
    """Copy a commit and its history from another repository of this instance, durably; `ref` keeps it."""
    await _fetch(target, named=[str(source), f"+{commit}:{ref}"], environment=LOCAL)
