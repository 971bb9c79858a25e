"""GET, PUT and DELETE /projects/:id/milestones/:milestone_id."""

import asyncio

import pytest

from tests.harness.client import Raw


@pytest.fixture
def path(cast, milestone):
    made = milestone("v1", start_date="2018-01-01", due_date="2018-02-01", description="The first")
    return f"/projects/{cast.private.id}/milestones/{made['id']}"


def test_a_milestone_is_shown_by_its_global_id(cast, path, milestone):
    assert cast.guest.get(path).json["title"] == "v1"
    other = milestone("other", of="public")
    missing = cast.guest.get(f"/projects/{cast.private.id}/milestones/{other['id']}")
    assert (missing.status, missing.json) == (404, {"message": "404 Milestone Not Found"})
    assert cast.stranger.get(path).json == {"message": "404 Project Not Found"}
    assert cast.anonymous.get(path).status == 401


def test_only_developers_edit_milestones(cast, path):
    assert cast.reporter.put(path, title="v2").status == 403
    assert cast.stranger.put(path, title="v2").status == 404
    assert cast.anonymous.put(path, title="v2").status == 401
    assert cast.developer.put(path, title="v2").json["title"] == "v2"
    assert cast.events()[-1] == "milestone.updated"


def test_missing_or_null_fields_are_kept_and_blank_ones_cleared(cast, path):
    assert cast.developer.put(path, due_date="2018-03-01").json["description"] == "The first"
    assert cast.developer.put(path, due_date=None, start_date=None, description=None).json["due_date"] == "2018-03-01"
    assert cast.developer.put(path, due_date="", start_date="").json["due_date"] is None
    assert cast.developer.put(path, description="").json["start_date"] is None
    assert "at least one parameter must be provided" in cast.developer.put(path).json["error"]


def test_invalid_values_are_refused(cast, path, milestone):
    milestone("taken")
    taken = {"title": ["already being used for another group or project milestone."]}
    assert cast.developer.put(path, title="taken").json == {"message": taken}
    assert cast.developer.put(path, title=None).json == {"message": {"title": ["can't be blank"]}}
    assert cast.developer.put(path, title=" ").json == {"message": {"title": ["can't be blank"]}}
    early = cast.developer.put(path, due_date="2017-12-31")
    assert (early.status, early.json) == (400, {"message": {"due_date": ["must be greater than start date"]}})
    assert cast.developer.put(path, state_event="open").json == {"error": "state_event does not have a valid value"}


def test_closing_and_activating(cast, path):
    assert cast.developer.put(path, state_event="close").json["state"] == "closed"
    assert cast.developer.put(path, state_event="close").json["state"] == "closed"
    assert cast.developer.put(path, state_event="activate").json["state"] == "active"
    assert cast.events()[-3:] == ["milestone.closed", "milestone.updated", "milestone.activated"]


@pytest.mark.commits
def test_changes_at_once_close_it_once_and_leave_no_impossible_dates(cast, milestone):
    path = f"/projects/{cast.private.id}/milestones/{milestone('v2')['id']}"
    changes = [{"start_date": "2018-02-01"}, {"due_date": "2018-01-01"}, *[{"state_event": "close"}] * 6]

    async def all_at_once():
        return await asyncio.gather(*(cast.developer.exchange("PUT", path, params=change) for change in changes))

    answers = [answer.status for answer in cast.developer.loop.run_until_complete(all_at_once())]
    assert sorted(answers[:2]) == [200, 400]
    assert answers[2:] == [200] * 6
    assert cast.events().count("milestone.closed") == 1


def test_a_deleted_one_leaves_its_issues_without(cast, path):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.reporter.put(issue, milestone_id=cast.guest.get(path).json["id"])
    assert cast.reporter.get(issue).json["milestone"]["title"] == "v1"
    assert cast.reporter.delete(path).status == 403
    old = Raw(headers={"If-Unmodified-Since": "Tue, 01 Jan 2013 00:00:00 GMT"})
    assert cast.developer.delete(path, raw=old).status == 412
    assert cast.developer.delete(path).status == 204
    assert cast.developer.delete(path).json == {"message": "404 Milestone Not Found"}
    assert cast.reporter.get(issue).json["milestone"] is None
