"""Milestones of a group: list, single, create, edit, delete."""

from tests.harness.cases import Case, Has, cases

HERE = "/groups/{team.id}/milestones"


@cases([
    Case("anonymous", f"GET {HERE}", 401),
    Case("stranger", f"GET {HERE}", 200, []),
    Case("stranger", "GET /groups/nowhere/milestones", 404, {"message": "404 Group Not Found"}),
    Case("developer", f"POST {HERE}", 403, params={"title": "v1"}),
    Case("inherited", f"POST {HERE}", 201, Has(title="v1", iid=1), {"title": "v1"}, events=["milestone.created"]),
    Case("owner", f"POST {HERE}", 201, params={"title": "v1"}),
    Case("owner", f"GET {HERE}/999999", 404, {"message": "404 Milestone Not Found"}),
])  # fmt: skip
def test_each_call_requires_its_permission(case, cast):
    case.holds(cast)


def test_a_group_milestone_is_listed_changed_and_deleted(cast, milestone):
    made = milestone("v1", of="team")
    milestone("below")
    milestone("above", of="company")
    path = f"/groups/{cast.team.id}/milestones"
    assert [shown["title"] for shown in cast.guest.get(path).json] == ["v1"]
    assert cast.guest.get(f"{path}/{made['id']}").json == cast.guest.get(path).json[0]
    assert cast.developer.put(f"{path}/{made['id']}", title="v2").status == 403
    assert cast.owner.put(f"{path}/{made['id']}", title="v2", state_event="close").json["state"] == "closed"
    assert cast.developer.delete(f"{path}/{made['id']}").status == 403
    assert cast.owner.delete(f"{path}/{made['id']}").status == 204
    assert cast.guest.get(path).json == []


def test_a_group_milestone_is_usable_only_in_projects_below(cast, milestone):
    wide, other = milestone("wide", of="company"), milestone("other", of="guild")
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    shown = cast.reporter.put(issue, milestone_id=wide["id"]).json["milestone"]
    assert shown["group_id"] == cast.company.id
    assert "project_id" not in shown
    assert cast.reporter.put(issue, milestone_id=other["id"]).json["milestone"] is None
