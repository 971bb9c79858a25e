"""The CI settings of projects and groups."""

import pytest


@pytest.fixture
def here(cast):
    return f"/{cast.private.path}/settings/ci_cd"


@pytest.fixture
def api(cast):
    return f"/projects/{cast.private.id}"


def test_only_masters_open_the_settings_and_later_addresses_lead_there(browse, cast, here):
    page = browse("master").open(here)
    assert (page.status, "No runner executes jobs here yet." in page.text) == (200, True)
    assert "Variables give jobs" in page.text
    assert "A trigger is a token" in page.text
    assert browse("developer").open(here).status == 403
    assert browse("stranger").open(here).status == 404
    later = browse("master").open(f"/{cast.private.path}/-/settings/ci_cd")
    assert (later.status, later.headers["Location"]) == (301, here)


def test_general_settings_are_saved(browse, cast, here, api):
    master = browse("master")
    master.open(here)
    refused = master.send(here, ci_config_path="/etc/kept")
    assert (refused.status, 'id="ci_config_path-problem"' in refused.text) == (422, True)
    assert 'value="/etc/kept"' in refused.text
    fields = {"public_jobs": "false", "auto_cancel_pending_pipelines": "false", "ci_config_path": " ci/all.yml "}
    assert master.send(here, **fields).status == 303
    assert 'name="auto_cancel_pending_pipelines" value="true" checked' not in master.open(here).text
    project = cast.master.get(api).json
    assert (project["public_jobs"], project["ci_config_path"], project["jobs_enabled"]) == (False, "ci/all.yml", True)
    assert master.send(here, ci_config_path="", auto_cancel_pending_pipelines="true").status == 303
    assert cast.master.get(api).json["ci_config_path"] is None


def test_shared_runners_are_switched(browse, cast, here, api):
    master = browse("master")
    assert "Disable shared runners" in master.open(here).text
    assert master.send(here, shared_runners_enabled="false").status == 303
    assert "Enable shared runners" in master.open(here).text
    assert cast.master.get(api).json["shared_runners_enabled"] is False


def test_without_pipelines_there_are_no_variables_and_no_triggers(browse, cast, here, api):
    master = browse("master")
    master.open(here)
    assert master.send(here, jobs_enabled="false").status == 303
    page = master.open(here).text
    assert "Add variable" not in page
    assert "Add trigger" not in page
    assert master.open(f"/{cast.private.path}/variables/new").status == 404


def test_a_long_list_has_pages_of_its_own(browse, cast, here, api):
    for number in range(21):
        cast.master.post(f"{api}/variables", key=f"KEY_{number:02}", value="x")
    master = browse("master")
    page = master.open(here).text
    assert ("KEY_19" in page, "KEY_20" in page, "All 21 variables" in page) == (True, False, True)
    second = master.open(f"{here}?section=variables&page=2").text
    assert ("KEY_20" in second, "KEY_00" in second, "Add trigger" in second) == (True, False, False)
    assert master.open(f"{here}?section=triggers").status == 200
    assert master.open(f"{here}?section=runners").status == 200


def test_a_group_has_variables_for_masters_and_runners_for_owners(browse, cast):
    here = f"/groups/{cast.team.path}/-/settings/ci_cd"
    page = browse("owner").open(here).text
    assert "There is no registration token yet." in page
    assert browse("owner").open(f"/{cast.team.path}/-/settings/ci_cd").headers["Location"] == here
    cast.owner.post(f"/groups/{cast.team.id}/members", user_id=cast.stranger.id, access_level=40)
    page = browse("stranger").open(here)
    assert (page.status, "Add variable" in page.text, "New runner" in page.text) == (200, True, False)
    assert browse("developer").open(here).status == 403


def test_badges_are_shown_for_projects_that_have_a_branch(browse, cast, here, api):
    assert "pipeline.svg" not in browse("master").open(here).text
    file = {"branch": "master", "content": "Hello", "commit_message": "First"}
    assert cast.owner.post(f"{api}/repository/files/README.md", **file).status == 201
    page, address = browse("master").open(here).text, f"/{cast.private.path}/badges/master/pipeline.svg"
    assert f'<img src="{address}" alt="Pipeline status of master">' in page
    assert (
        f"[![pipeline status](http://mujina.test{address})](http://mujina.test/{cast.private.path}/commits/master)"
        in page
    )
    assert browse("master").open(address).status == 200


def test_job_tokens_are_limited_and_let_in_again(browse, cast, here, api):
    master = browse("master")
    assert "Jobs of every project can access this project" in master.open(here).text
    assert master.send(f"{here}/job_token", enabled="true").status == 303
    assert "Only jobs of this project" in master.open(here).text
    assert cast.master.get(f"{api}/job_token_scope").json["inbound_enabled"] is True
    for path in (cast.public.path, f"/{cast.team.path}/"):
        assert master.send(f"{here}/job_token/allow", path=path).status == 303
    page = master.open(here).text
    assert f"{here}/job_token/projects/{cast.public.id}/delete" in page
    assert f"{here}/job_token/groups/{cast.team.id}/delete" in page
    assert f"{here}/job_token/projects/{cast.private.id}/delete" not in page
    for path, problem in ((cast.public.path, "is already in the allowlist"), ("no/where", "does not exist")):
        refused = master.send(f"{here}/job_token/allow", path=path)
        assert (refused.status, problem in refused.text, f'value="{path}"' in refused.text) == (422, True, True)
    assert master.send(f"{here}/job_token/projects/{cast.public.id}/delete").status == 303
    assert master.send(f"{here}/job_token/groups/{cast.team.id}/delete").status == 303
    assert cast.master.get(f"{api}/job_token_scope/groups_allowlist").json == []
    assert master.send(f"{here}/job_token", enabled="false").status == 303
    assert cast.master.get(f"{api}/job_token_scope").json["inbound_enabled"] is False


def test_the_page_tells_how_many_entries_of_the_allowlist_one_does_not_see(browse, cast, here, api):
    secret = cast.stranger.post("/projects", name="secret", visibility="private").json["id"]
    assert cast.root.post(f"{api}/job_token_scope/allowlist", target_project_id=secret).status == 201
    page = browse("master").open(here).text
    assert ("The allowlist also has 1 that is not shown here." in page, "stranger/secret" in page) == (True, False)
