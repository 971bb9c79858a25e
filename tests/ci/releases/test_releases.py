"""`release` of a job: its tag and its description exist when the job has succeeded."""

import pytest

from tests.ci.pipelines.conftest import Ci
from tests.ci.running_jobs import Runner

FILE = """\
ship:
  script: make
  variables: {VERSION: v1.0}
  release: {tag_name: $VERSION, description: "Made of $CI_COMMIT_REF_NAME, $SECRET", tag_message: $VERSION}
  rules: [{if: $CI_COMMIT_BRANCH}]
"""


class Releasing(Ci):
    def __init__(self, cast):
        super().__init__(cast)
        self.file(FILE)


@pytest.fixture
def begins_with():
    return {"ci": Releasing}


@pytest.fixture
def runner(ci, cast, stage):
    return Runner(ci, cast, stage.folder, "ship")


def release(ci, cast, runner, outcome="success"):
    runner.finish(outcome)
    runner.work()
    return {tag["name"]: tag for tag in cast.owner.get(f"{ci.path}/repository/tags").json}


def test_a_job_that_succeeds_makes_its_release(ci, cast, runner):
    cast.owner.post(f"{ci.path}/variables", key="SECRET", value="very-hidden", masked=True)
    made = release(ci, cast, runner)["v1.0"]
    assert made["release"] == {"tag_name": "v1.0", "description": "Made of master, "}
    assert (made["message"], made["commit"]["id"]) == ("v1.0", cast.owner.get(runner.path).json["commit"]["id"])


def test_a_job_that_fails_makes_none(ci, cast, runner):
    assert release(ci, cast, runner, "failed") == {}


def test_a_tag_that_exists_stays_where_it_is(ci, cast, runner):
    first = cast.owner.post(f"{ci.path}/repository/tags", tag_name="v1.0", ref=ci.sha).json
    made = release(ci, cast, runner)["v1.0"]
    assert (made["commit"]["id"], made["release"]["description"]) == (first["commit"]["id"], "Made of master, ")


def test_a_user_who_may_not_create_the_tag_makes_no_release(ci, cast, runner):
    cast.run("UPDATE pipeline_jobs SET user_id = :id", id=cast.stranger.id)
    assert release(ci, cast, runner) == {}
