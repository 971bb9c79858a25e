"""Programs that others wrote for the family's server: they register, take jobs, execute and report them."""

import os
import shlex
from pathlib import Path

import pytest

from tests.ci.real_runners.programs import WIRE
from tests.harness.loopback import run_on_loopback

STORY = Path(__file__).with_name("story_on_loopback.py")


def pytest_generate_tests(metafunc):
    """The family's own runner plays the same story where `MUJINA_GITLAB_RUNNER` names it; the long form shows with a program
    that is called like it that the story would work.

    A runner sees responses, and `tests/ci/runner_api` asks for each of them on both engines: the story is told on PostgreSQL in
    the long form.
    """
    commands = {"python": ""}
    if binary := os.environ.get("MUJINA_GITLAB_RUNNER"):
        commands["family"] = shlex.quote(binary)
    if metafunc.config.getoption("--thorough"):
        commands["wire"] = shlex.join(WIRE)
    metafunc.parametrize("command", list(commands.values()), ids=list(commands))
    engines = ["sqlite", "postgres"] if metafunc.config.getoption("--thorough") else ["sqlite"]
    metafunc.parametrize("engine", engines, indirect=True)


@pytest.fixture
def engine(request):
    return request.param


@pytest.mark.long(25)
def test_a_runner_executes_pipelines(command, migrated_url, tmp_path, thorough):
    run_on_loopback(
        STORY,
        arguments=("-x", "--basetemp", str(tmp_path / "story")),
        STORY_DATABASE_URL=migrated_url,
        STORY_COMMAND=command,
        STORY_THOROUGH="yes" if thorough else "",
    )
