import pytest

from tests.harness.browsers import browser_of


@pytest.fixture
def browse(client, database, cast):
    """The browser of one of the cast, signed in: `browse("root")`."""
    return lambda name: browser_of(getattr(cast, name), database, client)
