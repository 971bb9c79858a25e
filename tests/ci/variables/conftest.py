"""A job of a pipeline, as rows, and the variables that it gets."""

from typing import Any

import msgspec
import pytest

from mujina.app import build_services
from mujina.ci.language.config import JobConfig
from mujina.ci.variables.job_variables import (
    PIPELINE_VALUE,
    VariableRunner,
    find_facts,
    job_variables,
    load_stored,
)
from mujina.kernel import clock
from mujina.kernel.db.rows import insert_id
from mujina.kernel.services import Services
from mujina.settings import Settings

TOKEN = "token-of-the-job"
MESSAGE = "Add a file\n\nFor a reason.\n"


@pytest.fixture
def services(stage, database) -> Services:
    settings = Settings(data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64)
    return build_services(settings, database)


@pytest.fixture
def new_job(cast, services):
    """Store a pipeline with a job, and return the id of the job."""

    def store(options: dict[str, Any] | None = None, given: dict[str, str] | None = None, **columns: Any) -> int:
        now = clock.now()
        config = JobConfig(name="rspec", base_name="rspec", **options or {})
        of_job = {name: columns.pop(name) for name in ("run_when", "protected") if name in columns}

        async def write(tx):
            iid = await tx.value("SELECT count(*) + 1 FROM pipelines")
            pipeline = {
                "project_id": cast.private.id, "iid": iid, "ref": "feature/X_1", "sha": "a" * 40, "source": "push",
                "user_id": cast.developer.id, "created_at": now, "updated_at": now, **columns,
            }  # fmt: skip
            pipeline_id = await insert_id(tx, "pipelines", **pipeline)
            for key, value in (given or {}).items():
                stored = services.vault.encrypt(value, PIPELINE_VALUE)
                await insert_id(tx, "pipeline_variables", pipeline_id=pipeline_id, key=key, value=stored)
            return await insert_id(
                tx, "pipeline_jobs", project_id=pipeline["project_id"], pipeline_id=pipeline_id, name=config.name,
                stage=config.stage, stage_index=0,
                user_id=cast.developer.id, options=msgspec.json.encode(config).decode(), created_at=now, updated_at=now,
                environment=config.environment.name if config.environment else None, **of_job,
            )  # fmt: skip

        return cast.transact(write)

    return store


@pytest.fixture
def variables_of(cast, services):
    """The variables of a job, in their order."""

    def load(job_id: int):
        runner = VariableRunner(7, "A runner", ["docker", "linux"])

        async def read(tx):
            facts = await find_facts(tx, job_id)
            stored = await load_stored(tx, services.vault, facts)
            return job_variables(services.settings, facts, stored, token=TOKEN, message=MESSAGE, runner=runner)

        return cast.transact(read)

    return load
