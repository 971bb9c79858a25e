import pytest

from tests.harness.browsers import browser_of


@pytest.fixture
def browse(client, database, loop, cast):
    """The browser of one of the cast, signed in: `browse("guest")`; of nobody: `browse("anonymous")`."""
    return lambda name: browser_of(getattr(cast, name), database, client)
