"""What tests of several slices share."""

import pytest

from mujina.kernel.access import GUEST, REPORTER


@pytest.fixture
def team(cast):
    """The path of the epics of `team`: made private, with a reporter and a guest of its own."""
    for person, level in ((cast.reporter, REPORTER), (cast.guest, GUEST)):
        cast.owner.post(f"/groups/{cast.team.id}/members", user_id=person.id, access_level=level)
    for project in (cast.internal, cast.public):
        cast.root.put(f"/projects/{project.id}", visibility="private")
    assert cast.owner.put(f"/groups/{cast.team.id}", visibility="private").status == 200
    return f"/groups/{cast.team.id}/-/epics"
