"""The project with a CI file that a folder's `begins_with` makes, and the runner of its jobs."""

import pytest

from tests.ci.running_jobs import Runner


@pytest.fixture
def ci(cast, stage):
    return stage.made.seen_by(cast)


@pytest.fixture
def runner(ci, cast, stage):
    return Runner(ci, cast, stage.folder)
