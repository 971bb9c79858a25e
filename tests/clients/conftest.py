import gitlab
import pytest


@pytest.fixture
def engine():
    """What a client library makes of the responses does not depend on the engine."""
    return "sqlite"


@pytest.fixture
def published(running_server):
    with gitlab.Gitlab(running_server.url, private_token=running_server.token) as client:
        client.auth()
        yield client
