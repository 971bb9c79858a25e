import pytest

from tests.harness.untouched import untouched


@pytest.fixture
def cast(cast):
    return untouched(cast)


@pytest.fixture
def note(cast):
    """The reporter's note on the open issue."""
    notes = f"/projects/{cast.private.id}/issues/{cast.open}/notes"
    return f"{notes}/{cast.reporter.post(notes, body='hello').json['id']}"
