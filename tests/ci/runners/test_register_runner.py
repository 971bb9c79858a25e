"""POST /runners, /runners/verify, DELETE /runners, POST /user/runners and the reset of tokens."""

import asyncio

import pytest

INFO = {
    "name": "gitlab-runner", "version": "10.5.0", "revision": "80b03db9", "platform": "linux", "architecture": "amd64",
    "features": {"variables": True}, "executor": "shell",
}  # fmt: skip
NO_WORK = {"message": {"tags_list": ["can not be empty when runner is not allowed to pick untagged jobs"]}}


def test_a_project_token_registers_a_runner_of_that_project(cast, register):
    runner, token = register(cast.private, description="fast", tag_list="ruby, linux,ruby", info=INFO, locked=True)
    shown = cast.master.get(f"/runners/{runner}").json
    assert shown["runner_type"] == "project_type"
    assert (shown["is_shared"], shown["active"], shown["locked"], shown["run_untagged"]) == (False, True, True, True)
    assert (shown["tag_list"], shown["version"], shown["platform"]) == (["linux", "ruby"], "10.5.0", "linux")
    assert [project["id"] for project in shown["projects"]] == [cast.private.id]
    assert (shown["status"], shown["online"], shown["contacted_at"]) == ("not_connected", None, None)
    assert "token" not in shown
    assert cast.value("SELECT token_digest FROM runners WHERE id = :id", id=runner) != token


def test_the_instance_token_registers_a_shared_runner_and_a_group_token_one_of_the_group(cast, register):
    shared, _ = register(tag_list=["a", "b"])
    of_group, _ = register(group=cast.team)
    cast.root.put(f"/runners/{shared}", maintenance_note="behind the second door")
    seen = cast.stranger.get(f"/runners/{shared}").json
    assert (seen["is_shared"], seen["runner_type"], seen["tag_list"]) == (True, "instance_type", ["a", "b"])
    assert (seen["ip_address"], seen["maintenance_note"]) == (None, None)
    assert cast.root.get(f"/runners/{shared}").json["maintenance_note"] == "behind the second door"
    assert cast.owner.get(f"/runners/{of_group}").json["groups"][0]["id"] == cast.team.id
    assert [each["id"] for each in cast.master.get(f"/projects/{cast.private.id}/runners").json] == [shared, of_group]


def test_a_wrong_registration_token_is_refused(cast):
    for token in ("", "wrong", "x" * 64):
        refused = cast.anonymous.post("/runners", token=token)
        assert (refused.status, refused.json) == (403, {"message": "403 Forbidden"})
    assert cast.anonymous.post("/runners").status == 400
    assert cast.events()[-1] != "runner.created"


def test_a_new_registration_token_replaces_the_former_one(cast):
    for owner, here in (
        (cast.root, "/runners"), (cast.master, f"/projects/{cast.private.id}/runners"),
        (cast.owner, f"/groups/{cast.team.id}/runners"),
    ):  # fmt: skip
        first, second = (owner.post(f"{here}/reset_registration_token").json["token"] for _ in range(2))
        assert [cast.anonymous.post("/runners", token=token).status for token in (first, second)] == [403, 201], here
    assert cast.master.get(f"/projects/{cast.private.id}").json["runners_token"] != first


def test_registration_tokens_are_reset_by_those_who_manage_the_runners(cast):
    assert cast.owner.post("/runners/reset_registration_token").status == 403
    assert cast.developer.post(f"/projects/{cast.private.id}/runners/reset_registration_token").status == 403
    assert cast.master.post(f"/groups/{cast.team.id}/runners/reset_registration_token").status in (403, 404)


@pytest.mark.parametrize(("settings", "answer"), [
    ({"run_untagged": False}, NO_WORK),
    ({"run_untagged": "false", "tag_list": " , "}, NO_WORK),
    ({"tag_list": ["x" * 256]}, {"message": {"tags_list": ["is too long (maximum is 255 characters)"]}}),
    ({"maximum_timeout": 599}, {"message": {"maximum_timeout": ["needs to be at least 10 minutes"]}}),
    ({"description": "x" * 1025}, {"message": {"description": ["is too long (maximum is 1024 characters)"]}}),
    ({"access_level": "all"}, {"error": "access_level does not have a valid value"}),
    ({"info": "x"}, {"error": "info is invalid"}),
])  # fmt: skip
def test_invalid_settings_are_refused(cast, settings, answer):
    token = cast.master.get(f"/projects/{cast.private.id}").json["runners_token"]
    refused = cast.anonymous.post("/runners", token=token, **settings)
    assert (refused.status, refused.json) == (400, answer)


def test_a_runner_verifies_and_removes_itself(cast, register):
    runner, token = register(cast.private)
    assert cast.anonymous.post("/runners/verify", token=token).json == {
        "id": runner, "token": token, "token_expires_at": None
    }  # fmt: skip
    assert cast.anonymous.delete("/runners", token="wrong").status == 403
    assert cast.anonymous.delete("/runners", token=token).status == 204
    assert cast.anonymous.post("/runners/verify", token=token).status == 403
    assert cast.root.get(f"/runners/{runner}").json == {"message": "404 Runner Not Found"}


def test_users_create_runners_with_prefixed_tokens(cast):
    here = {"runner_type": "project_type", "project_id": cast.private.id}
    made = cast.master.post("/user/runners", **here, description="mine", tag_list="a", paused=True).json
    assert made["token"].startswith("glrt-")
    assert cast.anonymous.post("/runners/verify", token=made["token"]).json["id"] == made["id"]
    assert cast.master.get(f"/runners/{made['id']}").json["status"] == "paused"
    assert cast.owner.post("/user/runners", runner_type="group_type", group_id=cast.team.id).status == 201
    assert cast.root.post("/user/runners", runner_type="instance_type").status == 201
    assert cast.developer.post("/user/runners", **here).status == 403
    assert cast.stranger.post("/user/runners", **here).status == 404
    assert cast.master.post("/user/runners", runner_type="instance_type").status == 403
    assert cast.master.post("/user/runners", runner_type="group_type").json["error"] == "group_id is missing"


def test_a_runner_and_those_who_manage_it_may_change_its_token(cast, register):
    runner, first = register(cast.private)
    second = cast.anonymous.post("/runners/reset_authentication_token", token=first).json["token"]
    third = cast.master.post(f"/runners/{runner}/reset_authentication_token").json["token"]
    assert [cast.anonymous.post("/runners/verify", token=token).status for token in (first, second, third)] == [
        403, 403, 200,
    ]  # fmt: skip
    assert cast.developer.post(f"/runners/{runner}/reset_authentication_token").status == 403


@pytest.mark.commits
def test_a_runner_that_replaces_its_token_several_times_at_once_does_it_once(cast, register):
    _, first = register(cast.private)

    async def all_at_once():
        reset = ("POST", "/runners/reset_authentication_token")
        return await asyncio.gather(*(cast.anonymous.exchange(*reset, params={"token": first}) for _ in range(6)))

    answers = cast.root.loop.run_until_complete(all_at_once())
    assert sorted(answer.status for answer in answers) == [201, 403, 403, 403, 403, 403]
    [new] = [answer.json["token"] for answer in answers if answer.status == 201]
    assert cast.anonymous.post("/runners/verify", token=new).status == 200
