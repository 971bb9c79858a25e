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


def test_a_merge_request_without_pipelines(browse, ci, request_page):
    for pipeline in ci.pipelines:
        ci.cast.owner.delete(f"{ci.path}/pipelines/{pipeline['id']}")
    assert "No pipeline has run" in browse("owner").open(f"{request_page}/pipelines").text


def test_commits_and_the_project_show_their_pipeline(browse, ci, here):
    pipeline = f'href="{here}/pipelines/{ci.pipelines[0]["id"]}"'
    for page in (here, f"{here}/commits/master", f"{here}/commit/{ci.sha}"):
        shown = browse("reporter").open(page)
        assert (shown.status, pipeline in shown.text) == (200, True)
