import pytest

from tests.harness.untouched import untouched


@pytest.fixture
def cast(cast):
    return untouched(cast)
