"""Payloads about pipelines and about the jobs that commit statuses stand for."""

from datetime import datetime
from typing import Annotated, Any, LiteralString

import msgspec

from mujina.code.pushes.changes import ZERO
from mujina.integrations.payloads import objects
from mujina.integrations.payloads.events import HookEventRow, Payload, for_project
from mujina.integrations.payloads.objects import Facts, Object, ProjectFacts
from mujina.kernel.db.rows import Row
from mujina.kernel.urls import web

STAGE = "external"


class PipelineSnapshot(Row, alias="pl"):
    """A pipeline as it was when its status changed."""

    id: int
    project_id: int
    ref: str
    sha: str
    status: str
    user_id: int | None
    duration: int | None
    created_at: str
    started_at: str | None
    finished_at: str | None


class StatusSnapshot(Row, alias="s"):
    """A commit status as it was when it was reported, with its pipeline."""

    id: int
    project_id: int
    sha: str
    ref: str
    name: str
    state: str
    author_id: int | None
    started_at: str | None
    finished_at: str | None
    pipeline: Annotated[PipelineSnapshot, f"json_build_array({PipelineSnapshot.columns})"]


PIPELINES: LiteralString = "pipelines pl"
STATUSES: LiteralString = "commit_statuses s JOIN pipelines pl ON pl.id = s.pipeline_id"


async def build_pipeline(facts: Facts, event: HookEventRow) -> list[Payload]:
    """The payloads about a change of a pipeline's status. The statuses of other systems are no builds of ours."""
    pipeline = msgspec.json.decode(event.snapshot, type=PipelineSnapshot, strict=False)
    project = await facts.project(pipeline.project_id)
    if project is None:
        return []
    body: dict[str, Any] = {
        "object_kind": "pipeline",
        "object_attributes": {
            "id": pipeline.id,
            "ref": pipeline.ref,
            "tag": False,
            "sha": pipeline.sha,
            "before_sha": ZERO,
            "status": pipeline.status,
            "stages": [STAGE],
            "created_at": objects.time(pipeline.created_at),
            "finished_at": objects.time_or_none(pipeline.finished_at),
            "duration": pipeline.duration,
        },
        "user": None if pipeline.user_id is None else objects.user(await facts.user(pipeline.user_id)),
        "project": objects.project(project, twins=False),
        "commit": await facts.commit(project, pipeline.sha),
        "builds": [],
    }
    return [for_project("pipeline_events", body)]


async def build_job(facts: Facts, event: HookEventRow) -> list[Payload]:
    """The payloads about a reported commit status, in the shape of a job."""
    status = msgspec.json.decode(event.snapshot, type=StatusSnapshot, strict=False)
    project = await facts.project(status.project_id)
    if project is None:
        return []
    author = await facts.user(status.author_id)
    known = author.id > 0
    body: dict[str, Any] = {
        "object_kind": "build",
        "ref": status.ref,
        "tag": False,
        "before_sha": ZERO,
        "sha": status.sha,
        "build_id": status.id,
        "build_name": status.name,
        "build_stage": STAGE,
        "build_status": status.state,
        "build_started_at": objects.time_or_none(status.started_at),
        "build_finished_at": objects.time_or_none(status.finished_at),
        "build_duration": _seconds(status.started_at, status.finished_at),
        "build_allow_failure": False,
        "project_id": project.id,
        "project_name": f"{project.namespace_full_name} / {project.name}",
        "user": {"id": author.id, "name": author.name, "email": ""}
        if known
        else dict.fromkeys(("id", "name", "email")),
        "commit": await _commit(facts, project, status.pipeline),
        "repository": objects.repository(project, full=True),
    }
    return [for_project("job_events", body)]


async def _commit(facts: Facts, project: ProjectFacts, pipeline: PipelineSnapshot) -> Object:
    # Compat: `id` is the id of the pipeline.
    found = await facts.commit(project, pipeline.sha) or {}
    author = found.get("author", {"name": "", "email": ""})
    username = await facts.username_of(author["email"])
    return {
        "id": pipeline.id,
        "sha": pipeline.sha,
        "message": found.get("message"),
        "author_name": author["name"],
        "author_email": author["email"],
        "author_url": f"mailto:{author['email']}" if username is None else web(f"/{username}"),
        "status": pipeline.status,
        "duration": pipeline.duration,
        "started_at": objects.time_or_none(pipeline.started_at),
        "finished_at": objects.time_or_none(pipeline.finished_at),
    }


def _seconds(start: str | None, end: str | None) -> float | None:
    if start is None or end is None:
        return None
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
