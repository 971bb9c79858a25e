from collections.abc import Iterator

import pytest

from mujina.app import build, build_services
from mujina.settings import Settings
from tests.harness.browsers import browser_of
from tests.harness.client import Client
from tests.harness.running import RunningServer
from tests.moving.forge_server import ForgeServer
from tests.moving.move_world import NEW, TOKEN, issue, project
from tests.moving.world import World


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The source of all tests here: they add to it, and take nothing away."""
    folder = tmp_path_factory.mktemp("source")
    server = RunningServer(folder / "data", f"sqlite:///{folder / 'mujina.db'}")
    server.start()
    yield World(server)
    server.kill()


@pytest.fixture
def source():
    names = ("app", "tool", "website")
    found = [project(number, f"team/{name}") for number, name in enumerate(names, 1)]
    with ForgeServer() as server:
        server.answers = {"/api/v4/version": {"version": "16.0"}, "/api/v4/projects": found}
        for number, name in enumerate(names, 1):
            server.answers[f"/api/v4/projects/team%2F{name}"] = found[number - 1]
            here = f"/api/v4/projects/{number}"
            for noun in ("milestones", "boards", "merge_requests", "releases", "protected_branches", "protected_tags"):
                server.answers[f"{here}/{noun}"] = []
            server.answers[f"{here}/issues"] = [issue(10 + number, f"See {server.url}/team/tool/-/issues/12.")]
            server.answers[f"{here}/issues/{10 + number}/discussions"] = []
            group_label = {"id": 5, "name": "of the group", "color": "#ff0000", "is_project_label": False}
            server.answers[f"{here}/labels"] = [group_label]
        yield server


@pytest.fixture
def services(stage, database, source):
    """The services of an instance that may call the source, and nothing else on this machine."""
    settings = Settings(
        data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64,
        outbound_allow=(source.url.removeprefix("http://"),),
    )  # fmt: skip
    return build_services(settings, database)


@pytest.fixture
def client_there(services, stage):
    return Client(build(services), stage.loop)


@pytest.fixture
def visit(client_there, database, cast):
    return lambda name: browser_of(getattr(cast, name), database, client_there)


@pytest.fixture
def listed(visit, source):
    """The address of the page on which a stranger chooses from the list."""
    stranger = visit("stranger")
    stranger.open(NEW)
    begun = stranger.send(NEW, address=f"{source.url}/", source_token=TOKEN)
    assert begun.status == 303, begun
    return stranger, begun.headers["Location"]
