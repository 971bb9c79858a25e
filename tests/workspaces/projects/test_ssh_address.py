"""Clone URLs over SSH name the address at which users reach it, which may not be where the server listens."""

import re

import pytest

from mujina.app import build, build_services
from mujina.settings import Settings
from tests.architecture.source import ROOT
from tests.harness.browsers import browser_of
from tests.harness.cast import bind
from tests.harness.client import Client

CASES = [
    ("ssh://git.example.com:2200", "ssh://git@git.example.com:2200/"),
    ("ssh://git.example.com", "git@git.example.com:"),
    (None, "ssh://git@mujina.test:2222/"),
]


@pytest.mark.parametrize(("external", "start"), CASES)
def test_api_and_pages_name_the_external_address_of_ssh(stage, database, external, start):
    settings = Settings(
        data=stage.folder, jobs="inline", external_url="http://mujina.test", ssh_external_url=external,
        password_kilobytes=64,
    )  # fmt: skip
    client = Client(build(build_services(settings, database)), stage.loop)
    cast = bind(stage.roster, client, database)
    project = cast.guest.get(f"/projects/{cast.public.id}").json
    expected = f"{start}{project['path_with_namespace']}.git"
    assert project["ssh_url_to_repo"] == expected
    page = browser_of(cast.master, database, client).open(f"/{project['path_with_namespace']}")
    assert expected in page.text


def test_every_entry_point_and_job_knows_the_external_address_of_ssh():
    """Requests, git over HTTP and SSH, payloads of hooks and mails take it from the settings."""
    built = {
        (path.name, line.strip())
        for path in (ROOT / "mujina").rglob("*.py")
        for line in path.read_text().splitlines()
        if re.search(r"InstanceAddress\(.*(settings|base, )", line)
    }
    assert [line for line in built if "*" not in line[1]] == []
    assert len(built) >= 4
