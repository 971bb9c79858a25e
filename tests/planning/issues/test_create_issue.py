"""POST /projects/:id/issues."""

import asyncio

import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.creation import make_project
from tests.harness.statements import statements

HERE = "POST /projects/{private.id}/issues"


@cases([
    Case("anonymous", "POST /projects/{public.id}/issues", 401, params={"title": "x"}),
    Case("anonymous", "POST /projects/{public.id}/issues", 401),
    Case("stranger", HERE, 404, {"message": "404 Project Not Found"}, {"title": "x"}),
    Case("stranger", "POST /projects/{public.id}/issues", 201, Has(title="x"), {"title": "x"}),
    Case("guest", HERE, 201, Has(title="x", state="opened", iid=4, subscribed=True), {"title": " x "},
         events=["issue.created"]),
    Case("guest", HERE, 400, {"message": '400 (Bad request) "title" not given', "error": "title is missing"}),
    Case("guest", HERE, 400, {"message": {"title": ["can't be blank"]}}, {"title": ""}),
    Case("guest", HERE, 400, {"message": {"title": ["can't be blank"]}}, {"title": None}),
    Case("guest", HERE, 400, {"message": {"title": ["is too long (maximum is 255 characters)"]}}, {"title": "x" * 256}),
    Case("guest", HERE, 400, {"error": "confidential is invalid"}, {"title": "x", "confidential": "perhaps"}),
    Case("guest", HERE, 400, {"error": "weight does not have a valid value"}, {"title": "x", "weight": 10}),
    Case("guest", HERE, 400, {"error": "weight does not have a valid value"}, {"title": "x", "weight": -1}),
    Case("guest", HERE, 400, {"error": "created_at is invalid"}, {"title": "x", "created_at": "then"}),
    Case("reporter", HERE, 201, Has(description="long", confidential=True, due_date="2018-03-01", weight=0),
         {"title": "x", "description": "long", "confidential": "y", "due_date": "2018-03-01", "weight": "0"}),
    Case("reporter", HERE, 400, {"error": "due_date is invalid"}, {"title": "x", "due_date": "soon"}),
    Case("reporter", HERE, 400, {"error": "labels has too many names (maximum is 1000)"},
         {"title": "x", "labels": ",".join(f"l{n}" for n in range(1001))}),
    Case("reporter", HERE, 400, {"message": {"labels": {"title": ["is too long (maximum is 255 characters)"]}}},
         {"title": "x", "labels": "x" * 256}, events=[]),
    Case("reporter", HERE, 201, Has(labels=[], weight=None, due_date=None),
         {"title": "x", "labels": None, "weight": None, "due_date": None, "assignee_ids": None, "milestone_id": None}),
    Case("reporter", HERE, 201, Has(assignees=[], assignee=None), {"title": "x", "assignee_id": ""}),
])  # fmt: skip
def test_creating_requires_permission_and_valid_parameters(case, cast):
    case.holds(cast)


@pytest.mark.parametrize("who", ["guest", "stranger"])
def test_fields_of_triage_are_dropped_for_callers_who_may_not_triage(cast, who):
    milestone = cast.developer.post(f"/projects/{cast.public.id}/milestones", title="v1").json
    issue = getattr(cast, who).post(
        f"/projects/{cast.public.id}/issues", title="x", labels="new", milestone_id=milestone["id"],
        assignee_ids=[cast.developer.id], due_date="2018-01-01", weight=3, discussion_locked=True, confidential=True,
    )  # fmt: skip
    assert issue.status == 201
    dropped = ("labels", "milestone", "assignees", "due_date", "weight", "discussion_locked")
    assert [issue.json[name] for name in dropped] == [[], None, [], None, None, False]
    assert issue.json["confidential"] is True
    assert cast.root.get(f"/projects/{cast.public.id}/labels").json == []


def test_a_full_body_takes_one_look_up_and_is_shown_as_it_is_read(cast, database):
    project = f"/projects/{cast.private.id}"
    milestone = cast.developer.post(f"{project}/milestones", title="v1").json["id"]
    for at in (project, f"/groups/{cast.team.id}"):
        cast.developer.post(f"{at}/labels", name="bug", color="#ff0000")
    cast.developer.post(f"{project}/labels", name="ui", color="#ff0000")
    with statements(database) as used:
        created = cast.developer.post(
            f"{project}/issues", title="x", description="long", labels="ui,bug", milestone_id=milestone,
            assignee_ids=[cast.guest.id, cast.stranger.id],
        )  # fmt: skip
    assert used.count <= 9
    assert created.json == cast.developer.get(f"{project}/issues/{created.json['iid']}").json
    shown = created.json["labels"], created.json["milestone"]["id"], [each["id"] for each in created.json["assignees"]]
    assert shown == (["bug", "ui"], milestone, [cast.guest.id])
    counts = {label["name"]: label["open_issues_count"] for label in cast.developer.get(f"{project}/labels").json}
    assert counts["ui"] == 1


def test_labels_that_are_new_become_labels_of_the_project(cast):
    issue = cast.reporter.post(f"/projects/{cast.private.id}/issues", title="x", labels=" ui , bug,bug,,").json
    assert issue["labels"] == ["bug", "ui"]
    labels = cast.reporter.get(f"/projects/{cast.private.id}/labels").json
    assert [(label["name"], label["color"]) for label in labels] == [("bug", "#428BCA"), ("ui", "#428BCA")]


def test_assignees_who_may_not_read_the_project_are_dropped(cast):
    wanted = [cast.guest.id, cast.stranger.id, 999_999, cast.master.id]
    issue = cast.reporter.post(f"/projects/{cast.private.id}/issues", title="x", assignee_ids=wanted).json
    assert [user["id"] for user in issue["assignees"]] == sorted([cast.guest.id, cast.master.id])


@pytest.mark.parametrize("nobody", [[0], [], "", None])
def test_an_issue_is_created_without_assignees(cast, nobody):
    issue = cast.reporter.post(f"/projects/{cast.private.id}/issues", title="x", assignee_ids=nobody)
    assert issue.json["assignees"] == []


def test_a_milestone_from_elsewhere_is_none(cast):
    other = cast.developer.post(f"/projects/{cast.public.id}/milestones", title="v1").json
    for milestone_id in (other["id"], 999_999, 0):
        issue = cast.reporter.post(f"/projects/{cast.private.id}/issues", title="x", milestone_id=milestone_id)
        assert (issue.status, issue.json["milestone"]) == (201, None)


@pytest.mark.parametrize(("who", "honored"), [("master", False), ("owner", True), ("root", True), ("guest", False)])
def test_a_date_of_creation_is_for_owners_and_administrators(cast, who, honored):
    issue = getattr(cast, who).post(
        f"/projects/{cast.private.id}/issues", title="x", created_at="2017-03-04T05:06:07+01:00"
    )
    assert issue.status == 201
    assert (issue.json["created_at"] == "2017-03-04T04:06:07.000Z") is honored


def test_in_their_own_namespace_everybody_dates_issues(cast):
    project = make_project(cast.guest, "mine")["id"]
    made = cast.guest.post(f"/projects/{project}/issues", title="x", created_at="2017-03-04T05:06:07Z").json
    assert made["created_at"] == "2017-03-04T05:06:07.000Z"


def test_no_issue_is_created_where_issues_are_disabled(cast):
    cast.owner.put(f"/projects/{cast.private.id}", issues_enabled=False)
    assert cast.root.post(f"/projects/{cast.private.id}/issues", title="x").status == 403
    assert cast.root.get(f"/projects/{cast.private.id}/issues/{cast.open}").status == 404


def test_the_number_of_a_deleted_issue_is_not_used_again(cast):
    issues = f"/projects/{cast.private.id}/issues"
    made = cast.owner.post(issues, title="x").json
    assert cast.owner.delete(f"{issues}/{made['iid']}").status == 204
    assert cast.owner.post(issues, title="y").json["iid"] == made["iid"] + 1


@pytest.mark.commits
def test_hundreds_of_issues_by_sixteen_clients_are_numbered_without_gap(cast):
    who = cast.stranger
    project = make_project(who, "busy")["id"]

    async def create(numbers):
        return [
            (await who.exchange("POST", f"/projects/{project}/issues", params={"title": f"{number}"})).status
            for number in numbers
        ]

    async def all_at_once():
        return await asyncio.gather(*(create(range(n, 400, 16)) for n in range(16)))

    statuses = who.loop.run_until_complete(all_at_once())
    assert {status for each in statuses for status in each} == {201}
    iids = []
    for page in range(1, 5):
        answer = who.get(f"/projects/{project}/issues", per_page=100, page=page)
        iids += [issue["iid"] for issue in answer.json]
    assert sorted(iids) == list(range(1, 401))
    assert answer.headers["X-Total"] == "400"
