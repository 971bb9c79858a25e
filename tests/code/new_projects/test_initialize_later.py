"""The job that writes the first file of a project, if the request that created it did not come to it."""

import pytest

from mujina.app import build_services
from mujina.code.new_projects.tasks import initialize_project
from mujina.kernel.jobs.tasks import Run
from mujina.settings import Settings
from tests.harness.creation import make_group


@pytest.fixture
def initialize(stage, database):
    """Run the job for a project and its creator."""
    services = build_services(Settings(data=stage.folder, password_kilobytes=64), database)
    return lambda owner_id, id_: stage.loop.run_until_complete(initialize_project(Run(services, 1, owner_id), str(id_)))


def test_a_project_that_its_creator_lost_is_left_alone(cast, initialize):
    group = make_group(cast.owner, "club", visibility="private")
    cast.owner.post(f"/groups/{group['id']}/members", user_id=cast.guest.id, access_level=40)
    made, empty = (
        cast.guest.post("/projects", name=name, namespace_id=group["id"], initialize_with_readme=written).json["id"]
        for name, written in (("made", True), ("empty", False))
    )
    cast.owner.delete(f"/groups/{group['id']}/members/{cast.guest.id}")
    for owner_id in (cast.guest.id, 999_999):  # 999_999: the creator is gone
        for id_ in (made, empty):
            initialize(owner_id, id_)
    assert len(cast.owner.get(f"/projects/{made}/repository/commits").json) == 1
    assert cast.owner.get(f"/projects/{empty}").json["empty_repo"] is True
    initialize(cast.owner.id, empty)
    assert cast.owner.get(f"/projects/{empty}").json["empty_repo"] is False
