"""Whether a user or a deploy key may use a git service of a repository: one answer for HTTP, SSH and LFS.

Access is read for each request; nothing is cached.
"""

from typing import Annotated, Literal

from mujina.code.deploy_keys.rules import find_deploy_key_projects
from mujina.instance.application_settings.rules import GIT_OVER_SSH_ONLY, read_settings
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.permissions.scopes import PUSH, has_scope
from mujina.workspaces.job_token_scopes.rules import find_admitted_actor
from mujina.workspaces.projects.rules import (
    ADMIN_PROJECT,
    LFS_ENABLED,
    PROJECT_AT,
    PUSH_BRANCH,
    PUSH_CODE,
    PUSH_WIKI,
    READ_CODE,
    READ_PROJECT,
    READ_WIKI,
    find_former,
)

Service = Literal["upload-pack", "receive-pack"]
"""Git's names for reading and writing, seen from the server."""
Protocol = Literal["http", "ssh"]

PROTOCOL_DISABLED = "Git access over {} is not allowed"
UNAVAILABLE = "The service is unavailable for a moment. Please try again."
NOT_FOUND = "The project you were looking for could not be found."
NO_DOWNLOAD = "You are not allowed to download code from this project."
NO_UPLOAD = "You are not allowed to upload code for this project."
NO_PUSH = "You are not allowed to push code to this project."


class AccessDenied(Exception):
    """The request is refused; git shows the text to the user."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


class RepositoryNotFound(AccessDenied):
    """No project has or had this path. The answer equals the one for a project the user may not see."""

    def __init__(self) -> None:
        super().__init__(404, NOT_FOUND)


async def check_protocol(tx: Tx, protocol: Protocol) -> None:
    """Refuse git over a protocol that administrators have disabled."""
    only = (await read_settings(tx)).enabled_git_access_protocol
    if only is not None and only != protocol:
        raise AccessDenied(403, PROTOCOL_DISABLED.format(protocol.upper()))


class RepositoryRow(Row, alias="p"):
    """A project's repository, and the actor's rights on it."""

    id: int
    full_path: Annotated[str, "r.path"]
    storage: Annotated[str, "p.repository_storage"]
    default_branch: str | None
    requested_branch: str | None
    """The name that the creator asked for; it counts while there is no default branch."""
    lfs_enabled: Annotated[bool, LFS_ENABLED]
    level: int
    readable: Annotated[bool, READ_PROJECT]
    downloadable: Annotated[bool, READ_CODE]
    pushable: Annotated[bool, PUSH_BRANCH]
    member: Annotated[bool, PUSH_CODE]
    """May push to every branch that no protection covers."""
    administered: Annotated[bool, ADMIN_PROJECT]
    http_disabled: Annotated[bool, GIT_OVER_SSH_ONLY]
    seen_on: Annotated[str | None, "asking.last_activity_on"]
    """The last day on which the actor was active."""
    blocked: Annotated[bool, "coalesce(asking.state <> 'active' OR asking.deleted_at IS NOT NULL, FALSE)"]
    """Whether the actor was blocked after authentication."""


class WikiRepositoryRow(RepositoryRow):
    """A project's wiki, and the actor's rights on it."""

    readable: Annotated[bool, READ_WIKI]
    downloadable: Annotated[bool, READ_WIKI]
    pushable: Annotated[bool, PUSH_WIKI]


async def find_repository(tx: Tx, actor: Actor, ref: Ref, service: Service, *, wiki: bool = False) -> RepositoryRow:
    """The repository of the project at this path or former path, if the actor may use the service."""
    row = await _repository_at(tx, actor, ref, wiki=wiki)
    if row is None:
        raise RepositoryNotFound
    if not row.readable:
        raise AccessDenied(404, NOT_FOUND)
    if service == "receive-pack":
        if not has_scope(actor, PUSH):
            raise AccessDenied(403, NO_UPLOAD)
        if not row.pushable:
            raise AccessDenied(403, NO_PUSH)
    if not row.downloadable:
        raise AccessDenied(403, NO_DOWNLOAD)
    return row


async def find_repository_by_deploy_key(
    tx: Tx, fingerprint: str, ref: Ref, service: Service, *, wiki: bool = False
) -> RepositoryRow:
    """The repository of the project at this path or former path, if the deploy key may use the service."""
    row = await _repository_at(tx, SYSTEM, ref, wiki=wiki)
    can_push = {each.project_id: each.can_push for each in await find_deploy_key_projects(tx, fingerprint)}
    if row is None or row.id not in can_push or not row.readable:
        raise AccessDenied(404, NOT_FOUND)
    if service == "receive-pack" and not (can_push[row.id] and row.pushable):
        raise AccessDenied(403, NO_PUSH)
    return row


async def _repository_at(tx: Tx, actor: Actor, ref: Ref, *, wiki: bool) -> RepositoryRow | None:
    row = await _repository_now_at(tx, actor, ref, wiki=wiki)
    if row is None and (former := await find_former(tx, ref)) is not None:
        row = await _repository_now_at(tx, actor, former, wiki=wiki)
    return row


async def _repository_now_at(tx: Tx, actor: Actor, ref: Ref, *, wiki: bool) -> RepositoryRow | None:
    actor = await find_admitted_actor(tx, actor, ref)
    shape = WikiRepositoryRow if wiki else RepositoryRow
    return await tx.row(
        shape,
        f"""
        WITH {PROJECT_AT}
        SELECT {shape.columns}
        FROM p JOIN routes r ON r.project_id = p.id LEFT JOIN users asking ON asking.id = :actor
        """,
        **ref.bound,
        **actor.bound,
    )
