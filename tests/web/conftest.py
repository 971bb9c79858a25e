import pytest

from tests.architecture.conftest import world
from tests.harness.browsers import browser_of

__all__ = ["world"]


@pytest.fixture
def browse(client, database, cast):
    """The browser of one of the cast, signed in: `browse("guest")`; of nobody: `browse("anonymous")`."""
    return lambda name: browser_of(getattr(cast, name), database, client)
