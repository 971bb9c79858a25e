"""One running server for each module and engine."""

from collections.abc import Iterator

import pytest

from tests.git.forge import Forge, opened
from tests.harness.stage import Stage


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests of a server run on both engines, except those `on_sqlite` and those of a module that names its `ENGINES`."""
    own = any("forge" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "forge" in metafunc.fixturenames and not own:
        engines = getattr(metafunc.module, "ENGINES", ("sqlite", "postgres"))
        metafunc.parametrize("forge", engines, indirect=True, scope="module")


@pytest.fixture(scope="module")
def forge(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forge]:
    """A running server with the cast; every repository in it is still sound when the module has ended."""
    stage = request.getfixturevalue(f"_{request.param}_stage")
    with opened(stage, tmp_path_factory.mktemp("forge")) as forge:
        yield forge
        for project in forge.projects:
            if forge.repository(project).folder.exists():
                forge.repository(project).do("fsck", "--strict", "--full")


@pytest.fixture
def one_stage(request: pytest.FixtureRequest) -> Stage:
    """For servers of a test's own, where the engine makes no difference."""
    return request.getfixturevalue("_sqlite_stage")
