import gitlab
import pytest

from tests.serve.shared_server import start_server


@pytest.fixture
def engine():
    """What a client library makes of the responses does not depend on the engine."""
    return "sqlite"


@pytest.fixture
def published(running_server):
    with gitlab.Gitlab(running_server.url, private_token=running_server.token) as client:
        client.auth()
        yield client


@pytest.fixture(scope="module")
def shared(request, tmp_path_factory):
    """The published client at a server that all tests of a file use."""
    with (
        start_server("sqlite", request, tmp_path_factory) as server,
        gitlab.Gitlab(server.url, private_token=server.token) as client,
    ):
        client.auth()
        yield client


@pytest.fixture
def song(shared, request):
    """A new project of the test at the shared server."""
    return shared.projects.create({"name": request.node.name, "visibility": "internal"})
