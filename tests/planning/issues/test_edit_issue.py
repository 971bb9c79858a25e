"""PUT /projects/:id/issues/:issue_iid."""

import asyncio
from unittest.mock import ANY

import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.creation import make_project
from tests.harness.statements import statements

HERE = "PUT /projects/{private.id}/issues/{open}"


@cases([
    Case("anonymous", HERE, 401, params={"title": "x"}),
    Case("stranger", HERE, 404, {"message": "404 Project Not Found"}, {"title": "x"}),
    Case("guest", HERE, 403, {"message": "403 Forbidden"}, {"title": "x"}, events=[]),
    Case("guest", "PUT /projects/{private.id}/issues/{confidential}", 404, {"message": "404 Issue Not Found"}, {"title": "x"}),
    Case("stranger", "PUT /projects/{public.id}/issues/{open}", 403, params={"title": "x"}),
    Case("left", "PUT /projects/{public.id}/issues/{farewell}", 200, Has(title="x"), {"title": "x"}),
    Case("developer", HERE, 200, Has(title="x", subscribed=True), {"title": " x "}),
    Case("developer", HERE, 400, {"message": {"title": ["can't be blank"]}}, {"title": " "}),
    Case("developer", HERE, 400, {"message": {"title": ["can't be blank"]}}, {"title": None}, events=[]),
    Case("developer", HERE, 400, {"message": {"title": ["is too long (maximum is 255 characters)"]}}, {"title": "x" * 256}),
    Case("developer", HERE, 400, {"error": "state_event does not have a valid value"}, {"state_event": "bogus"}),
    Case("developer", HERE, 400, {"error": "weight does not have a valid value"}, {"weight": 10}),
    Case("developer", HERE, 200, Has(weight=9), {"weight": 9}),
    Case("developer", HERE, 200, Has(due_date="2018-01-01"), {"due_date": "2018-01-01T23:00:00Z"}),
    Case("developer", HERE, 400, {"error": "due_date is invalid"}, {"due_date": "whenever"}),
    Case("developer", HERE, 400, {"error": "due_date is invalid"}, {"due_date": "2026-02-30"}),
    Case("developer", HERE, 200, Has(confidential=True), {"confidential": "on"}),
    Case("developer", HERE, 200, Has(discussion_locked=True), {"discussion_locked": True}),
    Case("developer", "PUT /projects/{private.id}/issues/999", 404, {"message": "404 Issue Not Found"}, {"title": "x"}),
])  # fmt: skip
def test_editing_requires_permission_and_valid_parameters(case, cast):
    case.holds(cast)


@pytest.mark.parametrize("said", [{}, {"updated_at": "2018-01-01T00:00:00Z"}])
def test_at_least_one_attribute_is_needed(cast, issue, said):
    answer = cast.developer.put(issue, **said)
    assert answer.status == 400
    assert answer.json["error"].startswith("title, description, ")
    assert answer.json["error"].endswith("are missing, at least one parameter must be provided")


def test_a_field_left_out_is_left_alone(cast, issue):
    full = {"description": "d", "labels": "bug", "weight": 3, "due_date": "2018-01-01", "assignee_ids": [cast.guest.id]}
    before = cast.developer.put(issue, **full).json
    after = cast.developer.put(issue, title="x").json
    assert after | {"title": "Open", "updated_at": before["updated_at"]} == before | {"subscribed": True} | {
        "user_notes_count": before["user_notes_count"]
    }


def test_an_empty_value_clears_a_field(cast, issue):
    milestone = cast.developer.post(f"/projects/{cast.private.id}/milestones", title="v1").json
    cast.developer.put(
        issue, description="d", labels="bug,ui", weight=3, due_date="2018-01-01", assignee_ids=[cast.guest.id],
        milestone_id=milestone["id"],
    )  # fmt: skip
    assert cast.developer.put(issue, labels="").json["labels"] == []
    assert cast.developer.put(issue, description="").json["description"] == ""
    assert cast.developer.put(issue, weight="").json["weight"] is None
    assert cast.developer.put(issue, due_date="").json["due_date"] is None
    assert cast.developer.put(issue, milestone_id=0).json["milestone"] is None
    assert cast.developer.put(issue, milestone_id=milestone["id"]).json["milestone"]["title"] == "v1"
    assert cast.developer.put(issue, milestone_id="").json["milestone"] is None
    assert cast.developer.put(issue, assignee_ids=[0]).json["assignees"] == []


NULLABLE = (
    "labels", "description", "weight", "due_date", "milestone_id", "assignee_ids", "assignee_id", "confidential",
    "discussion_locked", "state_event", "add_labels", "remove_labels",
)  # fmt: skip


@pytest.mark.parametrize("names", [*((name,) for name in NULLABLE), NULLABLE], ids=", ".join)
def test_null_is_as_if_absent(cast, issue, names):
    full = {
        "description": "d", "labels": "bug", "weight": 3, "due_date": "2018-01-01", "assignee_ids": [cast.guest.id],
        "milestone_id": cast.developer.post(f"/projects/{cast.private.id}/milestones", title="v1").json["id"],
        "confidential": True, "discussion_locked": True,
    }  # fmt: skip
    before = cast.developer.put(issue, **full).json
    answer = cast.developer.put(issue, **dict.fromkeys(names))
    assert answer.status == 200
    assert answer.json | {"updated_at": before["updated_at"]} == before


@pytest.mark.parametrize("nobody", [[0], [], "", "0"])
def test_all_are_unassigned(cast, issue, nobody):
    cast.developer.put(issue, assignee_ids=[cast.guest.id, cast.master.id])
    assert cast.developer.put(issue, assignee_ids=nobody).json["assignees"] == []


@pytest.mark.parametrize("field", ["labels", "add_labels"])
def test_a_label_of_too_many_characters_is_refused(cast, issue, field):
    cast.developer.put(issue, labels="bug")
    answer = cast.developer.put(issue, **{field: f"{'x' * 256},fine"})
    too_long = {"labels": {"title": ["is too long (maximum is 255 characters)"]}}
    assert (answer.status, answer.json) == (400, {"message": too_long})
    assert cast.developer.get(issue).json["labels"] == ["bug"]
    assert cast.developer.put(issue, labels="x" * 255).json["labels"] == ["x" * 255]


def test_labels_replace_the_set_or_change_it(cast, issue):
    assert cast.developer.put(issue, labels="a,b").json["labels"] == ["a", "b"]
    assert cast.developer.put(issue, labels="b,c").json["labels"] == ["b", "c"]
    assert cast.developer.put(issue, labels=["x"]).json["labels"] == ["x"]
    assert cast.developer.put(issue, add_labels="y,z", remove_labels="x").json["labels"] == ["y", "z"]


def test_a_reporter_makes_labels_by_naming_them(cast, issue):
    assert cast.reporter.put(issue, labels="brand new").json["labels"] == ["brand new"]
    assert "brand new" in [label["name"] for label in cast.guest.get(f"/projects/{cast.private.id}/labels").json]


def test_the_type_alone_is_accepted_and_changes_nothing(cast, issue):
    before = cast.developer.get(issue).json
    assert cast.developer.put(issue, issue_type="incident").json == before | {"updated_at": ANY}
    assert cast.developer.put(issue, issue_type="song").json == {"error": "issue_type does not have a valid value"}


def test_every_change_shows_in_when_it_was_updated(cast, issue):
    milestone = cast.developer.post(f"/projects/{cast.private.id}/milestones", title="v1").json["id"]
    long_ago = "2018-01-01T00:00:00.000Z"
    for said in (
        {"labels": "bug"}, {"milestone_id": milestone}, {"assignee_ids": [cast.guest.id]}, {"weight": 1},
        {"due_date": "2018-01-01"}, {"confidential": True}, {"discussion_locked": True}, {"state_event": "close"},
        {"description": "new"},
    ):  # fmt: skip
        assert cast.owner.put(issue, title="x", updated_at=long_ago).json["updated_at"] == long_ago
        assert cast.developer.put(issue, **said).json["updated_at"] > long_ago, said


def test_closing_and_reopening(cast, issue):
    closed = cast.developer.put(issue, state_event="close").json
    assert (closed["state"], closed["closed_at"][-1]) == ("closed", "Z")
    again = cast.developer.put(issue, state_event="close").json
    assert again["closed_at"] == closed["closed_at"]
    opened = cast.developer.put(issue, state_event="reopen").json
    assert (opened["state"], opened["closed_at"]) == ("opened", None)
    assert cast.developer.put(issue, state_event="reopen").json["state"] == "opened"
    kinds = [kind for kind in cast.events() if kind in ("issue.closed", "issue.reopened", "issue.updated")]
    assert kinds == ["issue.closed", "issue.reopened"]


def test_a_guest_changes_of_their_own_issue_only_what_needs_no_triage(cast):
    issues = f"/projects/{cast.private.id}/issues"
    issue = f"{issues}/{cast.guest.post(issues, title='mine').json['iid']}"
    changed = cast.guest.put(
        issue, title="ours", description="d", labels="bug", weight=3, due_date="2018-01-01", confidential=True,
        assignee_ids=[cast.guest.id], discussion_locked=True, state_event="close",
    )  # fmt: skip
    assert changed.status == 200
    kept = ("title", "description", "confidential", "state")
    assert [changed.json[name] for name in kept] == ["ours", "d", True, "closed"]
    dropped = ("labels", "weight", "due_date", "assignees", "discussion_locked")
    assert [changed.json[name] for name in dropped] == [[], None, None, [], False]
    assert cast.root.get(f"/projects/{cast.private.id}/labels").json == []


def test_an_assignee_below_reporter_may_close(cast, issue):
    cast.developer.put(issue, assignee_ids=[cast.guest.id])
    assert cast.guest.put(issue, state_event="close").json["state"] == "closed"


@pytest.mark.parametrize(("who", "honored"), [("master", False), ("owner", True), ("root", True), ("reporter", False)])
def test_dates_are_for_owners_and_administrators(cast, issue, who, honored):
    then = "2017-03-04T04:06:07.000Z"
    shown = getattr(cast, who).put(issue, title="x", created_at=then, updated_at=then).json
    assert (shown["created_at"] == then) is honored
    assert (shown["updated_at"] == then) is honored


def test_every_change_is_recorded_with_old_and_new_values(cast, issue):
    cast.developer.put(issue, title="New", labels="bug", assignee_ids=[cast.guest.id])
    changes = cast.value("SELECT changes FROM events WHERE kind = 'issue.updated' ORDER BY id DESC LIMIT 1")
    recorded = f'{{"title":["Open","New"],"assignee_ids":[[],[{cast.guest.id}]],"labels":[[],["bug"]],"updated_at":['
    assert changes.startswith(recorded)


def test_statements_of_an_edit(cast, issue, database):
    with statements(database) as used:
        assert cast.developer.put(issue, title="w", state_event="close").status == 200
    assert used.count <= 9
    cast.run("UPDATE projects SET last_activity_at = '2018-01-02T00:00:00.000Z'")  # once an hour it costs one more
    with statements(database) as used:
        assert cast.developer.put(issue, title="x", state_event="reopen").status == 200
    assert used.count <= 10
    with statements(database) as used:
        changed = cast.developer.put(issue, title="y", labels="a,b,c", assignee_ids=[cast.guest.id, cast.master.id])
        assert changed.status == 200
    assert used.count <= 18
    with statements(database) as used:
        changed = cast.developer.put(issue, title="z", labels="b,d,e,f,g", assignee_ids=[cast.reporter.id])
        assert changed.status == 200
    assert used.count <= 18


@pytest.mark.commits
def test_changes_at_once_lose_nothing_and_the_counts_stay_exact(cast):
    who = cast.stranger
    project = make_project(who, "busy")["id"]
    issues = f"/projects/{project}/issues"
    for number in range(8):
        who.post(issues, title=f"{number}")

    async def change(iid, said):
        return (await who.exchange("PUT", f"{issues}/{iid}", params=said)).status

    said = [
        {"title": "t"}, {"description": "d"}, {"weight": 5}, {"state_event": "close"}, {"confidential": True},
        {"labels": "a,b"}, {"due_date": "2018-01-01"}, {"assignee_ids": [who.id]}, {"state_event": "close"},
    ]  # fmt: skip

    async def all_at_once():
        return await asyncio.gather(*(change(iid, each) for each in said for iid in range(1, 9)))

    assert set(who.loop.run_until_complete(all_at_once())) == {200}
    listed = who.get(issues, state="closed")
    assert listed.headers["X-Total"] == "8"
    assert who.get(issues, state="opened").headers["X-Total"] == "0"
    for issue in listed.json:
        assert (issue["title"], issue["description"], issue["weight"], issue["labels"]) == ("t", "d", 5, ["a", "b"])
        assert (issue["confidential"], issue["due_date"], issue["assignee"]["id"]) == (True, "2018-01-01", who.id)


@pytest.mark.commits
def test_new_labels_made_at_once_by_creating_and_editing_are_one_label_each(cast):
    who = cast.stranger
    project = make_project(who, "busy")["id"]
    issues = f"/projects/{project}/issues"
    for number in range(8):
        who.post(issues, title=f"{number}")

    async def all_at_once():
        asked = []
        for n in range(24):
            said = {"title": "x", "labels": f"a{n // 8},b{n // 8}", "state_event": ["close", "reopen"][n % 2]}
            asked.append(who.exchange("PUT", f"{issues}/{n % 8 + 1}", params=said))
            asked.append(who.exchange("POST", issues, params=said))
        return await asyncio.gather(*asked)

    assert {answer.status for answer in who.loop.run_until_complete(all_at_once())} == {200, 201}
    labels = [label["name"] for label in who.get(f"/projects/{project}/labels").json]
    assert labels == ["a0", "a1", "a2", "b0", "b1", "b2"]
    totals = [int(who.get(issues, state=state).headers["X-Total"]) for state in ("all", "opened", "closed")]
    assert totals[0] == 32 == totals[1] + totals[2]


@pytest.mark.commits
def test_deleting_and_closing_at_once_leave_exact_counts(cast):
    who = cast.stranger
    project = make_project(who, "busy")["id"]
    issues = f"/projects/{project}/issues"
    for number in range(10):
        who.post(issues, title=f"{number}")

    async def all_at_once():
        await asyncio.gather(
            *(who.exchange("DELETE", f"{issues}/{iid}") for iid in range(1, 6) for _ in range(2)),
            *(who.exchange("PUT", f"{issues}/{iid}", params={"state_event": "close"}) for iid in range(1, 11)),
        )

    who.loop.run_until_complete(all_at_once())
    assert [who.get(issues, state=state).headers["X-Total"] for state in ("all", "opened", "closed")] == ["5", "0", "5"]
