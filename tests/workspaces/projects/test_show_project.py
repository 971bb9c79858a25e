from itertools import count, cycle

import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.creation import make_project

AT = "GET /projects/{private.id}"


@cases(
    [
        Case("anonymous", AT, 404, {"message": "404 Project Not Found"}),
        Case("stranger", AT, 404, {"message": "404 Project Not Found"}),
        Case("external", "GET /projects/{internal.id}", 404),
        Case("stranger", "GET /projects/{internal.id}", 200),
        Case("anonymous", "GET /projects/{public.id}", 200),
        Case("guest", AT, 200, Has(visibility="private"), statements=4),
        Case("guest", "GET /projects/{private.encoded}", 200),
        Case("guest", "GET /projects/COMPANY%2Fdepartment%2FTeam%2Fprivate/", 200),
        Case("guest", "GET /projects/company%2Fdepartment%2Fteam%2F%70rivate", 200),
        Case("guest", "GET /projects/9223372036854775808", 404),
        Case("guest", "GET /projects/company%2Fnothing", 404),
        Case("root", AT, 200, Has(permissions={"project_access": None, "group_access": None})),
    ]
)
def test_a_project_is_shown_to_those_who_may_read_it(case, cast):
    case.holds(cast)


def test_a_private_project_and_a_missing_one_are_the_same_bytes(cast):
    hidden = cast.stranger.get(f"/projects/{cast.private.id}")
    missing = cast.stranger.get("/projects/999999")
    assert (hidden.status, hidden.body) == (missing.status, missing.body)


def test_permissions_show_direct_memberships_only(cast):
    def permissions(person):
        return person.get(f"/projects/{cast.private.id}").json["permissions"]

    assert permissions(cast.master)["project_access"] == {"access_level": 40, "notification_level": 3}
    assert permissions(cast.owner)["group_access"]["access_level"] == 50
    assert permissions(cast.inherited) == {"project_access": None, "group_access": None}


def test_statistics_are_shown_when_asked(cast):
    assert "statistics" not in cast.master.get(f"/projects/{cast.private.id}").json
    statistics = cast.master.get(f"/projects/{cast.private.id}", statistics=True).json["statistics"]
    assert sorted(statistics) == [
        "commit_count", "job_artifacts_size", "lfs_objects_size", "repository_size", "storage_size",
    ]  # fmt: skip


@pytest.mark.parametrize("feature", ["issues", "merge_requests"])
def test_a_feature_switched_off_has_no_link(cast, feature):
    cast.master.put(f"/projects/{cast.private.id}", **{f"{feature}_enabled": False})
    assert feature not in cast.guest.get(f"/projects/{cast.private.id}").json["_links"]


def test_contributions_move_the_last_activity_once_an_hour(cast, filled):
    project = f"/projects/{filled(cast.private).id}"
    issues = f"{project}/issues"
    events = cycle(["close", "reopen"])
    names = map(str, count())

    def push():
        actions = [{"action": "create", "file_path": next(names), "content": ""}]
        return cast.owner.post(f"{project}/repository/commits", branch="x", start_branch="master",
                               commit_message="More", actions=actions)  # fmt: skip

    def last_active(since=None):
        if since:
            cast.run("UPDATE projects SET last_activity_at = :since WHERE id = :id", since=since, id=cast.private.id)
        return cast.guest.get(project).json["last_activity_at"]

    for contribute in (
        lambda: cast.guest.post(issues, title="x"),
        lambda: cast.guest.post(f"{issues}/{cast.open}/notes", body="x"),
        lambda: cast.developer.post(f"{project}/milestones", title="x"),
        lambda: cast.developer.put(f"{issues}/{cast.open}", state_event=next(events)),
        push,
    ):
        last_active("2018-01-02T00:00:00.000Z")
        assert contribute().status in (200, 201)
        moved = last_active()
        assert moved > "2018-01-02"
        contribute()
        assert last_active() == moved
    long_ago = last_active("2018-01-02T00:00:00.000Z")
    cast.developer.put(f"{issues}/{cast.open}", title="An edit is no contribution")
    cast.guest.post(issues, title="hush", confidential=True)
    cast.developer.put(f"{issues}/{cast.confidential}", state_event="close")
    assert last_active() == long_ago


def test_a_personal_project_is_named_after_its_owner(cast):
    cast.root.put(f"/users/{cast.owner.id}", name="Olga Owner")
    made = make_project(cast.owner, "mine", visibility="public")
    here = f"/projects/{made['id']}"
    iid = cast.owner.post(f"{here}/issues", title="x").json["iid"]
    todo = cast.owner.post(f"{here}/issues/{iid}/todo").json
    board = cast.owner.post(f"{here}/boards", name="x").json
    fork = cast.stranger.post(f"{here}/fork").json
    (simple,) = cast.owner.get("/projects", simple=True, search="mine", owned=True).json
    shown = [made, cast.guest.get(here).json, todo["project"], board["project"], fork["forked_from_project"], simple]
    assert [project["name_with_namespace"] for project in shown] == ["Olga Owner / mine"] * 6
    cast.root.put(f"/users/{cast.owner.id}", name="Olga")
    assert cast.guest.get(here).json["name_with_namespace"] == "Olga / mine"
    assert cast.guest.get(here).json["namespace"]["name"] == "owner"
