"""The pages of pipelines."""

import re

import pytest

from tests.ci.pipelines.conftest import add_members

NEEDS = """\
stages: [build, test]
a: {stage: build, script: x}
b: {stage: build, script: x}
c: {stage: test, script: x, needs: [a]}
"""


@pytest.fixture
def here(ci):
    add_members(ci)
    return f"/{ci.cast.owner.get(ci.path).json['path_with_namespace']}"


@pytest.fixture
def newest(ci, here):
    return f"{here}/pipelines/{ci.pipelines[0]['id']}"


def test_the_list_shows_status_stages_commit_and_author(browse, ci, here, newest):
    ci.finish("compile")
    page = browse("reporter").open(f"{here}/pipelines").text
    assert f'href="{newest}"' in page
    assert ">more <" in page  # the title of the commit
    for words in ("build: success", "test: pending", "deploy: created", "running", "push", 'aria-current="page">'):
        assert words in page
    assert "Run pipeline" not in page
    assert "Run pipeline" in browse("owner").open(f"{here}/pipelines").text


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({}, True), ({"scope": "pending"}, True), ({"scope": "finished"}, False), ({"scope": "branches"}, True),
        ({"scope": "tags"}, False), ({"status": "pending", "ref": "master"}, True), ({"ref": "other"}, False),
        ({"status": "", "ref": "", "username": ""}, True), ({"username": "nobody"}, False),
    ],
)  # fmt: skip
def test_the_list_is_filtered(browse, here, newest, query, shown):
    page = browse("owner").open(f"{here}/pipelines", **query)
    assert (page.status, f'href="{newest}"' in page.text) == (200, shown)
    assert ("No pipelines match your filters." in page.text) is not shown


def test_the_second_page_of_the_list(browse, ci, here):
    ci.commit(message="second", a="b")
    old, new = (pipeline["id"] for pipeline in reversed(ci.pipelines))
    reader = browse("owner")
    assert f"{here}/pipelines/{new}" in reader.open(f"{here}/pipelines", per_page=1).text
    page = reader.open(f"{here}/pipelines", per_page=1, page=2).text
    assert (f"{here}/pipelines/{old}" in page, f"{here}/pipelines/{new}" in page) == (True, False)


def test_an_empty_list_says_how_to_begin(browse, cast):
    page = browse("developer").open(f"/{cast.private.path}/pipelines").text
    assert ".gitlab-ci.yml" in page
    assert "script:" in page
    assert ".gitlab-ci.yml" not in browse("reporter").open(f"/{cast.private.path}/pipelines").text


def test_readers_without_rights_see_no_pipeline(browse, ci, here, newest):
    assert browse("stranger").open(newest).status == 404
    assert browse("anonymous").open(newest).status == 302
    assert browse("guest").open(newest).status == 200
    ci.cast.owner.put(ci.path, public_jobs=False)
    assert browse("guest").open(newest).status == 403
    assert "/pipelines" not in browse("guest").open(here).text
    assert browse("owner").open(f"{here}/pipelines/{10**9}").status == 404


def test_a_guest_who_may_not_read_the_code_sees_no_commit(browse, newest):
    page = browse("guest").open(newest).text
    assert (">more <" in page, "/commit/" in page, "/commits/" in page) == (False, False, False)


def test_the_navigation_hides_what_is_switched_off(browse, ci, here, newest):
    assert ">Build<" in browse("owner").open(here).text
    ci.cast.owner.put(ci.path, jobs_enabled=False)
    page = browse("owner").open(here).text
    assert (">Build<" in page, f'href="{here}/pipelines"' in page) == (False, False)
    without = browse("owner").open(newest)
    assert (without.status, "compile" in without.text) == (200, False)
    assert browse("owner").open(f"{newest}/builds").status == 404


def test_a_pipeline_shows_its_jobs_by_stage(browse, ci, newest):
    ci.finish("compile", "failed", "script_failure")
    page = browse("owner").open(newest).text
    for words in ("compile", "rspec", "script failure", "Retry", "Delete pipeline", ci.sha[:8]):
        assert words in page
    assert "Cancel" not in page
    assert page.index("compile") < page.index("rspec") < page.rindex("release")
    reporter = browse("reporter").open(newest).text
    assert ("Retry" in reporter, "Delete pipeline" in reporter, "compile" in reporter) == (False, False, True)


def test_a_graph_by_needs(browse, ci, here):
    ci.file(NEEDS)
    page = browse("owner").open(f"{here}/pipelines/{ci.pipelines[0]['id']}", by="needs").text
    assert (page.count('class="box"'), page.count('<path class="line'), "needs a<" in page) == (3, 1, True)


def test_a_pipeline_is_retried_canceled_and_deleted(browse, ci, newest):
    owner = browse("owner")
    assert "Cancel" in owner.open(newest).text
    assert owner.send(f"{newest}/cancel").status == 303
    assert ci.status() == "canceled"
    assert owner.send(f"{newest}/retry").status == 303
    assert ci.status() == "pending"
    developer = browse("developer")
    developer.open(newest)
    assert developer.send(f"{newest}/delete").status == 403
    assert owner.send(f"{newest}/delete").status == 303
    assert ci.pipelines == []


def test_developers_see_no_buttons_of_a_protected_branch(browse, ci, newest):
    ci.cast.owner.delete(f"{ci.path}/protected_branches/master")
    assert "Cancel" in browse("developer").open(newest).text
    ci.cast.owner.post(f"{ci.path}/protected_branches", name="master", push_access_level=40)
    developer = browse("developer")
    assert "Cancel" not in developer.open(newest).text
    assert developer.send(f"{newest}/cancel").status == 403


def test_a_pipeline_is_run_with_variables(browse, ci, here):
    owner = browse("owner")
    form = owner.open(f"{here}/pipelines/new?ref=topic&var[A]=b").text
    assert 'value="topic"' in form
    assert "A=b" in form
    refused = owner.send(f"{here}/pipelines", ref="master", variables="A b")
    assert (refused.status, "A b" in refused.text) == (422, True)
    assert owner.send(f"{here}/pipelines", ref="none").status == 422
    made = owner.send(f"{here}/pipelines", ref="master", variables="A=b=c\n\nB=<d>")
    page = owner.open(made.headers["Location"])
    assert (page.status, "b=c" in page.text, "&lt;d&gt;" in page.text) == (200, True, True)
    assert ci.pipelines[0]["source"] == "web"
    assert "b=c" not in browse("reporter").open(made.headers["Location"]).text
    assert "b=c" not in browse("developer").open(made.headers["Location"]).text  # who may not push to the branch
    assert browse("reporter").open(f"{here}/pipelines/new").status == 403


def test_the_form_of_a_pipeline_names_no_branch_that_one_may_not_push_to(browse, ci, here):
    owner, developer = browse("owner"), browse("developer")
    ci.cast.owner.post(f"{ci.path}/repository/branches", branch="topic", ref="master")
    for query in ("", "?ref=master"):
        form = developer.open(f"{here}/pipelines/new{query}").text
        assert "You may not run pipelines for master, which is protected." in form
        assert (developer.field("ref"), re.findall(r'<option value="([^"]*)', form)) == ("", ["topic"])
    owner.open(f"{here}/pipelines/new")
    assert owner.field("ref") == "master"
    assert developer.send(f"{here}/pipelines", ref="master", variables="").status == 422
    assert developer.send(f"{here}/pipelines", ref="topic", variables="").status == 303


def test_an_invalid_file_is_named(browse, ci, here):
    ci.commit(action="update", **{".gitlab-ci.yml": "a: {script: [], <b>: c}"})
    page = browse("owner").open(f"{here}/pipelines/{ci.pipelines[0]['id']}").text
    assert "The CI file is invalid." in page
    assert "unknown keys: &lt;b&gt;" in page


def test_the_jobs_of_a_pipeline_also_those_that_were_retried(browse, ci, newest):
    ci.finish("compile", "failed")
    ci.cast.owner.post(f"{ci.path}/jobs/{ci.job('compile')['id']}/retry")
    page = browse("owner").open(f"{newest}/builds").text
    assert page.count(">compile</a>") == 2
    second = browse("owner").open(f"{newest}/builds", per_page=2, page=2).text
    assert second.count("/-/jobs/") < page.count("/-/jobs/")


def test_what_other_systems_report_stands_beside_the_jobs(browse, ci, here, newest):
    ci.cast.owner.post(
        f"{ci.path}/statuses/{ci.sha}", state="success", name="elsewhere", ref="master", target_url="https://ci.test/1"
    )
    page = browse("owner").open(newest).text
    assert ("elsewhere" in page, "https://ci.test/1" in page) == (True, True)
    assert "external: success" in browse("owner").open(f"{here}/pipelines").text


def test_newer_and_older_addresses(browse, ci, here, newest):
    owner, job = browse("owner"), ci.job("compile")["id"]
    for path, target in (
        (f"{here}/-/pipelines", f"{here}/pipelines"), (newest.replace("/pipelines", "/-/pipelines"), newest),
        (f"{here}/builds/{job}", f"{here}/-/jobs/{job}"), (f"{here}/jobs", f"{here}/-/jobs"),
    ):  # fmt: skip
        found = owner.open(path)
        assert (found.status, found.headers["Location"]) == (301, target)
    assert owner.open(f"{here}/-/jobs/none").status == 404
