"""Pipelines as rows, and runners that ask for their jobs."""

from typing import Any

import msgspec
import pytest

from mujina.ci.language.config import JobConfig
from mujina.kernel import clock
from mujina.kernel.db.rows import insert_id

SHA = "a" * 40


@pytest.fixture
def new_jobs(cast):
    """Stores a pipeline whose jobs are pending: their ids by name."""

    def store(*configs: dict[str, Any], project=None, status: str = "pending", stage_index: int = 0, **columns: Any):
        async def write(tx):
            stamp = {"created_at": clock.now(), "updated_at": clock.now()}
            project_id = (project or cast.private).id
            pipeline_id = await insert_id(
                tx, "pipelines", project_id=project_id, iid=await tx.value("SELECT count(*) + 1 FROM pipelines"),
                ref=columns.pop("ref", "master"), sha=SHA, source="push", tag=columns.pop("tag", False),
                user_id=cast.developer.id, status="pending", **stamp,
            )  # fmt: skip
            made = {}
            for given in configs or ({},):
                config = JobConfig(**{"name": "rspec", "base_name": "rspec", "script": ["true"], **given})
                made[config.name] = await insert_id(
                    tx, "pipeline_jobs", project_id=project_id, pipeline_id=pipeline_id, name=config.name,
                    stage=config.stage, stage_index=stage_index, status=status, user_id=cast.developer.id,
                    tags=msgspec.json.encode(sorted(config.tags)).decode(), queued_at=clock.now(),
                    options=msgspec.json.encode(config).decode(), **stamp, **columns,
                )  # fmt: skip
            return made

        return cast.transact(write)

    return store


@pytest.fixture
def new_job(new_jobs):
    """Stores a pipeline with one pending job: its id."""
    return lambda project=None, *, protected=False, **config: next(
        iter(new_jobs(config, project=project, protected=protected).values())
    )


class Runner:
    """A runner of the cast's instance: it knows its own token and those of the jobs that it took."""

    def __init__(self, cast, id: int, token: str) -> None:
        self.cast, self.id, self.token = cast, id, token
        self.job_tokens: dict[int, str] = {}

    def ask(self, **more: Any):
        answer = self.cast.anonymous.post("/jobs/request", token=self.token, **more)
        if answer.status == 201:
            self.job_tokens[answer.json["id"]] = answer.json["token"]
        return answer

    def take(self) -> int | None:
        """The id of the job that it gets, None if there is none."""
        answer = self.ask()
        assert answer.status in (201, 204), answer
        return answer.json["id"] if answer.status == 201 else None

    def put(self, job: int, **report: Any):
        return self.cast.anonymous.put(f"/jobs/{job}", **{"token": self.job_tokens.get(job, "none"), **report})


@pytest.fixture
def new_runner(cast):
    """A new runner of a project, of a group, or of the instance."""

    def make(project=None, *, group=None, **settings: Any) -> Runner:
        owner: dict[str, Any] = {"runner_type": "instance_type"}
        if project is not None:
            owner = {"runner_type": "project_type", "project_id": project.id}
        if group is not None:
            owner = {"runner_type": "group_type", "group_id": group.id}
        made = cast.root.post("/user/runners", **owner, **settings)
        assert made.status == 201, made
        return Runner(cast, made.json["id"], made.json["token"])

    return make


@pytest.fixture
def take(cast, new_runner, new_job):
    """Lets a runner take a new job of the private project, which belongs to this user: the job and its token."""
    runner = new_runner(cast.private)

    def take(person="developer"):
        job = new_job()
        cast.run("UPDATE pipeline_jobs SET user_id = :id WHERE id = :job", id=getattr(cast, person).id, job=job)
        assert runner.take() == job
        return job, runner.job_tokens[job]

    return take
