"""Payloads about pipelines, their jobs, and the statuses of commits, which are shown as jobs."""

from datetime import datetime
from typing import Annotated, Any, LiteralString

import msgspec

from mujina.accounts.users.sign_in.addresses import users_by_address
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
    tag: bool
    sha: str
    before_sha: str | None
    status: str
    user_id: int | None
    duration: int | None
    created_at: str
    started_at: str | None
    finished_at: str | None


class BuildFacts(Row, alias="j"):
    """A job in the payload of its pipeline, with its runner (`runner`) and its archive (`archive`)."""

    id: int
    stage: str
    name: str
    status: str
    run_when: str
    user_id: int | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    runner_id: Annotated[int | None, "runner.id"]
    runner_description: Annotated[str | None, "runner.description"]
    runner_active: Annotated[bool, "coalesce(runner.active, FALSE)"]
    runner_shared: Annotated[bool, "coalesce(runner.runner_type = 'instance_type', FALSE)"]
    archive_name: Annotated[str | None, "archive.filename"]
    archive_size: Annotated[int | None, "archive.size"]


class BuiltPipelineSnapshot(PipelineSnapshot):
    """A pipeline with its latest jobs, by stage, as they were. The statuses of other systems are no builds of ours."""

    built: Annotated[
        str | None,
        f"""(SELECT CAST(json_agg(json_build_array({BuildFacts.columns}) ORDER BY j.stage_index, j.id) AS text)
            FROM pipeline_jobs j LEFT JOIN runners runner ON runner.id = j.runner_id
            LEFT JOIN job_artifacts archive ON archive.job_id = j.id AND archive.file_type = 'archive'
                AND archive.file IS NOT NULL
            WHERE j.pipeline_id = pl.id AND NOT j.retried)""",
    ]

    @property
    def builds(self) -> list[BuildFacts]:
        return msgspec.json.decode(self.built, type=list[BuildFacts], strict=False) if self.built else []


_PIPELINE: LiteralString = f"json_build_array({PipelineSnapshot.columns})"


class StatusSnapshot(Row, alias="s"):
    """A commit status as it was when it was reported, with its pipeline."""

    id: int
    project_id: int
    name: str
    stage: Annotated[str, "'external'"]
    status: Annotated[str, "s.state"]
    user_id: Annotated[int | None, "s.author_id"]
    allow_failure: Annotated[bool, "FALSE"]
    started_at: str | None
    finished_at: str | None
    pipeline: Annotated[PipelineSnapshot, _PIPELINE]


class JobSnapshot(Row, alias="j"):
    """A job as it was when its status changed, with its pipeline."""

    id: int
    project_id: int
    name: str
    stage: str
    status: str
    user_id: int | None
    allow_failure: bool
    started_at: str | None
    finished_at: str | None
    pipeline: Annotated[PipelineSnapshot, _PIPELINE]


PIPELINES: LiteralString = "pipelines pl"
STATUSES: LiteralString = "commit_statuses s JOIN pipelines pl ON pl.id = s.pipeline_id"
JOBS: LiteralString = "pipeline_jobs j JOIN pipelines pl ON pl.id = j.pipeline_id"


async def build_pipeline(facts: Facts, event: HookEventRow) -> list[Payload]:
    """The payloads about a change of a pipeline's status."""
    pipeline = msgspec.json.decode(event.snapshot, type=BuiltPipelineSnapshot, strict=False)
    project = await facts.project(pipeline.project_id)
    if project is None:
        return []
    builds = pipeline.builds
    body: dict[str, Any] = {
        "object_kind": "pipeline",
        "object_attributes": {
            "id": pipeline.id,
            "ref": pipeline.ref,
            "tag": pipeline.tag,
            "sha": pipeline.sha,
            "before_sha": pipeline.before_sha or ZERO,
            "status": pipeline.status,
            "stages": list(dict.fromkeys(build.stage for build in builds)) or [STAGE],
            "created_at": objects.time(pipeline.created_at),
            "finished_at": objects.time_or_none(pipeline.finished_at),
            "duration": pipeline.duration,
        },
        "user": None if pipeline.user_id is None else objects.user(await facts.user(pipeline.user_id)),
        "project": objects.project(project, twins=False),
        "commit": await facts.commit(project, pipeline.sha),
        "builds": [await _build(facts, build) for build in builds],
    }
    return [for_project("pipeline_events", body)]


async def _build(facts: Facts, build: BuildFacts) -> Object:
    runner = {
        "id": build.runner_id,
        "description": build.runner_description,
        "active": build.runner_active,
        "is_shared": build.runner_shared,
    }
    return {
        "id": build.id,
        "stage": build.stage,
        "name": build.name,
        "status": build.status,
        "created_at": objects.time(build.created_at),
        "started_at": objects.time_or_none(build.started_at),
        "finished_at": objects.time_or_none(build.finished_at),
        "when": build.run_when,
        "manual": build.run_when == "manual",
        "user": None if build.user_id is None else objects.user(await facts.user(build.user_id)),
        "runner": None if build.runner_id is None else runner,
        "artifacts_file": {"filename": build.archive_name, "size": build.archive_size},
    }


async def build_status(facts: Facts, event: HookEventRow) -> list[Payload]:
    """The payloads about a reported commit status, in the shape of a job."""
    return await _build_job(facts, msgspec.json.decode(event.snapshot, type=StatusSnapshot, strict=False))


async def build_job(facts: Facts, event: HookEventRow) -> list[Payload]:
    """The payloads about a job that was created, was started or is over."""
    return await _build_job(facts, msgspec.json.decode(event.snapshot, type=JobSnapshot, strict=False))


async def _build_job(facts: Facts, job: StatusSnapshot | JobSnapshot) -> list[Payload]:
    place = await facts.project(job.project_id)
    if place is None:
        return []
    author = await facts.user(job.user_id)
    known = author.id > 0
    pipeline = job.pipeline
    body: dict[str, Any] = {
        "object_kind": "build",
        "ref": pipeline.ref,
        "tag": pipeline.tag,
        "before_sha": pipeline.before_sha or ZERO,
        "sha": pipeline.sha,
        "build_id": job.id,
        "build_name": job.name,
        "build_stage": job.stage,
        "build_status": job.status,
        "build_started_at": objects.time_or_none(job.started_at),
        "build_finished_at": objects.time_or_none(job.finished_at),
        "build_duration": _seconds(job.started_at, job.finished_at),
        "build_allow_failure": job.allow_failure,
        "project_id": place.id,
        "project_name": f"{place.namespace_full_name} / {place.name}",
        "user": {"id": author.id, "name": author.name, "email": ""}
        if known
        else dict.fromkeys(("id", "name", "email")),
        "commit": await _commit(facts, place, pipeline),
        "repository": objects.repository(place, full=True),
    }
    return [for_project("job_events", body)]


async def _commit(facts: Facts, project: ProjectFacts, pipeline: PipelineSnapshot) -> Object:
    # Compat: `id` is the id of the pipeline.
    found = await facts.commit(project, pipeline.sha) or {}
    author = found.get("author", {"name": "", "email": ""})
    async with facts.database.reading() as tx:
        user = (await users_by_address(tx, [author["email"]])).get(author["email"])
    return {
        "id": pipeline.id,
        "sha": pipeline.sha,
        "message": found.get("message"),
        "author_name": author["name"],
        "author_email": author["email"],
        "author_url": f"mailto:{author['email']}" if user is None else web(f"/{user.username}"),
        "status": pipeline.status,
        "duration": pipeline.duration,
        "started_at": objects.time_or_none(pipeline.started_at),
        "finished_at": objects.time_or_none(pipeline.finished_at),
    }


def _seconds(start: str | None, end: str | None) -> float | None:
    if start is None or end is None:
        return None
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
