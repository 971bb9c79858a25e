"""POST /projects/:id/milestones/:milestone_id/promote, and the filters of lists."""

import pytest

from tests.harness.cases import Case, cases
from tests.harness.creation import make_group, make_project


@cases([
    Case("anonymous", "POST /projects/{private.id}/milestones/1/promote", 401),
    Case("stranger", "POST /projects/{private.id}/milestones/1/promote", 404, {"message": "404 Project Not Found"}),
    Case("guest", "POST /projects/{private.id}/milestones/1/promote", 403),
    Case("owner", "POST /projects/{private.id}/milestones/999999/promote", 404, {"message": "404 Milestone Not Found"}),
])  # fmt: skip
def test_only_those_who_edit_milestones_promote_them(case, cast):
    case.holds(cast)


@pytest.fixture
def milestones(cast):
    """A milestone of each of two projects, with an issue."""
    made = {}
    for project in (cast.private, cast.public):
        here = f"/projects/{project.id}"
        made[project] = cast.developer.post(f"{here}/milestones", title="v1", due_date="2030-01-31").json
        cast.developer.put(f"{here}/issues/{cast.open}", milestone_id=made[project]["id"])
    return made


def _promote(cast, milestones, who=None):
    milestone = milestones[cast.private]
    return (who or cast.owner).post(f"/projects/{cast.private.id}/milestones/{milestone['id']}/promote")


def test_milestones_of_the_same_title_are_merged_into_one_of_the_group(cast, milestones):
    promoted = _promote(cast, milestones)
    assert (promoted.status, promoted.json["id"]) == (200, milestones[cast.private]["id"])
    assert (promoted.json["group_id"], promoted.json["iid"]) == (cast.team.id, 1)
    assert cast.events()[-1] == "milestone.promoted"
    assert cast.owner.get(f"/groups/{cast.team.id}/milestones").json == [promoted.json]
    for project in (cast.private, cast.public):
        shown = cast.reporter.get(f"/projects/{project.id}/issues/{cast.open}").json["milestone"]
        assert (shown["id"], shown["group_id"]) == (promoted.json["id"], cast.team.id)
        (listed,) = cast.reporter.get(f"/projects/{project.id}/issues", milestone="v1").json
        assert listed["milestone"]["group_id"] == cast.team.id
        assert cast.reporter.get(f"/projects/{project.id}/milestones").json == []
        above = cast.reporter.get(f"/projects/{project.id}/milestones", include_ancestors=True).json
        assert above == [promoted.json]
    assert _promote(cast, milestones).status == 404


def test_releases_keep_their_milestone(cast, milestones):
    here = f"/projects/{cast.public.id}"
    action = {"action": "create", "file_path": "a", "content": "a"}
    made = cast.owner.post(f"{here}/repository/commits", branch="master", commit_message="a", actions=[action])
    assert made.status == 201
    release = cast.owner.post(f"{here}/releases", tag_name="v1", ref="master", milestones=["v1"])
    assert release.status == 201, release
    promoted = _promote(cast, milestones).json
    assert [each["id"] for each in cast.owner.get(f"{here}/releases/v1").json["milestones"]] == [promoted["id"]]


def test_a_milestone_of_a_group_below_refuses_it(cast, milestones):
    below = make_group(cast.owner, "below", parent_id=cast.team.id)
    cast.run("UPDATE milestones SET group_id = :id, project_id = NULL WHERE id = :milestone", id=below["id"],
             milestone=milestones[cast.public]["id"])  # fmt: skip
    refused = _promote(cast, milestones)
    assert refused.status == 400
    assert list(refused.json["message"]) == ["title"]


def test_a_member_of_the_project_alone_may_not_promote(cast, milestones):
    assert _promote(cast, milestones, cast.developer).status == 403


def test_a_project_of_a_user_has_no_group(cast):
    project = make_project(cast.guest, "mine")
    milestone = cast.guest.post(f"/projects/{project['id']}/milestones", title="v1").json
    assert cast.guest.post(f"/projects/{project['id']}/milestones/{milestone['id']}/promote").status == 400


def test_lists_are_filtered_by_times(cast, milestones):
    here = f"/projects/{cast.private.id}/milestones"
    cast.developer.post(here, title="no dates")

    def titles(**query):
        return sorted(milestone["title"] for milestone in cast.guest.get(here, **query).json)

    assert titles(containing_date="2030-01-31") == ["v1"]
    assert titles(containing_date="2030-02-01") == []
    assert titles(updated_after="2090-01-01") == []
    assert titles(updated_before="2090-01-01") == ["no dates", "v1"]
