"""The project with a CI file in which pipelines are started."""

import pytest

from mujina.app import build_services
from mujina.ci.schedules.tasks import start_due_schedules, start_schedule
from mujina.kernel.jobs.tasks import Run
from mujina.settings import Settings
from tests.ci.pipelines.conftest import Ci


@pytest.fixture
def begins_with():
    return {"ci": Ci}


@pytest.fixture
def tick(cast, stage, database):
    """What the background process does when its clock has come to a time: `tick(schedule_id)`."""
    settings = Settings(data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64)
    services = build_services(settings, database)

    def tick(*ids, at="2018-01-01", times=1):
        for schedule_id in ids:
            cast.run("UPDATE pipeline_schedules SET next_run_at = :at WHERE id = :id", at=at, id=schedule_id)
        cast.root.loop.run_until_complete(start_due_schedules(Run(services, 1), ""))
        due = [key for (key,) in cast.rows("SELECT key FROM jobs WHERE task = 'schedules.start' ORDER BY id")]
        cast.run("DELETE FROM jobs WHERE task = 'schedules.start'")
        for key in due * times:
            cast.root.loop.run_until_complete(start_schedule(Run(services, 1), key))
        return [int(key) for key in due]

    return tick
