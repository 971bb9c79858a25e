"""The page that checks the CI file."""

import pytest

from tests.ci.pipelines.conftest import Ci, add_members


@pytest.fixture
def begins_with():
    return {"ci": Ci}


@pytest.fixture
def here(ci):
    add_members(ci)
    return f"/{ci.cast.owner.get(ci.path).json['path_with_namespace']}/-/ci/editor"


def test_the_file_of_the_default_branch_is_checked(browse, here):
    page = browse("developer").open(here)
    assert (page.status, page.text.count('id="content"')) == (200, 1)
    for words in (
        "This file is valid. A push would run 4 jobs.",
        "compile",
        "release",
        "stages: [build, test, deploy]",
    ):
        assert words in page.text


def test_errors_stand_beside_their_lines(browse, here):
    developer = browse("developer")
    developer.open(here)
    page = developer.send(here, content="a:\n  script: x\n  <b>: 1\nb: {stage: none, script: y}\n")
    assert (page.status, "This file is invalid." in page.text, "valid. A push" in page.text) == (200, True, False)
    assert 'href="#L3"' in page.text
    assert page.text.index('id="L3"') < page.text.rindex("unknown keys: &lt;b&gt;") < page.text.index('id="L4"')
    assert "&lt;b&gt;: 1" in page.text  # what was written stays


def test_a_text_that_cannot_be_read(browse, here):
    developer = browse("developer")
    developer.open(here)
    assert "This file is invalid." in developer.send(here, content="a: [b").text
    assert developer.send(here, content="").status in (200, 422)


def test_a_project_without_a_file(browse, cast):
    page = browse("developer").open(f"/{cast.private.path}/-/ci/editor")
    assert (page.status, "has no .gitlab-ci.yml yet" in page.text) == (200, True)


def test_those_without_rights(browse, ci, here):
    assert browse("reporter").open(here).status == 403
    assert browse("stranger").open(here).status == 404
    assert browse("anonymous").open(here).status == 302
    assert browse("developer").open(here, ref="none").status == 404
    ci.cast.owner.put(ci.path, jobs_enabled=False)
    assert browse("developer").open(here).status == 404
