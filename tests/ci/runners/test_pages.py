"""The pages of runners of projects, groups and the instance."""

import re

import pytest


@pytest.fixture
def here(cast):
    return f"/{cast.private.path}"


def token_on(page):
    return re.search(r'id="runner-token" value="(glrt-[^"]+)"', page.text)[1]


def test_the_page_says_how_to_register_a_runner_and_resets_the_token(browse, cast, here):
    master, project = browse("master"), f"/projects/{cast.private.id}"
    token = cast.master.get(project).json["runners_token"]
    page = master.open(f"{here}/settings/ci_cd").text
    assert f"--registration-token {token} --executor shell" in page
    assert master.send(f"{here}/runners/reset_registration_token").status == 303
    assert token not in master.open(f"{here}/settings/ci_cd").text
    assert cast.master.get(project).json["runners_token"] in master.page.text


def test_a_runner_is_created_and_its_token_is_shown_once(browse, cast, here):
    master = browse("master")
    master.open(f"{here}/runners/new")
    refused = master.send(f"{here}/runners", runner={"description": "kept", "run_untagged": "false", "tag_list": ""})
    assert (refused.status, 'id="runner_tag_list-problem"' in refused.text) == (422, True)
    fields = {"description": "Builder", "tag_list": "linux, arm", "maximum_timeout": ""}
    token = token_on(master.send(f"{here}/runners", runner=fields))
    assert cast.anonymous.post("/runners/verify", token=token).status == 200
    page = master.open(f"{here}/settings/ci_cd").text
    assert ("Builder" in page, "Never connected" in page, token in page) == (True, True, False)


def test_a_runner_is_edited_paused_and_removed(browse, cast, here, register):
    runner_id, token = register(cast.private, description="Builder", tag_list="old")
    master, address = browse("master"), f"{here}/runners/{runner_id}"
    assert "old" in master.open(f"{address}/edit").text
    refused = master.send(address, runner={"maximum_timeout": "5", "description": "kept words"})
    assert (refused.status, 'id="runner_maximum_timeout-problem"' in refused.text) == (422, True)
    assert master.send(address, runner={"tag_list": "new", "locked": "true", "description": "Worker"}).status == 303
    assert master.send(f"{address}/pause").status == 303
    shown = cast.master.get(f"/runners/{runner_id}").json
    assert (shown["tag_list"], shown["locked"], shown["paused"], shown["description"]) == (
        ["new"],
        True,
        True,
        "Worker",
    )
    assert "Resume" in master.open(f"{here}/settings/ci_cd").text
    assert master.send(f"{address}/resume").status == 303
    assert token_on(master.send(f"{address}/reset_token")) != token
    assert cast.anonymous.post("/runners/verify", token=token).status == 403
    assert master.send(f"{address}/delete").status == 303
    assert cast.master.get(f"/runners/{runner_id}").status == 404


def test_a_runner_of_another_project_is_enabled_and_disabled(browse, cast, here, register):
    runner_id, _ = register(cast.public, description="Spare")
    master = browse("master")
    assert "Enable for this project" in master.open(f"{here}/settings/ci_cd").text
    assert master.send(f"{here}/runners/{runner_id}/enable").status == 303
    assert "Enable for this project" not in master.open(f"{here}/settings/ci_cd").text
    assert "Disable for this project" in master.open(f"{here}/runners/{runner_id}/edit").text
    refused = master.send(f"{here}/runners/{runner_id}/delete")
    assert (refused.status, "more than one project" in refused.text) == (422, True)
    assert master.send(f"{here}/runners/{runner_id}/disable").status == 303
    assert len(cast.master.get(f"/runners/{runner_id}").json["projects"]) == 1


def test_a_runner_that_also_works_for_others_can_only_be_disabled(browse, cast, here, register):
    runner_id, _ = register(cast.private, description="Ours and theirs")
    other = cast.root.post("/projects", name="elsewhere").json["id"]
    assert cast.root.post(f"/projects/{other}/runners", runner_id=runner_id).status == 201
    master, address = browse("master"), f"{here}/runners/{runner_id}"
    page = master.open(f"{here}/settings/ci_cd").text
    assert (f"{address}/edit" in page, f"{address}/pause" in page) == (True, False)
    page = master.open(f"{address}/edit").text
    assert "you cannot change it" in page
    assert [f'action="{address}{form}"' in page for form in ("", "/pause", "/reset_token", "/delete", "/disable")] == [
        False, False, False, False, True,
    ]  # fmt: skip
    for form in ("pause", "reset_token", "delete"):
        assert master.send(f"{address}/{form}").status == 422, form
    assert master.send(f"{address}/disable").status == 303
    assert [each["id"] for each in cast.root.get(f"/runners/{runner_id}").json["projects"]] == [other]


def test_shared_runners_are_shown_and_changed_by_administrators_alone(browse, cast, here, register):
    runner_id, _ = register(description="Everyone's")
    master = browse("master")
    page = master.open(f"{here}/settings/ci_cd").text
    assert ("Everyone&#39;s" in page, f"/runners/{runner_id}/edit" in page) == (True, False)
    assert master.open(f"{here}/runners/{runner_id}/edit").status == 403
    refused = master.send(f"{here}/runners/{runner_id}/pause")
    assert (refused.status, "Runner is shared" in refused.text) == (422, True)
    developer = browse("developer")
    assert developer.open(f"{here}/runners/new").status == 403


def test_owners_of_a_group_create_its_runners(browse, cast, here):
    owner, group = browse("owner"), f"/groups/{cast.team.path}/-"
    owner.open(f"{group}/runners/new")
    assert owner.send(f"{group}/runners", runner={"description": "Of the team"}).status == 200
    assert "Of the team" in owner.open(f"{group}/settings/ci_cd").text
    assert owner.send(f"{group}/runners/reset_registration_token").status == 303
    assert "--registration-token" in owner.open(f"{group}/settings/ci_cd").text
    assert browse("master").open(f"{group}/runners/new").status == 403
    assert "Of the team" in browse("master").open(f"{here}/settings/ci_cd").text


def test_administrators_manage_every_runner(browse, cast, register):
    root = browse("root")
    assert "There are no runners yet." in root.open("/admin/runners").text
    ids = [register(description=f"Runner {number:02}")[0] for number in range(21)]
    assert "Runner 20" not in root.open("/admin/runners").text
    assert "Runner 20" in root.open("/admin/runners?page=2").text
    assert root.send(f"/admin/runners/{ids[0]}/pause").status == 303
    assert "Runner 00" in root.open("/admin/runners?status=paused").text
    assert "No runner is in this state." in root.open("/admin/runners?status=offline").text
    assert "All projects" in root.open(f"/admin/runners/{ids[0]}/edit").text
    assert root.send(f"/admin/runners/{ids[0]}", runner={"description": "First"}).status == 303
    assert root.send(f"/admin/runners/{ids[0]}/delete").status == 303
    root.open("/admin/runners/new")
    assert cast.anonymous.post("/runners/verify", token=token_on(root.send("/admin/runners"))).status == 200
    assert browse("master").open("/admin/runners").status == 404
