import pytest

from tests.harness.directory_world import DirectoryWorld


@pytest.fixture
def world(directory_world: DirectoryWorld) -> DirectoryWorld:
    return directory_world
