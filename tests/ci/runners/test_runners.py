"""Runners as people see and change them."""

import pytest

LISTED = {
    "id", "description", "ip_address", "active", "paused", "is_shared", "runner_type", "name", "online", "status",
}  # fmt: skip
SINGLE = LISTED | {
    "tag_list", "run_untagged", "locked", "access_level", "maximum_timeout", "maintenance_note", "version", "revision",
    "platform", "architecture", "contacted_at", "projects", "groups",
}  # fmt: skip


@pytest.fixture
def ids(register, cast):
    """A runner of the private project, one of the group, one of the instance."""
    return [register(cast.private, tag_list="ruby,linux")[0], register(group=cast.team)[0], register(tag_list="go")[0]]


def listed(person, path, **query):
    answer = person.get(path, **query)
    assert answer.status == 200, answer
    assert all(set(runner) == LISTED for runner in answer.json)
    assert int(answer.headers["x-total"]) == len(answer.json)
    return [runner["id"] for runner in answer.json]


def test_lists_show_the_runners_that_one_manages(cast, ids):
    of_project, of_group, shared = ids
    assert listed(cast.master, "/runners") == [of_project]
    assert listed(cast.owner, "/runners") == [of_project, of_group]
    assert [listed(person, "/runners") for person in (cast.developer, cast.stranger, cast.root)] == [[], [], []]
    assert listed(cast.root, "/runners/all") == ids
    assert cast.owner.get("/runners/all").status == 403
    assert listed(cast.master, f"/projects/{cast.private.id}/runners") == ids
    assert listed(cast.master, f"/projects/{cast.public.id}/runners") == [of_group, shared]
    assert listed(cast.owner, f"/groups/{cast.team.id}/runners") == [of_group]
    for person, status in ((cast.developer, 403), (cast.stranger, 404), (cast.anonymous, 401)):
        assert person.get(f"/projects/{cast.private.id}/runners").status == status


def test_each_filter_chooses_its_runners(cast, ids):
    of_project, of_group, shared = ids
    cast.root.put(f"/runners/{of_group}", paused=True)
    cast.run("UPDATE runners SET contacted_at = '2999-01-01T00:00:00.000Z' WHERE id = :id", id=shared)
    cast.run("UPDATE runners SET contacted_at = '2018-01-01T00:00:00.000Z' WHERE id = :id", id=of_project)
    for query, found in (
        ({"scope": "active"}, [of_project, shared]), ({"scope": "paused"}, [of_group]), ({"scope": "online"}, [shared]),
        ({"scope": "specific"}, [of_project, of_group]), ({"scope": "shared"}, [shared]),
        ({"status": "offline"}, [of_project]), ({"status": "not_connected"}, [of_group]),
        ({"type": "group_type"}, [of_group]), ({"paused": "false"}, [of_project, shared]),
        ({"tag_list": "ruby"}, [of_project]), ({"tag_list": "linux,ruby"}, [of_project]), ({"tag_list": "Ruby"}, []),
        ({"tag_list": "ruby,go"}, []), ({"tag_list": "rub"}, []),
    ):  # fmt: skip
        assert listed(cast.root, "/runners/all", **query) == found, query
    assert cast.root.get("/runners/all", scope="all").json == {"error": "scope does not have a valid value"}
    assert [each["online"] for each in cast.root.get("/runners/all").json] == [False, None, True]


def test_who_sees_a_runner(cast, ids):
    of_project, of_group, shared = ids
    assert set(cast.master.get(f"/runners/{of_project}").json) == SINGLE
    refused = {"message": "403 Forbidden - No access granted"}
    assert cast.developer.get(f"/runners/{of_project}").json == refused
    assert cast.master.get(f"/runners/{of_group}").json == refused
    assert cast.owner.get(f"/runners/{of_group}").status == 200
    assert cast.stranger.get(f"/runners/{shared}").status == 200
    assert cast.root.get("/runners/999999").json == {"message": "404 Runner Not Found"}
    assert cast.anonymous.get(f"/runners/{shared}").status == 401


def test_projects_of_a_runner_are_those_that_the_caller_reads(cast, ids):
    cast.run("INSERT INTO runner_projects (runner_id, project_id, created_at) VALUES (:id, :other, '2018')",
             id=ids[0], other=cast.root.post("/projects", name="secret").json["id"])  # fmt: skip
    assert [project["id"] for project in cast.master.get(f"/runners/{ids[0]}").json["projects"]] == [cast.private.id]
    assert len(cast.root.get(f"/runners/{ids[0]}").json["projects"]) == 2


def test_an_edited_runner_has_the_given_fields(cast, ids):
    of_project, _, shared = ids
    change = {
        "description": "new", "active": False, "tag_list": ["b", "a"], "run_untagged": False, "locked": True,
        "access_level": "ref_protected", "maximum_timeout": 600,
    }  # fmt: skip
    edited = cast.master.put(f"/runners/{of_project}", **change).json
    assert {name: edited[name] for name in change} == {**change, "tag_list": ["a", "b"]}
    assert (edited["paused"], edited["status"]) == (True, "paused")
    assert cast.events()[-1] == "runner.updated"
    assert "tags_list" in cast.master.put(f"/runners/{of_project}", tag_list="").json["message"]
    assert cast.master.put(f"/runners/{of_project}").status == 400
    assert cast.master.put(f"/runners/{shared}", active=False).json == {"message": "403 Forbidden - Runner is shared"}
    assert cast.developer.put(f"/runners/{of_project}", active=True).json == {
        "message": "403 Forbidden - No access granted"
    }
    assert cast.root.put(f"/runners/{shared}", active=False).json["active"] is False


def test_a_runner_of_several_projects_is_changed_by_those_who_manage_all_of_them(cast, ids):
    of_project = ids[0]
    assert cast.owner.post(f"/projects/{cast.public.id}/runners", runner_id=of_project).status == 201
    assert cast.master.put(f"/runners/{of_project}", active=False).status == 200, "a master of both"
    other = cast.root.post("/projects", name="elsewhere").json["id"]
    assert cast.root.post(f"/projects/{other}/runners", runner_id=of_project).status == 201
    refused = {"message": "403 Forbidden - No access granted"}
    for change in ({"active": True}, {"tag_list": "x"}, {"locked": True}, {"access_level": "ref_protected"}):
        assert cast.master.put(f"/runners/{of_project}", **change).json == refused, change
    assert cast.master.get(f"/runners/{of_project}").json["active"] is False
    assert cast.root.put(f"/runners/{of_project}", active=True).status == 200
    assert cast.root.delete(f"/projects/{other}").status == 204
    assert cast.master.put(f"/runners/{of_project}", active=False).status == 200, "the other project is gone"


def test_only_a_runner_of_one_project_is_deleted_by_its_master(cast, ids):
    of_project, of_group, shared = ids
    cast.owner.post(f"/projects/{cast.public.id}/runners", runner_id=of_project)
    assert cast.master.post(f"/runners/{of_project}/reset_authentication_token").status == 403
    assert cast.master.delete(f"/runners/{of_project}").json == {
        "message": "403 Forbidden - Runner associated with more than one project"
    }
    assert cast.owner.delete(f"/runners/{shared}").json == {"message": "403 Forbidden - Runner is shared"}
    assert cast.developer.delete(f"/runners/{of_group}").json == {"message": "403 Forbidden - No access granted"}
    assert cast.owner.delete(f"/projects/{cast.public.id}/runners/{of_project}").status == 204
    assert [cast.master.delete(f"/runners/{of_project}").status for _ in range(2)] == [204, 404]
    assert cast.root.delete(f"/runners/{shared}").status == 204
    assert listed(cast.root, "/runners/all") == [of_group]


def test_enabling_and_disabling_for_a_further_project(cast, ids, register):
    of_project, of_group, shared = ids
    there = f"/projects/{cast.public.id}/runners"
    locked, _ = register(cast.private, locked=True)
    for person, runner, reason in (
        (cast.master, shared, "Runner is shared"), (cast.master, of_group, "Runner is a group runner"),
        (cast.master, locked, "Runner is locked"),
    ):  # fmt: skip
        refused = person.post(there, runner_id=runner)
        assert (refused.status, refused.json) == (403, {"message": f"403 Forbidden - {reason}"})
    only = {"message": "403 Forbidden - Only one project associated with the runner. Please remove the runner instead"}
    assert cast.master.delete(f"/projects/{cast.private.id}/runners/{of_project}").json == only
    assert cast.master.delete(f"{there}/{of_project}").json == {"message": "404 Runner Not Found"}
    assert cast.master.post(there, runner_id=of_project).status == 201
    twice = cast.master.post(there, runner_id=of_project)
    assert (twice.status, twice.json) == (409, {"message": "Runner was already enabled for this project"})
    assert cast.developer.post(there, runner_id=of_project).status == 403
    assert cast.master.delete(f"{there}/{of_project}").status == 204
    stranger = cast.stranger.post("/projects", name="mine").json["id"]
    assert cast.stranger.post(f"/projects/{stranger}/runners", runner_id=of_project).json == {
        "message": "403 Forbidden - No access granted"
    }
