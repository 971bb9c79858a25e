"""What tests of several slices share."""

import pytest

from mujina.kernel.permissions.levels import GUEST, REPORTER
from tests.harness.creation import make_project


@pytest.fixture
def team(cast):
    """The path of the epics of `team`: made private, with a reporter and a guest of its own."""
    for person, level in ((cast.reporter, REPORTER), (cast.guest, GUEST)):
        cast.owner.post(f"/groups/{cast.team.id}/members", user_id=person.id, access_level=level)
    for project in (cast.internal, cast.public):
        cast.root.put(f"/projects/{project.id}", visibility="private")
    assert cast.owner.put(f"/groups/{cast.team.id}", visibility="private").status == 200
    return f"/groups/{cast.team.id}/-/epics"


@pytest.fixture
def paper(cast):
    """A project of the owner's group with a guest and a reporter of its own, and nothing in it."""
    made = make_project(cast.owner, "paper", namespace_id=cast.team.id, visibility="private")
    for person, level in ((cast.guest, GUEST), (cast.reporter, REPORTER)):
        assert cast.owner.post(f"/projects/{made['id']}/members", user_id=person.id, access_level=level).status == 201
    return made
