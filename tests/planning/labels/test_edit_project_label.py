"""PUT /projects/:id/labels?name= and PUT /projects/:id/labels/:label_id."""

import pytest

from tests.harness.cases import Case, Has, cases

LABELS = "PUT /projects/{private.id}/labels"


@pytest.fixture(autouse=True)
def bug(label):
    return label("bug", priority=1)


@cases([
    Case("anonymous", LABELS, 401, params={"name": "bug", "color": "red"}),
    Case("guest", LABELS, 403, params={"name": "bug", "color": "red"}),
    Case("reporter", LABELS, 404, {"message": "404 Label Not Found"}, {"name": "nowhere", "color": "red"}),
    Case("reporter", LABELS, 400,
         {"message": '400 (Bad request) "name" not given', "error": "name is missing"}, {"color": "red"}),
    Case("reporter", LABELS, 400,
         {"error": "new_name, color, description, priority are missing, at least one parameter must be provided"},
         {"name": "bug"}),
    Case("reporter", LABELS, 400, {"message": {"color": ["must be a valid color code"]}}, {"name": "bug", "color": "x"}),
    Case("reporter", LABELS, 400, {"message": {"title": ["is invalid"]}}, {"name": "bug", "new_name": "a,b"}),
    Case("reporter", LABELS, 200, Has(name="defect", color="#FF0000", priority=1), {"name": "bug", "new_name": "defect"},
         events=["label.updated"]),
    Case("reporter", LABELS, 200, Has(name="bug", color="#000080"), {"name": "bug", "color": "navy"}),
    Case("reporter", LABELS, 200, Has(description="Broken"), {"name": "bug", "description": "Broken"}),
    Case("reporter", LABELS, 200, Has(priority=7), {"name": "bug", "priority": 7}),
    Case("reporter", LABELS, 200, Has(priority=None), {"name": "bug", "priority": None}),
    Case("reporter", LABELS, 200, Has(priority=None), {"name": "bug", "priority": ""}),
    Case("reporter", LABELS, 400, {"message": {"title": ["can't be blank"]}}, {"name": "bug", "new_name": None}),
    Case("reporter", LABELS, 400, {"message": {"color": ["must be a valid color code"]}}, {"name": "bug", "color": None}),
])  # fmt: skip
def test_editing_requires_permission_and_valid_parameters(case, cast):
    case.holds(cast)


def test_the_path_names_a_label_by_id_or_title(cast, bug):
    labels = f"/projects/{cast.private.id}/labels"
    assert cast.reporter.put(f"{labels}/{bug['id']}", new_name="a/b c").json["name"] == "a/b c"
    assert cast.reporter.put(f"{labels}/a%2Fb%20c", color="blue").json["color"] == "#0000FF"
    assert cast.reporter.get(f"{labels}/a%2Fb%20c").json["id"] == bug["id"]
    assert cast.reporter.get(f"{labels}/nowhere").json == {"message": "404 Label Not Found"}


def test_issues_carry_a_renamed_label_on(cast, bug):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.reporter.put(issue, labels="bug")
    cast.reporter.put(f"/projects/{cast.private.id}/labels", name="bug", new_name="defect")
    assert cast.reporter.get(issue).json["labels"] == ["defect"]
    assert [
        found["iid"] for found in cast.reporter.get(f"/projects/{cast.private.id}/issues", labels="defect").json
    ] == [cast.open]


def test_a_name_that_is_taken_is_refused(cast, label):
    label("wide", of="team")
    label("other")
    for name in ("wide", "other"):
        answer = cast.reporter.put(f"/projects/{cast.private.id}/labels", name="bug", new_name=name)
        assert (answer.status, answer.json) == (400, {"message": {"title": ["has already been taken"]}})
    assert cast.reporter.put(f"/projects/{cast.private.id}/labels", name="bug", new_name="bug").status == 200


def test_a_label_of_the_group_has_a_priority_here_and_is_otherwise_changed_in_the_group(cast, label):
    wide = label("wide", of="team")
    labels = f"/projects/{cast.private.id}/labels"
    assert cast.reporter.put(f"{labels}/{wide['id']}", priority=2).json["priority"] == 2
    refused = cast.owner.put(f"{labels}/{wide['id']}", color="red")
    assert refused.status == 403
    assert "in the group" in refused.json["message"]
    assert cast.owner.put(f"/groups/{cast.team.id}/labels/{wide['id']}", color="red").status == 200
