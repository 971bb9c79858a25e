"""Copying one repository or file from the primary, and reporting to it."""

import hashlib
import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

import msgspec

from mujina.adapters.git import git, refs
from mujina.adapters.git.storage import RepositoryStorage, unlock
from mujina.adapters.git.transport import copying
from mujina.adapters.git.transport.copying import Remote
from mujina.adapters.outbound.client import Outbound, OutboundStream, Timeouts
from mujina.adapters.outbound.dial import HostUnreachable
from mujina.adapters.outbound.guard import OutboundForbidden
from mujina.adapters.storage import FileStorage
from mujina.code.pushes.changes import BRANCHES, TAGS
from mujina.kernel import errors
from mujina.kernel.services import Services
from mujina.replication.files.transfers import CHECKSUM_HEADER, request_data
from mujina.replication.nodes import tokens
from mujina.replication.nodes.identity import NodeIdentity, store_identity
from mujina.replication.nodes.operations import NodeSecrets
from mujina.replication.nodes.tokens import Data
from mujina.replication.registry.operations import DueFile, DueRepository
from mujina.replication.statuses.rules import Figures
from mujina.settings import Settings

TRANSFER_TIMEOUTS: Final = Timeouts(connect=5, read=60, total=3_600)
STALE_LOCK_SECONDS: Final = 60
"""Only one process fetches into a copy, so an older lock is that of a dead one."""
MAX_REASON_LENGTH: Final = 300
MANY_REFS: Final = 10
"""A copy with at least this number of branches and tags loses more than half only after a confirmation, a smaller one all."""
LOSS: Final = (
    "The primary lacks {} of the {} branches and tags of this copy, and no push deleted them. The copy stays as it is. "
    "If they are to be deleted, run `mujina geo confirm-loss {}` on this node."
)
_REMOTE: Final = "remote: "
"""The prefix of a sentence of the primary."""
_PLACES: Final = re.compile(r"https?://\S+|'?/[\w@./-]+'?")
"""Addresses and paths in messages of git."""


class CopyFailed(Exception):
    """The copy could not be made; the message may be shown to administrators."""


class CopiedProject(msgspec.Struct, array_like=True, frozen=True):
    """The data for copying the repository of a project."""

    path: str
    storage: str
    branch: str | None


class Primary:
    """The primary of this secondary, as a client sees it."""

    def __init__(self, services: Services, identity: NodeIdentity) -> None:
        self._services = services
        self._identity = identity
        self.outbound = _outbound(identity.primary_url, services.settings.primary_ca_file)
        self.url = identity.primary_url.rstrip("/")

    def authorization(self, data: Data, *, seconds: int = tokens.LIFETIME_SECONDS) -> str:
        """The credential of this node for one request."""
        return tokens.authorization(self._identity.access_key, self._identity.secret, data, seconds=seconds)

    async def report(self, figures: Figures) -> None:
        """Tell the primary the status of this node; `HostUnreachable` or `CopyFailed` if it does not take it."""
        answer = await self.outbound.post(
            f"{self.url}/api/v4/geo/status",
            json=figures,
            headers={"Authorization": self.authorization({"status": True})},
        )
        if answer.status != 200:
            raise CopyFailed(f"the primary answered {answer.status} to a status")

    async def copy_repository(self, row: DueRepository, project: CopiedProject) -> bool:
        """Make the copy equal to the repository of the primary; whether it was still equal afterward."""
        wiki = row.kind == "wiki"
        remote = await self._remote(row, project)
        storage = RepositoryStorage.of(self._services.settings.data, project.storage)
        try:
            if not row.loss_confirmed and storage.find(row.project_id, wiki=wiki) is not None:
                await self._check_loss(row, project, await copying.remote_refs(remote))
            if row.fresh:
                await storage.replace(row.project_id, lambda draft: copying.fetch_all(remote, draft), wiki=wiki)
            else:
                repo_path = await storage.create(row.project_id, wiki=wiki)
                unlock(repo_path, STALE_LOCK_SECONDS)
                await copying.fetch_all(remote, repo_path)
            repo_path = storage.repo_path(row.project_id, wiki=wiki)
            if project.branch is not None:
                await refs.set_head(repo_path, project.branch)
            return await refs.read_below(repo_path, "refs/") == await copying.remote_refs(remote)
        except git.GitCommandError as error:
            raise CopyFailed(_reason(error)) from None

    async def _check_loss(self, row: DueRepository, project: CopiedProject, offered: Mapping[str, str]) -> None:
        """`CopyFailed` if the copy would lose all branches and tags, or most of many, and no push deleted them."""
        try:
            # Other refs are the instance's own, which deletes them without a push: of merge requests, of mirrors.
            kept = await refs.read_below(self._repo_path(row, project), BRANCHES, TAGS)
        except git.GitCommandError:
            if not row.fresh or not offered:
                raise
            return  # a power cut may leave a copy that git cannot read
        lost = kept.keys() - offered.keys()
        if not lost or not (len(lost) == len(kept) or (len(kept) >= MANY_REFS and len(lost) * 2 > len(kept))):
            return
        async with self._services.database.reading() as tx:
            deleted: list[str] = await tx.values(
                """SELECT DISTINCT c.ref FROM pushes o JOIN push_refs c ON c.push_id = o.id
                   WHERE o.project_id = :id AND o.wiki = :wiki AND o.recorded_at IS NOT NULL
                   AND c.new_id = :zero AND c.ref IN :refs""",
                id=row.project_id, wiki=row.kind == "wiki", zero=git.ZERO, refs=list(lost),
            )  # fmt: skip
        unexplained = len(lost.difference(deleted))
        if unexplained and (len(lost) == len(kept) or unexplained * 2 > len(kept)):
            wiki = " --wiki" if row.kind == "wiki" else ""
            raise CopyFailed(LOSS.format(unexplained, len(kept), f"{project.path}{wiki}"))

    async def is_equal(self, row: DueRepository, project: CopiedProject) -> bool:
        """Whether the refs of the copy are those of the primary."""
        repo_path = self._repo_path(row, project)
        if not (repo_path / "HEAD").exists():
            return False
        try:
            remote = await self._remote(row, project)
            return await refs.read_below(repo_path, "refs/") == await copying.remote_refs(remote)
        except git.GitCommandError as error:
            raise CopyFailed(_reason(error)) from None

    async def is_whole(self, row: DueRepository, project: CopiedProject) -> bool:
        """Whether the copy has all objects that its refs lead to."""
        repo_path = self._repo_path(row, project)
        return not repo_path.exists() or ((repo_path / "HEAD").exists() and await copying.is_whole(repo_path))

    def _repo_path(self, row: DueRepository, project: CopiedProject) -> Path:
        storage = RepositoryStorage.of(self._services.settings.data, project.storage)
        return storage.repo_path(row.project_id, wiki=row.kind == "wiki")

    async def _remote(self, row: DueRepository, project: CopiedProject) -> Remote:
        url = f"{self.url}/{quote(project.path)}{'.wiki' if row.kind == 'wiki' else ''}.git"
        pin = await self.outbound.pinned(url)
        credential = self.authorization(
            {"project_id": row.project_id, "wiki": row.kind == "wiki"}, seconds=tokens.FETCH_LIFETIME_SECONDS
        )
        repo_path = f"{pin.host}:{pin.port}:{pin.address}"
        return Remote(url, repo_path, credential, self._services.settings.primary_ca_file)

    async def copy_file(self, file: DueFile) -> bool:
        """Store the file if its checksum is right; False if the primary no longer has it."""
        url = f"{self.url}/api/v4/geo/transfers/{file.kind}/{file.object_id}"
        credential = self.authorization(request_data(file.kind, file.object_id, file.key))
        headers = [(b"Authorization", credential.encode()), (b"Accept-Encoding", b"identity")]
        async with self.outbound.exchange("GET", url, headers, None, TRANSFER_TIMEOUTS) as answer:
            if answer.status == 404:
                return False
            if answer.status != 200:
                raise CopyFailed(f"The primary answered {answer.status}")
            await FileStorage(self._services.settings).put(file.key, _checked(answer))
        return True

    async def remove_project(self, storage: str, project_id: int) -> None:
        """Remove the copies of a deleted project."""
        await RepositoryStorage.of(self._services.settings.data, storage).remove(project_id)


class _Refusal(msgspec.Struct, frozen=True):
    """What a primary answers to a code that it does not accept."""

    message: str


async def join_primary(settings: Settings, primary_url: str, code: str, system_identifier: str) -> NodeIdentity:
    """Make this data folder that of a secondary; 400 with a reason if the primary refuses."""
    try:
        outbound = _outbound(primary_url, settings.primary_ca_file)
    except ValueError:
        raise errors.bad_request(f"{primary_url} is not the address of a primary.") from None
    try:
        answer = await outbound.post(
            f"{primary_url.rstrip('/')}/api/v4/geo/join", json={"code": code, "system_identifier": system_identifier}
        )
    except (HostUnreachable, OutboundForbidden) as error:
        raise errors.bad_request(f"The primary did not answer: {error}") from None
    finally:
        await outbound.aclose()
    try:
        if answer.status != 200:
            reason = msgspec.json.decode(answer.body, type=_Refusal).message
            raise errors.bad_request(
                f"The primary refused: {reason}. `mujina geo add-secondary` prints another code there, which works once."
            )
        found = msgspec.json.decode(answer.body, type=NodeSecrets)
    except msgspec.MsgspecError:
        raise errors.bad_request(f"What answers at {primary_url} ({answer.status}) is not a primary.") from None
    identity = NodeIdentity(found.node_id, found.url, f"{primary_url.rstrip('/')}/", found.access_key, found.secret)
    store_identity(settings.data, identity, instance_key=found.instance_key, ssh_host_key=found.ssh_host_key)
    return identity


def _outbound(primary_url: str, ca_file: Path | None) -> Outbound:
    """A client of the primary. The operator named it when this node joined: it may be at any address."""
    parts = urlsplit(primary_url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname
    return Outbound([f"{host}:{port}"], ca_file=ca_file)


async def _checked(answer: OutboundStream) -> AsyncIterator[bytes]:
    """The pieces of a file; an error at the end if its checksum is wrong, so that nothing is stored."""
    digest = hashlib.sha256()
    async for piece in answer.chunks:
        digest.update(piece)
        yield piece
    expected = {name.lower(): value for name, value in answer.headers}.get(CHECKSUM_HEADER.lower().encode(), b"")
    if digest.hexdigest().encode() != expected:
        raise HostUnreachable("The file has another checksum than on the primary.")


def _reason(error: git.GitCommandError) -> str:
    """The message of git, without addresses and paths."""
    lines = [line for line in error.stderr.splitlines() if line.strip()]
    sentences = [line.removeprefix(_REMOTE) for line in lines if line.startswith(_REMOTE)]
    text = sentences[0] if sentences else lines[-1] if lines else f"git {error.command} ended with {error.code}"
    return _PLACES.sub("…", text)[:MAX_REASON_LENGTH]
