"""A job that runs."""

import pytest

from tests.ci.running_jobs import RunnerCi


@pytest.fixture
def begins_with():
    return {"ci": RunnerCi}
