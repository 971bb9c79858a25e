"""PUT /projects/:id/issues/:issue_iid/reorder."""

import pytest

from mujina.planning.issue_positions import operations
from tests.harness.cases import Case, cases
from tests.harness.creation import make_project


@pytest.fixture
def five(cast):
    """A project with five issues, by their titles."""
    project = make_project(cast.owner, "ordered", visibility="public")["id"]
    made = {title: cast.owner.post(f"/projects/{project}/issues", title=title).json for title in "abcde"}
    return project, made


def in_order(person, project):
    listed = person.get(f"/projects/{project}/issues", order_by="relative_position", sort="asc").json
    return "".join(issue["title"] for issue in listed)


def test_an_issue_is_placed_beside_another(cast, five):
    project, made = five

    def move(title, **beside):
        path = f"/projects/{project}/issues/{made[title]['iid']}/reorder"
        moved = cast.owner.put(path, **{name: made[other]["id"] for name, other in beside.items()})
        assert (moved.status, moved.json["title"]) == (200, title)
        return in_order(cast.owner, project)

    assert in_order(cast.owner, project) == "abcde"
    assert move("e", move_after_id="b") == "aebcd"
    assert move("a", move_before_id="d") == "ebcda"
    assert move("d", move_after_id="e") == "debca"
    assert move("d", move_before_id="e", move_after_id="b") == "edbca"
    cast.owner.post(f"/projects/{project}/issues", title="f")
    assert in_order(cast.owner, project) == "edbcaf"


def test_places_never_run_out(cast, five, monkeypatch):
    monkeypatch.setattr(operations, "_GAP", 2)
    project, made = five
    for title in "edcbedcb":
        cast.owner.put(f"/projects/{project}/issues/{made[title]['iid']}/reorder", move_before_id=made["a"]["id"])
    assert in_order(cast.owner, project) == "abcde"


@cases([
    Case("anonymous", "PUT /projects/{public.id}/issues/{open}/reorder", 401),
    Case("stranger", "PUT /projects/{private.id}/issues/{open}/reorder", 404, {"message": "404 Project Not Found"},
         {"move_after_id": 1}),
    Case("guest", "PUT /projects/{private.id}/issues/{open}/reorder", 403, params={"move_after_id": 1}),
    Case("reporter", "PUT /projects/{private.id}/issues/{open}/reorder", 400,
         {"error": "move_after_id, move_before_id are missing, at least one parameter must be provided"}),
    Case("reporter", "PUT /projects/{private.id}/issues/{open}/reorder", 404, {"message": "404 Issue Not Found"},
         {"move_after_id": 999999}),
    Case("reporter", "PUT /projects/{private.id}/issues/{open}/reorder", 400, {"error": "move_after_id is invalid"},
         {"move_after_id": "x"}),
])  # fmt: skip
def test_only_those_who_may_edit_it_place_an_issue(case, cast):
    case.holds(cast)


def test_an_issue_of_another_project_or_itself_is_no_neighbor(cast, five):
    project, made = five
    other = cast.reporter.get(f"/projects/{cast.private.id}/issues/{cast.open}").json["id"]
    for neighbor in (other, made["a"]["id"]):
        answer = cast.owner.put(f"/projects/{project}/issues/{made['a']['iid']}/reorder", move_after_id=neighbor)
        assert (answer.status, answer.json) == (404, {"message": "404 Issue Not Found"})


def test_the_page_lists_issues_in_this_order(browse, cast, five):
    project, made = five
    path = cast.owner.get(f"/projects/{project}").json["path_with_namespace"]
    cast.owner.put(f"/projects/{project}/issues/{made['e']['iid']}/reorder", move_after_id=made["a"]["id"])
    page = browse("owner").open(f"/{path}/issues?order=manual").text
    assert page.index(f"/{path}/issues/{made['e']['iid']}") < page.index(f"/{path}/issues/{made['a']['iid']}")
