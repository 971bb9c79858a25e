import pytest

from tests.harness.untouched import untouched


@pytest.fixture
def cast(cast):
    return untouched(cast)


@pytest.fixture
def issue(cast):
    return f"/projects/{cast.private.id}/issues/{cast.open}"


@pytest.fixture
def discussion(cast, issue):
    """One that the guest began."""
    made = cast.guest.post(f"{issue}/discussions", body="what about this?")
    assert made.status == 201, made
    return made.json
