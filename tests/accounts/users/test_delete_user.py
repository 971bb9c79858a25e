import pytest

from tests.harness.cases import Case, cases
from tests.harness.client import Raw
from tests.harness.creation import make_group, make_project
from tests.harness.public_keys import ssh_key

LAST = "403 Forbidden - The last administrator cannot be blocked, deleted or made an ordinary user"


def test_a_deleted_user_is_in_no_response(cast):
    project = make_project(cast.guest, "Den")
    assert cast.root.delete(f"/users/{cast.guest.id}").status == 204
    assert cast.root.get(f"/users/{cast.guest.id}").status == 404
    assert cast.root.get("/users", username="guest").json == []
    assert cast.root.get(f"/projects/{project['id']}").status == 404
    assert cast.root.get("/namespaces/guest").status == 404
    members = cast.root.get(f"/projects/{cast.private.id}/members", per_page=100).json
    assert "guest" not in {member["username"] for member in members}
    assert cast.root.delete(f"/users/{cast.guest.id}").status == 404


def test_credentials_of_a_deleted_user_are_rejected(cast):
    cast.root.delete(f"/users/{cast.guest.id}")
    answer = cast.guest.get("/user")
    assert (answer.status, answer.json) == (401, {"message": "401 Unauthorized"})


def test_name_and_email_of_a_deleted_user_are_available(cast):
    cast.root.delete(f"/users/{cast.guest.id}")
    again = cast.root.post("/users", email="guest@example.org", username="guest", name="G", reset_password=True)
    assert again.status == 201
    assert again.json["id"] != cast.guest.id


def test_issues_and_notes_of_a_deleted_user_belong_to_the_ghost(cast):
    issues = f"/projects/{cast.private.id}/issues"
    note = cast.reporter.post(f"{issues}/{cast.confidential}/notes", body="Seen.").json
    award = cast.reporter.post(f"{issues}/{cast.confidential}/award_emoji", name="thumbsup").json
    cast.master.put(f"{issues}/{cast.open}", assignee_ids=[cast.reporter.id])
    assert cast.root.delete(f"/users/{cast.reporter.id}").status == 204
    issue = cast.root.get(f"{issues}/{cast.open}").json
    assert (issue["author"]["username"], issue["author"]["name"]) == ("ghost", "Ghost User")
    assert issue["assignees"] == []
    assert cast.root.get(f"{issues}/{cast.confidential}/notes/{note['id']}").json["author"]["username"] == "ghost"
    shown = cast.root.get(f"{issues}/{cast.confidential}/award_emoji/{award['id']}").json
    assert shown["user"]["username"] == "ghost"


def test_events_and_stars_of_a_deleted_user_are_gone(cast):
    here = f"/projects/{cast.private.id}"
    cast.guest.post(f"{here}/issues", title="x")
    assert cast.guest.post(f"{here}/star").json["star_count"] == 1
    before = cast.root.get(f"{here}/events")
    theirs = [event for event in before.json if event["author_id"] == cast.guest.id]
    assert theirs
    assert cast.root.delete(f"/users/{cast.guest.id}").status == 204
    after = cast.root.get(f"{here}/events")
    assert after.json == [event for event in before.json if event not in theirs]
    assert int(after.headers["X-Total"]) == len(after.json) == len(before.json) - len(theirs)
    assert cast.root.get(here).json["star_count"] == 0


def test_there_is_one_ghost(cast):
    for person in (cast.reporter, cast.developer):
        assert cast.root.delete(f"/users/{person.id}").status == 204
    assert len(cast.root.get("/users", username="ghost").json) == 1
    authors = [issue["author"]["username"] for issue in cast.root.get(f"/projects/{cast.private.id}/issues").json]
    assert sorted(authors) == ["ghost", "ghost", "left"]


def test_an_emoji_two_deleted_people_gave_is_given_once(cast):
    awards = f"/projects/{cast.private.id}/issues/{cast.farewell}/award_emoji"
    for person in (cast.reporter, cast.developer):
        assert person.post(awards, name="thumbsup").status == 201
        assert cast.root.delete(f"/users/{person.id}").status == 204
    assert [award["user"]["username"] for award in cast.root.get(awards).json] == ["ghost"]


def test_the_ghost_takes_another_name_where_its_own_is_taken(cast):
    cast.root.post("/users", email="g@example.org", username="Ghost", name="G", reset_password=True)
    cast.root.delete(f"/users/{cast.reporter.id}")
    issue = cast.root.get(f"/projects/{cast.private.id}/issues/{cast.open}").json
    assert issue["author"]["username"] == "ghost1"


def test_the_ghost_is_listed_and_left_alone(cast):
    cast.root.delete(f"/users/{cast.reporter.id}")
    ghost = cast.guest.get("/users", username="ghost").json[0]
    assert ghost["state"] == "active"
    for verb, path in (("DELETE", ""), ("PUT", ""), ("POST", "/block")):
        answer = cast.root.ask(verb, f"/users/{ghost['id']}{path}", params={"name": "Boo"})
        assert (answer.status, answer.json) == (403, {"message": "403 Forbidden - The ghost user cannot be changed"})


def test_hard_delete_takes_what_they_wrote_with_them(cast):
    issues = f"/projects/{cast.private.id}/issues"
    cast.reporter.post(f"{issues}/{cast.confidential}/notes", body="Seen.")
    cast.developer.post(f"{issues}/{cast.confidential}/notes", body="Thanks.")
    assert cast.root.delete(f"/users/{cast.reporter.id}", hard_delete=True).status == 204
    assert cast.root.get(f"{issues}/{cast.open}").status == 404
    other = cast.root.get(f"{issues}/{cast.confidential}").json
    assert other["user_notes_count"] == 1
    left = cast.root.get(issues)
    assert (left.headers["X-Total"], len(left.json)) == ("2", 2)
    assert cast.root.get("/users", username="ghost").json == []
    assert cast.master.post(issues, title="Next").json["iid"] == 4


@pytest.fixture
def den(cast):
    """A group the guest alone owns, with a subgroup and a project."""
    den = make_group(cast.guest, "den", name="Den")
    nest = make_group(cast.guest, "nest", name="Nest", parent_id=den["id"])
    project = make_project(cast.guest, "Straw", namespace_id=nest["id"])
    return den["id"], nest["id"], project["id"]


def test_the_sole_owner_of_a_group_stays(cast, den):
    answer = cast.root.delete(f"/users/{cast.guest.id}")
    assert answer.status == 409
    assert answer.json == {"message": "User cannot be removed while is the sole-owner of a group"}
    assert cast.guest.get(f"/groups/{den[0]}").status == 200
    # An owner whose access ends some day does not replace them; only with `hard_delete` a group goes, and not this one.
    temporary = {"user_id": cast.master.id, "access_level": 50, "expires_at": "2999-01-01"}
    assert cast.guest.post(f"/groups/{den[0]}/members", **temporary).status == 201
    assert cast.root.delete(f"/users/{cast.guest.id}").status == 409
    assert cast.root.delete(f"/users/{cast.guest.id}", hard_delete=True).status == 204
    assert cast.master.get(f"/groups/{den[0]}").status == 200


def test_the_owner_of_a_group_with_another_owner_can_be_deleted(cast, den):
    assert cast.guest.post(f"/groups/{den[0]}/members", user_id=cast.master.id, access_level=50).status == 201
    assert cast.root.delete(f"/users/{cast.guest.id}").status == 204
    assert cast.master.get(f"/groups/{den[1]}").status == 200


def test_hard_delete_takes_groups_that_only_they_own(cast, den):
    assert cast.root.delete(f"/users/{cast.guest.id}", hard_delete=True).status == 204
    for group in den[:2]:
        assert cast.root.get(f"/groups/{group}").status == 404
    assert cast.root.get(f"/projects/{den[2]}").status == 404
    assert cast.root.get("/namespaces/den").status == 404


def test_the_last_administrator_cannot_be_deleted(cast):
    cast.root.put(f"/users/{cast.guest.id}", admin=True)
    assert cast.guest.delete(f"/users/{cast.guest.id}").status == 204
    assert cast.root.delete(f"/users/{cast.root.id}").status == 403


def test_a_person_who_changed_meanwhile_is_not_deleted(cast):
    long_ago = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"})
    assert cast.root.delete(f"/users/{cast.guest.id}", raw=long_ago).status == 412
    assert cast.guest.get("/user").status == 200


@cases(
    [
        Case("root", "DELETE /users/{guest.id}", 204, None, events=["user.deleted"]),
        Case("root", "DELETE /users/99999", 404, {"message": "404 User Not Found"}),
        Case("root", "DELETE /users/{root.id}", 403, {"message": LAST}, events=[]),
        Case("guest", "DELETE /users/{guest.id}", 403, {"message": "403 Forbidden"}, events=[]),
        Case("anonymous", "DELETE /users/{guest.id}", 401, {"message": "401 Unauthorized"}),
        Case("read_user", "DELETE /users/{guest.id}", 403),
    ]
)
def test_only_administrators_delete_users(case, cast):
    case.holds(cast)


def test_more_than_one_batch_is_handed_over_before_the_answer(cast, monkeypatch):
    """Short transactions, one after the other, are what the answer waits for."""
    issues = f"/projects/{cast.private.id}/issues"
    for number in range(5):
        cast.reporter.post(f"{issues}/{cast.confidential}/notes", body=f"Note {number}")
        cast.reporter.post(issues, title=f"Issue {number}")
    for module in (
        "kernel.removals",
        "planning.notes.removing.contributions",
        "planning.issues.contributions",
    ):
        monkeypatch.setattr(f"mujina.{module}.BATCH", 2)
    assert cast.root.delete(f"/users/{cast.reporter.id}").status == 204
    authors = {note["author"]["username"] for note in cast.root.get(f"{issues}/{cast.confidential}/notes").json}
    assert authors == {"ghost"}
    assert {issue["author"]["username"] for issue in cast.root.get(issues).json} == {"ghost", "developer", "left"}


def test_a_key_of_a_deleted_user_may_be_added_by_another(cast):
    key = ssh_key("one")
    project = cast.guest.post("/projects", name="Den")
    assert project.status == cast.guest.post("/user/keys", title="x", key=key).status == 201
    cast.root.delete(f"/users/{cast.guest.id}")
    assert cast.stranger.post("/user/keys", title="x", key=key).status == 201
