"""A project whose pipelines deploy and stop review environments, one for each branch."""

import pytest

from mujina.app import build_services
from mujina.ci.deployments.tasks import record_deployment
from mujina.ci.environments.tasks import stop_environments
from mujina.kernel.jobs.tasks import Run
from mujina.settings import Settings
from tests.ci.pipelines.conftest import Ci

FILE = """\
stages: [review, cleanup]
review:
  stage: review
  script: deploy
  variables: {ZONE: eu}
  environment: {name: review/$CI_COMMIT_REF_NAME, url: "https://$CI_ENVIRONMENT_SLUG.$ZONE.example.org/", on_stop: stop_review}
stop_review:
  stage: cleanup
  script: clean
  when: manual
  environment: {name: review/$CI_COMMIT_REF_NAME, action: stop}
production: {stage: cleanup, script: ship, when: manual, environment: production}
"""
TASKS = {"deployments.record": record_deployment, "environments.stop_after_deletion": stop_environments}


class Reviewed(Ci):
    def __init__(self, cast):
        super().__init__(cast)
        self.commit(action="update", **{".gitlab-ci.yml": FILE})

    @property
    def environments(self):
        return {each["name"]: each for each in self.cast.owner.get(f"{self.path}/environments").json}


@pytest.fixture
def begins_with():
    return {"ci": Reviewed}


@pytest.fixture
def work(cast, stage, database):
    """Run the tasks of environments that are enqueued, as the background process does."""
    settings = Settings(data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64)
    services = build_services(settings, database)

    def work():
        waiting = cast.rows("SELECT task, key FROM jobs WHERE task IN :tasks ORDER BY id", tasks=list(TASKS))
        cast.run("DELETE FROM jobs WHERE task IN :tasks", tasks=list(TASKS))
        for name, key in waiting:
            cast.root.loop.run_until_complete(TASKS[name](Run(services, 1), key))

    return work
