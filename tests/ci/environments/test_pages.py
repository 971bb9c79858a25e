"""The pages of environments, with the history of their deployments."""

import pytest


@pytest.fixture
def here(cast):
    return f"/{cast.private.path}/environments"


@pytest.fixture
def api(cast):
    return f"/projects/{cast.private.id}/environments"


def test_an_environment_is_created_edited_and_removed(browse, cast, here, api):
    developer, master = browse("developer"), browse("master")
    assert "Environments are the places to which jobs deploy." in developer.open(here).text
    developer.open(f"{here}/new")
    refused = developer.send(here, environment={"name": "kept!", "external_url": "javascript:alert(1)"})
    assert refused.status == 422
    assert 'id="environment_name-problem"' in refused.text
    assert 'id="environment_external_url-problem"' in refused.text
    fields = {"name": "review/a", "external_url": "https://a.example.org/"}
    assert developer.send(here, environment=fields).status == 303
    [made] = cast.developer.get(api).json
    assert 'href="https://a.example.org/" rel="nofollow noopener noreferrer"' in developer.open(here).text
    page = developer.open(f"{here}/{made['id']}").text
    assert ("Nothing was deployed here yet." in page, "Remove" in page) == (True, False)
    assert developer.open(f"{here}/{made['id']}/edit").status == 403
    master.open(f"{here}/{made['id']}/edit")
    assert master.send(f"{here}/{made['id']}", environment={"name": "live", "external_url": ""}).status == 303
    assert cast.developer.get(f"{api}/{made['id']}").json["external_url"] is None
    assert master.send(f"{here}/{made['id']}/delete").status == 303
    assert cast.developer.get(api).json == []


def test_environments_are_listed_by_state_and_page_by_page(browse, cast, here, api):
    ids = [cast.developer.post(api, name=f"place {number:02}").json["id"] for number in range(22)]
    cast.developer.post(f"{api}/{ids[0]}/stop")
    reporter = browse("reporter")
    page = reporter.open(here).text
    assert ("place 00" in page, "place 01" in page, "place 21" in page) == (False, True, False)
    assert "place 21" in reporter.open(f"{here}?page=2").text
    assert "place 00" in reporter.open(f"{here}?states=stopped").text
    assert "place 00" in reporter.open(f"{here}?states=all&search=lace").text
    assert "No environments match." in reporter.open(f"{here}?search=nowhere").text
    assert browse("guest").open(here).status == 403


@pytest.mark.parametrize("protected", ["tags", "branches"])
def test_stopping_is_offered_to_those_who_may_play_the_job_of_a_protected_ref(browse, cast, ci, work, protected):
    cast.owner.post(f"{ci.path}/members", user_id=cast.developer.id, access_level=30)
    ref = "v1" if protected == "tags" else "master"
    if protected == "tags":
        assert cast.owner.post(f"{ci.path}/repository/tags", tag_name=ref, ref="master").status == 201
    ci.finish("review")
    work()
    path = cast.owner.get(ci.path).json["path_with_namespace"]
    here = f"/{path}/environments/{ci.environments[f'review/{ref}']['id']}"
    cast.owner.delete(f"{ci.path}/protected_{protected}/{ref}")
    developer = browse("developer")
    assert "Stop environment" in developer.open(here).text
    assert cast.owner.post(f"{ci.path}/protected_{protected}", name=ref).status == 201
    assert "Stop environment" not in developer.open(here).text
    assert "Stop environment" in browse("owner").open(here).text
    assert developer.send(f"{here}/stop").status == 403


def test_the_history_of_an_environment_and_its_stop_button(browse, cast, ci, work):
    ci.finish("review")
    work()
    path = cast.owner.get(ci.path).json["path_with_namespace"]
    environment = ci.environments["review/master"]
    here, owner = f"/{path}/environments/{environment['id']}", browse("owner")
    page = owner.open(here).text
    job = ci.job("review")
    assert (f"/{path}/-/jobs/{job['id']}" in page, "Stop environment" in page) == (True, True)
    assert environment["external_url"] in page
    assert "deployed" in owner.open(f"/{path}/environments").text
    assert owner.send(f"{here}/stop").status == 303
    assert ("Stopped" in owner.open(here).text, "Stop environment" in owner.page.text) == (True, False)
    assert ci.job("stop_review")["status"] == "pending"
