"""Forks: copies of a project, and their relation to the source."""

from typing import Annotated, LiteralString

from mujina.accounts.paths.rules import lock_trees
from mujina.instance.application_settings.choices import default_visibility
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.permissions.levels import VISIBILITIES, Visibility, exceeds
from mujina.kernel.secrets import Vault
from mujina.workspaces.namespaces.rules import find_target_namespace
from mujina.workspaces.projects import operations
from mujina.workspaces.projects.params import CreateProject, ForkProject
from mujina.workspaces.projects.rules import ProjectRow

BELOW: LiteralString = """below(id) AS (
        SELECT p.id FROM projects p WHERE p.forked_from_id = :id
        UNION SELECT p.id FROM projects p WHERE p.network_id = :id
        UNION SELECT p.id FROM projects p JOIN below ON below.id = p.forked_from_id)"""
"""All forks of a project, at any depth; of the first one of a network also those whose source was removed."""


class ForkCopy(Row, alias="source"):
    """A fork whose repository is being copied."""

    storage: Annotated[str, "p.repository_storage"]
    source_id: Annotated[int | None, "source.id"]
    """None: the source was deleted."""
    source_storage: Annotated[str, "coalesce(source.repository_storage, '')"]
    default_branch: str | None


async def fork(tx: Tx, vault: Vault, actor: Actor, source: ProjectRow, change: ForkProject) -> int:
    """Create a project like the source, less visible where that is not allowed.

    A job that follows the event copies the repository.
    """
    target = await find_target_namespace(tx, actor, change.namespace or "")
    # Who makes the source private at this moment lowers the fork too, or is seen here.
    await lock_trees(tx, Ref.of(target.id), project=Ref.of(source.id))
    network_id, visibility, description, shared_runners, jobs, lfs = await _copied_settings(tx, source.id)
    visibility = default_visibility(actor, await read_settings(tx), visibility, target.visibility)
    like = CreateProject(
        name=source.name if change.name is UNSET else change.name,
        path=source.path if change.path is UNSET else change.path,
        namespace_id=target.id, visibility=visibility, description=description,
        shared_runners_enabled=shared_runners, jobs_enabled=jobs, lfs_enabled=lfs,
    )  # fmt: skip
    project_id = await operations.create(tx, vault, actor, like)
    columns = {"forked_from_id": source.id, "network_id": network_id, "import_status": "scheduled"}
    await update(tx, "projects", columns, id=project_id)
    await record(
        tx, "project.forked", actor, subject_id=project_id, project_id=project_id,
        changes={"forked_from_id": (None, source.id)},
    )  # fmt: skip
    return project_id


async def relate(tx: Tx, actor: Actor, project: ProjectRow, source: ProjectRow) -> None:
    """Make the project, with its own forks, a fork of the source; 409 if it is one already, or would descend from itself."""
    await lock_trees(tx, Ref.of(source.namespace_id), project=Ref.of(project.id))
    if await _is_below(tx, source.id, project.id):
        raise errors.conflict("A project cannot be forked from itself or from one of its forks")
    changed = await tx.run(
        "UPDATE projects SET forked_from_id = :source_id, updated_at = :now WHERE id = :id AND forked_from_id IS NULL",
        id=project.id,
        source_id=source.id,
        now=clock.now(),
    )
    if not changed:
        raise errors.conflict("Project already forked")
    network_id, *_ = await _copied_settings(tx, source.id)
    await _move_to_network(tx, project.id, network_id)
    await _record(tx, actor, project, None, source.id)


async def unrelate(tx: Tx, actor: Actor, project: ProjectRow) -> None:
    """End the relation to the source; 304 if there is none. The project and its own forks become a network."""
    await lock_trees(tx, project=Ref.of(project.id))
    source_id = await tx.value(
        "SELECT p.forked_from_id FROM projects p WHERE p.id = :id FOR UPDATE OF p", id=project.id
    )
    if source_id is None:
        raise errors.not_modified()
    await update(tx, "projects", {"forked_from_id": None, "updated_at": clock.now()}, id=project.id)
    await _move_to_network(tx, project.id, project.id)
    await _record(tx, actor, project, source_id, None)


async def _move_to_network(tx: Tx, project_id: int, network_id: int) -> None:
    """The project and all forks of it belong to this network."""
    await tx.run(
        f"""WITH RECURSIVE {BELOW} UPDATE projects SET network_id = nullif(CAST(:network_id AS bigint), id)
        WHERE id = :id OR id IN (SELECT below.id FROM below)""",
        id=project_id,
        network_id=network_id,
    )


async def lower_forks(tx: Tx, event: Event) -> None:
    """Lower the visibility of all forks, at any depth, to that of the source."""
    _, visibility = event.changes.get("visibility", (None, None))
    if visibility is None:
        return
    await tx.run(
        f"""WITH RECURSIVE {BELOW} UPDATE projects SET visibility = :visibility, updated_at = :now
        WHERE id IN (SELECT below.id FROM below) AND visibility IN :wider
        """,
        id=event.subject_id,
        visibility=visibility,
        now=clock.now(),
        wider=[each for each in VISIBILITIES if exceeds(each, visibility)],
    )


async def _record(tx: Tx, actor: Actor, project: ProjectRow, old: int | None, new: int | None) -> None:
    await record(
        tx, "project.updated", actor, subject_id=project.id, project_id=project.id,
        changes={"forked_from_id": (old, new)},
    )  # fmt: skip


async def _is_below(tx: Tx, project_id: int, ancestor_id: int) -> bool:
    """Whether the project is the ancestor itself or a fork of it, at any depth."""
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


async def _copied_settings(tx: Tx, source_id: int) -> tuple[int, Visibility, str | None, bool, bool, bool]:
    """The network of the source, and the settings that its forks begin with."""
    [found] = await tx.rows(
        tuple[int, Visibility, str | None, bool, bool, bool],
        """SELECT coalesce(p.network_id, p.id), p.visibility, p.description, p.shared_runners_enabled, p.jobs_enabled,
           p.lfs_enabled FROM projects p WHERE p.id = :id""",
        id=source_id,
    )
    return found


async def begin(tx: Tx, project_id: int) -> ForkCopy | None:
    """Mark the copy as started; None if there is nothing to copy."""
    started = await tx.run(
        """UPDATE projects SET import_status = 'started'
           WHERE id = :id AND deleted_at IS NULL AND import_status IN ('scheduled', 'started')""",
        id=project_id,
    )
    if not started:
        return None
    return await tx.row(
        ForkCopy,
        f"""SELECT {ForkCopy.columns} FROM projects p
           LEFT JOIN projects source ON source.id = p.forked_from_id AND source.deleted_at IS NULL WHERE p.id = :id""",
        id=project_id,
    )


async def end(tx: Tx, project_id: int, error: str | None = None) -> None:
    """Mark the import as finished, or as failed with this error."""
    await tx.run(
        "UPDATE projects SET import_status = :status, import_error = :error WHERE id = :id AND deleted_at IS NULL",
        id=project_id,
        status="failed" if error else "finished",
        error=error,
    )
    if error is None:
        await record(tx, "repository.copied", SYSTEM, subject_id=project_id, project_id=project_id)
