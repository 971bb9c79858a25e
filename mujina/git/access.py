"""May this person do this with this repository: one answer for HTTP, SSH and LFS, read anew for each request."""

from typing import Literal

import msgspec

from mujina.adapters.git_storage import RepositoryStorage
from mujina.code.deploy_keys.rules import find_opened
from mujina.instance.application_settings.rules import GIT_OVER_SSH_ONLY, read_settings
from mujina.kernel.actor import SYSTEM, Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import Ref
from mujina.kernel.services import Services
from mujina.workspaces.projects.rules import (
    LFS_ENABLED,
    PROJECT_AT,
    PUSH_CODE,
    PUSH_WIKI,
    READ_CODE,
    READ_PROJECT,
    READ_WIKI,
)

Service = Literal["upload-pack", "receive-pack"]
"""What git calls reading and writing, seen from the server."""
Protocol = Literal["http", "ssh"]
"""The ways by which git comes in."""

CLOSED = "Git access over {} is not allowed"
UNAVAILABLE = "The service is unavailable for a moment. Please try again."
NOT_FOUND = "The project you were looking for could not be found."
NO_DOWNLOAD = "You are not allowed to download code from this project."
NO_UPLOAD = "You are not allowed to upload code for this project."
NO_PUSH = "You are not allowed to push code to this project."


class Denied(Exception):
    """Refused, in the words git shows to the person."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


class Missing(Denied):
    """No project answers at this path, and none has moved away from it: told like one that may not be seen."""

    def __init__(self) -> None:
        super().__init__(404, NOT_FOUND)


async def check_protocol(tx: Tx, protocol: Protocol) -> None:
    """Refuse git by a way that administrators have closed."""
    only = (await read_settings(tx)).enabled_git_access_protocol
    if only is not None and only != protocol:
        raise Denied(403, CLOSED.format(protocol.upper()))


class RepositoryRow(msgspec.Struct, array_like=True, frozen=True):
    """What the doors of git need to know of a project, for whoever asks."""

    id: int
    full_path: str
    storage: str
    default_branch: str | None
    archived: bool
    lfs_enabled: bool
    level: int
    readable: bool
    downloadable: bool
    pushable: bool
    http_closed: bool
    """Whether git goes over SSH alone."""
    seen_on: str | None
    """The last day on which whoever asks did something."""
    blocked: bool
    """Whether whoever asks has been blocked since they were let in."""


_CODE = f"{READ_PROJECT.one}, {READ_CODE.one}, {PUSH_CODE.one}"
_WIKI = f"{READ_WIKI.one}, {READ_WIKI.one}, {PUSH_WIKI.one}"


async def find_repository(tx: Tx, actor: Actor, ref: Ref, service: Service, *, wiki: bool = False) -> RepositoryRow:
    """The project whose repository is meant, by its path or a former one, if the actor may use this service of it."""
    row = await _repository_at(tx, actor, ref, wiki=wiki)
    if row is None:
        raise Missing
    if not row.readable:
        raise Denied(404, NOT_FOUND)
    if not row.downloadable:
        raise Denied(403, NO_DOWNLOAD)
    if service == "receive-pack":
        if "api" not in actor.scopes:
            raise Denied(403, NO_UPLOAD)
        if not row.pushable:
            raise Denied(403, NO_PUSH)
    return row


async def find_deployed(tx: Tx, key: str, ref: Ref, service: Service, *, wiki: bool = False) -> RepositoryRow:
    """The project whose repository is meant, by its path or a former one, if the deploy key of this print opens it."""
    row = await _repository_at(tx, SYSTEM, ref, wiki=wiki)
    opened = {each.project_id: each.can_push for each in await find_opened(tx, key)}
    if row is None or row.id not in opened or not row.readable:
        raise Denied(404, NOT_FOUND)
    if service == "receive-pack" and not (opened[row.id] and row.pushable):
        raise Denied(403, NO_PUSH)
    return row


FORMER = """
    SELECT f.project_id FROM former_paths f WHERE f.path_folded = :ref_path AND CAST(:ref_id AS bigint) IS NULL"""


async def _repository_at(tx: Tx, actor: Actor, ref: Ref, *, wiki: bool) -> RepositoryRow | None:
    row = await _repository_now_at(tx, actor, ref, wiki=wiki)
    if row is None and (former := await tx.value(FORMER, **ref.bound)) is not None:
        row = await _repository_now_at(tx, actor, Ref.of(former), wiki=wiki)
    return row


async def _repository_now_at(tx: Tx, actor: Actor, ref: Ref, *, wiki: bool) -> RepositoryRow | None:
    return await tx.row(
        RepositoryRow,
        f"""
        WITH {PROJECT_AT}
        SELECT p.id, r.path, p.repository_storage, p.default_branch, p.archived, {LFS_ENABLED}, p.level,
               {_WIKI if wiki else _CODE}, {GIT_OVER_SSH_ONLY},
               asking.last_activity_on, coalesce(asking.state <> 'active' OR asking.deleted_at IS NOT NULL, FALSE)
        FROM p JOIN routes r ON r.project_id = p.id LEFT JOIN users asking ON asking.id = :actor
        """,
        **ref.bound,
        **actor.bound,
    )


def storage_of(services: Services, repository: RepositoryRow) -> RepositoryStorage:
    return RepositoryStorage.of(services.settings.data, repository.storage)
