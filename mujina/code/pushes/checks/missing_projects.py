"""A push to a path without a project creates it, private, where the user may create projects.

A former path leads to the project that was there, for users who may push to it. For other users it is a path without a
project, and the redirect ends when they create one.

The project is created when git asks for the repository, because LFS objects are sent before the push itself and need a
project too. It therefore remains, empty, when the push is rejected or interrupted. The first recorded push of its
creator reports where it is, even if another user has pushed to it before.
"""

from contextlib import suppress

import msgspec

from mujina.code.pushes.access import (
    AccessDenied,
    Protocol,
    RepositoryNotFound,
    RepositoryRow,
    Service,
    check_protocol,
    find_repository,
)
from mujina.kernel import urls
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.scopes import API, has_scope
from mujina.kernel.secrets import Vault
from mujina.kernel.services import Services
from mujina.kernel.text.folding import fold
from mujina.workspaces.projects import operations as projects
from mujina.workspaces.projects.params import CreateProject
from mujina.workspaces.projects.rules import find_former


async def find_or_create_repository(
    services: Services, actor: Actor, ref: Ref, service: Service, *, wiki: bool, protocol: Protocol
) -> RepositoryRow:
    """Finds as `find_repository` does; a push to a path without a project creates it first, where the actor may."""
    async with services.database.reading() as tx:
        try:
            return await find_repository(tx, actor, ref, service, wiki=wiki)
        except AccessDenied as denied:
            if service == "upload-pack" or wiki or not has_scope(actor, API):
                raise
            if not isinstance(denied, RepositoryNotFound) and await find_former(tx, ref) is None:
                raise
    async with services.database.transaction() as tx:
        await check_protocol(tx, protocol)
        with suppress(ApiError):  # the actor may not create it, or a concurrent request has created it
            await _create_project(tx, services.vault, actor, ref)
        return await find_repository(tx, actor, ref, service)


async def _create_project(tx: Tx, vault: Vault, actor: Actor, ref: Ref) -> None:
    parent, _, path = ref.text.rpartition("/")
    namespace_id = await tx.value("SELECT r.namespace_id FROM routes r WHERE r.path_folded = :path", path=fold(parent))
    if namespace_id is not None:
        params = CreateProject(path=path, namespace_id=namespace_id, visibility="private")
        async with tx.savepoint():
            await projects.create(tx, vault, actor, params, by_push=True)


async def message_about(tx: Tx, actor: Actor, repository: RepositoryRow, push_id: int, *, ssh: bool) -> str:
    """The message to the user who created the project by pushing; empty for other users, projects and later pushes.

    `push_id` is a recorded push. Of pushes recorded at the same time at least one gets the message: the oldest.
    """
    recorded = await tx.value(
        """
        SELECT e.changes FROM events e
        WHERE e.subject_kind = 'project' AND e.subject_id = :id AND e.kind = 'project.created' AND e.actor_id = :actor
        AND NOT EXISTS (
            SELECT 1 FROM pushes o WHERE o.project_id = :id AND o.actor_id = :actor AND o.id < :push_id
            AND NOT o.wiki AND o.recorded_at IS NOT NULL)
        """,
        id=repository.id,
        actor=actor.id,
        push_id=push_id,
    )
    if recorded is None or "by_push" not in msgspec.json.decode(recorded):
        return ""
    path = repository.full_path
    return f"""
The private project {path} was created.

To configure the remote, run:
  git remote add origin {urls.ssh(path) if ssh else urls.web(f"/{path}.git")}

To view the project, visit:
  {urls.web(f"/{path}")}

"""
