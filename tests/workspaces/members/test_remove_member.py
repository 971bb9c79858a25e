import pytest

from tests.harness.client import Raw
from tests.harness.creation import chain, make_group, make_project
from tests.workspaces.members.sources import at, both


@pytest.mark.parametrize(
    ("who", "status"),
    [("owner", 204), ("root", 204), ("guest", 204), ("developer", 403), ("stranger", 403), ("anonymous", 401)],
)
@both
def test_those_who_choose_members_remove_them_and_members_may_leave(cast, place, who, status):
    here = at(cast, place)
    for person in (cast.guest, cast.developer):
        cast.owner.post(f"{here}/members", user_id=person.id, access_level=30)
    seen = len(cast.events())
    assert getattr(cast, who).delete(f"{here}/members/{cast.guest.id}").status == status
    assert cast.events()[seen:] == (["member.removed"] if status == 204 else [])
    assert cast.owner.get(f"{here}/members/{cast.guest.id}").status == (404 if status == 204 else 200)


@both
def test_a_user_without_direct_membership_is_not_found(cast, place):
    answer = cast.owner.delete(f"{at(cast, place)}/members/{cast.guest.id}")
    assert (answer.status, answer.json) == (404, {"message": "404 Member Not Found"})


def test_the_last_owner_of_a_group_may_not_leave(cast):
    here = at(cast, "groups")
    for who in (cast.owner, cast.root):
        answer = who.delete(f"{here}/members/{cast.owner.id}")
        assert (answer.status, answer.json) == (403, {"message": "403 Forbidden - A group needs an owner"})
    cast.owner.post(f"{here}/members", user_id=cast.guest.id, access_level=50, expires_at="2018-01-01")
    assert cast.owner.delete(f"{here}/members/{cast.owner.id}").status == 403
    cast.owner.post(f"{here}/members", user_id=cast.guest.id, access_level=50)
    assert cast.owner.delete(f"{here}/members/{cast.owner.id}").status == 204


def test_the_owner_of_a_personal_project_may_not_leave(cast):
    here = at(cast, "projects")
    for who in (cast.owner, cast.root):
        assert who.delete(f"{here}/members/{cast.owner.id}").status == 403


def test_access_ends_with_the_next_request_and_rows_below_stay(cast):
    top, below = chain(cast.owner, "top", "below")
    project = make_project(cast.owner, "inside", namespace_id=below["id"])
    other = make_project(cast.owner, "other", namespace_id=top["id"])
    cast.owner.post(f"/groups/{top['id']}/members", user_id=cast.guest.id, access_level=30)
    cast.owner.post(f"/projects/{project['id']}/members", user_id=cast.guest.id, access_level=10)
    cast.owner.delete(f"/groups/{top['id']}/members/{cast.guest.id}")
    assert cast.guest.get(f"/projects/{other['id']}").status == 404
    assert cast.guest.get(f"/projects/{project['id']}").json["permissions"]["project_access"]["access_level"] == 10


def assignees(cast, issue):
    return [each["username"] for each in cast.owner.get(issue).json["assignees"]]


def test_leaving_a_project_ends_assignments_and_todos_there(cast):
    ids = [cast.developer.id, cast.reporter.id]
    issue, elsewhere = (f"/projects/{place.id}/issues/{cast.open}" for place in (cast.public, cast.internal))
    for each in (issue, elsewhere):
        cast.reporter.put(each, assignee_ids=ids)
    cast.master.delete(f"/projects/{cast.public.id}/members/{cast.developer.id}")
    assert (assignees(cast, issue), len(assignees(cast, elsewhere))) == (["reporter"], 2)
    assert [todo["project"]["id"] for todo in cast.developer.get("/todos").json] == [cast.internal.id]
    assert len(cast.reporter.get("/todos").json) == 2


def test_leaving_a_group_ends_assignments_and_todos_below(cast):
    group = make_group(cast.owner, "top", visibility="public")
    child = make_group(cast.owner, "below", parent_id=group["id"], visibility="public")
    cast.owner.post(f"/groups/{group['id']}/members", user_id=cast.guest.id, access_level=30)
    issues = []
    for name, home in (("inside", child["id"]), ("outside", None)):
        project = make_project(cast.owner, name, namespace_id=home, visibility="public")
        if home is None:
            cast.owner.post(f"/projects/{project['id']}/members", user_id=cast.guest.id, access_level=30)
        made = cast.owner.post(f"/projects/{project['id']}/issues", title="x", assignee_ids=[cast.guest.id]).json
        issues.append(f"/projects/{project['id']}/issues/{made['iid']}")
    cast.owner.delete(f"/groups/{group['id']}/members/{cast.guest.id}")
    assert [assignees(cast, issue) for issue in issues] == [[], ["guest"]]
    assert [todo["project"]["name"] for todo in cast.guest.get("/todos").json] == ["outside"]


@both
def test_a_member_who_changed_since_is_not_removed(cast, place):
    here = at(cast, place)
    cast.owner.post(f"{here}/members", user_id=cast.guest.id, access_level=10)
    early = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2018 00:00:00 GMT"})
    assert cast.owner.delete(f"{here}/members/{cast.guest.id}", early).status == 412
