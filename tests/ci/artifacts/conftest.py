"""A job that runs."""

import pytest

from tests.ci.running_jobs import Runner, RunnerCi


@pytest.fixture
def begins_with():
    return {"ci": RunnerCi}


@pytest.fixture
def ci(cast, stage):
    return stage.made.seen_by(cast)


@pytest.fixture
def runner(ci, cast, stage):
    return Runner(ci, cast, stage.folder)
