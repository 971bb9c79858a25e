"""Labels of a group: list, create, edit, delete."""

from tests.harness.cases import Case, Has, cases

BUG = {"name": "bug", "color": "#ff0000"}


@cases([
    Case("anonymous", "GET /groups/{team.id}/labels", 401),
    Case("stranger", "GET /groups/{team.id}/labels", 200, []),
    Case("stranger", "GET /groups/999999/labels", 404, {"message": "404 Group Not Found"}),
    Case("developer", "POST /groups/{team.id}/labels", 403, params=BUG),
    Case("inherited", "POST /groups/{team.id}/labels", 201, Has(name="bug"), BUG, events=["label.created"]),
    Case("owner", "POST /groups/{team.id}/labels", 201, params=BUG),
    Case("owner", "POST /groups/{company.id}/labels", 403, params=BUG),
    Case("owner", "PUT /groups/{team.id}/labels", 404, {"message": "404 Label Not Found"}, {"name": "x", "color": "red"}),
    Case("owner", "DELETE /groups/{team.id}/labels?name=x", 404, {"message": "404 Label Not Found"}),
])  # fmt: skip
def test_each_call_requires_its_permission(case, cast):
    case.holds(cast)


def test_a_label_is_listed_in_the_groups_below_and_told_once(cast, label):
    label("wide", of="company")
    label("near", of="team")
    assert [shown["name"] for shown in cast.guest.get(f"/groups/{cast.team.id}/labels").json] == ["near", "wide"]
    assert [shown["name"] for shown in cast.guest.get(f"/groups/{cast.company.id}/labels").json] == ["wide"]
    assert "priority" not in cast.guest.get(f"/groups/{cast.team.id}/labels").json[0]
    twice = cast.owner.post(f"/groups/{cast.team.id}/labels", name="wide", color="red")
    assert (twice.status, twice.json) == (409, {"message": "Label already exists"})


def test_a_group_label_is_changed_and_deleted_by_name_or_id(cast, label):
    bug = label("bug", of="team")
    labels = f"/groups/{cast.team.id}/labels"
    assert cast.owner.put(labels, name="bug", new_name="defect").json["name"] == "defect"
    assert cast.owner.put(f"{labels}/{bug['id']}", description="x").json["description"] == "x"
    assert cast.owner.get(f"{labels}/defect").json["id"] == bug["id"]
    assert cast.owner.delete(labels, name="defect").status == 204
    again = label("bug", of="team")
    assert cast.owner.delete(f"{labels}/{again['id']}").status == 204


def test_an_issue_takes_the_group_label_instead_of_making_its_own(cast, label):
    wide = label("wide", of="company")
    cast.reporter.put(f"/projects/{cast.private.id}/issues/{cast.open}", labels="wide")
    assert [shown["id"] for shown in cast.reporter.get(f"/projects/{cast.private.id}/labels").json] == [wide["id"]]
