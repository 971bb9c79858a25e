"""Pipelines on the pages of merge requests, commits and projects."""

import pytest

from tests.ci.pipelines.conftest import Ci, add_members


@pytest.fixture
def begins_with():
    return {"ci": Ci}


@pytest.fixture
def here(ci):
    add_members(ci)
    return f"/{ci.cast.owner.get(ci.path).json['path_with_namespace']}"


@pytest.fixture
def request_page(ci, here):
    ci.commit("topic", "On the topic", a="b")
    made = ci.cast.owner.post(
        f"{ci.path}/merge_requests", source_branch="topic", target_branch="master", title="Topic"
    ).json
    return f"{here}/merge_requests/{made['iid']}"


def test_the_panel_and_the_tab_lead_to_the_pipeline(browse, ci, here, request_page):
    pipeline = f'href="{here}/pipelines/{ci.pipelines[0]["id"]}"'
    owner = browse("owner")
    panel = owner.open(request_page).text
    assert (pipeline in panel, f'href="{request_page}/pipelines"' in panel) == (True, True)
    tab = owner.open(f"{request_page}/pipelines").text
    assert (pipeline in tab, "On the topic" in tab, "build: pending" in tab) == (True, True, True)
    assert browse("stranger").open(f"{request_page}/pipelines").status == 404
    ci.cast.owner.put(ci.path, jobs_enabled=False)
    assert f'href="{request_page}/pipelines"' not in owner.open(request_page).text


def test_a_pipeline_is_run_from_the_panel_by_those_who_may(browse, ci, request_page):
    button = f'action="{request_page}/pipelines"'
    for person, may in (("guest", False), ("reporter", False), ("developer", True), ("owner", True)):
        for page in (request_page, f"{request_page}/pipelines"):
            assert (button in browse(person).open(page).text) == may, (person, page)
    text = 'review: {script: check, rules: [{if: $CI_PIPELINE_SOURCE == "merge_request_event"}]}'
    file = {"branch": "topic", "content": text, "commit_message": "Jobs of requests"}
    assert ci.cast.owner.put(f"{ci.path}/repository/files/.gitlab-ci.yml", **file).status == 200
    before, developer, reporter = len(ci.pipelines), browse("developer"), browse("reporter")
    developer.open(request_page)
    assert developer.send(f"{request_page}/pipelines").status == 303
    started = ci.pipelines[0]
    assert (len(ci.pipelines), started["source"], started["ref"]) == (before + 1, "merge_request_event", "topic")
    reporter.open(request_page)
    assert reporter.send(f"{request_page}/pipelines").status == 403
    ci.cast.owner.post(f"{ci.path}/protected_branches", name="topic")
    assert button not in developer.open(request_page).text
    refused = developer.send(f"{request_page}/pipelines")
    assert (refused.status, "Insufficient permissions for protected ref" in refused.text) == (422, True)
    ci.cast.owner.put(f"/projects/{ci.id}/merge_requests/{request_page.rpartition('/')[2]}", state_event="close")
    assert button not in browse("owner").open(request_page).text


def test_the_code_of_a_fork_runs_only_for_a_user_who_says_so(browse, ci, here):
    cast = ci.cast
    cast.owner.put(ci.path, visibility="internal")
    fork = cast.stranger.post(f"{ci.path}/fork").json["id"]
    text = 'review: {script: check, rules: [{if: $CI_PIPELINE_SOURCE == "merge_request_event"}]}'
    action = {"action": "update", "file_path": ".gitlab-ci.yml", "content": text}
    commit = {"branch": "topic", "start_branch": "master", "commit_message": "x", "actions": [action]}
    assert cast.stranger.post(f"/projects/{fork}/repository/commits", **commit).status == 201
    made = cast.stranger.post(
        f"/projects/{fork}/merge_requests", source_branch="topic", target_branch="master", title="T",
        target_project_id=ci.id,
    ).json  # fmt: skip
    page = f"{here}/merge_requests/{made['iid']}"
    before = len(cast.root.get(f"/projects/{fork}/pipelines").json)
    root = browse("root")
    assert f'action="{page}/pipelines"' not in root.open(page).text
    assert "in your name" in root.open(f"{page}/pipelines").text
    refused = root.send(f"{page}/pipelines")
    assert (refused.status, "must be checked" in refused.text) == (422, True)
    assert len(cast.root.get(f"/projects/{fork}/pipelines").json) == before
    assert root.send(f"{page}/pipelines", confirmed="true").status == 303
    assert len(cast.root.get(f"/projects/{fork}/pipelines").json) == before + 1


def test_a_merge_request_without_pipelines(browse, ci, request_page):
    for pipeline in ci.pipelines:
        ci.cast.owner.delete(f"{ci.path}/pipelines/{pipeline['id']}")
    assert "No pipeline has run" in browse("owner").open(f"{request_page}/pipelines").text


def test_commits_and_the_project_show_their_pipeline(browse, ci, here):
    pipeline = f'href="{here}/pipelines/{ci.pipelines[0]["id"]}"'
    for page in (here, f"{here}/commits/master", f"{here}/commit/{ci.sha}"):
        shown = browse("reporter").open(page)
        assert (shown.status, pipeline in shown.text) == (200, True)
