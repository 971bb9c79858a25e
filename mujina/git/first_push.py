"""A push to a project that is not there makes it, private, where whoever pushes may create projects.

It is made as soon as git asks where to push to: large files come before the push itself, and need a place as well. So it
stays when the push is refused or cut, empty. The first push of its creator that goes through reports where it is, even
if another person has pushed to it by then.
"""

from contextlib import suppress

import msgspec

from mujina.git.access import Missing, Protocol, RepositoryRow, Service, check_protocol, find_repository
from mujina.kernel import urls
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.params import Ref
from mujina.kernel.scopes import API, has_scope
from mujina.kernel.secrets import Vault
from mujina.kernel.services import Services
from mujina.kernel.text import fold
from mujina.workspaces.projects import operations as projects
from mujina.workspaces.projects.params import CreateProject


async def find_or_make(
    services: Services, actor: Actor, ref: Ref, service: Service, *, wiki: bool, protocol: Protocol
) -> RepositoryRow:
    """As `find_repository`; but a project that is nowhere, and is pushed to, is made first where the actor may."""
    try:
        async with services.database.reading() as tx:
            return await find_repository(tx, actor, ref, service, wiki=wiki)
    except Missing:
        if service == "upload-pack" or wiki or not has_scope(actor, API):
            raise
    async with services.database.transaction() as tx:
        await check_protocol(tx, protocol)
        with suppress(ApiError):  # it is not theirs to make; or somebody else was quicker, and it is there
            await _make(tx, services.vault, actor, ref)
        return await find_repository(tx, actor, ref, service)


async def _make(tx: Tx, vault: Vault, actor: Actor, ref: Ref) -> None:
    above, _, path = ref.text.rpartition("/")
    namespace_id = await tx.value("SELECT r.namespace_id FROM routes r WHERE r.path_folded = :path", path=fold(above))
    if namespace_id is not None:
        wanted = CreateProject(path=path, namespace_id=namespace_id, visibility="private")
        async with tx.savepoint():
            await projects.create(tx, vault, actor, wanted, by_push=True)


async def remarks_on(tx: Tx, actor: Actor, repository: RepositoryRow, push_id: int, *, ssh: bool) -> str:
    """The message to the person who created the project by pushing; empty for other people, projects and later pushes.

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
        id=repository.id, actor=actor.id, push_id=push_id,
    )  # fmt: skip
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
