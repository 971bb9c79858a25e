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
    """
    commands = {"python": ""}
    if binary := os.environ.get("MUJINA_GITLAB_RUNNER"):
        commands["family"] = shlex.quote(binary)
    if metafunc.config.getoption("--thorough"):
        commands["wire"] = shlex.join(WIRE)
    metafunc.parametrize("command", list(commands.values()), ids=list(commands))


@pytest.mark.long(25)
def test_a_runner_executes_pipelines(command, migrated_url, tmp_path, thorough):
    run_on_loopback(
        STORY,
        arguments=("-x", "--basetemp", str(tmp_path / "story")),
        STORY_DATABASE_URL=migrated_url,
        STORY_COMMAND=command,
        STORY_THOROUGH="yes" if thorough else "",
    )
