import pytest

from tests.harness.untouched import untouched


@pytest.fixture
def cast(cast):
    return untouched(cast)


@pytest.fixture
def issues(cast):
    return f"/projects/{cast.private.id}/issues"
