"""GET /projects/:id/issues/:issue_iid."""

import pytest

from tests.harness.cases import Case, Has, cases

HERE = "GET /projects/{private.id}/issues"


@cases([
    Case("anonymous", "GET /projects/{public.id}/issues/{open}", 401, {"message": "401 Unauthorized"}),
    Case("stranger", f"{HERE}/{{open}}", 404, {"message": "404 Project Not Found"}),
    Case("guest", f"{HERE}/{{open}}", 200, Has(title="Open", subscribed=False), statements=4),
    Case("reporter", f"{HERE}/{{open}}", 200, Has(title="Open", subscribed=True), statements=4),
    Case("guest", f"{HERE}/{{confidential}}", 404, {"message": "404 Issue Not Found"}),
    Case("reporter", f"{HERE}/{{confidential}}", 200, Has(confidential=True)),
    Case("left", "GET /projects/{public.id}/issues/{farewell}", 200, Has(title="Farewell")),
    Case("left", f"{HERE}/{{farewell}}", 404, {"message": "404 Project Not Found"}),
    Case("stranger", "GET /projects/{public.id}/issues/{confidential}", 404, {"message": "404 Issue Not Found"}),
    Case("guest", f"{HERE}/999999", 404, {"message": "404 Issue Not Found"}),
    Case("guest", f"{HERE}/first", 400, {"error": "issue_iid is invalid"}),
])  # fmt: skip
def test_readers_are_shown_an_issue_and_others_are_not(case, cast):
    case.holds(cast)


def test_an_assignee_sees_a_confidential_issue(cast):
    issue = f"/projects/{cast.private.id}/issues/{cast.confidential}"
    cast.reporter.put(issue, assignee_ids=[cast.guest.id])
    assert cast.guest.get(issue).status == 200


def test_an_issue_has_exactly_the_fields_of_the_specification(cast):
    issue = cast.guest.get(f"/projects/{cast.private.id}/issues/{cast.open}").json
    assert set(issue) == {
        "id", "iid", "project_id", "title", "description", "state", "created_at", "updated_at", "closed_at", "labels",
        "milestone", "assignees", "assignee", "author", "user_notes_count", "due_date", "web_url", "confidential",
        "weight", "discussion_locked", "time_stats", "subscribed", "_links",
    }  # fmt: skip
    api = f"http://mujina.test/api/v4/projects/{cast.private.id}"
    assert issue["_links"] == {
        "self": f"{api}/issues/1", "notes": f"{api}/issues/1/notes", "award_emoji": f"{api}/issues/1/award_emoji",
        "project": api,
    }  # fmt: skip
    assert (issue["discussion_locked"], issue["weight"], issue["description"], issue["closed_at"]) == (
        False, None, None, None,
    )  # fmt: skip
    assert issue["time_stats"] == {
        "time_estimate": 0, "total_time_spent": 0, "human_time_estimate": None, "human_total_time_spent": None,
    }  # fmt: skip


def test_the_milestone_says_when_it_was_closed(cast):
    milestones = f"/projects/{cast.private.id}/milestones"
    made = cast.developer.post(milestones, title="v1").json
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    milestone = cast.developer.put(issue, milestone_id=made["id"]).json["milestone"]
    del made["expired"]  # only a milestone by itself has it
    assert milestone == made | {"closed_at": None}
    cast.developer.put(f"{milestones}/{made['id']}", state_event="close")
    assert cast.developer.get(issue).json["milestone"]["closed_at"].endswith("Z")
    assert "closed_at" not in cast.developer.get(f"/projects/{cast.private.id}/issues").json[-1]["milestone"]


def test_a_milestone_of_a_group_names_the_group_alone(cast):
    made = cast.owner.post(f"/groups/{cast.team.id}/milestones", title="wide").json
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    shown = cast.developer.put(issue, milestone_id=made["id"]).json["milestone"]
    assert (shown["group_id"], "project_id" in shown) == (cast.team.id, False)


def test_labels_come_in_alphabetical_order_and_the_assignee_is_the_first(cast):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.developer.put(issue, labels="ui,bug,Zoo", assignee_ids=[cast.guest.id, cast.master.id])
    shown = cast.guest.get(issue).json
    assert shown["labels"] == ["Zoo", "bug", "ui"]
    assert [user["username"] for user in shown["assignees"]] == ["master", "guest"]
    assert shown["assignee"] == shown["assignees"][0]


@pytest.mark.parametrize("ref", ["id", "encoded"])
def test_the_project_is_named_by_id_or_path(cast, ref):
    assert cast.guest.get(f"/projects/{getattr(cast.private, ref)}/issues/{cast.open}").status == 200
