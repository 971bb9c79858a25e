"""Starting a pipeline with a token: that of a trigger, or that of a running job."""

from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

from mujina.accounts.users.rules import find_active_actor
from mujina.ci.pipelines.operations import NewPipeline, PipelineVariable, Source, create_pipeline, to_variables
from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.workspaces.job_token_scopes.rules import find_admitted_actor

NOT_A_MAP: Final = "variables needs to be a map of key-valued strings"
MAX_DEPTH: Final = 10
TOO_DEEP: Final = f"Jobs have started one pipeline after the other, and no more than {MAX_DEPTH} may follow each other"
NOT_RUNNING: Final = "400 Job has to be running"


class _Token(msgspec.Struct, frozen=True):
    """A valid token, and what it starts."""

    project_id: int
    source: Source
    actor: Actor
    trigger_id: int | None = None
    depth: int = 0
    """How many pipelines, each started by a job of the one before, lead to the new one."""


class StartedPipeline(msgspec.Struct, frozen=True):
    actor: Actor
    """The user with whose rights it was started."""
    pipeline_id: int


def read_variables(given: Any) -> list[PipelineVariable]:
    """The variables of a request; 400 if they are no map of texts."""
    if given is UNSET or given is None:
        return []
    if not isinstance(given, Mapping):
        raise errors.bad_request(NOT_A_MAP)
    variables = cast("Mapping[str, Any]", given)
    if not all(isinstance(value, str) and "\0" not in value for value in variables.values()):
        raise errors.bad_request(NOT_A_MAP)
    return to_variables([{"key": key, "value": value} for key, value in variables.items()])


async def start_pipeline(
    services: Services, id: Ref, token: str, ref: str, variables: list[PipelineVariable]
) -> StartedPipeline:
    """Make a pipeline as the owner of the token, with the rights that they have now; 404 for any other token."""
    async with services.database.reading() as tx:
        found = await _find_trigger(tx, id, token) or await _find_job(tx, id, token)
    if found is None:
        raise errors.not_found_with("404 Not Found")
    if found.depth > MAX_DEPTH:
        raise errors.invalid({"base": [TOO_DEEP]})
    new = NewPipeline(source=found.source, ref=ref, variables=variables, columns={"depth": found.depth})
    pipeline_id = await create_pipeline(services, found.actor, found.project_id, new)
    if found.trigger_id is not None:
        async with services.database.transaction() as tx:
            await tx.run(
                "UPDATE pipeline_triggers SET last_used = :now WHERE id = :id", id=found.trigger_id, now=clock.now()
            )
    return StartedPipeline(found.actor, pipeline_id)


async def _find_trigger(tx: Tx, id: Ref, token: str) -> _Token | None:
    """The trigger of this project with the token; None if its owner is gone or blocked."""
    rows = await tx.rows(
        tuple[int, int, int | None],
        """SELECT p.id, tr.id, tr.owner_id FROM pipeline_triggers tr
           JOIN projects p ON p.id = tr.project_id AND p.deleted_at IS NULL
           WHERE tr.token_digest = :digest AND p.id = coalesce(
               CAST(:ref_id AS bigint), (SELECT r.project_id FROM routes r WHERE r.path_folded = :ref_path))""",
        digest=secrets.digest(token),
        **id.bound,
    )
    for project_id, trigger_id, owner_id in rows:
        owner = await find_active_actor(tx, owner_id or 0)
        if owner is not None:
            return _Token(project_id, "trigger", owner, trigger_id)
    return None


async def _find_job(tx: Tx, id: Ref, token: str) -> _Token | None:
    """The job with this token, for any project that lets it in; 400 if it is over. With its own project, it is gone."""
    rows = await tx.rows(
        tuple[str, int | None, int, int, int | None],
        """SELECT j.status, j.user_id, j.project_id, pl.depth + 1,
               (SELECT p.id FROM projects p WHERE p.deleted_at IS NULL AND p.id = coalesce(
                   CAST(:ref_id AS bigint), (SELECT r.project_id FROM routes r WHERE r.path_folded = :ref_path)))
           FROM pipeline_jobs j JOIN pipelines pl ON pl.id = j.pipeline_id
           JOIN projects own ON own.id = j.project_id AND own.deleted_at IS NULL
           WHERE j.token_digest = :digest""",
        digest=secrets.digest(token),
        **id.bound,
    )
    for status, user_id, own_id, depth, project_id in rows:
        user = await find_active_actor(tx, user_id or 0)
        if user is None or project_id is None:
            return None
        if status != "running":
            raise errors.bad_request(NOT_RUNNING)
        # A job of an administrator has no more rights than they have as a member.
        member = msgspec.structs.replace(user, admin=False)
        job = msgspec.structs.replace(member, job_project_id=own_id)
        if (await find_admitted_actor(tx, job, Ref.of(project_id))).anonymous:
            return None
        return _Token(project_id, "pipeline", member, depth=depth)
    return None
