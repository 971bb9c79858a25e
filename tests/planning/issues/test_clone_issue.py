"""POST /projects/:id/issues/:issue_iid/clone."""

import pytest

from tests.harness.cases import Case, cases

HERE = "POST /projects/{private.id}/issues/{open}/clone"
REFUSED = {"message": "Cannot clone issue due to insufficient permissions!"}


@pytest.fixture
def clone(cast):
    """Clone the open issue of the private project."""

    def post(who="reporter", to=None, **params):
        path = f"/projects/{cast.private.id}/issues/{cast.open}/clone"
        return getattr(cast, who).post(path, to_project_id=to or cast.public.id, **params)

    return post


def test_cloning_requires_permission_on_both_projects(cast, clone):
    assert clone("anonymous").status == 401
    assert clone("stranger").json == {"message": "404 Project Not Found"}
    assert (clone("guest").status, clone("guest").json) == (400, REFUSED)
    assert clone("reporter", 999_999).json == {"message": "404 Project Not Found"}
    missing = cast.reporter.post(f"/projects/{cast.private.id}/issues/999/clone", to_project_id=cast.public.id)
    assert missing.json == {"message": "404 Issue Not Found"}


@cases([
    Case("reporter", HERE, 400,
         {"message": '400 (Bad request) "to_project_id" not given', "error": "to_project_id is missing"}),
    Case("reporter", HERE, 400, {"error": "with_notes is invalid"}, {"to_project_id": 1, "with_notes": "perhaps"}),
])  # fmt: skip
def test_the_parameters_are_checked(case, cast):
    case.holds(cast)


def test_the_copy_has_what_the_original_has_and_its_own_author(cast, clone):
    here = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.owner.post(f"/projects/{cast.private.id}/labels", name="only here", color="#FFF")
    for project in (cast.private, cast.public):
        cast.owner.post(f"/projects/{project.id}/labels", name="both", color="#FFF")
    cast.owner.put(
        here, labels="both,only here", due_date="2030-01-02", assignee_ids=[cast.developer.id], description="see #2",
        state_event="close",
    )  # fmt: skip
    cast.guest.post(f"{here}/notes", body="a word")
    recorded = len(cast.events())
    copy = clone()
    assert copy.status == 201
    assert (copy.json["project_id"], copy.json["state"], copy.json["labels"]) == (cast.public.id, "opened", ["both"])
    assert (copy.json["author"]["id"], copy.json["due_date"]) == (cast.reporter.id, "2030-01-02")
    assert copy.json["description"] == f"see {cast.private.path}#2"
    assert [each["id"] for each in copy.json["assignees"]] == [cast.developer.id]
    assert cast.events()[recorded:] == ["issue.created", "issue.cloned"]
    there = f"/projects/{cast.public.id}/issues/{copy.json['iid']}"

    def bodies(path):
        return [note["body"] for note in cast.reporter.get(f"{path}/notes", sort="asc").json]

    assert bodies(there) == [f"cloned from {cast.private.path}#{cast.open}"]
    assert bodies(here)[-1] == f"cloned to {cast.public.path}#{copy.json['iid']}"
    assert cast.reporter.get(here).json["state"] == "closed"


def test_comments_are_copied_on_request(cast, clone):
    cast.guest.post(f"/projects/{cast.private.id}/issues/{cast.open}/notes", body="a word")
    copy = clone(to=cast.private.id, with_notes=True).json
    assert copy["iid"] != cast.open
    notes = cast.reporter.get(f"/projects/{cast.private.id}/issues/{copy['iid']}/notes", sort="asc").json
    assert "a word" in [note["body"] for note in notes]
    assert {note["author"]["id"] for note in notes if note["body"] == "a word"} == {cast.guest.id}


def test_the_form_clones_too(browse, cast):
    reporter, here = browse("reporter"), f"/{cast.private.path}/issues/{cast.open}"
    assert f"{here}/clone" in reporter.open(here).text
    assert cast.private.path in reporter.open(f"{here}/clone").text
    made = reporter.send(f"{here}/clone", to_project=cast.private.path, with_notes="true")
    assert (made.status, made.headers["Location"].startswith(f"/{cast.private.path}/issues/")) == (303, True)
    assert browse("guest").open(f"{here}/clone").status == 403
