"""The pages of jobs."""

import pytest

from tests.ci.pipelines.conftest import Ci, add_members


@pytest.fixture
def begins_with():
    return {"ci": Ci}


@pytest.fixture
def here(ci):
    add_members(ci)
    return f"/{ci.cast.owner.get(ci.path).json['path_with_namespace']}/-/jobs"


def test_the_list_of_jobs(browse, here):
    owner = browse("owner")
    page = owner.open(here).text
    for name in ("compile", "rspec", "lint", "release"):
        assert f">{name}</a>" in page
    pending = owner.open(here, scope="pending").text
    assert (">compile</a>" in pending, ">rspec</a>" in pending) == (True, False)
    assert "No jobs match." in owner.open(here, scope="running").text
    second = owner.open(here, per_page=3, page=2).text
    assert (second.count('</a> <span class="soft">#'), ">compile</a>" in second) == (1, True)
    assert browse("stranger").open(here).status == 404


def test_a_job_is_canceled_retried_and_played(browse, ci, here):
    owner, job = browse("owner"), f"{here}/{ci.job('compile')['id']}"
    page = owner.open(job)
    assert (page.status, "is waiting for a runner" in page.text, "Cancel" in page.text) == (200, True, True)
    assert owner.send(f"{job}/cancel").status == 303
    assert ci.job("compile")["status"] == "canceled"
    assert ci.job("compile")["queued_duration"] == ci.job("compile")["queued_duration"]  # it waits no longer
    retried = owner.send(f"{job}/retry")
    assert (retried.status, retried.headers["Location"]) == (303, f"{here}/{ci.job('compile')['id']}")
    assert "Retry" not in owner.open(job).text  # it was retried
    assert owner.send(f"{job}/retry").status == 422
    for name in ("compile", "rspec", "lint"):
        ci.finish(name)
    manual = f"{here}/{ci.job('release')['id']}"
    assert "This job requires a manual action." in owner.open(manual).text
    assert owner.send(f"{manual}/play").status == 303
    assert ci.job("release")["status"] == "pending"


def test_those_without_rights(browse, ci, here):
    job = f"{here}/{ci.job('compile')['id']}"
    reporter = browse("reporter")
    assert "Cancel" not in reporter.open(job).text
    assert reporter.send(f"{job}/cancel").status == 403
    assert browse("stranger").open(job).status == 404
    assert browse("owner").open(f"{here}/{10**9}").status == 404
