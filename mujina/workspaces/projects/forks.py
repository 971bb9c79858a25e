"""Forks: a project made after another, and the relation between the two."""

import msgspec

from mujina.kernel import clock, errors
from mujina.kernel.access import VISIBILITIES, exceeds
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.kernel.params import UNSET
from mujina.kernel.secrets import Vault
from mujina.workspaces.namespaces.rules import find_target_namespace
from mujina.workspaces.projects import operations
from mujina.workspaces.projects.params import CreateProject, ForkProject
from mujina.workspaces.projects.rules import ProjectRow


class Copying(msgspec.Struct, array_like=True, frozen=True):
    """A fork whose repository is on its way."""

    storage: str
    source_id: int | None
    """None: the source is gone."""
    source_storage: str
    default_branch: str | None


async def fork(tx: Tx, vault: Vault, actor: Actor, source: ProjectRow, change: ForkProject) -> int:
    """A new project like the source, no more visible than it; its repository is copied by the job that follows."""
    target = await find_target_namespace(tx, actor, change.namespace or "")
    visibility, ceiling = source.visibility, target.visibility
    if ceiling is not None and exceeds(visibility, ceiling):
        visibility = ceiling
    description, shared_runners, jobs, lfs = await _traits(tx, source.id)
    like = CreateProject(
        name=source.name if change.name is UNSET else change.name,
        path=source.path if change.path is UNSET else change.path,
        namespace_id=target.id, visibility=visibility, description=description,
        shared_runners_enabled=shared_runners, jobs_enabled=jobs, lfs_enabled=lfs,
    )  # fmt: skip
    project_id = await operations.create(tx, vault, actor, like)
    await tx.run(
        "UPDATE projects SET forked_from_id = :source_id, import_status = 'scheduled' WHERE id = :id",
        id=project_id, source_id=source.id,
    )  # fmt: skip
    await record(
        tx, "project.forked", actor, subject_id=project_id, project_id=project_id,
        changes={"forked_from_id": (None, source.id)},
    )  # fmt: skip
    return project_id


async def relate(tx: Tx, actor: Actor, project: ProjectRow, source: ProjectRow) -> None:
    """The project counts as a fork of the source from now on; 409 if it is one already, or would descend from itself."""
    if await _is_below(tx, source.id, project.id):
        raise errors.conflict("A project cannot be forked from itself or from one of its forks")
    changed = await tx.run(
        "UPDATE projects SET forked_from_id = :source_id, updated_at = :now WHERE id = :id AND forked_from_id IS NULL",
        id=project.id, source_id=source.id, now=clock.now(),
    )  # fmt: skip
    if not changed:
        raise errors.conflict("Project already forked")
    await _tell(tx, actor, project, None, source.id)


async def part(tx: Tx, actor: Actor, project: ProjectRow) -> None:
    """The project is nobody's fork any more; 304 if it was none."""
    source_id = await tx.value(
        "SELECT p.forked_from_id FROM projects p WHERE p.id = :id FOR UPDATE OF p", id=project.id
    )
    if source_id is None:
        raise errors.not_modified()
    await tx.run(
        "UPDATE projects SET forked_from_id = NULL, updated_at = :now WHERE id = :id", id=project.id, now=clock.now()
    )
    await _tell(tx, actor, project, source_id, None)


async def lower_forks(tx: Tx, event: Event) -> None:
    """No fork shows more than what it was forked from, however far down."""
    _, visibility = event.changes.get("visibility", (None, None))
    if visibility is None:
        return
    await tx.run(
        """
        WITH RECURSIVE below(id) AS (
            SELECT p.id FROM projects p WHERE p.forked_from_id = :id
            UNION SELECT p.id FROM projects p JOIN below ON below.id = p.forked_from_id)
        UPDATE projects SET visibility = :visibility, updated_at = :now
        WHERE id IN (SELECT below.id FROM below) AND visibility IN :wider
        """,
        id=event.subject_id, visibility=visibility, now=clock.now(),
        wider=[each for each in VISIBILITIES if exceeds(each, visibility)],
    )  # fmt: skip


async def _tell(tx: Tx, actor: Actor, project: ProjectRow, old: int | None, new: int | None) -> None:
    await record(
        tx, "project.updated", actor, subject_id=project.id, project_id=project.id,
        changes={"forked_from_id": (old, new)},
    )  # fmt: skip


async def _is_below(tx: Tx, project_id: int, ancestor_id: int) -> bool:
    """Whether the project is the other one, or a fork of it, or a fork of such a fork."""
    found = await tx.value(
        """
        WITH RECURSIVE above(id) AS (
            SELECT CAST(:project_id AS bigint)
            UNION SELECT p.forked_from_id FROM projects p JOIN above ON above.id = p.id
            WHERE p.forked_from_id IS NOT NULL)
        SELECT 1 FROM above WHERE above.id = :ancestor_id
        """,
        project_id=project_id,
        ancestor_id=ancestor_id,
    )
    return found is not None


async def _traits(tx: Tx, source_id: int) -> tuple[str | None, bool, bool, bool]:
    found = await tx.row(
        tuple[str | None, bool, bool, bool],
        """SELECT p.description, p.shared_runners_enabled, p.jobs_enabled, p.lfs_enabled FROM projects p
           WHERE p.id = :id""",
        id=source_id,
    )
    assert found is not None
    return found


async def begin(tx: Tx, project_id: int) -> Copying | None:
    """The copying has started; None if there is nothing left to do."""
    started = await tx.run(
        """UPDATE projects SET import_status = 'started'
           WHERE id = :id AND deleted_at IS NULL AND import_status IN ('scheduled', 'started')""",
        id=project_id,
    )
    if not started:
        return None
    return await tx.row(
        Copying,
        """SELECT p.repository_storage, source.id, coalesce(source.repository_storage, ''), source.default_branch
           FROM projects p
           LEFT JOIN projects source ON source.id = p.forked_from_id AND source.deleted_at IS NULL WHERE p.id = :id""",
        id=project_id,
    )


async def end(tx: Tx, project_id: int, error: str | None = None) -> None:
    """The repository is there, or it is said why not."""
    await tx.run(
        "UPDATE projects SET import_status = :status, import_error = :error WHERE id = :id AND deleted_at IS NULL",
        id=project_id, status="failed" if error else "finished", error=error,
    )  # fmt: skip
