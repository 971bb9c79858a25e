"""Creating, editing, stopping and deleting environments."""

import contextlib
from datetime import timedelta
from typing import Any, Final

from mujina.ci.environments.params import CreateEnvironment, EditEnvironment
from mujina.ci.environments.rules import EnvironmentRow, find_environment
from mujina.ci.environments.slugs import new_slug
from mujina.ci.jobs import operations as jobs
from mujina.ci.language.config import JobEnvironment
from mujina.ci.language.keys.environments import BAD_NAME, MAX_LENGTH, NAME
from mujina.ci.pipelines.rules import find_job
from mujina.code.pipelines.rules import WRITE_PIPELINES
from mujina.kernel import clock, errors
from mujina.kernel.db.errors import unique
from mujina.kernel.db.rows import changed_columns, delete_row, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import Event, record
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import is_url

BAD_URL: Final = "must be a valid URL"
FIXED_SLUG: Final = "slug is automatically generated and cannot be changed"


async def create(tx: Tx, actor: Actor, project_id: int, change: CreateEnvironment) -> int:
    """A new environment; its name is unique in the project."""
    url = change.external_url or None
    _check_slug(change)
    _check(change.name, url)
    environment_id = await _insert(tx, actor, project_id, change.name, external_url=url, tier=change.tier or None)
    if environment_id is None:
        raise errors.taken("name")
    return environment_id


async def edit(tx: Tx, actor: Actor, environment: EnvironmentRow, change: EditEnvironment) -> None:
    """Apply the change. The slug stays."""
    columns = {name: value or None for name, value in change.sent_fields().items() if name != "slug"}
    _check_slug(change)
    _check(columns.get("name", environment.name) or "", columns.get("external_url"))
    with unique("name"):
        await _update(tx, actor, environment, columns)


async def remove(tx: Tx, actor: Actor, environment: EnvironmentRow) -> None:
    """Delete the environment and its deployments."""
    await delete_row(tx, "environments", "Environment", id=environment.id)
    await record(
        tx, "environment.deleted", actor, subject_id=environment.id, project_id=environment.project_id,
        changes={"name": (environment.name, None)},
    )  # fmt: skip


async def find_or_create(tx: Tx, actor: Actor, project_id: int, name: str) -> EnvironmentRow:
    """The environment of this name, which exists from now on."""
    _check(name, None)
    await _insert(tx, actor, project_id, name)
    [found] = await tx.rows(
        EnvironmentRow,
        f"SELECT {EnvironmentRow.columns} FROM environments en WHERE en.project_id = :project_id AND en.name = :name",
        project_id=project_id,
        name=name,
    )
    return found


async def ensure_of_job(tx: Tx, event: Event) -> None:
    """The environment of a job exists from the moment the job does; a name that no environment can have makes none."""
    name = event.changes["environment"]
    if event.project_id is not None and NAME.fullmatch(name) and len(name) <= MAX_LENGTH:
        await _insert(tx, event.actor, event.project_id, name)


async def open_at(
    tx: Tx, actor: Actor, environment: EnvironmentRow, url: str | None, declared: JobEnvironment | None = None
) -> None:
    """The environment is available, at this address if one is given.

    A job that declares it also decides when it is stopped, and of which tier it is.
    """
    columns: dict[str, Any] = {"state": "available"}
    if url and is_url(url):
        columns["external_url"] = url
    if declared is not None:
        seconds = declared.auto_stop_in
        columns["auto_stop_at"] = clock.later(timedelta(seconds=seconds)) if seconds else None
    if declared is not None and declared.deployment_tier is not None:
        columns["tier"] = declared.deployment_tier
    await _update(tx, actor, environment, columns)


async def close(tx: Tx, actor: Actor, environment: EnvironmentRow) -> bool:
    """The environment is stopped; whether it was not. No job runs."""
    stopped = await tx.run(
        """UPDATE environments SET state = 'stopped', auto_stop_at = NULL, updated_at = :now
           WHERE id = :id AND state <> 'stopped'""",
        now=clock.now(),
        id=environment.id,
    )
    if not stopped:
        return False
    await record(
        tx, "environment.stopped", actor, subject_id=environment.id, project_id=environment.project_id,
        changes={"name": environment.name, "state": (environment.state, "stopped")},
    )  # fmt: skip
    return True


async def stop(tx: Tx, actor: Actor, environment: EnvironmentRow) -> None:
    """Stop the environment, and play the job that its last deployment named for this."""
    if not await close(tx, actor, environment):
        return
    job_id = await find_stop_job(tx, environment.id)
    if job_id is not None:
        with contextlib.suppress(errors.BadRequest, errors.Forbidden):  # it has begun already
            await jobs.play(tx, actor, job_id)


async def stop_checked(tx: Tx, actor: Actor, project_id: int, environment_id: int) -> None:
    """Stop the environment, if the actor may also play the job that does it; 403 or 404 otherwise."""
    environment = await find_environment(tx, project_id, environment_id)
    await _check_stop_job(tx, actor, environment)
    await stop(tx, actor, environment)


async def may_stop(tx: Tx, actor: Actor, environment: EnvironmentRow) -> bool:
    """Whether the actor may play the job that stops the environment, if there is one."""
    try:
        await _check_stop_job(tx, actor, environment)
    except errors.ApiError:
        return False
    return True


async def _check_stop_job(tx: Tx, actor: Actor, environment: EnvironmentRow) -> None:
    job_id = await find_stop_job(tx, environment.id)
    if job_id is not None:
        await find_job(tx, actor, Ref.of(environment.project_id), job_id, to=WRITE_PIPELINES)


async def find_stop_job(tx: Tx, environment_id: int) -> int | None:
    """The job that stops what was deployed last: the newest of its name in the same pipeline."""
    return await tx.value(
        """SELECT stopping.id FROM deployments d JOIN pipeline_jobs j ON j.id = d.job_id
           JOIN pipeline_jobs stopping ON stopping.pipeline_id = j.pipeline_id AND stopping.name = d.on_stop
               AND NOT stopping.retried
           WHERE d.id = (SELECT max(last.id) FROM deployments last WHERE last.environment_id = :id)
           ORDER BY stopping.id DESC LIMIT 1""",
        id=environment_id,
    )


def _check_slug(change: CreateEnvironment | EditEnvironment) -> None:
    if change.slug:
        raise errors.unacceptable(FIXED_SLUG)


def _check(name: str, url: str | None) -> None:
    problems = Problems()
    problems.require("name", name, MAX_LENGTH)
    if name and not NAME.fullmatch(name):
        problems.add("name", BAD_NAME)
    problems.limit("external_url", url, MAX_LENGTH)
    if url and not is_url(url):
        problems.add("external_url", BAD_URL)
    problems.refuse()


async def _insert(tx: Tx, actor: Actor, project_id: int, name: str, **columns: str | None) -> int | None:
    """The id of the new environment; None if one has this name."""
    environment_id: int | None = await insert_id(
        tx, "environments", "ON CONFLICT (project_id, name) DO NOTHING", project_id=project_id, name=name,
        slug=new_slug(name), **columns, **timestamps(),
    )  # fmt: skip
    if environment_id is not None:
        await record(
            tx, "environment.created", actor, subject_id=environment_id, project_id=project_id,
            changes={"name": (None, name)},
        )  # fmt: skip
    return environment_id


async def _update(tx: Tx, actor: Actor, environment: EnvironmentRow, columns: dict[str, Any]) -> None:
    changes = changed_columns(environment, columns)
    if not changes:
        return
    await update(tx, "environments", {**columns, "updated_at": clock.now()}, id=environment.id)
    await record(
        tx, "environment.updated", actor, subject_id=environment.id, project_id=environment.project_id, changes=changes
    )
